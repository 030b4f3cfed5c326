//! Self-play workers and game records.
//!
//! [`GameRecord`] speaks of the game only: start, moves, what each search found, outcome. Record files keep them in
//! checked frames; [`write_records`], [`read_records`] and [`record_files`] are the way in and out.
//! [`play_generation`] plays the games of a generation with any [`Evaluator`] and leaves their record files.
//!
//! [`Evaluator`]: hippolyta_search::Evaluator

mod choice;
mod chunks;
mod config;
mod frame;
mod game;
mod generation;
mod outcome;
mod record;
mod record_file;
mod stats;
#[cfg(test)]
mod testing;
mod wire;
mod worker;

pub use config::{BoardShare, ConfigError, SelfplayConfig};
pub use frame::FrameError;
pub use generation::{Generation, SelfplayError, play_generation};
pub use outcome::Outcome;
pub use record::{GameRecord, ModelHash, RecordError, SearchedPly, VisitedMove};
pub use record_file::{
    BadFrame, RecordFile, RecordName, RecordNameError, WriteError, read_folder, read_records, record_files,
    write_records,
};
pub use stats::{GenerationStats, Progress};

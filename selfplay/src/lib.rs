//! Self-play workers and game records.
//!
//! [`GameRecord`] speaks of the game only: start, moves, what each search found, outcome. Record files keep them in
//! checked frames; [`write_records`], [`read_records`] and [`record_files`] are the way in and out.

mod frame;
mod outcome;
mod record;
mod record_file;
#[cfg(test)]
mod testing;
mod wire;

pub use frame::FrameError;
pub use outcome::Outcome;
pub use record::{GameRecord, ModelHash, RecordError, SearchedPly, VisitedMove};
pub use record_file::{
    BadFrame, RecordFile, RecordName, RecordNameError, WriteError, read_folder, read_records, record_files,
    write_records,
};

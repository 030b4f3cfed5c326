//! Self-play workers and game records.
//!
//! [`GameRecord`] speaks of the game only: start, moves, what each search found, outcome. Record files keep them in
//! checked frames; [`write_records`], [`read_records`] and [`record_files`] are the way in and out;
//! [`GameRecord::transcript`] tells a game to people.
//! [`play_generation`] plays the games of a generation with any [`Evaluator`] and leaves their record files.
//!
//! [`Evaluator`]: hippolyta_search::Evaluator
//!
//! ```
//! use std::sync::atomic::AtomicBool;
//!
//! use hippolyta_search::{SearchConfig, UniformEvaluator};
//! use hippolyta_selfplay::{Generation, RecordFolder, SelfplayConfig, play_generation};
//!
//! # let base: toml::Table = include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../configs/base.toml")).parse()?;
//! # let search: SearchConfig = base["search"].clone().try_into()?;
//! # let config = SelfplayConfig { games: 4, games_per_file: 2, ..base["selfplay"].clone().try_into()? };
//! let folder = tempfile::tempdir()?;
//! let (files, stop) = (RecordFolder(folder.path()), AtomicBool::new(false));
//! let job = Generation {
//!     config: &config,
//!     search: &search,
//!     model: [0; 32],
//!     run_seed: 1,
//!     generation: 0,
//!     files: &files,
//!     threads: 2,
//!     stop: &stop,
//! };
//! let played = play_generation(&job, |_worker| Box::new(UniformEvaluator), |_progress| {})?;
//! assert_eq!(played.stats.games, 4);
//! for (_name, records) in played.files {
//!     for record in records {
//!         for (position, search) in record.searched_positions() {
//!             assert!(search.visited.iter().all(|visited| position.is_legal(visited.mv)));
//!         }
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boards;
mod choice;
mod chunks;
mod config;
mod frame;
mod game;
mod generation;
mod outcome;
mod record;
mod record_file;
mod searches;
mod stats;
#[cfg(test)]
mod testing;
mod transcript;
mod uniform;
mod wire;
mod worker;

pub use boards::{BoardShare, Boards};
pub use config::{ConfigError, SelfplayConfig};
pub use frame::FrameError;
pub use generation::{Generation, PlayedGeneration, SelfplayError, play_generation};
pub use outcome::Outcome;
pub use record::{GameRecord, ModelHash, Opening, OpeningKind, RecordError, SearchedPly, VisitedMove};
pub use record_file::{
    BadFrame, RecordFile, RecordFiles, RecordFolder, RecordName, RecordNameError, WriteError, is_record_file,
    parse_records, read_folder, read_records, record_files, write_records,
};
pub use searches::{SearchSizes, Searches};
pub use stats::{GenerationStats, Progress};

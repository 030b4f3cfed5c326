//! The games of a generation, on all cores.

use std::io;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::thread;

use hippolyta_search::{Evaluator, SearchConfig};
use thiserror::Error;

use crate::chunks::Chunks;
use crate::config::{ConfigError, SelfplayConfig};
use crate::record::{GameRecord, ModelHash};
use crate::record_file::{RecordFiles, RecordName, WriteError};
use crate::stats::{GenerationStats, Progress};
use crate::worker::{Shared, work};

/// The games to play: what, where to, and by whom.
#[derive(Clone, Copy, Debug)]
pub struct Generation<'a> {
    /// How games are played.
    pub config: &'a SelfplayConfig,
    /// The constants of the searches.
    pub search: &'a SearchConfig,
    /// The network that the evaluators compute, for the records.
    pub model: ModelHash,
    /// The seed of the run.
    pub run_seed: u64,
    /// The generation.
    pub generation: u32,
    /// Where record files go.
    pub files: &'a dyn RecordFiles,
    /// Workers, each a thread with an evaluator of its own. At least 1.
    pub threads: usize,
    /// Set it to stop: games that are going on are given up, finished files stay.
    pub stop: &'a AtomicBool,
}

impl<'a> Generation<'a> {
    /// Games that belong to no run, as measurements need them: of seed 1 and generation 1, by no network that records
    /// would name.
    pub fn of_no_run(
        config: &'a SelfplayConfig,
        search: &'a SearchConfig,
        files: &'a dyn RecordFiles,
        threads: usize,
        stop: &'a AtomicBool,
    ) -> Generation<'a> {
        Generation { config, search, model: [0; 32], run_seed: 1, generation: 1, files, threads, stop }
    }
}

/// Why a generation was not finished.
#[derive(Debug, Error)]
pub enum SelfplayError {
    /// The stop flag was set. Finished files stay, and the next call goes on after them.
    #[error("self-play was interrupted")]
    Interrupted,
    /// Wrong configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// Wrong search configuration.
    #[error(transparent)]
    Search(#[from] hippolyta_search::ConfigError),
    /// A record file of this generation that was not made by this run.
    #[error("{}: not a file of this run: {what} does not fit", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// What tells it apart.
        what: &'static str,
    },
    /// A file, or the place that it is in, that cannot be read or removed.
    #[error("{}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// A record file that cannot be written.
    #[error("{}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        source: Box<WriteError>,
    },
}

/// The games of a generation.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGeneration {
    /// What they were like.
    pub stats: GenerationStats,
    /// The games of each record file, in order.
    pub files: Vec<(RecordName, Vec<GameRecord>)>,
}

/// Plays the games of a generation that have no record file yet, and gives all of them.
///
/// Each game depends on (run seed, generation, its index) and the network alone, not on threads, games in flight or
/// what was played before an interruption: the files have the same bytes in any case. A file appears when its last
/// game is over. A damaged file is replaced.
///
/// `make_evaluator` is called once in each worker's thread, with the worker's index. `progress` is called before the
/// first move, with what was found, and after each move, from the worker that made it.
///
/// # Errors
/// See [`SelfplayError`]; the finished files are good in every case.
///
/// # Panics
/// When an evaluator does.
pub fn play_generation<M, P>(
    job: &Generation<'_>,
    make_evaluator: M,
    progress: P,
) -> Result<PlayedGeneration, SelfplayError>
where
    M: Fn(usize) -> Box<dyn Evaluator + Send> + Sync,
    P: Fn(&Progress) + Sync,
{
    job.config.validate()?;
    job.search.validate()?;
    let (chunks, queue) = Chunks::resume(job)?;
    let shared = Shared::new(job, chunks, queue, &progress);
    thread::scope(|scope| {
        for worker in 0..job.threads.max(1) {
            let (shared, make_evaluator) = (&shared, &make_evaluator);
            scope.spawn(move || work(shared, || make_evaluator(worker)));
        }
    });
    let (chunks, fault) = shared.finish();
    match fault {
        Some(error) => Err(error),
        None if chunks.are_done() => {
            Ok(PlayedGeneration { stats: chunks.totals().stats(), files: chunks.into_files() })
        }
        None => Err(SelfplayError::Interrupted),
    }
}

#[cfg(test)]
mod tests;

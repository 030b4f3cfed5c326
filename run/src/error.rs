//! Why a run does not go on.

use std::path::{Path, PathBuf};

use hippolyta_eval::arena::MatchError;
use hippolyta_eval::gate::GateError;
use hippolyta_eval::openings::OpeningsError;
use hippolyta_selfplay::SelfplayError;
use thiserror::Error;

use crate::config::ConfigFault;
use crate::evaluators::EvaluatorError;
use crate::sealed::SealError;
use crate::store::StoreError;

/// What to do where training is asked for of a build that cannot train.
pub const NEEDS_LIBTORCH: &str =
    "training needs libtorch, which this build is without: run 'make build' and use target/release/hippolyta";

/// Why a run does not go on. Nothing that was finished is lost.
#[derive(Debug, Error)]
pub enum RunError {
    /// The stop flag was set.
    #[error("interrupted; all that was finished is saved in {}: the same command goes on", run.display())]
    Interrupted {
        /// The run.
        run: PathBuf,
    },
    /// The configuration is wrong, or is not the run's.
    #[error("{0}")]
    Config(String),
    /// There is no run.
    #[error("{} is no run directory: it has no config.toml ('hippolyta train CONFIG' starts a run)", .0.display())]
    NoRun(PathBuf),
    /// A stage was asked for that is not due.
    #[error("generation {generation} waits for {command}: 'hippolyta {command} --run {}'", quoted(run))]
    Waits {
        /// The run's generation.
        generation: u32,
        /// The command that does the stage that is due.
        command: &'static str,
        /// The run.
        run: PathBuf,
    },
    /// This build cannot train.
    #[error("{NEEDS_LIBTORCH}")]
    NeedsLibtorch,
    /// A file of the run cannot be used, and the run cannot make it again.
    #[error(transparent)]
    Damaged(#[from] Damage),
    /// What a stage made again is not what it made before.
    #[error(
        "{} was made again and came out differently: it is damaged, or this machine or version computes differently; \
         move it away to go on with the new one", path.display()
    )]
    NotReproduced {
        /// The file.
        path: PathBuf,
    },
    /// The store.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Self-play.
    #[error(transparent)]
    Selfplay(SelfplayError),
    /// Training.
    #[cfg(feature = "torch")]
    #[error(transparent)]
    Train(#[from] hippolyta_train::TrainError),
    /// A replay was stopped.
    #[cfg(feature = "torch")]
    #[error("interrupted: a replay does not go on where it was stopped")]
    ReplayStopped,
    /// A gate match.
    #[error(transparent)]
    Gate(#[from] GateError),
    /// Openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// A rating's match.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A network that cannot be run.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
    /// A thread could not be had.
    #[error(
        "the system does not let this process start a thread ({0}): raise the limit on processes ('ulimit -u')"
    )]
    Thread(std::io::Error),
    /// The number of cores could not be had.
    #[error("the number of cores is unknown: set run.threads in the configuration ({0})")]
    Cores(std::io::Error),
}

impl From<ConfigFault> for RunError {
    fn from(fault: ConfigFault) -> RunError {
        RunError::Config(fault.to_string())
    }
}

/// A file that is not what the run made.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{} {fault}", path.display())]
pub struct Damage {
    /// The file's key.
    pub key: String,
    /// How people know the file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub fault: Fault,
}

/// What is wrong with a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Fault {
    /// It is not there.
    #[error("is missing: {0} names it; put it back from a copy")]
    Missing(String),
    /// It is another file than the one that was made, or a damaged one.
    #[error(
        "is not the file that {0} names: it is damaged, or another one; put the right one back from a copy"
    )]
    Changed(String),
    /// It cannot be read as what it should be.
    #[error("{0}")]
    Sealed(#[from] SealError),
    /// It is whole, but does not belong here.
    #[error("does not belong to this run: {0}")]
    Foreign(String),
}

/// A path as a shell reads it back, for a command that is shown to people.
pub fn quoted(path: &Path) -> String {
    let text = path.to_string_lossy();
    // Only a NUL cannot be quoted, and no path holds one.
    shlex::try_quote(&text).map_or_else(|_| text.to_string(), Into::into)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_quoted_where_a_shell_needs_it() {
        for (path, expected) in [("runs/a", "runs/a"), ("a b", "'a b'"), ("it's", "\"it's\"")] {
            assert_eq!(quoted(Path::new(path)), expected);
            assert_eq!(shlex::split(&quoted(Path::new(path))).unwrap(), [path]);
        }
    }
}

//! A run: generations of self-play, training and gate, over one directory.
//!
//! Every stage is idempotent: it looks in the run directory for what it is to make, and makes what is missing. The
//! state of a run is therefore in its files alone, and a run that was killed goes on with the same calls.

mod bounds;
mod clock;
pub(crate) mod directory;
pub(crate) mod gate;
mod generation;
mod learn;
pub(crate) mod metrics;
pub(crate) mod rating;
mod selfplay;
mod standings;
#[cfg(feature = "torch")]
mod tensorboard;

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context as _, anyhow};
use hippolyta_game::Position;
use hippolyta_model::{Calibration, ModelFile, Weights};
use hippolyta_run::RunConfig;
use hippolyta_run::config::{Resolved, first_difference};
use hippolyta_search::seed::derive;

use crate::evaluators::random_game;
use crate::failure::wrong_input;
use crate::interrupt::Interrupted;
use crate::progress::Progress;
use directory::RunDirectory;

pub(crate) use bounds::Bounds;
pub(crate) use clock::{Timing, seconds_of_work};
pub(crate) use generation::{Stage, one_stage, stage_due, train};

/// Sets the seeds of a run's stages apart from each other; self-play and training have their own.
const SEED_NETWORK: u64 = u64::from_be_bytes(*b"-network");
#[cfg(feature = "torch")]
const SEED_TRAINING: u64 = u64::from_be_bytes(*b"training");
const SEED_GATE: u64 = u64::from_be_bytes(*b"----gate");
const SEED_RATING: u64 = u64::from_be_bytes(*b"--rating");

/// A run that this process is at work on.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) directory: RunDirectory,
    pub(crate) config: RunConfig,
    progress: Progress,
    threads: usize,
}

/// What to do where training is asked for of a build that cannot train.
pub(crate) const NEEDS_LIBTORCH: &str =
    "training needs libtorch, which this build is without: run 'make build' and use target/release/hippolyta";

impl Run {
    /// Starts a run with a configuration, or goes on with it where the directory has one.
    ///
    /// # Errors
    /// When the configuration is wrong or differs from the run's, or another process is at work on the run.
    pub(crate) fn start(config: &Path, root: &Path) -> anyhow::Result<Run> {
        let given = RunConfig::read(config).map_err(|fault| wrong_input(fault.to_string()))?;
        let directory = RunDirectory::take(root)?;
        let frozen = directory.config();
        if frozen.exists() {
            let before = read_frozen(&directory)?;
            if let Some(difference) = first_difference(&before.table, &given.table) {
                return Err(wrong_input(format!(
                    "{} was started with another configuration than {}: {difference}; choose another --run DIR",
                    root.display(),
                    config.display()
                )));
            }
        } else {
            hippolyta_files::write_atomic(&frozen, |out| out.write_all(given.text().as_bytes()))
                .with_context(|| format!("{} cannot be written", frozen.display()))?;
        }
        Run::new(directory)
    }

    /// Takes up a run that was started before.
    ///
    /// # Errors
    /// When there is none, or another process is at work on it.
    pub(crate) fn resume(root: &Path) -> anyhow::Result<Run> {
        RunDirectory::look(root)?;
        Run::new(RunDirectory::take(root)?)
    }

    /// Looks at a run without writing.
    ///
    /// # Errors
    /// When its configuration cannot be read.
    pub(crate) fn look(directory: RunDirectory) -> anyhow::Result<Run> {
        let config = read_frozen(&directory)?.config;
        Ok(Run { directory, config, progress: Progress::new(), threads: 1 })
    }

    fn new(directory: RunDirectory) -> anyhow::Result<Run> {
        let Resolved { config, added, .. } = read_frozen(&directory)?;
        for key in added {
            eprintln!(
                "config.toml is from before {key}: the run goes on with the value in configs/base.toml"
            );
        }
        let threads = match config.run.threads {
            0 => thread::available_parallelism()
                .context("the number of cores is unknown: set run.threads in the configuration")?
                .get(),
            threads => threads,
        };
        let run = Run { directory, config, progress: Progress::new(), threads };
        run.place_first_model()?;
        Ok(run)
    }

    /// The first champion is an untrained network.
    fn place_first_model(&self) -> anyhow::Result<()> {
        let path = self.directory.model(0);
        if path.exists() {
            return Ok(());
        }
        let seed = derive(self.config.run.seed, &[SEED_NETWORK]);
        let weights = Weights::untrained(self.config.network.clone(), seed)?;
        // int8 needs to know how large activations get; random games show it well enough for random weights.
        let boards = self.config.selfplay.boards.up_to(u32::MAX);
        let games = boards.into_iter().flat_map(|board| (0..8).map(move |game| (board, game)));
        let positions: Vec<Position> =
            games.flat_map(|(board, game)| random_game(board, derive(seed, &[game]))).collect();
        let calibration = Some(Calibration::over(&weights, &positions)?);
        let history = [("generation".to_owned(), "0".to_owned()), ("seed".to_owned(), seed.to_string())];
        Ok(ModelFile { weights, calibration, history: history.into() }.write(&path)?)
    }

    /// The champion that plays in a generation, with its file.
    fn champion(&self, generation: u32) -> anyhow::Result<PathBuf> {
        let champion =
            self.directory.champion_before(generation)?.context("a run has an untrained first model")?;
        Ok(self.directory.model(champion))
    }

    /// What the person who stopped the run is told.
    fn interrupted(&self) -> anyhow::Error {
        let root = self.directory.root().display();
        Interrupted(format!(
            "interrupted; all that was finished is saved in {root}: the same command goes on"
        ))
        .into()
    }
}

/// Reads the configuration that a run was started with.
fn read_frozen(directory: &RunDirectory) -> anyhow::Result<Resolved> {
    let path = directory.config();
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    RunConfig::over_base(&text)
        .map_err(|fault| anyhow!("{}, the run's frozen configuration{fault}", path.display()))
}

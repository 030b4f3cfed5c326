//! The training of a generation, up to its candidate.

use std::collections::BTreeMap;

use anyhow::Context as _;
use hippolyta_model::ModelFile;

use crate::run::directory::RunDirectory;

#[cfg(feature = "torch")]
pub(crate) use with_libtorch::ensure;
#[cfg(not(feature = "torch"))]
pub(crate) use without_libtorch::ensure;

/// Keys of a candidate's history.
const STEPS: &str = "steps";
const LOSS: &str = "loss.";

/// What a candidate says of its training.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Trained {
    /// Optimiser steps of the run so far.
    pub(crate) steps: u64,
    /// Mean losses over the generation's steps, by name; empty if it took none.
    pub(crate) losses: BTreeMap<String, f64>,
}

/// Reads what a generation's candidate says of its training.
///
/// # Errors
/// When there is no candidate or it is damaged.
pub(crate) fn trained(directory: &RunDirectory, generation: u32) -> anyhow::Result<Trained> {
    let path = directory.candidate(generation);
    let history = ModelFile::read(&path).context("the candidate cannot be read")?.history;
    let damaged = || format!("{} has no complete training history", path.display());
    let steps = history.get(STEPS).and_then(|steps| steps.parse().ok()).with_context(damaged)?;
    let mut losses = BTreeMap::new();
    for (key, value) in &history {
        if let Some(name) = key.strip_prefix(LOSS) {
            losses.insert(name.to_owned(), value.parse().with_context(damaged)?);
        }
    }
    Ok(Trained { steps, losses })
}

#[cfg(feature = "torch")]
mod with_libtorch {
    use std::ops::ControlFlow;

    use hippolyta_model::{Calibration, TrunkBits};
    use hippolyta_search::seed::derive;
    use hippolyta_train::{ReplayWindow, StepReport, Trainer};

    use super::{BTreeMap, LOSS, STEPS, Trained, trained};
    use crate::interrupt;
    use crate::output;
    use crate::run::{Bounds, Run, SEED_TRAINING};

    /// The positions that ranges of activations are taken over. They are of the boards so far; where a run comes to a
    /// larger one, its first games there are played with these ranges.
    const CALIBRATION_POSITIONS: usize = 512;
    /// The positions on which int8 is compared with f32.
    const CHECKED_POSITIONS: usize = 2000;

    /// A training and the games it has read, kept from generation to generation.
    #[derive(Debug)]
    pub(crate) struct Learner {
        trainer: Trainer,
        window: ReplayWindow,
    }

    impl Learner {
        fn open(run: &Run) -> anyhow::Result<Learner> {
            let config = &run.config;
            let seed = derive(config.run.seed, &[SEED_TRAINING]);
            let (trainer, refused) =
                Trainer::open(&config.train, &config.network, seed, &run.directory.checkpoints())?;
            for checkpoint in refused {
                eprintln!("passed over: {checkpoint}");
            }
            Ok(Learner { trainer, window: ReplayWindow::new(config.train.window.clone()) })
        }
    }

    /// Trains on the games up to a generation and writes the candidate, if it is not there. The learning rate
    /// follows the generations that the run's own configuration plans, whatever bound a command sets.
    ///
    /// # Errors
    /// When the training fails or its results cannot be kept; [`interrupt::Interrupted`] if the person stops it.
    pub(crate) fn ensure(
        run: &Run,
        learner: &mut Option<Learner>,
        generation: u32,
    ) -> anyhow::Result<Trained> {
        let path = run.directory.candidate(generation);
        if path.exists() {
            return trained(&run.directory, generation);
        }
        let Learner { trainer, window } = match learner {
            Some(learner) => learner,
            None => learner.insert(Learner::open(run)?),
        };
        window.update(&run.directory.games(), generation)?;
        let due = run.config.train.steps_due(window.made());
        let task = run.progress.task(&format!("generation {generation} training"), "steps", due);
        let mut watch = |report: &StepReport| {
            task.set(report.step + 1, || format!("loss {:.3}", report.losses.total));
            if interrupt::asked() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let share = Bounds::of(&run.config).share(generation);
        // The trainer counts the generations that it has finished.
        let report =
            trainer.generation(window, generation - 1, share, &run.directory.checkpoints(), &mut watch)?;
        drop(task);
        if !report.finished {
            return Err(run.interrupted());
        }
        let progress = trainer.progress();
        let mut history: BTreeMap<String, String> = BTreeMap::new();
        let mut note = |key: &str, value: String| history.insert(key.to_owned(), value);
        note("generation", generation.to_string());
        note(
            "int8.ranges",
            "the largest and mean activations in f32 over positions spread over the replay window".to_owned(),
        );
        note("seed", run.config.run.seed.to_string());
        note("boards", output::board_names(&run.config.selfplay.boards.up_to(generation)));
        note("games", window.games_made().to_string());
        note("positions", window.made().to_string());
        note(STEPS, progress.step.to_string());
        if let Some(losses) = report.losses {
            for (name, value) in losses.named() {
                note(&format!("{LOSS}{name}"), value.to_string());
            }
        }
        let (calibrated, checked) = (window.spread(CALIBRATION_POSITIONS), window.spread(CHECKED_POSITIONS));
        let candidate = trainer.export(&calibrated, &checked, history)?;
        if let Some(known) = &candidate.calibration {
            warn_if_slower(generation, known);
        }
        candidate.write(&path)?;
        trained(&run.directory, generation)
    }

    /// Says so where a network cannot play as fast as others, because rounding would change its play.
    fn warn_if_slower(generation: u32, calibration: &Calibration) {
        let Some(far) = calibration.deviation else { return };
        let instead = match (far.is_small(), calibration.trunk_bits) {
            (true, TrunkBits::Seven) => return,
            (true, TrunkBits::Eight) => {
                "activations of 7 bits are too far from f32; this network plays with 8"
            }
            (false, _) => "int8 is too far from f32; this network plays in bf16",
        };
        eprintln!(
            "generation {generation}: {instead} ({} positions: policy KL {:.1e}, value {:.1e})",
            far.positions, far.policy_kl, far.value_error
        );
    }
}

#[cfg(not(feature = "torch"))]
mod without_libtorch {
    use anyhow::bail;

    use super::{Trained, trained};
    use crate::run::{NEEDS_LIBTORCH, Run};

    /// Nothing can be kept from generation to generation where nothing is trained.
    #[derive(Debug)]
    pub(crate) enum Learner {}

    /// Finds a generation's candidate; this build cannot train one.
    ///
    /// # Errors
    /// When it is not there.
    pub(crate) fn ensure(run: &Run, _: &mut Option<Learner>, generation: u32) -> anyhow::Result<Trained> {
        if !run.directory.candidate(generation).exists() {
            bail!(NEEDS_LIBTORCH);
        }
        trained(&run.directory, generation)
    }
}

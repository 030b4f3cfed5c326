//! Learning again from the games of a run, to see what another way of learning makes of them.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use hippolyta_model::{Isa, ModelFile, Network, NetworkEvaluator, Precision};
use hippolyta_search::seed::derive;
use hippolyta_train::{GenerationReport, Prediction, ReplayWindow, StepReport, Trainer, predict};
use serde::Serialize;

use crate::bounds::Bounds;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::history::{History, checked};
use crate::keys;
use crate::learn::{SEED_TRAINING, parsed};
use crate::work::Tools;

/// The positions of a generation on which a network's answers are compared with its games.
const UNSEEN_POSITIONS: usize = 2000;

/// What a generation of a replay came to.
#[derive(Clone, Debug, Serialize)]
pub struct ReplayRow {
    /// The generation.
    pub generation: u32,
    /// Positions so far.
    pub positions: u64,
    /// Mean losses over the generation's steps, by name; empty if it took none.
    pub losses: BTreeMap<&'static str, f64>,
    /// How the network before these steps predicts the generation's games, on the first of its boards.
    pub unseen: Option<Unseen>,
    /// Seconds of training.
    pub seconds: f64,
}

/// Means over positions that a network has not learned from, as [`Prediction`] has them.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Unseen {
    /// Cross-entropy of the searches' improved policies.
    pub policy: f64,
    /// Cross-entropy of the results.
    pub value: f64,
    /// The network's value less the result.
    pub value_bias: f64,
}

impl From<Prediction> for Unseen {
    fn from(found: Prediction) -> Unseen {
        Unseen { policy: found.policy, value: found.value, value_bias: found.value_bias }
    }
}

/// Trains a network from nothing on the games of the run's first `generations` generations, one after another as the
/// run did. Seed, network and training are those of `config`. Nothing is written; `watch` sees each generation.
///
/// # Errors
/// When the run's games cannot be read, the training fails, or it is stopped: a replay does not go on.
pub fn replay(
    tools: &Tools<'_>,
    config: &RunConfig,
    generations: u32,
    watch: &mut dyn FnMut(&ReplayRow),
) -> Result<ModelFile, RunError> {
    let store = tools.store.as_ref();
    let history = History::read(store)?;
    let seed = derive(config.run.seed, &[SEED_TRAINING]);
    let trainer = Trainer::new(&config.train, &config.network, seed, None)?;
    let window = ReplayWindow::new(config.train.window.clone());
    let mut replay = Replay { tools, config, trainer, window };
    for manifest in history.manifests().iter().take(generations as usize) {
        let by = keys::manifest(manifest.generation);
        let mut games = Vec::new();
        for record in &manifest.records {
            games.extend(parsed(store, &record.file.key, &checked(store, &record.file, &by)?)?);
        }
        replay.window.extend(&games);
        watch(&replay.learn(manifest.generation)?);
    }
    let learned = history.generations().min(generations);
    let note = |key: &str, value: u64| (key.to_owned(), value.to_string());
    let notes = [note("replay.generations", learned.into()), note("positions", replay.window.made())];
    Ok(replay.trainer.export(&replay.window, BTreeMap::from(notes))?)
}

struct Replay<'a> {
    tools: &'a Tools<'a>,
    config: &'a RunConfig,
    trainer: Trainer,
    window: ReplayWindow,
}

impl Replay<'_> {
    fn learn(&mut self, generation: u32) -> Result<ReplayRow, RunError> {
        let unseen = self.unseen()?;
        let due = self.config.train.steps_due(self.window.made());
        let task = self.tools.observer.task(&format!("generation {generation} training"), "steps", due);
        let mut watch = |report: &StepReport| {
            task.set(report.step + 1, &|| format!("loss {:.3}", report.losses.total));
            let is_stopped = self.tools.stop.load(std::sync::atomic::Ordering::Relaxed);
            if is_stopped { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let share = Bounds::of(self.config).share(generation);
        let report =
            self.trainer.generation(&self.window, generation - 1, share, &mut watch, &mut |_| Ok(()))?;
        if !report.finished {
            return Err(RunError::ReplayStopped);
        }
        Ok(row(generation, self.window.made(), &report, unseen))
    }

    /// How the network so far predicts the games of the newest generation, which it has not learned from.
    fn unseen(&self) -> Result<Option<Unseen>, RunError> {
        let weights = self.trainer.averaged(&self.trainer.norm_positions(&self.window))?;
        let network = Network::new(&weights, None, Precision::F32, Isa::best(Precision::F32));
        let network = network.map_err(hippolyta_train::TrainError::Network)?;
        let mut evaluator = NetworkEvaluator::new(Arc::new(network));
        let boards = self.window.current_boards();
        let found = boards
            .first()
            .and_then(|board| predict(&mut evaluator, &self.window.newest(*board, UNSEEN_POSITIONS)));
        Ok(found.map(Unseen::from))
    }
}

fn row(generation: u32, positions: u64, report: &GenerationReport, unseen: Option<Unseen>) -> ReplayRow {
    let losses = report.losses.iter().flat_map(hippolyta_train::Losses::named).collect();
    ReplayRow { generation, positions, losses, unseen, seconds: report.seconds }
}

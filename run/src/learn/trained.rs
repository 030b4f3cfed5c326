//! Training with libtorch.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::Arc;

use hippolyta_model::{Calibration, ModelFile, NetworkEvaluator, TrunkBits};
use hippolyta_search::seed::derive;
use hippolyta_selfplay::{GameRecord, parse_records};
use hippolyta_train::{Losses, ReplayWindow, SaveError, StepReport, Trainer, predict};

use crate::bounds::Bounds;
use crate::error::RunError;
use crate::evaluators::native_of;
use crate::history::{checked, foreign, put};
use crate::keys;
use crate::manifest::{FileRef, Learned, Manifest, ModelRef};
use crate::play::Played;
use crate::sealed::{seal, sha256};
use crate::store::{Put, RunStore};
use crate::work::{Run, board_names};

/// Sets the training's seed apart from those of other stages.
pub(crate) const SEED_TRAINING: u64 = u64::from_be_bytes(*b"training");
/// The positions of a board on which a network's answers are compared with games that it has not learned from.
const UNSEEN_POSITIONS: usize = 1000;
/// Checkpoints within a generation that are kept while it is trained.
const KEPT_WITHIN: usize = 2;

/// A training and the games that it draws from, kept from generation to generation.
#[derive(Debug)]
pub(crate) struct Learner {
    trainer: Trainer,
    window: ReplayWindow,
    /// The newest generation whose games are in the window.
    generation: u32,
}

/// Trains on the games up to a generation, and writes the candidate and what the training came to.
pub(crate) fn train(
    run: &Run<'_>,
    learner: &mut Option<Learner>,
    played: &Played,
) -> Result<(Learned, Arc<ModelFile>), RunError> {
    let generation = played.generation;
    let is_next = |learner: &Learner| learner.generation + 1 == generation;
    let learner = match learner.take().filter(is_next) {
        Some(ready) => learner.insert(ready),
        None => learner.insert(Learner::open(run, generation)?),
    };
    learner.window.extend(&played.games);
    learner.generation = generation;
    let mut losses = learner.take_steps(run, generation)?;
    losses.extend(learner.unseen(run, generation)?);
    let steps = learner.trainer.progress().step;
    let checkpoint = learner.trainer.checkpoint();
    let checkpoint = FileRef {
        key: keys::checkpoint(generation, steps),
        size: checkpoint.len() as u64,
        sha256: sha256(&checkpoint),
    };
    let candidate = learner.export(run, generation, &losses)?;
    if let Some(known) = &candidate.calibration {
        warn_if_slower(run, generation, known);
    }
    let file = put(run.store(), &keys::candidate(generation), &candidate.to_bytes())?;
    let candidate_ref = ModelRef { generation, hash: candidate.hash(), file };
    let learned = Learned { generation, steps, losses, checkpoint, candidate: candidate_ref };
    put(run.store(), &keys::learned(generation), &seal(&learned))?;
    Ok((learned, Arc::new(candidate)))
}

impl Learner {
    /// The training before a generation: from the newest checkpoint that can be used, or from the start. Generations
    /// that it lacks are trained again, to the same state.
    fn open(run: &Run<'_>, generation: u32) -> Result<Learner, RunError> {
        let (trainer, trained) = restored(run, generation)?;
        let begins = window_begins(run, trained);
        let (games, positions) =
            run.history.manifest(begins).map_or((0, 0), |manifest| (manifest.games, manifest.positions));
        let window = ReplayWindow::after(run.config.train.window.clone(), games, positions);
        let mut learner = Learner { trainer, window, generation: begins };
        if trained + 1 < generation {
            run.tools.observer.tell(&format!(
                "the newest checkpoint that can be used is of generation {trained}: generations {} to {} are trained again",
                trained + 1,
                generation - 1
            ));
        }
        for manifest in
            run.history.manifests().iter().skip(begins as usize).take_while(|m| m.generation < generation)
        {
            learner.window.extend(&records(run, manifest)?);
            learner.generation = manifest.generation;
            if manifest.generation > trained {
                learner.repeat(run, manifest)?;
            }
        }
        Ok(learner)
    }

    /// Trains a finished generation again.
    fn repeat(&mut self, run: &Run<'_>, manifest: &Manifest) -> Result<(), RunError> {
        self.take_steps(run, manifest.generation)?;
        let before = &manifest.learned.checkpoint;
        if sha256(&self.trainer.checkpoint()) == before.sha256 {
            return Ok(());
        }
        // Devices add up in no fixed order.
        if run.config.train.device == "cpu" {
            return Err(RunError::NotReproduced { path: run.store().path(&before.key) });
        }
        run.tools.observer.tell(&format!("{}: the training came out differently", before.key));
        Ok(())
    }

    /// Takes the steps that are due in a generation, with checkpoints on the way. Gives the mean losses.
    fn take_steps(&mut self, run: &Run<'_>, generation: u32) -> Result<BTreeMap<String, f64>, RunError> {
        let due = run.config.train.steps_due(self.window.made());
        let task = run.tools.observer.task(&format!("generation {generation} training"), "steps", due);
        let mut watch = |report: &StepReport| {
            task.set(report.step + 1, &|| format!("loss {:.3}", report.losses.total));
            if run.is_stopped() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        };
        let share = Bounds::of(&run.config).share(generation);
        let mut save = |trainer: &Trainer| keep(run, trainer).map_err(SaveError::from);
        // The trainer counts the generations that it has finished.
        let report = self.trainer.generation(&self.window, generation - 1, share, &mut watch, &mut save)?;
        if !report.finished {
            return Err(run.interrupted());
        }
        let named = report.losses.iter().flat_map(Losses::named);
        Ok(named.map(|(name, value)| (name.to_owned(), value)).collect())
    }

    fn export(
        &self,
        run: &Run<'_>,
        generation: u32,
        losses: &BTreeMap<String, f64>,
    ) -> Result<ModelFile, RunError> {
        let mut history: BTreeMap<String, String> = BTreeMap::new();
        let mut note = |key: &str, value: String| history.insert(key.to_owned(), value);
        note("generation", generation.to_string());
        note(
            "int8.ranges",
            "the largest and mean activations in f32 over positions spread over the replay window".to_owned(),
        );
        note("seed", run.config.run.seed.to_string());
        note("boards", board_names(&run.config.selfplay.boards.up_to(generation)));
        note("games", self.window.games_made().to_string());
        note("positions", self.window.made().to_string());
        note("steps", self.trainer.progress().step.to_string());
        for (name, value) in losses {
            note(&format!("loss.{name}"), value.to_string());
        }
        Ok(self.trainer.export(&self.window, history)?)
    }

    /// How well the network of the generation before predicts the games of this one, by names of figures: it has not
    /// learned from them.
    fn unseen(&self, run: &Run<'_>, generation: u32) -> Result<Vec<(String, f64)>, RunError> {
        let Some(before) = run.history.manifest(generation - 1) else { return Ok(Vec::new()) };
        let file = run.model(&before.learned.candidate)?;
        let mut evaluator = NetworkEvaluator::new(native_of(&file, file.precision())?);
        let mut figures = Vec::new();
        for board in self.window.current_boards() {
            let samples = self.window.newest(board, UNSEEN_POSITIONS);
            if let Some(found) = predict(&mut evaluator, &samples) {
                let name = |figure: &str| format!("unseen_{board}_{figure}");
                figures.push((name("policy"), found.policy));
                figures.push((name("value"), found.value));
                figures.push((name("value_bias"), found.value_bias));
            }
        }
        Ok(figures)
    }
}

/// A trainer with the newest checkpoint that can be used for a generation, and the generations in it.
fn restored(run: &Run<'_>, generation: u32) -> Result<(Trainer, u32), RunError> {
    let seed = derive(run.config.run.seed, &[SEED_TRAINING]);
    let init = (!run.config.run.init.is_empty()).then(|| run.model(&run.first)).transpose()?;
    let new = || Trainer::new(&run.config.train, &run.config.network, seed, init.as_deref());
    let mut all: Vec<(u32, u64)> = run
        .store()
        .list(keys::CHECKPOINTS)?
        .iter()
        .filter_map(|entry| keys::parse_checkpoint(&entry.key))
        .collect();
    all.sort_unstable();
    for (generations, step) in all.into_iter().rev() {
        let key = keys::checkpoint(generations, step);
        let mut trainer = new()?;
        let tried = if generations > generation {
            Err(format!("it is of a generation after {generation}"))
        } else {
            restore(run, &mut trainer, (generations, step))?
        };
        match tried {
            Ok(()) => return Ok((trainer, generations)),
            Err(why) => {
                let path = run.store().path(&key);
                run.tools.observer.tell(&format!("{} was passed over: {why}", path.display()));
            }
        }
    }
    Ok((new()?, 0))
}

/// Loads a checkpoint, or says why it cannot be used.
fn restore(
    run: &Run<'_>,
    trainer: &mut Trainer,
    (generations, step): (u32, u64),
) -> Result<Result<(), String>, RunError> {
    let key = keys::checkpoint(generations, step);
    let Some(bytes) = run.store().get(&key)? else { return Ok(Err("it is gone".to_owned())) };
    if let Some(manifest) = run.history.manifest(generations) {
        let end = &manifest.learned;
        if step < end.steps || (key == end.checkpoint.key && sha256(&bytes) != end.checkpoint.sha256) {
            let by = keys::manifest(generations);
            return Ok(Err(format!("it is not the checkpoint that {by} names")));
        }
    }
    if let Err(error) = trainer.restore(&bytes) {
        return Ok(Err(error.to_string()));
    }
    let progress = trainer.progress();
    if (progress.generations, progress.step) != (generations, step) {
        let (generations, step) = (progress.generations, progress.step);
        return Ok(Err(format!("it holds the state of generation {generations}, step {step}")));
    }
    Ok(Ok(()))
}

/// The newest generation whose games, like all before, have left the window once generation `trained` is over.
fn window_begins(run: &Run<'_>, trained: u32) -> u32 {
    let trained = trained.min(run.history.generations());
    let Some(last) = run.history.manifest(trained) else { return 0 };
    let wanted = run.config.train.window.positions(last.positions);
    let fills = |manifest: &&Manifest| last.positions - manifest.positions >= wanted;
    let before = run.history.manifests().iter().take(trained as usize).rev().find(fills);
    before.map_or(0, |manifest| manifest.generation)
}

/// The games of a finished generation.
fn records(run: &Run<'_>, manifest: &Manifest) -> Result<Vec<GameRecord>, RunError> {
    let by = keys::manifest(manifest.generation);
    let mut games = Vec::new();
    for record in &manifest.records {
        let bytes = match checked(run.store(), &record.file, &by) {
            Err(RunError::Damaged(damage)) => {
                run.play_again(manifest.generation, &[&damage])?;
                checked(run.store(), &record.file, &by)?
            }
            bytes => bytes?,
        };
        games.extend(parsed(run.store(), &record.file.key, &bytes)?);
    }
    Ok(games)
}

/// The games of a record file's bytes.
pub(crate) fn parsed(store: &dyn RunStore, key: &str, bytes: &[u8]) -> Result<Vec<GameRecord>, RunError> {
    let file = parse_records(bytes, &store.path(key));
    match file.bad.first() {
        Some(bad) => Err(foreign(store, key, &bad.reason.to_string()).into()),
        None => Ok(file.records),
    }
}

/// Keeps the trainer's state. Of a generation that is not over only the newest are kept, and the end of the one before.
fn keep(run: &Run<'_>, trainer: &Trainer) -> Result<(), RunError> {
    let (progress, bytes) = (trainer.progress(), trainer.checkpoint());
    let key = keys::checkpoint(progress.generations, progress.step);
    if run.store().put_new(&key, &bytes)? == Put::Exists
        && run.store().get(&key)?.as_deref() != Some(bytes.as_slice())
    {
        // One that could not be used.
        run.store().remove(&key)?;
        put(run.store(), &key, &bytes)?;
    }
    let all = run.store().list(keys::CHECKPOINTS)?;
    let mut within: Vec<u64> = all
        .iter()
        .filter_map(|entry| keys::parse_checkpoint(&entry.key))
        .filter_map(|(generations, step)| (generations == progress.generations).then_some(step))
        .collect();
    within.sort_unstable();
    let old = within.len().saturating_sub(KEPT_WITHIN);
    // The first is the end of the generation before.
    for step in within.iter().take(old).skip(1) {
        run.store().remove(&keys::checkpoint(progress.generations, *step))?;
    }
    Ok(())
}

/// Removes the checkpoints that nothing needs once a generation is over: all but its own and that of the one before.
pub(crate) fn prune(run: &Run<'_>) -> Result<(), RunError> {
    let newest = run.history.manifests().iter().rev().take(2);
    let kept: Vec<&str> = newest.map(|manifest| manifest.learned.checkpoint.key.as_str()).collect();
    for entry in run.store().list(keys::CHECKPOINTS)? {
        let known = keys::parse_checkpoint(&entry.key);
        let is_newer = known.is_some_and(|(generations, _)| generations > run.history.generations());
        if known.is_some() && !is_newer && !kept.contains(&entry.key.as_str()) {
            run.store().remove(&entry.key)?;
        }
    }
    Ok(())
}

/// Says so where a network cannot play as fast as others, because rounding would change its play.
fn warn_if_slower(run: &Run<'_>, generation: u32, calibration: &Calibration) {
    let Some(far) = calibration.deviation else { return };
    let instead = match (far.is_small(), calibration.trunk_bits) {
        (true, TrunkBits::Seven) => return,
        (true, TrunkBits::Eight) => "activations of 7 bits are too far from f32; this network plays with 8",
        (false, _) => "int8 is too far from f32; this network plays in bf16",
    };
    run.tools.observer.tell(&format!(
        "generation {generation}: {instead} ({} positions: policy KL {:.1e}, value {:.1e})",
        far.positions, far.policy_kl, far.value_error
    ));
}

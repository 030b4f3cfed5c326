//! The loop over generations, and the stages of one.

use std::sync::Arc;

use hippolyta_eval::GateReport;

use crate::bounds::Bounds;
use crate::config::RunConfig;
use crate::error::RunError;
use crate::finish::finish;
use crate::gate::gate;
use crate::history::{History, put};
use crate::keys;
use crate::learn::{self, learn, prune};
use crate::manifest::{FORMAT, Gated, Learned, Manifest, ModelRef, Rated};
use crate::play::{self, Played, play};
use crate::rating::{RatingReport, rate};
use crate::row::{self, Row};
use crate::sealed::{seal, sha256};
use crate::store::RunStore;
use crate::tensorboard;
use crate::timing::{Clock, Timing, timed};
use crate::work::Run;

/// Runs generations until the bounds are reached, and ends the run. A generation whose games are all played is finished
/// whatever the bounds.
///
/// # Errors
/// When a stage fails, or the stop flag is set.
pub fn train(run: &mut Run<'_>, bounds: Bounds) -> Result<(), RunError> {
    let clock = Clock::start(Arc::clone(&run.tools.store))?;
    let (mut learner, mut more) = (None, goes_on(run, bounds, clock.seconds())?);
    while more {
        let mut timing = Timing::of(run.generation());
        let played = timed(&mut timing.selfplay, || play(run))?;
        let learned = timed(&mut timing.learn, || learn(run, &mut learner, &played))?;
        let row = close(run, &played, learned, timing)?;
        if run.is_stopped() {
            run.tools.observer.finished(&row);
            return Err(run.interrupted());
        }
        more = goes_on(run, bounds, clock.seconds())?;
        // The end gives the last generation its row.
        if more {
            run.tools.observer.finished(&row);
        }
    }
    finish(run)
}

/// Whether another generation is to be made.
fn goes_on(run: &Run<'_>, bounds: Bounds, seconds: f64) -> Result<bool, RunError> {
    let mut timings = Timing::read(run.store())?;
    // A killed process may have timed a generation whose manifest it did not write.
    timings.retain(|timing| timing.generation < run.generation());
    let is_over = bounds.are_reached(run.generation(), seconds) || !bounds.has_time_for(seconds, &timings);
    Ok(!is_over || run.due()? != Stage::Selfplay)
}

/// Decides the gate of a generation, rates its champion, and writes its manifest: after that it is over.
fn close(run: &mut Run<'_>, played: &Played, learned: Learned, mut timing: Timing) -> Result<Row, RunError> {
    let (gated, gate_report) = timed(&mut timing.gate, || gate(run, &learned))?;
    let (rated, rating_report) =
        timed(&mut timing.rating, || rate(run, &gated.champion, gate_report.as_ref()))?;
    let made = Made { learned, gated, rated };
    let mut timings = Timing::read(run.store())?;
    timings.retain(|before| before.generation < timing.generation);
    timings.push(timing);
    Timing::write(run.store(), &timings)?;
    made.write_down(run, played, gate_report, rating_report)?;
    row::write(run.store(), &run.history)?;
    prune(run)?;
    let row = Row::of(run.history.last().expect("one was just added"), None);
    tensorboard::write(run, &row, &timing);
    Ok(row)
}

/// What a generation made besides its games.
struct Made {
    learned: Learned,
    gated: Gated,
    rated: Rated,
}

impl Made {
    fn write_down(
        self,
        run: &mut Run<'_>,
        played: &Played,
        gate: Option<GateReport>,
        rating: Option<RatingReport>,
    ) -> Result<(), RunError> {
        let (games, positions) =
            run.history.last().map_or((0, 0), |manifest| (manifest.games, manifest.positions));
        let manifest = Manifest {
            format: FORMAT,
            generation: played.generation,
            config: run.config_hash.clone(),
            previous: run.history.newest().map(str::to_owned),
            player: played.player.clone(),
            stats: played.stats,
            games: games + played.stats.games,
            positions: positions + played.stats.positions,
            records: played.records.clone(),
            learned: self.learned,
            gated: self.gated,
            rated: self.rated,
        };
        let bytes = seal(&manifest);
        put(run.store(), &keys::manifest(played.generation), &bytes)?;
        run.history.add(manifest, sha256(&bytes), gate, rating);
        Ok(())
    }
}

/// A stage of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The games.
    Selfplay,
    /// The training.
    Learn,
    /// Gate, rating, and the generation's manifest.
    Gate,
}

impl Stage {
    /// The command that does the stage by itself.
    pub fn command(self) -> &'static str {
        match self {
            Stage::Selfplay => "selfplay",
            Stage::Learn => "learn",
            Stage::Gate => "gate",
        }
    }
}

/// The first stage that is not done of the generation that a run is in.
///
/// # Errors
/// When the store cannot be read.
pub fn stage_due(store: &dyn RunStore, config: &RunConfig, history: &History) -> Result<Stage, RunError> {
    let generation = history.generations() + 1;
    if learn::found(store, generation)?.is_some() {
        return Ok(Stage::Gate);
    }
    let champion: Option<&ModelRef> = history.last().map(|manifest| &manifest.gated.champion);
    let is_played = match champion {
        Some(champion) => play::is_done(store, config, generation, champion)?,
        // Only one network plays the first generation.
        None => store.list(&format!("{}{}/", keys::GAMES, keys::name_of(1)))?.len() >= play::files_of(config),
    };
    Ok(if is_played { Stage::Learn } else { Stage::Selfplay })
}

impl Run<'_> {
    /// The stage that is due.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn due(&self) -> Result<Stage, RunError> {
        stage_due(self.store(), &self.config, &self.history)
    }

    /// Does one stage of the run's generation by itself. After the last generation that the configuration plans, the
    /// gate ends the run.
    ///
    /// # Errors
    /// When the run waits for another stage, or the stage fails.
    pub fn one_stage(&mut self, stage: Stage) -> Result<StageDone, RunError> {
        let (generation, due) = (self.generation(), self.due()?);
        if due != stage {
            return Err(RunError::Waits { generation, command: due.command(), run: self.store().path("") });
        }
        let _counting = Clock::start(Arc::clone(&self.tools.store))?;
        let played = play(self)?;
        if stage == Stage::Selfplay {
            return Ok(StageDone::Played(played));
        }
        let learned = learn(self, &mut None, &played)?;
        if stage == Stage::Learn {
            return Ok(StageDone::Learned(learned));
        }
        let row = close(self, &played, learned, Timing::of(generation))?;
        if Bounds::of(&self.config).generations.is_some_and(|all| generation >= all) {
            finish(self)?;
        } else {
            self.tools.observer.finished(&row);
        }
        Ok(StageDone::Closed)
    }
}

/// What came of a stage by itself.
#[derive(Clone, Debug)]
pub enum StageDone {
    /// The games.
    Played(Played),
    /// The training.
    Learned(Learned),
    /// The generation is over; the observer heard its row.
    Closed,
}

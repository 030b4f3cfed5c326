//! The loop over generations, and the stages of one.

use std::time::Instant;

use anyhow::{Context as _, bail};

use crate::interrupt;
use crate::output;
use crate::run::bounds::Bounds;
use crate::run::clock::{Clock, Timing};
use crate::run::learn;
use crate::run::metrics::Row;
#[cfg(feature = "torch")]
use crate::run::tensorboard::Scalars;
use crate::run::{Run, gate, rating, selfplay};

/// A stage of a generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stage {
    Selfplay,
    Learn,
    /// Gate, rating, and the generation's row.
    Gate,
}

impl Stage {
    /// The command that does the stage by itself.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Stage::Selfplay => "selfplay",
            Stage::Learn => "learn",
            Stage::Gate => "gate",
        }
    }
}

/// The generation that a run is in, and the first stage of it that is not done.
///
/// # Errors
/// When the run directory cannot be read.
pub(crate) fn stage_due(run: &Run) -> anyhow::Result<(u32, Stage)> {
    let generation = next_generation(&Row::read_all(&run.directory)?)?;
    let stage = if run.directory.candidate(generation).exists() {
        Stage::Gate
    } else if selfplay::is_done(run, generation)? {
        Stage::Learn
    } else {
        Stage::Selfplay
    };
    Ok((generation, stage))
}

fn next_generation(rows: &[Row]) -> anyhow::Result<u32> {
    u32::try_from(rows.len() + 1).context("more generations than can be counted")
}

/// Does one stage of the run's generation by itself.
///
/// # Errors
/// When the run waits for another stage, or the stage fails.
pub(crate) fn one_stage(run: &Run, stage: Stage) -> anyhow::Result<String> {
    let (generation, due) = stage_due(run)?;
    if due != stage {
        let (root, command) = (run.directory.root().display(), due.command());
        bail!("generation {generation} waits for {command}: 'hippolyta {command} --run {root}'");
    }
    let _counting = Clock::start(&run.directory)?;
    let bounds = run.config.bounds();
    match stage {
        Stage::Selfplay => {
            let stats = selfplay::ensure(run, generation)?;
            Ok(format!("generation {generation}: {} games, {} positions", stats.games, stats.positions))
        }
        Stage::Learn => {
            let trained = learn::ensure(run, &mut None, generation)?;
            Ok(format!("generation {generation}: trained up to step {}", trained.steps))
        }
        Stage::Gate => {
            let is_last = bounds.generations.is_some_and(|all| generation >= all);
            let row = Book::open(run)?.close(Timing::of(generation), |_, _| is_last)?;
            Ok(format!("{}\n{}", Row::headings(), row.line()))
        }
    }
}

/// Runs generations until the bounds are reached.
///
/// # Errors
/// When a stage fails; [`interrupt::Interrupted`] if the person stops it.
pub(crate) fn train(run: &Run, bounds: Bounds) -> anyhow::Result<()> {
    let clock = Clock::start(&run.directory)?;
    let mut book = Book::open(run)?;
    let mut learner = None;
    // What the end of the generation before found; a process that comes to a run looks at the clock instead.
    let mut is_last = None;
    output::text(&Row::headings())?;
    loop {
        let generation = next_generation(&book.rows)?;
        let seconds = clock.seconds();
        let began = stage_due(run)?.1 != Stage::Selfplay;
        let fits = began || bounds.has_time_for(seconds, &book.timings);
        if bounds.are_reached(generation, seconds) || is_last.unwrap_or(!fits) {
            return Ok(());
        }
        let mut timing = Timing::of(generation);
        timed(&mut timing.selfplay, || selfplay::ensure(run, generation))?;
        timed(&mut timing.learn, || learn::ensure(run, &mut learner, generation))?;
        let row = book.close(timing, |timing, timings| {
            let known: Vec<Timing> = timings.iter().copied().chain([*timing]).collect();
            *is_last.insert(bounds.is_last(generation, clock.seconds(), &known))
        })?;
        output::text(&row.line())?;
        if interrupt::asked() {
            return Err(run.interrupted());
        }
    }
}

/// What is written down of a run's generations.
struct Book<'a> {
    run: &'a Run,
    rows: Vec<Row>,
    timings: Vec<Timing>,
    #[cfg(feature = "torch")]
    scalars: Scalars,
}

impl<'a> Book<'a> {
    fn open(run: &'a Run) -> anyhow::Result<Book<'a>> {
        let rows = Row::read_all(&run.directory)?;
        let mut timings = Timing::read(&run.directory);
        // A killed process may have timed a generation whose row it did not write.
        timings.retain(|timing| timing.generation as usize <= rows.len());
        Ok(Book {
            run,
            rows,
            timings,
            #[cfg(feature = "torch")]
            scalars: Scalars::default(),
        })
    }

    /// Gates and rates the network of the generation that `timing` is of, and writes the generation's row: after
    /// that it is over. `is_last` is asked once, before the gate, with the timings of the generations before.
    fn close(
        &mut self,
        mut timing: Timing,
        is_last: impl FnOnce(&Timing, &[Timing]) -> bool,
    ) -> anyhow::Result<Row> {
        let run = self.run;
        let (directory, generation) = (&run.directory, timing.generation);
        // The figures follow from the records.
        let stats = selfplay::ensure(run, generation)?;
        let trained = learn::trained(directory, generation)?;
        let is_last = is_last(&timing, &self.timings);
        let decision = timed(&mut timing.gate, || gate::ensure(run, generation, is_last))?;
        let champion = decision.champion;
        let report = timed(&mut timing.rating, || rating::ensure(run, generation, champion, is_last))?;
        let rated = rating::rate(directory, generation, champion)?;
        let before = self.rows.last();
        let row = Row {
            generation,
            games: before.map_or(0, |row| row.games) + stats.games,
            positions: before.map_or(0, |row| row.positions) + stats.positions,
            steps: trained.steps,
            losses: trained.losses,
            gate: decision.outcome,
            gate_score: decision.match_score.map(|(score, _)| score),
            gate_games: decision.match_score.map_or(0, |(_, games)| games),
            champion,
            scores: report.map(|report| report.scores()).unwrap_or_default(),
            rating: rated.map(|rating| rating.elo),
            rating_interval: rated.map(|rating| rating.interval),
        };
        timing.append(directory)?;
        self.timings.push(timing);
        #[cfg(feature = "torch")]
        self.scalars.write(directory, &row, &stats, &timing);
        self.rows.push(row.clone());
        Row::write_all(&self.rows, directory)?;
        Ok(row)
    }
}

/// Does `work` and notes how many seconds it took.
fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let started = Instant::now();
    let result = work()?;
    *seconds = started.elapsed().as_secs_f64();
    Ok(result)
}

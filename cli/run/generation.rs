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
use crate::run::{Run, gate, rating, selfplay, standings};

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
    let rows = Row::read_all(&run.directory)?;
    if let Some(row) = rows.last().filter(|row| is_being_ended(run, row)) {
        return Ok((row.generation, Stage::Gate));
    }
    let generation = next_generation(&rows)?;
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

/// Whether a process was killed while it gave the run's last row what a last generation has: there are reports that the
/// row does not know of.
fn is_being_ended(run: &Run, row: &Row) -> bool {
    let (directory, generation) = (&run.directory, row.generation);
    (!row.is_gated() && directory.gate(generation).exists())
        || (!row.is_rated() && directory.rating(generation).exists())
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
    let bounds = Bounds::of(&run.config);
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
            let mut book = Book::open(run)?;
            let is_last = bounds.generations.is_some_and(|all| generation >= all);
            let row = match book.resume_end()? {
                Some(row) => row,
                None => book.close(Timing::of(generation), |_, _| is_last)?,
            };
            Ok(format!("{}\n{}", Row::headings(), row.line()))
        }
    }
}

/// Runs generations until the bounds are reached, and sees to it that the last one is gated and rated. A generation
/// whose games are all played is finished whatever the bounds.
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
    if let Some(row) = book.resume_end()? {
        output::text(&row.line())?;
    }
    loop {
        let (generation, due) = stage_due(run)?;
        let seconds = clock.seconds();
        let fits = bounds.has_time_for(seconds, &book.timings);
        let is_over = bounds.are_reached(generation, seconds) || is_last.unwrap_or(!fits);
        if is_over && due == Stage::Selfplay {
            if let Some(row) = book.end()? {
                output::text(&row.line())?;
            }
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

    /// Gates and rates the last generation if that was not done, because nobody knew that it would be the last: a run
    /// that was stopped goes on with less time, or with other bounds. The run is then what it would be had that been
    /// known. Gives the row if it is another now.
    fn end(&mut self) -> anyhow::Result<Option<Row>> {
        let Some(row) = self.rows.last() else { return Ok(None) };
        if row.is_gated() && row.is_rated() {
            return Ok(None);
        }
        let generation = row.generation;
        let timing = self.timings.iter().copied().rfind(|timing| timing.generation == generation);
        self.close(timing.unwrap_or(Timing::of(generation)), |_, _| true).map(Some)
    }

    /// [`Book::end`] where a killed process had begun with it: what rests on its reports has to follow, whatever the
    /// bounds are now.
    fn resume_end(&mut self) -> anyhow::Result<Option<Row>> {
        if self.rows.last().is_some_and(|row| is_being_ended(self.run, row)) { self.end() } else { Ok(None) }
    }

    /// Gates and rates the network of the generation that `timing` is of, and writes the generation's row, or writes
    /// it anew: after that it is over. `is_last` is asked once, before the gate, with this generation's timing so far
    /// and those of the generations before.
    fn close(
        &mut self,
        mut timing: Timing,
        is_last: impl FnOnce(&Timing, &[Timing]) -> bool,
    ) -> anyhow::Result<Row> {
        let run = self.run;
        let (directory, generation) = (&run.directory, timing.generation);
        self.rows.retain(|row| row.generation < generation);
        self.timings.retain(|before| before.generation < generation);
        // The figures follow from the records.
        let stats = selfplay::ensure(run, generation)?;
        let trained = learn::trained(directory, generation)?;
        let is_last = is_last(&timing, &self.timings);
        let decision = timed(&mut timing.gate, || gate::ensure(run, generation, is_last))?;
        let champion = decision.champion;
        let report = timed(&mut timing.rating, || rating::ensure(run, generation, champion, is_last))?;
        let rated = standings::rate(directory, &run.config.selfplay.boards, generation, champion)?;
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

/// Does `work` and adds the seconds that it took.
fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> anyhow::Result<T>) -> anyhow::Result<T> {
    let started = Instant::now();
    let result = work()?;
    *seconds += started.elapsed().as_secs_f64();
    Ok(result)
}

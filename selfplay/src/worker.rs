//! A worker: many games in lockstep, one evaluator call a step for all of them.

use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

use hippolyta_game::TerritoryCounter;
use hippolyta_search::{Evaluation, Evaluator, Query, Search};

use crate::chunks::Chunks;
use crate::game::{Event, Game, PlyCost};
use crate::generation::{Generation, SelfplayError};
use crate::stats::Progress;

/// What the workers of a generation share.
pub(crate) struct Shared<'a> {
    job: &'a Generation<'a>,
    /// The games to play, in order, and how many of them were begun.
    queue: Vec<u32>,
    begun: AtomicUsize,
    chunks: Mutex<Chunks<'a>>,
    counts: Mutex<Progress>,
    progress: &'a (dyn Fn(&Progress) + Sync),
    /// Set when a worker fails: the others need not go on.
    failed: AtomicBool,
    fault: Mutex<Option<SelfplayError>>,
}

impl fmt::Debug for Shared<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Shared").field("counts", &self.counts).finish_non_exhaustive()
    }
}

/// A game and its search; the search outlives the game and keeps its memory.
#[derive(Debug)]
struct Table<'a> {
    number: u32,
    game: Game<'a>,
    search: Search,
}

impl<'a> Shared<'a> {
    pub(crate) fn new(
        job: &'a Generation<'a>,
        chunks: Chunks<'a>,
        queue: Vec<u32>,
        progress: &'a (dyn Fn(&Progress) + Sync),
    ) -> Shared<'a> {
        let found = chunks.totals();
        let counts = Progress {
            all_games: job.config.games.into(),
            games: found.games,
            positions: found.positions,
            plies: found.plies,
            evaluations: found.evaluations,
            visits: found.visits,
        };
        progress(&counts);
        Shared {
            job,
            queue,
            begun: AtomicUsize::new(0),
            chunks: Mutex::new(chunks),
            counts: Mutex::new(counts),
            progress,
            failed: AtomicBool::new(false),
            fault: Mutex::new(None),
        }
    }

    /// The files, and what went wrong.
    pub(crate) fn finish(self) -> (Chunks<'a>, Option<SelfplayError>) {
        let chunks = self.chunks.into_inner().unwrap_or_else(PoisonError::into_inner);
        let fault = self.fault.into_inner().unwrap_or_else(PoisonError::into_inner);
        (chunks, fault)
    }

    fn next_game(&self) -> Option<u32> {
        self.queue.get(self.begun.fetch_add(1, Ordering::Relaxed)).copied()
    }

    /// Games that one worker plays at a time: as many as it may, but so that every worker gets some.
    fn tables(&self) -> usize {
        let share = self.queue.len().div_ceil(self.job.threads.max(1));
        share.min(self.job.config.games_in_flight as usize)
    }

    fn must_stop(&self) -> bool {
        self.job.stop.load(Ordering::Relaxed) || self.failed.load(Ordering::Relaxed)
    }

    fn count(&self, cost: PlyCost, is_over: bool) {
        let mut counts = self.counts.lock().expect("counting does not panic");
        counts.games += u64::from(is_over);
        counts.positions += u64::from(cost.full);
        counts.plies += 1;
        counts.evaluations += u64::from(cost.evaluations);
        counts.visits += u64::from(cost.visits);
        let now = *counts;
        drop(counts);
        (self.progress)(&now);
    }
}

impl Shared<'_> {
    /// Takes a finished game, and writes its file when it was the last one missing.
    fn deliver(&self, number: u32, game: &mut Game<'_>) -> Result<(), SelfplayError> {
        let job = self.job;
        let record = game.finish(job.generation, number, job.model);
        let full = self.chunks.lock().expect("taking a game does not panic").add(record);
        if let Some(full) = full {
            full.write(job)?;
            self.chunks.lock().expect("taking a game does not panic").written(full);
        }
        Ok(())
    }

    fn fail(&self, error: SelfplayError) {
        self.failed.store(true, Ordering::Relaxed);
        self.fault.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
    }
}

fn new_game<'a>(job: &Generation<'a>, number: u32, search: &mut Search) -> Game<'a> {
    Game::new(job.config, job.generation, job.game_seed(number), search)
}

impl<'a> Table<'a> {
    fn new(job: &Generation<'a>, number: u32, mut search: Search) -> Table<'a> {
        let game = new_game(job, number, &mut search);
        Table { number, game, search }
    }

    /// Plays until the game waits for an evaluation, and goes on with the next game when one is over. `false` when
    /// there is no next game.
    fn advance(
        &mut self,
        shared: &Shared<'a>,
        territory: &mut TerritoryCounter,
    ) -> Result<bool, SelfplayError> {
        while !shared.must_stop() {
            let Event::Played(cost) = self.game.step(&mut self.search, territory) else { break };
            let is_over = self.game.winner().is_some();
            if is_over {
                shared.deliver(self.number, &mut self.game)?;
            }
            shared.count(cost, is_over);
            if is_over {
                let Some(number) = shared.next_game() else { return Ok(false) };
                self.number = number;
                self.game = new_game(shared.job, number, &mut self.search);
            }
        }
        Ok(true)
    }
}

/// Tells the other workers to stop when this one panics; the scope passes the panic on.
struct StopOnPanic<'a>(&'a AtomicBool);

impl Drop for StopOnPanic<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            self.0.store(true, Ordering::Relaxed);
        }
    }
}

/// Plays games from the queue until there are none, or the work must stop.
pub(crate) fn work(shared: &Shared<'_>, make_evaluator: impl FnOnce() -> Box<dyn Evaluator + Send>) {
    let _guard = StopOnPanic(&shared.failed);
    if let Err(error) = play(shared, make_evaluator().as_mut()) {
        shared.fail(error);
    }
}

fn play(shared: &Shared<'_>, evaluator: &mut dyn Evaluator) -> Result<(), SelfplayError> {
    let mut tables = Vec::new();
    while tables.len() < shared.tables() {
        let Some(number) = shared.next_game() else { break };
        tables.push(Table::new(shared.job, number, Search::new(shared.job.search.clone())?));
    }
    let mut territory = TerritoryCounter::default();
    let mut answers = Vec::new();
    while !tables.is_empty() && !shared.must_stop() {
        let mut index = 0;
        while index < tables.len() {
            if tables[index].advance(shared, &mut territory)? {
                index += 1;
            } else {
                tables.swap_remove(index);
            }
        }
        evaluate(&mut tables, evaluator, &mut answers);
    }
    Ok(())
}

/// One call of the evaluator for all tables that wait for an answer.
fn evaluate(tables: &mut [Table<'_>], evaluator: &mut dyn Evaluator, answers: &mut Vec<Evaluation>) {
    let queries: Vec<Query<'_>> = tables.iter().filter_map(|table| table.search.query()).collect();
    let waiting = queries.len();
    if waiting == 0 {
        return;
    }
    if answers.len() < waiting {
        answers.resize_with(waiting, Evaluation::default);
    }
    evaluator.evaluate(&queries, &mut answers[..waiting]);
    let mut answered = answers.iter();
    for table in tables.iter_mut().filter(|table| table.search.query().is_some()) {
        table.search.apply(answered.next().expect("each query has an answer"));
    }
}

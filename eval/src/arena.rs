//! A match between two players, in pairs of games over several threads.
//!
//! Threads take pairs as they become free, but pairs are counted in their order, and what a test says after
//! one pair discards all later ones. Seeds belong to games. So the result depends on the match's seed alone,
//! not on the number of threads or their timing, as long as no player looks at a clock.

pub use crate::contestant::{Contestant, GameRules, MakePlayer, MatchError};
use crate::game::{PlayedGame, Seat, play_game};
use crate::openings::Opening;
use crate::pairs::{PairCounts, PairOutcome};
use crate::sprt::{Sprt, SprtReport, SprtVerdict};
use hippolyta_search::seed::derive;
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Everything that makes a match.
#[derive(Clone, Copy, Debug)]
pub struct Match<'a> {
    /// A, whose score is counted.
    pub a: Contestant<'a>,
    /// B, its opponent.
    pub b: Contestant<'a>,
    /// One pair is played from each, A having White in the first game.
    pub openings: &'a [Opening],
    /// Pairs at the beginning that were played before: they are skipped, and not counted.
    pub skip: usize,
    /// How games are played.
    pub rules: GameRules,
    /// The match ends when this test has a verdict.
    pub sprt: Option<Sprt>,
    /// Seeds the players of every game.
    pub seed: u64,
    /// Games at a time, at least one.
    pub threads: usize,
}

/// The running score of a match.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MatchScore {
    /// Pairs counted so far, seen from A.
    pub counts: PairCounts,
    /// Pairs that will be played unless the test ends the match.
    pub planned: usize,
    /// What the test says, if there is one.
    pub sprt: Option<SprtReport>,
    /// Games that A and B forfeited.
    pub forfeits: [u64; 2],
}

/// What came of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct MatchResult {
    /// The final score.
    pub score: MatchScore,
    /// The games that count, two a pair, in order.
    pub games: Vec<PlayedGame>,
    /// Whether the match was interrupted before its end.
    pub interrupted: bool,
}

/// A match in the form that programs read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatchReport {
    /// A's name.
    pub a: String,
    /// B's name.
    pub b: String,
    /// The board's side in squares.
    pub size: u8,
    /// Games that count.
    pub games: u64,
    /// Games that A won.
    pub wins_a: u64,
    /// Games that B won.
    pub wins_b: u64,
    /// Pairs that A lost, split and won.
    pub pairs: PairCounts,
    /// A's share of the games.
    pub score_a: f64,
    /// How much stronger A is.
    pub elo: f64,
    /// 95 % interval of `elo`.
    pub elo_interval: [f64; 2],
    /// The test, if there is one.
    pub sprt: Option<SprtReport>,
    /// Games that A forfeited.
    pub forfeits_a: u64,
    /// Games that B forfeited.
    pub forfeits_b: u64,
}

impl MatchReport {
    /// Reports a match between `a` and `b` on a board with sides of `size` squares.
    pub fn new(a: &str, b: &str, size: u8, score: &MatchScore) -> Self {
        let counts = score.counts;
        Self {
            a: a.to_owned(),
            b: b.to_owned(),
            size,
            games: counts.games(),
            wins_a: counts.wins(),
            wins_b: counts.reversed().wins(),
            pairs: counts,
            score_a: counts.score(),
            elo: counts.elo(),
            elo_interval: counts.elo_interval(),
            sprt: score.sprt,
            forfeits_a: score.forfeits[0],
            forfeits_b: score.forfeits[1],
        }
    }
}

/// What the threads of a match share.
struct SharedMatch<'m, 'p> {
    setup: &'m Match<'m>,
    interrupted: &'m (dyn Fn() -> bool + Sync),
    /// The next pair that no thread has taken.
    next: AtomicUsize,
    /// Set once nothing that is still being played can count.
    over: AtomicBool,
    ledger: Mutex<Ledger<'p>>,
}

/// The pairs that were played, counted in order.
struct Ledger<'p> {
    /// The next pair to count.
    next: usize,
    /// Pairs that finished before an earlier one did.
    early: BTreeMap<usize, [PlayedGame; 2]>,
    score: MatchScore,
    games: Vec<PlayedGame>,
    failure: Option<MatchError>,
    progress: &'p mut (dyn FnMut(&MatchScore) + Send),
}

/// Plays a match. `progress` hears the running score after each pair, in order; `interrupted` is asked before
/// each move, and once it says so the match ends with the pairs counted so far.
///
/// A player that makes an illegal move or fails forfeits the game and is made anew for the next one; that is
/// counted and does not end the match.
///
/// # Errors
/// When a player cannot be made at the start.
///
/// # Panics
/// When a player panics, or there are fewer openings than are skipped.
pub fn play_match(
    setup: &Match<'_>,
    interrupted: &(dyn Fn() -> bool + Sync),
    progress: &mut (dyn FnMut(&MatchScore) + Send),
) -> Result<MatchResult, MatchError> {
    let sprt = setup.sprt.map(|sprt| sprt.report(PairCounts::default()));
    let score = MatchScore {
        counts: PairCounts::default(),
        planned: setup.openings.len() - setup.skip,
        sprt,
        forfeits: [0, 0],
    };
    let ledger = Ledger {
        next: setup.skip,
        early: BTreeMap::new(),
        score,
        games: Vec::new(),
        failure: None,
        progress,
    };
    let table = SharedMatch {
        setup,
        interrupted,
        next: AtomicUsize::new(setup.skip),
        over: AtomicBool::new(false),
        ledger: Mutex::new(ledger),
    };
    thread::scope(|scope| {
        for _ in 0..setup.threads.clamp(1, (setup.openings.len() - setup.skip).max(1)) {
            scope.spawn(|| table.work());
        }
    });
    let ledger = table.ledger.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(failure) = ledger.failure {
        return Err(failure);
    }
    let decided = ledger.score.sprt.is_some_and(|sprt| sprt.verdict != SprtVerdict::Open);
    let interrupted = ledger.next < setup.openings.len() && !decided;
    Ok(MatchResult { score: ledger.score, games: ledger.games, interrupted })
}

impl SharedMatch<'_, '_> {
    /// What one thread does: takes pairs until none is left or the match is over.
    fn work(&self) {
        let mut seats = match [self.setup.a, self.setup.b].map(Seat::take) {
            [Ok(a), Ok(b)] => [a, b],
            [Err(failure), _] | [_, Err(failure)] => return self.fail(failure),
        };
        loop {
            let pair = self.next.fetch_add(1, Ordering::Relaxed);
            if pair >= self.setup.openings.len() {
                return;
            }
            let Some(games) = self.play_pair(pair, &mut seats) else { return };
            self.count(pair, games);
        }
    }

    /// Both games of a pair; `None` when the match ended meanwhile.
    fn play_pair(&self, pair: usize, seats: &mut [Seat<'_>; 2]) -> Option<[PlayedGame; 2]> {
        let Match { openings, rules, seed, .. } = *self.setup;
        let abandoned = || self.over.load(Ordering::Relaxed) || (self.interrupted)();
        let seed_of = |game: u64| derive(seed, &[pair as u64, game]);
        let first = play_game(&openings[pair], pair, seats, 0, rules, seed_of(0), &abandoned)?;
        let second = play_game(&openings[pair], pair, seats, 1, rules, seed_of(1), &abandoned)?;
        Some([first, second])
    }

    /// Enters a pair and counts all pairs that follow without a gap.
    fn count(&self, pair: usize, games: [PlayedGame; 2]) {
        let mut ledger = self.ledger.lock().unwrap_or_else(PoisonError::into_inner);
        ledger.early.insert(pair, games);
        while !self.over.load(Ordering::Relaxed) {
            let next = ledger.next;
            let Some(games) = ledger.early.remove(&next) else { break };
            ledger.count(games, self.setup.sprt);
            if ledger.score.sprt.is_some_and(|sprt| sprt.verdict != SprtVerdict::Open) {
                self.over.store(true, Ordering::Relaxed);
            }
        }
    }

    fn fail(&self, failure: MatchError) {
        self.over.store(true, Ordering::Relaxed);
        self.ledger.lock().unwrap_or_else(PoisonError::into_inner).failure.get_or_insert(failure);
    }
}

impl Ledger<'_> {
    fn count(&mut self, games: [PlayedGame; 2], sprt: Option<Sprt>) {
        self.next += 1;
        let [first, second] = games.each_ref().map(PlayedGame::a_won);
        self.score.counts.add(PairOutcome::of(first, second));
        for game in &games {
            if let Some(forfeit) = &game.forfeit {
                self.score.forfeits[forfeit.contestant] += 1;
            }
        }
        self.score.sprt = sprt.map(|sprt| sprt.report(self.score.counts));
        self.games.extend(games);
        (self.progress)(&self.score);
    }
}

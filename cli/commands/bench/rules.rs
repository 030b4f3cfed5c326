//! The speed of the rules and of the players without a network.

use std::hint::black_box;
use std::time::{Duration, Instant};

use hippolyta_game::{Board, TerritoryCounter, perft};
use hippolyta_play::{ClassicalPlayer, Limits, Player as _};
use serde::Serialize;

use super::games::quick_games;
use super::positions::undecided;
use super::turns::{ROUNDS, median, rate};
use crate::values::start;

/// Games whose every ply is asked for a verdict.
const VERDICT_GAMES: u32 = 100;
/// Positions that the classical player thinks about, and how long about each.
const CLASSICAL_POSITIONS: usize = 4;
const CLASSICAL_TIME: Duration = Duration::from_millis(400);

#[derive(Debug, Serialize)]
pub(super) struct Speeds {
    /// Milliseconds for all sequences of two moves from the start.
    pub(super) perft2_ms: f64,
    /// Legal moves put into lists.
    pub(super) moves_per_s: f64,
    /// Microseconds of a territory verdict, over the plies of a hundred games of self-play.
    pub(super) verdict_median_us: f64,
    pub(super) verdict_p99_us: f64,
    /// Evaluations a second of the classical player.
    pub(super) classical_nodes_per_s: f64,
    /// The depth that it reached, a mean over the positions.
    pub(super) classical_depth: f64,
    /// Seconds that it had for each.
    pub(super) classical_seconds: f64,
}

pub(super) fn measure(board: Board, threads: usize) -> anyhow::Result<Speeds> {
    let [verdict_median_us, verdict_p99_us] = verdicts(board, threads)?;
    let (classical_nodes_per_s, classical_depth) = classical(board)?;
    Ok(Speeds {
        perft2_ms: perft2(board),
        moves_per_s: moves(board),
        verdict_median_us,
        verdict_p99_us,
        classical_nodes_per_s,
        classical_depth,
        classical_seconds: CLASSICAL_TIME.as_secs_f64(),
    })
}

fn perft2(board: Board) -> f64 {
    let start = start(board);
    let one = || 1e3 / rate(|| u64::from(black_box(perft(black_box(&start), 2)) > 0));
    median((0..ROUNDS).map(|_| one()).collect())
}

fn moves(board: Board) -> f64 {
    let positions = undecided(board, ROUNDS);
    let mut moves = Vec::new();
    let mut all = || {
        rate(|| {
            let count = |position| {
                black_box(position);
                hippolyta_game::Position::moves(position, &mut moves);
                black_box(&moves).len() as u64
            };
            positions.iter().map(count).sum()
        })
    };
    median((0..ROUNDS).map(|_| all()).collect())
}

/// The median and the 99th percentile of what a verdict takes, in microseconds. The counter lives as long as a game.
fn verdicts(board: Board, threads: usize) -> anyhow::Result<[f64; 2]> {
    let mut times = Vec::new();
    for game in quick_games(board, VERDICT_GAMES, threads)? {
        let mut counter = TerritoryCounter::default();
        for position in game.positions() {
            let began = Instant::now();
            black_box(counter.verdict(black_box(&position)));
            times.push(began.elapsed().as_secs_f64() * 1e6);
        }
    }
    times.sort_unstable_by(f64::total_cmp);
    Ok([50, 99].map(|percent| times[times.len() * percent / 100]))
}

/// Evaluations a second, and the mean depth.
fn classical(board: Board) -> anyhow::Result<(f64, f64)> {
    let mut player = ClassicalPlayer::new();
    let (mut visits, mut depth, mut seconds) = (0, 0, 0.0);
    for position in undecided(board, CLASSICAL_POSITIONS) {
        player.new_game(1);
        let began = Instant::now();
        let stop = || began.elapsed() >= CLASSICAL_TIME;
        let choice = player.choose(&position, &Limits::until(&stop))?;
        visits += choice.visits;
        depth += choice.depth;
        seconds += began.elapsed().as_secs_f64();
    }
    Ok((visits as f64 / seconds, f64::from(depth) / CLASSICAL_POSITIONS as f64))
}

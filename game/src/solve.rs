//! Who wins a position, proven.
//!
//! A depth-first search for a winning move over positions reduced to what matters. A region in which one side alone
//! can make n moves, and the other none, is worth n moves to it and nothing else: in the terms of combinatorial game
//! theory it is the integer n. So a position is its regions that are no numbers yet, and one number, and moves
//! inside one's own regions are a single alternative, "spend a spare move". Bounds on what each region can be worth
//! end most lines early, and with mobility and queen distances put the alternatives in an order in which the first to
//! try is nearly always a winning one where there is one. Where it is not, effort in rounds keeps the search from being
//! held up by it. Proof-number search over the same states needed 20 to 60 times the nodes on 4x4 to 5x4.
//!
//! The table of positions tells them apart by their hash alone: a proof rests on no two that meet sharing it.

mod search;
mod state;
mod table;

use thiserror::Error;

use crate::moves::Move;
use crate::position::Position;
use crate::side::Side;
use crate::territory::TerritoryCounter;
use search::{Answer, Prover};

/// What a proof may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SolveLimits {
    /// Positions expanded before the answer is "unknown".
    pub nodes: u64,
    /// Bytes of the table of positions seen; it is as large as a power of two of entries allows. Where it is full, the
    /// entry that cost the least work makes room.
    pub table_bytes: usize,
}

/// What was proven.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Solution {
    /// The side that wins with best play; `None` when the limit came first.
    pub winner: Option<Side>,
    /// A move that wins, when the side to move does.
    pub best: Option<Move>,
    /// Positions expanded.
    pub nodes: u64,
}

/// How far a proof is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveProgress {
    /// Positions expanded.
    pub nodes: u64,
    /// The share of the table of positions that is in use, from 0 to 1.
    pub table_filled: f64,
}

/// There is no memory for a table of this size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("no memory for a table of {table_bytes} bytes")]
pub struct SolveError {
    /// [`SolveLimits::table_bytes`].
    pub table_bytes: usize,
}

/// Search nodes that a proof spends on counting a region. A region whose count stays open stays in play, so a budget
/// costs no truth.
const COUNTING_BUDGET: u32 = 20_000;

/// Proves who wins `position`, within limits.
///
/// # Errors
/// When the table does not fit into memory.
///
/// ```
/// use hippolyta_game::{Position, Side, SolveLimits, solve};
///
/// let start: Position = "1qq1/q2q/Q2Q/1QQ1 w".parse()?;
/// let solution = solve(&start, SolveLimits { nodes: 100_000, table_bytes: 1 << 20 })?;
/// assert_eq!(solution.winner, Some(Side::Black));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn solve(position: &Position, limits: SolveLimits) -> Result<Solution, SolveError> {
    solve_watched(position, limits, &mut |_| {})
}

/// The same, calling `watch` now and then with how far the proof is.
///
/// # Errors
/// When the table does not fit into memory.
pub fn solve_watched(
    position: &Position,
    limits: SolveLimits,
    watch: &mut dyn FnMut(SolveProgress),
) -> Result<Solution, SolveError> {
    let side = position.side();
    let mut prover = Prover::new(limits, COUNTING_BUDGET, watch)?;
    let (winner, best) = match prover.prove(position) {
        Answer::Won(best) => (Some(side), Some(best)),
        Answer::Lost => (Some(!side), None),
        Answer::Unknown => (None, None),
    };
    Ok(Solution { winner, best, nodes: prover.nodes() })
}

/// Proves positions one after the other with the same table: for many small proofs, as at the leaves of a search.
#[derive(Clone, Debug)]
pub struct Solver {
    prover: Prover<fn(SolveProgress)>,
}

impl Solver {
    /// A solver whose table takes at most so many bytes.
    ///
    /// # Errors
    /// When the table does not fit into memory.
    pub fn new(table_bytes: usize) -> Result<Solver, SolveError> {
        let limits = SolveLimits { nodes: 0, table_bytes };
        let unwatched: fn(SolveProgress) = |_| {};
        Ok(Solver { prover: Prover::new(limits, TerritoryCounter::BUDGET, unwatched)? })
    }

    /// Whether the side to move wins `position`; `None` where that takes more than `nodes` positions expanded now.
    /// What was asked since [`Solver::forget`] may save nodes: it decides whether there is an answer, never which.
    pub fn wins(&mut self, position: &Position, nodes: u64) -> Option<bool> {
        self.prover.wins_position(position, nodes)
    }

    /// Empties the table.
    pub fn forget(&mut self) {
        self.prover.forget();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Walks seeded games on 5x5 and holds small proofs, with what is left in the table, against proofs from nothing.
    #[test]
    fn a_solver_in_use_agrees_with_a_fresh_one() {
        let start: Position = "1q1q1/q3q/5/Q3Q/1Q1Q1 w".parse().expect("a position");
        let mut solver = Solver::new(1 << 14).expect("there is memory");
        let mut moves = Vec::new();
        let (mut answers, mut unknown) = (0, 0);
        for game in 0..30_usize {
            let mut position = start;
            for ply in 0.. {
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                if position.empty().count() <= 10 {
                    match solver.wins(&position, 20) {
                        Some(wins) => {
                            let winner = if wins { position.side() } else { !position.side() };
                            let limits = SolveLimits { nodes: 1_000_000, table_bytes: 1 << 16 };
                            let proof = solve(&position, limits).expect("there is memory");
                            assert_eq!(proof.winner, Some(winner), "{position}");
                            answers += 1;
                        }
                        None => unknown += 1,
                    }
                }
                position = position.play_unchecked(moves[(game * 7919 + ply * 104_729) % moves.len()]);
            }
        }
        assert!(answers > 50 && unknown > 0, "{answers} answers, {unknown} unknown");
    }

    #[test]
    fn a_solver_that_forgets_gives_the_same_answers_again() {
        let position = "1q1q1/q3q/Q3Q/1Q1Q1 w".parse().expect("a position");
        let mut solver = Solver::new(1 << 16).expect("there is memory");
        assert_eq!(solver.wins(&position, 100), None);
        assert_eq!(solver.wins(&position, 100_000), Some(true));
        assert_eq!(solver.wins(&position, 100), Some(true), "the table knows");
        solver.forget();
        assert_eq!(solver.wins(&position, 100), None);
    }

    fn solved(fen: &str) -> Solution {
        solve(&fen.parse().expect("a position"), SolveLimits { nodes: 5_000_000, table_bytes: 1 << 26 })
            .expect("there is memory")
    }

    #[test]
    fn small_boards() {
        let second = solved("1qq1/q2q/Q2Q/1QQ1 w");
        assert_eq!((second.winner, second.best), (Some(Side::Black), None));
        let first = solved("1q1q1/q3q/Q3Q/1Q1Q1 w");
        assert_eq!(first.winner, Some(Side::White));
        let start: Position = "1q1q1/q3q/Q3Q/1Q1Q1 w".parse().expect("a position");
        let after = start.play(first.best.expect("a winner has a move")).expect("legal");
        assert_eq!(solved(&after.to_string()).winner, Some(Side::White));
    }

    #[test]
    #[ignore = "a second or more"]
    fn five_rows_of_four() {
        assert_eq!(solved("1qq1/q2q/4/Q2Q/1QQ1 w").winner, Some(Side::Black));
    }

    #[test]
    #[ignore = "minutes, and 2 GiB"]
    fn five_by_five_is_won_by_the_first_player() {
        let start = "1q1q1/q3q/5/Q3Q/1Q1Q1 w".parse().expect("a position");
        let limits = SolveLimits { nodes: u64::MAX, table_bytes: 1 << 31 };
        let solution = solve(&start, limits).expect("there is memory");
        assert_eq!(solution.winner, Some(Side::White));
    }

    #[test]
    fn the_limit_is_kept() {
        let position = "1q1q1/q3q/5/Q3Q/1Q1Q1 w".parse().expect("a position");
        let solution = solve(&position, SolveLimits { nodes: 100, table_bytes: 1 << 16 });
        assert_eq!(solution, Ok(Solution { winner: None, best: None, nodes: 100 }));
    }

    #[test]
    fn a_table_beyond_all_memory_is_an_error() {
        let position = "1qq1/q2q/Q2Q/1QQ1 w".parse().expect("a position");
        let table_bytes = usize::MAX;
        let solution = solve(&position, SolveLimits { nodes: 1, table_bytes });
        assert_eq!(solution, Err(SolveError { table_bytes }));
    }

    #[test]
    fn progress_is_told() {
        let position = "1q1q1/q3q/5/Q3Q/1Q1Q1 w".parse().expect("a position");
        let mut told = Vec::new();
        let limits = SolveLimits { nodes: 140_000, table_bytes: 1 << 20 };
        solve_watched(&position, limits, &mut |progress| told.push(progress)).expect("there is memory");
        assert!(told.len() >= 2, "{told:?}");
        assert!(told.windows(2).all(|pair| pair[0].nodes < pair[1].nodes), "{told:?}");
        assert!(told.iter().all(|progress| progress.table_filled > 0.0 && progress.table_filled <= 1.0));
    }

    #[test]
    fn a_lost_position_without_moves() {
        let solution = solved("Q*4/**4/6/6/6/5q w");
        assert_eq!(solution, Solution { winner: Some(Side::Black), best: None, nodes: 0 });
    }
}

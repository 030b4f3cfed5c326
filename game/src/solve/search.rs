//! Depth-first search for a winning move.

use super::state::{Assessed, Reducer, State};
use super::table::ProofTable;
use super::{SolveError, SolveLimits, SolveProgress};
use crate::moves::Move;
use crate::position::Position;
use crate::symmetry::Symmetry;

/// [`Prover::first_effort`] but in tests.
const FIRST_EFFORT: u64 = 100_000;
/// How many times more each child that is still open gets in the next round.
const EFFORT_GROWTH: u64 = 64;
/// Positions expanded between two reports of progress.
const REPORT_EVERY: u64 = 1 << 16;

#[derive(Clone, Debug)]
pub(super) struct Prover<W> {
    table: ProofTable,
    reducer: Reducer,
    /// The open children of all states on the way from the root, each state's above its parent's.
    children: Vec<Child>,
    nodes: u64,
    limit: u64,
    /// Positions expanded for a child before the next one gets its turn.
    first_effort: u64,
    /// Told now and then how far the proof is.
    watch: W,
}

/// What is known at the end for a side to move.
pub(super) enum Answer<T> {
    /// It wins, with what this leads to or is.
    Won(T),
    Lost,
    Unknown,
}

#[derive(Clone, Copy, Debug)]
struct Child {
    state: State,
    hash: u128,
    /// How good the child is for its side to move; low ones are tried first.
    promise: i32,
}

/// The promise of an alternative that is tried after all others.
const LAST: i32 = i32::MAX;

/// How good a state looks for its side to move, by the sum of its bounds, mobility and the squares that it is nearer
/// to.
fn promise(state: &State, sum: i32) -> i32 {
    4 * sum + state.lead() + state.nearer()
}

impl<W: FnMut(SolveProgress)> Prover<W> {
    /// `counting_budget` is what it spends on a region's count, in search nodes.
    pub(super) fn new(limits: SolveLimits, counting_budget: u32, watch: W) -> Result<Prover<W>, SolveError> {
        Ok(Prover {
            table: ProofTable::new(limits.table_bytes)?,
            reducer: Reducer::new(counting_budget),
            children: Vec::new(),
            nodes: 0,
            limit: limits.nodes,
            first_effort: FIRST_EFFORT,
            watch,
        })
    }

    /// States expanded so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Forgets all states.
    pub(super) fn forget(&mut self) {
        self.table.clear();
    }

    /// Whether the side to move wins `position`; `None` when that takes more than `nodes` states expanded now.
    pub(super) fn wins_position(&mut self, position: &Position, nodes: u64) -> Option<bool> {
        let Assessed { state, wins, .. } = self.reducer.assess(&State::of(position));
        wins.or_else(|| self.wins(&state, state.hash(), self.nodes + nodes))
    }

    /// Looks for a winning move of `position`.
    pub(super) fn prove(&mut self, position: &Position) -> Answer<Move> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        // Of moves that are images of each other one is enough.
        let board = position.board();
        let symmetries: Vec<Symmetry> = Symmetry::of(board)
            .iter()
            .copied()
            .filter(|symmetry| symmetry.position(position) == *position)
            .collect();
        moves.retain(|&m| symmetries.iter().all(|symmetry| m <= symmetry.apply(board, m)));
        let mut tries = Vec::with_capacity(moves.len());
        for m in moves {
            let assessed = self.reducer.assess(&State::of(&position.play_unchecked(m)));
            match assessed.wins {
                Some(false) => return Answer::Won(m),
                Some(true) => {}
                None => tries.push((promise(&assessed.state, assessed.sum), assessed.state, m)),
            }
        }
        tries.sort_unstable();
        // Moves that lead to the same state are one alternative.
        tries.dedup_by_key(|(_, state, _)| *state);
        self.children.extend(tries.iter().map(|&(promise, state, _)| Child {
            state,
            hash: state.hash(),
            promise,
        }));
        match self.find_lost(0, self.limit) {
            Answer::Won(lost) => {
                let won = tries.iter().find(|(_, state, _)| *state == lost);
                Answer::Won(won.expect("it was one of the tries").2)
            }
            Answer::Lost => Answer::Lost,
            Answer::Unknown => Answer::Unknown,
        }
    }

    /// Whether the side to move wins an undecided state; `None` when `deadline` positions have been expanded.
    fn wins(&mut self, state: &State, hash: u128, deadline: u64) -> Option<bool> {
        if let Some(wins) = self.table.get(hash) {
            return Some(wins);
        }
        if self.nodes >= deadline {
            return None;
        }
        self.nodes += 1;
        if self.nodes.is_multiple_of(REPORT_EVERY) {
            (self.watch)(SolveProgress { nodes: self.nodes, table_filled: self.table.filled() });
        }
        let before = self.nodes;
        let base = self.children.len();
        let wins = if self.expand(state, base) {
            match self.find_lost(base, deadline) {
                Answer::Won(_) => true,
                Answer::Lost => false,
                Answer::Unknown => return None,
            }
        } else {
            self.children.truncate(base);
            true
        };
        self.table.put(hash, wins, self.nodes - before + 1);
        Some(wins)
    }

    /// Takes the children from `base` on off the stack and looks for one that is lost for its side to move.
    ///
    /// Each gets a little effort first and the open ones much more in every further round, so that a hard child does
    /// not hold up an easy one behind it. What was proven on the way stays in the table.
    fn find_lost(&mut self, base: usize, deadline: u64) -> Answer<State> {
        let mut effort = self.first_effort;
        while self.children.len() > base {
            let mut open = base;
            for next in base..self.children.len() {
                let child = self.children[next];
                match self.wins(&child.state, child.hash, deadline.min(self.nodes.saturating_add(effort))) {
                    Some(true) => {}
                    Some(false) => {
                        self.children.truncate(base);
                        return Answer::Won(child.state);
                    }
                    None if self.nodes >= deadline => {
                        self.children.truncate(base);
                        return Answer::Unknown;
                    }
                    None => {
                        self.children[open] = child;
                        open += 1;
                    }
                }
            }
            self.children.truncate(open);
            effort = effort.saturating_mul(EFFORT_GROWTH);
        }
        Answer::Lost
    }

    /// Puts the children of `state` that are still to be searched on top of the stack, the most promising one first;
    /// `false` when one is known to be lost for its side to move, so that no more is to be done.
    fn expand(&mut self, state: &State, base: usize) -> bool {
        let mut open = true;
        let mut add = |child: State, promise: Option<i32>| {
            if open {
                let Assessed { state, wins, sum } = self.reducer.assess(&child);
                if let Some(wins) = wins {
                    open = wins;
                } else {
                    let promise = promise.unwrap_or(sum);
                    self.children.push(Child { state, hash: state.hash(), promise });
                }
            }
        };
        state.for_each_child(|child| add(child, None));
        if let Some(child) = state.spend() {
            // Moving in a number is the only winning move only where all else is a number too.
            add(child, Some(LAST));
        }
        // A loop of its own, so that the waits for memory overlap.
        let mut next = base;
        while open && next < self.children.len() {
            match self.table.get(self.children[next].hash) {
                Some(true) => drop(self.children.swap_remove(next)),
                Some(false) => open = false,
                None => next += 1,
            }
        }
        if open {
            let children = &mut self.children[base..];
            for child in children.iter_mut().filter(|child| child.promise != LAST) {
                child.promise = promise(&child.state, child.promise);
            }
            children.sort_unstable_by_key(|child| (child.promise, child.hash));
        }
        open
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::side::Side;

    /// The winner of a position when children get turns of `first_effort` positions.
    fn winner(position: &Position, first_effort: u64) -> Option<Side> {
        let limits = SolveLimits { nodes: u64::MAX, table_bytes: 1 << 20 };
        let mut prover = Prover::new(limits, 300, |_| {}).expect("there is memory");
        prover.first_effort = first_effort;
        match prover.prove(position) {
            Answer::Won(_) => Some(position.side()),
            Answer::Lost => Some(!position.side()),
            Answer::Unknown => None,
        }
    }

    #[test]
    fn turns_change_no_answer() {
        let start: Position = "1qq1/q2q/Q2Q/1QQ1 w".parse().expect("a position");
        assert_eq!(winner(&start, 10), Some(Side::Black));
        let mut moves = Vec::new();
        start.moves(&mut moves);
        for m in moves.into_iter().step_by(9) {
            let position = start.play_unchecked(m);
            assert_eq!(winner(&position, 1), winner(&position, u64::MAX), "{position}");
        }
    }
}

//! Depth-first search for a winning move.

use std::cmp::Reverse;

use super::SolveLimits;
use super::state::{Assessed, Reducer, State};
use super::table::Table;
use crate::moves::Move;
use crate::position::Position;
use crate::symmetry::Symmetry;

pub(super) struct Prover {
    table: Table,
    reducer: Reducer,
    /// The open children of all states on the way from the root, each state's above its parent's.
    children: Vec<Child>,
    nodes: u64,
    limit: u64,
}

/// What is known of a position at the end, for its side to move.
pub(super) enum Answer {
    Won(Move),
    Lost,
    Unknown,
}

#[derive(Clone, Copy)]
struct Child {
    state: State,
    hash: u128,
    /// How good the child is for its side to move; low ones are tried first.
    promise: i32,
}

/// The promise of an alternative that is tried after all others.
const LAST: i32 = i32::MAX;

/// How good a state looks for its side to move, by the sum of its bounds and its mobility.
fn promise(state: &State, sum: i32) -> i32 {
    4 * sum + state.lead()
}

impl Prover {
    pub(super) fn new(limits: SolveLimits) -> Prover {
        Prover {
            table: Table::new(limits.table_bytes),
            reducer: Reducer::default(),
            children: Vec::new(),
            nodes: 0,
            limit: limits.nodes,
        }
    }

    /// States expanded so far.
    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    /// Looks for a winning move of `position`.
    pub(super) fn prove(&mut self, position: &Position) -> Answer {
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
        for (_, state, m) in tries {
            match self.wins(&state, state.hash()) {
                Some(true) => {}
                Some(false) => return Answer::Won(m),
                None => return Answer::Unknown,
            }
        }
        Answer::Lost
    }

    /// Whether the side to move wins an undecided state; `None` at the limit.
    fn wins(&mut self, state: &State, hash: u128) -> Option<bool> {
        if let Some(wins) = self.table.get(hash) {
            return Some(wins);
        }
        if self.nodes >= self.limit {
            return None;
        }
        self.nodes += 1;
        let before = self.nodes;
        let base = self.children.len();
        let mut wins = !self.expand(state, base);
        while !wins && self.children.len() > base {
            let child = self.children.pop().expect("there is one more");
            wins = !self.wins(&child.state, child.hash)?;
        }
        self.children.truncate(base);
        self.table.put(hash, wins, self.nodes - before + 1);
        Some(wins)
    }

    /// Puts the children of `state` that are still to be searched on top of the stack, the most promising one last;
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
            children.sort_unstable_by_key(|child| Reverse((child.promise, child.hash)));
        }
        open
    }
}

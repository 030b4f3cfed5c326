//! Playable positions.

use std::fmt;

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::hash;
use crate::moves::Move;
use crate::setup::{Setup, SetupError};
use crate::side::Side;
use crate::slide::{queen_reach, queen_reach_by_steps};
use crate::square::Square;

/// A position that can be played: both sides have an amazon and no square holds two things. 64 bytes, `Copy`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Position {
    amazons: [Bitboard; 2],
    empty: Bitboard,
    hash: u64,
    board: Board,
    side: Side,
}

/// A move that the rules forbid, and the position that forbids it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{illegal} is not legal in '{position}': {}", self.reason())]
pub struct IllegalMove {
    /// The move.
    pub illegal: Move,
    /// Where it was tried.
    pub position: Position,
}

impl IllegalMove {
    /// The first rule that the move breaks, in words.
    pub fn reason(&self) -> String {
        let Move { from, to, arrow } = self.illegal;
        match self.position.broken_rule(self.illegal) {
            Some(Rule::Amazon) => format!("{} has no amazon on {from}", self.position.side),
            Some(Rule::Way) => format!("the amazon does not get from {from} to {to}"),
            Some(Rule::Arrow) => format!("the arrow does not get from {to} to {arrow}"),
            None => "no rule forbids it".to_owned(),
        }
    }
}

/// What a move has to do.
#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Start from an amazon of the side to move.
    Amazon,
    /// Take it along a queen's way.
    Way,
    /// Shoot along one, from where the amazon has come to.
    Arrow,
}

impl Position {
    /// The start position of a board that people play on: 6x6, 8x8 or 10x10; `None` for any other.
    pub fn start(board: Board) -> Option<Position> {
        let fen = match board {
            Board::SIX => "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w",
            Board::EIGHT => "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w",
            Board::TEN => "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w",
            _ => return None,
        };
        Some(fen.parse().expect("the start positions are well formed"))
    }

    /// Makes a setup playable.
    ///
    /// # Errors
    /// When a piece is off the board, a square holds two, or a side has no amazon.
    pub fn from_setup(setup: &Setup) -> Result<Position, SetupError> {
        setup.check()?;
        let mut position = Position {
            amazons: setup.amazons,
            empty: setup.board.squares() - setup.amazons[0] - setup.amazons[1] - setup.arrows,
            hash: 0,
            board: setup.board,
            side: setup.side,
        };
        position.hash = position.fresh_hash();
        Ok(position)
    }

    /// The contents of the board as plain data.
    pub fn setup(&self) -> Setup {
        Setup { board: self.board, amazons: self.amazons, arrows: self.arrows(), side: self.side }
    }

    /// The board's extent.
    #[inline]
    pub fn board(&self) -> Board {
        self.board
    }

    /// The side to move.
    #[inline]
    pub fn side(&self) -> Side {
        self.side
    }

    /// The amazons of a side.
    #[inline]
    pub fn amazons(&self, side: Side) -> Bitboard {
        self.amazons[side.index()]
    }

    /// The squares without amazon or arrow.
    #[inline]
    pub fn empty(&self) -> Bitboard {
        self.empty
    }

    /// The closed squares.
    #[inline]
    pub fn arrows(&self) -> Bitboard {
        self.board.squares() - self.empty - self.amazons[0] - self.amazons[1]
    }

    /// A 64-bit hash of board, pieces and side to move; kept up to date move by move.
    #[inline]
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The hash computed from nothing: the oracle of the incremental one.
    pub fn fresh_hash(&self) -> u64 {
        let mut hash = hash::board(self.board.files(), self.board.ranks());
        for side in Side::ALL {
            hash =
                self.amazons(side).into_iter().fold(hash, |hash, square| hash ^ hash::amazon(side, square));
        }
        hash = self.arrows().into_iter().fold(hash, |hash, square| hash ^ hash::arrow(square));
        if self.side == Side::Black { hash ^ hash::BLACK_TO_MOVE } else { hash }
    }

    /// The same board with the other side to move.
    pub fn passed(&self) -> Position {
        Position { side: !self.side, hash: self.hash ^ hash::BLACK_TO_MOVE, ..*self }
    }

    /// Calls `visit` for each queen move of the side to move with the set of squares its arrow can reach: from, to
    /// and arrows ascending. Every arrow set holds at least the square just left.
    #[inline]
    pub fn for_each_shot(&self, mut visit: impl FnMut(Square, Square, Bitboard)) {
        for from in self.amazons(self.side) {
            let open = self.empty.with(from);
            for to in queen_reach(from, self.empty) {
                visit(from, to, queen_reach(to, open));
            }
        }
    }

    /// Replaces the contents of `moves` by all legal moves, ordered by from, to and arrow.
    #[inline]
    pub fn moves(&self, moves: &mut Vec<Move>) {
        moves.clear();
        self.for_each_shot(|from, to, arrows| {
            moves.extend(arrows.into_iter().map(|arrow| Move { from, to, arrow }));
        });
    }

    /// The legal moves by walking square by square: the oracle of [`Position::moves`].
    pub fn moves_by_steps(&self) -> Vec<Move> {
        let mut moves = Vec::new();
        for from in self.amazons(self.side) {
            for to in queen_reach_by_steps(from, self.empty) {
                let arrows = queen_reach_by_steps(to, self.empty.with(from));
                moves.extend(arrows.into_iter().map(|arrow| Move { from, to, arrow }));
            }
        }
        moves
    }

    /// The number of legal moves.
    #[inline]
    pub fn count_moves(&self) -> u64 {
        let mut count = 0;
        self.for_each_shot(|_, _, arrows| count += u64::from(arrows.count()));
        count
    }

    /// Whether the side to move has a legal move; if not, it has lost.
    #[inline]
    pub fn has_move(&self) -> bool {
        !(self.amazons(self.side).dilated() & self.empty).is_empty()
    }

    /// The winner, once the side to move has no legal move.
    #[inline]
    pub fn winner(&self) -> Option<Side> {
        if self.has_move() { None } else { Some(!self.side) }
    }

    /// Whether the rules allow `m` here.
    pub fn is_legal(&self, m: Move) -> bool {
        self.broken_rule(m).is_none()
    }

    /// The first rule that `m` breaks here.
    fn broken_rule(&self, m: Move) -> Option<Rule> {
        if !self.amazons(self.side).contains(m.from) {
            Some(Rule::Amazon)
        } else if !queen_reach(m.from, self.empty).contains(m.to) {
            Some(Rule::Way)
        } else if !queen_reach(m.to, self.empty.with(m.from)).contains(m.arrow) {
            Some(Rule::Arrow)
        } else {
            None
        }
    }

    /// The position after a legal move.
    ///
    /// # Errors
    /// The move and this position, when it is not legal.
    pub fn play(&self, m: Move) -> Result<Position, IllegalMove> {
        if self.is_legal(m) {
            Ok(self.play_unchecked(m))
        } else {
            Err(IllegalMove { illegal: m, position: *self })
        }
    }

    /// The position after a move that the caller knows to be legal; after any other the result has no meaning.
    #[inline]
    pub fn play_unchecked(&self, m: Move) -> Position {
        debug_assert!(self.is_legal(m), "{m} in {self}");
        let mut next = *self;
        let own = &mut next.amazons[self.side.index()];
        *own = own.without(m.from).with(m.to);
        next.empty = next.empty.with(m.from).without(m.to).without(m.arrow);
        next.side = !self.side;
        next.hash ^= hash::amazon(self.side, m.from)
            ^ hash::amazon(self.side, m.to)
            ^ hash::arrow(m.arrow)
            ^ hash::BLACK_TO_MOVE;
        next
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_forbids_a_move_is_named() {
        let start = Position::start(Board::SIX).unwrap();
        for (text, reason) in [
            ("c3-c4/c5", "white has no amazon on c3"),
            ("b6-b5/b4", "white has no amazon on b6"),
            ("b1-c3/c4", "the amazon does not get from b1 to c3"),
            ("b1-b6/b5", "the amazon does not get from b1 to b6"),
            ("b1-b3/e5", "the arrow does not get from b3 to e5"),
            ("b1-b3/b3", "the arrow does not get from b3 to b3"),
        ] {
            let error = start.play(text.parse().unwrap()).unwrap_err();
            assert_eq!(error.reason(), reason, "{text}");
            assert_eq!(error.to_string(), format!("{text} is not legal in '{start}': {reason}"));
        }
        // The square that the amazon leaves is free for the arrow.
        assert!(start.play("b1-b3/b1".parse().unwrap()).is_ok());
    }
}

//! An arrangement of a board that nobody has checked.

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::side::Side;
use crate::square::Square;

/// The contents of a board and the side to move, unchecked. [`Position::from_setup`] makes it playable.
///
/// [`Position::from_setup`]: crate::Position::from_setup
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setup {
    /// The board's extent.
    pub board: Board,
    /// The amazons of White and of Black.
    pub amazons: [Bitboard; 2],
    /// The closed squares.
    pub arrows: Bitboard,
    /// Who moves next.
    pub side: Side,
}

/// Why a setup cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SetupError {
    /// A piece stands beside the board.
    #[error("{square} is not on a {board} board")]
    OffBoard {
        /// The square.
        square: Square,
        /// The board.
        board: Board,
    },
    /// A square holds two things.
    #[error("{0} holds two pieces")]
    Overlap(Square),
    /// A side has no amazon.
    #[error("{0} has no amazon")]
    NoAmazon(Side),
}

impl Setup {
    /// Checks that every piece is on the board, no square holds two and both sides have an amazon.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self) -> Result<(), SetupError> {
        let [white, black] = self.amazons;
        let all = white | black | self.arrows;
        if let Some(square) = (all - self.board.squares()).first() {
            return Err(SetupError::OffBoard { square, board: self.board });
        }
        let twice = (white & black) | ((white | black) & self.arrows);
        if let Some(square) = twice.first() {
            return Err(SetupError::Overlap(square));
        }
        match Side::ALL.into_iter().find(|side| self.amazons[side.index()].is_empty()) {
            Some(side) => Err(SetupError::NoAmazon(side)),
            None => Ok(()),
        }
    }
}

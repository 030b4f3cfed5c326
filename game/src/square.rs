//! Squares of the largest board.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::excerpt::excerpt;

/// The longest side of a board.
pub const MAX_SIDE: u8 = 10;

/// Squares from one rank to the next in a bitboard: ten files and a guard column that stays closed, so that a step
/// east or west never wraps onto another rank.
pub const STRIDE: u8 = 11;

/// A square, `a1` at the bottom left. The same number names the same square on every board.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Square(u8);

impl Square {
    /// One more than the largest index: the length of tables indexed by square.
    pub const COUNT: usize = STRIDE as usize * MAX_SIDE as usize;

    /// The square on `file` and `rank`, both from 0.
    ///
    /// # Panics
    /// When either is 10 or more.
    #[inline]
    pub const fn new(file: u8, rank: u8) -> Square {
        assert!(file < MAX_SIDE && rank < MAX_SIDE, "a board has at most ten files and ranks");
        Square(rank * STRIDE + file)
    }

    /// The square with this bitboard index, which must not lie in the guard column.
    #[inline]
    pub(crate) const fn from_index(index: u8) -> Square {
        debug_assert!(index % STRIDE < MAX_SIDE && index / STRIDE < MAX_SIDE);
        Square(index)
    }

    /// The index into bitboards and tables of [`Square::COUNT`].
    #[inline]
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The file, from 0 (a).
    #[inline]
    pub const fn file(self) -> u8 {
        self.0 % STRIDE
    }

    /// The rank, from 0 (written 1).
    #[inline]
    pub const fn rank(self) -> u8 {
        self.0 / STRIDE
    }

    /// Splits a square off the front of `text`: a letter a to j (either case), then a number 1 to 10, read as long
    /// as it can be. Gives the square and the rest.
    pub(crate) fn split_from(text: &str) -> Option<(Square, &str)> {
        let bytes = text.as_bytes();
        let file = bytes.first()?.to_ascii_lowercase().checked_sub(b'a')?;
        let (rank, length) = match (bytes.get(1)?, bytes.get(2)) {
            (b'1', Some(b'0')) => (9, 3),
            (digit @ b'1'..=b'9', _) => (digit - b'1', 2),
            _ => return None,
        };
        (file < MAX_SIDE).then(|| (Square::new(file, rank), &text[length..]))
    }
}

impl fmt::Display for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", char::from(b'a' + self.file()), self.rank() + 1)
    }
}

impl fmt::Debug for Square {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A text that names no square.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no square: expected a letter a to j and a number 1 to 10")]
pub struct ParseSquareError(pub String);

impl FromStr for Square {
    type Err = ParseSquareError;

    fn from_str(text: &str) -> Result<Square, ParseSquareError> {
        match Square::split_from(text) {
            Some((square, "")) => Ok(square),
            _ => Err(ParseSquareError(excerpt(text))),
        }
    }
}

//! The two sides.

use std::fmt;
use std::ops::Not;

/// A side. The first player is White and starts at the bottom, on every board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// The first player, at the bottom.
    White,
    /// The second player, at the top.
    Black,
}

impl Side {
    /// Both sides, White first.
    pub const ALL: [Side; 2] = [Side::White, Side::Black];

    /// 0 for White, 1 for Black: the index into pairs kept by side.
    #[inline]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// `+value` for White and `-value` for Black: turns a value of this side into White's, and back.
    #[inline]
    pub fn signed(self, value: f32) -> f32 {
        match self {
            Side::White => value,
            Side::Black => -value,
        }
    }

    /// The letter of a FEN: `w` or `b`.
    pub const fn letter(self) -> char {
        match self {
            Side::White => 'w',
            Side::Black => 'b',
        }
    }
}

impl Not for Side {
    type Output = Side;

    #[inline]
    fn not(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Side::White => "white",
            Side::Black => "black",
        })
    }
}

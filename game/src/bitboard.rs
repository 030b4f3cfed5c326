//! Sets of squares.

use std::fmt;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, BitXorAssign, Not, Sub};

use crate::bits::{Bits, halves};
use crate::square::{STRIDE, Square};

/// A set of squares, one bit each, with a stride of [`STRIDE`].
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bitboard(pub u128);

/// One of the eight directions of a queen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Towards higher ranks.
    North,
    /// Up and to the right.
    NorthEast,
    /// Towards higher files.
    East,
    /// Down and to the right.
    SouthEast,
    /// Towards lower ranks.
    South,
    /// Down and to the left.
    SouthWest,
    /// Towards lower files.
    West,
    /// Up and to the left.
    NorthWest,
}

impl Direction {
    /// All eight, clockwise from north.
    pub const ALL: [Direction; 8] = [
        Direction::North,
        Direction::NorthEast,
        Direction::East,
        Direction::SouthEast,
        Direction::South,
        Direction::SouthWest,
        Direction::West,
        Direction::NorthWest,
    ];
}

impl Bitboard {
    /// No square.
    pub const EMPTY: Bitboard = Bitboard(0);

    /// The set of one square.
    #[inline]
    pub const fn of(square: Square) -> Bitboard {
        Bitboard(1 << square.index())
    }

    /// Whether `square` is in the set.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        self.0 >> square.index() & 1 != 0
    }

    /// The number of squares.
    #[inline]
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Whether there is no square in the set.
    #[inline]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// The square with the lowest index.
    #[inline]
    pub const fn first(self) -> Option<Square> {
        if self.0 == 0 { None } else { Some(Square::from_index(self.0.trailing_zeros() as u8)) }
    }

    /// The set without the square with the lowest index.
    #[inline]
    pub const fn without_first(self) -> Bitboard {
        Bitboard(self.0 & self.0.wrapping_sub(1))
    }

    /// The set with `square`.
    #[inline]
    pub const fn with(self, square: Square) -> Bitboard {
        Bitboard(self.0 | 1 << square.index())
    }

    /// The set without `square`.
    #[inline]
    pub const fn without(self, square: Square) -> Bitboard {
        Bitboard(self.0 & !(1 << square.index()))
    }

    /// Every square moved one step. Squares that leave the board land in the guard column or above it, so the
    /// result must be cut to squares of a board.
    #[inline]
    pub const fn step(self, direction: Direction) -> Bitboard {
        const UP: u32 = STRIDE as u32;
        Bitboard(match direction {
            Direction::North => self.0 << UP,
            Direction::NorthEast => self.0 << (UP + 1),
            Direction::East => self.0 << 1,
            Direction::SouthEast => self.0 >> (UP - 1),
            Direction::South => self.0 >> UP,
            Direction::SouthWest => self.0 >> (UP + 1),
            Direction::West => self.0 >> 1,
            Direction::NorthWest => self.0 << (UP - 1),
        })
    }

    /// The set and all its neighbours in the eight directions, uncut like [`Bitboard::step`].
    #[inline]
    pub fn dilated(self) -> Bitboard {
        Bitboard(dilated(self.0))
    }

    /// The neighbours of the set that are not in it, uncut like [`Bitboard::step`].
    #[inline]
    pub fn neighbours(self) -> Bitboard {
        Bitboard(self.dilated().0 & !self.0)
    }

    /// All squares of `within` that king steps inside `within` connect to this set, and this set's own squares
    /// inside it.
    #[inline]
    pub fn flooded(self, within: Bitboard) -> Bitboard {
        Bitboard(match halves(self.0, within.0) {
            Some((from, within)) => flooded(from, within).into(),
            None => flooded(self.0, within.0),
        })
    }
}

/// See [`Bitboard::dilated`].
#[inline]
fn dilated<B: Bits>(set: B) -> B {
    const RANK: u32 = STRIDE as u32;
    let row = set | set << 1 | set >> 1;
    row | row << RANK | row >> RANK
}

/// See [`Bitboard::flooded`].
#[inline]
fn flooded<B: Bits>(from: B, within: B) -> B {
    let mut filled = from & within;
    loop {
        let next = dilated(filled) & within;
        if next == filled {
            return filled;
        }
        filled = next;
    }
}

/// The squares of a set, from the lowest index.
#[derive(Clone, Debug)]
pub struct Squares(Bitboard);

impl Iterator for Squares {
    type Item = Square;

    #[inline]
    fn next(&mut self) -> Option<Square> {
        let square = self.0.first()?;
        self.0 = self.0.without_first();
        Some(square)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let count = self.0.count() as usize;
        (count, Some(count))
    }
}

impl ExactSizeIterator for Squares {}

impl IntoIterator for Bitboard {
    type Item = Square;
    type IntoIter = Squares;

    #[inline]
    fn into_iter(self) -> Squares {
        Squares(self)
    }
}

impl FromIterator<Square> for Bitboard {
    fn from_iter<I: IntoIterator<Item = Square>>(squares: I) -> Bitboard {
        squares.into_iter().fold(Bitboard::EMPTY, Bitboard::with)
    }
}

impl BitAnd for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitand(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & other.0)
    }
}

impl BitOr for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 | other.0)
    }
}

impl BitXor for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn bitxor(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 ^ other.0)
    }
}

/// Set difference.
impl Sub for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn sub(self, other: Bitboard) -> Bitboard {
        Bitboard(self.0 & !other.0)
    }
}

/// All 128 bits inverted: cut to a board before use.
impl Not for Bitboard {
    type Output = Bitboard;
    #[inline]
    fn not(self) -> Bitboard {
        Bitboard(!self.0)
    }
}

impl BitAndAssign for Bitboard {
    #[inline]
    fn bitand_assign(&mut self, other: Bitboard) {
        self.0 &= other.0;
    }
}

impl BitOrAssign for Bitboard {
    #[inline]
    fn bitor_assign(&mut self, other: Bitboard) {
        self.0 |= other.0;
    }
}

impl BitXorAssign for Bitboard {
    #[inline]
    fn bitxor_assign(&mut self, other: Bitboard) {
        self.0 ^= other.0;
    }
}

impl fmt::Debug for Bitboard {
    /// Ten ranks from the top, `x` for a square of the set.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..10).rev() {
            writeln!(f)?;
            for file in 0..10 {
                f.write_str(if self.contains(Square::new(file, rank)) { " x" } else { " ." })?;
            }
        }
        Ok(())
    }
}

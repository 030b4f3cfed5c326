//! Board sizes as data.

use std::fmt;

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::square::{MAX_SIDE, STRIDE, Square};

/// The shortest side of a board.
pub const MIN_SIDE: u8 = 3;

/// The extent of a board: 3 to 10 files and ranks, from a1. A small board is a large one whose rim is closed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Board {
    files: u8,
    ranks: u8,
}

/// A side outside 3 to 10.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a board of {files} files and {ranks} ranks: both must be from {MIN_SIDE} to {MAX_SIDE}")]
pub struct BoardError {
    /// The files asked for.
    pub files: usize,
    /// The ranks asked for.
    pub ranks: usize,
}

impl Board {
    /// 6x6, the board to learn on.
    pub const SIX: Board = Board { files: 6, ranks: 6 };
    /// 8x8.
    pub const EIGHT: Board = Board { files: 8, ranks: 8 };
    /// 10x10, the classic board.
    pub const TEN: Board = Board { files: 10, ranks: 10 };
    /// The boards that have a start position and that people play on.
    pub const PLAYED: [Board; 3] = [Board::SIX, Board::EIGHT, Board::TEN];

    /// The board of [`Board::PLAYED`] with so many squares a side.
    pub fn played(side: u8) -> Option<Board> {
        Board::PLAYED.into_iter().find(|board| board.files == side)
    }

    /// A board of any supported size.
    ///
    /// # Errors
    /// When a side is not from 3 to 10.
    pub fn new(files: usize, ranks: usize) -> Result<Board, BoardError> {
        let sides = MIN_SIDE as usize..=MAX_SIDE as usize;
        if sides.contains(&files) && sides.contains(&ranks) {
            Ok(Board { files: files as u8, ranks: ranks as u8 })
        } else {
            Err(BoardError { files, ranks })
        }
    }

    /// The number of files (columns).
    #[inline]
    pub const fn files(self) -> u8 {
        self.files
    }

    /// The number of ranks (rows).
    #[inline]
    pub const fn ranks(self) -> u8 {
        self.ranks
    }

    /// The number of squares.
    #[inline]
    pub const fn area(self) -> usize {
        self.files as usize * self.ranks as usize
    }

    /// Whether files and ranks are as many.
    #[inline]
    pub const fn is_square(self) -> bool {
        self.files == self.ranks
    }

    /// All squares of the board.
    #[inline]
    pub const fn squares(self) -> Bitboard {
        const MASKS: [[u128; MAX_SIDE as usize + 1]; MAX_SIDE as usize + 1] = masks();
        Bitboard(MASKS[self.files as usize][self.ranks as usize])
    }

    /// Whether `square` lies on the board.
    #[inline]
    pub const fn contains(self, square: Square) -> bool {
        square.file() < self.files && square.rank() < self.ranks
    }

    /// The index of a square of this board in row-major order from a1: `rank * files + file`.
    #[inline]
    pub const fn dense(self, square: Square) -> usize {
        square.rank() as usize * self.files as usize + square.file() as usize
    }

    /// The square with this dense index.
    #[inline]
    pub const fn square(self, dense: usize) -> Square {
        debug_assert!(dense < self.area());
        Square::new((dense % self.files as usize) as u8, (dense / self.files as usize) as u8)
    }
}

const fn masks() -> [[u128; MAX_SIDE as usize + 1]; MAX_SIDE as usize + 1] {
    let mut masks = [[0; MAX_SIDE as usize + 1]; MAX_SIDE as usize + 1];
    let mut files = 1;
    while files <= MAX_SIDE as usize {
        let mut ranks = 1;
        while ranks <= MAX_SIDE as usize {
            let row = (1 << files) - 1;
            masks[files][ranks] = masks[files][ranks - 1] | row << ((ranks - 1) * STRIDE as usize);
            ranks += 1;
        }
        files += 1;
    }
    masks
}

impl fmt::Display for Board {
    /// `files x ranks`, as in `6x6`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.files, self.ranks)
    }
}

impl fmt::Debug for Board {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

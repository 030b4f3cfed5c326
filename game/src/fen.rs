//! Positions as text, in the FEN that Fairy-Stockfish uses for Amazons.
//!
//! Ranks from the top, `Q` for White's amazons, `q` for Black's, `*` for arrows, numbers for runs of empty squares,
//! then `w` or `b`. Arrows may also be `P` or `p`, as on sites that tell whose they are. The reader skips a pocket in
//! brackets after the ranks and the fields after the side (castling, en passant, half-moves, turn). Any rectangular
//! board from 3 to 10 a side.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use crate::bitboard::Bitboard;
use crate::board::{Board, BoardError};
use crate::excerpt::excerpt;
use crate::position::Position;
use crate::setup::{Setup, SetupError};
use crate::side::Side;
use crate::square::{MAX_SIDE, Square};

/// Why a text is no position.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum FenError {
    /// A character that means nothing.
    #[error("'{found}' in rank '{rank}' is none of Q, q, *, P or a number")]
    Piece {
        /// The character.
        found: char,
        /// The rank it stands in.
        rank: String,
    },
    /// A number of empty squares that is 0 or more than 10, or a rank longer than 10.
    #[error("rank '{0}' is longer than {MAX_SIDE} squares or has an empty run")]
    RankLength(String),
    /// Ranks of different lengths.
    #[error("rank '{rank}' has {found} squares where the first has {expected}")]
    Ragged {
        /// The rank.
        rank: String,
        /// Its squares.
        found: usize,
        /// The first rank's squares.
        expected: usize,
    },
    /// A size that is not supported.
    #[error(transparent)]
    Board(#[from] BoardError),
    /// No side, or one that is neither `w` nor `b`.
    #[error("'{0}' is no side to move: expected w or b")]
    Side(String),
    /// A setup that cannot be played.
    #[error(transparent)]
    Setup(#[from] SetupError),
}

#[derive(Clone, Copy, PartialEq)]
enum Cell {
    Empty,
    Amazon(Side),
    Arrow,
}

impl FromStr for Setup {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Setup, FenError> {
        // Joined files have the byte order marks of each.
        let mut fields =
            text.split(|c: char| c.is_whitespace() || c == '\u{feff}').filter(|field| !field.is_empty());
        let ranks = fields.next().unwrap_or_default();
        // A pocket of pieces in hand, which Amazons has none of.
        let ranks =
            ranks.strip_suffix(']').and_then(|ranks| ranks.split_once('[')).map_or(ranks, |(ranks, _)| ranks);
        let ranks: Vec<&str> = ranks.split('/').take(MAX_SIDE as usize + 1).collect();
        let rows = ranks.iter().map(|rank| parse_rank(rank)).collect::<Result<Vec<_>, _>>()?;
        let files = rows[0].len();
        if let Some(odd) = rows.iter().position(|row| row.len() != files) {
            return Err(FenError::Ragged {
                rank: excerpt(ranks[odd]),
                found: rows[odd].len(),
                expected: files,
            });
        }
        let board = Board::new(files, rows.len())?;
        let side = match fields.next().unwrap_or_default() {
            "w" => Side::White,
            "b" => Side::Black,
            other => return Err(FenError::Side(excerpt(other))),
        };
        let squares_of = |wanted: Cell| -> Bitboard {
            let cells = rows.iter().rev().flatten().enumerate();
            cells.filter(|(_, cell)| **cell == wanted).map(|(dense, _)| board.square(dense)).collect()
        };
        let amazons = Side::ALL.map(|side| squares_of(Cell::Amazon(side)));
        Ok(Setup { board, amazons, arrows: squares_of(Cell::Arrow), side })
    }
}

fn parse_rank(rank: &str) -> Result<Vec<Cell>, FenError> {
    let too_long = || FenError::RankLength(excerpt(rank));
    let mut row = Vec::new();
    let mut chars = rank.chars().peekable();
    while let Some(found) = chars.next() {
        let (cell, count) = match found {
            'Q' => (Cell::Amazon(Side::White), 1),
            'q' => (Cell::Amazon(Side::Black), 1),
            '*' | 'P' | 'p' => (Cell::Arrow, 1),
            '1' if chars.next_if_eq(&'0').is_some() => (Cell::Empty, 10),
            '0'..='9' => (Cell::Empty, found as usize - '0' as usize),
            _ => return Err(FenError::Piece { found, rank: excerpt(rank) }),
        };
        if count == 0 || row.len() + count > MAX_SIDE as usize {
            return Err(too_long());
        }
        row.resize(row.len() + count, cell);
    }
    Ok(row)
}

impl FromStr for Position {
    type Err = FenError;

    fn from_str(text: &str) -> Result<Position, FenError> {
        Ok(Position::from_setup(&text.parse::<Setup>()?)?)
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rank in (0..self.board.ranks()).rev() {
            let mut run = 0;
            let flush = |f: &mut fmt::Formatter<'_>, run: &mut u8| match std::mem::take(run) {
                0 => Ok(()),
                length => write!(f, "{length}"),
            };
            for file in 0..self.board.files() {
                let square = Square::new(file, rank);
                let letter = if self.amazons[0].contains(square) {
                    "Q"
                } else if self.amazons[1].contains(square) {
                    "q"
                } else if self.arrows.contains(square) {
                    "*"
                } else {
                    run += 1;
                    continue;
                };
                flush(f, &mut run)?;
                f.write_str(letter)?;
            }
            flush(f, &mut run)?;
            if rank > 0 {
                f.write_str("/")?;
            }
        }
        write!(f, " {}", self.side.letter())
    }
}

impl fmt::Display for Position {
    /// The position's FEN: board and side to move.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.setup().fmt(f)
    }
}

//! Games with their comments and variations, and what can be wrong with them.

use thiserror::Error;

use super::property::Property;
use crate::board::Board;
use crate::moves::Move;
use crate::position::{IllegalMove, Position};
use crate::side::Side;

/// A way to write games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// Headers, then moves with comments in braces and variations in parentheses.
    Text,
    /// SGF: `FF[4]` with `GM[18]`.
    Sgf,
    /// The SGF-like files of Little Golem.
    LittleGolem,
    /// The record of the Chinese computer games contest.
    Contest,
    /// The JSON that Botzone sends the side to move: its own moves and the opponent's.
    Botzone,
    /// The lines of the SAU platform.
    Sau,
}

impl Dialect {
    /// All dialects.
    pub const ALL: [Dialect; 6] =
        [Dialect::Text, Dialect::Sgf, Dialect::LittleGolem, Dialect::Contest, Dialect::Botzone, Dialect::Sau];

    /// The dialect's name in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Dialect::Text => "text",
            Dialect::Sgf => "SGF",
            Dialect::LittleGolem => "Little Golem",
            Dialect::Contest => "contest record",
            Dialect::Botzone => "Botzone",
            Dialect::Sau => "SAU",
        }
    }
}

/// A game: where it started and what was played, with comments and variations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// The position before the first move.
    pub start: Position,
    /// The names of White and of Black; empty where unknown.
    pub players: [String; 2],
    /// Who won, when the text says so or the last position has no move.
    pub winner: Option<Side>,
    /// What is said before the first move.
    pub comment: String,
    /// What else SGF says of the game: all properties of its root that have no other place here.
    pub properties: Vec<Property>,
    /// The moves of the game.
    pub line: Vec<Ply>,
}

/// A move of a transcript.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ply {
    /// The move.
    pub played: Move,
    /// What is said of it.
    pub comment: String,
    /// What else SGF says of it, such as marks on the board.
    pub properties: Vec<Property>,
    /// Other lines that start instead of this move; none is empty, and their first moves have no variations of
    /// their own.
    pub variations: Vec<Vec<Ply>>,
}

impl Ply {
    /// A move with nothing said of it.
    pub fn new(played: Move) -> Ply {
        Ply { played, comment: String::new(), properties: Vec::new(), variations: Vec::new() }
    }
}

/// Why a text is no game, or why a game cannot be written.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TranscriptError {
    /// A text that does not follow its dialect.
    #[error("{dialect}: {problem}")]
    Syntax {
        /// The dialect it was taken for.
        dialect: &'static str,
        /// What is wrong, with the offending text.
        problem: String,
    },
    /// A move that cannot be played.
    #[error("ply {ply}: {error}")]
    Illegal {
        /// The number of the ply in its line, from 1.
        ply: usize,
        /// The move and its position.
        error: Box<IllegalMove>,
    },
    /// No board's start position allows the first move.
    #[error("no board of 6, 8 or 10 squares a side starts with {0}")]
    NoStart(Move),
    /// A game of a collection that cannot be read.
    #[error("game {number}: {error}")]
    Game {
        /// The number of the game in the collection, from 1.
        number: usize,
        /// What is wrong with it.
        error: Box<TranscriptError>,
    },
    /// A dialect that cannot say from where a game starts.
    #[error("{0} can only tell games from a start position")]
    OwnStart(&'static str),
}

/// The deepest nesting of variations that is read.
pub(super) const MOST_NESTED: usize = 64;

impl Transcript {
    /// A game without names, comments or variations.
    ///
    /// # Errors
    /// At the first illegal move.
    pub fn new(start: Position, moves: &[Move]) -> Result<Transcript, TranscriptError> {
        let mut position = start;
        for (index, &m) in moves.iter().enumerate() {
            position = play(&position, m, index + 1)?;
        }
        let line = moves.iter().copied().map(Ply::new).collect();
        let players = [String::new(), String::new()];
        Ok(Transcript {
            start,
            players,
            winner: position.winner(),
            comment: String::new(),
            properties: Vec::new(),
            line,
        })
    }

    /// The moves played.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.line.iter().map(|ply| ply.played)
    }
}

pub(super) fn play(position: &Position, m: Move, ply: usize) -> Result<Position, TranscriptError> {
    position.play(m).map_err(|error| TranscriptError::Illegal { ply, error: Box::new(error) })
}

/// The start position that a game begins with which names none: the boards' first players stand on different
/// squares. 10x10 when there is no move.
pub(super) fn start_for(first: Option<Move>) -> Result<Position, TranscriptError> {
    let ten = Position::start(Board::TEN).expect("10x10 has a start");
    let Some(first) = first else { return Ok(ten) };
    let mut starts = Board::PLAYED.into_iter().filter_map(Position::start);
    starts.find(|start| start.is_legal(first)).ok_or(TranscriptError::NoStart(first))
}

pub(super) fn syntax(dialect: Dialect, problem: String) -> TranscriptError {
    TranscriptError::Syntax { dialect: dialect.name(), problem }
}

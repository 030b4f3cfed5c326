//! Whole games as text, in every dialect that sites and contests write.
//!
//! | dialect | first player | a move | start |
//! |---|---|---|---|
//! | [`Dialect::Text`] | White | `d1-d7/g7` | any, as a FEN |
//! | [`Dialect::Sgf`] | Black, at the bottom | `djddgd`, ranks from the top | any |
//! | [`Dialect::LittleGolem`] | White | `d1-d7/g7` inside SGF without GM | the board's own, by the first move |
//! | [`Dialect::Contest`] | - | `d1d7(g7)`, two a line | the board's own, by the first move |
//! | [`Dialect::Botzone`] | at the top | `3 0 3 6 6 6`, ranks from the first player's edge | the board's own, by the first move |
//! | [`Dialect::Sau`] | Black | `DJDDGD`, ranks from the top of a 10x10 board | that of 10x10 |
//!
//! SGF is read by the few lines in `sgf` and no library: of its grammar only nodes, properties and escapes matter
//! here, the properties of Amazons are no library's, and a flat tree of our own bounds what hostile text can cost.

mod botzone;
mod letters;
mod lines;
mod sgf;
mod sgf_tree;

use thiserror::Error;

use crate::board::Board;
use crate::moves::Move;
use crate::position::{IllegalMove, Position};
use crate::side::Side;

pub use botzone::{move_from_numbers, move_to_numbers};
pub use letters::{move_from_letters, move_to_letters};
pub use sgf_tree::Property;

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

/// Why writing to a string cannot fail.
const TAKES_ALL: &str = "a string takes all";

/// The deepest nesting of variations that is read.
const MOST_NESTED: usize = 64;

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

    /// Reads a game in any dialect; of a collection the first. All moves, those of variations too, must be legal.
    ///
    /// # Errors
    /// When the text follows no dialect or a move is illegal.
    pub fn read(text: &str) -> Result<Transcript, TranscriptError> {
        read_first(with_one_line_end(text).trim()).map(|(game, _)| game)
    }

    /// Reads all games of a text, one after another; what [`Transcript::write`] wrote may be joined.
    ///
    /// # Errors
    /// As [`Transcript::read`], with the number of the game from the second on.
    pub fn read_all(text: &str) -> Result<Vec<Transcript>, TranscriptError> {
        let text = with_one_line_end(text);
        let mut games = Vec::new();
        let mut rest = text.trim();
        loop {
            let (game, after) = read_first(rest).map_err(|error| match games.len() {
                0 => error,
                before => TranscriptError::Game { number: before + 1, error: Box::new(error) },
            })?;
            games.push(game);
            rest = after.trim();
            if rest.is_empty() {
                return Ok(games);
            }
        }
    }

    /// Writes the game. Only [`Dialect::Text`] and [`Dialect::Sgf`] carry all of it; the others leave out what they
    /// have no place for.
    ///
    /// # Errors
    /// When the dialect cannot tell this game's start.
    pub fn write(&self, dialect: Dialect) -> Result<String, TranscriptError> {
        let own_start = Position::start(self.start.board()) == Some(self.start)
            && (dialect != Dialect::Sau || self.start.board() == Board::TEN);
        if !own_start && !matches!(dialect, Dialect::Text | Dialect::Sgf) {
            return Err(TranscriptError::OwnStart(dialect.name()));
        }
        Ok(match dialect {
            Dialect::Text => lines::write(self),
            Dialect::Sgf => sgf::write(self),
            Dialect::LittleGolem => sgf::write_little_golem(self),
            Dialect::Contest => lines::write_contest(self),
            Dialect::Botzone => botzone::write(self),
            Dialect::Sau => lines::write_sau(self),
        })
    }

    /// The moves played.
    pub fn moves(&self) -> impl Iterator<Item = Move> + '_ {
        self.line.iter().map(|ply| ply.played)
    }
}

/// Every kind of line end is one; a byte order mark is none of the text.
fn with_one_line_end(text: &str) -> String {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    text.replace("\r\n", "\n").replace('\r', "\n")
}

/// Reads the first game of a trimmed text, and gives what follows it.
fn read_first(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    if text.is_empty() {
        Err(syntax(Dialect::Text, "there is no game".to_owned()))
    } else if text.starts_with('(') {
        sgf::read(text)
    } else if text.starts_with('{') || botzone::is_plain(text) {
        botzone::read(text)
    } else if ["move ", "new ", "name"].iter().any(|word| text.starts_with(word)) {
        lines::read_sau(text)
    } else {
        lines::read(text)
    }
}

fn play(position: &Position, m: Move, ply: usize) -> Result<Position, TranscriptError> {
    position.play(m).map_err(|error| TranscriptError::Illegal { ply, error: Box::new(error) })
}

/// The start position that a game begins with which names none: the boards' first players stand on different
/// squares. 10x10 when there is no move.
fn start_for(first: Option<Move>) -> Result<Position, TranscriptError> {
    let ten = Position::start(Board::TEN).expect("10x10 has a start");
    let Some(first) = first else { return Ok(ten) };
    let mut starts = Board::PLAYED.into_iter().filter_map(Position::start);
    starts.find(|start| start.is_legal(first)).ok_or(TranscriptError::NoStart(first))
}

fn syntax(dialect: Dialect, problem: String) -> TranscriptError {
    TranscriptError::Syntax { dialect: dialect.name(), problem }
}

/// A piece of hostile text, cut to what fits in a message.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}

/// Adds to a comment what is said further, on a line of its own.
fn append(comment: &mut String, text: &str) {
    if !comment.is_empty() && !text.is_empty() {
        comment.push('\n');
    }
    comment.push_str(text);
}

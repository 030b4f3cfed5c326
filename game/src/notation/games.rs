//! Reads and writes whole games: finds out in which dialect a text is.

use super::characters::{is_blank, normalised};
use super::heads::{Head, is_contest_header, is_header, is_move_like, without_number};
use super::transcript::{Dialect, Transcript, TranscriptError};
use super::{botzone, contest, sau, sgf, text};
use crate::board::Board;
use crate::position::Position;

impl Transcript {
    /// Reads a game in any dialect; of a collection the first. All moves, those of variations too, must be legal.
    ///
    /// # Errors
    /// When the text follows no dialect or a move is illegal.
    pub fn read(text: &str) -> Result<Transcript, TranscriptError> {
        read_first(normalised(text).trim_matches(is_blank)).map(|(game, _)| game)
    }

    /// Reads all games of a text, one after another; what [`Transcript::write`] wrote may be joined.
    ///
    /// # Errors
    /// As [`Transcript::read`], with the number of the game from the second on.
    pub fn read_all(text: &str) -> Result<Vec<Transcript>, TranscriptError> {
        let text = normalised(text);
        let mut games = Vec::new();
        let mut rest = text.trim_matches(is_blank);
        loop {
            let (game, after) = read_first(rest).map_err(|error| match games.len() {
                0 => error,
                before => TranscriptError::Game { number: before + 1, error: Box::new(error) },
            })?;
            games.push(game);
            rest = after;
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
            Dialect::Text => text::write(self),
            Dialect::Sgf => sgf::write(self),
            Dialect::LittleGolem => sgf::write_little_golem(self),
            Dialect::Contest => contest::write(self),
            Dialect::Botzone => botzone::write(self),
            Dialect::Sau => sau::write(self),
        })
    }
}

/// The dialect that the front of a text is in; `None` when it is in none.
fn dialect_of(text: &str) -> Option<Dialect> {
    let first_line = text.lines().next().unwrap_or_default();
    if text.starts_with('(') && sgf::begins_a_game(text) {
        Some(Dialect::Sgf)
    } else if botzone::is_json(text) || botzone::is_plain(text) {
        Some(Dialect::Botzone)
    } else if sau::is_log(first_line) {
        Some(Dialect::Sau)
    } else if is_contest_header(first_line) {
        Some(Dialect::Contest)
    } else if text.starts_with('{') || is_header(first_line) || begins_with_move(text) {
        Some(Dialect::Text)
    } else {
        None
    }
}

/// Whether a move stands first, or behind its number.
fn begins_with_move(text: &str) -> bool {
    is_move_like(text) || is_move_like(without_number(text).trim_start())
}

/// Reads the first game of a text that begins with no blank, and gives what follows it without blanks.
fn read_first(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let (text, dialect) = match dialect_of(text) {
        // Mail and pages have words before a game of SGF.
        None => match sgf::find(text) {
            Some(game) => (game, Dialect::Sgf),
            None if text.starts_with('(') => (text, Dialect::Sgf),
            None => (text, Dialect::Text),
        },
        Some(dialect) => (text, dialect),
    };
    let (game, after) = match dialect {
        Dialect::Sgf | Dialect::LittleGolem => sgf::read(text),
        Dialect::Botzone => botzone::read(text),
        Dialect::Sau => sau::read(text),
        Dialect::Contest => contest::read(text),
        Dialect::Text => text::read(Head::default(), text),
    }?;
    let after = after.trim_start_matches(is_blank);
    let ends_in_words = dialect == Dialect::Sgf && !after.is_empty() && dialect_of(after).is_none();
    Ok((game, if ends_in_words { sgf::behind(after)? } else { after }))
}

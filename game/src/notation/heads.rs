//! What stands before the moves of a text game, and how its first line is known.

use super::characters::is_blank;
use super::ending::named;
use super::transcript::{Dialect, TranscriptError, syntax};
use crate::excerpt::excerpt;
use crate::fen::FenError;
use crate::moves::is_dash;
use crate::position::Position;
use crate::side::Side;

/// What a game says before its moves.
#[derive(Default)]
pub(super) struct Head {
    pub(super) start: Option<Position>,
    /// The names of White and of Black.
    pub(super) players: [String; 2],
    pub(super) winner: Option<Side>,
    pub(super) comment: String,
}

impl Head {
    /// Takes in the header lines at the front of a text, and gives what follows them.
    pub(super) fn read_lines<'a>(&mut self, text: &'a str) -> Result<&'a str, TranscriptError> {
        let problem = |problem| syntax(Dialect::Text, problem);
        let mut given: Vec<&str> = Vec::new();
        let mut rest = text;
        while let Some((line, after)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
            let (key, value) = key_and_value(line);
            // A second start is the next game's; nothing else tells two games' headers apart.
            if key != "start" && KEYS.contains(&key) && given.contains(&key) {
                return Err(problem(format!("the header '{key}' is given twice")));
            }
            if KEYS.contains(&key) {
                given.push(key);
            }
            match key {
                "start" if self.start.is_some() => break,
                "start" => {
                    self.start = Some(value.parse().map_err(|error: FenError| problem(error.to_string()))?);
                }
                "white" => value.clone_into(&mut self.players[0]),
                "black" => value.clone_into(&mut self.players[1]),
                "winner" => {
                    let unknown =
                        || problem(format!("'{}' is no winner: expected white or black", excerpt(value)));
                    self.winner = Some(named(value).ok_or_else(unknown)?);
                }
                "" => {}
                _ => break,
            }
            rest = after;
        }
        Ok(rest)
    }

    /// Whether nothing has been said.
    pub(super) fn is_empty(&self) -> bool {
        self.start.is_none()
            && self.winner.is_none()
            && self.comment.is_empty()
            && self.players.iter().all(String::is_empty)
    }
}

/// The header's name on a line and its value.
fn key_and_value(line: &str) -> (&str, &str) {
    let line = line.trim_matches(is_blank);
    line.split_once(' ').map_or((line, ""), |(key, value)| (key, value.trim()))
}

/// The names of our headers.
const KEYS: [&str; 4] = ["start", "white", "black", "winner"];

/// Whether a line opens a game: a header of ours, or the contest's.
pub(super) fn is_header(line: &str) -> bool {
    KEYS.contains(&key_and_value(line).0) || is_contest_header(line)
}

/// Whether a line is the header of a contest's record: `#[AM][first][second][who won][date and place][event];`, and
/// what programs make of it.
pub(super) fn is_contest_header(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("[AM]") || line.strip_prefix('#').is_some_and(|line| line.trim_start().starts_with('['))
}

/// A name as a line has room for it.
pub(super) fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a character may stand between moves: white space, and what contest programs write.
pub(super) fn separates(c: char) -> bool {
    is_blank(c) || matches!(c, ';' | '；')
}

/// The text behind a move's number, which may be glued to the move: `1.`, `12...`, `3、`.
pub(super) fn without_number(text: &str) -> &str {
    text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', '、', ':', '…'])
}

/// Whether a text begins with a move, or what is meant as one: a square and another, with a number before them or
/// not.
pub(super) fn is_move_like(text: &str) -> bool {
    let square = |text: &str| {
        let letter = text.chars().next().filter(|c| matches!(c.to_ascii_lowercase(), 'a'..='j'))?;
        let behind = text[letter.len_utf8()..].trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let is_square = behind < text.len() - 1;
        is_square.then(|| text.len() - behind)
    };
    let text = without_number(text);
    let Some(end) = square(text) else { return false };
    let behind = &text[end..];
    square(behind.strip_prefix(is_dash).unwrap_or(behind)).is_some()
}

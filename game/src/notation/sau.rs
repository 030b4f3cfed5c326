//! The lines of the SAU platform.

use std::iter;

use super::letters::{move_from_letters, move_to_letters};
use super::transcript::{Dialect, Transcript, TranscriptError, syntax};
use crate::board::Board;
use crate::excerpt::excerpt;
use crate::moves::Move;
use crate::position::Position;

/// Whether the first line of a text is one of a log.
pub(super) fn is_log(first_line: &str) -> bool {
    let line = first_line.trim();
    let is_name =
        line.strip_prefix("name").is_some_and(|name| name == "?" || name.split_whitespace().count() == 1);
    is_name || ["new black", "new white"].contains(&line) || line.starts_with("move ")
}

/// Reads the `move` lines of a log, up to the next game; its other lines are commands that say nothing of the game.
pub(super) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let mut moves: Vec<Move> = Vec::new();
    let (mut at, mut is_begun) = (0, false);
    for line in text.split_inclusive('\n') {
        let command = line.trim();
        if command.starts_with("new ") {
            if is_begun {
                break;
            }
            is_begun = true;
        } else if let Some(letters) = command.strip_prefix("move ") {
            is_begun = true;
            let problem =
                || syntax(Dialect::Sau, format!("'{}' is not six letters from A to J", excerpt(letters)));
            moves.push(move_from_letters(Board::TEN, letters.trim()).ok_or_else(problem)?);
        }
        at += line.len();
    }
    let start = Position::start(Board::TEN).expect("10x10 has a start");
    Ok((Transcript::new(start, &moves)?, &text[at..]))
}

/// What the first player is told and answers.
pub(super) fn write(transcript: &Transcript) -> String {
    let line = |m| format!("move {}\n", move_to_letters(Board::TEN, m).to_ascii_uppercase());
    iter::once("new black\n".to_owned()).chain(transcript.moves().map(line)).collect()
}

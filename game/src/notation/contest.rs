//! The record of the Chinese computer games contest: a line about the game, then moves as in plain text.

use std::fmt::Write as _;

use super::characters::TAKES_ALL;
use super::heads::{Head, is_move_like, one_line, separates};
use super::text;
use super::transcript::{Transcript, TranscriptError};
use crate::side::Side;

/// Reads the record at the front of a text, and gives what follows it.
pub(super) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let (head, moves) = read_header(text);
    text::read(head, moves)
}

/// Reads the header at the front of a text, and gives what follows it. Programs leave out brackets, and write words
/// behind them: all up to the first move or comment of the line belongs to the header.
fn read_header(text: &str) -> (Head, &str) {
    let line = text.lines().next().unwrap_or_default();
    let mut fields = Vec::new();
    let mut rest = line;
    while let Some(first) = rest.chars().next() {
        if first == '{' || is_move_like(rest) {
            break;
        }
        if let Some((field, after)) = rest.strip_prefix('[').and_then(|inside| inside.split_once(']')) {
            fields.push(field.trim());
            rest = after;
        } else if separates(first) {
            rest = &rest[first.len_utf8()..];
        } else {
            let behind = &rest[first.len_utf8()..];
            rest = behind.find(|c| c == '[' || c == '{' || separates(c)).map_or("", |end| &behind[end..]);
        }
    }
    let name = |place: usize| fields.get(place).copied().unwrap_or_default().to_owned();
    let winner = match fields.get(3) {
        Some(&"先手胜") => Some(Side::White),
        Some(&"后手胜") => Some(Side::Black),
        _ => None,
    };
    let head = Head { players: [name(1), name(2)], winner, ..Head::default() };
    (head, &text[line.len() - rest.len()..])
}

/// `#[AM][first][second][who won][date and place][event];`, then numbered pairs of moves.
pub(super) fn write(transcript: &Transcript) -> String {
    let [white, black] = transcript.players.each_ref().map(|name| one_line(name).replace(['[', ']'], ""));
    let winner = match transcript.winner {
        Some(Side::White) => "先手胜",
        Some(Side::Black) => "后手胜",
        None => "",
    };
    let mut out = format!("#[AM][{white}][{black}][{winner}][][];\n");
    let moves: Vec<String> = transcript.moves().map(|m| format!("{}{}({})", m.from, m.to, m.arrow)).collect();
    for (turn, pair) in moves.chunks(2).enumerate() {
        writeln!(out, "{} {}", turn + 1, pair.join(" ")).expect(TAKES_ALL);
    }
    out
}

//! Writes games as SGF, and as Little Golem does.

use std::fmt::Write as _;

use super::tree::escaped;
use crate::board::Board;
use crate::notation::characters::TAKES_ALL;
use crate::notation::letters::{move_to_letters, point};
use crate::notation::transcript::{Ply, Transcript};
use crate::side::Side;

pub(in crate::notation) fn write(transcript: &Transcript) -> String {
    let board = transcript.start.board();
    let setup = transcript.start.setup();
    let size = if board.is_square() {
        board.files().to_string()
    } else {
        format!("{}:{}", board.files(), board.ranks())
    };
    let mut out = format!("(;FF[4]GM[18]CA[UTF-8]SZ[{size}]");
    head(&mut out, transcript, ["B", "W"]);
    for (name, set) in [("AB", setup.amazons[0]), ("AW", setup.amazons[1]), ("AA", setup.arrows)] {
        if !set.is_empty() {
            out.push_str(name);
            out.extend(set.into_iter().map(|square| format!("[{}]", point(board, square))));
        }
    }
    out.push_str(if setup.side == Side::White { "PL[B]" } else { "PL[W]" });
    transcript.properties.iter().for_each(|property| property.write(&mut out));
    property(&mut out, "C", &transcript.comment);
    let side = setup.side;
    write_line(&mut out, board, &transcript.line, side);
    out.push_str(")\n");
    out
}

/// Names and result, with the letters that the dialect gives White and Black.
fn head(out: &mut String, transcript: &Transcript, letters: [&str; 2]) {
    for (letter, name) in letters.into_iter().zip(&transcript.players) {
        property(out, &format!("P{letter}"), name);
    }
    let is_told = transcript.properties.iter().any(|property| property.name() == "RE");
    if let Some(winner) = transcript.winner.filter(|_| !is_told || letters[0] == "W") {
        property(out, "RE", &format!("{}+", letters[winner.index()]));
    }
}

fn property(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        write!(out, "{name}[{}]", escaped(value)).expect(TAKES_ALL);
    }
}

fn write_line(out: &mut String, board: Board, line: &[Ply], mut side: Side) {
    for (index, ply) in line.iter().enumerate() {
        let branches = !ply.variations.is_empty();
        if branches {
            out.push('(');
        }
        let letter = if side == Side::White { "B" } else { "W" };
        write!(out, "\n;{letter}[{}]", move_to_letters(board, ply.played)).expect(TAKES_ALL);
        ply.properties.iter().for_each(|property| property.write(out));
        property(out, "C", &ply.comment);
        if branches {
            // The rest of the line belongs to the first branch, the variations stand beside it.
            write_line(out, board, &line[index + 1..], !side);
            out.push(')');
            for variation in &ply.variations {
                out.push('(');
                write_line(out, board, variation, side);
                out.push(')');
            }
            return;
        }
        side = !side;
    }
}

pub(in crate::notation) fn write_little_golem(transcript: &Transcript) -> String {
    let mut out = "(;FF[4]".to_owned();
    head(&mut out, transcript, ["W", "B"]);
    for (index, m) in transcript.moves().enumerate() {
        let letter = if index % 2 == 0 { 'W' } else { 'B' };
        write!(out, ";{letter}[{m}]").expect(TAKES_ALL);
    }
    out.push_str(")\n");
    out
}

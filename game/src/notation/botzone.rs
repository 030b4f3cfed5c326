//! Botzone's games: six numbers a move, in JSON or in plain lines.

use super::transcript::{Dialect, Transcript, TranscriptError, start_for, syntax};
use crate::excerpt::excerpt;
use crate::moves::Move;
use crate::square::{MAX_SIDE, Square};

/// No move: the first request to the first player.
const NONE: [i32; 6] = [-1; 6];
const KEYS: [&str; 6] = ["x0", "y0", "x1", "y1", "x2", "y2"];

/// The numbers x0 y0 x1 y1 x2 y2 of a move: files and ranks of from, to and arrow, from 0.
pub fn move_to_numbers(m: Move) -> [i32; 6] {
    let [from, to, arrow] =
        [m.from, m.to, m.arrow].map(|square| [square.file(), square.rank()].map(i32::from));
    [from[0], from[1], to[0], to[1], arrow[0], arrow[1]]
}

/// The move of six numbers; `None` when one of them is not from 0 to 9.
pub fn move_from_numbers(numbers: [i32; 6]) -> Option<Move> {
    if numbers.iter().any(|number| !(0..i32::from(MAX_SIDE)).contains(number)) {
        return None;
    }
    let [x0, y0, x1, y1, x2, y2] = numbers.map(|number| number as u8);
    Some(Move { from: Square::new(x0, y0), to: Square::new(x1, y1), arrow: Square::new(x2, y2) })
}

/// Whether a text is a JSON object, and no comment in braces: whether a key stands first in it.
pub(super) fn is_json(text: &str) -> bool {
    let key = text.strip_prefix('{').and_then(|inside| inside.trim_start().strip_prefix('"'));
    key.and_then(|key| key.split_once('"')).is_some_and(|(_, after)| after.trim_start().starts_with(':'))
}

/// Whether a text is a number of turns and lines of six numbers.
pub(super) fn is_plain(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(is_turn_number)
        && lines.next().is_some_and(|line| line.split_whitespace().count() == 6)
}

/// Whether a line is the number of turns that a plain game begins with.
fn is_turn_number(line: &str) -> bool {
    line.trim().parse::<u32>().is_ok()
}

/// Reads the first game of a text, and gives what follows it.
pub(super) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let is_json = text.starts_with('{');
    let (text, after) = text.split_at(if is_json { object_end(text)? } else { plain_end(text) });
    let all = if is_json { from_json(text)? } else { from_plain(text)? };
    let skipped = usize::from(all.first() == Some(&NONE));
    let moves = all[skipped..].iter().map(|&numbers| {
        let problem = || syntax(Dialect::Botzone, format!("{numbers:?} is not six numbers from 0 to 9"));
        move_from_numbers(numbers).ok_or_else(problem)
    });
    let moves: Vec<Move> = moves.collect::<Result<_, _>>()?;
    Ok((Transcript::new(start_for(moves.first().copied())?, &moves)?, after))
}

/// Where the JSON object at the front of a text ends.
fn object_end(text: &str) -> Result<usize, TranscriptError> {
    let (mut depth, mut in_string, mut escaped) = (0, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => {
                depth -= 1;
                if depth == 0 {
                    return Ok(at + 1);
                }
            }
            _ => {}
        }
    }
    Err(syntax(Dialect::Botzone, format!("no end of the object '{}'", excerpt(text))))
}

/// Where the plain game at the front of a text ends: at the next game's number of turns.
fn plain_end(text: &str) -> usize {
    let mut at = 0;
    for (index, line) in text.split_inclusive('\n').enumerate() {
        if index > 0 && is_turn_number(line) {
            return at;
        }
        at += line.len();
    }
    at
}

fn from_plain(text: &str) -> Result<Vec<[i32; 6]>, TranscriptError> {
    let lines = text.lines().skip(1).filter(|line| !line.trim().is_empty());
    lines
        .map(|line| {
            let numbers = line.split_whitespace().map(str::parse).collect::<Result<Vec<i32>, _>>();
            let six = numbers.ok().and_then(|numbers| numbers.try_into().ok());
            six.ok_or_else(|| syntax(Dialect::Botzone, format!("'{}' is not six numbers", excerpt(line))))
        })
        .collect()
}

/// Requests and responses in turn.
fn from_json(text: &str) -> Result<Vec<[i32; 6]>, TranscriptError> {
    let requests = list(text, "requests")?;
    let responses = list(text, "responses")?;
    if requests.len() != responses.len() && requests.len() != responses.len() + 1 {
        let (asked, answered) = (requests.len(), responses.len());
        let problem = format!("{asked} requests do not go with {answered} responses");
        return Err(syntax(Dialect::Botzone, problem));
    }
    let mut all = Vec::with_capacity(requests.len() + responses.len());
    for (turn, request) in requests.into_iter().enumerate() {
        all.push(request);
        all.extend(responses.get(turn).copied());
    }
    Ok(all)
}

/// The objects of the list under `key`: flat ones with the six keys, in any order.
fn list(text: &str, key: &str) -> Result<Vec<[i32; 6]>, TranscriptError> {
    let problem = |problem: String| syntax(Dialect::Botzone, problem);
    let after = text.split_once(&format!("\"{key}\"")).map(|(_, after)| after.trim_start());
    let inside = after
        .and_then(|after| after.strip_prefix(':')?.trim_start().strip_prefix('['))
        .and_then(|after| after.split_once(']'))
        .map(|(inside, _)| inside)
        .ok_or_else(|| problem(format!("there is no list of {key}")))?;
    inside
        .split('}')
        .map(|object| object.trim_matches(|c: char| c.is_whitespace() || c == ',' || c == '{'))
        .filter(|object| !object.is_empty())
        .map(|object| {
            let mut numbers = NONE;
            for (key, number) in KEYS.iter().zip(&mut numbers) {
                let value =
                    object.split(',').filter_map(|pair| pair.split_once(':')).find_map(|(name, value)| {
                        (name.trim().trim_matches('"') == *key).then(|| value.trim().parse().ok()).flatten()
                    });
                *number =
                    value.ok_or_else(|| problem(format!("'{}' has no number {key}", excerpt(object))))?;
            }
            Ok(numbers)
        })
        .collect()
}

/// The JSON that the side to move at the end would be sent.
pub(super) fn write(transcript: &Transcript) -> String {
    let moves: Vec<[i32; 6]> = transcript.moves().map(move_to_numbers).collect();
    let first_is_asked = moves.len().is_multiple_of(2);
    let all: Vec<[i32; 6]> =
        if first_is_asked { std::iter::once(NONE).chain(moves).collect() } else { moves };
    let objects = |from: usize| {
        let object = |numbers: &[i32; 6]| {
            let pairs: Vec<String> =
                KEYS.iter().zip(numbers).map(|(key, number)| format!("\"{key}\":{number}")).collect();
            format!("{{{}}}", pairs.join(","))
        };
        all[from.min(all.len())..].iter().step_by(2).map(object).collect::<Vec<_>>().join(",")
    };
    format!("{{\"requests\":[{}],\"responses\":[{}]}}\n", objects(0), objects(1))
}

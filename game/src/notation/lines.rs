//! Games as plain lines: our own text, the Chinese contest record and SAU's lines.

use std::fmt::Write as _;
use std::iter;

use super::{
    Dialect, MOST_NESTED, Ply, TAKES_ALL, Transcript, TranscriptError, append, move_from_letters,
    move_to_letters, play, shown, start_for, syntax,
};
use crate::board::Board;
use crate::moves::Move;
use crate::position::Position;
use crate::side::Side;

/// Reads headers, then moves in any spelling with move numbers, comments in braces and variations in parentheses;
/// a first line that begins with `#` is the contest's header. A line that can only be another game's header ends the
/// game; gives what follows it.
pub(super) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let mut start = None;
    let mut players = [String::new(), String::new()];
    let mut winner = None;
    let mut rest = text;
    if text.starts_with('#') {
        let first_line = text.lines().next().unwrap_or_default();
        let (header, after) = text.split_at(first_line.rfind(']').map_or(first_line.len(), |end| end + 1));
        let fields: Vec<&str> = header.split('[').skip(1).filter_map(|part| part.split(']').next()).collect();
        for (player, name) in players.iter_mut().zip(fields.iter().skip(1)) {
            (*name).clone_into(player);
        }
        winner = match fields.get(3) {
            Some(&"先手胜") => Some(Side::White),
            Some(&"后手胜") => Some(Side::Black),
            _ => None,
        };
        rest = after;
    }
    while let Some((line, after)) = rest.split_once('\n').or((!rest.is_empty()).then_some((rest, ""))) {
        let (key, value) = key_and_value(line);
        match key {
            "start" if start.is_some() => break,
            "start" => {
                let parsed = value.parse::<Position>();
                start = Some(parsed.map_err(|error| syntax(Dialect::Text, error.to_string()))?);
            }
            "white" => value.clone_into(&mut players[0]),
            "black" => value.clone_into(&mut players[1]),
            "winner" => winner = Side::ALL.into_iter().find(|side| side.to_string() == value),
            "" => {}
            _ => break,
        }
        rest = after;
    }
    let mut reader = Reader { rest, at_line_start: true };
    let mut comment = String::new();
    while let Some(Token::Comment(text)) = reader.peek()? {
        reader.next()?;
        append(&mut comment, &text);
    }
    let start = match start {
        Some(start) => start,
        None => start_for(match reader.peek()? {
            Some(Token::Move(m)) => Some(m),
            _ => None,
        })?,
    };
    let (line, last) = reader.line(start, 0, 0)?;
    let winner = winner.or(last.winner());
    Ok((Transcript { start, players, winner, comment, properties: Vec::new(), line }, reader.rest))
}

fn key_and_value(line: &str) -> (&str, &str) {
    line.trim().split_once(' ').unwrap_or((line.trim(), ""))
}

/// Whether a line opens a game: a header of ours, or the contest's.
fn is_header(line: &str) -> bool {
    ["start", "white", "black", "winner"].contains(&key_and_value(line).0) || line.starts_with("#[")
}

/// What may stand between moves besides white space, as contest programs write it.
const SEPARATORS: [char; 2] = [';', '；'];

enum Token {
    Move(Move),
    Comment(String),
    Open,
    Close,
}

#[derive(Clone)]
struct Reader<'a> {
    rest: &'a str,
    /// Whether only white space stands before `rest` on its line.
    at_line_start: bool,
}

impl Reader<'_> {
    fn peek(&self) -> Result<Option<Token>, TranscriptError> {
        self.clone().next()
    }

    /// The next token; `None` at the end of the game.
    fn next(&mut self) -> Result<Option<Token>, TranscriptError> {
        loop {
            let rest = self.rest.trim_start_matches(|c: char| c.is_whitespace() || SEPARATORS.contains(&c));
            self.at_line_start |= self.rest[..self.rest.len() - rest.len()].contains('\n');
            self.rest = rest;
            let Some(first) = rest.chars().next() else { return Ok(None) };
            if self.at_line_start && is_header(rest.lines().next().unwrap_or_default()) {
                return Ok(None);
            }
            self.at_line_start = false;
            if let '(' | ')' = first {
                self.rest = &self.rest[1..];
                return Ok(Some(if first == '(' { Token::Open } else { Token::Close }));
            }
            if first == '{' {
                return self.comment().map(|text| Some(Token::Comment(text)));
            }
            // A move may hold one pair of parentheses; a closing one alone ends a variation.
            let mut open = false;
            let end = self.rest.find(|c: char| {
                let closes = c == ')' && !open;
                open |= c == '(';
                c.is_whitespace() || closes || c == '{' || SEPARATORS.contains(&c)
            });
            let (word, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = after;
            if !word.trim_end_matches('.').bytes().all(|byte| byte.is_ascii_digit()) {
                let m = word.parse();
                let problem = |_| syntax(Dialect::Text, format!("'{}' is no move", shown(word)));
                return m.map(|m| Some(Token::Move(m))).map_err(problem);
            }
        }
    }

    fn comment(&mut self) -> Result<String, TranscriptError> {
        let mut text = String::new();
        let mut chars = self.rest.char_indices().skip(1);
        while let Some((at, c)) = chars.next() {
            match c {
                '}' => {
                    self.rest = &self.rest[at + 1..];
                    return Ok(text);
                }
                '\\' => text.extend(chars.next().map(|(_, escaped)| escaped)),
                _ => text.push(c),
            }
        }
        Err(syntax(Dialect::Text, format!("no end of the comment '{}'", shown(self.rest))))
    }

    /// Reads a line of play up to its closing parenthesis or the end; gives its last position too.
    fn line(
        &mut self,
        start: Position,
        plies_before: usize,
        depth: usize,
    ) -> Result<(Vec<Ply>, Position), TranscriptError> {
        let problem = |problem: &str| Err(syntax(Dialect::Text, problem.to_owned()));
        let mut line: Vec<Ply> = Vec::new();
        let (mut before, mut position) = (start, start);
        loop {
            match self.next()? {
                Some(Token::Move(m)) => {
                    before = position;
                    position = play(&position, m, plies_before + line.len() + 1)?;
                    line.push(Ply::new(m));
                }
                Some(Token::Comment(text)) => match line.last_mut() {
                    Some(ply) => append(&mut ply.comment, &text),
                    None => return problem("a variation starts with a comment"),
                },
                Some(Token::Open) => {
                    if depth >= MOST_NESTED {
                        return problem("variations are nested too deeply");
                    }
                    let plies = plies_before + line.len();
                    let Some(ply) = line.last_mut() else { return problem("a variation of no move") };
                    let (mut variation, _) = self.line(before, plies - 1, depth + 1)?;
                    // Variations of a variation's first move are further ones of the move it replaces.
                    let more = variation.first_mut().map(|first| std::mem::take(&mut first.variations));
                    if !variation.is_empty() {
                        ply.variations.push(variation);
                    }
                    ply.variations.extend(more.into_iter().flatten());
                }
                Some(Token::Close) if depth > 0 => return Ok((line, position)),
                None if depth == 0 => return Ok((line, position)),
                Some(Token::Close) => return problem("')' closes no variation"),
                None => return problem("a variation has no end"),
            }
        }
    }
}

pub(super) fn write(transcript: &Transcript) -> String {
    let mut out = format!("start {}\n", transcript.start);
    for (key, name) in ["white", "black"].into_iter().zip(&transcript.players) {
        let name = one_line(name);
        if !name.is_empty() {
            writeln!(out, "{key} {name}").expect(TAKES_ALL);
        }
    }
    if let Some(winner) = transcript.winner {
        writeln!(out, "winner {winner}").expect(TAKES_ALL);
    }
    out.push('\n');
    write_comment(&mut out, &transcript.comment);
    write_line(&mut out, &transcript.line, 0);
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

fn one_line(name: &str) -> String {
    name.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn write_comment(out: &mut String, comment: &str) {
    if !comment.is_empty() {
        let escaped = comment.replace('\\', "\\\\").replace('}', "\\}");
        write!(out, "{{{escaped}}} ").expect(TAKES_ALL);
    }
}

fn write_line(out: &mut String, line: &[Ply], plies_before: usize) {
    for (ply, number) in line.iter().zip(plies_before..) {
        if number.is_multiple_of(2) {
            write!(out, "{}. ", number / 2 + 1).expect(TAKES_ALL);
        }
        write!(out, "{} ", ply.played).expect(TAKES_ALL);
        write_comment(out, &ply.comment);
        for variation in &ply.variations {
            out.push_str("( ");
            write_line(out, variation, number);
            out.push_str(") ");
        }
        if !number.is_multiple_of(2) && plies_before == 0 {
            out.pop();
            out.push('\n');
        }
    }
}

/// `#[AM][first][second][who won][date and place][event];`, then numbered pairs of moves.
pub(super) fn write_contest(transcript: &Transcript) -> String {
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

/// Reads the `move` lines of a log, up to the next game; its other lines are commands that say nothing of the game.
pub(super) fn read_sau(text: &str) -> Result<(Transcript, &str), TranscriptError> {
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
                || syntax(Dialect::Sau, format!("'{}' is not six letters from A to J", shown(letters)));
            moves.push(move_from_letters(Board::TEN, letters.trim()).ok_or_else(problem)?);
        }
        at += line.len();
    }
    let start = Position::start(Board::TEN).expect("10x10 has a start");
    Ok((Transcript::new(start, &moves)?, &text[at..]))
}

/// What the first player is told and answers.
pub(super) fn write_sau(transcript: &Transcript) -> String {
    let line = |m| format!("move {}\n", move_to_letters(Board::TEN, m).to_ascii_uppercase());
    iter::once("new black\n".to_owned()).chain(transcript.moves().map(line)).collect()
}

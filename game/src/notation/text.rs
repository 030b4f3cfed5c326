//! Games as plain lines: headers, moves in any spelling, comments in braces and variations in parentheses.

use std::fmt::Write as _;

use super::characters::{TAKES_ALL, append};
use super::ending::Ending;
use super::heads::{Head, is_header, one_line, separates, without_number};
use super::transcript::{Dialect, MOST_NESTED, Ply, Transcript, TranscriptError, play, start_for, syntax};
use crate::excerpt::excerpt;
use crate::moves::Move;
use crate::position::Position;
use crate::side::Side;

fn problem(problem: &str) -> TranscriptError {
    syntax(Dialect::Text, problem.to_owned())
}

/// Reads a game behind `head`, which other dialects begin with. A line that can only be another game's header ends the
/// game, as who won does; gives what follows it.
pub(super) fn read(mut head: Head, text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let mut reader = Reader { rest: text, at_line_start: true };
    reader.comments(&mut head.comment)?;
    reader.rest = head.read_lines(reader.rest)?;
    reader.at_line_start = true;
    reader.comments(&mut head.comment)?;
    let start = match (head.start, reader.peek()?) {
        (Some(start), _) => start,
        (None, Some(Token::Move(m))) => start_for(Some(m))?,
        (None, None | Some(Token::End(_))) if head.is_empty() => return Err(problem("there is no game")),
        (None, _) => start_for(None)?,
    };
    let Line { mut plies, last, winner } = reader.line(start, 0, 0)?;
    reader.words_behind(plies.last_mut().map_or(&mut head.comment, |ply| &mut ply.comment), winner)?;
    let winner = match (head.winner, winner) {
        (Some(told), Some(found)) if told != found => {
            let message = format!("the header says that {told} won, the end of the moves that {found} did");
            return Err(problem(&message));
        }
        (told, found) => told.or(found).or(last.winner()),
    };
    let Head { players, comment, .. } = head;
    Ok((Transcript { start, players, winner, comment, properties: Vec::new(), line: plies }, reader.rest))
}

/// A line of play.
struct Line {
    plies: Vec<Ply>,
    /// The position at its end.
    last: Position,
    /// Who won, where the text says so there.
    winner: Option<Side>,
}

enum Token {
    Move(Move),
    Comment(String),
    Open,
    Close,
    End(Ending),
}

#[derive(Clone)]
struct Reader<'a> {
    rest: &'a str,
    /// Whether only white space stands before `rest` on its line.
    at_line_start: bool,
}

impl Reader<'_> {
    /// Skips what stands between moves.
    fn skip_blanks(&mut self) {
        let rest = self.rest.trim_start_matches(separates);
        self.at_line_start |= self.rest[..self.rest.len() - rest.len()].contains('\n');
        self.rest = rest;
    }

    /// Reads the comments that stand here, and adds them to others.
    fn comments(&mut self, to: &mut String) -> Result<(), TranscriptError> {
        loop {
            self.skip_blanks();
            if !self.rest.starts_with('{') {
                return Ok(());
            }
            append(to, &self.comment()?);
            self.at_line_start = false;
        }
    }

    /// Reads what may stand behind a game's end: comments, and the result in other words.
    fn words_behind(&mut self, comment: &mut String, winner: Option<Side>) -> Result<(), TranscriptError> {
        loop {
            self.comments(comment)?;
            let Some((Ending::Won(side), rest)) = Ending::at_front(self.rest).filter(|_| winner.is_some())
            else {
                return Ok(());
            };
            if Some(side) != winner {
                return Err(problem("two results that contradict each other"));
            }
            self.rest = rest;
        }
    }

    fn peek(&self) -> Result<Option<Token>, TranscriptError> {
        self.clone().next()
    }

    /// The next token; `None` at the end of the game.
    fn next(&mut self) -> Result<Option<Token>, TranscriptError> {
        loop {
            self.skip_blanks();
            let Some(first) = self.rest.chars().next() else { return Ok(None) };
            // "White resigns" is no header.
            if let Some((ending, rest)) = Ending::at_front(self.rest) {
                self.rest = rest;
                return Ok(Some(Token::End(ending)));
            }
            if self.at_line_start && is_header(self.rest.lines().next().unwrap_or_default()) {
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
                closes || c == '{' || separates(c)
            });
            let (word, after) = self.rest.split_at(end.unwrap_or(self.rest.len()));
            self.rest = after;
            let spelling = without_number(word);
            if !spelling.is_empty() {
                let m = spelling.parse();
                let problem = |_| syntax(Dialect::Text, format!("'{}' is no move", excerpt(word)));
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
        Err(syntax(Dialect::Text, format!("no end of the comment '{}'", excerpt(self.rest))))
    }

    /// Reads a line of play up to its closing parenthesis, or the game up to its end.
    fn line(&mut self, start: Position, plies_before: usize, depth: usize) -> Result<Line, TranscriptError> {
        let mut line = Line { plies: Vec::new(), last: start, winner: None };
        let mut before = start;
        loop {
            match self.next()? {
                Some(Token::Move(m)) => {
                    before = line.last;
                    line.last = play(&before, m, plies_before + line.plies.len() + 1)?;
                    line.plies.push(Ply::new(m));
                }
                Some(Token::Comment(text)) => match line.plies.last_mut() {
                    Some(ply) => append(&mut ply.comment, &text),
                    None => return Err(problem("a variation starts with a comment")),
                },
                Some(Token::Open) => {
                    if depth >= MOST_NESTED {
                        return Err(problem("variations are nested too deeply"));
                    }
                    let plies = plies_before + line.plies.len();
                    let Some(ply) = line.plies.last_mut() else {
                        return Err(problem("a variation of no move"));
                    };
                    let mut variation = self.line(before, plies - 1, depth + 1)?.plies;
                    // Variations of a variation's first move are further ones of the move it replaces.
                    let more = variation.first_mut().map(|first| std::mem::take(&mut first.variations));
                    if !variation.is_empty() {
                        ply.variations.push(variation);
                    }
                    ply.variations.extend(more.into_iter().flatten());
                }
                Some(Token::End(ending)) if depth > 0 => {
                    let Some(ply) = line.plies.last_mut() else {
                        return Err(problem("a variation of no move"));
                    };
                    append(&mut ply.comment, ending.in_words());
                }
                Some(Token::End(ending)) => {
                    line.winner = match ending {
                        Ending::Won(side) => Some(side),
                        Ending::Resigned => Some(!line.last.side()),
                        Ending::Open => None,
                    };
                    return Ok(line);
                }
                Some(Token::Close) if depth > 0 => return Ok(line),
                None if depth == 0 => return Ok(line),
                Some(Token::Close) => return Err(problem("')' closes no variation")),
                None => return Err(problem("a variation has no end")),
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

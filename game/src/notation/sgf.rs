//! SGF (`FF[4]`, `GM[18]`), and the dialect of Little Golem.
//!
//! In SGF the first player is Black and the upper left corner is aa; in Little Golem's files White begins and moves
//! are written as people write them.

use std::fmt::Write as _;

use super::letters::{point, square};
use super::{
    Dialect, MOST_NESTED, Ply, TAKES_ALL, Transcript, TranscriptError, move_from_letters, move_to_letters,
    play, shown, start_for, syntax,
};
use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::moves::Move;
use crate::position::Position;
use crate::setup::Setup;
use crate::side::Side;

/// A tree of nodes, flat: children are indices, so no text nests our calls.
struct Tree {
    nodes: Vec<Node>,
}

#[derive(Default)]
struct Node {
    properties: Vec<(String, Vec<String>)>,
    children: Vec<usize>,
}

impl Node {
    fn values(&self, name: &str) -> &[String] {
        self.properties.iter().find(|(found, _)| found == name).map_or(&[], |(_, values)| values)
    }

    fn value(&self, name: &str) -> Option<&str> {
        self.values(name).first().map(String::as_str)
    }

    fn comment(&self) -> &str {
        self.value("C").unwrap_or_default()
    }

    /// The move of this node, as written, and whether it is Black's.
    fn written_move(&self) -> Option<(bool, &str)> {
        let found = |name, is_black| self.value(name).map(|text| (is_black, text.trim()));
        found("B", true).or_else(|| found("W", false)).filter(|(_, text)| !text.is_empty())
    }
}

fn problem(problem: impl Into<String>) -> TranscriptError {
    syntax(Dialect::Sgf, problem.into())
}

/// Reads the first game of a collection. What stands between values and nodes without meaning is skipped.
fn parse(text: &str) -> Result<Tree, TranscriptError> {
    let mut tree = Tree { nodes: Vec::new() };
    let mut open: Vec<Option<usize>> = Vec::new();
    let mut here: Option<usize> = None;
    let mut name = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '(' => open.push(here),
            ')' => {
                here = open.pop().ok_or_else(|| problem("')' closes nothing"))?;
                if open.is_empty() {
                    return Ok(tree);
                }
            }
            ';' => {
                if here.is_none() && !tree.nodes.is_empty() {
                    return Err(problem("a game has one root"));
                }
                let index = tree.nodes.len();
                tree.nodes.push(Node::default());
                if let Some(parent) = here {
                    tree.nodes[parent].children.push(index);
                }
                here = Some(index);
                name.clear();
            }
            '[' => {
                let value = parse_value(&mut chars)?;
                let node = here.ok_or_else(|| problem("a value stands before the first node"))?;
                let properties = &mut tree.nodes[node].properties;
                if !name.is_empty() {
                    properties.push((std::mem::take(&mut name), vec![value]));
                } else if let Some((_, values)) = properties.last_mut() {
                    values.push(value);
                } else {
                    return Err(problem(format!("'[{}]' has no property", shown(&value))));
                }
            }
            // Earlier versions of SGF allow small letters inside names, which mean nothing.
            'A'..='Z' => name.push(c),
            _ => {}
        }
    }
    Err(problem("the game has no end"))
}

fn parse_value(chars: &mut std::str::Chars<'_>) -> Result<String, TranscriptError> {
    let mut value = String::new();
    while let Some(c) = chars.next() {
        match c {
            ']' => return Ok(value),
            '\\' => match chars.next() {
                // An escaped line break is none.
                Some('\n') | None => {}
                Some(escaped) => value.push(escaped),
            },
            _ => value.push(c),
        }
    }
    Err(problem(format!("no end of the value '{}'", shown(&value))))
}

pub(super) fn read(text: &str) -> Result<Transcript, TranscriptError> {
    let tree = parse(text)?;
    let root = tree.nodes.first().ok_or_else(|| problem("there is no node"))?;
    if let Some(game) = root.value("GM").filter(|game| game.trim() != "18") {
        return Err(problem(format!("GM[{}] is another game: Amazons is GM[18]", shown(game))));
    }
    let is_little_golem = root.value("GM").is_none();
    let black_is_first = !is_little_golem;
    let start = if is_little_golem { tree.first_start()? } else { start_of(root)? };
    let names = if black_is_first { ["PB", "PW"] } else { ["PW", "PB"] };
    let winner = root.value("RE").and_then(|result| match result.trim().as_bytes() {
        [b'B', b'+', ..] => Some(if black_is_first { Side::White } else { Side::Black }),
        [b'W', b'+', ..] => Some(if black_is_first { Side::Black } else { Side::White }),
        _ => None,
    });
    let reader = Reader { tree: &tree, black_is_first };
    let mut transcript = Transcript {
        start,
        players: names.map(|name| root.value(name).unwrap_or_default().to_owned()),
        winner,
        comment: root.comment().to_owned(),
        line: Vec::new(),
    };
    if let Some((_, text)) = root.written_move() {
        return Err(problem(format!("the root has a move, '{}'", shown(text))));
    }
    transcript.line = reader.line(&root.children, start, &mut transcript.comment, 0)?;
    if transcript.winner.is_none() {
        let last = transcript.moves().fold(start, |position, m| position.play_unchecked(m));
        transcript.winner = last.winner();
    }
    Ok(transcript)
}

impl Tree {
    /// The start of a game that names none, by its first move.
    fn first_start(&self) -> Result<Position, TranscriptError> {
        let first = self.nodes.iter().find_map(Node::written_move).map(|(_, text)| {
            text.parse::<Move>().map_err(|_| problem(format!("'{}' is no move", shown(text))))
        });
        start_for(first.transpose()?)
    }
}

fn start_of(root: &Node) -> Result<Position, TranscriptError> {
    let size = root.value("SZ").unwrap_or("10");
    let (files, ranks) = size.split_once(':').unwrap_or((size, size));
    let side = |text: &str| text.trim().parse::<usize>().ok();
    let board = side(files).zip(side(ranks)).and_then(|(files, ranks)| Board::new(files, ranks).ok());
    let board = board.ok_or_else(|| problem(format!("no board of size '{}'", shown(size))))?;
    let squares = |name: &str| -> Result<Bitboard, TranscriptError> {
        root.values(name).iter().try_fold(Bitboard::EMPTY, |set, text| {
            let letters: Option<[u8; 2]> = text.trim().as_bytes().try_into().ok();
            let square = letters.and_then(|letters| square(board, letters));
            square
                .map(|square| set.with(square))
                .ok_or_else(|| problem(format!("'{}' in {name} is no point of a {board} board", shown(text))))
        })
    };
    let (amazons, arrows) = ([squares("AB")?, squares("AW")?], squares("AA")?);
    let side = match root.value("PL").map(str::trim) {
        Some("W" | "white") => Side::Black,
        _ => Side::White,
    };
    if amazons.iter().all(|set| set.is_empty()) && arrows.is_empty() {
        let start = Position::start(board);
        return start.ok_or_else(|| problem(format!("a {board} board has no start of its own")));
    }
    Position::from_setup(&Setup { board, amazons, arrows, side }).map_err(|error| problem(error.to_string()))
}

struct Reader<'a> {
    tree: &'a Tree,
    black_is_first: bool,
}

impl Reader<'_> {
    /// The line from these alternatives on; comments before its first move go to `comment`.
    fn line(
        &self,
        from: &[usize],
        mut position: Position,
        comment: &mut String,
        depth: usize,
    ) -> Result<Vec<Ply>, TranscriptError> {
        if depth > MOST_NESTED {
            return Err(problem("variations are nested too deeply"));
        }
        let mut line: Vec<Ply> = Vec::new();
        // Other lines from here, until the move comes that they stand beside.
        let mut beside: Vec<Vec<Ply>> = Vec::new();
        let mut alternatives = from;
        while let Some((&main, others)) = alternatives.split_first() {
            for &other in others {
                let mut said = String::new();
                let mut variation = self.line(&[other], position, &mut said, depth + 1)?;
                let Some(first) = variation.first_mut() else { continue };
                if !said.is_empty() {
                    first.comment.insert_str(0, &format!("{said}\n"));
                }
                // Variations of a variation's first move are further ones of the move it replaces.
                let more = std::mem::take(&mut first.variations);
                beside.push(variation);
                beside.extend(more);
            }
            let node = &self.tree.nodes[main];
            if let Some((is_black, text)) = node.written_move() {
                let m = self.read_move(&position, is_black, text)?;
                position = play(&position, m, line.len() + 1)?;
                line.push(Ply {
                    played: m,
                    comment: node.comment().to_owned(),
                    variations: std::mem::take(&mut beside),
                });
            } else {
                let place = line.last_mut().map_or(&mut *comment, |ply| &mut ply.comment);
                if !place.is_empty() && !node.comment().is_empty() {
                    place.push('\n');
                }
                place.push_str(node.comment());
            }
            alternatives = &node.children;
        }
        // Where the main line ends without a move beside which they could stand, the first of them goes on.
        if !beside.is_empty() {
            let mut next = beside.remove(0);
            next[0].variations = beside;
            line.extend(next);
        }
        Ok(line)
    }

    fn read_move(&self, position: &Position, is_black: bool, text: &str) -> Result<Move, TranscriptError> {
        let side = if is_black == self.black_is_first { Side::White } else { Side::Black };
        if side != position.side() {
            let letter = if is_black { 'B' } else { 'W' };
            return Err(problem(format!("{letter}[{}] is out of turn", shown(text))));
        }
        let found = move_from_letters(position.board(), text).or_else(|| text.parse().ok());
        found.ok_or_else(|| problem(format!("'{}' is no move", shown(text))))
    }
}

pub(super) fn write(transcript: &Transcript) -> String {
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
    if let Some(winner) = transcript.winner {
        property(out, "RE", &format!("{}+", letters[winner.index()]));
    }
}

fn property(out: &mut String, name: &str, value: &str) {
    if !value.is_empty() {
        let escaped = value.replace('\\', "\\\\").replace(']', "\\]");
        write!(out, "{name}[{escaped}]").expect(TAKES_ALL);
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

pub(super) fn write_little_golem(transcript: &Transcript) -> String {
    let mut out = "(;FF[4]".to_owned();
    head(&mut out, transcript, ["W", "B"]);
    for (index, m) in transcript.moves().enumerate() {
        let letter = if index % 2 == 0 { 'W' } else { 'B' };
        write!(out, ";{letter}[{m}]").expect(TAKES_ALL);
    }
    out.push_str(")\n");
    out
}

//! SGF (`FF[4]`, `GM[18]`), and the dialect of Little Golem.
//!
//! In SGF the first player is Black and the upper left corner is aa; in Little Golem's files White begins and moves
//! are written as people write them.

use std::fmt::Write as _;

use super::letters::{point, square};
use super::sgf_tree::{Node, Property, Tree, add, parse};
use super::{
    Dialect, MOST_NESTED, Ply, TAKES_ALL, Transcript, TranscriptError, append, move_from_letters,
    move_to_letters, play, shown, start_for, syntax,
};
use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::moves::Move;
use crate::position::Position;
use crate::setup::Setup;
use crate::side::Side;

/// Properties of the root that are a transcript's own fields, or that we write by ourselves.
const OF_THE_ROOT: [&str; 11] = ["FF", "GM", "CA", "SZ", "PB", "PW", "AB", "AW", "AA", "PL", "C"];
/// Properties of a move's node that are a ply's own fields.
const OF_A_PLY: [&str; 3] = ["B", "W", "C"];
/// Properties that change the board.
const SETUP: [&str; 4] = ["AB", "AW", "AA", "AE"];
/// Properties of Black and of White, which change places with the colours.
const OF_A_COLOUR: [[&str; 2]; 4] = [["BR", "WR"], ["BT", "WT"], ["BL", "WL"], ["OB", "OW"]];

pub(super) fn problem(problem: impl Into<String>) -> TranscriptError {
    syntax(Dialect::Sgf, problem.into())
}

/// Reads the first game of a collection, and gives what follows it.
pub(super) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let (tree, after) = parse(text)?;
    let after = after.trim_start();
    if !after.is_empty() && !after.starts_with('(') {
        return Err(problem(format!("'{}' stands behind a game", shown(after))));
    }
    Ok((transcript_of(&tree)?, after))
}

fn transcript_of(tree: &Tree) -> Result<Transcript, TranscriptError> {
    let root = tree.nodes.first().ok_or_else(|| problem("there is no node"))?;
    if let Some(game) = root.value("GM").filter(|game| game.trim() != "18") {
        return Err(problem(format!("GM[{}] is another game: Amazons is GM[18]", shown(&game))));
    }
    let black_is_first = root.value("GM").is_some();
    let start = if black_is_first { start_of(root)? } else { first_start(tree)? };
    let letters = if black_is_first { ["B", "W"] } else { ["W", "B"] };
    let result = root.value("RE").unwrap_or_default();
    let won = |letter: &str| result.trim().strip_prefix(letter).is_some_and(|rest| rest.starts_with('+'));
    let mut transcript = Transcript {
        start,
        players: letters.map(|letter| root.value(&format!("P{letter}")).unwrap_or_default()),
        winner: Side::ALL.into_iter().find(|side| won(letters[side.index()])),
        comment: root.comment(),
        properties: Vec::new(),
        line: Vec::new(),
    };
    if let Some((_, text)) = root.written_move() {
        return Err(problem(format!("the root has a move, '{}'", shown(&text))));
    }
    let reader = Reader { tree, black_is_first };
    reader.keep(root, &OF_THE_ROOT, &mut transcript.properties);
    // A result that says more than who won is kept as it stands.
    let is_all_told = !black_is_first || letters.iter().any(|letter| result == format!("{letter}+"));
    transcript.properties.retain(|property| property.name() != "RE" || !is_all_told);
    let mut before = Said::default();
    transcript.line = reader.line(&root.children, start, &mut before, 0)?;
    append(&mut transcript.comment, &before.comment);
    for property in before.properties {
        if property.name() != "RE" && !OF_THE_ROOT.contains(&property.name()) {
            add(&mut transcript.properties, property);
        }
    }
    if transcript.winner.is_none() {
        let last = transcript.moves().fold(start, |position, m| position.play_unchecked(m));
        transcript.winner = last.winner();
    }
    Ok(transcript)
}

/// The start of a game that names none, by its first move.
fn first_start(tree: &Tree) -> Result<Position, TranscriptError> {
    let first =
        tree.nodes.iter().find_map(Node::written_move).map(|(_, text)| {
            text.parse::<Move>().map_err(|_| problem(format!("'{}' is no move", shown(&text))))
        });
    start_for(first.transpose()?)
}

fn start_of(root: &Node) -> Result<Position, TranscriptError> {
    let size = root.value("SZ").unwrap_or_else(|| "10".to_owned());
    let (files, ranks) = size.split_once(':').unwrap_or((&size, &size));
    let side = |text: &str| text.trim().parse::<usize>().ok();
    let board = side(files).zip(side(ranks)).and_then(|(files, ranks)| Board::new(files, ranks).ok());
    let board = board.ok_or_else(|| problem(format!("no board of size '{}'", shown(&size))))?;
    let squares = |name: &str| -> Result<Bitboard, TranscriptError> {
        root.values(name).try_fold(Bitboard::EMPTY, |set, text| {
            let letters: Option<[u8; 2]> = text.trim().as_bytes().try_into().ok();
            let square = letters.and_then(|letters| square(board, letters));
            square.map(|square| set.with(square)).ok_or_else(|| {
                problem(format!("'{}' in {name} is no point of a {board} board", shown(&text)))
            })
        })
    };
    let (amazons, arrows) = ([squares("AB")?, squares("AW")?], squares("AA")?);
    let side = match root.value("PL").as_deref().map(str::trim) {
        Some("W" | "white") => Side::Black,
        _ => Side::White,
    };
    if amazons.iter().all(|set| set.is_empty()) && arrows.is_empty() {
        let start = Position::start(board);
        return start.ok_or_else(|| problem(format!("a {board} board has no start of its own")));
    }
    Position::from_setup(&Setup { board, amazons, arrows, side }).map_err(|error| problem(error.to_string()))
}

/// What is said where no move stands.
#[derive(Default)]
struct Said {
    comment: String,
    properties: Vec<Property>,
}

struct Reader<'a> {
    tree: &'a Tree,
    black_is_first: bool,
}

impl Reader<'_> {
    /// The line from these alternatives on; what is said before its first move goes to `before`.
    fn line(
        &self,
        from: &[usize],
        mut position: Position,
        before: &mut Said,
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
                let mut said = Said::default();
                let mut variation = self.line(&[other], position, &mut said, depth + 1)?;
                let Some(first) = variation.first_mut() else {
                    // Words without a move are about the position that they stand after.
                    say(said, &mut line, before);
                    continue;
                };
                append(&mut said.comment, &first.comment);
                first.comment = said.comment;
                said.properties.into_iter().for_each(|property| add(&mut first.properties, property));
                // Variations of a variation's first move are further ones of the move it replaces.
                let more = std::mem::take(&mut first.variations);
                beside.push(variation);
                beside.extend(more);
            }
            let node = &self.tree.nodes[main];
            if let Some(setup) = node.properties.iter().find(|property| SETUP.contains(&property.name())) {
                return Err(problem(format!(
                    "{} behind the root: only there a board is set up",
                    setup.name()
                )));
            }
            let mut said = Said { comment: node.comment(), properties: Vec::new() };
            self.keep(node, &OF_A_PLY, &mut said.properties);
            if let Some((is_black, text)) = node.written_move() {
                let played = self.read_move(&position, is_black, &text)?;
                position = play(&position, played, line.len() + 1)?;
                let Said { comment, properties } = said;
                line.push(Ply { played, comment, properties, variations: std::mem::take(&mut beside) });
            } else {
                say(said, &mut line, before);
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

    /// Adds the properties of a node but those that are `known` to `kept`, in the colours of `GM[18]`.
    fn keep(&self, node: &Node, known: &[&str], kept: &mut Vec<Property>) {
        for property in node.properties.iter().filter(|property| !known.contains(&property.name())).cloned() {
            let swapped = OF_A_COLOUR.iter().find_map(|pair| {
                let place = pair.iter().position(|&name| name == property.name())?;
                Some(pair[1 - place])
            });
            match swapped.filter(|_| !self.black_is_first) {
                Some(name) => add(kept, property.renamed(name)),
                None => add(kept, property),
            }
        }
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

/// Adds what is said to the last move, or to what stands before the first.
fn say(said: Said, line: &mut [Ply], before: &mut Said) {
    let (comment, properties) = match line.last_mut() {
        Some(ply) => (&mut ply.comment, &mut ply.properties),
        None => (&mut before.comment, &mut before.properties),
    };
    append(comment, &said.comment);
    said.properties.into_iter().for_each(|property| add(properties, property));
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

//! Reads games of SGF.

use super::setup::start_of;
use super::tree::{Node, Tree, WrittenMove, parse, problem};
use crate::excerpt::excerpt;
use crate::moves::Move;
use crate::notation::characters::{append, is_blank};
use crate::notation::ending::{Ending, is_resignation, winning_colour};
use crate::notation::letters::move_from_letters;
use crate::notation::property::{Property, merged};
use crate::notation::transcript::{MOST_NESTED, Ply, Transcript, TranscriptError, play};
use crate::position::Position;
use crate::side::Side;

/// Properties of the root that are a transcript's own fields, or that we write by ourselves.
const OF_THE_ROOT: [&str; 11] = ["FF", "GM", "CA", "SZ", "PB", "PW", "AB", "AW", "AA", "PL", "C"];
/// Properties of a move's node that are a ply's own fields.
const OF_A_PLY: [&str; 3] = ["B", "W", "C"];
/// Properties that change the board.
const SETUP: [&str; 4] = ["AB", "AW", "AA", "AE"];
/// Properties of Black and of White, which change places with the colours.
const OF_A_COLOUR: [[&str; 2]; 4] = [["BR", "WR"], ["BT", "WT"], ["BL", "WL"], ["OB", "OW"]];

/// Properties that only a root has, by which one is known that lacks its semicolon.
const ONLY_A_ROOT: [&str; 5] = ["FF", "GM", "CA", "AP", "SZ"];

/// The text from the first game on.
pub(in crate::notation) fn find(text: &str) -> Option<&str> {
    text.match_indices('(').map(|(at, _)| &text[at..]).find(|text| begins_a_game(text))
}

/// Whether a text that begins with a parenthesis goes on as a game: with a node, or with a property of a root.
pub(in crate::notation) fn begins_a_game(text: &str) -> bool {
    let inside = text[1..].trim_start_matches(is_blank);
    let (has_semicolon, node) = match inside.strip_prefix(';') {
        Some(node) => (true, node.trim_start_matches(is_blank)),
        None => (false, inside),
    };
    let name_end = node.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(node.len());
    let (name, behind) = node.split_at(name_end);
    let has_value = !name.is_empty() && behind.trim_start_matches(is_blank).starts_with('[');
    if has_semicolon {
        has_value || behind.starts_with(';')
    } else {
        has_value && ONLY_A_ROOT.contains(&name)
    }
}

/// What follows a game without being one: the next game, or nothing behind words that are not SGF.
pub(in crate::notation) fn behind(after: &str) -> Result<&str, TranscriptError> {
    let name_end = after.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(after.len());
    if after.starts_with([';', ')', '[']) || (name_end > 0 && after[name_end..].starts_with('[')) {
        return Err(problem(format!("'{}' stands behind a game", excerpt(after))));
    }
    Ok(find(after).unwrap_or_default())
}

/// Reads the game at the front of a text, and gives what follows it.
pub(in crate::notation) fn read(text: &str) -> Result<(Transcript, &str), TranscriptError> {
    let (tree, after) = parse(text)?;
    Ok((transcript_of(&tree)?, after))
}

fn transcript_of(tree: &Tree) -> Result<Transcript, TranscriptError> {
    let root = tree.nodes.first().ok_or_else(|| problem("there is no node"))?;
    if let Some(game) = root.value("GM").filter(|game| game.trim() != "18") {
        return Err(problem(format!("GM[{}] is another game: Amazons is GM[18]", excerpt(&game))));
    }
    if let Some(WrittenMove { text, .. }) = root.written_moves().next() {
        return Err(problem(format!("the root has a move, '{}'", excerpt(&text))));
    }
    let first = tree.nodes.iter().find_map(|node| node.written_moves().next());
    let black_is_first = root.value("GM").is_some() || first.as_ref().is_some_and(|first| first.is_black);
    let names = if black_is_first { ["B", "W"] } else { ["W", "B"] };
    let start = start_of(root, first.as_ref(), names)?;
    let reader = Reader { tree, black_is_first };
    let mut before = Said { comment: root.comment(), properties: Vec::new() };
    reader.keep(root, &OF_THE_ROOT, &mut before.properties);
    let Line { plies, resigned } = reader.line(&root.children, start, &mut before, 0)?;
    before.properties.retain(|property| property.name() != "RE" && !OF_THE_ROOT.contains(&property.name()));
    let (told, result) = reader.result(root);
    let winner = match (told, resigned) {
        (Some(winner), Some(loser)) if winner == loser => {
            let result = root.value("RE").unwrap_or_default();
            return Err(problem(format!("RE[{}] names who resigned as the winner", excerpt(&result))));
        }
        (None, Some(loser)) => Some(!loser),
        (None, None) => {
            plies.iter().fold(start, |position, ply| position.play_unchecked(ply.played)).winner()
        }
        (told, _) => told,
    };
    // In `GM[18]`, the first player is Black.
    let by_resignation = resigned.map(|loser| if loser == Side::White { "W+R" } else { "B+R" }.to_owned());
    before
        .properties
        .extend(result.or_else(|| by_resignation.map(|result| Property::new("RE", vec![result]))));
    Ok(Transcript {
        start,
        players: names.map(|name| root.value(&format!("P{name}")).unwrap_or_default()),
        winner,
        comment: before.comment,
        properties: merged(before.properties),
        line: plies,
    })
}

/// What is said where no move stands.
#[derive(Default)]
struct Said {
    comment: String,
    properties: Vec<Property>,
}

/// A line of play.
struct Line {
    plies: Vec<Ply>,
    /// Who resigned at its end.
    resigned: Option<Side>,
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
    ) -> Result<Line, TranscriptError> {
        if depth > MOST_NESTED {
            return Err(problem("variations are nested too deeply"));
        }
        let mut plies: Vec<Ply> = Vec::new();
        let mut resigned = None;
        // Other lines from here, until the move comes that they stand beside.
        let mut beside: Vec<Vec<Ply>> = Vec::new();
        let mut alternatives = from;
        while let Some((&main, others)) = alternatives.split_first() {
            for &other in others {
                let mut said = Said::default();
                let variation = self.line(&[other], position, &mut said, depth + 1)?;
                match with_words_before(variation, said) {
                    Ok(variations) => beside.extend(variations),
                    // Words without a move are about the position that they stand after.
                    Err(said) => say(said, &mut plies, before),
                }
            }
            let node = &self.tree.nodes[main];
            let mut said = Said { comment: node.comment(), properties: Vec::new() };
            self.keep(node, &OF_A_PLY, &mut said.properties);
            match written_move(node)? {
                Some(written) if resigned.is_some() => {
                    return Err(problem(format!("'{}' stands behind a resignation", excerpt(&written.text))));
                }
                Some(written) if is_resignation(&written.text) => {
                    resigned = Some(self.mover(&position, &written)?);
                    say(said, &mut plies, before);
                }
                Some(written) => {
                    let played = self.read_move(&position, &written)?;
                    position = play(&position, played, plies.len() + 1)?;
                    let Said { comment, properties } = said;
                    plies.push(Ply { played, comment, properties, variations: std::mem::take(&mut beside) });
                }
                None => say(said, &mut plies, before),
            }
            alternatives = &node.children;
        }
        // Where the main line ends without a move beside which they could stand, the first of them goes on.
        if !beside.is_empty() {
            if resigned.is_some() {
                return Err(problem("a variation beside a resignation"));
            }
            let mut next = beside.remove(0);
            next[0].variations = beside;
            plies.extend(next);
        }
        for ply in &mut plies {
            ply.properties = merged(std::mem::take(&mut ply.properties));
        }
        Ok(Line { plies, resigned })
    }

    /// Adds the properties of a node but those that are `known` to `kept`, in the colours of `GM[18]`.
    fn keep(&self, node: &Node, known: &[&str], kept: &mut Vec<Property>) {
        for property in node.properties.iter().filter(|property| !known.contains(&property.name())).cloned() {
            let swapped = OF_A_COLOUR.iter().find_map(|pair| {
                let place = pair.iter().position(|&name| name == property.name())?;
                Some(pair[1 - place])
            });
            kept.push(match swapped.filter(|_| !self.black_is_first) {
                Some(name) => property.renamed(name),
                None => property,
            });
        }
    }

    /// What the root says of the result: who won, and the property, in the colours of `GM[18]`, where it says more
    /// than that.
    fn result(&self, root: &Node) -> (Option<Side>, Option<Property>) {
        let Some(told) = root.properties.iter().find(|property| property.name() == "RE") else {
            return (None, None);
        };
        let text = root.value("RE").unwrap_or_default();
        let winner = winning_colour(&text).map(|colour| self.player(colour == Side::Black));
        let Some(side) = winner else { return (None, Some(told.clone())) };
        let letter = if side == Side::White { "B" } else { "W" };
        let by = told.values()[0].split_once('+').map_or("", |(_, by)| by);
        if self.black_is_first && told.values() != [format!("{letter}+")] {
            (winner, Some(told.clone()))
        } else {
            (winner, (!by.is_empty()).then(|| Property::new("RE", vec![format!("{letter}+{by}")])))
        }
    }

    fn read_move(&self, position: &Position, written: &WrittenMove) -> Result<Move, TranscriptError> {
        self.mover(position, written)?;
        let text = &written.text;
        let found = move_from_letters(position.board(), text).or_else(|| text.parse().ok());
        found.ok_or_else(|| problem(format!("'{}' is no move", excerpt(text))))
    }

    /// Who makes a move; it has to be the side to move.
    fn mover(&self, position: &Position, written: &WrittenMove) -> Result<Side, TranscriptError> {
        let side = self.player(written.is_black);
        if side != position.side() {
            let letter = if written.is_black { 'B' } else { 'W' };
            return Err(problem(format!("{letter}[{}] is out of turn", excerpt(&written.text))));
        }
        Ok(side)
    }

    /// The side that a colour of the file is: White is the first player.
    fn player(&self, is_black: bool) -> Side {
        if is_black == self.black_is_first { Side::White } else { Side::Black }
    }
}

/// The move of a node behind the root, which has one at most and sets no board up.
fn written_move(node: &Node) -> Result<Option<WrittenMove>, TranscriptError> {
    if let Some(setup) = node.properties.iter().find(|property| SETUP.contains(&property.name())) {
        return Err(problem(format!("{} behind the root: only there a board is set up", setup.name())));
    }
    let mut moves = node.written_moves();
    let first = moves.next();
    match moves.next() {
        Some(second) => {
            Err(problem(format!("a node with a second move, '{}': a ';' is missing", excerpt(&second.text))))
        }
        None => Ok(first),
    }
}

/// The lines that a variation adds to those beside it, its first move with what is said before; gives the words back
/// where there is no move.
fn with_words_before(variation: Line, said: Said) -> Result<Vec<Vec<Ply>>, Said> {
    let Line { mut plies, resigned } = variation;
    let mut said = said;
    if resigned.is_some() {
        let words = match plies.last_mut() {
            Some(last) => &mut last.comment,
            None => &mut said.comment,
        };
        append(words, Ending::Resigned.in_words());
    }
    let Some(first) = plies.first_mut() else { return Err(said) };
    append(&mut said.comment, &first.comment);
    first.comment = said.comment;
    first.properties.extend(said.properties);
    first.properties = merged(std::mem::take(&mut first.properties));
    // Variations of a variation's first move are further ones of the move it replaces.
    let more = std::mem::take(&mut first.variations);
    Ok(std::iter::once(plies).chain(more).collect())
}

/// Adds what is said to the last move, or to what stands before the first.
fn say(said: Said, line: &mut [Ply], before: &mut Said) {
    let (comment, properties) = match line.last_mut() {
        Some(ply) => (&mut ply.comment, &mut ply.properties),
        None => (&mut before.comment, &mut before.properties),
    };
    append(comment, &said.comment);
    properties.extend(said.properties);
}

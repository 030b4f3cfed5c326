//! The position that a game starts from, as its root tells it.

use super::tree::{Node, WrittenMove, problem};
use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::excerpt::excerpt;
use crate::notation::ending::named;
use crate::notation::letters::{move_from_letters, square};
use crate::notation::transcript::{TranscriptError, start_for};
use crate::position::Position;
use crate::setup::Setup;
use crate::side::Side;
use crate::square::Square;

/// Properties that describe a board.
const OF_A_BOARD: [&str; 4] = ["SZ", "AB", "AW", "AA"];

/// The start of a game with this first move. `names` are the letters of the first player and of the second.
pub(super) fn start_of(
    root: &Node,
    first: Option<&WrittenMove>,
    names: [&str; 2],
) -> Result<Position, TranscriptError> {
    let says_board = OF_A_BOARD.iter().any(|name| root.value(name).is_some());
    if root.value("GM").is_none() && !says_board {
        return first_start(first);
    }
    let board = board_of(root)?;
    let [own, other] = names.map(|name| points(root, board, &format!("A{name}")));
    let (amazons, arrows) = ([own?, other?], points(root, board, "AA")?);
    let to_move = match root.value("PL") {
        Some(text) => Some(named(text.trim()).ok_or_else(|| {
            problem(format!("'{}' in PL is not a colour: expected B or W", excerpt(&text)))
        })?),
        // Where nothing says whose turn it is, the first move does.
        None => first.map(|first| if first.is_black { Side::Black } else { Side::White }),
    };
    let first_player = if names[0] == "B" { Side::Black } else { Side::White };
    let side = match to_move {
        Some(colour) if colour != first_player => Side::Black,
        _ => Side::White,
    };
    let setup = if amazons.iter().all(|set| set.is_empty()) && arrows.is_empty() {
        let start = Position::start(board).map(|start| start.setup());
        Setup { side, ..start.ok_or_else(|| problem(format!("a {board} board has no start of its own")))? }
    } else {
        Setup { board, amazons, arrows, side }
    };
    Position::from_setup(&setup).map_err(|error| problem(error.to_string()))
}

fn board_of(root: &Node) -> Result<Board, TranscriptError> {
    let size = root.value("SZ").unwrap_or_else(|| "10".to_owned());
    let (files, ranks) = size.split_once(':').unwrap_or((&size, &size));
    let side = |text: &str| text.trim().parse::<usize>().ok();
    let board = side(files).zip(side(ranks)).and_then(|(files, ranks)| Board::new(files, ranks).ok());
    board.ok_or_else(|| problem(format!("no board of size '{}'", excerpt(&size))))
}

/// The squares that a property lists: points, and rectangles by two corners.
fn points(root: &Node, board: Board, name: &str) -> Result<Bitboard, TranscriptError> {
    let point = |text: &str| {
        let letters: [u8; 2] = text.trim().as_bytes().try_into().ok()?;
        square(board, letters)
    };
    root.values(name).try_fold(Bitboard::EMPTY, |set, text| {
        let (corner, opposite) = text.split_once(':').unwrap_or((&text, &text));
        let squares = point(corner).zip(point(opposite)).map(|(a, b)| rectangle(board, a, b));
        squares
            .map(|squares| set | squares)
            .ok_or_else(|| problem(format!("'{}' in {name} is no point of a {board} board", excerpt(&text))))
    })
}

fn rectangle(board: Board, a: Square, b: Square) -> Bitboard {
    let between = |x: u8, low: u8, high: u8| (low.min(high)..=low.max(high)).contains(&x);
    let is_inside = |square: &Square| {
        between(square.file(), a.file(), b.file()) && between(square.rank(), a.rank(), b.rank())
    };
    board.squares().into_iter().filter(is_inside).collect()
}

/// The start of a game that names no board, by its first move.
fn first_start(first: Option<&WrittenMove>) -> Result<Position, TranscriptError> {
    let Some(WrittenMove { text, .. }) = first else { return start_for(None) };
    if let Ok(m) = text.parse() {
        return start_for(Some(m));
    }
    let begins_with =
        |start: &Position| move_from_letters(start.board(), text).is_some_and(|m| start.is_legal(m));
    let mut starts = Board::PLAYED.into_iter().filter_map(Position::start);
    starts.find(begins_with).ok_or_else(|| problem(format!("'{}' is no move of a start", excerpt(text))))
}

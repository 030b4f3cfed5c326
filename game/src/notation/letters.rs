//! Points as pairs of letters: the file from the left, the rank from the top. SGF writes them small, SAU large.

use crate::board::Board;
use crate::moves::Move;
use crate::square::Square;

/// The six small letters of a move on `board`: from, to, arrow.
///
/// ```
/// use hippolyta_game::{Board, notation};
///
/// let m = "d1-d7/g7".parse().unwrap();
/// assert_eq!(notation::move_to_letters(Board::TEN, m), "djddgd");
/// assert_eq!(notation::move_from_letters(Board::TEN, "DJDDGD"), Some(m));
/// ```
pub fn move_to_letters(board: Board, m: Move) -> String {
    [m.from, m.to, m.arrow].map(|square| point(board, square)).concat()
}

/// The move of six letters, small or large; `None` when they are no three points of `board`.
pub fn move_from_letters(board: Board, letters: &str) -> Option<Move> {
    let bytes: [u8; 6] = letters.as_bytes().try_into().ok()?;
    let square = |index: usize| square(board, [bytes[index], bytes[index + 1]]);
    Some(Move { from: square(0)?, to: square(2)?, arrow: square(4)? })
}

/// The two small letters of a square of `board`.
pub(super) fn point(board: Board, square: Square) -> String {
    [square.file(), board.ranks() - 1 - square.rank()].map(|place| char::from(b'a' + place)).iter().collect()
}

/// The square of two letters.
pub(super) fn square(board: Board, letters: [u8; 2]) -> Option<Square> {
    let [file, from_top] = letters.map(|letter| letter.to_ascii_lowercase().wrapping_sub(b'a'));
    let on_board = file < board.files() && from_top < board.ranks();
    on_board.then(|| Square::new(file, board.ranks() - 1 - from_top))
}

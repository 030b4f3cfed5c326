//! A board drawn with letters.

use hippolyta_game::{Position, Side, Square};

/// The board with its coordinates: `Q` White's amazons, `q` Black's, `*` arrows, `.` empty squares.
pub(crate) fn drawn(position: &Position) -> String {
    let board = position.board();
    let spaced = |letters: &mut dyn Iterator<Item = char>| letters.flat_map(|letter| [' ', letter]).collect();
    let files: String = spaced(&mut (b'a'..b'a' + board.files()).map(char::from));
    let mut lines = vec![format!("  {files}")];
    for rank in (0..board.ranks()).rev() {
        let mut letters = (0..board.files()).map(|file| letter(position, Square::new(file, rank)));
        let squares: String = spaced(&mut letters);
        lines.push(format!("{:>2}{squares} {}", rank + 1, rank + 1));
    }
    lines.push(format!("  {files}\n"));
    lines.join("\n")
}

fn letter(position: &Position, square: Square) -> char {
    if position.amazons(Side::White).contains(square) {
        'Q'
    } else if position.amazons(Side::Black).contains(square) {
        'q'
    } else if position.empty().contains(square) {
        '.'
    } else {
        '*'
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_board_is_drawn_from_the_top() {
        let position: Position = "q3/2*1/3Q w".parse().unwrap();
        let expected = "   a b c d\n 3 q . . . 3\n 2 . . * . 2\n 1 . . . Q 1\n   a b c d\n";
        assert_eq!(drawn(&position), expected);
    }
}

//! The eight symmetries of a square board.

use crate::bitboard::Bitboard;
use crate::board::Board;
use crate::moves::Move;
use crate::position::Position;
use crate::setup::Setup;
use crate::square::Square;

/// A symmetry of the board: an optional exchange of files and ranks, after which either may be reversed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Symmetry(u8);

impl Symmetry {
    /// Nothing moves.
    pub const IDENTITY: Symmetry = Symmetry(0);
    /// All eight; the first four keep a rectangular board.
    pub const ALL: [Symmetry; 8] = [
        Symmetry(0),
        Symmetry(1),
        Symmetry(2),
        Symmetry(3),
        Symmetry(4),
        Symmetry(5),
        Symmetry(6),
        Symmetry(7),
    ];

    /// The symmetries that map `board` onto itself: eight of a square, four of another rectangle.
    pub fn of(board: Board) -> &'static [Symmetry] {
        if board.is_square() { &Symmetry::ALL } else { &Symmetry::ALL[..4] }
    }

    /// Where a square of `board` goes. `board` must be a square one unless this is among the first four of
    /// [`Symmetry::ALL`].
    #[inline]
    pub const fn square(self, board: Board, square: Square) -> Square {
        let (mut file, mut rank) = (square.file(), square.rank());
        if self.0 & 4 != 0 {
            (file, rank) = (rank, file);
        }
        if self.0 & 1 != 0 {
            file = board.files() - 1 - file;
        }
        if self.0 & 2 != 0 {
            rank = board.ranks() - 1 - rank;
        }
        Square::new(file, rank)
    }

    /// Where a move on `board` goes.
    pub const fn apply(self, board: Board, m: Move) -> Move {
        Move {
            from: self.square(board, m.from),
            to: self.square(board, m.to),
            arrow: self.square(board, m.arrow),
        }
    }

    /// Where a set of squares of `board` goes.
    pub fn bitboard(self, board: Board, set: Bitboard) -> Bitboard {
        set.into_iter().map(|square| self.square(board, square)).collect()
    }

    /// The image of a position.
    ///
    /// # Panics
    /// When the symmetry exchanges files and ranks and the board is not a square.
    pub fn position(self, position: &Position) -> Position {
        let Setup { board, amazons, arrows, side } = position.setup();
        assert!(self.0 & 4 == 0 || board.is_square(), "only a square board can be transposed");
        let image = Setup {
            board,
            amazons: amazons.map(|set| self.bitboard(board, set)),
            arrows: self.bitboard(board, arrows),
            side,
        };
        Position::from_setup(&image).expect("a symmetry keeps a position playable")
    }
}

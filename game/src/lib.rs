//! Rules of the Game of the Amazons on bitboards.
//!
//! Two sides with queen-like amazons take turns on a rectangular board. A move has two parts: an amazon moves
//! like a chess queen, then shoots an arrow, also like a queen, from where it landed; the arrow's square is closed
//! for good. Who cannot move loses.
//!
//! [`Setup`] is any arrangement of a board; [`Position`] is one that can be played. Everything here is pure: no IO,
//! no clock, no randomness.
//!
//! ```
//! use hippolyta_game::{Board, Position};
//!
//! let position = Position::start(Board::TEN).expect("10x10 has a start");
//! let mut moves = Vec::new();
//! position.moves(&mut moves);
//! assert_eq!(moves.len(), 2176);
//! let next = position.play("d1-d7/g7".parse()?)?;
//! assert_eq!(next.to_string(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bitboard;
mod bits;
mod board;
mod bounds;
mod distance;
mod excerpt;
mod fen;
mod fill;
mod hash;
mod moves;
pub mod notation;
mod perft;
mod position;
mod region;
mod setup;
mod side;
mod slide;
mod solve;
mod square;
mod symmetry;
mod territory;

pub use bitboard::{Bitboard, Direction, Squares};
pub use board::{Board, BoardError, MIN_SIDE};
pub use bounds::Bounds;
pub use distance::{king_fill, king_layers, queen_fill, queen_layers};
pub use excerpt::excerpt;
pub use fen::FenError;
pub use moves::{Move, ParseMoveError};
pub use perft::perft;
pub use position::{IllegalMove, Position};
pub use region::{Region, Regions};
pub use setup::{Setup, SetupError};
pub use side::Side;
pub use slide::{queen_reach, queen_reach_by_steps};
pub use solve::{Solution, SolveError, SolveLimits, SolveProgress, Solver, solve, solve_watched};
pub use square::{MAX_SIDE, ParseSquareError, STRIDE, Square};
pub use symmetry::Symmetry;
pub use territory::{Territory, TerritoryCounter};

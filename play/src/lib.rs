//! Who sits at a board: players, levels, sessions and line protocols. No IO and no clock.
//!
//! A [`Player`] chooses moves: a [`LevelPlayer`] is one of the levels that need no network, a [`SearchPlayer`] is a
//! network with search, a [`ClassicalPlayer`] the strongest player without one. A [`Session`] is the board that a
//! person sits at; [`protocol`] speaks with other programs.
//!
//! ```
//! use hippolyta_game::{Board, Position};
//! use hippolyta_play::{Level, LevelPlayer, Limits, Player};
//!
//! let mut player = LevelPlayer::new(Level::Medium);
//! player.new_game(7);
//! let position = Position::start(Board::SIX).expect("6x6 has a start");
//! let choice = player.choose(&position, &Limits::NONE)?;
//! assert!(position.is_legal(choice.best));
//! # Ok::<(), hippolyta_play::PlayerError>(())
//! ```

mod classical;
mod dice;
mod level;
mod player;
pub mod protocol;
mod search_player;
mod session;
mod territory;
#[cfg(test)]
mod testing;
mod thinker;

pub use classical::{ClassicalPlayer, NoMemory};
pub use level::{Level, LevelPlayer, ParseLevelError};
pub use player::{Choice, Limits, Line, Player, PlayerError};
pub use search_player::{MATCH_CONFIG, SearchPlayer};
pub use session::{Clock, LoadError, Outcome, Reason, Session, SessionError};
pub use territory::QueenTerritory;
pub use thinker::{Stepped, Task, Thinker, think};

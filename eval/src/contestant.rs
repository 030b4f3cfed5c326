//! Who plays a match, and by what rules.

use hippolyta_play::Player;
use std::error::Error;
use std::fmt;
use std::time::Duration;

/// Makes a player. Called on the thread on which the player will sit, once for each thread, and again after
/// a player failed.
pub type MakePlayer<'a> = dyn Fn() -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> + Sync + 'a;

/// A side of a match: a name, and how to make a player for a thread.
#[derive(Clone, Copy)]
pub struct Contestant<'a> {
    /// The name in reports.
    pub name: &'a str,
    /// Makes a player.
    pub make: &'a MakePlayer<'a>,
}

impl fmt::Debug for Contestant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How the games of a match are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameRules {
    /// The most positions a player may visit for a move, if limited.
    pub visits: Option<u64>,
    /// How long a player may think about a move, if limited. Results then depend on the machine.
    pub time: Option<Duration>,
    /// Whether a game ends as soon as territory proves the winner. Saves the filling of squares at the end;
    /// wrong for players that may squander a won ending.
    pub adjudicate: bool,
}

/// Why a match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum MatchError {
    /// A player could not be made.
    #[error("cannot seat {name}: {reason}")]
    Seat {
        /// The contestant.
        name: String,
        /// What its maker said.
        reason: Box<dyn Error + Send + Sync>,
    },
}

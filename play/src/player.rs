//! What every player has in common.

use std::fmt;
use std::time::Duration;

use hippolyta_game::{Move, Position};
use thiserror::Error;

/// Someone who chooses moves: a level, a search over a network, the classical program, a program at the other end
/// of a pipe.
///
/// A player sits at one board at a time and may keep what it learnt from move to move. An arena gives each of its
/// threads players of its own. Unless time limits it, a player's choices are a function of the seed of
/// [`Player::new_game`] and of the positions it was shown since.
pub trait Player {
    /// The name under which results are reported.
    fn name(&self) -> &str;

    /// Starts another game: what was learnt from earlier ones is forgotten and `seed` takes the place of the seed
    /// before. A player that was just made must be given its first game like any other.
    fn new_game(&mut self, seed: u64);

    /// Chooses a move of the side to move. Positions of one game come in the order of play, but nothing says
    /// that all of them come.
    ///
    /// # Errors
    /// [`PlayerError::NoMove`] when there is no legal move; the others are for players that another program answers
    /// for.
    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError>;
}

impl<P: Player + ?Sized> Player for Box<P> {
    fn name(&self) -> &str {
        (**self).name()
    }

    fn new_game(&mut self, seed: u64) {
        (**self).new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        (**self).choose(position, limits)
    }
}

/// How long a player may think of one move. With neither limit a player thinks as long as its nature tells it.
///
/// Time comes in as a question, so that no clock is needed here: whoever has one asks it.
///
/// ```
/// use std::time::{Duration, Instant};
/// use hippolyta_play::Limits;
///
/// let end = Instant::now() + Duration::from_millis(200);
/// let stop = || Instant::now() >= end;
/// let limits = Limits::until(&stop);
/// assert!(!limits.must_stop());
/// ```
#[derive(Clone, Copy, Default)]
pub struct Limits<'a> {
    /// The most positions to visit (a tree search's visits, alpha-beta's nodes).
    pub visits: Option<u64>,
    /// Says whether the player must answer now. Asked every few thousand positions or at each step of a search,
    /// whichever is less, at most some 0.1 to 2 ms apart.
    pub stop: Option<&'a dyn Fn() -> bool>,
    /// The whole time that `stop` leaves, for players that have a clock of their own: programs at the other end of
    /// a pipe. The others need not look at it.
    pub time: Option<Duration>,
    /// The most plies that a player that searches may look ahead.
    pub depth: Option<u32>,
    /// The moves to choose from, each of them legal; all legal moves when empty.
    pub among: &'a [Move],
    /// The lines that [`Choice::lines`] should have, where there are so many moves; 0 is 1. More lines than one take
    /// time from the first. Players may give more.
    pub lines: usize,
    /// Hears what a player that searches would answer so far, the more rarely the longer it searches.
    pub listen: Option<&'a dyn Fn(&Choice)>,
}

impl<'a> Limits<'a> {
    /// The most visits that can be asked for: a tree search counts no further.
    pub const MOST_VISITS: u64 = u32::MAX as u64;

    /// No limit but the player's own.
    pub const NONE: Limits<'static> =
        Limits { visits: None, stop: None, time: None, depth: None, among: &[], lines: 1, listen: None };

    /// At most so many positions.
    pub const fn visits(visits: u64) -> Limits<'static> {
        Limits { visits: Some(visits), ..Limits::NONE }
    }

    /// Until `stop` says so.
    pub const fn until(stop: &'a dyn Fn() -> bool) -> Limits<'a> {
        Limits { stop: Some(stop), ..Limits::NONE }
    }

    /// Asks whether to answer now.
    pub fn must_stop(&self) -> bool {
        self.stop.is_some_and(|stop| stop())
    }

    /// Whether anything limits the player.
    pub fn is_none(&self) -> bool {
        self.visits.is_none() && self.stop.is_none()
    }
}

impl fmt::Debug for Limits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Limits")
            .field("visits", &self.visits)
            .field("stop", &self.stop.map(|_| "a question"))
            .field("time", &self.time)
            .field("depth", &self.depth)
            .field("among", &self.among)
            .field("lines", &self.lines)
            .finish_non_exhaustive()
    }
}

/// A chosen move and what the player thought of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// The move.
    pub best: Move,
    /// The lines that were weighed, the best first; the first begins with [`Choice::best`]. Empty when the move
    /// was drawn by lot.
    pub lines: Vec<Line>,
    /// Positions visited.
    pub visits: u64,
    /// Depth in plies that was searched completely; 0 where the word has no meaning.
    pub depth: u32,
}

impl Choice {
    /// A move that nobody thought about.
    pub fn unweighed(best: Move) -> Choice {
        Choice { best, lines: Vec::new(), visits: 0, depth: 0 }
    }

    /// The value of the chosen move for the side that moves, in [-1, 1], if the player has one.
    pub fn value(&self) -> Option<f32> {
        self.lines.first().map(|line| line.value)
    }
}

/// A line of play and its value.
#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// The expected result for the side that moves first in it, in [-1, 1]; exactly 1 or -1 only when proven.
    pub value: f32,
    /// The moves, at least one.
    pub moves: Vec<Move>,
}

/// Why a player did not move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PlayerError {
    /// The game is over.
    #[error("there is no legal move in '{0}'")]
    NoMove(Position),
    /// The program behind the player is gone.
    #[error("{name} has ended: {reason}")]
    Ended {
        /// The player.
        name: String,
        /// What is known of its end.
        reason: String,
    },
    /// The program behind the player did not answer in time.
    #[error("{name} gave no answer within {} ms", .after.as_millis())]
    Silent {
        /// The player.
        name: String,
        /// How long it was waited for.
        after: Duration,
    },
    /// The program behind the player answered something that is no move.
    #[error("{name} answered '{answer}' where a move was expected")]
    Garbled {
        /// The player.
        name: String,
        /// What it said.
        answer: String,
    },
    /// The program behind the player says more than anybody can follow.
    #[error("{name} floods its output: {what}")]
    Flood {
        /// The player.
        name: String,
        /// What there was too much of.
        what: String,
    },
}

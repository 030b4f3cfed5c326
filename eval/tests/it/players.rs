//! Players for the tests: the levels of the play crate, and some that misbehave.

use hippolyta_eval::{Contestant, GameRules, MakePlayer, Opening, Openings};
use hippolyta_game::{Board, Move, Position};
use hippolyta_play::{Choice, Level, LevelPlayer, Limits, Player, PlayerError};

/// Seats a level.
pub(crate) fn make(level: Level) -> Box<MakePlayer<'static>> {
    Box::new(move || Ok(Box::new(LevelPlayer::new(level)) as Box<dyn Player>))
}

pub(crate) fn contestant<'a>(name: &'a str, make: &'a MakePlayer<'a>) -> Contestant<'a> {
    Contestant { name, make }
}

pub(crate) fn openings(count: usize) -> Vec<Opening> {
    Openings::new(Board::SIX, 4, 9).unwrap().take(count).unwrap()
}

pub(crate) const FREE: GameRules = GameRules { visits: None, time: None, adjudicate: false };

/// What goes wrong in a game of [`Faulty`].
#[derive(Clone, Copy)]
pub(crate) enum Fault {
    /// A move that is against the rules.
    Illegal,
    /// The program behind the player ends.
    Ended,
    /// The program behind the player says nothing.
    Silent,
}

/// A random player with a fault in every game whose seed is a multiple of 3, on its third move.
pub(crate) struct Faulty {
    inner: LevelPlayer,
    fault: Fault,
    seed: u64,
    moves: u32,
    broken: bool,
}

impl Faulty {
    pub(crate) fn new(fault: Fault) -> Self {
        Self { inner: LevelPlayer::new(Level::Random), fault, seed: 0, moves: 0, broken: false }
    }
}

impl Player for Faulty {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn new_game(&mut self, seed: u64) {
        assert!(!self.broken, "a player that failed is not asked again");
        (self.seed, self.moves) = (seed, 0);
        self.inner.new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        self.moves += 1;
        let choice = self.inner.choose(position, limits)?;
        if self.moves < 3 || !self.seed.is_multiple_of(3) {
            return Ok(choice);
        }
        self.broken = true;
        let name = "faulty".to_owned();
        match self.fault {
            Fault::Illegal => {
                let Move { from, to, .. } = choice.best;
                Ok(Choice::unweighed(Move { from, to, arrow: to }))
            }
            Fault::Ended => Err(PlayerError::Ended { name, reason: "exit status 1".to_owned() }),
            Fault::Silent => Err(PlayerError::Silent { name, after: std::time::Duration::from_secs(5) }),
        }
    }
}

/// A random player that thinks until it is told to stop, and insists on a limit of 7 visits.
pub(crate) struct Patient(pub(crate) LevelPlayer);

impl Player for Patient {
    fn name(&self) -> &'static str {
        "patient"
    }

    fn new_game(&mut self, seed: u64) {
        self.0.new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        assert_eq!(limits.visits, Some(7));
        while !limits.must_stop() {
            std::thread::yield_now();
        }
        self.0.choose(position, limits)
    }
}

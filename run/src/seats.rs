//! The players of a run's matches.

use std::error::Error;
use std::sync::Arc;

use hippolyta_game::Position;
use hippolyta_model::{ModelFile, Network, NetworkEvaluator};
use hippolyta_play::{
    Choice, ClassicalPlayer, Level, LevelPlayer, Limits, MATCH_CONFIG, Player, PlayerError, SearchPlayer,
};

use crate::evaluators::{EvaluatorError, native_of};

/// Visits a move of a network that nothing limits.
const DEFAULT_VISITS: u32 = 400;

/// A player, in the form that a match wants.
pub type Seated = Result<Box<dyn Player>, Box<dyn Error + Send + Sync>>;

/// A player that can be seated, as often as there are threads.
#[derive(Clone, Debug)]
pub enum Seat {
    /// A level.
    Level(Level),
    /// The classical program with a limit of its own, in evaluations a move, instead of the network's visits.
    Classical(u64),
    /// A network with its name.
    Network(String, Arc<Network>),
}

impl Seat {
    /// A network, made ready.
    ///
    /// # Errors
    /// When this machine cannot run it.
    pub fn network(name: &str, model: &ModelFile) -> Result<Seat, EvaluatorError> {
        Ok(Seat::Network(name.to_owned(), native_of(model, model.precision())?))
    }

    /// Makes the player.
    ///
    /// # Errors
    /// When its network cannot be run.
    pub fn seat(&self) -> Seated {
        Ok(match self {
            Seat::Level(level) => Box::new(LevelPlayer::new(*level)),
            Seat::Classical(visits) => {
                Box::new(Classical { player: ClassicalPlayer::new(), visits: *visits })
            }
            Seat::Network(name, network) => network_player(name, network)?,
        })
    }
}

/// A network as a player with the usual search.
///
/// # Errors
/// When its network cannot be run.
pub fn network_player(name: &str, network: &Arc<Network>) -> Seated {
    let evaluator = NetworkEvaluator::new(Arc::clone(network));
    Ok(Box::new(SearchPlayer::new(name, evaluator, MATCH_CONFIG, DEFAULT_VISITS)?))
}

struct Classical {
    player: ClassicalPlayer,
    visits: u64,
}

impl Player for Classical {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        self.player.choose(position, &Limits { visits: Some(self.visits), ..*limits })
    }
}

//! The players that a command line can name.

use std::error::Error;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use hippolyta_model::Network;
use hippolyta_play::{ClassicalPlayer, Level, LevelPlayer, Player};
use hippolyta_run::seats::network_player;

use crate::evaluators::native;
use crate::failure::one_line;
use crate::shipped::Insane;
use crate::uci_player::UciPlayer;

/// A PLAYER of the command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum PlayerName {
    Level(Level),
    /// The shipped network of each board.
    Insane,
    Classical,
    Model(PathBuf),
    /// The command of a UCI engine, as a shell reads it.
    Uci(String),
}

/// What marks the command of a UCI engine.
const UCI: &str = "uci:";

impl FromStr for PlayerName {
    type Err = String;

    fn from_str(text: &str) -> Result<PlayerName, String> {
        if let Ok(level) = text.parse() {
            return Ok(PlayerName::Level(level));
        }
        if let Some(command) = text.strip_prefix(UCI) {
            return match shlex::split(command) {
                Some(words) if !words.is_empty() => Ok(PlayerName::Uci(command.to_owned())),
                Some(_) => Err("expected a command after uci:".to_owned()),
                None => Err("a quote in the command is not closed".to_owned()),
            };
        }
        match text {
            Insane::NAME => Ok(PlayerName::Insane),
            "classical" => Ok(PlayerName::Classical),
            file if Path::new(file).is_file() => Ok(PlayerName::Model(file.into())),
            _ => Err("expected random, easy, medium, hard, insane, classical, a model file that exists, or \
                uci:COMMAND"
                .to_owned()),
        }
    }
}

impl fmt::Display for PlayerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlayerName::Level(level) => level.fmt(f),
            PlayerName::Insane => f.write_str(Insane::NAME),
            PlayerName::Classical => f.write_str("classical"),
            PlayerName::Model(path) => path.display().fmt(f),
            PlayerName::Uci(command) => write!(f, "{UCI}{command}"),
        }
    }
}

/// A player that can be seated, as often as there are threads.
#[derive(Clone, Debug)]
pub(crate) enum Seatable {
    Level(Level),
    Classical,
    Insane,
    Network {
        name: String,
        network: Arc<Network>,
    },
    /// A UCI engine, one process for each player.
    Uci {
        name: String,
        words: Vec<String>,
        ceiling: Option<Duration>,
    },
}

impl PlayerName {
    /// Whether both are one model file.
    pub(crate) fn is_same_file(&self, other: &PlayerName) -> bool {
        let (PlayerName::Model(a), PlayerName::Model(b)) = (self, other) else { return false };
        matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
    }

    /// Reads what the player needs.
    ///
    /// # Errors
    /// When a model file cannot be read.
    pub(crate) fn resolve(&self) -> anyhow::Result<Seatable> {
        match self {
            PlayerName::Level(level) => Ok(Seatable::Level(*level)),
            PlayerName::Classical => Ok(Seatable::Classical),
            PlayerName::Insane => Ok(Seatable::Insane),
            PlayerName::Model(path) => Seatable::network(&path.display().to_string(), path),
            PlayerName::Uci(command) => {
                let words = shlex::split(command).expect("the command was split when it was read");
                Ok(Seatable::Uci { name: self.to_string(), words, ceiling: None })
            }
        }
    }
}

impl Seatable {
    /// A network out of a model file.
    ///
    /// # Errors
    /// When the file is no model.
    pub(crate) fn network(name: &str, path: &Path) -> anyhow::Result<Seatable> {
        Ok(Seatable::Network { name: name.to_owned(), network: native(path)? })
    }

    /// The same player, whose program, if it is one, is given up when an answer takes longer than `ceiling`; see
    /// [`UciPlayer::start`].
    pub(crate) fn with_ceiling(mut self, ceiling: Option<Duration>) -> Seatable {
        if let Seatable::Uci { ceiling: own, .. } = &mut self {
            *own = ceiling;
        }
        self
    }

    /// Makes the player.
    ///
    /// # Errors
    /// When its network cannot be run, or its program does not start or is no UCI engine for Amazons.
    pub(crate) fn seat(&self) -> anyhow::Result<Box<dyn Player>> {
        match self {
            Seatable::Level(level) => Ok(Box::new(LevelPlayer::new(*level))),
            Seatable::Classical => Ok(Box::new(ClassicalPlayer::new())),
            Seatable::Insane => Ok(Box::new(Insane::new())),
            Seatable::Network { name, network } => {
                network_player(name, network).map_err(|error| anyhow::anyhow!(error))
            }
            Seatable::Uci { name, words, ceiling } => Ok(Box::new(UciPlayer::start(name, words, *ceiling)?)),
        }
    }

    /// [`Seatable::seat`] in the form that a match wants.
    pub(crate) fn seat_boxed(&self) -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> {
        self.seat().map_err(|error| one_line(&error).into())
    }
}

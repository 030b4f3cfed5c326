//! The file of a ladder, and what can be wrong with it.

use super::{BATCH, Ladder, Pairing};
use crate::arena::MatchError;
use crate::openings::OpeningsError;
use hippolyta_game::Board;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// What all games of a ladder have in common; results under other conditions do not mix with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderConditions {
    /// The board's side in squares: 6, 8 or 10.
    pub size: u8,
    /// Random plies at the start of each pair of games.
    pub opening_plies: u32,
    /// The most positions a player may visit for a move, if limited.
    pub visits: Option<u64>,
    /// Milliseconds a player may think about a move, if limited.
    pub time_ms: Option<u64>,
    /// Decides openings and players' seeds.
    pub seed: u64,
}

impl fmt::Display for LadderConditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let LadderConditions { size, opening_plies, visits, time_ms, seed } = self;
        write!(f, "size {size}, {opening_plies} opening plies, ")?;
        match (visits, time_ms) {
            (Some(visits), _) => write!(f, "{visits} visits a move")?,
            (None, Some(time)) => write!(f, "{time} ms a move")?,
            (None, None) => f.write_str("no limit")?,
        }
        write!(f, ", seed {seed}")
    }
}

impl LadderConditions {
    /// The board.
    ///
    /// # Errors
    /// When nobody plays on one of that size.
    pub(super) fn board(&self) -> Result<Board, LadderError> {
        Board::played(self.size).ok_or(LadderError::Size(self.size))
    }
}

/// Why a ladder could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    /// No such board.
    #[error("a ladder needs a board of 6, 8 or 10 squares a side, got {0}")]
    Size(u8),
    /// A single player, or none, has nobody to play.
    #[error("a ladder needs at least two players, got {0}")]
    Players(usize),
    /// A player cannot play itself.
    #[error("{0} stands on the ladder twice")]
    Twice(String),
    /// The player that is to be the anchor has never been on the ladder.
    #[error("the anchor {0} is none of the ladder's players")]
    Anchor(String),
    /// Saved results are of other games.
    #[error(
        "ladder {path}: it was played with {saved}, not with {wanted}: use another file, or the same options"
    )]
    Conditions {
        /// The ladder's file.
        path: PathBuf,
        /// The conditions of the saved results.
        saved: LadderConditions,
        /// The conditions asked for.
        wanted: LadderConditions,
    },
    /// Saved results that no ladder has written.
    #[error("ladder {path}: {what}")]
    Inconsistent {
        /// The ladder's file.
        path: PathBuf,
        /// What cannot be.
        what: String,
    },
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// A match could not be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A ladder could not be written or read.
    #[error("ladder {path}: {reason}")]
    File {
        /// The ladder's file.
        path: PathBuf,
        /// What went wrong.
        reason: io::Error,
    },
}

impl Ladder {
    /// Goes on with the ladder in `path`, which must have been played under `conditions`.
    ///
    /// # Errors
    /// When the file cannot be read, is no ladder or is one of other games.
    pub fn read(path: &Path, conditions: LadderConditions) -> Result<Self, LadderError> {
        let bytes = fs::read(path).map_err(|reason| LadderError::File { path: path.to_owned(), reason })?;
        Ladder::parse(&bytes, path, conditions)
    }

    /// Reads the bytes of a ladder's file; `path` is what errors say they are from.
    ///
    /// # Errors
    /// As [`Ladder::read`].
    pub fn parse(bytes: &[u8], path: &Path, conditions: LadderConditions) -> Result<Self, LadderError> {
        let ladder: Self = serde_json::from_slice(bytes)
            .map_err(|reason| LadderError::File { path: path.to_owned(), reason: reason.into() })?;
        if ladder.conditions != conditions {
            let (saved, wanted) = (ladder.conditions, conditions);
            return Err(LadderError::Conditions { path: path.to_owned(), saved, wanted });
        }
        conditions.board()?;
        match ladder.inconsistency() {
            Some(what) => Err(LadderError::Inconsistent { path: path.to_owned(), what }),
            None => Ok(ladder),
        }
    }

    /// What cannot be so in a ladder that was played.
    fn inconsistency(&self) -> Option<String> {
        let players = self.players.len();
        let mut names = HashSet::new();
        if let Some(name) = self.players.iter().find(|name| !names.insert(*name)) {
            return Some(format!("it lists the player {name} twice"));
        }
        let played = self.pairings.iter().map(|pairing| (pairing.a, pairing.b));
        let next = self.batch.iter().map(|batch| (batch.a, batch.b));
        if let Some((a, b)) =
            played.clone().chain(next).find(|&(a, b)| a >= players || b >= players || a == b)
        {
            return Some(format!("it has results of players {a} and {b}, of {players} players from 0"));
        }
        let mut met = HashSet::new();
        if let Some((a, b)) = played.clone().find(|pair| !met.insert(*pair)) {
            return Some(format!("it has results of players {a} and {b} twice"));
        }
        for Pairing { a, b, pairs, forfeits } in &self.pairings {
            let games = pairs.games();
            if let Some(more) = forfeits.iter().find(|count| **count > games) {
                return Some(format!("players {a} and {b} forfeited {more} of {games} games"));
            }
        }
        let left = self.batch.map_or(BATCH, |batch| batch.left);
        (!(1..=BATCH).contains(&left)).then(|| format!("a turn has {left} pairs left, not 1 to {BATCH}"))
    }

    /// Writes the ladder to `path`, whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, path: &Path) -> Result<(), LadderError> {
        hippolyta_files::write_json(path, self)
            .map_err(|reason| LadderError::File { path: path.to_owned(), reason })
    }
}

//! What a command line says of the games between players.

use std::time::Duration;

use clap::Args;
use hippolyta_eval::{GameRules, MOST_OPENING_PLIES};
use hippolyta_game::Board;
use hippolyta_play::Limits;
use hippolyta_run::config::MOST_THREADS;

use crate::values::{MOST_MILLIS, parse_size, threads, whole};

#[derive(Debug, Args)]
pub(crate) struct MatchArguments {
    /// The board: 6, 8 or 10 squares a side.
    #[arg(long, value_name = "N", value_parser = parse_size)]
    pub(crate) size: Board,
    /// The most positions a player may visit for a move.
    #[arg(long, value_name = "V", value_parser = whole(1..=Limits::MOST_VISITS),
        conflicts_with = "time_ms")]
    pub(crate) visits: Option<u64>,
    /// Milliseconds a player may think of a move.
    #[arg(long, value_name = "T", value_parser = whole(1..=MOST_MILLIS))]
    pub(crate) time_ms: Option<u64>,
    /// Milliseconds after which the program of a uci: player that gives no answer forfeits the game; 10 s more than
    /// --time-ms unless given, or a minute without that.
    #[arg(long, value_name = "C", value_parser = whole(1..=MOST_MILLIS))]
    ceiling_ms: Option<u64>,
    /// Random plies at the start of each pair of games.
    #[arg(long, value_name = "P", default_value_t = 2,
        value_parser = whole(0..=MOST_OPENING_PLIES))]
    pub(crate) openings_plies: u32,
    /// Decides openings and whatever the players leave to chance.
    #[arg(long, value_name = "S", default_value_t = 1, value_parser = whole(0..=u64::MAX))]
    pub(crate) seed: u64,
    /// Games at a time (all cores unless given).
    #[arg(long, value_name = "K", value_parser = whole(1..=MOST_THREADS))]
    threads: Option<usize>,
}

impl MatchArguments {
    /// The limits of both players, whose games are played to the end.
    pub(crate) fn rules(&self) -> GameRules {
        GameRules { visits: self.visits, time: self.time_ms.map(Duration::from_millis), adjudicate: false }
    }

    /// See [`Seatable::with_ceiling`](crate::players::Seatable::with_ceiling).
    pub(crate) fn ceiling(&self) -> Option<Duration> {
        self.ceiling_ms.map(Duration::from_millis)
    }

    /// Games at a time.
    ///
    /// # Errors
    /// When nobody says how many, and the number of cores is unknown.
    pub(crate) fn threads(&self) -> anyhow::Result<usize> {
        threads(self.threads)
    }
}

//! Figures of the games of a generation.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::outcome::plies_left;
use crate::record::GameRecord;

/// What the games of a generation were like. It follows from their records alone, so a run that was interrupted has
/// the same figures as one that was not. Shares are in [0, 1].
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GenerationStats {
    /// Games.
    pub games: u64,
    /// Positions searched in full: those with a policy target.
    pub positions: u64,
    /// Moves a game.
    pub mean_plies: f64,
    /// The share of games that the first player won.
    pub first_player_wins: f64,
    /// The share of games that a territory verdict ended before the last move.
    pub ended_by_verdict: f64,
    /// Plies a game that verdicts saved, had both sides then only filled their own territory.
    pub mean_plies_saved: f64,
    /// The mean surprise of the full searches, in nats.
    pub mean_surprise: f64,
    /// Network evaluations.
    pub evaluations: u64,
    /// Visits of all searches.
    pub visits: u64,
}

/// How far a generation is. All counts are of the whole generation, games found from before an interruption among
/// them: rates come from the difference to the first one given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// Games of the generation.
    pub all_games: u64,
    /// Games that are over.
    pub games: u64,
    /// Positions searched in full.
    pub positions: u64,
    /// Moves played.
    pub plies: u64,
    /// Network evaluations.
    pub evaluations: u64,
    /// Visits of all searches.
    pub visits: u64,
}

/// Sums over games.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Totals {
    pub(crate) games: u64,
    pub(crate) positions: u64,
    pub(crate) plies: u64,
    pub(crate) evaluations: u64,
    pub(crate) visits: u64,
    first_player_wins: u64,
    verdicts: u64,
    plies_saved: u64,
    surprise: f64,
}

impl Totals {
    pub(crate) fn of(record: &GameRecord) -> Totals {
        let last = record.positions().last().expect("a game has a position");
        let full = record.searched.iter().filter(|search| search.full);
        Totals {
            games: 1,
            positions: full.clone().count() as u64,
            plies: record.moves.len() as u64,
            evaluations: record.evaluations.into(),
            visits: record.visits.into(),
            first_player_wins: u64::from(record.outcome.winner == record.start.side()),
            verdicts: u64::from(last.has_move()),
            plies_saved: u64::from(if last.has_move() { plies_left(&last) } else { 0 }),
            surprise: full.map(|search| f64::from(search.surprise)).sum(),
        }
    }

    pub(crate) fn stats(&self) -> GenerationStats {
        let mean = |sum: f64, count: u64| if count == 0 { 0.0 } else { sum / count as f64 };
        GenerationStats {
            games: self.games,
            positions: self.positions,
            mean_plies: mean(self.plies as f64, self.games),
            first_player_wins: mean(self.first_player_wins as f64, self.games),
            ended_by_verdict: mean(self.verdicts as f64, self.games),
            mean_plies_saved: mean(self.plies_saved as f64, self.games),
            mean_surprise: mean(self.surprise, self.positions),
            evaluations: self.evaluations,
            visits: self.visits,
        }
    }
}

impl AddAssign for Totals {
    fn add_assign(&mut self, other: Totals) {
        self.games += other.games;
        self.positions += other.positions;
        self.plies += other.plies;
        self.evaluations += other.evaluations;
        self.visits += other.visits;
        self.first_player_wins += other.first_player_wins;
        self.verdicts += other.verdicts;
        self.plies_saved += other.plies_saved;
        self.surprise += other.surprise;
    }
}

//! What self-play is told.

use hippolyta_game::Board;
use hippolyta_search::math;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::boards::Boards;
use crate::searches::Searches;

/// How the games of a generation are played. All keys must be given but a board's `first` and `last`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SelfplayConfig {
    /// The boards, each with its share of the games.
    pub boards: Boards,
    /// Games of a generation. 1 to 10,000,000.
    pub games: u32,
    /// Games of a record file; what a killed run loses is at most the files that it was filling. 1 to 4096.
    pub games_per_file: u32,
    /// Games that one worker plays at a time, a network call serving all of them: 1 on a CPU, hundreds for a GPU.
    pub games_in_flight: u32,
    /// How large the searches are.
    pub searches: Searches,
    /// The share of plies searched in full, 0 to 1; the others get a quick search without noise.
    pub full_share: f64,
    /// A game's first plies are drawn from the network's policy without a search; how many is drawn for each game
    /// from 0 to this number, all equally likely. At most 91.
    pub opening_plies: u32,
    /// The temperature of these draws: above 1 flatter than the policy. Above 0.
    pub opening_temperature: f64,
    /// The share of the games whose first plies are drawn from all legal moves alike instead, 0 to 1. Matches begin in
    /// such a way.
    pub uniform_share: f64,
    /// How many plies are drawn in such a game: from 2 to this number, all equally likely. At most 91.
    pub uniform_plies: u32,
    /// Such a start is drawn again while the network's value of it is beyond this for either side: it is decided.
    /// 0 to 1; at 1 none is.
    pub uniform_value: f64,
    /// The temperature of the draw from a search's improved policy at the game's first ply. Above 0.
    pub move_temperature_start: f64,
    /// The temperature that it falls to. Above 0.
    pub move_temperature_end: f64,
    /// In how many plies the distance to the end temperature halves, in widths of the board. Above 0.
    pub move_temperature_half_life: f64,
    /// Soft adjudication: a game is held for decided while the values of the last searches are all beyond this for
    /// the same side. 0 to 1; at 1 no game is.
    pub decided_value: f64,
    /// How many searches in a row that takes. At least 1.
    pub decided_turns: u32,
    /// The most visits of any search while the game is held for decided. At least 1.
    pub decided_visits: u32,
    /// The weight of the positions then, 0 to 1.
    pub decided_weight: f32,
    /// Whether a game ends when its territory proves the winner, or is played to the last move.
    pub end_by_verdict: bool,
}

/// A value that a [`SelfplayConfig`] cannot have.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("selfplay.{key} = {value}: must be {allowed}")]
pub struct ConfigError {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

impl SelfplayConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        self.boards.validate()?;
        self.searches.validate()?;
        let fault = |key, value, allowed| Err(ConfigError { key, value, allowed });
        for (key, value) in [
            ("games", self.games),
            ("games_per_file", self.games_per_file),
            ("games_in_flight", self.games_in_flight),
            ("decided_turns", self.decided_turns),
            ("decided_visits", self.decided_visits),
        ] {
            if value == 0 {
                return fault(key, 0.0, "at least 1");
            }
        }
        for (key, value, most, allowed) in [
            ("games", self.games, 10_000_000, "at most 10000000"),
            ("games_per_file", self.games_per_file, 4096, "at most 4096"),
            ("games_in_flight", self.games_in_flight, 65536, "at most 65536"),
            // On 10x10 92 squares are empty at the start, and each ply fills one.
            ("opening_plies", self.opening_plies, 91, "at most 91"),
        ] {
            if value > most {
                return fault(key, value.into(), allowed);
            }
        }
        if !(2..=91).contains(&self.uniform_plies) {
            return fault("uniform_plies", self.uniform_plies.into(), "from 2 to 91");
        }
        for (key, value) in [
            ("opening_temperature", self.opening_temperature),
            ("move_temperature_start", self.move_temperature_start),
            ("move_temperature_end", self.move_temperature_end),
            ("move_temperature_half_life", self.move_temperature_half_life),
        ] {
            if !(value > 0.0 && value.is_finite()) {
                return fault(key, value, "above 0");
            }
        }
        for (key, value) in [
            ("full_share", self.full_share),
            ("uniform_share", self.uniform_share),
            ("uniform_value", self.uniform_value),
            ("decided_value", self.decided_value),
            ("decided_weight", f64::from(self.decided_weight)),
        ] {
            if !(0.0..=1.0).contains(&value) {
                return fault(key, value, "from 0 to 1");
            }
        }
        Ok(())
    }

    /// The same games on one board alone.
    #[must_use]
    pub fn on(self, board: Board) -> SelfplayConfig {
        SelfplayConfig { boards: Boards::only(board), ..self }
    }

    /// The temperature of the move drawn at `ply` of a game on `board`.
    pub(crate) fn move_temperature(&self, board: Board, ply: usize) -> f64 {
        let half_life = self.move_temperature_half_life * f64::from(board.files());
        let fall = math::exp2(-(ply as f64) / half_life);
        self.move_temperature_end + (self.move_temperature_start - self.move_temperature_end) * fall
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    #[test]
    fn names_the_wrong_key() {
        assert_eq!(config().validate(), Ok(()));
        let fault = |change: fn(&mut SelfplayConfig)| {
            let mut config = config();
            change(&mut config);
            config.validate().unwrap_err().to_string()
        };
        assert!(fault(|c| c.boards.0[0].size = 7).starts_with("selfplay.boards.size = 7"));
        assert_eq!(fault(|c| c.games = 0), "selfplay.games = 0: must be at least 1");
        assert_eq!(
            fault(|c| c.games_per_file = 5000),
            "selfplay.games_per_file = 5000: must be at most 4096"
        );
        assert_eq!(fault(|c| c.games = u32::MAX), "selfplay.games = 4294967295: must be at most 10000000");
        assert!(fault(|c| c.opening_plies = 92).starts_with("selfplay.opening_plies = 92"));
        assert_eq!(fault(|c| c.uniform_plies = 1), "selfplay.uniform_plies = 1: must be from 2 to 91");
        assert!(fault(|c| c.uniform_share = -0.1).starts_with("selfplay.uniform_share = -0.1"));
        assert!(fault(|c| c.uniform_value = 1.1).starts_with("selfplay.uniform_value = 1.1"));
        assert!(fault(|c| c.searches.0.clear()).starts_with("selfplay.searches.first = 0: must be"));
        assert!(fault(|c| c.opening_temperature = 0.0).starts_with("selfplay.opening_temperature"));
        assert!(fault(|c| c.move_temperature_end = -1.0).starts_with("selfplay.move_temperature_end"));
        assert_eq!(fault(|c| c.full_share = 1.5), "selfplay.full_share = 1.5: must be from 0 to 1");
        assert!(fault(|c| c.decided_weight = f32::NAN).starts_with("selfplay.decided_weight"));
    }

    #[test]
    fn refuses_unknown_and_missing_keys() {
        let text = toml::to_string(&config()).unwrap();
        assert_eq!(toml::from_str(&text), Ok(config()));
        let refused = |text: &str| toml::from_str::<SelfplayConfig>(text).unwrap_err().to_string();
        assert!(refused(&format!("gamse = 3\n{text}")).contains("gamse"));
        assert!(refused(&text.replace("full_share = 0.25\n", "")).contains("full_share"));
    }

    #[test]
    fn the_temperature_halves_its_distance_in_a_board_width() {
        let mut config = config();
        config.move_temperature_start = 0.8;
        config.move_temperature_end = 0.2;
        config.move_temperature_half_life = 1.0;
        for (ply, expected) in [(0, 0.8), (6, 0.5), (12, 0.35)] {
            assert!((config.move_temperature(Board::SIX, ply) - expected).abs() < 1e-12);
        }
    }
}

//! The tables of a configuration that belong to the run itself.

use hippolyta_eval::{GateConfig, MOST_GAMES, MOST_OPENING_PLIES};
use hippolyta_play::Limits;
use serde::Deserialize;

/// The most threads that can be asked for.
pub const MOST_THREADS: usize = 1024;

/// The `[run]` table.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSection {
    /// From which every random choice of the run follows.
    pub seed: u64,
    /// Threads of self-play, gate and rating; 0 takes all cores.
    pub threads: usize,
    /// What computes the network in self-play.
    pub evaluator: EvaluatorKind,
    /// The run ends after this many generations; 0 sets no bound.
    pub generations: u32,
    /// The run ends after this many minutes of work, counted over restarts; 0 sets no bound.
    pub minutes: f64,
    /// The hash of the network that the run begins with, in hexadecimal; empty for an untrained one.
    pub init: String,
}

impl RunSection {
    pub(super) fn validate(&self) -> Result<(), String> {
        if self.threads > MOST_THREADS {
            return Err(format!("run.threads = {}: must be from 0 to {MOST_THREADS}", self.threads));
        }
        if !(self.minutes.is_finite() && self.minutes >= 0.0) {
            return Err(format!("run.minutes = {}: must be at least 0", self.minutes));
        }
        let is_hash = self.init.len() == 64 && self.init.bytes().all(|byte| byte.is_ascii_hexdigit());
        if !self.init.is_empty() && !is_hash {
            return Err(format!("run.init = \"{}\": must be \"\" or a SHA-256 in hexadecimal", self.init));
        }
        Ok(())
    }

    /// The bound on generations, if there is one.
    pub fn most_generations(&self) -> Option<u32> {
        (self.generations > 0).then_some(self.generations)
    }

    /// The bound on minutes, if there is one.
    pub fn most_minutes(&self) -> Option<f64> {
        (self.minutes > 0.0).then_some(self.minutes)
    }
}

/// Which code computes a network in self-play.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub enum EvaluatorKind {
    /// The native code, on CPU cores.
    Native,
    /// libtorch, on the device of this name.
    Torch(String),
}

impl TryFrom<String> for EvaluatorKind {
    type Error = String;

    fn try_from(text: String) -> Result<EvaluatorKind, String> {
        if text == "native" {
            Ok(EvaluatorKind::Native)
        } else if text == "cpu" || text == "cuda" || text.starts_with("cuda:") {
            Ok(EvaluatorKind::Torch(text))
        } else {
            Err(format!("evaluator = \"{text}\": expected native, cpu, cuda or cuda:N"))
        }
    }
}

/// The `[gate]` table.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateSection {
    /// The first generation with a match. Before it, and between matches, the newest network becomes champion.
    pub first: u32,
    /// From then on, one generation in this many has a match; so has the run's last.
    pub every: u32,
    /// The terms of a match.
    pub terms: GateConfig,
}

impl GateSection {
    pub(super) fn validate(&self) -> Result<(), String> {
        for (key, value) in [("first", self.first), ("every", self.every)] {
            if value == 0 {
                return Err(format!("gate.{key} = 0: must be at least 1"));
            }
        }
        self.terms.check().map(drop).map_err(|error| error.to_string())
    }

    /// Whether a generation has a match even if it is not the run's last.
    pub fn is_due(&self, generation: u32) -> bool {
        generation >= self.first && (generation - self.first).is_multiple_of(self.every)
    }
}

/// The `[rating]` table.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingSection {
    /// The champion is rated once in this many generations, and in the last.
    pub every: u32,
    /// Games against each of Easy, Medium, Hard and the classical program, an even number.
    pub games: u64,
    /// More games, an even number or 0, against whoever they tell most about the champion's rating: one of these,
    /// Random, or a champion that was rated before.
    pub informed_games: u64,
    /// Random plies at the start of each pair of games.
    pub opening_plies: u32,
    /// Visits of the network for a move.
    pub visits: u64,
    /// Evaluations of the classical program for a move.
    pub classical_visits: u64,
}

impl RatingSection {
    pub(super) fn validate(&self) -> Result<(), String> {
        if self.every == 0 {
            return Err("rating.every = 0: must be at least 1".to_owned());
        }
        for (key, games, least) in [("games", self.games, 2), ("informed_games", self.informed_games, 0)] {
            if !(least..=MOST_GAMES).contains(&games) || !games.is_multiple_of(2) {
                return Err(format!(
                    "rating.{key} = {games}: must be an even number from {least} to {MOST_GAMES}"
                ));
            }
        }
        for (key, value) in [("visits", self.visits), ("classical_visits", self.classical_visits)] {
            if !(1..=Limits::MOST_VISITS).contains(&value) {
                return Err(format!("rating.{key} = {value}: must be from 1 to {}", Limits::MOST_VISITS));
            }
        }
        if self.opening_plies > MOST_OPENING_PLIES {
            let plies = self.opening_plies;
            return Err(format!("rating.opening_plies = {plies}: must be at most {MOST_OPENING_PLIES}"));
        }
        Ok(())
    }

    /// Whether a generation's champion is rated even if the generation is not the run's last.
    pub fn is_due(&self, generation: u32) -> bool {
        generation.is_multiple_of(self.every)
    }
}

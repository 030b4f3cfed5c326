//! The constants of a search.

use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The constants of a search. All of them must be given.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Gumbel: added to the largest visit count in `sigma(q) = (c_visit + max N) * c_scale * q`. At least 0; 50 in
    /// Danihelka et al. 2022.
    pub c_visit: f32,
    /// Gumbel: scale of sigma, for values in [-1, 1]. Above 0.
    pub c_scale: f32,
    /// PUCT: the exploration constant at few visits, in `c = puct_init + ln((1 + N + puct_base) / puct_base)`.
    /// Above 0; 1.25 in `AlphaZero`.
    pub puct_init: f32,
    /// PUCT: the visits after which exploration grows. Above 0; 19652 in `AlphaZero`.
    pub puct_base: f32,
    /// PUCT: an unvisited move is worth the node's value less this times the root of the prior mass visited so far.
    /// At least 0; 0.2 in `KataGo`.
    pub fpu_reduction: f32,
    /// The moves that a node below the root keeps, those with the largest priors. 1 to 4900.
    pub max_children: u32,
    /// The nodes a tree may hold; a search that reaches it ends. With the moves of each, at most 2^32 in all.
    pub max_nodes: u32,
    /// A leaf with at most so many contested empty squares is given to the solver; 0 for none.
    pub endgame_squares: u32,
    /// The positions that the solver may expand for a leaf before it is left to the evaluator.
    pub endgame_nodes: u32,
}

/// A value that a [`SearchConfig`] cannot have.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("search.{key} = {value}: must be {allowed}")]
pub struct ConfigError {
    /// The key.
    pub key: &'static str,
    /// Its value.
    pub value: f64,
    /// What it may be.
    pub allowed: &'static str,
}

/// The most moves that a position can have: a proven bound on 10x10.
const MOST_MOVES: u32 = 4900;

impl SearchConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first value that is out of its range.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let above_zero = "above 0";
        let at_least_zero = "at least 0";
        for (key, value, valid, allowed) in [
            ("c_visit", self.c_visit, self.c_visit >= 0.0, at_least_zero),
            ("c_scale", self.c_scale, self.c_scale > 0.0, above_zero),
            ("puct_init", self.puct_init, self.puct_init > 0.0, above_zero),
            ("puct_base", self.puct_base, self.puct_base > 0.0, above_zero),
            ("fpu_reduction", self.fpu_reduction, self.fpu_reduction >= 0.0, at_least_zero),
        ] {
            if !valid || !value.is_finite() {
                return Err(ConfigError { key, value: f64::from(value), allowed });
            }
        }
        if !(1..=MOST_MOVES).contains(&self.max_children) {
            let value = f64::from(self.max_children);
            return Err(ConfigError { key: "max_children", value, allowed: "from 1 to 4900" });
        }
        // Room for the root's full list and for nodes that had to fall back to theirs.
        let most_nodes = (u32::MAX / 2) / self.max_children;
        if !(2..=most_nodes).contains(&self.max_nodes) {
            let value = f64::from(self.max_nodes);
            return Err(ConfigError {
                key: "max_nodes",
                value,
                allowed: "at least 2, and at most 2^31 / max_children",
            });
        }
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) fn config() -> SearchConfig {
        SearchConfig {
            c_visit: 50.0,
            c_scale: 1.0,
            puct_init: 1.25,
            puct_base: 19652.0,
            fpu_reduction: 0.2,
            max_children: 64,
            max_nodes: 1_000_000,
            endgame_squares: 0,
            endgame_nodes: 0,
        }
    }

    #[test]
    fn names_the_wrong_key() {
        assert_eq!(config().validate(), Ok(()));
        let mut wrong = config();
        wrong.c_scale = 0.0;
        let error = wrong.validate().expect_err("0 is not above 0");
        assert_eq!(error.to_string(), "search.c_scale = 0: must be above 0");
        wrong = config();
        wrong.puct_base = f32::NAN;
        assert_eq!(wrong.validate().map_err(|e| e.key), Err("puct_base"));
        wrong = config();
        wrong.max_children = 0;
        assert_eq!(wrong.validate().map_err(|e| e.key), Err("max_children"));
        wrong = config();
        wrong.max_nodes = u32::MAX;
        assert_eq!(wrong.validate().map_err(|e| e.key), Err("max_nodes"));
    }

    #[test]
    fn refuses_unknown_and_missing_keys() {
        let text = toml::to_string(&config()).expect("a config is plain");
        assert_eq!(toml::from_str(&text), Ok(config()));
        let unknown = format!("{text}c_vist = 50\n");
        let error = toml::from_str::<SearchConfig>(&unknown).expect_err("an unknown key");
        assert!(error.to_string().contains("c_vist"), "{error}");
        let missing = text.replace("c_visit = 50.0\n", "");
        let error = toml::from_str::<SearchConfig>(&missing).expect_err("a missing key");
        assert!(error.to_string().contains("c_visit"), "{error}");
    }
}

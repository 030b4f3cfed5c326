//! A run's configuration. Each table belongs to the crate that it configures; no value stands in code.

mod layers;
mod sections;

use hippolyta_model::NetSpec;
use hippolyta_search::SearchConfig;
use hippolyta_selfplay::{BoardShare, SelfplayConfig};
use hippolyta_train::TrainConfig;
use serde::Deserialize;

pub use layers::{BASE, ConfigFault, Resolved, first_difference};
pub use sections::{EvaluatorKind, GateSection, MOST_THREADS, RatingSection, RunSection};

/// All that decides what a run does. `configs/base.toml` says what each key means.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunConfig {
    /// The run as a whole.
    pub run: RunSection,
    /// The network.
    pub network: NetSpec,
    /// How games are played.
    pub selfplay: SelfplayConfig,
    /// The constants of self-play's searches.
    pub search: SearchConfig,
    /// How the network is trained.
    pub train: TrainConfig,
    /// When a candidate becomes champion.
    pub gate: GateSection,
    /// How champions are rated.
    pub rating: RatingSection,
}

impl RunConfig {
    /// Checks every value.
    ///
    /// # Errors
    /// The first key whose value makes no sense, with the value.
    fn validate(&self) -> Result<(), String> {
        self.run.validate()?;
        self.network.validate().map_err(|error| format!("network.{error}"))?;
        self.selfplay.validate().map_err(|error| error.to_string())?;
        self.search.validate().map_err(|error| error.to_string())?;
        self.train.validate().map_err(|error| format!("train.{error}"))?;
        self.gate.validate()?;
        self.rating.validate()?;
        let begins = self.selfplay.boards.0.iter().map(BoardShare::begins).max().unwrap_or_default();
        match self.run.most_generations() {
            Some(all) if begins > all => {
                Err(format!("selfplay.boards.first = {begins}: must be at most run.generations = {all}"))
            }
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests;

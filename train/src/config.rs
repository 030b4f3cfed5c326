//! What a training is told. Every value stands in the run's configuration; nothing is filled in here.

use std::collections::BTreeMap;

use hippolyta_model::Head;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The `[train]` table of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrainConfig {
    /// Where the network is trained: `cpu`, `cuda` or `cuda:N`.
    pub device: String,
    /// Threads of the trainer. On a CPU each works on shards of at most 128 samples; they change no result.
    pub threads: usize,
    /// Numbers of the trunk's convolutions. Weights, norms and losses are f32 either way.
    pub precision: TrainPrecision,
    /// Samples a step.
    pub batch: usize,
    /// How often each position is drawn in all, on average: samples to be drawn are `passes` times positions made.
    pub passes: f64,
    /// Nothing is trained before this many positions have been made.
    pub min_positions: u64,
    /// The averaged weights move `1 - average_decay` of the way to the trained ones each step. Early steps, t from
    /// 0, use `(1 + t) / (10 + t)` where that is less, so that the start is forgotten soon.
    pub average_decay: f64,
    /// Whether a network's norms are taken anew, over positions on the boards of the newest generation, when it is
    /// exported; if not, it has the running statistics of its training.
    pub estimated_norms: bool,
    /// Whether the owner of a square is learned only where the square is empty.
    pub open_owners: bool,
    /// Steps from one checkpoint to the next within a generation; there is one at its end as well.
    pub checkpoint_steps: u64,
    /// Which positions are drawn from.
    pub window: WindowConfig,
    /// What a step minimises.
    pub loss: LossConfig,
    /// How a step moves the weights.
    pub optimizer: OptimizerConfig,
}

/// See [`TrainConfig::precision`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrainPrecision {
    /// 32-bit floats.
    F32,
    /// Brain floats.
    Bf16,
}

/// The window holds the last `scale * (1 + beta * ((N / scale)^alpha - 1) / alpha)` of the N positions made so far,
/// and all of them while N is below `scale` (Wu 2019, appendix C).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WindowConfig {
    /// Positions up to which nothing is dropped.
    pub scale: f64,
    /// Exponent of the growth, above 0 and at most 1.
    pub alpha: f64,
    /// Slope of the growth where it begins, in [0, 1].
    pub beta: f64,
    /// The share of a position's weight that goes by its policy surprise over the mean surprise of its board; the
    /// rest is uniform. In [0, 1].
    pub surprise: f64,
    /// What a position weighs whose winner the search has proven, beside 1 for an open one: in [0, 1].
    pub proven: f64,
    /// Whether such a position teaches its policy, most of which is on the winning move that was found first. If not,
    /// it also has no surprise.
    pub proven_policy: bool,
    /// Whether the search's value is that of its improved policy, or the mean over all its visits.
    pub improved_value: bool,
    /// The share of the steps that take a board of the newest generation, whatever the window holds of others. In
    /// [0, 1].
    pub current_boards: f64,
}

/// Weights of the losses, and what the value is trained towards.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "LossTable")]
pub struct LossConfig {
    /// Share of the search's own value in the value target; the rest is the game's result. In [0, 1].
    pub root_value: f32,
    /// The weight of each head's loss but the policy's, which is 1, by the head's name.
    #[serde(flatten)]
    pub weights: BTreeMap<String, f64>,
}

/// A [`LossConfig`] whose heads are not checked yet.
#[derive(Deserialize)]
struct LossTable {
    root_value: f32,
    #[serde(flatten)]
    weights: BTreeMap<String, f64>,
}

impl TryFrom<LossTable> for LossConfig {
    type Error = String;

    fn try_from(LossTable { root_value, weights }: LossTable) -> Result<LossConfig, String> {
        let weighted = || Head::ALL.into_iter().filter(|head| *head != Head::Policy).map(Head::name);
        if let Some(unknown) = weights.keys().find(|name| weighted().all(|known| known != *name)) {
            let known: Vec<&str> = weighted().chain(["root_value"]).collect();
            return Err(format!("unknown field `{unknown}`, expected one of {}", known.join(", ")));
        }
        match weighted().find(|name| !weights.contains_key(*name)) {
            Some(missing) => Err(format!("missing field `{missing}`: each head's loss has a weight")),
            None => Ok(LossConfig { root_value, weights }),
        }
    }
}

impl LossConfig {
    /// The weight of a head's loss.
    ///
    /// # Panics
    /// When the configuration was put together without it: none that was read lacks one.
    pub fn weight(&self, head: Head) -> f64 {
        if head == Head::Policy { 1.0 } else { self.weights[head.name()] }
    }
}

/// What moves the kernels of the trunk's blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum TrunkOptimizer {
    /// `AdamW`, as everything else.
    AdamW,
    /// Muon (Jordan et al. 2024): each kernel moves along its mean gradient made orthogonal, at the length that `AdamW`
    /// would give it on average (Liu et al. 2025), so that both share rate and decay.
    Muon,
}

/// `AdamW` (Loshchilov and Hutter 2019) with clipped gradients, and Muon for the trunk if wanted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OptimizerConfig {
    /// What moves the kernels of the trunk's blocks; the rest is moved by `AdamW`.
    pub trunk: TrunkOptimizer,
    /// The rate between warm-up and decay.
    pub learning_rate: f64,
    /// Steps over which the rate rises from 0 in a straight line.
    pub warmup_steps: u64,
    /// The share of the run's generations after which the rate falls in a straight line; 1 keeps it level, and so
    /// does a run whose generations have no bound. In [0, 1].
    pub decay_from: f64,
    /// What is left of the rate when all generations are over. In [0, 1].
    pub final_rate: f64,
    /// Decay of the mean gradient, in [0, 1).
    pub beta1: f64,
    /// The same for Muon, in [0, 1).
    pub muon_beta: f64,
    /// Decay of the mean squared gradient, in [0, 1).
    pub beta2: f64,
    /// Added to the root of the mean squared gradient.
    pub epsilon: f64,
    /// What matrices and kernels lose each step, times the rate; biases and norms lose nothing.
    pub weight_decay: f64,
    /// Largest norm of a gradient over all weights; longer ones are scaled down to it.
    pub clip: f64,
}

/// A value that makes no sense.
#[derive(Clone, Debug, PartialEq, Error)]
#[error("{key} = {value}: must be {allowed}")]
pub struct ConfigError {
    /// The key, below `[train]`.
    pub key: String,
    /// What it was set to.
    pub value: f64,
    /// What would have been accepted.
    pub allowed: &'static str,
}

impl TrainConfig {
    /// Checks every value; `device` is checked when it is opened.
    ///
    /// # Errors
    /// The first value out of its range, with its key.
    pub fn validate(&self) -> Result<(), ConfigError> {
        let (window, optimizer) = (&self.window, &self.optimizer);
        let count = |key: &str, value: u64, most: u64, allowed| {
            check(key, value as f64, allowed, |v| v >= 1.0 && v <= most as f64)
        };
        let share = |key: &str, value| check(key, value, "from 0 to 1", |v| (0.0..=1.0).contains(&v));
        let decay = |key: &str, value| check(key, value, "from 0 to below 1", |v| (0.0..1.0).contains(&v));
        let positive = |key: &str, value| check(key, value, "above 0", |v| v > 0.0);
        let not_negative = |key: &str, value| check(key, value, "at least 0", |v| v >= 0.0);
        count("threads", self.threads as u64, 1024, "from 1 to 1024")?;
        // The norms need more than one sample.
        check("batch", self.batch as f64, "from 2 to 65536", |v| (2.0..=65536.0).contains(&v))?;
        positive("passes", self.passes)?;
        count("min_positions", self.min_positions, u64::MAX, "at least 1")?;
        decay("average_decay", self.average_decay)?;
        count("checkpoint_steps", self.checkpoint_steps, u64::MAX, "at least 1")?;
        check("window.scale", window.scale, "at least 1", |v| v >= 1.0)?;
        check("window.alpha", window.alpha, "above 0 and at most 1", |v| v > 0.0 && v <= 1.0)?;
        share("window.beta", window.beta)?;
        share("window.surprise", window.surprise)?;
        share("window.proven", window.proven)?;
        share("window.current_boards", window.current_boards)?;
        for (head, &weight) in &self.loss.weights {
            not_negative(&format!("loss.{head}"), weight)?;
        }
        share("loss.root_value", f64::from(self.loss.root_value))?;
        positive("optimizer.learning_rate", optimizer.learning_rate)?;
        share("optimizer.decay_from", optimizer.decay_from)?;
        share("optimizer.final_rate", optimizer.final_rate)?;
        decay("optimizer.beta1", optimizer.beta1)?;
        decay("optimizer.muon_beta", optimizer.muon_beta)?;
        decay("optimizer.beta2", optimizer.beta2)?;
        positive("optimizer.epsilon", optimizer.epsilon)?;
        not_negative("optimizer.weight_decay", optimizer.weight_decay)?;
        positive("optimizer.clip", optimizer.clip)
    }

    /// The step up to which a run has to be trained once `made` positions exist.
    pub fn steps_due(&self, made: u64) -> u64 {
        if made < self.min_positions { 0 } else { (made as f64 * self.passes / self.batch as f64) as u64 }
    }
}

impl OptimizerConfig {
    /// The rate of a step (from 0) taken when `progress` of the run's generations, in [0, 1], is over.
    pub fn rate(&self, step: u64, progress: f64) -> f64 {
        let warm = ((step + 1) as f64 / (self.warmup_steps + 1) as f64).min(1.0);
        let falling = if progress > self.decay_from {
            (progress.min(1.0) - self.decay_from) / (1.0 - self.decay_from)
        } else {
            0.0
        };
        self.learning_rate * warm * (1.0 - falling * (1.0 - self.final_rate))
    }
}

impl WindowConfig {
    /// How many of the last positions are drawn from once `made` exist.
    pub fn positions(&self, made: u64) -> u64 {
        let ratio = made as f64 / self.scale;
        if ratio <= 1.0 {
            return made;
        }
        let grown = self.scale * (1.0 + self.beta * (ratio.powf(self.alpha) - 1.0) / self.alpha);
        (grown as u64).min(made)
    }
}

fn check(
    key: &str,
    value: f64,
    allowed: &'static str,
    fits: impl Fn(f64) -> bool,
) -> Result<(), ConfigError> {
    if value.is_finite() && fits(value) {
        Ok(())
    } else {
        Err(ConfigError { key: key.to_owned(), value, allowed })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    #[test]
    fn the_window_grows_as_the_formula_says() {
        // c = 250,000, alpha = 0.75, beta = 0.4 as published: values computed by hand with another program.
        let window = WindowConfig { scale: 250_000.0, alpha: 0.75, beta: 0.4, ..config().window };
        for (made, expected) in [
            (0, 0),
            (1_000, 1_000),
            (250_000, 250_000),
            (1_000_000, 493_790),
            (10_000_000, 2_237_388),
            (240_000_000, 23_112_129),
        ] {
            assert_eq!(window.positions(made), expected, "{made}");
        }
    }

    #[test]
    fn steps_follow_the_positions_made() {
        let config = TrainConfig { batch: 64, passes: 4.0, min_positions: 1000, ..config() };
        assert_eq!([0, 999, 1000, 1600].map(|made| config.steps_due(made)), [0, 0, 62, 100]);
    }

    #[test]
    fn the_rate_rises_stays_and_falls() {
        let optimizer = OptimizerConfig {
            learning_rate: 1e-2,
            warmup_steps: 3,
            decay_from: 0.5,
            final_rate: 0.1,
            ..config().optimizer
        };
        let close = |rate: f64, expected: f64| assert!((rate - expected).abs() < 1e-12, "{rate} {expected}");
        close(optimizer.rate(0, 0.0), 0.25e-2);
        close(optimizer.rate(3, 0.0), 1e-2);
        close(optimizer.rate(100, 0.5), 1e-2);
        close(optimizer.rate(100, 0.75), 0.55e-2);
        close(optimizer.rate(100, 1.0), 0.1e-2);
        let level = OptimizerConfig { decay_from: 1.0, ..optimizer };
        close(level.rate(100, 1.0), 1e-2);
    }

    #[test]
    fn senseless_values_and_unknown_keys_are_named() {
        let fault = |change: fn(&mut TrainConfig)| {
            let mut changed = config();
            changed.validate().unwrap();
            change(&mut changed);
            changed.validate().unwrap_err().to_string()
        };
        assert_eq!(fault(|c| c.threads = 0), "threads = 0: must be from 1 to 1024");
        assert_eq!(fault(|c| c.batch = 1), "batch = 1: must be from 2 to 65536");
        assert_eq!(fault(|c| c.passes = f64::NAN), "passes = NaN: must be above 0");
        assert_eq!(fault(|c| c.average_decay = 1.0), "average_decay = 1: must be from 0 to below 1");
        assert_eq!(fault(|c| c.window.alpha = 0.0), "window.alpha = 0: must be above 0 and at most 1");
        assert_eq!(
            fault(|c| *c.loss.weights.get_mut("owner").unwrap() = -0.5),
            "loss.owner = -0.5: must be at least 0"
        );
        assert_eq!(fault(|c| c.loss.root_value = 1.5), "loss.root_value = 1.5: must be from 0 to 1");
        assert_eq!(fault(|c| c.optimizer.clip = 0.0), "optimizer.clip = 0: must be above 0");

        let text = toml::to_string(&config()).unwrap();
        assert_eq!(toml::from_str::<TrainConfig>(&text).unwrap(), config());
        let misspelt = text.replace("passes", "pases");
        assert!(toml::from_str::<TrainConfig>(&misspelt).unwrap_err().to_string().contains("`pases`"));
        let misspelt = text.replace("owner = ", "ownre = ");
        let error = toml::from_str::<TrainConfig>(&misspelt).unwrap_err().to_string();
        assert!(error.contains("unknown field `ownre`, expected one of value, margin, owner"), "{error}");
        let missing = text.replace("owner = 1.5\n", "");
        let error = toml::from_str::<TrainConfig>(&missing).unwrap_err().to_string();
        assert!(error.contains("missing field `owner`"), "{error}");
        let missing = text.replace("clip = 1.0\n", "");
        assert!(toml::from_str::<TrainConfig>(&missing).unwrap_err().to_string().contains("clip"));
    }
}

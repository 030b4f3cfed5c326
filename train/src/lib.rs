//! Replay window, losses, optimiser and checkpoints.
//!
//! Without the feature `torch` this is the configuration, the window and the batches; with it, the trainer.

mod batch;
#[cfg(feature = "torch")]
mod checkpoint;
mod config;
#[cfg(feature = "torch")]
mod deviation;
#[cfg(feature = "torch")]
mod losses;
#[cfg(feature = "torch")]
mod muon;
#[cfg(feature = "torch")]
mod optimizer;
#[cfg(feature = "torch")]
mod policy_loss;
#[cfg(test)]
mod testing;
#[cfg(feature = "torch")]
mod trainer;
#[cfg(feature = "torch")]
mod unseen;
mod window;

pub use batch::{Batch, DenseMove, PolicyTarget, Target};
#[cfg(feature = "torch")]
pub use checkpoint::{CheckpointError, Progress, Summed};
pub use config::{
    ConfigError, LossConfig, OptimizerConfig, TrainConfig, TrainPrecision, TrunkOptimizer, WindowConfig,
};
#[cfg(feature = "torch")]
pub use losses::Losses;
#[cfg(feature = "torch")]
pub use trainer::{GenerationReport, SaveError, StepReport, TrainError, Trainer};
#[cfg(feature = "torch")]
pub use unseen::{Prediction, predict};
pub use window::{ReplayWindow, Sample};

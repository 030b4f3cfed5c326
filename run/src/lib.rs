//! One training run: its configuration, its files, its stages and the loop that chains them.
//!
//! [`config`] reads a run's configuration: `configs/base.toml` holds every key, the other files name it and what
//! differs.

pub mod config;

pub use config::{ConfigFault, EvaluatorKind, RunConfig};

//! The policy and value network without libtorch.

pub mod calibration;
pub mod evaluator;
pub mod features;
pub mod file;
mod kernel;
mod math;
pub mod network;
#[cfg(test)]
mod network_tests;
#[cfg(test)]
mod oracle;
pub mod policy;
pub mod spec;
pub mod weights;

pub use calibration::Calibration;
pub use evaluator::NetworkEvaluator;
pub use file::ModelFile;
pub use kernel::{Isa, Peak, Precision};
pub use network::{Heads, Network, Output, Scratch, calibrate};
pub use policy::{Policy, Product};
pub use spec::{NetSpec, SpecError};
pub use weights::{Weights, WeightsError};

//! The policy and value network without libtorch.
//!
//! A [`NetSpec`] fixes a network's tensors, [`Weights`] are their numbers, and a [`ModelFile`] keeps them with the
//! int8 ranges of [`calibration`]. [`features`] turns a position into planes, a [`Network`] runs on them with the
//! vector instructions of the machine, and a [`NetworkEvaluator`] is that for a search.

pub mod calibration;
pub mod evaluator;
pub mod features;
pub mod file;
pub mod heads;
mod kernel;
pub mod network;
#[cfg(test)]
mod network_tests;
pub mod onnx;
#[cfg(test)]
mod oracle;
pub mod policy;
mod quantisation;
pub mod spec;
pub mod weights;

pub use calibration::{Calibration, Channels, Deviation, TrunkBits, calibrate};
pub use evaluator::NetworkEvaluator;
pub use file::ModelFile;
pub use heads::{Head, HeadInput, HeadOutput, HeadSpec, Heads};
pub use kernel::{Isa, Peak, Precision};
pub use network::{Network, Output, Scratch};
pub use policy::{Policy, Product};
pub use spec::{NetSpec, SpecError};
pub use weights::{Weights, WeightsError};

//! The policy and value network without libtorch.

pub mod calibration;
pub mod features;
pub mod file;
pub mod spec;
pub mod weights;

pub use calibration::Calibration;
pub use file::ModelFile;
pub use spec::{NetSpec, SpecError};
pub use weights::{Weights, WeightsError};

//! The network in libtorch: trainable, and as an Evaluator on the CPU or on CUDA.

mod cuda_library;
mod device;
mod evaluator;
mod layers;
mod net;
pub mod policy;
mod runtime;

pub use device::{DeviceError, device};
pub use evaluator::TorchEvaluator;
pub use layers::{HeadTensors, Precision};
pub use net::{Slot, TorchNet};
pub use runtime::{CudaStatus, cuda_status, libtorch_folder, libtorch_version};

//! The network in libtorch.

mod cuda_library;
mod runtime;

pub use runtime::{CudaStatus, cuda_status, libtorch_folder, libtorch_version};

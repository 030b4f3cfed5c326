//! The policy and value network without libtorch.

pub mod features;

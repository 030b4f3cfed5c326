//! The policy and value network without libtorch.

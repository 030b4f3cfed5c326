//! The network in libtorch.

//! Replay window, losses, optimiser and checkpoints.

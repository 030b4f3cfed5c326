//! The search through its public interface.

mod play;
mod support;

//! The search through its public interface.

mod exact;
mod limits;
mod play;
mod policy;
mod reuse;
mod signature;
mod support;

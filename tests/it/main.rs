//! What drives the whole: the binary end to end, stability of formats, parity of backends, tidiness.

mod binary;
#[cfg(feature = "torch")]
mod damage;
mod engine;
mod games;
mod ladder;
mod networks;
mod opponents;
mod outputs;
mod report;
mod rules;
mod runs;
mod serve;
mod setup;
mod tidy;
#[cfg(feature = "torch")]
mod training;

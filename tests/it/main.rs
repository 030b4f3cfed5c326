//! What drives the whole: the binary end to end, stability of formats, parity of backends, tidiness.

mod binary;
mod rules;
mod setup;
mod tidy;

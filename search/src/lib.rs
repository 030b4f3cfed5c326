//! Tree search over an [`Evaluator`]. Knows no network; has no clock and no randomness but the seeds it is given.
//!
//! A [`Search`] works in two half-steps: [`Search::gather`] walks to a position that needs an evaluation, and
//! [`Search::apply`] backs the answer up. One thread can so drive many games and have a network judge their positions
//! together ([`run_all`]); [`run`] drives one.

mod backup;
mod cached;
mod completed;
mod config;
mod drive;
mod evaluator;
mod exact;
pub mod fakes;
#[cfg(test)]
mod golden;
mod halving;
pub mod math;
mod result;
mod root;
mod search;
pub mod seed;
mod select;
mod tree;

pub use cached::CachedEvaluator;
pub use config::{ConfigError, SearchConfig};
pub use drive::{run, run_all};
pub use evaluator::{Evaluation, Evaluator, Query, UniformEvaluator};
pub use exact::{Outcome, winning_move};
pub use result::{MoveStats, SearchResult};
pub use search::{Mode, Plan, Search, Step};

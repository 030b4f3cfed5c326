//! Tree search over an [`Evaluator`]. Knows no network; has no clock and no randomness but the seeds it is given.

mod evaluator;
pub mod seed;

pub use evaluator::{Evaluation, Evaluator, Query, UniformEvaluator};

//! Random results for the tests of this crate.

use crate::pairs::PairOutcome;
use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// A seeded stream of numbers.
pub(crate) struct Draw(Xoshiro256PlusPlus);

impl Draw {
    pub(crate) fn new(seed: u64) -> Self {
        Self(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// Uniform in [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.0.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A pair outcome with the chances [lost, split, won].
pub(crate) fn draw_pair(draw: &mut Draw, chances: [f64; 3]) -> PairOutcome {
    let u = draw.unit();
    if u < chances[0] {
        PairOutcome::Lost
    } else if u < chances[0] + chances[1] {
        PairOutcome::Split
    } else {
        PairOutcome::Won
    }
}

//! Lots drawn from a seed and a position.

use hippolyta_game::Position;
use hippolyta_search::seed::derive;

/// A stream of random numbers that depends on a seed and a position alone, so that a move that was taken back is
/// chosen again.
#[derive(Clone, Debug)]
pub(crate) struct Dice {
    seed: u64,
    drawn: u64,
}

impl Dice {
    pub(crate) fn new(seed: u64, position: &Position) -> Dice {
        Dice { seed: derive(seed, &[position.hash()]), drawn: 0 }
    }

    /// 64 random bits.
    pub(crate) fn bits(&mut self) -> u64 {
        self.drawn += 1;
        derive(self.seed, &[self.drawn])
    }

    /// A number from 0 to `end - 1`; `end` is at most some millions, so the bias of one multiplication is below
    /// 1e-12.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        // 2^-64.
        (self.bits() as f64) * 5.421_010_862_427_522e-20 < probability
    }
}

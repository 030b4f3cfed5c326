//! Random choices, each a pure function of the game's seed and the place of the choice.

use hippolyta_search::seed::derive;

/// What a random choice is about: choices of different purposes at one ply do not depend on each other. The numbers
/// are part of what a seed means; records depend on them.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Purpose {
    Board = 0,
    OpeningLength = 1,
    OpeningMove = 2,
    FullSearch = 3,
    SearchNoise = 4,
    Move = 5,
    OpeningKind = 6,
    UniformLength = 7,
    UniformMove = 8,
}

/// One random choice: 64 bits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Draw(u64);

impl Draw {
    /// The choice of a game for `purpose` at `ply`.
    pub(crate) fn new(game_seed: u64, ply: usize, purpose: Purpose) -> Draw {
        Draw(derive(game_seed, &[ply as u64, purpose as u64]))
    }

    /// The bits themselves, as a seed for others.
    pub(crate) fn seed(self) -> u64 {
        self.0
    }

    /// A number in [0, 1).
    pub(crate) fn unit(self) -> f64 {
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// An index, with probability in proportion to the weights: at least one, none negative, some positive.
    pub(crate) fn index(self, weights: impl Iterator<Item = f64> + Clone) -> usize {
        let mut left = self.unit() * weights.clone().sum::<f64>();
        let mut last = 0;
        for (index, weight) in weights.enumerate() {
            if weight > 0.0 {
                last = index;
                if left < weight {
                    break;
                }
                left -= weight;
            }
        }
        last
    }

    /// A number below `count`, all equally likely. `count` is at least 1.
    pub(crate) fn below(self, count: usize) -> usize {
        // The high half of a 128-bit product: a bias of count / 2^64 at most.
        ((u128::from(self.0) * count as u128) >> 64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shares(choose: impl Fn(Draw) -> usize) -> [f64; 3] {
        let mut counts = [0.0; 3];
        for seed in 0..20_000 {
            counts[choose(Draw::new(seed, 3, Purpose::Move))] += 1.0 / 20_000.0;
        }
        counts
    }

    fn close(found: [f64; 3], expected: [f64; 3]) {
        // Four standard deviations of a share of one half.
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 0.015), "{found:?} {expected:?}");
    }

    #[test]
    fn draws_in_proportion() {
        close(shares(|draw| draw.index([1.0, 0.0, 3.0].into_iter())), [0.25, 0.0, 0.75]);
        close(shares(|draw| draw.below(3)), [1.0 / 3.0; 3]);
        assert_eq!(Draw(u64::MAX).index([0.0, 1.0, 0.0].into_iter()), 1);
        assert_eq!(Draw(u64::MAX).below(3), 2);
    }
}

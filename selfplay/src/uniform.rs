//! Starts of games whose moves are drawn from all legal ones alike, as those of matches are.

use hippolyta_game::{Move, Position};

use crate::choice::{Draw, Purpose};
use crate::config::SelfplayConfig;

/// How often a start is drawn again before the game begins on an empty board.
const ATTEMPTS: usize = 8;
/// No game has so many plies: the draws of an attempt do not meet those of the next.
const PLIES_OF_AN_ATTEMPT: usize = 128;

/// The starts that a game may get, one after another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UniformStarts {
    seed: u64,
    plies: usize,
    attempt: usize,
}

impl UniformStarts {
    pub(crate) fn new(config: &SelfplayConfig, seed: u64) -> UniformStarts {
        let lengths = Draw::new(seed, 0, Purpose::UniformLength);
        UniformStarts { seed, plies: 2 + lengths.below(config.uniform_plies as usize - 1), attempt: 0 }
    }

    /// The moves of the next start and the position after each, the last of them with a legal move; `None` after the
    /// last attempt.
    pub(crate) fn next(&mut self, start: &Position) -> Option<Vec<(Move, Position)>> {
        while self.attempt < ATTEMPTS {
            let drawn = self.draw(*start);
            self.attempt += 1;
            if drawn.last().is_some_and(|(_, position)| position.has_move()) {
                return Some(drawn);
            }
        }
        None
    }

    fn draw(&self, mut position: Position) -> Vec<(Move, Position)> {
        let mut legal = Vec::new();
        let mut drawn = Vec::new();
        for ply in 0..self.plies {
            position.moves(&mut legal);
            if legal.is_empty() {
                break;
            }
            let place = self.attempt * PLIES_OF_AN_ATTEMPT + ply;
            let m = legal[Draw::new(self.seed, place, Purpose::UniformMove).below(legal.len())];
            position = position.play_unchecked(m);
            drawn.push((m, position));
        }
        drawn
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use hippolyta_game::Board;

    use super::*;
    use crate::testing::config;

    #[test]
    fn starts_have_their_lengths_and_differ() {
        let start = Position::start(Board::SIX).unwrap();
        let config = SelfplayConfig { uniform_plies: 4, ..config() };
        let (mut lengths, mut hashes) = ([0; 5], BTreeSet::new());
        for seed in 0..300 {
            let mut starts = UniformStarts::new(&config, seed);
            for _ in 0..ATTEMPTS {
                let drawn = starts.next(&start).unwrap();
                lengths[drawn.len()] += 1;
                hashes.insert(drawn.last().unwrap().1.hash());
            }
            assert_eq!(starts.next(&start), None);
        }
        assert_eq!(lengths[..2], [0, 0]);
        // A third of 2,400 each, and hardly one twice.
        assert!(lengths[2..].iter().all(|count| (600..1000).contains(count)), "{lengths:?}");
        assert!(hashes.len() > 2390, "{}", hashes.len());
    }

    #[test]
    fn a_start_leaves_a_move() {
        let config = SelfplayConfig { uniform_plies: 91, ..config() };
        let start = Position::start(Board::SIX).unwrap();
        for seed in 0..100 {
            let mut starts = UniformStarts::new(&config, seed);
            while let Some(drawn) = starts.next(&start) {
                assert!(drawn.last().unwrap().1.has_move());
            }
        }
    }
}

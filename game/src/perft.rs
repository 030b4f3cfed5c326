//! Counting move sequences, to test move generation.

use crate::moves::Move;
use crate::position::Position;

/// The number of legal sequences of `depth` moves from `position`. A sequence that ends early counts nothing.
pub fn perft(position: &Position, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.count_moves(),
        _ => {
            let mut nodes = 0;
            position.for_each_shot(|from, to, arrows| {
                for arrow in arrows {
                    nodes += perft(&position.play_unchecked(Move { from, to, arrow }), depth - 1);
                }
            });
            nodes
        }
    }
}

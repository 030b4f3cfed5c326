//! Where a queen can go: obstruction difference over the four lines through a square.
//!
//! For a line through a square, take the blockers below and above it. The bits from the highest blocker below up to
//! the lowest blocker above, both included, are what one subtraction gives: `2 * lowest_above - highest_below`.
//! Method: Michael Hoffmann, <https://www.chessprogramming.org/Obstruction_Difference>.

use crate::bitboard::{Bitboard, Direction};
use crate::square::{STRIDE, Square};

/// The two halves of a line through a square, which itself is in neither.
#[derive(Clone, Copy)]
struct Line {
    below: u128,
    above: u128,
}

const TABLE: usize = 128;
static LINES: [[Line; 4]; TABLE] = lines();

const fn ray(file: i32, rank: i32, df: i32, dr: i32) -> u128 {
    let mut bits = 0;
    let (mut file, mut rank) = (file + df, rank + dr);
    while file >= 0 && file < 10 && rank >= 0 && rank < 10 {
        bits |= 1 << (rank * STRIDE as i32 + file);
        file += df;
        rank += dr;
    }
    bits
}

const fn lines() -> [[Line; 4]; TABLE] {
    // East, north, north-east and north-west have the higher indices.
    const STEPS: [(i32, i32); 4] = [(1, 0), (0, 1), (1, 1), (-1, 1)];
    let mut table = [[Line { below: 0, above: 0 }; 4]; TABLE];
    let mut index = 0;
    while index < Square::COUNT {
        let (file, rank) = ((index % STRIDE as usize) as i32, (index / STRIDE as usize) as i32);
        let mut line = 0;
        while file < 10 && line < 4 {
            let (df, dr) = STEPS[line];
            table[index][line] = Line { below: ray(file, rank, -df, -dr), above: ray(file, rank, df, dr) };
            line += 1;
        }
        index += 1;
    }
    table
}

/// The squares of `open` that a queen on `from` reaches in one move when only squares of `open` can be crossed.
#[inline]
pub fn queen_reach(from: Square, open: Bitboard) -> Bitboard {
    // Boards of up to six ranks fit into half the bits, which take half the time.
    if let (0..64, Ok(open)) = (from.index(), u64::try_from(open.0)) {
        return Bitboard(u128::from(queen_reach_low(from, open)));
    }
    let closed = !open.0;
    let mut reach = 0;
    for line in &LINES[from.index() & (TABLE - 1)] {
        let below = (line.below & closed) | 1;
        let above = line.above & closed;
        let lowest_above = above & above.wrapping_neg();
        // All bits from the highest blocker below upwards; bit 0 stands in when there is none.
        let from_below = u128::MAX << below.ilog2();
        reach |= (line.below | line.above) & lowest_above.wrapping_mul(2).wrapping_add(from_below);
    }
    Bitboard(reach & open.0)
}

/// The same among the lower 64 squares.
#[inline]
fn queen_reach_low(from: Square, open: u64) -> u64 {
    let closed = !open;
    let mut reach = 0;
    for line in &LINES[from.index() & (TABLE - 1)] {
        let (line_below, line_above) = (line.below as u64, line.above as u64);
        let below = (line_below & closed) | 1;
        let above = line_above & closed;
        let lowest_above = above & above.wrapping_neg();
        let from_below = u64::MAX << below.ilog2();
        reach |= (line_below | line_above) & lowest_above.wrapping_mul(2).wrapping_add(from_below);
    }
    reach & open
}

/// The same by walking square by square: the oracle of [`queen_reach`].
pub fn queen_reach_by_steps(from: Square, open: Bitboard) -> Bitboard {
    let mut reach = Bitboard::EMPTY;
    for direction in Direction::ALL {
        let mut here = Bitboard::of(from).step(direction) & open;
        while !here.is_empty() {
            reach |= here;
            here = here.step(direction) & open;
        }
    }
    reach
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Board;

    proptest! {
        #[test]
        fn agrees_with_stepping(bits: u128, sparse: u128, file in 0..10u8, rank in 0..10u8, files in 3..=10usize, ranks in 3..=10usize) {
            let board = Board::new(files, ranks).expect("sides from 3 to 10");
            let square = Square::new(file % board.files(), rank % board.ranks());
            for bits in [bits, bits | sparse, u128::MAX] {
                let open = Bitboard(bits) & board.squares();
                prop_assert_eq!(queen_reach(square, open), queen_reach_by_steps(square, open));
            }
        }
    }
}

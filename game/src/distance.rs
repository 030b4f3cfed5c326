//! How many queen or king moves a side needs to reach each square.

use crate::bitboard::Bitboard;
use crate::bits::{Bits, halves};
use crate::square::STRIDE;

/// How far a king step moves a bit, upwards for four directions and downwards for the others.
const STEPS: [u32; 4] = [1, STRIDE as u32 - 1, STRIDE as u32, STRIDE as u32 + 1];

/// All squares of `empty` that one queen move reaches from any square of `from`, crossing only squares of `empty`.
///
/// The eight rays are filled in parallel by doubling (Kogge-Stone), so the cost does not depend on the number of
/// squares in `from`.
#[inline]
pub fn queen_fill(from: Bitboard, empty: Bitboard) -> Bitboard {
    Bitboard(match halves(from.0, empty.0) {
        Some((from, empty)) => rays(from, empty).into(),
        None => rays(from.0, empty.0),
    })
}

#[inline]
fn rays<B: Bits>(from: B, empty: B) -> B {
    let both_ways = |step| ray(from, empty, step, B::shl) | ray(from, empty, step, B::shr);
    let [a, b, c, d] = STEPS.map(both_ways);
    (a | b | c | d) & empty
}

/// `from` and what lies open from there in one direction.
///
/// A shift of several steps at once needs no care for the sides of the board: it counts only where all the steps are
/// on open squares, and no open square is beyond a side.
#[inline]
fn ray<B: Bits>(from: B, empty: B, step: u32, shift: impl Fn(B, u32) -> B) -> B {
    let (mut ray, mut open) = (from, empty);
    for steps in [1, 2, 4] {
        ray = ray | open & shift(ray, steps * step);
        open = open & shift(open, steps * step);
    }
    // Seven squares so far; nine is the longest ray, and where eight steps leave the bits there is none so long.
    if 8 * step < B::BITS { ray | open & shift(ray, 8 * step) } else { ray }
}

/// All squares of `empty` beside `from`.
#[inline]
pub fn king_fill(from: Bitboard, empty: Bitboard) -> Bitboard {
    from.dilated() & empty
}

/// The squares of `empty` at queen distance 1, 2, 3 and so on from the nearest square of `from`, one set a
/// distance, until no further square can be reached.
#[inline]
pub fn queen_layers(from: Bitboard, empty: Bitboard) -> impl Iterator<Item = Bitboard> {
    layers(from, empty, queen_fill)
}

/// The same for king moves.
#[inline]
pub fn king_layers(from: Bitboard, empty: Bitboard) -> impl Iterator<Item = Bitboard> {
    layers(from, empty, king_fill)
}

#[inline]
fn layers(
    from: Bitboard,
    empty: Bitboard,
    fill: impl Fn(Bitboard, Bitboard) -> Bitboard,
) -> impl Iterator<Item = Bitboard> {
    let (mut frontier, mut left) = (from, empty);
    std::iter::from_fn(move || {
        // A later layer may cross squares that an earlier one reached.
        frontier = fill(frontier, empty) & left;
        left = left - frontier;
        (!frontier.is_empty()).then_some(frontier)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::Board;
    use crate::slide::queen_reach_by_steps;
    use crate::square::Square;

    proptest! {
        #[test]
        fn queen_fill_is_the_union_of_reaches(from: u128, thin: u128, bits: u128, wide: u128, files in 3..=10usize, ranks in 3..=10usize) {
            let squares = Board::new(files, ranks).expect("sides from 3 to 10").squares();
            for bits in [bits, bits | wide, u128::MAX] {
                let from = Bitboard(from & thin) & squares;
                let empty = (Bitboard(bits) & squares) - from;
                let expected = from.into_iter().fold(Bitboard::EMPTY, |set, square| set | queen_reach_by_steps(square, empty));
                prop_assert_eq!(queen_fill(from, empty), expected);
            }
        }
    }

    #[test]
    fn layers_cross_what_is_reached() {
        let board = Board::TEN;
        let from = Bitboard::of(Square::new(0, 0));
        let queen: Vec<u32> = queen_layers(from, board.squares() - from).map(Bitboard::count).collect();
        assert_eq!(queen, [27, 72]);
        let king: Vec<u32> = king_layers(from, board.squares() - from).map(Bitboard::count).collect();
        assert_eq!(king, [3, 5, 7, 9, 11, 13, 15, 17, 19]);
    }
}

//! How many queen or king moves a side needs to reach each square.

use crate::bitboard::Bitboard;
use crate::bits::{Bits, halves};
use crate::square::STRIDE;

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
    const RANK: u32 = STRIDE as u32;
    let east_and_west = line::<B, 1>(from, empty);
    let north_and_south = line::<B, RANK>(from, empty);
    let rising = line::<B, { RANK + 1 }>(from, empty);
    let falling = line::<B, { RANK - 1 }>(from, empty);
    (east_and_west | north_and_south | rising | falling) & empty
}

/// `from` and what lies open from there in both directions in which a king step moves a bit by `STEP`.
#[inline]
fn line<B: Bits, const STEP: u32>(from: B, empty: B) -> B {
    ray::<B, STEP>(from, empty, B::shl) | ray::<B, STEP>(from, empty, B::shr)
}

/// `from` and what lies open from there in one direction.
///
/// A shift of several steps at once needs no care for the sides of the board: it counts only where all the steps are
/// on open squares, and no open square is beyond a side.
#[inline]
fn ray<B: Bits, const STEP: u32>(from: B, empty: B, shift: impl Fn(B, u32) -> B) -> B {
    let one = from | empty & shift(from, STEP);
    let two_open = empty & shift(empty, STEP);
    let three = one | two_open & shift(one, 2 * STEP);
    let four_open = two_open & shift(two_open, 2 * STEP);
    let seven = three | four_open & shift(three, 4 * STEP);
    // Nine is the longest ray, and where eight steps leave the bits there is none so long.
    if 8 * STEP >= B::BITS {
        return seven;
    }
    let eight_open = four_open & shift(four_open, 4 * STEP);
    seven | eight_open & shift(seven, 8 * STEP)
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

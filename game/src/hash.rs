//! Keys of the position hash.

use crate::side::Side;
use crate::square::Square;

/// Added while Black is to move.
pub(crate) const BLACK_TO_MOVE: u64 = mix(0xB1AC);

static AMAZON: [[u64; Square::COUNT]; 2] = [keys(0x0100), keys(0x0200)];
static ARROW: [u64; Square::COUNT] = keys(0x0300);

/// The finaliser of `SplitMix64` (Steele, Lea and Flood 2014).
const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

const fn keys(stream: u64) -> [u64; Square::COUNT] {
    let mut keys = [0; Square::COUNT];
    let mut index = 0;
    while index < Square::COUNT {
        keys[index] = mix(stream << 32 | index as u64);
        index += 1;
    }
    keys
}

#[inline]
pub(crate) fn amazon(side: Side, square: Square) -> u64 {
    AMAZON[side.index()][square.index()]
}

#[inline]
pub(crate) fn arrow(square: Square) -> u64 {
    ARROW[square.index()]
}

/// The key of a board's extent, so that equal bits on two boards hash apart.
pub(crate) fn board(files: u8, ranks: u8) -> u64 {
    mix(0x0400 << 32 | u64::from(files) << 8 | u64::from(ranks))
}

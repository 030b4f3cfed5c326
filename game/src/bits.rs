//! The integers that hold a set of squares.

use std::ops::{BitAnd, BitOr, Shl, Shr};

/// An integer with a bit a square: `u128`, or `u64` for boards whose squares fit into it, those of up to five ranks
/// and of six ranks with up to nine files. Half the bits take half the time or less.
pub(crate) trait Bits:
    Copy + Eq + BitAnd<Output = Self> + BitOr<Output = Self> + Shl<u32, Output = Self> + Shr<u32, Output = Self>
{
    /// How many bits there are.
    const BITS: u32;
}

impl Bits for u64 {
    const BITS: u32 = u64::BITS;
}

impl Bits for u128 {
    const BITS: u32 = u128::BITS;
}

/// Both sets as integers of half the bits, where both fit.
#[inline]
pub(crate) fn halves(a: u128, b: u128) -> Option<(u64, u64)> {
    Some((u64::try_from(a).ok()?, u64::try_from(b).ok()?))
}

//! What a convolution needs of one pair of number type and instruction set.

use super::words::Storage;

/// The operations of one (number type, instruction set) pair. A vector has [`Engine::LANES`] output channels.
///
/// # Safety
/// Every method is to be called only inside a function that enables the instruction set, on a machine that has
/// it, with pointers that are valid for what the method says. Methods are `#[inline(always)]`, so that they become
/// part of that function; without it each would be a call, at a loss of a factor of a hundred.
pub(crate) trait Engine: Copy {
    /// Output channels of a vector; divides 16.
    const LANES: usize;
    /// Vector registers of the instruction set.
    const REGISTERS: usize;
    /// How activations and weights are stored.
    const STORAGE: Storage;
    /// A word for each lane.
    type Weights: Copy;
    /// One word, the same for every lane.
    type Word: Copy;
    /// A running sum for each lane: i32 where the storage is quantised, f32 elsewhere.
    type Sums: Copy;
    /// An f32 for each lane.
    type Floats: Copy;

    /// No sum yet.
    unsafe fn zero() -> Self::Sums;
    /// Loads `LANES` words, aligned to their size.
    unsafe fn weights(from: *const u32) -> Self::Weights;
    /// Loads one word into every lane.
    unsafe fn splat_word(from: *const u32) -> Self::Word;
    /// Adds the products of the word's channels with each lane's weights.
    unsafe fn dot(sums: Self::Sums, word: Self::Word, weights: Self::Weights) -> Self::Sums;
    /// The sums as f32, rounded to nearest, ties to even.
    unsafe fn floats(sums: Self::Sums) -> Self::Floats;
    /// Loads `LANES` f32.
    unsafe fn load(from: *const f32) -> Self::Floats;
    /// Stores `LANES` f32.
    unsafe fn store(x: Self::Floats, to: *mut f32);
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `if x > 0 { x } else { 0 }`.
    unsafe fn relu(x: Self::Floats) -> Self::Floats;
    /// Stores `LANES` activations, that is `LANES / group` words. Where the storage is quantised, they are
    /// `x * inverse_scale` (x not negative), rounded to nearest, ties to even, and at most 255.
    unsafe fn narrow(x: Self::Floats, inverse_scale: Self::Floats, to: *mut u32);
}

//! What a convolution needs of one pair of number type and instruction set.

use super::words::Storage;

/// The vectors of an instruction set: everything that does not depend on how numbers are multiplied.
///
/// # Safety
/// As [`Engine`] says.
pub(crate) trait Vectors {
    /// 32-bit numbers in a vector; divides 16.
    const LANES: usize;
    /// Vector registers of the instruction set.
    const REGISTERS: usize;
    /// A word for each lane.
    type Words: Copy;
    /// An f32 for each lane.
    type Floats: Copy;

    /// Loads `LANES` words, aligned to their size.
    unsafe fn weights(from: *const u32) -> Self::Words;
    /// Loads one word into every lane.
    unsafe fn splat_word(from: *const u32) -> Self::Words;
    /// One f32 in every lane.
    unsafe fn splat(x: f32) -> Self::Floats;
    /// Loads `LANES` f32.
    unsafe fn load(from: *const f32) -> Self::Floats;
    /// Stores `LANES` f32.
    unsafe fn store(x: Self::Floats, to: *mut f32);
    unsafe fn add(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    unsafe fn mul(a: Self::Floats, b: Self::Floats) -> Self::Floats;
    /// `if x > 0 { x } else { 0 }`.
    unsafe fn relu(x: Self::Floats) -> Self::Floats;
}

/// The arithmetic of one (number type, instruction set) pair. A vector's lanes are output channels.
///
/// # Safety
/// Every method is to be called only inside a function that enables the instruction set, on a machine that has
/// it, with pointers that are valid for what the method says. Methods are `#[inline(always)]`, so that they become
/// part of that function; without it each would be a call, at a loss of a factor of a hundred.
pub(crate) trait Engine: Copy {
    /// How activations and weights are stored.
    const STORAGE: Storage;
    /// The instruction set.
    type Vectors: Vectors;
    /// A running sum for each lane: i32 where the storage is quantised, f32 elsewhere.
    type Sums: Copy;

    /// No sum yet.
    unsafe fn zero() -> Self::Sums;
    /// Adds the products of a word's channels, which is the same in every lane, with each lane's weights.
    unsafe fn dot(sums: Self::Sums, word: WordsOf<Self>, weights: WordsOf<Self>) -> Self::Sums;
    /// The sums as f32, rounded to nearest, ties to even.
    unsafe fn floats(sums: Self::Sums) -> FloatsOf<Self>;
    /// Stores `LANES` activations, that is `LANES / group` words, aligned to their size. Where the storage is
    /// quantised, they are `x * inverse_scale` (x not negative), rounded to nearest, ties to even, and at most `most`,
    /// which NaN gives too; `most` is a whole number up to 255.
    unsafe fn narrow(x: FloatsOf<Self>, inverse_scale: FloatsOf<Self>, most: FloatsOf<Self>, to: *mut u32);
}

/// An engine on integers, whose sums can be added to each other without a loss.
///
/// # Safety
/// As [`Engine`] says.
pub(crate) trait Exact: Engine {
    /// Loads `LANES` i32.
    unsafe fn load_sums(from: *const i32) -> Self::Sums;
    unsafe fn plus(a: Self::Sums, b: Self::Sums) -> Self::Sums;
    unsafe fn minus(a: Self::Sums, b: Self::Sums) -> Self::Sums;
}

pub(crate) type WordsOf<E> = <<E as Engine>::Vectors as Vectors>::Words;
pub(crate) type FloatsOf<E> = <<E as Engine>::Vectors as Vectors>::Floats;

/// Methods of [`Vectors`] and [`Engine`], or functions that these are made of, an expression each.
macro_rules! operations {
    ($($name:ident($($argument:tt: $type:ty),*) $(-> $result:ty)? = $body:expr;)*) => {
        $(
            #[inline(always)]
            #[allow(unused_unsafe, reason = "some operations are safe")]
            unsafe fn $name($($argument: $type),*) $(-> $result)? {
                // SAFETY: the caller promises the instruction set, and pointers that are valid and aligned as the
                // traits say; what is transmuted are numbers, for which all bits are valid.
                unsafe { $body }
            }
        )*
    };
}
pub(crate) use operations;

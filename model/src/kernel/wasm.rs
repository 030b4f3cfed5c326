//! The engines on WebAssembly's 128-bit vectors: 4 lanes.

use std::arch::wasm32::{
    f32x4_add, f32x4_convert_i32x4, f32x4_gt, f32x4_lt, f32x4_mul, f32x4_nearest, f32x4_splat, i32x4_add,
    i32x4_dot_i16x8, i32x4_splat, i32x4_sub, i32x4_trunc_sat_f32x4, u16x8_narrow_i32x4, v128, v128_and,
    v128_bitselect, v128_load, v128_load32_splat, v128_store, v128_store64_lane,
};

use super::engine::{Engine, Exact, Vectors, operations};
use super::words::Storage;

/// WebAssembly's 128-bit vectors; the module is compiled for them as a whole.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simd128;

/// Integers through the dot product of 16-bit pairs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int8;

/// Multiplication and addition in f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct F32;

impl Vectors for Simd128 {
    const LANES: usize = 4;
    // Engines map vectors to the registers of x86 or ARM; 16 is the smaller number.
    const REGISTERS: usize = 16;
    type Words = v128;
    type Floats = v128;

    operations! {
        weights(from: *const u32) -> v128 = v128_load(from.cast());
        splat_word(from: *const u32) -> v128 = v128_load32_splat(from);
        splat(x: f32) -> v128 = f32x4_splat(x);
        load(from: *const f32) -> v128 = v128_load(from.cast());
        store(x: v128, to: *mut f32) = v128_store(to.cast(), x);
        add(a: v128, b: v128) -> v128 = f32x4_add(a, b);
        mul(a: v128, b: v128) -> v128 = f32x4_mul(a, b);
        relu(x: v128) -> v128 = v128_and(x, f32x4_gt(x, f32x4_splat(0.0)));
    }
}

impl Engine for Int8 {
    const STORAGE: Storage = Storage::Shorts;
    type Vectors = Simd128;
    type Sums = v128;

    operations! {
        zero() -> v128 = i32x4_splat(0);
        dot(sums: v128, word: v128, weights: v128) -> v128 = i32x4_add(sums, i32x4_dot_i16x8(word, weights));
        floats(sums: v128) -> v128 = f32x4_convert_i32x4(sums);
        narrow(x: v128, inverse_scale: v128, most: v128, to: *mut u32) = {
            let scaled = f32x4_mul(x, inverse_scale);
            let within = v128_bitselect(scaled, most, f32x4_lt(scaled, most));
            let words = i32x4_trunc_sat_f32x4(f32x4_nearest(within));
            v128_store64_lane::<0>(u16x8_narrow_i32x4(words, words), to.cast());
        };
    }
}

impl Exact for Int8 {
    operations! {
        load_sums(from: *const i32) -> v128 = v128_load(from.cast());
        plus(a: v128, b: v128) -> v128 = i32x4_add(a, b);
        minus(a: v128, b: v128) -> v128 = i32x4_sub(a, b);
    }
}

impl Engine for F32 {
    const STORAGE: Storage = Storage::F32;
    type Vectors = Simd128;
    type Sums = v128;

    operations! {
        zero() -> v128 = f32x4_splat(0.0);
        dot(sums: v128, word: v128, weights: v128) -> v128 = f32x4_add(sums, f32x4_mul(word, weights));
        floats(sums: v128) -> v128 = sums;
        narrow(x: v128, _: v128, _: v128, to: *mut u32) = v128_store(to.cast(), x);
    }
}

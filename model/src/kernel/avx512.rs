//! The engines on AVX-512: 16 lanes, 32 registers.

use std::arch::x86_64::{
    __m512, __m512bh, __m512i, _mm512_add_epi32, _mm512_add_ps, _mm512_castsi512_ps, _mm512_cvtepi32_ps,
    _mm512_cvtneps_pbh, _mm512_cvtps_epi32, _mm512_cvtusepi32_epi8, _mm512_dpbf16_ps, _mm512_dpbusd_epi32,
    _mm512_fmadd_ps, _mm512_load_si512, _mm512_loadu_ps, _mm512_loadu_si512, _mm512_max_ps, _mm512_min_ps,
    _mm512_mul_ps, _mm512_set1_epi32, _mm512_set1_ps, _mm512_setzero_ps, _mm512_setzero_si512,
    _mm512_storeu_ps, _mm512_sub_epi32,
};

use super::engine::{Engine, Exact, Vectors, operations};
use super::words::Storage;

/// 512-bit vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512;

/// Bytes through VNNI: 64 products an instruction, exact in i32.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int8;

/// bf16 pairs with f32 sums.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bf16;

/// Fused multiply-add in f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct F32;

impl Vectors for Avx512 {
    const LANES: usize = 16;
    const REGISTERS: usize = 32;
    type Words = __m512i;
    type Floats = __m512;

    operations! {
        weights(from: *const u32) -> __m512i = _mm512_load_si512(from.cast());
        splat_word(from: *const u32) -> __m512i = _mm512_set1_epi32(*from.cast());
        splat(x: f32) -> __m512 = _mm512_set1_ps(x);
        load(from: *const f32) -> __m512 = _mm512_loadu_ps(from);
        store(x: __m512, to: *mut f32) = _mm512_storeu_ps(to, x);
        add(a: __m512, b: __m512) -> __m512 = _mm512_add_ps(a, b);
        mul(a: __m512, b: __m512) -> __m512 = _mm512_mul_ps(a, b);
        // The second operand is the result for NaN and for equal zeros, as the trait asks.
        relu(x: __m512) -> __m512 = _mm512_max_ps(x, _mm512_setzero_ps());
    }
}

impl Engine for Int8 {
    const STORAGE: Storage = Storage::Bytes;
    type Vectors = Avx512;
    type Sums = __m512i;

    operations! {
        zero() -> __m512i = _mm512_setzero_si512();
        dot(sums: __m512i, word: __m512i, weights: __m512i) -> __m512i =
            _mm512_dpbusd_epi32(sums, word, weights);
        floats(sums: __m512i) -> __m512 = _mm512_cvtepi32_ps(sums);
        narrow(x: __m512, inverse_scale: __m512, most: __m512, to: *mut u32) = {
            // The limit comes second, so that it is the result for NaN, as in `round_to_byte`.
            let within = _mm512_min_ps(_mm512_mul_ps(x, inverse_scale), most);
            *to.cast() = _mm512_cvtusepi32_epi8(_mm512_cvtps_epi32(within));
        };
    }
}

impl Exact for Int8 {
    operations! {
        load_sums(from: *const i32) -> __m512i = _mm512_loadu_si512(from.cast());
        plus(a: __m512i, b: __m512i) -> __m512i = _mm512_add_epi32(a, b);
        minus(a: __m512i, b: __m512i) -> __m512i = _mm512_sub_epi32(a, b);
    }
}

impl Engine for Bf16 {
    const STORAGE: Storage = Storage::Bf16;
    type Vectors = Avx512;
    type Sums = __m512;

    operations! {
        zero() -> __m512 = _mm512_setzero_ps();
        dot(sums: __m512, word: __m512i, weights: __m512i) -> __m512 = {
            let pairs: [__m512bh; 2] = std::mem::transmute([word, weights]);
            _mm512_dpbf16_ps(sums, pairs[0], pairs[1])
        };
        floats(sums: __m512) -> __m512 = sums;
        narrow(x: __m512, _: __m512, _: __m512, to: *mut u32) = *to.cast() = _mm512_cvtneps_pbh(x);
    }
}

impl Engine for F32 {
    const STORAGE: Storage = Storage::F32;
    type Vectors = Avx512;
    type Sums = __m512;

    operations! {
        zero() -> __m512 = _mm512_setzero_ps();
        dot(sums: __m512, word: __m512i, weights: __m512i) -> __m512 =
            _mm512_fmadd_ps(_mm512_castsi512_ps(word), _mm512_castsi512_ps(weights), sums);
        floats(sums: __m512) -> __m512 = sums;
        narrow(x: __m512, _: __m512, _: __m512, to: *mut u32) = _mm512_storeu_ps(to.cast(), x);
    }
}

//! The engines on 256-bit vectors: 8 lanes, 16 registers.

use std::arch::x86_64::{
    __m128i, __m256, __m256i, _mm_packus_epi16, _mm_storel_epi64, _mm_storeu_si128, _mm256_add_epi32,
    _mm256_add_ps, _mm256_and_si256, _mm256_castps_si256, _mm256_castsi256_ps, _mm256_castsi256_si128,
    _mm256_cvtepi32_ps, _mm256_cvtps_epi32, _mm256_dpbusd_avx_epi32, _mm256_fmadd_ps, _mm256_load_si256,
    _mm256_loadu_ps, _mm256_loadu_si256, _mm256_madd_epi16, _mm256_max_ps, _mm256_min_ps, _mm256_mul_ps,
    _mm256_packs_epi32, _mm256_permute4x64_epi64, _mm256_set1_epi32, _mm256_set1_ps, _mm256_setzero_ps,
    _mm256_setzero_si256, _mm256_slli_epi32, _mm256_srli_epi32, _mm256_storeu_ps, _mm256_sub_epi32,
};

use super::engine::{Engine, Exact, Vectors, operations};
use super::words::Storage;

/// 256-bit vectors with FMA.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2;

/// Bytes through AVX-VNNI.
#[derive(Clone, Copy, Debug)]
pub(super) struct Vnni;

/// Integers through `vpmaddwd`, two to a word: exact, where the products of bytes would saturate.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int8;

/// bf16 pairs widened to f32, which is a shift.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bf16;

/// Fused multiply-add in f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct F32;

impl Vectors for Avx2 {
    const LANES: usize = 8;
    const REGISTERS: usize = 16;
    type Words = __m256i;
    type Floats = __m256;

    operations! {
        weights(from: *const u32) -> __m256i = _mm256_load_si256(from.cast());
        splat_word(from: *const u32) -> __m256i = _mm256_set1_epi32(*from.cast());
        splat(x: f32) -> __m256 = _mm256_set1_ps(x);
        load(from: *const f32) -> __m256 = _mm256_loadu_ps(from);
        store(x: __m256, to: *mut f32) = _mm256_storeu_ps(to, x);
        add(a: __m256, b: __m256) -> __m256 = _mm256_add_ps(a, b);
        mul(a: __m256, b: __m256) -> __m256 = _mm256_mul_ps(a, b);
        // The second operand is the result for NaN and for equal zeros, as the trait asks.
        relu(x: __m256) -> __m256 = _mm256_max_ps(x, _mm256_setzero_ps());
    }
}

impl Engine for Vnni {
    const STORAGE: Storage = Storage::Bytes;
    type Vectors = Avx2;
    type Sums = __m256i;

    operations! {
        zero() -> __m256i = _mm256_setzero_si256();
        dot(sums: __m256i, word: __m256i, weights: __m256i) -> __m256i =
            _mm256_dpbusd_avx_epi32(sums, word, weights);
        floats(sums: __m256i) -> __m256 = _mm256_cvtepi32_ps(sums);
        narrow(x: __m256, inverse_scale: __m256, most: __m256, to: *mut u32) = {
            let shorts = to_shorts(x, inverse_scale, most);
            _mm_storel_epi64(to.cast(), _mm_packus_epi16(shorts, shorts));
        };
    }
}

impl Exact for Vnni {
    operations! {
        load_sums(from: *const i32) -> __m256i = _mm256_loadu_si256(from.cast());
        plus(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        minus(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
    }
}

impl Engine for Int8 {
    const STORAGE: Storage = Storage::Shorts;
    type Vectors = Avx2;
    type Sums = __m256i;

    operations! {
        zero() -> __m256i = _mm256_setzero_si256();
        dot(sums: __m256i, word: __m256i, weights: __m256i) -> __m256i =
            _mm256_add_epi32(sums, _mm256_madd_epi16(word, weights));
        floats(sums: __m256i) -> __m256 = _mm256_cvtepi32_ps(sums);
        narrow(x: __m256, inverse_scale: __m256, most: __m256, to: *mut u32) =
            _mm_storeu_si128(to.cast(), to_shorts(x, inverse_scale, most));
    }
}

impl Exact for Int8 {
    operations! {
        load_sums(from: *const i32) -> __m256i = _mm256_loadu_si256(from.cast());
        plus(a: __m256i, b: __m256i) -> __m256i = _mm256_add_epi32(a, b);
        minus(a: __m256i, b: __m256i) -> __m256i = _mm256_sub_epi32(a, b);
    }
}

impl Engine for Bf16 {
    const STORAGE: Storage = Storage::Bf16;
    type Vectors = Avx2;
    type Sums = __m256;

    operations! {
        zero() -> __m256 = _mm256_setzero_ps();
        dot(sums: __m256, word: __m256i, weights: __m256i) -> __m256 =
            _mm256_fmadd_ps(high(word), high(weights), _mm256_fmadd_ps(low(word), low(weights), sums));
        floats(sums: __m256) -> __m256 = sums;
        narrow(x: __m256, _: __m256, _: __m256, to: *mut u32) = {
            // Round to nearest, ties to even, as `to_bf16` does.
            let bits = _mm256_castps_si256(x);
            let odd = _mm256_and_si256(_mm256_srli_epi32::<16>(bits), _mm256_set1_epi32(1));
            let up = _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7fff)), odd);
            let halves: [u32; 8] = std::mem::transmute(_mm256_srli_epi32::<16>(up));
            *to.cast() = halves.map(|half| half as u16);
        };
    }
}

impl Engine for F32 {
    const STORAGE: Storage = Storage::F32;
    type Vectors = Avx2;
    type Sums = __m256;

    operations! {
        zero() -> __m256 = _mm256_setzero_ps();
        dot(sums: __m256, word: __m256i, weights: __m256i) -> __m256 =
            _mm256_fmadd_ps(_mm256_castsi256_ps(word), _mm256_castsi256_ps(weights), sums);
        floats(sums: __m256) -> __m256 = sums;
        narrow(x: __m256, _: __m256, _: __m256, to: *mut u32) = _mm256_storeu_ps(to.cast(), x);
    }
}

operations! {
    // Eight f32, times a scale, as shorts, at most `most`.
    to_shorts(x: __m256, inverse_scale: __m256, most: __m256) -> __m128i = {
        // The limit comes second, so that it is the result for NaN, as in `round_to_byte`.
        let within = _mm256_min_ps(_mm256_mul_ps(x, inverse_scale), most);
        let words = _mm256_cvtps_epi32(within);
        // Packing works within 128-bit halves; the permutation brings the two results together.
        _mm256_castsi256_si128(_mm256_permute4x64_epi64::<0b1000>(_mm256_packs_epi32(words, words)))
    };
    // The halves of pairs of bf16, as f32.
    low(pairs: __m256i) -> __m256 = _mm256_castsi256_ps(_mm256_slli_epi32::<16>(pairs));
    high(pairs: __m256i) -> __m256 =
        _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(0xffff_0000_u32 as i32)));
}

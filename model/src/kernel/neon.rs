//! The engines on NEON: 4 lanes, 32 registers.

use std::arch::aarch64::{
    float32x4_t, int32x4_t, uint32x4_t, vaddq_f32, vaddq_s32, vandq_u32, vbslq_f32, vcgtq_f32, vcltq_f32,
    vcvtnq_s32_f32, vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vfmaq_f32, vget_low_s16, vld1q_dup_u32,
    vld1q_f32, vld1q_s32, vld1q_u32, vmovn_s32, vmull_high_s16, vmull_s16, vmulq_f32, vpaddq_s32,
    vreinterpretq_f32_u32, vreinterpretq_s16_u32, vreinterpretq_u32_f32, vst1_s16, vst1q_f32, vsubq_s32,
};

use super::engine::{Engine, Exact, Vectors, operations};
use super::words::Storage;

/// ARM's 128-bit vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

/// Integers through widening products of 16 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int8;

/// Fused multiply-add in f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct F32;

impl Vectors for Neon {
    const LANES: usize = 4;
    const REGISTERS: usize = 32;
    type Words = uint32x4_t;
    type Floats = float32x4_t;

    operations! {
        weights(from: *const u32) -> uint32x4_t = vld1q_u32(from);
        splat_word(from: *const u32) -> uint32x4_t = vld1q_dup_u32(from);
        splat(x: f32) -> float32x4_t = vdupq_n_f32(x);
        load(from: *const f32) -> float32x4_t = vld1q_f32(from);
        store(x: float32x4_t, to: *mut f32) = vst1q_f32(to, x);
        add(a: float32x4_t, b: float32x4_t) -> float32x4_t = vaddq_f32(a, b);
        mul(a: float32x4_t, b: float32x4_t) -> float32x4_t = vmulq_f32(a, b);
        relu(x: float32x4_t) -> float32x4_t = {
            let above = vcgtq_f32(x, vdupq_n_f32(0.0));
            vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), above))
        };
    }
}

impl Engine for Int8 {
    const STORAGE: Storage = Storage::Shorts;
    type Vectors = Neon;
    type Sums = int32x4_t;

    operations! {
        zero() -> int32x4_t = vdupq_n_s32(0);
        dot(sums: int32x4_t, word: uint32x4_t, weights: uint32x4_t) -> int32x4_t = {
            let (a, b) = (vreinterpretq_s16_u32(word), vreinterpretq_s16_u32(weights));
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vaddq_s32(sums, vpaddq_s32(low, vmull_high_s16(a, b)))
        };
        floats(sums: int32x4_t) -> float32x4_t = vcvtq_f32_s32(sums);
        narrow(x: float32x4_t, inverse_scale: float32x4_t, most: float32x4_t, to: *mut u32) = {
            let scaled = vmulq_f32(x, inverse_scale);
            let within = vbslq_f32(vcltq_f32(scaled, most), scaled, most);
            vst1_s16(to.cast(), vmovn_s32(vcvtnq_s32_f32(within)));
        };
    }
}

impl Exact for Int8 {
    operations! {
        load_sums(from: *const i32) -> int32x4_t = vld1q_s32(from);
        plus(a: int32x4_t, b: int32x4_t) -> int32x4_t = vaddq_s32(a, b);
        minus(a: int32x4_t, b: int32x4_t) -> int32x4_t = vsubq_s32(a, b);
    }
}

impl Engine for F32 {
    const STORAGE: Storage = Storage::F32;
    type Vectors = Neon;
    type Sums = float32x4_t;

    operations! {
        zero() -> float32x4_t = vdupq_n_f32(0.0);
        dot(sums: float32x4_t, word: uint32x4_t, weights: uint32x4_t) -> float32x4_t =
            vfmaq_f32(sums, vreinterpretq_f32_u32(word), vreinterpretq_f32_u32(weights));
        floats(sums: float32x4_t) -> float32x4_t = sums;
        narrow(x: float32x4_t, _: float32x4_t, _: float32x4_t, to: *mut u32) = vst1q_f32(to.cast(), x);
    }
}

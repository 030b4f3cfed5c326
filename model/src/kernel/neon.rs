//! The engines on NEON: 4 lanes, 32 registers.

use std::arch::aarch64::{
    float32x4_t, int32x4_t, uint32x4_t, vaddq_f32, vaddq_s32, vandq_u32, vbslq_f32, vcgtq_f32, vcltq_f32,
    vcvtnq_s32_f32, vcvtq_f32_s32, vdupq_n_f32, vdupq_n_s32, vfmaq_f32, vget_low_s16, vld1q_dup_u32,
    vld1q_f32, vld1q_u32, vmovn_s32, vmull_high_s16, vmull_s16, vmulq_f32, vpaddq_s32, vreinterpretq_f32_u32,
    vreinterpretq_s16_u32, vreinterpretq_u32_f32, vst1_s16, vst1q_f32,
};

use super::engine::Engine;
use super::words::Storage;

/// Integers through widening products of 16 bits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Int8;

/// Fused multiply-add in f32.
#[derive(Clone, Copy, Debug)]
pub(super) struct F32;

/// What the two engines share.
///
/// SAFETY of the unsafe blocks in this file: the caller of an `Engine` method promises NEON and valid pointers.
macro_rules! lanes {
    () => {
        const LANES: usize = 4;
        const REGISTERS: usize = 32;
        type Word = uint32x4_t;
        type Weights = uint32x4_t;
        type Floats = float32x4_t;

        #[inline(always)]
        unsafe fn weights(from: *const u32) -> uint32x4_t {
            unsafe { vld1q_u32(from) }
        }
        #[inline(always)]
        unsafe fn splat_word(from: *const u32) -> uint32x4_t {
            unsafe { vld1q_dup_u32(from) }
        }
        #[inline(always)]
        unsafe fn load(from: *const f32) -> float32x4_t {
            unsafe { vld1q_f32(from) }
        }
        #[inline(always)]
        unsafe fn store(x: float32x4_t, to: *mut f32) {
            unsafe { vst1q_f32(to, x) }
        }
        #[inline(always)]
        unsafe fn add(a: float32x4_t, b: float32x4_t) -> float32x4_t {
            unsafe { vaddq_f32(a, b) }
        }
        #[inline(always)]
        unsafe fn mul(a: float32x4_t, b: float32x4_t) -> float32x4_t {
            unsafe { vmulq_f32(a, b) }
        }
        #[inline(always)]
        unsafe fn relu(x: float32x4_t) -> float32x4_t {
            unsafe {
                let above = vcgtq_f32(x, vdupq_n_f32(0.0));
                vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(x), above))
            }
        }
    };
}

impl Engine for Int8 {
    const STORAGE: Storage = Storage::Shorts;
    type Sums = int32x4_t;
    lanes!();

    #[inline(always)]
    unsafe fn zero() -> int32x4_t {
        unsafe { vdupq_n_s32(0) }
    }
    #[inline(always)]
    unsafe fn dot(sums: int32x4_t, word: uint32x4_t, weights: uint32x4_t) -> int32x4_t {
        unsafe {
            let (a, b) = (vreinterpretq_s16_u32(word), vreinterpretq_s16_u32(weights));
            let low = vmull_s16(vget_low_s16(a), vget_low_s16(b));
            vaddq_s32(sums, vpaddq_s32(low, vmull_high_s16(a, b)))
        }
    }
    #[inline(always)]
    unsafe fn floats(sums: int32x4_t) -> float32x4_t {
        unsafe { vcvtq_f32_s32(sums) }
    }
    #[inline(always)]
    unsafe fn narrow(x: float32x4_t, inverse_scale: float32x4_t, to: *mut u32) {
        unsafe {
            let (scaled, most) = (vmulq_f32(x, inverse_scale), vdupq_n_f32(255.0));
            let within = vbslq_f32(vcltq_f32(scaled, most), scaled, most);
            vst1_s16(to.cast(), vmovn_s32(vcvtnq_s32_f32(within)));
        }
    }
}

impl Engine for F32 {
    const STORAGE: Storage = Storage::F32;
    type Sums = float32x4_t;
    lanes!();

    #[inline(always)]
    unsafe fn zero() -> float32x4_t {
        unsafe { vdupq_n_f32(0.0) }
    }
    #[inline(always)]
    unsafe fn dot(sums: float32x4_t, word: uint32x4_t, weights: uint32x4_t) -> float32x4_t {
        unsafe { vfmaq_f32(sums, vreinterpretq_f32_u32(word), vreinterpretq_f32_u32(weights)) }
    }
    #[inline(always)]
    unsafe fn floats(sums: float32x4_t) -> float32x4_t {
        sums
    }
    #[inline(always)]
    unsafe fn narrow(x: float32x4_t, _: float32x4_t, to: *mut u32) {
        unsafe { vst1q_f32(to.cast(), x) }
    }
}

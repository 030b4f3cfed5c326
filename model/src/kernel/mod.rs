//! Arithmetic on the processor: one convolution kernel over (number type, instruction set), chosen once.
//!
//! - [`words`]: how numbers are stored;
//! - [`engine`]: what a convolution asks of an instruction set; `avx2`, `avx512` and so on answer;
//! - [`conv`]: the convolution; [`winograd`]: with fewer products, on integers; [`portable`]: both in safe loops;
//! - [`layer`]: their weights; [`pack`]: puts these in order;
//! - [`plain`]: all other steps; [`peak`]: the most that a core can do;
//! - [`compile`]: all of it for one instruction set;
//! - [`isa`]: what a caller chooses among; here: the code for each choice, if the machine runs it.
//!
//! Int8 gives the same bits on every instruction set: integer sums are exact, and every step in f32 has one order
//! of operations, none of them fused. bf16 and f32 differ in their last bits.

#![cfg_attr(
    not(any(target_arch = "x86_64", target_feature = "neon", target_feature = "simd128")),
    allow(
        dead_code,
        unused_imports,
        unused_macros,
        reason = "without vector instructions there is the portable code alone"
    )
)]
#![allow(clippy::inline_always, reason = "code becomes part of the function that enables an instruction set")]

/// Expands its body ten times with a literal, so that arrays indexed by it become registers.
macro_rules! each_of_ten {
    ($name:ident => $body:expr) => {
        each_of_ten!(@ $name => $body; 0 1 2 3 4 5 6 7 8 9)
    };
    (@ $name:ident => $body:expr; $($n:literal)*) => {
        $({ const $name: usize = $n; $body })*
    };
}

#[macro_use]
mod compile;
#[allow(unsafe_code, reason = "vector loads and stores in slices whose lengths are checked once")]
mod conv;
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod engine;
mod isa;
mod layer;
mod pack;
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod peak;
mod plain;
mod portable;
#[allow(unsafe_code, reason = "vector loads in slices whose lengths are checked once")]
mod winograd;
mod words;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod avx512;
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod neon;
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
#[allow(unsafe_code, reason = "operations of an instruction set")]
mod wasm;

use crate::features::PLANES;
use crate::quantisation::Scale;
pub(crate) use conv::{Conv, Stream};
pub use isa::{Isa, Precision};
pub(crate) use layer::{Form, Layer};
use pack::pack;
pub use peak::Peak;
use plain::{ChunkOf, RanksOf, Sides};
pub(crate) use winograd::{LIMIT as LIFTED_LIMIT, lifted_len};
use words::Storage;
pub(crate) use words::{BYTE_LIMIT, CHUNK, Floats, Words};

/// The code of a convolution.
type Convolve = unsafe fn(&mut Conv<'_>);

/// A convolution for each width of board, from 3 files on.
type Widths = [Convolve; 8];

/// The code for one precision on one instruction set, on a machine that has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Kernels {
    pub(crate) storage: Storage,
    lanes: usize,
    /// 1x1 convolutions.
    single: Widths,
    /// 3x3 convolutions.
    triple: Widths,
    /// 3x3 convolutions in [`winograd`]'s form, as [`Widths`]; none where the storage is not quantised.
    winograd: &'static [Convolve],
    /// See [`peak::products`].
    peak: unsafe fn(usize) -> f32,
    plain: Plain,
}

/// The steps of [`plain`], compiled for one instruction set.
#[derive(Clone, Copy, Debug)]
struct Plain {
    dense: unsafe fn(&[f32], &[f32], &mut [f32]),
    pool: unsafe fn(&[f32], usize, usize, &mut [f32]),
    transpose: unsafe fn(&[f32], Sides, ChunkOf, usize, &mut [f32]),
    encode: unsafe fn(Storage, &[f32], &[f32], Sides, &mut [u32]),
    lift: unsafe fn(Storage, &[u32], RanksOf, &mut [u32]),
}

mod for_all {
    use super::portable::{self, Bf16, F32, Int8, Number};
    use super::{CHUNK, Convolve, Precision, peak};

    compile_plain!(#[inline]);

    pub(super) fn kernels(precision: Precision) -> Kernels {
        match precision {
            Precision::Int8 => {
                const WIDTHS: Widths = [portable::convolve_winograd; 8];
                of::<Int8>(&WIDTHS)
            }
            Precision::Bf16 => of::<Bf16>(&[]),
            Precision::F32 => of::<F32>(&[]),
        }
    }

    fn of<N: Number>(winograd: &'static [Convolve]) -> Kernels {
        let widths: Widths = [portable::convolve::<N>; 8];
        Kernels {
            storage: N::STORAGE,
            lanes: CHUNK,
            single: widths,
            triple: widths,
            winograd,
            peak: peak::plain_products::<N>,
            plain: PLAIN,
        }
    }
}
#[cfg(target_arch = "x86_64")]
compile!(
    for_avx2,
    #[target_feature(enable = "avx2,fma")],
    int8 = super::avx2::Int8 => winograd, bf16 = super::avx2::Bf16, f32 = super::avx2::F32
);
#[cfg(target_arch = "x86_64")]
compile!(
    for_avx_vnni,
    #[target_feature(enable = "avx2,fma,avxvnni")],
    int8 = super::avx2::Vnni => winograd
);
#[cfg(target_arch = "x86_64")]
compile!(
    for_avx512,
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512vnni")],
    int8 = super::avx512::Int8 => winograd, f32 = super::avx512::F32
);
#[cfg(target_arch = "x86_64")]
compile!(
    for_avx512_bf16,
    #[target_feature(enable = "avx512f,avx512bw,avx512vl,avx512bf16")],
    bf16 = super::avx512::Bf16
);
#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
compile!(
    for_neon,
    #[target_feature(enable = "neon")],
    int8 = super::neon::Int8 => winograd, f32 = super::neon::F32
);
#[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
compile!(
    for_simd128,
    #[target_feature(enable = "simd128")],
    int8 = super::wasm::Int8 => winograd, f32 = super::wasm::F32
);

impl Kernels {
    /// The code for a precision on an instruction set, if there is any and this machine runs it.
    pub(crate) fn new(isa: Isa, precision: Precision) -> Option<Kernels> {
        match (isa, precision) {
            (Isa::Portable, _) => Some(for_all::kernels(precision)),
            #[cfg(target_arch = "x86_64")]
            _ => for_x86(isa, precision),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            (Isa::Neon, Precision::Int8) => Some(for_neon::int8()),
            #[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
            (Isa::Neon, Precision::F32) => Some(for_neon::f32()),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            (Isa::Simd128, Precision::Int8) => Some(for_simd128::int8()),
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            (Isa::Simd128, Precision::F32) => Some(for_simd128::f32()),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }

    /// Packs a convolution for this code; see [`pack`].
    pub(crate) fn pack(&self, form: Form, weights: &[f32], bias: &[f32], scales: (&Scale, &Scale)) -> Layer {
        pack((self.storage, self.lanes), form, weights, bias, scales)
    }

    /// The form of 3x3 convolutions of such activations. It decides what is rounded, so it is the same everywhere.
    pub(crate) fn form(&self, input: &Scale) -> Form {
        if self.storage.quantised() && input.limit <= winograd::LIMIT { Form::Winograd } else { Form::Direct }
    }

    /// Runs a convolution.
    pub(crate) fn convolve(&self, conv: &mut Conv<'_>) {
        conv.check(self.storage);
        let widths: &[Convolve] = match conv.layer.form {
            Form::Pointwise => &self.single,
            Form::Direct => &self.triple,
            Form::Winograd => {
                self.lift(conv);
                self.winograd
            }
        };
        let convolve = widths[conv.files - 3];
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: `Kernels::new` has found the instruction set on this machine; the lengths have been checked, and
        // the code is of the layer's side and the board's width.
        unsafe {
            convolve(conv);
        }
    }

    /// See [`plain::lift`].
    fn lift(&self, conv: &mut Conv<'_>) {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: as in `dense`.
        unsafe {
            (self.plain.lift)(
                self.storage,
                conv.input,
                (conv.layer.words * conv.files, conv.ranks),
                conv.lifted,
            );
        }
    }

    /// Runs `rounds` rounds of products on registers.
    fn products(&self, rounds: usize) -> f32 {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: `Kernels::new` has found the instruction set on this machine.
        unsafe {
            (self.peak)(rounds)
        }
    }

    /// See [`plain::dense`].
    pub(crate) fn dense(&self, weights: &[f32], input: &[f32], sums: &mut [f32]) {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: safe code but for the instruction set, which `Kernels::new` has found on this machine.
        unsafe {
            (self.plain.dense)(weights, input, sums);
        }
    }

    /// See [`plain::pool`].
    pub(crate) fn pool(&self, floats: &[f32], (files, ranks): Sides, pooled: &mut [f32]) {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: as in `dense`.
        unsafe {
            (self.plain.pool)(floats, files, ranks, pooled);
        }
    }

    /// See [`plain::transpose`].
    pub(crate) fn transpose(
        &self,
        floats: &[f32],
        board: Sides,
        chunk: ChunkOf,
        stride: usize,
        out: &mut [f32],
    ) {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: as in `dense`.
        unsafe {
            (self.plain.transpose)(floats, board, chunk, stride, out);
        }
    }

    /// See [`plain::encode`].
    pub(crate) fn encode(&self, planes: &[f32], ones: &[f32], board: Sides, out: &mut [u32]) {
        #[allow(unsafe_code, reason = "code for an instruction set")]
        // SAFETY: as in `dense`.
        unsafe {
            (self.plain.encode)(self.storage, planes, ones, board, out);
        }
    }
}

/// The code for a precision on one of x86's instruction sets, if this machine has it.
#[cfg(target_arch = "x86_64")]
fn for_x86(isa: Isa, precision: Precision) -> Option<Kernels> {
    let avx2 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512vl");
    let avx_vnni = avx2 && is_x86_feature_detected!("avxvnni");
    let vnni = avx512 && is_x86_feature_detected!("avx512vnni");
    let bf16 = avx512 && is_x86_feature_detected!("avx512bf16");
    match (isa, precision) {
        (Isa::Avx512, Precision::Int8) => vnni.then(for_avx512::int8),
        (Isa::Avx512, Precision::F32) => vnni.then(for_avx512::f32),
        (Isa::Avx512, Precision::Bf16) => bf16.then(for_avx512_bf16::bf16),
        (Isa::AvxVnni, Precision::Int8) => avx_vnni.then(for_avx_vnni::int8),
        (Isa::Avx2, Precision::Int8) => avx2.then(for_avx2::int8),
        (Isa::Avx2, Precision::Bf16) => avx2.then(for_avx2::bf16),
        (Isa::Avx2, Precision::F32) => avx2.then(for_avx2::f32),
        _ => None,
    }
}

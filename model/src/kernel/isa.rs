//! Precisions and instruction sets, and which of them this machine has.

use serde::{Deserialize, Serialize};

use super::Kernels;

/// How numbers are stored and multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Precision {
    /// Activations 0..=255, or 0..=127 in the trunk ([`crate::TrunkBits`]), weights -127..=127, exact integer sums;
    /// needs calibrated ranges.
    Int8,
    /// 8 bits of mantissa, sums in f32.
    Bf16,
    /// Single precision.
    F32,
}

/// A family of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Isa {
    /// 512-bit vectors; VNNI for int8, the BF16 extension for bf16.
    Avx512,
    /// 256-bit vectors with VNNI, for int8; not yet run on a machine that has them.
    AvxVnni,
    /// 256-bit vectors with FMA.
    Avx2,
    /// ARM's 128-bit vectors, for int8 and f32; written to its manual, but not yet run on such a machine.
    Neon,
    /// WebAssembly's 128-bit vectors, for int8 and f32, where the module is compiled for them.
    Simd128,
    /// Whatever the compiler makes of plain Rust.
    Portable,
}

impl Isa {
    /// Best first.
    const ALL: [Isa; 6] = [Isa::Avx512, Isa::AvxVnni, Isa::Avx2, Isa::Neon, Isa::Simd128, Isa::Portable];

    /// The ones that this machine can run a precision on, best first; the portable one is always there.
    pub fn available(precision: Precision) -> impl Iterator<Item = Isa> {
        Isa::ALL.into_iter().filter(move |isa| Kernels::new(*isa, precision).is_some())
    }

    /// The best one that this machine can run a precision on.
    pub fn best(precision: Precision) -> Isa {
        Isa::available(precision).next().unwrap_or(Isa::Portable)
    }
}

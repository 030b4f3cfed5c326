//! What a core can do at most: the convolution's products on a few words that stay in registers and the first
//! cache.

use super::engine::{Engine, Vectors};
use super::portable::Number;
use super::words::CHUNK;
use super::{Isa, Kernels, Precision};

/// Independent sums: enough to hide the latency of a product, few enough for 16 registers.
const SUMS: usize = 12;

/// Words that the products are of: three vectors of weights, then four activations.
#[repr(align(64))]
struct Operands([u32; 3 * 16 + 4]);

/// Zeros: their sums neither overflow nor become subnormal, and products of zeros take as long as any.
const OPERANDS: Operands = Operands([0; 52]);

/// The most that a core can do: products on registers alone, for measuring how near the network comes.
#[derive(Clone, Copy, Debug)]
pub struct Peak {
    kernels: Kernels,
}

impl Peak {
    /// The products of a precision on an instruction set, if this machine runs them.
    pub fn new(isa: Isa, precision: Precision) -> Option<Peak> {
        Kernels::new(isa, precision).map(|kernels| Peak { kernels })
    }

    /// Works for `rounds` rounds and returns the operations done; a multiplication and an addition are two.
    pub fn run(&self, rounds: usize) -> u64 {
        std::hint::black_box(self.kernels.products(rounds));
        (rounds * operations(self.kernels.lanes, self.kernels.storage.group())) as u64
    }
}

/// Operations of a round over vectors of `lanes` words of `group` numbers; a multiplication and an addition are two.
const fn operations(lanes: usize, group: usize) -> usize {
    SUMS * lanes * group * 2
}

/// Adds `rounds` times a product into each of the sums, and returns what came out.
///
/// # Safety
/// As [`Engine`] says.
#[inline(always)]
pub(super) unsafe fn products<E: Engine>(rounds: usize) -> f32 {
    let operands = OPERANDS;
    // SAFETY: no vector has more than 16 lanes, so all loads lie in the 52 words; the weights are aligned.
    unsafe {
        let mut sums = [E::zero(); SUMS];
        for _ in 0..rounds {
            // The compiler must not know the words, or it would multiply once and for all.
            let words = std::hint::black_box(&operands).0.as_ptr();
            let weights = [0, 1, 2].map(|i| E::Vectors::weights(words.add(i * 16)));
            let inputs = [0, 1, 2, 3].map(|i| E::Vectors::splat_word(words.add(48 + i)));
            for (i, sum) in sums.iter_mut().enumerate() {
                *sum = E::dot(*sum, inputs[i % 4], weights[i % 3]);
            }
        }
        let mut total = 0.0;
        for sum in sums {
            let mut out = [0.0_f32; CHUNK];
            E::Vectors::store(E::floats(sum), out.as_mut_ptr());
            total += out.iter().sum::<f32>();
        }
        total
    }
}

/// [`products`] in plain Rust.
pub(super) fn plain_products<N: Number>(rounds: usize) -> f32 {
    let mut sums = [[N::Sum::default(); CHUNK]; SUMS];
    for _ in 0..rounds {
        let words = &std::hint::black_box(&OPERANDS).0;
        for (i, sums) in sums.iter_mut().enumerate() {
            for (sum, &weights) in sums.iter_mut().zip(&words[i % 3 * CHUNK..]) {
                *sum = N::dot(*sum, words[48 + i % 4], weights);
            }
        }
    }
    sums.iter().flatten().map(|&sum| N::float(sum)).sum()
}

#[cfg(test)]
mod tests {
    use crate::{Isa, Peak, Precision};

    #[test]
    fn every_instruction_set_counts_its_operations() {
        for (precision, group) in [(Precision::Int8, 4), (Precision::Bf16, 2), (Precision::F32, 1)] {
            for isa in Isa::available(precision) {
                let group = if precision == Precision::Int8 && isa != Isa::Avx512 && isa != Isa::AvxVnni {
                    2
                } else {
                    group
                };
                let lanes = match isa {
                    Isa::Avx512 | Isa::Portable => 16,
                    Isa::AvxVnni | Isa::Avx2 => 8,
                    Isa::Neon | Isa::Simd128 => 4,
                };
                let peak = Peak::new(isa, precision).unwrap();
                assert_eq!(peak.run(100), 100 * 12 * 2 * lanes * group, "{precision:?} on {isa:?}");
            }
        }
    }
}

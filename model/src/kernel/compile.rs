//! Makes the code of one instruction set out of what is generic.

/// Functions of [`plain`] with an instruction set enabled, and the [`Plain`] of them.
macro_rules! compile_plain {
    (#$enable:tt) => {
        use super::{ChunkOf, Kernels, PLANES, Plain, RanksOf, Sides, Storage, Widths, plain};

        #$enable
        fn dense(weights: &[f32], input: &[f32], sums: &mut [f32]) {
            plain::dense(weights, input, sums);
        }
        #$enable
        fn pool(floats: &[f32], files: usize, ranks: usize, pooled: &mut [f32]) {
            plain::pool(floats, files, ranks, pooled);
        }
        #$enable
        fn transpose(
            floats: &[f32],
            board: Sides,
            chunk: ChunkOf,
            stride: usize,
            out: &mut [f32],
        ) {
            plain::transpose(floats, board, chunk, stride, out);
        }
        #$enable
        fn encode(storage: Storage, planes: &[f32], ones: &[f32], board: Sides, out: &mut [u32]) {
            plain::encode::<PLANES>(storage, planes, ones, board, out);
        }
        #$enable
        fn lift(storage: Storage, input: &[u32], ranks: RanksOf, out: &mut [u32]) {
            plain::lift(storage, input, ranks, out);
        }
        const PLAIN: Plain = Plain { dense, pool, transpose, encode, lift };
    };
}

/// Compiles [`plain`] and the named engines with an instruction set enabled, those on integers with [`winograd`] too.
macro_rules! compile {
    ($module:ident, #$enable:tt, $($name:ident = $engine:ty $(=> $winograd:ident)?),*) => {
        mod $module {
            #[allow(unused_imports, reason = "some have no engine on integers")]
            use super::{Conv, conv, peak, winograd};
            use super::engine::{Engine, Vectors};

            compile_plain!(#$enable);

            $(
                pub(super) fn $name() -> Kernels {
                    /// One function for each size, so that the compiler's work stays in proportion.
                    #$enable
                    #[allow(unsafe_code, reason = "the engine's instruction set")]
                    unsafe fn sized<const K: usize, const P: usize>(conv: &mut Conv<'_>) {
                        // SAFETY: `Kernels::new` has found the instruction set on this machine, this function
                        // enables it, and `Kernels::convolve` has checked the lengths and chosen the sizes.
                        unsafe { conv::convolve::<$engine, K, P>(conv) }
                    }
                    const fn widths<const K: usize>() -> Widths {
                        [
                            sized::<K, 3>, sized::<K, 4>, sized::<K, 5>, sized::<K, 6>,
                            sized::<K, 7>, sized::<K, 8>, sized::<K, 9>, sized::<K, 10>,
                        ]
                    }
                    $(
                        // Named like the module that it is of: a repetition has to name what it repeats.
                        #$enable
                        #[allow(unsafe_code, reason = "the engine's instruction set")]
                        unsafe fn $winograd<const P: usize>(conv: &mut Conv<'_>) {
                            // SAFETY: as in `sized`; `Kernels::convolve` has lifted the input.
                            unsafe { $winograd::convolve::<$engine, P>(conv) }
                        }
                    )?
                    #$enable
                    #[allow(unsafe_code, reason = "the engine's instruction set")]
                    unsafe fn products(rounds: usize) -> f32 {
                        // SAFETY: as in `sized`.
                        unsafe { peak::products::<$engine>(rounds) }
                    }
                    Kernels {
                        storage: <$engine>::STORAGE,
                        lanes: <<$engine as Engine>::Vectors as Vectors>::LANES,
                        single: widths::<1>(),
                        triple: widths::<3>(),
                        winograd: &[$(
                            $winograd::<3>, $winograd::<4>, $winograd::<5>, $winograd::<6>,
                            $winograd::<7>, $winograd::<8>, $winograd::<9>, $winograd::<10>,
                        )?],
                        peak: products,
                        plain: PLAIN,
                    }
                }
            )*
        }
    };
}

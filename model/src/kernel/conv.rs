//! The one convolution kernel, over any [`Engine`].
//!
//! Activations lie as `[rank][chunk of 16 channels][file][16 channels]`, so that within a rank of a board of
//! known width every address is a constant away from one pointer. [`Layer::weights`] lie in the order in which they
//! are used.
//!
//! A tile is one rank of one or two vectors of outputs, its sums kept in registers: each word of activations is
//! broadcast once and used for all three `dx`. Ranks and files off the board are never multiplied.

use super::engine::{Engine, Vectors};
use super::layer::{Form, Layer};
use super::winograd::{COLUMNS, lifted_len};
use super::words::{CHUNK, LINE, Storage};

/// What to do with the f32 stream of the outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stream {
    /// Leave it alone.
    Unused,
    /// Store the results.
    Store,
    /// Add what is there before the `ReLU`, then store.
    Add,
}

/// One convolution over one board.
#[derive(Debug)]
pub(crate) struct Conv<'a> {
    pub(crate) layer: &'a Layer,
    /// Replaces the layer's bias, where pooling has added to it.
    pub(crate) bias: &'a [f32],
    pub(crate) files: usize,
    pub(crate) ranks: usize,
    /// Activations, `[rank][chunk][file][16]`.
    pub(crate) input: &'a [u32],
    /// Room for what Winograd's form makes of them, `[pair of ranks][part][chunk][file][16]`; other forms use none.
    pub(crate) lifted: &'a mut [u32],
    /// Whether the results are cut at 0.
    pub(crate) relu: bool,
    pub(crate) stream: Stream,
    /// `[rank][chunk][file][16]`; empty where unused.
    pub(crate) floats: &'a mut [f32],
    /// Activations for the next convolution, from the start of a cache line; empty where there is none.
    pub(crate) narrow: &'a mut [u32],
}

impl Conv<'_> {
    /// Checks every length that [`convolve`] relies on, and that whole vectors of activations are aligned; those of
    /// weights are, as [`Words`] start on a cache line.
    ///
    /// # Panics
    /// When one does not fit: a slip in this crate.
    pub(crate) fn check(&self, storage: Storage) {
        let Layer { form, words, outputs, weights, offsets, scale, bias, inverse_scale, .. } = self.layer;
        let per_chunk = storage.words_per_chunk();
        let area = self.files * self.ranks;
        assert!((3..=10).contains(&self.files) && self.ranks >= 1, "{} x {}", self.files, self.ranks);
        assert!(outputs.is_multiple_of(CHUNK));
        assert_eq!(weights.len(), outputs * form.taps() * words);
        if *form == Form::Winograd {
            assert!(storage.quantised() && words.is_multiple_of(per_chunk));
            assert_eq!(offsets.len(), 2 * COLUMNS * outputs);
            assert!(self.lifted.len() >= lifted_len(self.files * words, self.ranks));
        }
        assert!([scale, bias, inverse_scale].iter().all(|numbers| numbers.len() == *outputs));
        assert_eq!(self.bias.len(), *outputs);
        assert!(self.input.len() >= area * words.next_multiple_of(per_chunk));
        assert!(self.stream == Stream::Unused || self.floats.len() >= area * outputs);
        assert!(self.narrow.is_empty() || self.narrow.len() >= area * outputs / storage.group());
        assert!(self.narrow.is_empty() || (self.narrow.as_ptr() as usize).is_multiple_of(LINE));
    }
}

/// Runs `conv`, which is `K` x `K`, over a board of `P` files: all outputs, two vectors at a time where their sums
/// fit the registers. The ranks run inside, so that a block's weights stay in the first cache.
///
/// # Safety
/// As [`Engine`] says; `conv.check(E::STORAGE)` has passed, and `K` and `P` are its layer's side and its files.
#[inline(always)]
pub(super) unsafe fn convolve<E: Engine, const K: usize, const P: usize>(conv: &mut Conv<'_>) {
    let vectors = conv.layer.outputs / E::Vectors::LANES;
    let mut vector = 0;
    // SAFETY: `vector` plus the number of vectors of a tile is at most `vectors`, the ranks are on the board.
    unsafe {
        if const { 2 * P + 2 + 2 <= E::Vectors::REGISTERS } {
            while vector + 2 <= vectors {
                for rank in 0..conv.ranks {
                    tile::<E, K, P, 2>(conv, vector, rank);
                }
                vector += 2;
            }
        }
        while vector < vectors {
            for rank in 0..conv.ranks {
                tile::<E, K, P, 1>(conv, vector, rank);
            }
            vector += 1;
        }
    }
}

/// One rank of `N` vectors of outputs.
#[inline(always)]
unsafe fn tile<E: Engine, const K: usize, const P: usize, const N: usize>(
    conv: &mut Conv<'_>,
    vector: usize,
    rank: usize,
) {
    let rank_words = conv.layer.words.next_multiple_of(const { E::STORAGE.words_per_chunk() }) * P;
    let reach = K / 2;
    // SAFETY: the ranks are on the board and `vector + N` vectors are in the layer.
    unsafe {
        let mut sums = [[E::zero(); N]; P];
        for from in rank.saturating_sub(reach)..=(rank + reach).min(conv.ranks - 1) {
            let row = conv.input.as_ptr().add(from * rank_words);
            add_rank::<E, K, P, N>(&mut sums, conv.layer, vector, (from + reach - rank, K), row);
        }
        finish::<E, P, N>(conv, vector, rank, &sums);
    }
}

/// Adds the products of a rank of inputs, `[chunk][file][16]`, with one of the layer's matrices of weights: which, and
/// of how many.
///
/// # Safety
/// As [`Engine`] says; a rank of inputs lies at `row`, and `vector + N` vectors of outputs and the matrix in the layer,
/// whose lengths [`Conv::check`] has seen.
#[inline(always)]
pub(super) unsafe fn add_rank<E: Engine, const K: usize, const P: usize, const N: usize>(
    sums: &mut [[E::Sums; N]; P],
    layer: &Layer,
    vector: usize,
    (matrix, matrices): (usize, usize),
    row: *const u32,
) {
    let words = layer.words;
    let per_chunk = const { E::STORAGE.words_per_chunk() };
    // Vectors lie in pairs, and an odd last one alone.
    let width = if N == 2 || vector | 1 < layer.outputs / E::Vectors::LANES { 2 } else { 1 };
    let pair = (vector & !1) * matrices * K * words * E::Vectors::LANES;
    let start = pair + (matrix * words * K * width + (vector & 1)) * E::Vectors::LANES;
    // SAFETY: every address lies where the caller says that there are inputs and weights.
    unsafe {
        let mut weights = layer.weights.as_ptr().add(start);
        let mut chunk = row;
        let mut left = words;
        while left > 0 {
            let here = left.min(per_chunk);
            for word in 0..here {
                step::<E, K, P, N>(sums, chunk.add(word), weights, width);
                weights = weights.add(K * width * E::Vectors::LANES);
            }
            chunk = chunk.add(per_chunk * P);
            left -= here;
        }
    }
}

/// Adds one word of input channels of a rank to the sums.
#[inline(always)]
unsafe fn step<E: Engine, const K: usize, const P: usize, const N: usize>(
    sums: &mut [[E::Sums; N]; P],
    chunk: *const u32,
    weights: *const u32,
    width: usize,
) {
    let per_chunk = const { E::STORAGE.words_per_chunk() };
    // SAFETY: `add_rank` hands over pointers to `P` words that are `per_chunk` apart, and to `K` weight vectors for
    // each of `N` outputs.
    unsafe {
        let load =
            |dx: usize, n: usize| E::Vectors::weights(weights.add((dx * width + n) * E::Vectors::LANES));
        // All weights fit the registers.
        if const { P * N + K * N + 2 <= E::Vectors::REGISTERS } {
            let mut taps = [[load(0, 0); N]; K];
            for (dx, row) in taps.iter_mut().enumerate() {
                for (n, tap) in row.iter_mut().enumerate() {
                    *tap = load(dx, n);
                }
            }
            each_of_ten!(Q => if const { Q < P } {
                let word = E::Vectors::splat_word(chunk.add(Q * per_chunk));
                for (dx, taps) in taps.iter().enumerate() {
                    // The output that sees input Q through tap dx.
                    let p = (Q + K / 2).wrapping_sub(dx);
                    if p < P {
                        for n in 0..N {
                            sums[p][n] = E::dot(sums[p][n], word, taps[n]);
                        }
                    }
                }
            });
        } else {
            for dx in 0..K {
                let mut taps = [load(dx, 0); N];
                for (n, tap) in taps.iter_mut().enumerate() {
                    *tap = load(dx, n);
                }
                each_of_ten!(Q => if const { Q < P } {
                    let p = (Q + K / 2).wrapping_sub(dx);
                    if p < P {
                        let word = E::Vectors::splat_word(chunk.add(Q * per_chunk));
                        for n in 0..N {
                            sums[p][n] = E::dot(sums[p][n], word, taps[n]);
                        }
                    }
                });
            }
        }
    }
}

/// Scale, bias, residual and `ReLU` in a fixed order, then the stores.
#[inline(always)]
pub(super) unsafe fn finish<E: Engine, const P: usize, const N: usize>(
    conv: &mut Conv<'_>,
    vector: usize,
    rank: usize,
    sums: &[[E::Sums; N]; P],
) {
    let group = const { E::STORAGE.group() };
    let outputs = conv.layer.outputs;
    // SAFETY: `vector + N` vectors of outputs and `rank` exist, and `check` has compared the slices' lengths with
    // the board and the outputs.
    unsafe {
        each_of_ten!(V => if const { V < N } {
            let output = (vector + V) * E::Vectors::LANES;
            let scale = E::Vectors::load(conv.layer.scale.as_ptr().add(output));
            let bias = E::Vectors::load(conv.bias.as_ptr().add(output));
            let inverse_scale = E::Vectors::load(conv.layer.inverse_scale.as_ptr().add(output));
            let limit = E::Vectors::splat(conv.layer.limit);
            let start = rank * outputs * P + (output / CHUNK) * P * CHUNK + output % CHUNK;
            let floats = conv.floats.as_mut_ptr().wrapping_add(start);
            let narrow = conv.narrow.as_mut_ptr().wrapping_add(start / group);
            each_of_ten!(Q => if const { Q < P } {
                let mut x = E::floats(sums[Q][V]);
                if const { E::STORAGE.quantised() } {
                    x = E::Vectors::mul(x, scale);
                }
                x = E::Vectors::add(x, bias);
                if conv.stream == Stream::Add {
                    x = E::Vectors::add(x, E::Vectors::load(floats.add(Q * CHUNK)));
                }
                if conv.relu {
                    x = E::Vectors::relu(x);
                }
                if conv.stream != Stream::Unused {
                    E::Vectors::store(x, floats.add(Q * CHUNK));
                }
                if !conv.narrow.is_empty() {
                    E::narrow(x, inverse_scale, limit, narrow.add(Q * CHUNK / group));
                }
            });
        });
    }
}

//! 3x3 convolutions with two thirds of the products, on integers: Winograd's F(2, 3) along the ranks.
//!
//! Two neighbouring ranks of outputs, `y0` and `y1`, see four ranks of inputs, `d0` to `d3`. For the three weights
//! `g0`, `g1`, `g2` of a column of the kernel,
//!
//! ```text
//! u0 = g0    u1 = (g0 + g1 + g2) / 2    u2 = (g0 - g1 + g2) / 2    u3 = -g2
//! y0 = u0 (d0 - d2) + u1 (d1 + d2) + u2 (d2 - d1)
//! y1 = u3 (d1 - d3) + u1 (d1 + d2) - u2 (d2 - d1)
//! ```
//!
//! four products where there were six. The differences and the sum of the inputs, the four parts, are made once for all
//! outputs, along whole ranks ([`super::plain::lift`]), so that within a rank everything is as in [`super::conv`].
//! They fit a byte where activations are at most [`LIMIT`]: [`OFFSET`] is added to differences, and
//! [`super::layer::Layer::offsets`] takes it back. It is the `u` that are rounded to integers, not the `g`; all sums
//! are exact. (With 512 inputs three parts are at most 3 * 1536 * 255 * 127 and what is taken back is at most
//! 2 * 1536 * 128 * 127, together below 2^28.)
//!
//! Source: Lavin and Gray, "Fast Algorithms for Convolutional Neural Networks", 2015.

use super::conv::{Conv, add_rank, finish};
use super::engine::{Exact, Vectors};

/// Transformed ranks for each pair of ranks, and matrices of weights.
pub(crate) const PARTS: usize = 4;

/// The parts, in the order in which their weights lie and are used: those that both ranks share first, so that no more
/// than two sets of sums live at a time.
pub(crate) const ORDER: [usize; PARTS] = [1, 2, 0, 3];

/// What is added to differences so that they are not negative.
pub(crate) const OFFSET: f32 = 128.0;

/// The largest activations whose sums and differences fit a byte.
pub(crate) const LIMIT: f32 = 127.0;

/// Columns of the board that see different columns of the kernel: the first, those between, the last.
pub(crate) const COLUMNS: usize = 3;

/// Words of all parts of a board's inputs, whose ranks have `length` words each.
pub(crate) const fn lifted_len(length: usize, ranks: usize) -> usize {
    ranks.div_ceil(2) * PARTS * length
}

/// Which of the [`COLUMNS`] a file is.
pub(super) const fn column(file: usize, files: usize) -> usize {
    if file == 0 {
        0
    } else if file + 1 < files {
        1
    } else {
        2
    }
}

/// Runs `conv`, whose layer is of the form [`super::layer::Form::Winograd`], over a board of `P` files.
///
/// # Safety
/// As [`super::engine::Engine`] says; `conv.check(E::STORAGE)` has passed, its input has been lifted, and `P` is its
/// files.
#[inline(always)]
pub(super) unsafe fn convolve<E: Exact, const P: usize>(conv: &mut Conv<'_>) {
    let vectors = conv.layer.outputs / E::Vectors::LANES;
    let pairs = conv.ranks.div_ceil(2);
    let mut vector = 0;
    // SAFETY: `vector` plus the number of vectors of a tile is at most `vectors`, the pairs are on the board.
    unsafe {
        // The sums of two ranks, the weights, a word, and one to spare: six files would just fit 32 registers, and
        // were slower so.
        if const { 2 * (2 * P) + 2 * 3 + 2 < E::Vectors::REGISTERS } {
            while vector + 2 <= vectors {
                for pair in 0..pairs {
                    tile::<E, P, 2>(conv, vector, pair);
                }
                vector += 2;
            }
        }
        while vector < vectors {
            for pair in 0..pairs {
                tile::<E, P, 1>(conv, vector, pair);
            }
            vector += 1;
        }
    }
}

/// Two ranks, or an odd last one, of `N` vectors of outputs.
#[inline(always)]
unsafe fn tile<E: Exact, const P: usize, const N: usize>(conv: &mut Conv<'_>, vector: usize, pair: usize) {
    // SAFETY: the pair is on the board and `vector + N` vectors are in the layer; `check` has counted the offsets.
    unsafe {
        let mut sum = [[E::zero(); N]; P];
        multiply::<E, P, N>(&mut sum, conv, vector, pair, 0);
        let mut difference = [[E::zero(); N]; P];
        multiply::<E, P, N>(&mut difference, conv, vector, pair, 1);
        let (mut even, mut odd) = ([[E::zero(); N]; P], [[E::zero(); N]; P]);
        each_of_ten!(V => if const { V < N } {
            let offsets = |rank: usize, column: usize| {
                let at = (rank * COLUMNS + column) * conv.layer.outputs + (vector + V) * E::Vectors::LANES;
                E::load_sums(conv.layer.offsets.as_ptr().add(at))
            };
            let evens = [offsets(0, 0), offsets(0, 1), offsets(0, 2)];
            let odds = [offsets(1, 0), offsets(1, 1), offsets(1, 2)];
            each_of_ten!(Q => if const { Q < P } {
                let (sum, difference) = (sum[Q][V], difference[Q][V]);
                even[Q][V] = E::plus(E::plus(sum, difference), evens[const { column(Q, P) }]);
                odd[Q][V] = E::plus(E::minus(sum, difference), odds[const { column(Q, P) }]);
            });
        });
        multiply::<E, P, N>(&mut even, conv, vector, pair, 2);
        finish::<E, P, N>(conv, vector, 2 * pair, &even);
        if 2 * pair + 1 < conv.ranks {
            multiply::<E, P, N>(&mut odd, conv, vector, pair, 3);
            finish::<E, P, N>(conv, vector, 2 * pair + 1, &odd);
        }
    }
}

/// Adds the products of one of the [`PARTS`], the `place`th of [`ORDER`].
#[inline(always)]
unsafe fn multiply<E: Exact, const P: usize, const N: usize>(
    sums: &mut [[E::Sums; N]; P],
    conv: &Conv<'_>,
    vector: usize,
    pair: usize,
    place: usize,
) {
    // SAFETY: the part lies in the room whose length `check` has seen; the rest as `tile` says.
    unsafe {
        let row = conv.lifted.as_ptr().add((pair * PARTS + ORDER[place]) * conv.layer.words * P);
        add_rank::<E, 3, P, N>(sums, conv.layer, vector, (place, PARTS), row);
    }
}

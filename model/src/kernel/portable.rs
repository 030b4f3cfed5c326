//! The convolution in plain safe loops: for any machine, and the reference for the bits of the others.
//!
//! Sums stay in memory, 16 outputs wide, which compilers turn into whatever vectors there are; the width of the
//! board is not known to the compiler, which keeps this small.

use super::conv::{Conv, Stream};
use super::winograd::{COLUMNS, ORDER, PARTS, column};
use super::words::{CHUNK, Storage, round_to_byte, to_bf16};

/// How words are multiplied.
pub(super) trait Number {
    const STORAGE: Storage;
    type Sum: Copy + Default;
    /// Adds the products of a word of activations and a word of weights.
    fn dot(sum: Self::Sum, word: u32, weights: u32) -> Self::Sum;
    fn float(sum: Self::Sum) -> f32;
    /// The bits of an activation.
    fn narrow(x: f32, inverse_scale: f32, most: f32) -> u32;
}

/// Integers, two to a word.
#[derive(Debug)]
pub(super) struct Int8;

/// f32 products of numbers kept as bf16.
#[derive(Debug)]
pub(super) struct Bf16;

/// f32 throughout.
#[derive(Debug)]
pub(super) struct F32;

impl Number for Int8 {
    const STORAGE: Storage = Storage::Shorts;
    type Sum = i32;

    #[inline(always)]
    fn dot(sum: i32, word: u32, weights: u32) -> i32 {
        let shorts = |word: u32| (i32::from(word as i16), i32::from((word >> 16) as i16));
        let ((a, b), (v, w)) = (shorts(word), shorts(weights));
        sum + (a * v + b * w)
    }
    #[inline(always)]
    fn float(sum: i32) -> f32 {
        sum as f32
    }
    #[inline(always)]
    fn narrow(x: f32, inverse_scale: f32, most: f32) -> u32 {
        round_to_byte(x * inverse_scale, most)
    }
}

impl Number for Bf16 {
    const STORAGE: Storage = Storage::Bf16;
    type Sum = f32;

    #[inline(always)]
    fn dot(sum: f32, word: u32, weights: u32) -> f32 {
        let pair = |word: u32| (f32::from_bits(word << 16), f32::from_bits(word & 0xffff_0000));
        let ((a, b), (v, w)) = (pair(word), pair(weights));
        sum + a * v + b * w
    }
    #[inline(always)]
    fn float(sum: f32) -> f32 {
        sum
    }
    #[inline(always)]
    fn narrow(x: f32, _: f32, _: f32) -> u32 {
        u32::from(to_bf16(x))
    }
}

impl Number for F32 {
    const STORAGE: Storage = Storage::F32;
    type Sum = f32;

    #[inline(always)]
    fn dot(sum: f32, word: u32, weights: u32) -> f32 {
        sum + f32::from_bits(word) * f32::from_bits(weights)
    }
    #[inline(always)]
    fn float(sum: f32) -> f32 {
        sum
    }
    #[inline(always)]
    fn narrow(x: f32, _: f32, _: f32) -> u32 {
        x.to_bits()
    }
}

/// Runs a convolution whose weights are packed for 16 lanes.
pub(super) fn convolve<N: Number>(conv: &mut Conv<'_>) {
    for vector in 0..conv.layer.outputs / CHUNK {
        for rank in 0..conv.ranks {
            let sums = tile::<N>(conv, vector, rank);
            finish::<N>(conv, vector, rank, &sums[..conv.files]);
        }
    }
}

/// The sums of one rank of 16 outputs.
fn tile<N: Number>(conv: &Conv<'_>, vector: usize, rank: usize) -> Sums<N> {
    let (side, words, files) = (conv.layer.form.side(), conv.layer.words, conv.files);
    let (reach, length) = (side / 2, words.next_multiple_of(N::STORAGE.words_per_chunk()) * files);
    let mut sums = [[N::Sum::default(); CHUNK]; 10];
    for from in rank.saturating_sub(reach)..=(rank + reach).min(conv.ranks - 1) {
        let matrix = from + reach - rank;
        add_rank::<N>(&mut sums, conv, vector, (matrix, side), &conv.input[from * length..]);
    }
    sums
}

/// The sums of each file of a rank.
type Sums<N> = [[<N as Number>::Sum; CHUNK]; 10];

/// Adds the products of a rank of inputs with one of the layer's `matrices` of weights for 16 outputs.
fn add_rank<N: Number>(
    sums: &mut Sums<N>,
    conv: &Conv<'_>,
    vector: usize,
    (matrix, matrices): (usize, usize),
    row: &[u32],
) {
    let (side, words, files) = (conv.layer.form.side(), conv.layer.words, conv.files);
    let (reach, per_chunk) = (side / 2, N::STORAGE.words_per_chunk());
    // Vectors lie in pairs, and an odd last one alone.
    let width = if vector | 1 < conv.layer.outputs / CHUNK { 2 } else { 1 };
    let pair = (vector & !1) * matrices * side * words * CHUNK;
    for word in 0..words {
        let inputs = &row[word / per_chunk * files * per_chunk + word % per_chunk..];
        for dx in 0..side {
            let at = pair + (((matrix * words + word) * side + dx) * width + (vector & 1)) * CHUNK;
            let weights: &[u32; CHUNK] = conv.layer.weights[at..].first_chunk().expect("16 lanes");
            // Output p sees input p + dx - reach.
            for p in reach.saturating_sub(dx)..files.min(files + reach - dx) {
                let input = inputs[(p + dx - reach) * per_chunk];
                for (sum, &weights) in sums[p].iter_mut().zip(weights) {
                    *sum = N::dot(*sum, input, weights);
                }
            }
        }
    }
}

/// [`super::winograd::convolve`] in plain Rust.
pub(super) fn convolve_winograd(conv: &mut Conv<'_>) {
    for vector in 0..conv.layer.outputs / CHUNK {
        for pair in 0..conv.ranks.div_ceil(2) {
            let [sum, difference] = [0, 1].map(|place| part(conv, vector, pair, place));
            for (of_pair, sign) in [(0, 1), (1, -1)] {
                let rank = 2 * pair + of_pair;
                if rank >= conv.ranks {
                    continue;
                }
                let mut sums = part(conv, vector, pair, 2 + of_pair);
                for (file, sums) in sums[..conv.files].iter_mut().enumerate() {
                    let column = of_pair * COLUMNS + column(file, conv.files);
                    let at = column * conv.layer.outputs + vector * CHUNK;
                    for (lane, to) in sums.iter_mut().enumerate() {
                        let shared = sum[file][lane] + sign * difference[file][lane];
                        *to += shared + conv.layer.offsets[at + lane];
                    }
                }
                finish::<Int8>(conv, vector, rank, &sums[..conv.files]);
            }
        }
    }
}

/// The products of one of Winograd's parts, the `place`th of [`ORDER`].
fn part(conv: &Conv<'_>, vector: usize, pair: usize, place: usize) -> Sums<Int8> {
    let mut sums = [[0; CHUNK]; 10];
    let row = &conv.lifted[(pair * PARTS + ORDER[place]) * conv.layer.words * conv.files..];
    add_rank::<Int8>(&mut sums, conv, vector, (place, PARTS), row);
    sums
}

/// Scale, bias, residual and `ReLU` in the order of the other engines, then the stores.
fn finish<N: Number>(conv: &mut Conv<'_>, vector: usize, rank: usize, sums: &[[N::Sum; CHUNK]]) {
    let output = vector * CHUNK;
    let start = rank * conv.layer.outputs * conv.files + output * conv.files;
    for (file, sums) in sums.iter().enumerate() {
        let at = start + file * CHUNK;
        let mut x: [f32; CHUNK] = sums.map(N::float);
        for (lane, x) in x.iter_mut().enumerate() {
            if N::STORAGE.quantised() {
                *x *= conv.layer.scale[output + lane];
            }
            *x += conv.bias[output + lane];
            if conv.stream == Stream::Add {
                *x += conv.floats[at + lane];
            }
            if conv.relu {
                *x = if *x > 0.0 { *x } else { 0.0 };
            }
        }
        if conv.stream != Stream::Unused {
            conv.floats[at..at + CHUNK].copy_from_slice(&x);
        }
        if !conv.narrow.is_empty() {
            let (group, bits) = (N::STORAGE.group(), 32 / N::STORAGE.group());
            let words = &mut conv.narrow[at / group..(at + CHUNK) / group];
            let scales = conv.layer.inverse_scale[output..output + CHUNK].chunks_exact(group);
            for (word, (x, scales)) in words.iter_mut().zip(x.chunks_exact(group).zip(scales)) {
                let join = |word, (place, (&x, &scale)): (usize, (&f32, &f32))| {
                    word | N::narrow(x, scale, conv.layer.limit).unbounded_shl((bits * place) as u32)
                };
                *word = x.iter().zip(scales).enumerate().fold(0, join);
            }
        }
    }
}

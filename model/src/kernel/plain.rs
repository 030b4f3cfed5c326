//! The small steps between convolutions, as plain loops over lanes that the compiler turns into vectors.
//!
//! Each sum runs in one fixed order, with a product rounded before it is added: the bits are the same on
//! every machine.

use crate::spec::{MOST_CHANNELS, SIDES};

use super::winograd::{OFFSET, PARTS};
use super::words::{BYTE_LIMIT, CHUNK, Storage, round_to_byte};

type Lanes = [f32; CHUNK];

/// Files and ranks of a board.
pub(super) type Sides = (usize, usize);

/// A chunk of 16 channels, and how many of them there are.
pub(super) type ChunkOf = (usize, usize);

/// Words of a rank of activations, and how many ranks there are.
pub(super) type RanksOf = (usize, usize);

/// The `CHUNK` numbers from `start`.
#[inline(always)]
fn lanes(from: &[f32], start: usize) -> &Lanes {
    from[start..start + CHUNK].first_chunk().expect("a chunk was cut")
}

/// `sums[o] += weights[i * sums.len() + o] * input[i]` for each `i` in turn; `sums` is a multiple of 16 long.
#[inline(always)]
pub(super) fn dense(weights: &[f32], input: &[f32], sums: &mut [f32]) {
    assert!(sums.len().is_multiple_of(CHUNK) && weights.len() == input.len() * sums.len());
    let width = sums.len();
    let mut start = 0;
    while start < width {
        // Four chunks at a time: a sum waits for its last addition, four do so together.
        start += match (width - start) / CHUNK {
            1 => dense_block::<1>(weights, input, sums, start),
            2 => dense_block::<2>(weights, input, sums, start),
            3 => dense_block::<3>(weights, input, sums, start),
            _ => dense_block::<4>(weights, input, sums, start),
        };
    }
}

#[inline(always)]
fn dense_block<const M: usize>(weights: &[f32], input: &[f32], sums: &mut [f32], start: usize) -> usize {
    let width = sums.len();
    let mut block: [Lanes; M] = std::array::from_fn(|m| *lanes(sums, start + m * CHUNK));
    for (row, &x) in weights.chunks_exact(width).zip(input) {
        let row = &row[start..start + M * CHUNK];
        // Spelled out: left as a loop, four chunks would stay in memory.
        each_of_ten!(I => if I < M {
            let weights = lanes(row, I * CHUNK);
            for lane in 0..CHUNK {
                block[I][lane] += weights[lane] * x;
            }
        });
    }
    for (m, sum) in block.iter().enumerate() {
        sums[start + m * CHUNK..][..CHUNK].copy_from_slice(sum);
    }
    M * CHUNK
}

/// Pools `[rank][chunk][file][16]` into `[mean, mean * (w - 8) / 4, max]` of each channel, w being the geometric
/// mean of the board's sides. Files are added up within a rank, then ranks.
#[inline(always)]
pub(super) fn pool(floats: &[f32], files: usize, ranks: usize, pooled: &mut [f32]) {
    let channels = pooled.len() / 3;
    let chunks = channels / CHUNK;
    assert!(channels.is_multiple_of(CHUNK) && floats.len() >= files * ranks * channels);
    let area = (files * ranks) as f32;
    let stretch = (area.sqrt() - 8.0) * 0.25;
    for chunk in 0..chunks {
        let mut sum = [0.0; CHUNK];
        let mut most = *lanes(floats, chunk * files * CHUNK);
        for rank in 0..ranks {
            let mut row = [0.0; CHUNK];
            for file in 0..files {
                let x = lanes(floats, ((rank * chunks + chunk) * files + file) * CHUNK);
                for lane in 0..CHUNK {
                    row[lane] += x[lane];
                    most[lane] = if x[lane] > most[lane] { x[lane] } else { most[lane] };
                }
            }
            for lane in 0..CHUNK {
                sum[lane] += row[lane];
            }
        }
        for lane in 0..CHUNK {
            let mean = sum[lane] / area;
            pooled[chunk * CHUNK + lane] = mean;
            pooled[channels + chunk * CHUNK + lane] = mean * stretch;
            pooled[2 * channels + chunk * CHUNK + lane] = most[lane];
        }
    }
}

/// Copies chunk `chunk` of `[rank][chunk][file][16]`, of `chunks` chunks, to `[16][stride]` by square.
#[inline(always)]
pub(super) fn transpose(
    floats: &[f32],
    (files, ranks): Sides,
    (chunk, chunks): ChunkOf,
    stride: usize,
    out: &mut [f32],
) {
    assert!(files * ranks <= stride && out.len() == CHUNK * stride);
    for rank in 0..ranks {
        for file in 0..files {
            let x = lanes(floats, ((rank * chunks + chunk) * files + file) * CHUNK);
            let square = rank * files + file;
            for lane in 0..CHUNK {
                out[lane * stride + square] = x[lane];
            }
        }
    }
}

/// Stores input planes `[square][plane]`, values in [0, 1], as activations `[rank][chunk][file][16]`; where the
/// storage is quantised, 1 becomes what `ones` says of its plane.
#[inline(always)]
pub(super) fn encode<const PLANES: usize>(
    storage: Storage,
    planes: &[f32],
    ones: &[f32],
    (files, ranks): Sides,
    out: &mut [u32],
) {
    let per_chunk = storage.words_per_chunk();
    let chunks = PLANES.div_ceil(CHUNK);
    let ones: &[f32; PLANES] = ones.first_chunk().expect("an entry for each plane");
    assert!(planes.len() == files * ranks * PLANES && out.len() >= files * ranks * chunks * per_chunk);
    for (square, values) in planes.as_chunks::<PLANES>().0.iter().enumerate() {
        let (rank, file) = (square / files, square % files);
        let bytes: [f32; PLANES] =
            std::array::from_fn(|i| round_to_byte(values[i] * ones[i], BYTE_LIMIT) as f32);
        let values = if storage.quantised() { &bytes } else { values };
        for (chunk, values) in values.chunks(CHUNK).enumerate() {
            let start = ((rank * chunks + chunk) * files + file) * per_chunk;
            for (word, values) in out[start..].iter_mut().zip(values.chunks(storage.group())) {
                *word = storage.word(values.iter().copied());
            }
        }
    }
}

/// A rank off the board, as long as the longest: of two channels to a word.
static OFF_BOARD: [u32; *SIDES.end() * MOST_CHANNELS / 2] = [0; *SIDES.end() * MOST_CHANNELS / 2];

/// Winograd's transform of activations 0..=127, `ranks` ranks of `length` words: `[pair of ranks][part][length]`, the
/// parts `d0 - d2`, `d1 + d2`, `d2 - d1`, `d1 - d3` of [`super::winograd`], the differences plus [`OFFSET`].
///
/// Numbers stay within their bytes or shorts, so that words are added and subtracted as a whole.
#[inline(always)]
pub(super) fn lift(storage: Storage, input: &[u32], (length, ranks): RanksOf, out: &mut [u32]) {
    let offset = storage.word(std::iter::repeat_n(OFFSET, storage.group()));
    let row = |rank: usize| {
        if rank < ranks { &input[rank * length..][..length] } else { &OFF_BOARD[..length] }
    };
    for (pair, parts) in out.chunks_exact_mut(PARTS * length).take(ranks.div_ceil(2)).enumerate() {
        // The first pair's d0 is off the board too, where the subtraction wraps.
        let [d0, d1, d2, d3] = [0, 1, 2, 3].map(|i| row((2 * pair + i).wrapping_sub(1)));
        for (part, out) in parts.chunks_exact_mut(length).enumerate() {
            let (a, b) = [(d0, d2), (d1, d2), (d2, d1), (d1, d3)][part];
            let pairs = out.iter_mut().zip(a.iter().zip(b));
            if part == 1 {
                pairs.for_each(|(out, (a, b))| *out = a + b);
            } else {
                pairs.for_each(|(out, (a, b))| *out = a + offset - b);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three ranks of a word; the second pair has one of them.
    #[test]
    fn ranks_are_lifted_within_their_bytes_and_shorts() {
        let bytes = [[0, 127, 5, 1], [127, 127, 9, 2], [127, 0, 100, 4_u8]].map(u32::from_le_bytes);
        let mut out = [0; 8];
        lift(Storage::Bytes, &bytes, (1, 3), &mut out);
        assert_eq!(
            out.map(u32::to_le_bytes),
            [
                [1, 1, 119, 126],
                [127, 254, 14, 3],
                [255, 128, 132, 129],
                [1, 255, 33, 125],
                [255, 255, 137, 130],
                [127, 0, 100, 4],
                [1, 128, 28, 124],
                [255, 128, 228, 132],
            ]
        );
        let shorts = [[3, 127], [127, 0], [5, 6]].map(|[low, high]: [u32; 2]| low | high << 16);
        lift(Storage::Shorts, &shorts, (1, 3), &mut out);
        let expected =
            [[1, 128], [130, 127], [252, 1], [126, 249], [255, 128], [5, 6], [123, 122], [133, 134]];
        assert_eq!(out, expected.map(|[low, high]| low | high << 16));
    }
}

//! Puts the weights of a convolution into the order in which the kernel uses them.

use super::conv::Layer;
use super::words::{Storage, Words};

/// Packs `weights`, `[out][in][side][side]` in f32, as
/// `[pair of vectors of outputs][dy][word of inputs][dx][vector][lane]`, an odd last vector alone.
///
/// Where the storage is quantised, each output's weights become integers -127..=127 times a scale of their own;
/// the layer's scale is that times `input_scale`, the value of an activation of 1.
pub(crate) fn pack(
    storage: Storage,
    lanes: usize,
    (weights, side): (&[f32], usize),
    bias: &[f32],
    input_scale: f32,
) -> Layer {
    let outputs = bias.len();
    let taps = side * side;
    let per_output = weights.len() / outputs;
    let inputs = per_output / taps;
    let words = inputs.div_ceil(storage.group());
    let (scale, numbers): (Vec<f32>, Vec<Vec<f32>>) = weights
        .chunks_exact(per_output)
        .map(
            |weights| {
                if storage.quantised() { quantise(weights, input_scale) } else { (1.0, weights.to_vec()) }
            },
        )
        .unzip();
    let mut packed = Vec::with_capacity(outputs * taps * words);
    let vectors: Vec<&[Vec<f32>]> = numbers.chunks_exact(lanes).collect();
    for pair in vectors.chunks(2) {
        for dy in 0..side {
            for word in 0..words {
                for dx in 0..side {
                    for numbers in pair.iter().copied().flatten() {
                        let first = word * storage.group();
                        let channels = first..(first + storage.group()).min(inputs);
                        packed.push(storage.word(channels.map(|c| numbers[(c * side + dy) * side + dx])));
                    }
                }
            }
        }
    }
    Layer { side, words, outputs, weights: Words::from_iter(packed.into_iter()), scale, bias: bias.to_vec() }
}

/// Integers -127..=127 for the weights of one output, and the factor that turns sums of products with
/// activations back into numbers.
fn quantise(weights: &[f32], input_scale: f32) -> (f32, Vec<f32>) {
    let most = weights.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
    // An output without weights has no scale of its own; any does.
    let step = if most > 0.0 { most / 127.0 } else { 1.0 };
    let integers =
        weights.iter().map(|weight| (weight / step).round_ties_even().clamp(-127.0, 127.0)).collect();
    (step * input_scale, integers)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_in_the_order_of_use() {
        // Output o has weight 100 * o + its own index; 48 outputs of 16 lanes are a pair and a single.
        let weights: Vec<f32> = (0..48 * 3 * 9).map(|i| (i / 27 * 100 + i % 27) as f32).collect();
        let layer = pack(Storage::F32, 16, (&weights, 3), &[0.0; 48], 1.0);
        assert_eq!((layer.words, layer.outputs), (3, 48));
        let at = |index: usize| f32::from_bits(layer.weights[index]) as i32;
        let in_pair =
            |dy: usize, word, dx, vector, lane: usize| (((dy * 3 + word) * 3 + dx) * 2 + vector) * 16 + lane;
        assert_eq!(at(in_pair(2, 1, 0, 1, 3)), 1900 + 15);
        assert_eq!(at(2 * 27 * 16 + ((2 * 3 + 1) * 3 + 2) * 16 + 5), 3700 + 17);
    }

    #[test]
    fn quantised_outputs_use_the_whole_range() {
        let (scale, integers) = quantise(&[0.5, -1.0, 0.0], 2.0);
        assert_eq!(integers, [64.0, -127.0, 0.0]);
        assert!((scale - 2.0 / 127.0).abs() < 1e-9);
        assert_eq!(quantise(&[0.0], 1.0), (1.0, vec![0.0]));
    }
}

//! Puts the weights of a convolution into the order in which the kernel uses them.

use super::layer::{Form, Layer};
use super::winograd::{self, COLUMNS, OFFSET, ORDER, PARTS};
use super::words::{Storage, Words};
use crate::quantisation::Scale;

/// Packs `weights`, `[out][in][side][side]` in f32, as
/// `[pair of vectors of outputs][matrix][word of inputs][dx][vector][lane]`, an odd last vector alone; there is a
/// matrix for each `dy`, or for each of Winograd's parts in their order.
///
/// Where the storage is quantised, each output's weights become integers -127..=127 for inputs of the scale `input`,
/// and the bias takes back what rounding them shifts on average. `output` is the scale of the activations made.
pub(crate) fn pack(
    (storage, lanes): (Storage, usize),
    form: Form,
    weights: &[f32],
    bias: &[f32],
    (input, output): (&Scale, &Scale),
) -> Layer {
    // Larger integers would carry into their neighbours' bytes.
    assert!(form != Form::Winograd || storage.quantised() && input.limit <= winograd::LIMIT);
    let outputs = bias.len();
    let (side, matrices) = (form.side(), form.taps() / form.side());
    let per_output = weights.len() / outputs;
    let inputs = per_output / (side * side);
    let words = inputs.div_ceil(storage.group());
    let rounded = |row: &[f32]| {
        let row = if form == Form::Winograd { transformed(row) } else { row.to_vec() };
        if storage.quantised() {
            quantise(&row, form, input)
        } else {
            Row { scale: 1.0, numbers: row, shift: 0.0 }
        }
    };
    let rows: Vec<Row> = weights.chunks_exact(per_output).map(rounded).collect();
    let mut packed = Vec::with_capacity(outputs * form.taps() * words);
    let vectors: Vec<&[Row]> = rows.chunks_exact(lanes).collect();
    for pair in vectors.chunks(2) {
        for matrix in 0..matrices {
            for word in 0..words {
                for dx in 0..side {
                    for Row { numbers, .. } in pair.iter().copied().flatten() {
                        let first = word * storage.group();
                        let channels = first..(first + storage.group()).min(inputs);
                        packed.push(
                            storage.word(channels.map(|c| numbers[(c * matrices + matrix) * side + dx])),
                        );
                    }
                }
            }
        }
    }
    Layer {
        form,
        words,
        outputs,
        weights: Words::from_iter(packed.into_iter()),
        offsets: if form == Form::Winograd { offsets(&rows) } else { Vec::new() },
        scale: rows.iter().map(|row| row.scale).collect(),
        bias: rows.iter().zip(bias).map(|(row, bias)| bias - row.shift).collect(),
        inverse_scale: output.inverse.clone(),
        limit: output.limit,
    }
}

/// The weights of one output.
#[derive(Debug)]
struct Row {
    /// Turns sums of products with activations back into numbers.
    scale: f32,
    /// `[in][matrix][dx]`, integers if quantised.
    numbers: Vec<f32>,
    /// By how much rounding the weights raises the output where each input is its mean.
    shift: f32,
}

/// Integers -127..=127 for the weights of one output, `[in][matrix][dx]`.
fn quantise(row: &[f32], form: Form, input: &Scale) -> Row {
    let (side, taps) = (form.side(), form.taps());
    let scaled: Vec<f32> =
        row.iter().enumerate().map(|(i, weight)| weight * input.relative[i / taps]).collect();
    let most = scaled.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
    // An output without weights has no scale of its own; any does.
    let step = if most > 0.0 { most / 127.0 } else { 1.0 };
    let numbers: Vec<f32> =
        scaled.iter().map(|weight| (weight / step).round_ties_even().clamp(-127.0, 127.0)).collect();
    let raised = |i: usize| {
        // Where all inputs are the same, differences of theirs are 0.
        let times = match form {
            Form::Winograd if ORDER[i % taps / side] == 1 => 2.0,
            Form::Winograd => 0.0,
            Form::Pointwise | Form::Direct => 1.0,
        };
        let of_scaled = f64::from(numbers[i]) * f64::from(step) - f64::from(scaled[i]);
        times * of_scaled / f64::from(input.relative[i / taps]) * f64::from(input.means[i / taps])
    };
    let shift = (0..row.len()).map(raised).sum::<f64>() as f32;
    Row { scale: step * input.step, numbers, shift }
}

/// Winograd's form of `[in][3][3]`: `[in][place in ORDER][3]`.
fn transformed(row: &[f32]) -> Vec<f32> {
    let of_input = |weights: &[f32; 9]| -> [f32; 3 * PARTS] {
        std::array::from_fn(|i| {
            let [g0, g1, g2] = [0, 1, 2].map(|dy| weights[3 * dy + i % 3]);
            [g0, (g0 + g1 + g2) * 0.5, (g0 - g1 + g2) * 0.5, -g2][ORDER[i / 3]]
        })
    };
    row.as_chunks::<9>().0.iter().flat_map(of_input).collect()
}

/// See [`Layer::offsets`]: what [`OFFSET`] has added to the sums, taken back.
fn offsets(rows: &[Row]) -> Vec<i32> {
    let mut offsets = Vec::with_capacity(2 * COLUMNS * rows.len());
    // How often each part, the sum of two ranks apart, counts for the even and for the odd rank.
    for counts in [[1.0, 0.0, 1.0, 0.0], [0.0, 0.0, -1.0, 1.0]] {
        for column in 0..COLUMNS {
            let seen = |dx: usize| (column, dx) != (0, 0) && (column, dx) != (2, 2);
            let of_row = |Row { numbers, .. }: &Row| {
                let counted = |(i, number): (usize, &f32)| {
                    if seen(i % 3) { counts[ORDER[i / 3 % PARTS]] * f64::from(*number) } else { 0.0 }
                };
                -(f64::from(OFFSET) * numbers.iter().enumerate().map(counted).sum::<f64>()) as i32
            };
            offsets.extend(rows.iter().map(of_row));
        }
    }
    offsets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_come_in_the_order_of_use() {
        // Output o has weight 100 * o + its own index; 48 outputs of 16 lanes are a pair and a single.
        let weights: Vec<f32> = (0..48 * 3 * 9).map(|i| (i / 27 * 100 + i % 27) as f32).collect();
        let layer =
            pack((Storage::F32, 16), Form::Direct, &weights, &[0.0; 48], (&Scale::none(3), &Scale::none(48)));
        assert_eq!((layer.words, layer.outputs), (3, 48));
        let at = |index: usize| f32::from_bits(layer.weights[index]) as i32;
        let in_pair =
            |dy: usize, word, dx, vector, lane: usize| (((dy * 3 + word) * 3 + dx) * 2 + vector) * 16 + lane;
        assert_eq!(at(in_pair(2, 1, 0, 1, 3)), 1900 + 15);
        assert_eq!(at(2 * 27 * 16 + ((2 * 3 + 1) * 3 + 2) * 16 + 5), 3700 + 17);
    }

    /// A kernel whose columns are 1 2 3, 4 5 6 and 7 8 9 from file to file, over steps of 1.
    #[test]
    fn winograds_form_rounds_sums_of_weights() {
        let kernel = [1.0, 4.0, 7.0, 2.0, 5.0, 8.0, 3.0, 6.0, 9.0];
        assert_eq!(
            transformed(&kernel),
            [3.0, 7.5, 12.0, 1.0, 2.5, 4.0, 1.0, 4.0, 7.0, -3.0, -6.0, -9.0],
            "parts 1, 2, 0, 3"
        );
        let row = quantise(&transformed(&kernel), Form::Winograd, &Scale { limit: 127.0, ..Scale::none(1) });
        assert_eq!(row.numbers[..6], [32.0, 79.0, 127.0, 11.0, 26.0, 42.0]);
        assert_eq!(row.numbers[6..], [11.0, 42.0, 74.0, -32.0, -64.0, -95.0]);
        // Parts 2 and 0 for the even rank, 3 less 2 for the odd one; the first file lacks column 0, the last 2.
        let even = [26 + 42 + 42 + 74, 11 + 26 + 42 + 11 + 42 + 74, 11 + 26 + 11 + 42];
        let odd = [-64 - 95 - 26 - 42, -32 - 64 - 95 - 11 - 26 - 42, -32 - 64 - 11 - 26];
        let expected: Vec<i32> = even.into_iter().chain(odd).map(|sum| -128 * sum).collect();
        assert_eq!(offsets(&[row]), expected);
    }

    #[test]
    fn quantised_outputs_use_the_whole_range() {
        let row = quantise(&[0.5, -1.0, 0.0], Form::Pointwise, &Scale { step: 2.0, ..Scale::none(3) });
        assert_eq!(row.numbers, [64.0, -127.0, 0.0]);
        assert!((row.scale - 2.0 / 127.0).abs() < 1e-9);
        let row = quantise(&[0.0], Form::Pointwise, &Scale::none(1));
        assert_eq!((row.scale, row.numbers), (1.0, vec![0.0]));
    }

    #[test]
    fn the_bias_takes_back_the_mean_of_what_rounding_shifts() {
        // The second channel's steps are half as large, so its weight counts half: 0.2 of 0.5 is 50.8 of 127.
        let input = Scale {
            step: 1.0,
            relative: vec![1.0, 0.5],
            inverse: vec![1.0, 2.0],
            means: vec![3.0, 8.0],
            limit: 255.0,
        };
        let layer =
            pack((Storage::Bytes, 1), Form::Pointwise, &[0.5, 0.4], &[7.0], (&input, &Scale::none(1)));
        assert_eq!(layer.weights[0], 0x33_7f);
        let rounded = 51.0 / 127.0 * 0.5 / 0.5;
        assert!((layer.bias[0] - (7.0 - 8.0 * (rounded - 0.4))).abs() < 1e-6, "{}", layer.bias[0]);
    }
}

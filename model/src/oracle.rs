//! The network as slow, obvious loops over `[channel][square]`: what the kernels are held against.
//!
//! Int8 is computed with the same rounding as the kernels promise, from scales of its own ([`Scale`]), so that it must
//! agree bit for bit; f32 sums run in f64, and the kernels have to come close.

use hippolyta_search::math::tanh;

use crate::heads::{Head, HeadInput, HeadOutput};
use crate::spec::PLANES;
use crate::{Calibration, TrunkBits, Weights};

pub(crate) struct Oracle<'a> {
    pub(crate) weights: &'a Weights,
    /// With it the network runs as int8.
    pub(crate) calibration: Option<&'a Calibration>,
    pub(crate) files: usize,
    pub(crate) ranks: usize,
}

#[derive(Debug)]
pub(crate) struct Answer {
    /// Of every shipped head but the policy, as in [`crate::Output::head`].
    pub(crate) heads: Vec<Vec<f32>>,
    /// The three products, `[query][key]`.
    pub(crate) products: [Vec<Vec<f32>>; 3],
}

type Maps = Vec<Vec<f32>>;

impl Oracle<'_> {
    fn area(&self) -> usize {
        self.files * self.ranks
    }

    /// How the activations with this index in the calibration become integers, in int8.
    fn scale(&self, index: usize) -> Option<Scale> {
        let spec = self.weights.spec();
        self.calibration.map(|known| {
            // The policy alone sees the last ones.
            let coarse = known.trunk_bits == TrunkBits::Seven && index < 2 * spec.blocks;
            Scale::of_trunk(known, index, spec.channels, if coarse { 127.0 } else { 255.0 })
        })
    }

    /// A convolution without bias; `scale` is the input's, in int8.
    fn conv(
        &self,
        input: &Maps,
        weights: &[f32],
        side: usize,
        outputs: usize,
        scale: Option<&Scale>,
    ) -> Maps {
        let rows = weights.chunks_exact(weights.len() / outputs);
        let Some(scale) = scale else {
            let exact = |row: &[f32]| self.sums(input, row, side).into_iter().map(|sum| sum as f32).collect();
            return rows.map(exact).collect();
        };
        // Integers below 2^53 are exact in the f64 sums too.
        let bytes = |(map, one): (&Vec<f32>, &f32)| {
            map.iter().map(|x| (x * one).min(scale.limit).round_ties_even()).collect()
        };
        let input: Maps = input.iter().zip(&scale.ones).map(bytes).collect();
        let one = |row: &[f32]| {
            let Rounded { integers, step, .. } = round(row, scale);
            // Even and odd ranks may have kernels of their own.
            let sums = integers.map(|kernel| self.sums(&input, &kernel, side));
            let of_rank = |square: usize| sums[square / self.files % 2][square];
            (0..self.area()).map(|square| of_rank(square) as i32 as f32 * (step * scale.step)).collect()
        };
        rows.map(one).collect()
    }

    /// The bias of a convolution, less what rounding its weights adds on average in int8.
    fn bias(weights: &[f32], bias: &[f32], scale: Option<&Scale>) -> Vec<f32> {
        let Some(scale) = scale else { return bias.to_vec() };
        let rows = weights.chunks_exact(weights.len() / bias.len());
        rows.zip(bias).map(|(row, bias)| bias - round(row, scale).shift).collect()
    }

    /// The sums of one output, square by square.
    fn sums(&self, input: &Maps, weights: &[f32], side: usize) -> Vec<f64> {
        let reach = side / 2;
        let mut sums = vec![0.0; self.area()];
        for (square, sum) in sums.iter_mut().enumerate() {
            let (rank, file) = (square / self.files, square % self.files);
            for dy in 0..side {
                for dx in 0..side {
                    let (y, x) = ((rank + dy).wrapping_sub(reach), (file + dx).wrapping_sub(reach));
                    if y >= self.ranks || x >= self.files {
                        continue;
                    }
                    for (channel, map) in input.iter().enumerate() {
                        let weight = weights[(channel * side + dy) * side + dx];
                        *sum += f64::from(weight) * f64::from(map[y * self.files + x]);
                    }
                }
            }
        }
        sums
    }

    fn pool(&self, maps: &Maps) -> Vec<f32> {
        let area = self.area() as f32;
        let sum = |row: &[f32]| row.iter().fold(0.0, |sum, x| sum + x);
        let mean = |map: &Vec<f32>| {
            let ranks: Vec<f32> = map.chunks(self.files).map(sum).collect();
            sum(&ranks) / area
        };
        let stretch = (area.sqrt() - 8.0) / 4.0;
        let means: Vec<f32> = maps.iter().map(mean).collect();
        let most = maps.iter().map(|map| map.iter().copied().fold(0.0, f32::max));
        means.iter().copied().chain(means.iter().map(|mean| mean * stretch)).chain(most).collect()
    }

    /// `bias + weights · input`, one product after the other.
    fn dense(weights: &[f32], input: &[f32], bias: &[f32]) -> Vec<f32> {
        let rows = weights.chunks_exact(input.len()).zip(bias);
        rows.map(|(row, &bias)| row.iter().zip(input).fold(bias, |sum, (weight, x)| sum + weight * x))
            .collect()
    }

    /// Adds each channel's bias, then `residual`, then cuts at 0.
    fn finish(maps: Maps, bias: &[f32], residual: Option<&Maps>) -> Maps {
        let one = |channel: usize, square: usize, x: f32| {
            let x = x + bias[channel];
            residual.map_or(x, |maps| x + maps[channel][square]).max(0.0)
        };
        let channel =
            |(c, map): (usize, Vec<f32>)| map.into_iter().enumerate().map(|(s, x)| one(c, s, x)).collect();
        maps.into_iter().enumerate().map(channel).collect()
    }

    pub(crate) fn forward(&self, planes: &[f32]) -> Answer {
        let spec = self.weights.spec();
        let (c, area) = (spec.channels, self.area());
        let tensor = |name: &str| self.weights.tensor(name);
        let input =
            (0..PLANES).map(|plane| (0..area).map(|s| planes[s * PLANES + plane]).collect()).collect();
        let scale = self.calibration.map(|known| Scale::of_planes(known, tensor("stem.weight")));
        let (weights, bias) = (tensor("stem.weight"), tensor("stem.bias"));
        let mut x = Self::finish(
            self.conv(&input, weights, 3, c, scale.as_ref()),
            &Self::bias(weights, bias, scale.as_ref()),
            None,
        );
        for i in 0..spec.blocks {
            let name = |part: &str| format!("blocks.{i}.{part}");
            let (scale, weights) = (self.scale(2 * i), tensor(&name("conv1.weight")));
            let mut bias = Self::bias(weights, tensor(&name("conv1.bias")), scale.as_ref());
            if spec.pooled.contains(&i) {
                bias = Self::dense(tensor(&name("pool.weight")), &self.pool(&x), &bias);
            }
            let h = Self::finish(self.conv(&x, weights, 3, c, scale.as_ref()), &bias, None);
            let (scale, weights) = (self.scale(2 * i + 1), tensor(&name("conv2.weight")));
            let bias = Self::bias(weights, tensor(&name("conv2.bias")), scale.as_ref());
            x = Self::finish(self.conv(&h, weights, 3, c, scale.as_ref()), &bias, Some(&x));
        }
        let mut hidden =
            Self::dense(tensor("value.hidden.weight"), &self.pool(&x), tensor("value.hidden.bias"));
        for x in &mut hidden {
            *x = x.max(0.0);
        }
        let column = |square: usize| -> Vec<f32> { x.iter().map(|map| map[square]).collect() };
        let others = Head::shipped().filter(|head| head.spec().output != HeadOutput::Moves);
        let answer = |head: Head| -> Vec<f32> {
            let spec = head.spec();
            let part = |part: &str| tensor(&format!("{}.{part}", spec.tensors));
            let apply = |input: &[f32]| Self::dense(part("weight"), input, part("bias"));
            let numbers = match spec.input {
                HeadInput::Board => apply(&hidden),
                HeadInput::Squares => (0..area).flat_map(|square| apply(&column(square))).collect(),
            };
            let is_chance = matches!(spec.output, HeadOutput::Chances(_));
            numbers.into_iter().map(|x| if is_chance { tanh(x) } else { x }).collect()
        };
        Answer { heads: others.map(answer).collect(), products: self.products(&x) }
    }

    fn products(&self, x: &Maps) -> [Vec<Vec<f32>>; 3] {
        let (d, area) = (self.weights.spec().policy_dim, self.area());
        // Scaled before they are quantised and rounded, as in the kernels; 1/4 for 16 channels is exact.
        let factor = 1.0 / (d as f32).sqrt();
        let scale = |output: usize| if (output / d).is_multiple_of(2) { factor } else { 1.0 };
        let weights: Vec<f32> = (self.weights.tensor("policy.weight").iter().enumerate())
            .map(|(i, w)| w * scale(i / x.len()))
            .collect();
        let bias: Vec<f32> = (self.weights.tensor("policy.bias").iter().enumerate())
            .map(|(output, bias)| bias * scale(output))
            .collect();
        let of_input = self.scale(2 * self.weights.spec().blocks);
        let bias = Self::bias(&weights, &bias, of_input.as_ref());
        let mut maps = self.conv(x, &weights, 1, 6 * d, of_input.as_ref());
        for (map, bias) in maps.iter_mut().zip(bias) {
            for x in map {
                *x += bias;
            }
        }
        [0, 1, 2].map(|product| {
            let (q, k) = (2 * product * d, (2 * product + 1) * d);
            let one = |query: usize, key: usize| {
                (0..d).fold(0.0, |sum, channel| sum + maps[k + channel][key] * maps[q + channel][query])
            };
            (0..area).map(|query| (0..area).map(|key| one(query, key)).collect()).collect()
        })
    }
}

/// How activations become integers from 0 to `limit`, by definition.
struct Scale {
    /// What an integer of 1 stands for where `relative` is 1.
    step: f32,
    /// What an integer of 1 stands for in each channel, in `step`s.
    relative: Vec<f32>,
    /// What an activation of 1 becomes in each channel, before it is rounded.
    ones: Vec<f32>,
    /// The mean of each channel's activations, or 0.
    means: Vec<f32>,
    /// The largest integer.
    limit: f32,
}

impl Scale {
    /// The tensor's maximum, `M`, is `limit` steps. A channel with the maximum `m` has steps finer by `sqrt(m / M)`,
    /// which is held between 1/16 and 1.
    fn of_trunk(calibration: &Calibration, index: usize, channels: usize, limit: f32) -> Scale {
        let most = calibration.maxima[index].max(1e-20);
        let step = most / limit;
        let mut scale =
            Scale { step, relative: vec![1.0; channels], ones: vec![], means: vec![0.0; channels], limit };
        if let Some(known) = &calibration.channels {
            for (channel, own) in known.maxima[index].iter().enumerate() {
                scale.relative[channel] = (own / most).clamp(1.0 / 256.0, 1.0).sqrt();
                scale.means[channel] = known.means[index][channel];
            }
        }
        scale.ones = scale.relative.iter().map(|relative| 1.0 / (step * relative)).collect();
        scale
    }

    /// 1 is the whole number nearest to `255 * sqrt(w / W)`, at least 1, in a plane whose largest weight is `w`, `W`
    /// being the largest of all; 255 in each plane where no channels are known. `stem` is `[out][plane][3][3]`.
    fn of_planes(calibration: &Calibration, stem: &[f32]) -> Scale {
        let mut scale = Scale {
            step: 1.0 / 255.0,
            relative: vec![1.0; PLANES],
            ones: vec![255.0; PLANES],
            means: vec![0.0; PLANES],
            limit: 255.0,
        };
        if let Some(known) = &calibration.channels {
            let largest =
                |weights: &[f32]| weights.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
            let most = largest(stem).max(1e-20);
            for plane in 0..PLANES {
                let of_plane: Vec<f32> =
                    stem.chunks(9).skip(plane).step_by(PLANES).flatten().copied().collect();
                let one = (255.0 * (largest(&of_plane) / most).sqrt()).round().max(1.0);
                scale.ones[plane] = one;
                scale.relative[plane] = 255.0 / one;
                scale.means[plane] = known.planes[plane];
            }
        }
        scale
    }
}

/// The weights of one output as integers times a step: of the even ranks and of the odd ones.
struct Rounded {
    integers: [Vec<f32>; 2],
    step: f32,
    /// By how much the output is too large where every input is its mean.
    shift: f32,
}

/// Rounds the weights of an output to -127..=127, `[in][side][side]`. Where 3x3 weights meet activations up to 127, it
/// is Winograd's four sums of the three of a column that are rounded.
fn round(row: &[f32], scale: &Scale) -> Rounded {
    if scale.limit < 128.0 { round_sums(row, scale) } else { round_weights(row, scale) }
}

fn round_weights(row: &[f32], scale: &Scale) -> Rounded {
    let taps = row.len() / scale.relative.len();
    let scaled: Vec<f32> = (0..row.len()).map(|i| row[i] * scale.relative[i / taps]).collect();
    let step = step(&scaled);
    let integers: Vec<f32> = scaled.iter().map(|weight| (weight / step).round_ties_even()).collect();
    let mut shift = 0.0;
    for (i, (integer, scaled)) in integers.iter().zip(&scaled).enumerate() {
        let error = f64::from(*integer) * f64::from(step) - f64::from(*scaled);
        shift += error / f64::from(scale.relative[i / taps]) * f64::from(scale.means[i / taps]);
    }
    Rounded { integers: [integers.clone(), integers], step, shift: shift as f32 }
}

fn round_sums(row: &[f32], scale: &Scale) -> Rounded {
    let mut sums = Vec::new();
    for (input, kernel) in row.chunks(9).enumerate() {
        for dx in 0..3 {
            let (a, b, c) = (kernel[dx], kernel[3 + dx], kernel[6 + dx]);
            sums.push([a, 0.5 * (a + b + c), 0.5 * (a - b + c), c].map(|x| x * scale.relative[input]));
        }
    }
    let step = step(sums.as_flattened());
    let mut integers = [vec![0.0; row.len()], vec![0.0; row.len()]];
    let mut shift = 0.0;
    for (column, sums) in sums.iter().enumerate() {
        let (input, dx) = (column / 3, column % 3);
        let [a, plus, minus, c] = sums.map(|x| (x / step).round_ties_even());
        // What the sums say of the kernel, which rounding has made two.
        let kernels = [[a, plus - minus, plus + minus - a], [plus + minus - c, plus - minus, c]];
        for (integers, kernel) in integers.iter_mut().zip(kernels) {
            for (dy, weight) in kernel.into_iter().enumerate() {
                integers[9 * input + 3 * dy + dx] = weight;
            }
        }
        let error = 2.0 * (f64::from(plus) * f64::from(step) - f64::from(sums[1]));
        shift += error / f64::from(scale.relative[input]) * f64::from(scale.means[input]);
    }
    Rounded { integers, step, shift: shift as f32 }
}

/// What an integer of 1 stands for, the largest being 127.
fn step(numbers: &[f32]) -> f32 {
    let most = numbers.iter().fold(0.0_f32, |most, number| most.max(number.abs()));
    if most > 0.0 { most / 127.0 } else { 1.0 }
}

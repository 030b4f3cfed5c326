//! Muon (Jordan et al. 2024): steps whose directions are orthogonal matrices.

use hippolyta_torch::{Slot, TorchNet};
use tch::{Kind, Tensor};

/// The kernels of the trunk's blocks, each a matrix `[outputs, inputs * 9]`. They all have one shape.
#[derive(Debug)]
pub(crate) struct Kernels {
    /// Where each begins in the flat vector of parameters.
    offsets: Vec<i64>,
    rows: i64,
    columns: i64,
}

/// Coefficients of the quintic whose iteration drives singular values towards 1 (Jordan et al. 2024).
const QUINTIC: [f64; 3] = [3.4445, -4.7750, 2.0315];
/// After so many rounds they lie between about 0.7 and 1.2.
const ROUNDS: usize = 5;

impl Kernels {
    /// The kernels of a network; `None` when it has no block.
    pub(crate) fn of(net: &TorchNet) -> Option<Kernels> {
        let mut kernels: Option<Kernels> = None;
        let mut offset = 0;
        for slot in net.parameter_slots() {
            if is_kernel(slot) {
                let rows = slot.shape[0];
                let columns = slot.elements() as i64 / rows;
                let known = kernels.get_or_insert(Kernels { offsets: Vec::new(), rows, columns });
                debug_assert_eq!((known.rows, known.columns), (rows, columns), "blocks are alike");
                known.offsets.push(offset);
            }
            offset += slot.elements() as i64;
        }
        kernels
    }

    fn length(&self) -> i64 {
        self.rows * self.columns
    }

    /// The kernels' parts of a flat vector, `[kernels, rows, columns]`: a copy.
    fn gather(&self, flat: &Tensor) -> Tensor {
        let parts: Vec<Tensor> = self.offsets.iter().map(|&at| flat.narrow(0, at, self.length())).collect();
        Tensor::stack(&parts, 0).view([-1, self.rows, self.columns])
    }

    /// Overwrites the kernels' parts of a flat vector.
    fn scatter(&self, matrices: &Tensor, flat: &Tensor) {
        for (index, &at) in self.offsets.iter().enumerate() {
            flat.narrow(0, at, self.length()).copy_(&matrices.get(index as i64).flatten(0, -1));
        }
    }

    /// Replaces the kernels' parts of the flat vectors `mean` and `toward`: of the first by the mean gradient `before`
    /// moved towards `gradient`, of the second by the direction of a step. That is the mean as Nesterov looks ahead,
    /// made orthogonal, with a root mean square of 0.2, which is about that of `AdamW`.
    pub(crate) fn direct(
        &self,
        before: &Tensor,
        gradient: &Tensor,
        beta: f64,
        mean: &Tensor,
        toward: &Tensor,
    ) {
        let gradient = self.gather(gradient);
        let moved = self.gather(before).lerp(&gradient, 1.0 - beta);
        let ahead = gradient.lerp(&moved, beta);
        self.scatter(&moved, mean);
        let length = 0.2 * (self.rows.max(self.columns) as f64).sqrt();
        self.scatter(&(orthogonal(&ahead) * length), toward);
    }
}

fn is_kernel(slot: &Slot) -> bool {
    slot.name.starts_with("blocks.") && slot.shape.len() == 4
}

/// Matrices `[N, rows, columns]` with the same singular vectors, and singular values near 1, by Newton-Schulz rounds.
fn orthogonal(matrices: &Tensor) -> Tensor {
    let is_tall = matrices.size()[1] > matrices.size()[2];
    let turned = |x: &Tensor| if is_tall { x.transpose(1, 2) } else { x.shallow_clone() };
    let norms = matrices.square().sum_dim_intlist([1, 2].as_slice(), true, Kind::Float).sqrt() + 1e-12;
    let mut x = turned(&(matrices / norms));
    let [a, b, c] = QUINTIC;
    for _ in 0..ROUNDS {
        let square = x.bmm(&x.transpose(1, 2));
        let polynomial = &square * b + square.bmm(&square) * c;
        x = &x * a + polynomial.bmm(&x);
    }
    turned(&x)
}

#[cfg(test)]
mod tests {
    use hippolyta_model::{NetSpec, Weights};
    use hippolyta_search::seed::derive;
    use tch::Device;

    use super::*;

    fn random(shape: &[i64], seed: u64) -> Tensor {
        let count = shape.iter().product::<i64>() as u64;
        let number = |i| (derive(seed, &[i]) >> 40) as f32 / (1 << 23) as f32 - 1.0;
        Tensor::from_slice(&(0..count).map(number).collect::<Vec<f32>>()).view(shape)
    }

    #[test]
    fn singular_values_come_near_to_one_and_vectors_stay() {
        for shape in [[2, 6, 40], [2, 40, 6]] {
            let given = random(&shape, 3);
            let found = orthogonal(&given);
            assert_eq!(found.size(), shape);
            for index in 0..2 {
                let (left, _, right) = given.get(index).svd(true, true);
                let values = left.transpose(0, 1).matmul(&found.get(index)).matmul(&right);
                let off = &values - values.diagonal(0, 0, 1).diag(0);
                assert!(off.abs().max().double_value(&[]) < 1e-3, "vectors have turned: {values:?}");
                let diagonal = values.diagonal(0, 0, 1);
                let (least, most) = (diagonal.min().double_value(&[]), diagonal.max().double_value(&[]));
                assert!(least > 0.6 && most < 1.3, "{least} to {most}");
            }
        }
    }

    #[test]
    fn a_step_moves_the_kernels_of_the_blocks_alone() {
        let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 16, &[1]) };
        let net = TorchNet::new(&Weights::untrained(spec, 1).unwrap(), Device::Cpu);
        let kernels = Kernels::of(&net).unwrap();
        assert_eq!((kernels.offsets.len(), kernels.rows, kernels.columns), (4, 16, 144));
        let count = net.parameters().size()[0];
        let (gradient, before) = (random(&[count], 4), random(&[count], 5));
        let toward = Tensor::zeros([count], (Kind::Float, Device::Cpu));
        let mean = before.copy();
        kernels.direct(&before, &gradient, 0.9, &mean, &toward);
        let mut at = 0;
        for slot in net.parameter_slots() {
            let length = slot.elements() as i64;
            let part = |flat: &Tensor| flat.narrow(0, at, length);
            let size = part(&toward).square().mean(Kind::Float).sqrt().double_value(&[]);
            let moved = (part(&mean) - part(&before)).abs().max().double_value(&[]);
            if is_kernel(slot) {
                assert!((0.12..0.28).contains(&size), "{}: {size}", slot.name);
                let expected = part(&before) * 0.9 + part(&gradient) * 0.1;
                let off = (part(&mean) - expected).abs().max().double_value(&[]);
                assert!(off < 1e-6 && moved > 0.0, "{}: {off}", slot.name);
            } else {
                assert!(size.abs() < 1e-12 && moved.abs() < 1e-12, "{}: {size} {moved}", slot.name);
            }
            at += length;
        }
    }
}

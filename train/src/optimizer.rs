//! The optimiser over one flat vector, with its state in the open: `AdamW`, and Muon for the trunk if wanted.

use tch::{Kind, Tensor, no_grad};

use crate::config::{OptimizerConfig, TrunkOptimizer};
use crate::muon::Kernels;

/// `AdamW` (Loshchilov and Hutter 2019): bias-corrected moments, weight decay apart from the gradient. Where Muon moves
/// the trunk's kernels, their decay is the same, and their mean square is not used.
#[derive(Debug)]
pub(crate) struct Optimizer {
    /// Running mean of the gradients, `[P]`.
    pub(crate) mean: Tensor,
    /// Running mean of their squares, `[P]`.
    pub(crate) square: Tensor,
    /// 1 where a parameter decays, else 0, `[P]`.
    decays: Tensor,
    /// What Muon moves.
    kernels: Option<Kernels>,
}

impl Optimizer {
    /// An optimiser for a network that has seen nothing.
    pub(crate) fn new(config: &OptimizerConfig, net: &hippolyta_torch::TorchNet) -> Optimizer {
        let kernels = if config.trunk == TrunkOptimizer::Muon { Kernels::of(net) } else { None };
        Optimizer::with(decay_mask(net), kernels)
    }

    /// `decays` is `[P]`.
    fn with(decays: Tensor, kernels: Option<Kernels>) -> Optimizer {
        Optimizer { mean: decays.zeros_like(), square: decays.zeros_like(), decays, kernels }
    }

    /// Moves `parameters` along `gradient` at `rate` and gives the gradient's norm before clipping. `step` counts
    /// from 0. When the norm is not finite, nothing moves.
    pub(crate) fn step(
        &mut self,
        config: &OptimizerConfig,
        parameters: &Tensor,
        gradient: &Tensor,
        step: u64,
        rate: f64,
    ) -> f64 {
        no_grad(|| {
            let norm = gradient.norm().double_value(&[]);
            if !norm.is_finite() {
                return norm;
            }
            let gradient = gradient * (config.clip / norm.max(config.clip));
            let mean = self.mean.lerp(&gradient, 1.0 - config.beta1);
            let _ = self.square.lerp_(&gradient.square(), 1.0 - config.beta2);
            let correction = |beta: f64| 1.0 - beta.powf((step + 1) as f64);
            let root = (&self.square / correction(config.beta2)).sqrt() + config.epsilon;
            let mut toward = (&mean / correction(config.beta1)) / root;
            if let Some(kernels) = &self.kernels {
                kernels.direct(&self.mean, &gradient, config.muon_beta, &mean, &toward);
            }
            self.mean = mean;
            toward += &self.decays * parameters * config.weight_decay;
            let mut parameters = parameters.detach();
            parameters -= toward * rate;
            norm
        })
    }
}

/// Which parameters decay: matrices and kernels, not biases and norms. `[P]`, 1 or 0.
pub(crate) fn decay_mask(net: &hippolyta_torch::TorchNet) -> Tensor {
    let flags = net.parameter_slots().iter().flat_map(|slot| {
        let flag = f32::from(u8::from(slot.is_weight()));
        std::iter::repeat_n(flag, slot.elements())
    });
    Tensor::from_slice(&flags.collect::<Vec<f32>>()).to_device(net.device()).to_kind(Kind::Float)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::config;

    /// The published algorithm, number by number.
    #[test]
    fn moves_as_the_paper_says() {
        let config = OptimizerConfig { weight_decay: 0.1, clip: 2.0, ..config().optimizer };
        let gradients = [[0.5_f32, -1.0, 0.0], [3.0, 4.0, 0.0], [0.1, 0.2, -0.3]];
        let mask = [1.0_f32, 0.0, 1.0];
        let mut expected = [1.0_f64, -2.0, 3.0];
        let (mut m, mut v) = ([0.0_f64; 3], [0.0_f64; 3]);
        let parameters = Tensor::from_slice(&[1.0_f32, -2.0, 3.0]);
        let mut optimizer = Optimizer::with(Tensor::from_slice(&mask), None);
        for (step, gradient) in gradients.iter().enumerate() {
            let norm = gradient.iter().map(|g| f64::from(*g).powi(2)).sum::<f64>().sqrt();
            let found =
                optimizer.step(&config, &parameters, &Tensor::from_slice(gradient), step as u64, 0.01);
            assert!((found - norm).abs() < 1e-6);
            for i in 0..3 {
                let g = f64::from(gradient[i]) * (2.0 / norm).min(1.0);
                m[i] = 0.9 * m[i] + 0.1 * g;
                v[i] = 0.99 * v[i] + 0.01 * g * g;
                let t = step as i32 + 1;
                let (m, v) = (m[i] / (1.0 - 0.9_f64.powi(t)), v[i] / (1.0 - 0.99_f64.powi(t)));
                expected[i] -= 0.01 * (m / (v.sqrt() + 1e-8) + 0.1 * f64::from(mask[i]) * expected[i]);
            }
            let found: Vec<f32> = Vec::try_from(&parameters).unwrap();
            for (found, expected) in found.iter().zip(expected) {
                assert!((f64::from(*found) - expected).abs() < 1e-5, "step {step}: {found} {expected}");
            }
        }
    }

    #[test]
    fn a_gradient_that_is_no_number_moves_nothing() {
        let parameters = Tensor::from_slice(&[1.0_f32, 2.0]);
        let mut optimizer = Optimizer::with(Tensor::from_slice(&[1.0_f32, 1.0]), None);
        let gradient = Tensor::from_slice(&[f32::NAN, 1.0]);
        assert!(!optimizer.step(&config().optimizer, &parameters, &gradient, 0, 0.1).is_finite());
        assert_eq!(Vec::<f32>::try_from(&parameters).unwrap(), [1.0, 2.0]);
        assert_eq!(Vec::<f32>::try_from(&optimizer.mean).unwrap(), [0.0, 0.0]);
    }
}

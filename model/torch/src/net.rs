//! The trainable network: all its numbers in two flat vectors.

use std::collections::HashMap;

use hippolyta_game::Board;
use hippolyta_model::{NetSpec, Weights, WeightsError};
use tch::{Device, Kind, Tensor, no_grad};

use crate::layers::{HeadTensors, Layers, NORM_EPSILON, NORM_MOMENTUM, Pass, Precision};

/// A network in training, norms not folded.
///
/// Besides the heads that are shipped it has those for training alone, which [`TorchNet::fold`] leaves out.
///
/// Its parameters are one vector and the running statistics of its norms another, so that an optimiser, an average
/// and a checkpoint deal with two tensors whatever the network. The tensors of the layers are views.
#[derive(Debug)]
pub struct TorchNet {
    spec: NetSpec,
    parameter_slots: Vec<Slot>,
    statistic_slots: Vec<Slot>,
    parameters: Tensor,
    statistics: Tensor,
}

/// One tensor's place in a flat vector: they follow each other in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// Its name: that of [`NetSpec::tensors`], with `.norm.gain`, `.norm.bias`, `.norm.mean` and `.norm.variance`
    /// in place of the bias of a trunk convolution.
    pub name: String,
    /// Its shape.
    pub shape: Vec<i64>,
}

impl Slot {
    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product::<i64>() as usize
    }

    /// Whether this is a matrix or a kernel, as opposed to a bias or a norm's gain.
    pub fn is_weight(&self) -> bool {
        self.shape.len() > 1
    }
}

/// The first weights of the heads for training alone are the same in every network.
const TRAINING_HEADS_SEED: u64 = 0;

/// Whether the tensor is the bias that a norm's folding leaves.
fn norm_of(name: &str) -> Option<&str> {
    let convolution = name.strip_suffix(".bias")?;
    let in_trunk = convolution == "stem" || convolution.ends_with("conv1") || convolution.ends_with("conv2");
    in_trunk.then_some(convolution)
}

impl TorchNet {
    /// A trainable network that answers like `weights`: each norm begins with gain 1, mean 0 and variance 1, and the
    /// heads for training alone are untrained.
    pub fn new(weights: &Weights, device: Device) -> TorchNet {
        let mut parameter_slots = Vec::new();
        let mut statistic_slots = Vec::new();
        let (mut parameters, mut statistics) = (Vec::new(), Vec::new());
        for (tensor, data) in weights.iter() {
            let shape: Vec<i64> = tensor.shape.iter().map(|&extent| extent as i64).collect();
            if let Some(convolution) = norm_of(&tensor.name) {
                let slot =
                    |part: &str| Slot { name: format!("{convolution}.norm.{part}"), shape: shape.clone() };
                parameter_slots.extend([slot("gain"), slot("bias")]);
                parameters.extend(std::iter::repeat_n(1.0, data.len()).chain(data.iter().copied()));
                statistic_slots.extend([slot("mean"), slot("variance")]);
                statistics.extend(std::iter::repeat_n(0.0, data.len()));
                statistics.extend(std::iter::repeat_n((1.0 - NORM_EPSILON) as f32, data.len()));
            } else {
                parameter_slots.push(Slot { name: tensor.name, shape });
                parameters.extend_from_slice(data);
            }
        }
        for (tensor, data) in weights.untrained_training_heads(TRAINING_HEADS_SEED) {
            let shape = tensor.shape.iter().map(|&extent| extent as i64).collect();
            parameter_slots.push(Slot { name: tensor.name, shape });
            parameters.extend(data);
        }
        TorchNet {
            spec: weights.spec().clone(),
            parameter_slots,
            statistic_slots,
            parameters: Tensor::from_slice(&parameters).to_device(device).set_requires_grad(true),
            statistics: Tensor::from_slice(&statistics).to_device(device),
        }
    }

    /// A network with the same numbers, which then goes its own way.
    #[must_use]
    pub fn copy(&self) -> TorchNet {
        TorchNet {
            spec: self.spec.clone(),
            parameter_slots: self.parameter_slots.clone(),
            statistic_slots: self.statistic_slots.clone(),
            parameters: self.parameters.detach().copy().set_requires_grad(true),
            statistics: self.statistics.copy(),
        }
    }

    /// The network's shape.
    pub fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// Where the network is computed.
    pub fn device(&self) -> Device {
        self.parameters.device()
    }

    /// What lies where in [`TorchNet::parameters`].
    pub fn parameter_slots(&self) -> &[Slot] {
        &self.parameter_slots
    }

    /// All parameters, a flat leaf that gathers gradients.
    pub fn parameters(&self) -> &Tensor {
        &self.parameters
    }

    /// The running mean and variance of every norm, flat.
    pub fn statistics(&self) -> &Tensor {
        &self.statistics
    }

    /// Overwrites all parameters and statistics by vectors of the same lengths.
    ///
    /// # Panics
    /// When a length differs.
    pub fn load(&mut self, parameters: &Tensor, statistics: &Tensor) {
        assert_eq!(parameters.size(), self.parameters.size(), "as many parameters");
        no_grad(|| self.parameters.copy_(parameters));
        self.load_statistics(statistics);
    }

    /// Overwrites all statistics by a vector of the same length.
    ///
    /// # Panics
    /// When the length differs.
    pub fn load_statistics(&mut self, statistics: &Tensor) {
        assert_eq!(statistics.size(), self.statistics.size(), "as many statistics");
        no_grad(|| self.statistics.copy_(statistics));
    }

    /// Moves this network's numbers towards those of `target` by `fraction` of the way.
    pub fn approach(&mut self, target: &TorchNet, fraction: f64) {
        no_grad(|| {
            let _ = self.parameters.lerp_(&target.parameters, fraction);
            let _ = self.statistics.lerp_(&target.statistics, fraction);
        });
    }

    /// The answers for planes `[B, S, F]` (S the squares in dense order) on `board`, with the norms taken over the
    /// batch; the running statistics move a tenth of the way. Gradients flow to [`TorchNet::parameters`].
    pub fn forward_training(&self, planes: &Tensor, board: Board, precision: Precision) -> HeadTensors {
        self.forward(planes, board, Pass { precision, momentum: Some(NORM_MOMENTUM) })
    }

    /// Replaces the norms' running statistics by those over all of the batches, each planes `[B, S, F]` on a board:
    /// what the norms of [`TorchNet::forward_training`] see of these positions. Without a batch they stay.
    pub fn estimate_statistics(&mut self, batches: &[(Tensor, Board)]) {
        let positions: i64 = batches.iter().map(|(planes, _)| planes.size()[0]).sum();
        let (mut sums, mut squares) = (self.statistics.zeros_like(), self.statistics.zeros_like());
        no_grad(|| {
            for (planes, board) in batches {
                self.forward(planes, *board, Pass { precision: Precision::F32, momentum: Some(1.0) });
                let share = planes.size()[0] as f64 / positions as f64;
                sums += &self.statistics * share;
                squares += self.statistics.square() * share;
            }
            if positions > 0 {
                // The variance over all is the mean of the batches' own and the variance of their means.
                let spread = &squares - sums.square();
                let mut at = 0;
                for [mean, variance] in self.statistic_slots.as_chunks().0 {
                    let length = mean.elements() as i64;
                    debug_assert_eq!(
                        mean.name.strip_suffix(".mean"),
                        variance.name.strip_suffix(".variance")
                    );
                    let mut variances = sums.narrow(0, at + length, length);
                    variances += spread.narrow(0, at, length);
                    at += 2 * length;
                }
                self.statistics.copy_(&sums);
            }
        });
    }

    /// The answers in f32 for planes `[B, S, F]` with the norms' running statistics: what [`TorchNet::fold`] ships.
    pub fn forward_frozen(&self, planes: &Tensor, board: Board) -> HeadTensors {
        no_grad(|| self.forward(planes, board, Pass { precision: Precision::F32, momentum: None }))
    }

    fn forward(&self, planes: &Tensor, board: Board, pass: Pass) -> HeadTensors {
        let mut tensors = HashMap::new();
        views(&self.parameter_slots, &self.parameters, &mut tensors);
        views(&self.statistic_slots, &self.statistics, &mut tensors);
        Layers::new(&self.spec, tensors).forward(planes, board, pass)
    }

    /// The weights with the norms folded into the convolutions before them, as they are shipped.
    ///
    /// # Errors
    /// When a number is not finite: the training has diverged.
    pub fn fold(&self) -> Result<Weights, WeightsError> {
        let parameters = host(&self.parameters);
        let statistics = host(&self.statistics);
        let mut parts = slices(&self.parameter_slots, &parameters);
        parts.extend(slices(&self.statistic_slots, &statistics));
        let tensors = self.spec.tensors().into_iter().map(|tensor| {
            let convolution = tensor.name.strip_suffix(".weight").or_else(|| norm_of(&tensor.name));
            let norm = |part: &str| parts.get(format!("{}.norm.{part}", convolution?).as_str()).copied();
            let data = match norm("gain").zip(norm("bias")).zip(norm("mean").zip(norm("variance"))) {
                None => parts[tensor.name.as_str()].to_vec(),
                Some(((gain, bias), (mean, variance))) => {
                    let scale = |channel: usize| {
                        f64::from(gain[channel]) / (f64::from(variance[channel]) + NORM_EPSILON).sqrt()
                    };
                    if tensor.shape.len() == 1 {
                        let folded = |c: usize| f64::from(bias[c]) - f64::from(mean[c]) * scale(c);
                        (0..gain.len()).map(|c| folded(c) as f32).collect()
                    } else {
                        let fan_in = tensor.fan_in();
                        let weight = parts[tensor.name.as_str()];
                        let folded = |(i, w): (usize, &f32)| (f64::from(*w) * scale(i / fan_in)) as f32;
                        weight.iter().enumerate().map(folded).collect()
                    }
                }
            };
            (tensor.name, tensor.shape, data)
        });
        Weights::new(self.spec.clone(), tensors)
    }
}

/// Views of a flat vector, by name.
fn views(slots: &[Slot], flat: &Tensor, into: &mut HashMap<String, Tensor>) {
    // One split, so that the gradients come back by one concatenation.
    let sizes: Vec<i64> = slots.iter().map(|slot| slot.elements() as i64).collect();
    for (slot, part) in slots.iter().zip(flat.split_with_sizes(sizes, 0)) {
        into.insert(slot.name.clone(), part.view(slot.shape.as_slice()));
    }
}

fn slices<'a>(slots: &'a [Slot], mut flat: &'a [f32]) -> HashMap<&'a str, &'a [f32]> {
    let mut named = HashMap::new();
    for slot in slots {
        let (part, rest) = flat.split_at(slot.elements());
        named.insert(slot.name.as_str(), part);
        flat = rest;
    }
    named
}

/// The elements of an f32 tensor, row-major.
pub(crate) fn host(tensor: &Tensor) -> Vec<f32> {
    let tensor = tensor.detach().to_device(Device::Cpu).to_kind(Kind::Float).contiguous();
    let mut elements = vec![0.0; tensor.numel()];
    let count = elements.len();
    tensor.copy_data(&mut elements, count);
    elements
}

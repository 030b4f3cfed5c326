//! The tensors of a network in f32, norms folded.

use std::collections::BTreeMap;

use rand_xoshiro::SplitMix64;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use thiserror::Error;

use crate::spec::{NetSpec, SpecError, TensorSpec};

/// A [`NetSpec`] with all of its tensors: of the right shapes, and finite.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    spec: NetSpec,
    tensors: BTreeMap<String, Vec<f32>>,
}

/// Why tensors do not make a network.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum WeightsError {
    /// The spec itself is refused.
    #[error(transparent)]
    Spec(#[from] SpecError),
    /// A tensor that the spec asks for is not there.
    #[error("tensor {0} is missing")]
    Missing(String),
    /// A tensor that the spec does not know is there, or is there twice.
    #[error("tensor {0} is not part of the network, or is given twice")]
    Unexpected(String),
    /// A tensor has another shape than the spec says.
    #[error("tensor {name} has shape {found:?}, expected {expected:?}")]
    Shape {
        /// The tensor.
        name: String,
        /// Shape given.
        found: Vec<usize>,
        /// Shape that the spec asks for.
        expected: Vec<usize>,
    },
    /// A tensor has another number of elements than its shape says.
    #[error("tensor {name} has {found} elements, expected {expected}")]
    Length {
        /// The tensor.
        name: String,
        /// Elements given.
        found: usize,
        /// Elements that the shape asks for.
        expected: usize,
    },
    /// An element is NaN or infinite.
    #[error("tensor {name}, element {index} is {value}, not a finite number")]
    NotFinite {
        /// The tensor.
        name: String,
        /// Index of the element, row-major.
        index: usize,
        /// Its value.
        value: f32,
    },
}

/// One tensor on its way into [`Weights`]: name, shape, row-major elements.
pub type NamedTensor = (String, Vec<usize>, Vec<f32>);

impl Weights {
    /// Takes the tensors of a network, in any order.
    ///
    /// # Errors
    /// When the spec is invalid, a tensor is missing, unknown, of another shape, or not finite.
    pub fn new(spec: NetSpec, given: impl IntoIterator<Item = NamedTensor>) -> Result<Self, WeightsError> {
        spec.validate()?;
        let mut wanted: BTreeMap<String, TensorSpec> =
            spec.tensors().into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
        let mut tensors = BTreeMap::new();
        for (name, shape, data) in given {
            let Some(expected) = wanted.remove(&name) else { return Err(WeightsError::Unexpected(name)) };
            if shape != expected.shape {
                return Err(WeightsError::Shape { name, found: shape, expected: expected.shape });
            }
            if data.len() != expected.elements() {
                return Err(WeightsError::Length { name, found: data.len(), expected: expected.elements() });
            }
            if let Some(index) = data.iter().position(|value| !value.is_finite()) {
                return Err(WeightsError::NotFinite { name, index, value: data[index] });
            }
            tensors.insert(name, data);
        }
        match wanted.into_keys().next() {
            Some(name) => Err(WeightsError::Missing(name)),
            None => Ok(Self { spec, tensors }),
        }
    }

    /// Untrained weights: uniform with the variance that keeps a `ReLU` network's activations level (He et al.
    /// 2015), the second convolution of each block damped so that the residual stream does not grow with
    /// depth, small heads, zero biases. The same seed gives the same weights everywhere.
    ///
    /// # Errors
    /// When the spec is invalid.
    pub fn untrained(spec: NetSpec, seed: u64) -> Result<Self, SpecError> {
        spec.validate()?;
        let filled = untrained(&spec, spec.tensors(), seed);
        let tensors = filled.into_iter().map(|(tensor, data)| (tensor.name, data)).collect();
        Ok(Self { spec, tensors })
    }

    /// Untrained tensors of the heads for training alone ([`NetSpec::training_tensors`]), as in
    /// [`Weights::untrained`].
    pub fn untrained_training_heads(&self, seed: u64) -> Vec<(TensorSpec, Vec<f32>)> {
        untrained(&self.spec, self.spec.training_tensors(), seed)
    }

    /// The network's shape.
    pub fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// A tensor's elements, row-major; its shape is the spec's.
    ///
    /// # Panics
    /// When the spec has no tensor of this name: a slip in the caller.
    pub fn tensor(&self, name: &str) -> &[f32] {
        self.tensors.get(name).unwrap_or_else(|| panic!("the spec has no tensor {name}"))
    }

    /// Every tensor with its elements, in the spec's order.
    pub fn iter(&self) -> impl Iterator<Item = (TensorSpec, &[f32])> {
        self.spec.tensors().into_iter().map(|tensor| {
            let data = self.tensor(&tensor.name);
            (tensor, data)
        })
    }

    /// Number of weights and biases.
    pub fn parameters(&self) -> usize {
        self.tensors.values().map(Vec::len).sum()
    }
}

/// Fills tensors of a network one after the other; see [`Weights::untrained`].
fn untrained(spec: &NetSpec, tensors: Vec<TensorSpec>, seed: u64) -> Vec<(TensorSpec, Vec<f32>)> {
    let mut random = SplitMix64::seed_from_u64(seed);
    let damping = 1.0 / (spec.blocks as f32).sqrt();
    let fill = |tensor: TensorSpec| {
        let gain = match tensor.name.as_str() {
            name if name.ends_with("bias") => 0.0,
            name if name.ends_with("conv2.weight") => damping,
            name if name.contains("conv") || name.contains("stem") || name.contains("hidden") => 1.0,
            _ => 0.3,
        };
        let bound = if gain == 0.0 { 0.0 } else { gain * (6.0 / tensor.fan_in() as f32).sqrt() };
        let data = (0..tensor.elements()).map(|_| bound * uniform(&mut random)).collect();
        (tensor, data)
    };
    tensors.into_iter().map(fill).collect()
}

/// Uniform in [-1, 1).
fn uniform(random: &mut SplitMix64) -> f32 {
    (random.next_u64() >> 40) as f32 / (1 << 23) as f32 - 1.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> NetSpec {
        NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 16, &[1]) }
    }

    fn tensors() -> Vec<NamedTensor> {
        let weights = Weights::untrained(spec(), 1).unwrap();
        weights.iter().map(|(tensor, data)| (tensor.name, tensor.shape, data.to_vec())).collect()
    }

    #[test]
    fn tensors_go_in_and_come_out() {
        let mut list = tensors();
        list.reverse();
        assert_eq!(Weights::new(spec(), list).unwrap(), Weights::untrained(spec(), 1).unwrap());
        assert_ne!(Weights::untrained(spec(), 1).unwrap(), Weights::untrained(spec(), 2).unwrap());
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let check = |change: fn(&mut Vec<NamedTensor>), message: &str| {
            let mut list = tensors();
            change(&mut list);
            assert_eq!(Weights::new(spec(), list).unwrap_err().to_string(), message);
        };
        check(|l| drop(l.remove(0)), "tensor stem.weight is missing");
        check(
            |l| l.push(("x".into(), vec![1], vec![0.0])),
            "tensor x is not part of the network, or is given twice",
        );
        check(|l| l.push(l[1].clone()), "tensor stem.bias is not part of the network, or is given twice");
        check(|l| l[1].1 = vec![4, 4], "tensor stem.bias has shape [4, 4], expected [16]");
        check(|l| l[1].2.truncate(15), "tensor stem.bias has 15 elements, expected 16");
        check(|l| l[1].2[3] = f32::NAN, "tensor stem.bias, element 3 is NaN, not a finite number");
        check(|l| l[1].2[5] = f32::INFINITY, "tensor stem.bias, element 5 is inf, not a finite number");
    }
}

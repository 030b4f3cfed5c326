//! The losses of a batch.

use std::ops::AddAssign;

use hippolyta_torch::Heads;
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use tch::{Kind, Reduction, Tensor};

use crate::batch::Batch;
use crate::config::LossConfig;
use crate::policy_loss::policy_loss;

/// Losses in nats, means over samples, each without its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Losses {
    /// Cross-entropy of the moves with the lumped target.
    pub policy: f64,
    /// Cross-entropy of the result: the value read as a chance to win of `(1 + value) / 2`, target and net alike.
    pub value: f64,
    /// Cross-entropy of the owners, read the same way, a mean over squares too.
    pub owner: f64,
    /// Cross-entropy of the final margin's bin.
    pub margin: f64,
    /// The sum with the configured weights: what a step minimises.
    pub total: f64,
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        self.policy += other.policy;
        self.value += other.value;
        self.owner += other.owner;
        self.margin += other.margin;
        self.total += other.total;
    }
}

impl Losses {
    /// The losses by their names.
    pub fn named(&self) -> [(&'static str, f64); 5] {
        [
            ("policy", self.policy),
            ("value", self.value),
            ("owner", self.owner),
            ("margin", self.margin),
            ("total", self.total),
        ]
    }

    /// The mean, when `self` is a sum over `count` batches.
    pub(crate) fn over(self, count: u64) -> Losses {
        self.times(1.0 / count as f64)
    }

    pub(crate) fn times(self, share: f64) -> Losses {
        Losses {
            policy: self.policy * share,
            value: self.value * share,
            owner: self.owner * share,
            margin: self.margin * share,
            total: self.total * share,
        }
    }
}

/// The losses, and a tensor with the gradient of their total (its own value means nothing).
pub(crate) fn losses(
    heads: &Heads,
    dim: usize,
    batch: &Batch,
    weights: &LossConfig,
    pool: &ThreadPool,
) -> (Losses, Tensor) {
    let device = heads.maps.device();
    let (policy, policy_tensor) = policy_loss(&heads.maps, dim, batch, pool);
    let value = chance_loss(&heads.value, &Tensor::from_slice(&batch.values).to_device(device));
    let owners = Tensor::from_slice(&batch.owners).to_device(device).view_as(&heads.owner);
    let owner = chance_loss(&heads.owner, &owners);
    let bins = Tensor::from_slice(&batch.margins).to_device(device);
    let margin = heads.margin.cross_entropy_loss::<&Tensor>(&bins, None, Reduction::Mean, -100, 0.0);
    let rest = &value * weights.value + &owner * weights.owner + &margin * weights.margin;
    let number = |tensor: &Tensor| tensor.to_kind(Kind::Double).double_value(&[]);
    let losses = Losses {
        policy,
        value: number(&value),
        owner: number(&owner),
        margin: number(&margin),
        total: policy + number(&rest),
    };
    (losses, policy_tensor + rest)
}

/// The cross-entropy between chances `(1 + target) / 2` and `(1 + tanh(before_tanh)) / 2`: the latter is the logistic
/// function of twice `before_tanh`. Unlike a squared error it keeps its slope where a wrong answer is sure.
fn chance_loss(before_tanh: &Tensor, target: &Tensor) -> Tensor {
    let chance = (target + 1.0) * 0.5;
    (before_tanh * 2.0).binary_cross_entropy_with_logits::<&Tensor>(&chance, None, None, Reduction::Mean)
}

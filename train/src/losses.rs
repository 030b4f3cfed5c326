//! The losses of a batch.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use hippolyta_model::Head;
use hippolyta_torch::HeadTensors;
use rayon::ThreadPool;
use serde::{Deserialize, Serialize};
use tch::{Kind, Reduction, Tensor};

use crate::batch::{Batch, Target};
use crate::config::LossConfig;
use crate::policy_loss::policy_loss;

/// The losses of the heads in nats, means over samples and a head's numbers, each without its weight.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(into = "BTreeMap<String, f64>", try_from = "BTreeMap<String, f64>")]
pub struct Losses {
    heads: [f64; Head::COUNT],
    /// The sum with the configured weights: what a step minimises.
    pub total: f64,
}

/// The name of [`Losses::total`] among the losses.
const TOTAL: &str = "total";

impl From<Losses> for BTreeMap<String, f64> {
    fn from(losses: Losses) -> Self {
        losses.named().map(|(name, loss)| (name.to_owned(), loss)).collect()
    }
}

impl TryFrom<BTreeMap<String, f64>> for Losses {
    type Error = String;

    fn try_from(mut named: BTreeMap<String, f64>) -> Result<Losses, String> {
        let mut take = |name: &str| named.remove(name).ok_or_else(|| format!("the loss {name} is missing"));
        let mut losses = Losses { total: take(TOTAL)?, ..Losses::default() };
        for head in Head::ALL {
            losses.heads[head as usize] = take(head.name())?;
        }
        match named.into_keys().next() {
            Some(name) => Err(format!("the loss {name} is unknown")),
            None => Ok(losses),
        }
    }
}

impl AddAssign for Losses {
    fn add_assign(&mut self, other: Losses) {
        self.heads.iter_mut().zip(other.heads).for_each(|(sum, loss)| *sum += loss);
        self.total += other.total;
    }
}

impl Losses {
    /// The loss of a head.
    pub fn of(&self, head: Head) -> f64 {
        self.heads[head as usize]
    }

    /// The losses by their names, the total last.
    pub fn named(&self) -> impl Iterator<Item = (&'static str, f64)> {
        Head::ALL.map(|head| (head.name(), self.of(head))).into_iter().chain([(TOTAL, self.total)])
    }

    /// The mean, when `self` is a sum over `count` batches.
    pub(crate) fn over(self, count: u64) -> Losses {
        self.times(1.0 / count as f64)
    }

    pub(crate) fn times(self, share: f64) -> Losses {
        Losses { heads: self.heads.map(|loss| loss * share), total: self.total * share }
    }
}

/// The losses, and a tensor with the gradient of their total (its own value means nothing).
pub(crate) fn losses(
    heads: &HeadTensors,
    dim: usize,
    batch: &Batch,
    weights: &LossConfig,
    pool: &ThreadPool,
) -> (Losses, Tensor) {
    let mut losses = Losses::default();
    let mut total: Option<Tensor> = None;
    for head in Head::ALL {
        let answers = heads.get(head);
        let (loss, tensor) = match batch.target(head) {
            Target::Moves(targets) => policy_loss(answers, dim, targets, pool),
            Target::Chances(targets) => {
                let targets = Tensor::from_slice(targets).to_device(answers.device()).view_as(answers);
                with_number(chance_loss(answers, &targets))
            }
            Target::Classes(targets) => {
                let targets = Tensor::from_slice(targets).to_device(answers.device());
                let loss = answers.cross_entropy_loss::<&Tensor>(&targets, None, Reduction::Mean, -100, 0.0);
                with_number(loss)
            }
        };
        let weight = weights.weight(head);
        losses.heads[head as usize] = loss;
        losses.total += weight * loss;
        let weighted = tensor * weight;
        total = Some(total.map_or_else(|| weighted.shallow_clone(), |total| total + &weighted));
    }
    (losses, total.expect("there are heads"))
}

fn with_number(loss: Tensor) -> (f64, Tensor) {
    (loss.to_kind(Kind::Double).double_value(&[]), loss)
}

/// The cross-entropy between chances `(1 + target) / 2` and `(1 + tanh(before_tanh)) / 2`: the latter is the logistic
/// function of twice `before_tanh`. Unlike a squared error it keeps its slope where a wrong answer is sure.
fn chance_loss(before_tanh: &Tensor, target: &Tensor) -> Tensor {
    let chance = (target + 1.0) * 0.5;
    (before_tanh * 2.0).binary_cross_entropy_with_logits::<&Tensor>(&chance, None, None, Reduction::Mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_come_back_by_name_and_wrong_names_are_told() {
        let losses = Losses { heads: std::array::from_fn(|i| i as f64 + 0.1), total: 7.5 };
        let json = serde_json::to_string(&losses).unwrap();
        assert_eq!(serde_json::from_str::<Losses>(&json).unwrap(), losses);
        let read = |json: &str| serde_json::from_str::<Losses>(json).unwrap_err().to_string();
        assert!(read(&json.replace("owner", "owned")).contains("the loss owner is missing"));
        assert!(read(&json.replace('{', "{\"extra\":1.0,")).contains("the loss extra is unknown"));
    }
}

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
    /// What is left of the value's loss without the entropy of its target, which no network can go below.
    pub value_excess: f64,
    /// The mean of the network's value less the game's result: not a loss, and 0 for a network that is fair.
    pub value_bias: f64,
    /// The sum with the configured weights: what a step minimises.
    pub total: f64,
}

/// The names of the figures that are of no head.
const VALUE_EXCESS: &str = "value_excess";
const VALUE_BIAS: &str = "value_bias";
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
        let (value_excess, value_bias) = (take(VALUE_EXCESS)?, take(VALUE_BIAS)?);
        let mut losses = Losses { value_excess, value_bias, total: take(TOTAL)?, ..Losses::default() };
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
        self.value_excess += other.value_excess;
        self.value_bias += other.value_bias;
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
        let others = [(VALUE_EXCESS, self.value_excess), (VALUE_BIAS, self.value_bias), (TOTAL, self.total)];
        Head::ALL.map(|head| (head.name(), self.of(head))).into_iter().chain(others)
    }

    /// The mean, when `self` is a sum over `count` batches.
    pub(crate) fn over(self, count: u64) -> Losses {
        self.times(1.0 / count as f64)
    }

    pub(crate) fn times(self, share: f64) -> Losses {
        Losses {
            heads: self.heads.map(|loss| loss * share),
            value_excess: self.value_excess * share,
            value_bias: self.value_bias * share,
            total: self.total * share,
        }
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
            Target::Chances(targets, weights) => {
                let like_answers = |numbers: &[f32]| {
                    Tensor::from_slice(numbers).to_device(answers.device()).view_as(answers)
                };
                with_number(chance_loss(answers, &like_answers(targets), weights.map(like_answers).as_ref()))
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
    let value = heads.get(Head::Value);
    let results = Tensor::from_slice(&batch.results).to_device(value.device());
    losses.value_bias =
        (value.detach().tanh().view_as(&results) - results).mean(Kind::Double).double_value(&[]);
    losses.value_excess = losses.of(Head::Value) - chance_entropy(&batch.values);
    (losses, total.expect("there are heads"))
}

fn with_number(loss: Tensor) -> (f64, Tensor) {
    (loss.to_kind(Kind::Double).double_value(&[]), loss)
}

/// The cross-entropy between chances `(1 + target) / 2` and `(1 + tanh(before_tanh)) / 2`: the latter is the logistic
/// function of twice `before_tanh`. Unlike a squared error it keeps its slope where a wrong answer is sure. A mean over
/// the elements by their weights, or over all alike.
fn chance_loss(before_tanh: &Tensor, target: &Tensor, weights: Option<&Tensor>) -> Tensor {
    let chance = (target + 1.0) * 0.5;
    let loss = |weights: Option<&Tensor>, reduction| {
        (before_tanh * 2.0).binary_cross_entropy_with_logits(&chance, weights, None, reduction)
    };
    match weights {
        None => loss(None, Reduction::Mean),
        Some(weights) => loss(Some(weights), Reduction::Sum) / weights.sum(Kind::Float).clamp_min(1.0),
    }
}

/// The mean entropy of chances `(1 + value) / 2`, in nats.
fn chance_entropy(values: &[f32]) -> f64 {
    let part = |chance: f64| if chance > 0.0 { -chance * chance.ln() } else { 0.0 };
    let of = |value: f32| {
        let chance = f64::midpoint(f64::from(value), 1.0);
        part(chance) + part(1.0 - chance)
    };
    values.iter().map(|value| of(*value)).sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losses_come_back_by_name_and_wrong_names_are_told() {
        let losses =
            Losses { heads: std::array::from_fn(|i| i as f64 + 0.1), total: 7.5, ..Losses::default() };
        let json = serde_json::to_string(&losses).unwrap();
        assert_eq!(serde_json::from_str::<Losses>(&json).unwrap(), losses);
        let read = |json: &str| serde_json::from_str::<Losses>(json).unwrap_err().to_string();
        assert!(read(&json.replace("owner", "owned")).contains("the loss owner is missing"));
        assert!(read(&json.replace('{', "{\"extra\":1.0,")).contains("the loss extra is unknown"));
    }

    #[test]
    fn the_loss_of_its_own_target_is_the_entropy() {
        let values = [0.5_f32, -0.25, 0.9];
        let target = Tensor::from_slice(&values);
        let loss = chance_loss(&target.atanh(), &target, None).double_value(&[]);
        assert!((loss - chance_entropy(&values)).abs() < 1e-6, "{loss}");
        assert!(chance_entropy(&[1.0, -1.0]).abs() < 1e-12);
        assert!((chance_entropy(&[0.0]) - std::f64::consts::LN_2).abs() < 1e-12);
    }

    #[test]
    fn a_weight_of_nothing_leaves_an_element_out() {
        let (answers, target) =
            (Tensor::from_slice(&[0.3_f32, -5.0, 0.1]), Tensor::from_slice(&[0.5_f32, 1.0, 0.0]));
        let masked = chance_loss(&answers, &target, Some(&Tensor::from_slice(&[1.0_f32, 0.0, 1.0])));
        let pick = |tensor: &Tensor| tensor.index_select(0, &Tensor::from_slice(&[0_i64, 2]));
        let expected = chance_loss(&pick(&answers), &pick(&target), None);
        assert!((masked - expected).abs().double_value(&[]) < 1e-6);
    }
}

//! How well a network predicts games that it has not learned from.

use hippolyta_game::Move;
use hippolyta_search::{Evaluation, Evaluator, Query};

use crate::batch::policy_target;
use crate::policy_loss::sample_loss;
use crate::window::Sample;

/// Means over positions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prediction {
    /// Cross-entropy of the searches' improved policies, in nats.
    pub policy: f64,
    /// Cross-entropy of the results, in nats: the value read as a chance to win of `(1 + value) / 2`.
    pub value: f64,
    /// The network's value less the result; 0 for a network that is fair.
    pub value_bias: f64,
}

/// Positions that are evaluated at a time.
const PIECE: usize = 64;

/// Compares an evaluator's answers with the searches and results of the samples; `None` without a sample.
pub fn predict(evaluator: &mut dyn Evaluator, samples: &[Sample<'_>]) -> Option<Prediction> {
    if samples.is_empty() {
        return None;
    }
    let mut sums = [0.0; 3];
    for piece in samples.chunks(PIECE) {
        let moves: Vec<Vec<Move>> = piece.iter().map(legal).collect();
        let queries: Vec<Query<'_>> = piece
            .iter()
            .zip(&moves)
            .map(|(sample, moves)| Query { position: sample.position, moves })
            .collect();
        let mut answers = vec![Evaluation::default(); piece.len()];
        evaluator.evaluate(&queries, &mut answers);
        for ((sample, moves), answer) in piece.iter().zip(&moves).zip(&mut answers) {
            let found = compare(sample, moves, answer);
            sums.iter_mut().zip(found).for_each(|(sum, part)| *sum += part);
        }
    }
    let [policy, value, value_bias] = sums.map(|sum| sum / samples.len() as f64);
    Some(Prediction { policy, value, value_bias })
}

fn legal(sample: &Sample<'_>) -> Vec<Move> {
    let mut moves = Vec::new();
    sample.position.moves(&mut moves);
    moves
}

/// Policy loss, value loss and value less result of one sample. The answer's logits are used up.
fn compare(sample: &Sample<'_>, moves: &[Move], answer: &mut Evaluation) -> [f64; 3] {
    let visited = sample.visited.iter().map(|visited| (visited.mv, visited.mass));
    let target = policy_target(sample.position.board(), moves, visited);
    let policy = sample_loss(&mut answer.logits, &target);
    let result = f64::from(sample.outcome.value(sample.position.side()));
    let value = f64::from(answer.value);
    // The chance that the network gave to what happened; a value of exactly -1 or 1 may come from rounding.
    let chance = f64::midpoint(1.0, value * result).max(1e-6);
    [policy, -chance.ln(), value - result]
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_search::UniformEvaluator;

    use super::*;
    use crate::testing::{config, record};
    use crate::window::ReplayWindow;

    /// What answers 0 and no preference has the losses of a coin and of an even policy.
    #[test]
    fn knowing_nothing_costs_what_it_must() {
        let game = record(Board::SIX, 3);
        let mut window = ReplayWindow::new(config().window);
        window.extend([&game]);
        let samples = window.newest(Board::SIX, usize::MAX);
        let found = predict(&mut UniformEvaluator, &samples).unwrap();
        assert!((found.value - std::f64::consts::LN_2).abs() < 1e-6, "{found:?}");
        let results: f64 =
            samples.iter().map(|sample| f64::from(sample.outcome.value(sample.position.side()))).sum();
        assert!((found.value_bias + results / samples.len() as f64).abs() < 1e-6, "{found:?}");
        let policy: f64 = samples
            .iter()
            .map(|sample| {
                let (count, visited) = (legal(sample).len() as f64, sample.visited.len() as f64);
                let mass: f64 = sample.visited.iter().map(|visited| f64::from(visited.mass)).sum();
                let rest =
                    if visited < count { (1.0 - mass) * ((count - visited) / count).ln() } else { 0.0 };
                -(mass * (1.0 / count).ln() + rest)
            })
            .sum::<f64>()
            / samples.len() as f64;
        assert!((found.policy - policy).abs() < 0.01 * policy, "{found:?} {policy}");
        assert_eq!(predict(&mut UniformEvaluator, &[]), None);
    }
}

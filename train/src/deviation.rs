//! How far a network in int8 is from libtorch's f32, and what it is to be played with.

use std::sync::Arc;

use hippolyta_game::{Move, Position};
use hippolyta_model::network::NetworkError;
use hippolyta_model::{
    Calibration, Deviation, Isa, Network, NetworkEvaluator, Precision, TrunkBits, Weights,
};
use hippolyta_search::{Evaluation, Evaluator, Query};
use hippolyta_torch::TorchEvaluator;
use rayon::prelude::*;
use tch::Device;

/// Positions that a thread evaluates at a time. Fixed, so that threads change no sum.
const PIECE: usize = 125;

/// The calibration with which int8 is to be played, and how far it then is from libtorch's f32: with activations of
/// seven bits, which run fastest, or of eight where those are too far; with seven where no position has a move.
///
/// # Errors
/// When the ranges do not fit the network.
pub(crate) fn settled(
    weights: &Weights,
    mut calibration: Calibration,
    positions: &[Position],
) -> Result<Calibration, NetworkError> {
    for bits in [TrunkBits::Seven, TrunkBits::Eight] {
        calibration.trunk_bits = bits;
        calibration.deviation = deviation(weights, &calibration, positions)?;
        if calibration.allows_int8() {
            break;
        }
    }
    Ok(calibration)
}

/// Compares a network in int8 with libtorch's f32 on the CPU, on those of the positions that have a legal move; `None`
/// when none has. The pieces of the work go to rayon's threads.
///
/// # Errors
/// When the ranges do not fit the network.
fn deviation(
    weights: &Weights,
    calibration: &Calibration,
    positions: &[Position],
) -> Result<Option<Deviation>, NetworkError> {
    let isa = Isa::best(Precision::Int8);
    let network = Arc::new(Network::new(weights, Some(calibration), Precision::Int8, isa)?);
    let open: Vec<&Position> = positions.iter().filter(|position| position.has_move()).collect();
    let sums: Vec<[f64; 2]> =
        open.par_chunks(PIECE).map(|positions| sums(weights, &network, positions)).collect();
    if open.is_empty() {
        return Ok(None);
    }
    let mean = |part: usize| sums.iter().map(|sums| sums[part]).sum::<f64>() / open.len() as f64;
    Ok(Some(Deviation { positions: open.len() as u64, policy_kl: mean(0), value_error: mean(1) }))
}

/// The sums of the policies' divergences and of the values' absolute differences.
fn sums(weights: &Weights, network: &Arc<Network>, positions: &[&Position]) -> [f64; 2] {
    let moves: Vec<Vec<Move>> = positions
        .iter()
        .map(|position| {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            moves
        })
        .collect();
    let queries: Vec<Query<'_>> =
        positions.iter().zip(&moves).map(|(position, moves)| Query { position, moves }).collect();
    let ask = |evaluator: &mut dyn Evaluator| {
        let mut answers = vec![Evaluation::default(); queries.len()];
        evaluator.evaluate(&queries, &mut answers);
        answers
    };
    let exact = ask(&mut TorchEvaluator::new(weights, Device::Cpu));
    let int8 = ask(&mut NetworkEvaluator::new(Arc::clone(network)));
    exact.iter().zip(&int8).fold([0.0; 2], |[kl, error], (exact, int8)| {
        let value = f64::from(exact.value) - f64::from(int8.value);
        [kl + divergence(&exact.logits, &int8.logits), error + value.abs()]
    })
}

/// KL(softmax of `p` || softmax of `q`) in nats.
fn divergence(p: &[f32], q: &[f32]) -> f64 {
    let (p, q) = (log_softmax(p), log_softmax(q));
    p.iter().zip(&q).map(|(p, q)| p.exp() * (p - q)).sum()
}

fn log_softmax(logits: &[f32]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let sum: f64 = logits.iter().map(|logit| f64::from(logit - largest).exp()).sum();
    let normaliser = f64::from(largest) + sum.ln();
    logits.iter().map(|logit| f64::from(*logit) - normaliser).collect()
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_model::NetSpec;

    use super::*;
    use crate::testing::record;

    fn spec() -> NetSpec {
        NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 32, &[1]) }
    }

    fn positions() -> Vec<Position> {
        let of = |(board, seed)| {
            record(board, seed).searched_positions().map(|(position, _)| position).collect::<Vec<_>>()
        };
        [(Board::SIX, 1), (Board::EIGHT, 2)].into_iter().flat_map(of).collect()
    }

    #[test]
    fn a_divergence_is_that_of_the_probabilities() {
        let expected = 0.75 * 1.5_f64.ln() + 0.25 * 0.5_f64.ln();
        let found = divergence(&[3_f32.ln() + 5.0, 5.0], &[1.0, 1.0]);
        assert!((found - expected).abs() < 1e-6, "{found}");
        assert!(divergence(&[300.0, -2.0, 7.0], &[300.0, -2.0, 7.0]).abs() < 1e-12);
    }

    /// With ranges from the positions int8 is near; with ranges a fiftieth as large everything is clipped.
    #[test]
    fn wrong_ranges_are_found_out() {
        let positions = positions();
        let weights = Weights::untrained(spec(), 3).unwrap();
        let mut calibration = Calibration::over(&weights, &positions).unwrap();
        let good = deviation(&weights, &calibration, &positions).unwrap().unwrap();
        assert!(good.is_small() && good.policy_kl > 0.0 && good.value_error > 0.0, "{good:?}");
        assert!(good.positions > PIECE as u64 / 2, "{good:?}");
        let known = calibration.channels.as_mut().unwrap();
        let of_channels = known.maxima.iter_mut().chain(&mut known.means).flatten();
        for value in calibration.maxima.iter_mut().chain(of_channels) {
            *value /= 50.0;
        }
        let bad = deviation(&weights, &calibration, &positions).unwrap().unwrap();
        assert!(!bad.is_small(), "{bad:?}");
        assert_eq!(deviation(&weights, &calibration, &[]).unwrap(), None);
    }

    /// The larger the logits, the more rounding changes their softmax.
    #[test]
    fn bits_are_as_few_as_are_near() {
        let positions = positions();
        let plain = Weights::untrained(spec(), 3).unwrap();
        let settled = |factor: f32| {
            let tensors = plain.iter().map(|(tensor, data)| {
                let factor = if tensor.name == "policy.weight" { factor } else { 1.0 };
                (tensor.name, tensor.shape, data.iter().map(|x| factor * x).collect())
            });
            let weights = Weights::new(spec(), tensors.collect::<Vec<_>>()).unwrap();
            let ranges = Calibration::over(&weights, &positions).unwrap();
            let known = settled(&weights, ranges, &positions).unwrap();
            (known.trunk_bits, known.allows_int8())
        };
        let found: Vec<_> = (0..16).map(|i| settled(1.25_f32.powi(i))).collect();
        let order = [(TrunkBits::Seven, true), (TrunkBits::Eight, true), (TrunkBits::Eight, false)];
        let mut distinct = found.clone();
        distinct.dedup();
        assert_eq!(distinct, order, "{found:?}");
    }
}

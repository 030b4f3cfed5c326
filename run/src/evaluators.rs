//! What computes a network.

use std::sync::Arc;

use hippolyta_game::{Board, Position};
use hippolyta_model::network::NetworkError;
use hippolyta_model::{ModelFile, Network, NetworkEvaluator, Precision};
use hippolyta_search::seed::derive;
use hippolyta_search::{CachedEvaluator, Evaluation, Evaluator, Query};
use thiserror::Error;

use crate::config::EvaluatorKind;

/// Why a network cannot be run.
#[derive(Debug, Error)]
pub enum EvaluatorError {
    /// This machine cannot run it in that precision.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// Numbers in a file can all be finite, and yet so large that what is computed from them is not.
    #[error("its numbers are so large that it has no finite answer to the start of 6x6")]
    NotFinite,
    /// The device is not there.
    #[cfg(feature = "torch")]
    #[error(transparent)]
    Device(#[from] hippolyta_torch::DeviceError),
    /// This build has no such evaluator.
    #[error("run.evaluator = \"{0}\" needs libtorch: run 'make build' and use target/release/hippolyta")]
    NeedsLibtorch(String),
}

/// A model in memory, made ready.
///
/// # Errors
/// When this machine cannot run it in that precision, or its answers are no numbers.
pub fn native_of(model: &ModelFile, precision: Precision) -> Result<Arc<Network>, EvaluatorError> {
    let network = Arc::new(Network::load(model, precision)?);
    let position = start_of(Board::SIX);
    let (mut moves, mut answer) = (Vec::new(), [Evaluation::default()]);
    position.moves(&mut moves);
    let query = Query { position: &position, moves: &moves };
    NetworkEvaluator::new(Arc::clone(&network)).evaluate(&[query], &mut answer);
    let [answer] = answer;
    if answer.value.is_finite() && answer.logits.iter().all(|logit| logit.is_finite()) {
        Ok(network)
    } else {
        Err(EvaluatorError::NotFinite)
    }
}

fn start_of(board: Board) -> Position {
    Position::start(board).expect("a board that is played has a start")
}

/// Positions that a worker of self-play remembers: those of some fifty games on 6x6.
const REMEMBERED: usize = 1 << 14;

/// What a worker of self-play asks: its games go through the same positions again and again.
pub fn cached(network: &Arc<Network>) -> CachedEvaluator<NetworkEvaluator> {
    CachedEvaluator::new(NetworkEvaluator::new(Arc::clone(network)), REMEMBERED)
}

/// The positions, before each move, of a game of random moves on a board that has a start.
pub fn random_game(board: Board, seed: u64) -> Vec<Position> {
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    let mut position = start_of(board);
    loop {
        position.moves(&mut moves);
        if moves.is_empty() {
            return positions;
        }
        let lot = derive(seed, &[positions.len() as u64]) as usize % moves.len();
        positions.push(position);
        position = position.play_unchecked(moves[lot]);
    }
}

/// Makes evaluators of one model, one for each worker of self-play.
#[derive(Debug)]
pub struct Evaluators(Backend);

#[derive(Debug)]
enum Backend {
    Native(Arc<Network>),
    /// The model, and the device's name, which was tried.
    #[cfg(feature = "torch")]
    Torch(Arc<ModelFile>, String),
}

impl Evaluators {
    /// Makes a model ready for one kind of evaluator.
    ///
    /// # Errors
    /// When this machine or build lacks the evaluator.
    pub fn new(model: &Arc<ModelFile>, kind: &EvaluatorKind) -> Result<Evaluators, EvaluatorError> {
        let backend = match kind {
            EvaluatorKind::Native => Backend::Native(native_of(model, model.precision())?),
            #[cfg(feature = "torch")]
            EvaluatorKind::Torch(device) => {
                hippolyta_torch::device(device)?;
                Backend::Torch(Arc::clone(model), device.clone())
            }
            #[cfg(not(feature = "torch"))]
            EvaluatorKind::Torch(device) => {
                return Err(EvaluatorError::NeedsLibtorch(device.clone()));
            }
        };
        Ok(Evaluators(backend))
    }

    /// Makes one.
    ///
    /// # Panics
    /// When a device that was there has gone.
    pub fn make(&self) -> Box<dyn Evaluator + Send> {
        match &self.0 {
            Backend::Native(network) => Box::new(cached(network)),
            #[cfg(feature = "torch")]
            Backend::Torch(model, device) => {
                let device = hippolyta_torch::device(device).expect("a device that was there a moment ago");
                Box::new(hippolyta_torch::TorchEvaluator::new(&model.weights, device))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_model::{NetSpec, Weights};

    use super::*;

    #[test]
    fn a_network_without_finite_answers_is_refused() {
        let usual = Weights::untrained(NetSpec::with_trunk(1, 16, &[0]), 1).unwrap();
        let with = |name: &str, value: f32| {
            let tensors = usual.iter().map(|(tensor, data)| {
                let data = if tensor.name == name { vec![value; data.len()] } else { data.to_vec() };
                (tensor.name, tensor.shape, data)
            });
            let weights = Weights::new(usual.spec().clone(), tensors).unwrap();
            native_of(&ModelFile { weights, calibration: None, history: [].into() }, Precision::F32)
        };
        assert!(with("policy.bias", 1.0).is_ok());
        for name in ["policy.bias", "stem.weight"] {
            assert!(with(name, 3e38).unwrap_err().to_string().contains("no finite answer"), "{name}");
        }
    }
}

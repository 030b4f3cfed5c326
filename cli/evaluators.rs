//! What computes a network.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use hippolyta_game::{Board, Position};
use hippolyta_model::{ModelFile, Network, NetworkEvaluator, Precision};
use hippolyta_run::EvaluatorKind;
use hippolyta_search::seed::derive;
use hippolyta_search::{CachedEvaluator, Evaluation, Evaluator, Query};

use crate::args::start;

/// A network in the native code, shared by all threads that evaluate with it.
///
/// # Errors
/// When the file is no model, or this machine cannot run it.
pub(crate) fn native(path: &Path) -> anyhow::Result<Arc<Network>> {
    let model = ModelFile::read(path).context("the model cannot be read")?;
    native_of(&model, model.precision()).with_context(|| format!("{} cannot be run", path.display()))
}

/// A model in memory, made ready.
///
/// # Errors
/// When this machine cannot run it in that precision, or its answers are no numbers.
pub(crate) fn native_of(model: &ModelFile, precision: Precision) -> anyhow::Result<Arc<Network>> {
    let network = Arc::new(Network::load(model, precision)?);
    let position = start(Board::SIX);
    let (mut moves, mut answer) = (Vec::new(), [Evaluation::default()]);
    position.moves(&mut moves);
    let query = Query { position: &position, moves: &moves };
    NetworkEvaluator::new(Arc::clone(&network)).evaluate(&[query], &mut answer);
    // Numbers in a file can all be finite, and yet so large that what is computed from them is not.
    let [answer] = answer;
    ensure!(
        answer.value.is_finite() && answer.logits.iter().all(|logit| logit.is_finite()),
        "its numbers are so large that it has no finite answer to the start of 6x6"
    );
    Ok(network)
}

/// Positions that a worker of self-play remembers: those of some fifty games on 6x6.
const REMEMBERED: usize = 1 << 14;

/// What a worker of self-play asks: its games go through the same positions again and again.
pub(crate) fn cached(network: &Arc<Network>) -> CachedEvaluator<NetworkEvaluator> {
    CachedEvaluator::new(NetworkEvaluator::new(Arc::clone(network)), REMEMBERED)
}

/// The positions, before each move, of a game of random moves on a board that has a start.
pub(crate) fn random_game(board: Board, seed: u64) -> Vec<Position> {
    let (mut positions, mut moves) = (Vec::new(), Vec::new());
    let mut position = start(board);
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
pub(crate) struct Evaluators {
    model: ModelFile,
    backend: Backend,
}

#[derive(Debug)]
enum Backend {
    Native(Arc<Network>),
    /// The device's name, which was tried.
    #[cfg(feature = "torch")]
    Torch(String),
}

impl Evaluators {
    /// Reads a model for one kind of evaluator.
    ///
    /// # Errors
    /// When the file is no model, or this machine or build lacks the evaluator.
    pub(crate) fn read(path: &Path, kind: &EvaluatorKind) -> anyhow::Result<Evaluators> {
        let model = ModelFile::read(path).context("the model cannot be read")?;
        let backend = match kind {
            EvaluatorKind::Native => Backend::Native(native_of(&model, model.precision())?),
            #[cfg(feature = "torch")]
            EvaluatorKind::Torch(device) => {
                hippolyta_torch::device(device)?;
                Backend::Torch(device.clone())
            }
            #[cfg(not(feature = "torch"))]
            EvaluatorKind::Torch(device) => {
                anyhow::bail!(
                    "run.evaluator = \"{device}\" needs libtorch: run 'make build' and use target/release/hippolyta"
                )
            }
        };
        Ok(Evaluators { model, backend })
    }

    /// The model's hash, for records.
    pub(crate) fn hash(&self) -> [u8; 32] {
        let hash = self.model.hash();
        std::array::from_fn(|i| {
            u8::from_str_radix(&hash[2 * i..2 * i + 2], 16).expect("a SHA-256 in hexadecimal")
        })
    }

    /// Makes one.
    pub(crate) fn make(&self) -> Box<dyn Evaluator + Send> {
        match &self.backend {
            Backend::Native(network) => Box::new(cached(network)),
            #[cfg(feature = "torch")]
            Backend::Torch(device) => {
                let device = hippolyta_torch::device(device).expect("a device that was there a moment ago");
                Box::new(hippolyta_torch::TorchEvaluator::new(&self.model.weights, device))
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

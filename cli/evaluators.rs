//! What computes a network.

use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use hippolyta_game::{Board, Position};
use hippolyta_model::{ModelFile, Network, NetworkEvaluator};
use hippolyta_search::seed::derive;
use hippolyta_search::{CachedEvaluator, Evaluator};
use serde::Deserialize;

use crate::args::start;

/// Which code computes a network in self-play.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(crate) enum EvaluatorKind {
    /// The native code, on CPU cores.
    Native,
    /// libtorch, on the device of this name.
    Torch(String),
}

impl TryFrom<String> for EvaluatorKind {
    type Error = String;

    fn try_from(text: String) -> Result<EvaluatorKind, String> {
        if text == "native" {
            Ok(EvaluatorKind::Native)
        } else if text == "cpu" || text == "cuda" || text.starts_with("cuda:") {
            Ok(EvaluatorKind::Torch(text))
        } else {
            Err(format!("evaluator = \"{text}\": expected native, cpu, cuda or cuda:N"))
        }
    }
}

/// A network in the native code, shared by all threads that evaluate with it.
///
/// # Errors
/// When the file is no model, or this machine cannot run it.
pub(crate) fn native(path: &Path) -> anyhow::Result<Arc<Network>> {
    let model = ModelFile::read(path).context("the model cannot be read")?;
    native_of(&model).with_context(|| format!("{} cannot be run", path.display()))
}

/// A model in memory, made ready in the precision that it says (see [`ModelFile::precision`]).
///
/// # Errors
/// When this machine cannot run it.
pub(crate) fn native_of(model: &ModelFile) -> anyhow::Result<Arc<Network>> {
    Ok(Arc::new(Network::load(model, model.precision())?))
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
            EvaluatorKind::Native => Backend::Native(native_of(&model)?),
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

//! The training of a generation, up to its candidate.

use crate::error::RunError;
use crate::history::{checked, foreign, unsealed};
use crate::keys;
use crate::manifest::Learned;
use crate::play::Played;
use crate::store::RunStore;
use crate::work::{Run, parse_model};

#[cfg(feature = "torch")]
mod trained;

#[cfg(feature = "torch")]
pub(crate) use trained::{Learner, SEED_TRAINING, parsed, prune, train};

/// Nothing can be kept from generation to generation where nothing is trained.
#[cfg(not(feature = "torch"))]
#[derive(Debug)]
pub(crate) enum Learner {}

#[cfg(not(feature = "torch"))]
fn train(
    _: &Run<'_>,
    _: &mut Option<Learner>,
    _: &Played,
) -> Result<(Learned, std::sync::Arc<hippolyta_model::ModelFile>), RunError> {
    Err(RunError::NeedsLibtorch)
}

#[cfg(not(feature = "torch"))]
#[expect(clippy::unnecessary_wraps, reason = "with libtorch it can fail")]
pub(crate) fn prune(_: &Run<'_>) -> Result<(), RunError> {
    Ok(())
}

/// Trains on the games up to a generation and gives the candidate, or finds what was trained before. The learning rate
/// follows the generations that the run's own configuration plans, whatever bound a command sets.
pub(crate) fn learn(
    run: &Run<'_>,
    learner: &mut Option<Learner>,
    played: &Played,
) -> Result<Learned, RunError> {
    let key = keys::learned(played.generation);
    let before = found(run.store(), played.generation)?;
    if let Some(learned) = &before {
        // A candidate alone that is missing is made again.
        if let Some(bytes) = run.store().get(&learned.candidate.file.key)? {
            drop(bytes);
            let bytes = checked(run.store(), &learned.candidate.file, &key)?;
            run.remember(&parse_model(run.store(), &learned.candidate.file.key, &bytes)?);
            return Ok(learned.clone());
        }
    }
    let (learned, candidate) = train(run, learner, played)?;
    if before.is_some_and(|before| before != learned) {
        return Err(RunError::NotReproduced { path: run.store().path(&key) });
    }
    run.remember(&candidate);
    Ok(learned)
}

/// What the training of a generation came to, if it is over.
pub(crate) fn found(store: &dyn RunStore, generation: u32) -> Result<Option<Learned>, RunError> {
    let key = keys::learned(generation);
    let Some(bytes) = store.get(&key)? else { return Ok(None) };
    let learned: Learned = unsealed(store, &key, &bytes)?;
    if learned.generation != generation {
        let why = format!("it is of generation {}", learned.generation);
        return Err(foreign(store, &key, &why).into());
    }
    Ok(Some(learned))
}

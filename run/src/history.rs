//! What a run made so far, as its manifests say, with the reports of its matches.

use std::collections::BTreeMap;

use hippolyta_eval::GateReport;
use serde::de::DeserializeOwned;

use crate::error::{Damage, Fault, RunError};
use crate::keys;
use crate::manifest::{End, FORMAT, FileRef, GateOutcome, Manifest, ModelRef};
use crate::rating::RatingReport;
use crate::sealed::{sha256, unseal};
use crate::store::{Put, RunStore};

/// The finished generations of a run, and its end if it has one.
#[derive(Debug, Default)]
pub struct History {
    manifests: Vec<Manifest>,
    /// SHA-256 of the newest manifest.
    newest: Option<String>,
    end: Option<End>,
    gates: BTreeMap<u32, GateReport>,
    ratings: BTreeMap<u32, RatingReport>,
    /// What was played because the run ended.
    end_reports: EndReports,
}

/// The reports that belong to a run's end.
#[derive(Clone, Debug, Default)]
pub struct EndReports {
    /// Of the last gate.
    pub gate: Option<GateReport>,
    /// Of the last rating.
    pub rating: Option<RatingReport>,
}

impl History {
    /// Reads manifests and reports, and checks each against the next.
    ///
    /// # Errors
    /// The first file that is missing, damaged or of another run.
    pub fn read(store: &dyn RunStore) -> Result<History, RunError> {
        let mut history = History::default();
        for (index, entry) in store.list(keys::MANIFESTS)?.into_iter().enumerate() {
            let generation = index as u32 + 1;
            let key = keys::manifest(generation);
            if entry.key != key {
                return Err(missing(store, &key, &entry.key).into());
            }
            let bytes = store.get(&key)?.ok_or_else(|| missing(store, &key, &entry.key))?;
            let manifest: Manifest = unsealed(store, &key, &bytes)?;
            let follows = manifest.format == FORMAT
                && manifest.generation == generation
                && manifest.previous == history.newest;
            if !follows {
                return Err(foreign(store, &key, "it does not follow on the manifest before").into());
            }
            let gate =
                manifest.gated.report.as_ref().map(|file| sealed_file(store, file, &key)).transpose()?;
            let rating =
                manifest.rated.report.as_ref().map(|file| sealed_file(store, file, &key)).transpose()?;
            history.add(manifest, sha256(&bytes), gate, rating);
        }
        history.read_end(store)?;
        Ok(history)
    }

    fn read_end(&mut self, store: &dyn RunStore) -> Result<(), RunError> {
        let key = keys::end(self.generations());
        let Some(bytes) = store.get(&key)? else { return Ok(()) };
        let end: End = unsealed(store, &key, &bytes)?;
        if end.format != FORMAT || Some(&end.manifest) != self.newest.as_ref() {
            return Err(foreign(store, &key, "it is the end of another run").into());
        }
        let own = |file: &FileRef| file.key.starts_with(keys::ENDS);
        let gate = end.gated.report.as_ref().filter(|file| own(file));
        let rating = end.rated.report.as_ref().filter(|file| own(file));
        let reports = EndReports {
            gate: gate.map(|file| sealed_file(store, file, &key)).transpose()?,
            rating: rating.map(|file| sealed_file(store, file, &key)).transpose()?,
        };
        self.set_end(end, reports);
        Ok(())
    }

    /// Adds a generation with its reports.
    pub(crate) fn add(
        &mut self,
        manifest: Manifest,
        hash: String,
        gate: Option<GateReport>,
        rating: Option<RatingReport>,
    ) {
        let generation = manifest.generation;
        self.gates.extend(gate.map(|report| (generation, report)));
        self.ratings.extend(rating.map(|report| (generation, report)));
        self.manifests.push(manifest);
        self.newest = Some(hash);
        (self.end, self.end_reports) = (None, EndReports::default());
    }

    pub(crate) fn set_end(&mut self, end: End, reports: EndReports) {
        self.end = Some(end);
        self.end_reports = reports;
    }

    /// The manifests, from that of generation 1.
    pub fn manifests(&self) -> &[Manifest] {
        &self.manifests
    }

    /// The number of finished generations.
    pub fn generations(&self) -> u32 {
        self.manifests.len() as u32
    }

    /// The manifest of a generation that is finished.
    pub fn manifest(&self, generation: u32) -> Option<&Manifest> {
        self.manifests.get((generation as usize).checked_sub(1)?)
    }

    /// The newest manifest.
    pub fn last(&self) -> Option<&Manifest> {
        self.manifests.last()
    }

    /// SHA-256 of the newest manifest.
    pub(crate) fn newest(&self) -> Option<&str> {
        self.newest.as_deref()
    }

    /// The end of the run, if it ended after its newest generation.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// The reports of the gates, by generation.
    pub fn gates(&self) -> &BTreeMap<u32, GateReport> {
        &self.gates
    }

    /// The reports of the ratings, by generation.
    pub fn ratings(&self) -> &BTreeMap<u32, RatingReport> {
        &self.ratings
    }

    /// The reports that belong to the run's end.
    pub fn end_reports(&self) -> &EndReports {
        &self.end_reports
    }

    /// The network that the run hands out now: the end's, or else the newest champion. `None` before generation 1 is
    /// over.
    pub fn champion(&self) -> Option<&ModelRef> {
        let ended = self.end.as_ref().map(|end| &end.gated.champion);
        ended.or_else(|| self.last().map(|manifest| &manifest.gated.champion))
    }

    /// The network that became champion in a generation: not one that was put back.
    pub(crate) fn became_champion(&self, generation: u32) -> Option<&ModelRef> {
        let gated = &self.manifest(generation)?.gated;
        (gated.outcome != GateOutcome::Rejected).then_some(&gated.champion)
    }
}

/// The content of a file, if it is what was made.
///
/// # Errors
/// When it is missing or another one; `by` is the key of the file that names it.
pub(crate) fn checked(store: &dyn RunStore, file: &FileRef, by: &str) -> Result<Vec<u8>, RunError> {
    let bytes = store.get(&file.key)?.ok_or_else(|| missing(store, &file.key, by))?;
    if bytes.len() as u64 != file.size || sha256(&bytes) != file.sha256 {
        return Err(damage(store, &file.key, Fault::Changed(by.to_owned())).into());
    }
    Ok(bytes)
}

/// Puts a file that nobody changes afterwards. One that is there already has to be the same.
///
/// # Errors
/// When another one is there, or the store cannot be written.
pub(crate) fn put(store: &dyn RunStore, key: &str, bytes: &[u8]) -> Result<FileRef, RunError> {
    if store.put_new(key, bytes)? == Put::Exists && store.get(key)?.as_deref() != Some(bytes) {
        return Err(RunError::NotReproduced { path: store.path(key) });
    }
    Ok(FileRef { key: key.to_owned(), size: bytes.len() as u64, sha256: sha256(bytes) })
}

/// A sealed file that `by` names.
fn sealed_file<T: DeserializeOwned>(store: &dyn RunStore, file: &FileRef, by: &str) -> Result<T, RunError> {
    unsealed(store, &file.key, &checked(store, file, by)?)
}

/// The content of a sealed file.
pub(crate) fn unsealed<T: DeserializeOwned>(
    store: &dyn RunStore,
    key: &str,
    bytes: &[u8],
) -> Result<T, RunError> {
    Ok(unseal(bytes).map_err(|error| damage(store, key, error.into()))?)
}

pub(crate) fn missing(store: &dyn RunStore, key: &str, by: &str) -> Damage {
    damage(store, key, Fault::Missing(by.to_owned()))
}

pub(crate) fn foreign(store: &dyn RunStore, key: &str, why: &str) -> Damage {
    damage(store, key, Fault::Foreign(why.to_owned()))
}

fn damage(store: &dyn RunStore, key: &str, fault: Fault) -> Damage {
    Damage { key: key.to_owned(), path: store.path(key), fault }
}

//! Looks through a run's files for damage, and says what the next `train` will do about it.

use std::collections::{BTreeMap, BTreeSet};

use crate::config::RunConfig;
use crate::error::{Damage, Fault, RunError};
use crate::history::{History, checked, foreign, missing};
use crate::keys;
use crate::manifest::{FileRef, Manifest};
use crate::row::Row;
use crate::sealed::sha256;
use crate::store::RunStore;

/// How closely files are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Sizes of all, contents of the networks: what a start looks at.
    Start,
    /// Contents of all.
    Full,
}

/// A damaged file, and what the next `train` will do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The damage.
    pub damage: Damage,
    /// In words: `plays its games again`.
    pub next: &'static str,
}

/// Looks through a run. Takes no lock; a process at work on it may be about to make what seems to be missing.
///
/// # Errors
/// When the store cannot be read.
pub fn inspect(store: &dyn RunStore) -> Result<Vec<Finding>, RunError> {
    let refused = |damage| Finding { damage, next: "refuses to go on until it is put back" };
    let history = match History::read(store) {
        Ok(history) => history,
        Err(RunError::Damaged(damage)) => return Ok(vec![refused(damage)]),
        Err(error) => return Err(error),
    };
    let mut findings = Vec::new();
    match frozen(store, &history) {
        Err(RunError::Damaged(damage)) => findings.push(refused(damage)),
        Err(error) => return Err(error),
        Ok(_) => {}
    }
    let found = damages(store, &history, Depth::Full)?;
    let mended = |damage: &Damage| twin(&history, &found, &damage.key).is_some();
    findings.extend(found.iter().map(|damage| {
        let next = if damage.key.starts_with(keys::GAMES) {
            "plays its games again"
        } else if damage.key.starts_with(keys::CHECKPOINTS) {
            "trains again from an older checkpoint, or from the start, to the same networks"
        } else if mended(damage) {
            "makes it anew from its copy"
        } else {
            "refuses to go on until it is put back"
        };
        Finding { damage: damage.clone(), next }
    }));
    if let Some(damage) = metrics(store, &history)? {
        findings.push(Finding { damage, next: "writes it anew from the manifests" });
    }
    Ok(findings)
}

/// The frozen configuration of a run and its bytes.
///
/// # Errors
/// When it is missing, damaged, or not the one of the manifests.
pub(crate) fn frozen(
    store: &dyn RunStore,
    history: &History,
) -> Result<(crate::config::Resolved, String), RunError> {
    let Some(bytes) = store.get(keys::CONFIG)? else {
        let is_run = history.last().is_some() || !store.list(keys::MODELS)?.is_empty();
        let by =
            history.last().map_or_else(|| keys::model(0), |manifest| keys::manifest(manifest.generation));
        return Err(if is_run {
            missing(store, keys::CONFIG, &by).into()
        } else {
            RunError::NoRun(store.path(""))
        });
    };
    let hash = sha256(&bytes);
    if let Some(manifest) = history.last().filter(|manifest| manifest.config != hash) {
        let why = format!("it was changed after generation {}", manifest.generation);
        return Err(foreign(store, keys::CONFIG, &why).into());
    }
    let resolved = RunConfig::over_base(&String::from_utf8_lossy(&bytes)).map_err(|fault| {
        let path = store.path(keys::CONFIG);
        RunError::Config(format!("{}, the run's frozen configuration, is damaged{fault}", path.display()))
    })?;
    Ok((resolved, hash))
}

/// The files that manifests name and that are not what was made. Of the checkpoints only the newest generation's is
/// kept.
pub(crate) fn damages(
    store: &dyn RunStore,
    history: &History,
    depth: Depth,
) -> Result<Vec<Damage>, RunError> {
    let sizes: BTreeMap<String, u64> =
        store.list("")?.into_iter().map(|entry| (entry.key, entry.size)).collect();
    let (mut found, mut seen) = (Vec::new(), BTreeSet::new());
    let mut look = |file: &FileRef, by: &str| -> Result<(), RunError> {
        if !seen.insert(file.key.clone()) {
            return Ok(());
        }
        let fault = match sizes.get(&file.key) {
            None => Some(Fault::Missing(by.to_owned())),
            Some(size) if *size != file.size => Some(Fault::Changed(by.to_owned())),
            Some(_) if depth == Depth::Full || file.key.ends_with(".safetensors") => {
                match checked(store, file, by) {
                    Err(RunError::Damaged(damage)) => Some(damage.fault),
                    content => content.map(|_| None)?,
                }
            }
            Some(_) => None,
        };
        found.extend(fault.map(|fault| Damage { key: file.key.clone(), path: store.path(&file.key), fault }));
        Ok(())
    };
    for manifest in history.manifests() {
        let by = keys::manifest(manifest.generation);
        manifest.files().try_for_each(|file| look(file, &by))?;
    }
    if let (Some(manifest), Depth::Full) = (history.last(), depth) {
        look(&manifest.learned.checkpoint, &keys::manifest(manifest.generation))?;
    }
    Ok(found)
}

/// A good file with the content that a damaged network should have: candidates and champions are the same.
pub(crate) fn twin<'a>(
    history: &'a History,
    damaged: &[Damage],
    key: &str,
) -> Option<(&'a FileRef, &'a FileRef)> {
    let files = || history.manifests().iter().flat_map(Manifest::files);
    let own = files().find(|file| file.key == key)?;
    let is_good = |file: &FileRef| damaged.iter().all(|damage| damage.key != file.key);
    let other = files().find(|file| file.key != key && file.sha256 == own.sha256 && is_good(file))?;
    Some((own, other))
}

fn metrics(store: &dyn RunStore, history: &History) -> Result<Option<Damage>, RunError> {
    let Some(bytes) = store.get(keys::METRICS)? else { return Ok(None) };
    let text = String::from_utf8_lossy(&bytes);
    let rows: Option<Vec<Row>> = text.lines().map(|line| serde_json::from_str(line).ok()).collect();
    // A killed process may not have written the last ones.
    let fits = rows.is_some_and(|rows| Row::all(history).starts_with(&rows));
    Ok((!fits).then(|| foreign(store, keys::METRICS, "its rows are not those of the manifests")))
}

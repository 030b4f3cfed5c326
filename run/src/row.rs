//! A row a generation: the view of the manifests that curves are drawn from. Nothing in it depends on time.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::history::History;
use crate::keys;
use crate::manifest::{End, GateOutcome, Gated, Manifest, Rated};
use crate::store::RunStore;

/// A row of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// The generation.
    pub generation: u32,
    /// Games of the whole run so far.
    pub games: u64,
    /// Recorded positions of the whole run so far.
    pub positions: u64,
    /// Optimiser steps of the whole run so far.
    pub steps: u64,
    /// Mean losses of the generation's training, by name.
    pub losses: BTreeMap<String, f64>,
    /// What the gate decided.
    pub gate: GateOutcome,
    /// The candidate's share of the gate's games, if there were any.
    pub gate_score: Option<f64>,
    /// Games of the gate.
    pub gate_games: u64,
    /// The generation whose network is the champion now.
    pub champion: u32,
    /// The champion's share of games against each level and the classical program, if it was rated in this generation.
    pub scores: BTreeMap<String, f64>,
    /// Elo of the champion by the matches so far on the boards that are rated, Hard being 0; `None` while no chain of
    /// them ties it to Hard.
    pub rating: Option<f64>,
    /// The 95 % interval of `rating`.
    pub rating_interval: Option<[f64; 2]>,
}

impl Row {
    /// The row of a generation; of the run's last one, with what the end added.
    pub fn of(manifest: &Manifest, end: Option<&End>) -> Row {
        let (gated, rated): (&Gated, &Rated) = match end.filter(|end| end.generation == manifest.generation) {
            Some(end) => (&end.gated, &end.rated),
            None => (&manifest.gated, &manifest.rated),
        };
        Row {
            generation: manifest.generation,
            games: manifest.games,
            positions: manifest.positions,
            steps: manifest.learned.steps,
            losses: manifest.learned.losses.clone(),
            gate: gated.outcome,
            gate_score: gated.score,
            gate_games: gated.games,
            champion: gated.champion.generation,
            scores: rated.scores.clone(),
            rating: rated.elo,
            rating_interval: rated.elo_interval,
        }
    }

    /// The rows of a run so far.
    pub fn all(history: &History) -> Vec<Row> {
        history.manifests().iter().map(|manifest| Row::of(manifest, history.end())).collect()
    }
}

/// Writes the rows anew where the file does not fit the manifests. Gives whether there was a file with other rows
/// before, and not only with fewer.
pub(crate) fn write(store: &dyn RunStore, history: &History) -> Result<bool, RunError> {
    let mut bytes = Vec::new();
    for row in Row::all(history) {
        serde_json::to_writer(&mut bytes, &row).expect("plain structs become JSON");
        bytes.push(b'\n');
    }
    let before = store.get(keys::METRICS)?.unwrap_or_default();
    if before != bytes {
        store.replace(keys::METRICS, &bytes)?;
    }
    Ok(!bytes.starts_with(&before))
}

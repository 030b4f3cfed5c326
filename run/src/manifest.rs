//! What a generation made: one manifest for each, written once, last.

use std::collections::BTreeMap;

use hippolyta_selfplay::GenerationStats;
use serde::{Deserialize, Serialize};

/// The layout written here.
pub const FORMAT: u32 = 1;

/// A file of a run, as it was made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FileRef {
    /// Its key.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// A network of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelRef {
    /// The generation whose training gave it; 0 for the network to begin with.
    pub generation: u32,
    /// The hash of what decides how it plays, in hexadecimal.
    pub hash: String,
    /// Its file.
    pub file: FileRef,
}

/// A record file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RecordRef {
    /// The file.
    pub file: FileRef,
    /// Its games.
    pub games: u64,
    /// Their positions that were searched in full.
    pub positions: u64,
}

/// What the training of a generation came to.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Learned {
    /// The generation.
    pub generation: u32,
    /// Optimiser steps of the run so far.
    pub steps: u64,
    /// Mean losses over the generation's steps, by name; empty if it took none.
    pub losses: BTreeMap<String, f64>,
    /// The trainer's state afterwards.
    pub checkpoint: FileRef,
    /// The network that it gave.
    pub candidate: ModelRef,
}

/// What came of a generation's gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GateOutcome {
    /// The candidate became champion by a match.
    Accepted,
    /// The candidate lost the match.
    Rejected,
    /// There was no match in this generation; the candidate became champion without one.
    Unplayed,
}

/// A generation's gate.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Gated {
    /// What was decided.
    pub outcome: GateOutcome,
    /// The candidate's share of the games, if there were any.
    pub score: Option<f64>,
    /// Games of the match.
    pub games: u64,
    /// The report, if there was a match.
    pub report: Option<FileRef>,
    /// The network that plays the next generation.
    pub champion: ModelRef,
    /// The last network that won a match, or the one that the run began with.
    pub proven: ModelRef,
}

/// A generation's rating.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rated {
    /// The report, if the champion was rated in this generation.
    pub report: Option<FileRef>,
    /// The champion's share of its games against each level and the classical program; empty if it was not rated.
    pub scores: BTreeMap<String, f64>,
    /// Elo of the champion by all matches so far, Hard being 0; `None` while no chain of them ties it to Hard.
    pub elo: Option<f64>,
    /// The 95 % interval of `elo`.
    pub elo_interval: Option<[f64; 2]>,
}

/// All that a generation made. Nothing in it depends on time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    /// [`FORMAT`].
    pub format: u32,
    /// The generation, from 1.
    pub generation: u32,
    /// SHA-256 of the frozen configuration.
    pub config: String,
    /// SHA-256 of the manifest before; `None` in the first.
    pub previous: Option<String>,
    /// The network that played the games.
    pub player: ModelRef,
    /// What the games were like.
    pub stats: GenerationStats,
    /// Games of the whole run so far.
    pub games: u64,
    /// Positions of the whole run so far.
    pub positions: u64,
    /// The record files, in the order of their games.
    pub records: Vec<RecordRef>,
    /// The training.
    pub learned: Learned,
    /// The gate.
    pub gated: Gated,
    /// The rating.
    pub rated: Rated,
}

/// The end of a run: a last gate and a last rating, unless the last generation had them. If the run goes on later, it
/// does so from the manifests alone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct End {
    /// [`FORMAT`].
    pub format: u32,
    /// The last generation.
    pub generation: u32,
    /// SHA-256 of its manifest.
    pub manifest: String,
    /// The gate; its champion is the network that the run hands out.
    pub gated: Gated,
    /// The rating.
    pub rated: Rated,
}

impl Manifest {
    /// Every file that it names.
    pub fn files(&self) -> impl Iterator<Item = &FileRef> {
        let records = self.records.iter().map(|record| &record.file);
        let reports = self.gated.report.iter().chain(&self.rated.report);
        let models = [&self.learned.candidate, &self.player, &self.gated.champion, &self.gated.proven];
        records.chain(reports).chain(models.map(|model| &model.file))
    }
}

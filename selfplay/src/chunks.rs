//! The record files of a generation while it is played: which there are, which is being filled.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use hippolyta_search::seed::derive;

use crate::generation::{Generation, SelfplayError};
use crate::record::GameRecord;
use crate::record_file::{RecordFile, RecordName, parse_records, write_records};
use crate::stats::Totals;

/// Sets self-play's seeds apart from those of other stages of a run.
const STAGE: u64 = 0x73_65_6C_66; // "self"

impl Generation<'_> {
    /// The seed of a game: all that happens in it follows from this and the network.
    pub(crate) fn game_seed(&self, game: u32) -> u64 {
        derive(self.run_seed, &[STAGE, self.generation.into(), game.into()])
    }

    /// The games of a file, by the file's index.
    fn games_of(&self, chunk: u32) -> Range<u32> {
        let size = self.config.games_per_file;
        let first = chunk * size;
        first..first.saturating_add(size).min(self.config.games)
    }

    fn chunk_of(&self, game: u32) -> u32 {
        game / self.config.games_per_file
    }

    fn name_of(&self, chunk: u32) -> RecordName {
        RecordName { first_game: self.games_of(chunk).start }
    }
}

/// The files of a generation: those written with their games, and those being filled.
#[derive(Debug)]
pub(crate) struct Chunks<'a> {
    job: &'a Generation<'a>,
    done: BTreeMap<u32, (Totals, Vec<GameRecord>)>,
    open: BTreeMap<u32, Vec<GameRecord>>,
}

/// A file's games, all there and in order.
#[derive(Debug)]
pub(crate) struct FullChunk {
    chunk: u32,
    records: Vec<GameRecord>,
}

impl<'a> Chunks<'a> {
    /// Looks through the files that are there from before. Gives the state and the games that are missing, in order.
    pub(crate) fn resume(job: &'a Generation<'a>) -> Result<(Chunks<'a>, Vec<u32>), SelfplayError> {
        let mut chunks = Chunks { job, done: BTreeMap::new(), open: BTreeMap::new() };
        let failed = |name| move |source| SelfplayError::File { path: job.files.path(name), source };
        for name in job.files.list().map_err(failed(RecordName { first_game: 0 }))? {
            let path = job.files.path(name);
            let chunk = job.chunk_of(name.first_game);
            if job.name_of(chunk) != name || name.first_game >= job.config.games {
                return Err(SelfplayError::Foreign { path, what: "its first game" });
            }
            let bytes = job.files.read(name).map_err(failed(name))?;
            let file = parse_records(&bytes, &path);
            if chunks.is_whole(chunk, &file, path)? {
                chunks.done.insert(chunk, (totals(&file.records), file.records));
            } else {
                job.files.remove(name).map_err(failed(name))?;
            }
        }
        let missing = |game: &u32| !chunks.done.contains_key(&job.chunk_of(*game));
        let queue = (0..job.config.games).filter(missing).collect();
        Ok((chunks, queue))
    }

    /// Whether a file holds all its games; if not, it is damaged and its games are to be played again.
    fn is_whole(&self, chunk: u32, file: &RecordFile, path: PathBuf) -> Result<bool, SelfplayError> {
        let job = self.job;
        for record in &file.records {
            let what = if record.generation != job.generation {
                "the generation"
            } else if record.seed != job.game_seed(record.game) {
                "the seed"
            } else if record.model != job.model {
                "the network"
            } else {
                continue;
            };
            return Err(SelfplayError::Foreign { path, what });
        }
        for bad in &file.bad {
            tracing::warn!("{bad}; the file's games are played again");
        }
        let whole =
            file.bad.is_empty() && file.records.iter().map(|record| record.game).eq(job.games_of(chunk));
        if !whole && file.bad.is_empty() {
            tracing::warn!("{}: games are missing; they are played again", path.display());
        }
        Ok(whole)
    }

    /// Takes a finished game; gives its file's games when it was the last of them.
    pub(crate) fn add(&mut self, record: GameRecord) -> Option<FullChunk> {
        let chunk = self.job.chunk_of(record.game);
        let records = self.open.entry(chunk).or_default();
        records.push(record);
        if records.len() < self.job.games_of(chunk).len() {
            return None;
        }
        let mut records = self.open.remove(&chunk)?;
        records.sort_unstable_by_key(|record| record.game);
        Some(FullChunk { chunk, records })
    }

    /// Notes that a file was written.
    pub(crate) fn written(&mut self, full: FullChunk) {
        self.done.insert(full.chunk, (totals(&full.records), full.records));
    }

    /// The games of each file, in order.
    pub(crate) fn into_files(self) -> Vec<(RecordName, Vec<GameRecord>)> {
        let job = self.job;
        self.done.into_iter().map(|(chunk, (_, records))| (job.name_of(chunk), records)).collect()
    }

    /// Whether every file is written.
    pub(crate) fn are_done(&self) -> bool {
        self.done.len() == self.job.config.games.div_ceil(self.job.config.games_per_file) as usize
    }

    /// The sums over the games of all written files, added in the order of the games whatever the order of writing.
    pub(crate) fn totals(&self) -> Totals {
        let mut sum = Totals::default();
        for (totals, _) in self.done.values() {
            sum += *totals;
        }
        sum
    }
}

impl FullChunk {
    /// Writes the file.
    pub(crate) fn write(&self, job: &Generation<'_>) -> Result<(), SelfplayError> {
        let name = job.name_of(self.chunk);
        let path = job.files.path(name);
        write_records(job.files, name, &self.records).map_err(|source| {
            let source = Box::new(source);
            SelfplayError::Write { path: path.clone(), source }
        })?;
        tracing::debug!(games = self.records.len(), "wrote {}", path.display());
        Ok(())
    }
}

fn totals(records: &[GameRecord]) -> Totals {
    let mut sum = Totals::default();
    for record in records {
        sum += Totals::of(record);
    }
    sum
}

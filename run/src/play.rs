//! The self-play of a generation.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use hippolyta_selfplay::{
    GameRecord, Generation, GenerationStats, Progress, RecordFiles, RecordName, SelfplayError,
    play_generation,
};

use crate::config::{EvaluatorKind, RunConfig};
use crate::error::RunError;
use crate::evaluators::Evaluators;
use crate::keys;
use crate::manifest::{FileRef, ModelRef, RecordRef};
use crate::sealed::sha256;
use crate::store::{Put, RunStore, StoreError};
use crate::work::{Run, board_names};

/// The games of a generation.
#[derive(Clone, Debug)]
pub struct Played {
    /// The generation.
    pub generation: u32,
    /// The network that played them.
    pub player: ModelRef,
    /// What they were like.
    pub stats: GenerationStats,
    /// Their files.
    pub records: Vec<RecordRef>,
    /// The games, in order.
    pub games: Vec<GameRecord>,
}

/// Plays the games that are missing of the generation that the run is in, with the champion.
pub(crate) fn play(run: &Run<'_>) -> Result<Played, RunError> {
    play_with(run, run.generation(), run.champion())
}

/// Plays the games of a generation that are missing, with the network `player`.
pub(crate) fn play_with(run: &Run<'_>, generation: u32, player: &ModelRef) -> Result<Played, RunError> {
    let config = &run.config;
    let evaluators = Evaluators::new(&run.model(player)?, &config.run.evaluator)?;
    // One device serves all games in one worker; cores have a worker each.
    let threads = if matches!(config.run.evaluator, EvaluatorKind::Native) { run.threads } else { 1 };
    let files = Files::of(run.store(), generation, player);
    let job = Generation {
        config: &config.selfplay,
        search: &config.search,
        model: hash_bytes(&player.hash),
        run_seed: config.run.seed,
        generation,
        files: &files,
        threads,
        stop: run.tools.stop,
    };
    let boards = board_names(&config.selfplay.boards.of(generation));
    let work = format!("generation {generation} self-play on {boards}");
    let task = run.tools.observer.task(&work, "games", u64::from(config.selfplay.games));
    let listen = |progress: &Progress| {
        task.set(progress.games, &|| format!("{} positions", progress.positions));
    };
    let played = play_generation(&job, |_| evaluators.make(), listen).map_err(|error| match error {
        SelfplayError::Interrupted => run.interrupted(),
        error => RunError::Selfplay(error),
    })?;
    let mut refs = files.refs.into_inner().unwrap_or_else(PoisonError::into_inner);
    let records = played.files.iter().map(|(name, games)| RecordRef {
        file: refs.remove(name).expect("each file was read or written"),
        games: games.len() as u64,
        positions: games.iter().map(full_searches).sum(),
    });
    let (records, player, stats) = (records.collect(), player.clone(), played.stats);
    let games = played.files.into_iter().flat_map(|(_, games)| games).collect();
    Ok(Played { generation, player, stats, records, games })
}

/// Whether every record file of the generation that the run is in is there.
pub(crate) fn is_done(
    store: &dyn RunStore,
    config: &RunConfig,
    generation: u32,
    player: &ModelRef,
) -> Result<bool, RunError> {
    Ok(store.list(&keys::games(generation, &player.hash))?.len() >= files_of(config))
}

/// The record files of a generation.
pub(crate) fn files_of(config: &RunConfig) -> usize {
    config.selfplay.games.div_ceil(config.selfplay.games_per_file) as usize
}

fn full_searches(record: &GameRecord) -> u64 {
    record.searched.iter().filter(|search| search.full).count() as u64
}

/// A hash in hexadecimal, as records hold it.
fn hash_bytes(hash: &str) -> [u8; 32] {
    std::array::from_fn(|i| {
        u8::from_str_radix(&hash[2 * i..2 * i + 2], 16).expect("a SHA-256 in hexadecimal")
    })
}

/// The record files of a generation by one network.
#[derive(Debug)]
struct Files<'a> {
    store: &'a dyn RunStore,
    prefix: String,
    /// Those that were read or written.
    refs: Mutex<BTreeMap<RecordName, FileRef>>,
}

impl<'a> Files<'a> {
    fn of(store: &'a dyn RunStore, generation: u32, player: &ModelRef) -> Files<'a> {
        Files { store, prefix: keys::games(generation, &player.hash), refs: Mutex::default() }
    }

    fn key(&self, name: RecordName) -> String {
        format!("{}{name}", self.prefix)
    }

    fn note(&self, name: RecordName, bytes: &[u8]) {
        let file = FileRef { key: self.key(name), size: bytes.len() as u64, sha256: sha256(bytes) };
        self.refs.lock().unwrap_or_else(PoisonError::into_inner).insert(name, file);
    }
}

/// What the store says; who asked names the file.
fn source(error: StoreError) -> io::Error {
    error.source
}

impl RecordFiles for Files<'_> {
    fn list(&self) -> io::Result<Vec<RecordName>> {
        let entries = self.store.list(&self.prefix).map_err(source)?;
        let name = |key: &str| key.strip_prefix(&self.prefix)?.parse().ok();
        Ok(entries.iter().filter_map(|entry| name(&entry.key)).collect())
    }

    fn read(&self, name: RecordName) -> io::Result<Vec<u8>> {
        let bytes = self.store.get(&self.key(name)).map_err(source)?.ok_or(io::ErrorKind::NotFound)?;
        self.note(name, &bytes);
        Ok(bytes)
    }

    fn write(&self, name: RecordName, bytes: &[u8]) -> io::Result<()> {
        let key = self.key(name);
        if self.store.put_new(&key, bytes).map_err(source)? == Put::Exists
            && self.store.get(&key).map_err(source)?.as_deref() != Some(bytes)
        {
            return Err(io::Error::other("somebody else put other games there"));
        }
        self.note(name, bytes);
        Ok(())
    }

    fn remove(&self, name: RecordName) -> io::Result<()> {
        self.store.remove(&self.key(name)).map_err(source)
    }

    fn path(&self, name: RecordName) -> PathBuf {
        self.store.path(&self.key(name))
    }
}

//! A run that this process works on.

use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use hippolyta_game::{Board, Position};
use hippolyta_model::{Calibration, ModelFile, NetSpec, Weights};
use hippolyta_search::seed::derive;

use crate::config::{Resolved, RunConfig, first_difference};
use crate::error::{Damage, RunError};
use crate::evaluators::random_game;
use crate::history::{History, checked, foreign, missing, put};
use crate::inspect::{Depth, damages, frozen, twin};
use crate::keys;
use crate::manifest::{FileRef, ModelRef};
use crate::observer::Observer;
use crate::row;
use crate::sealed::sha256;
use crate::store::{Put, RunStore};
use crate::tensorboard::{self, Scalars};

/// Sets the seeds of a run's stages apart from each other; self-play and training have their own.
const SEED_NETWORK: u64 = u64::from_be_bytes(*b"-network");
/// Networks kept in memory: candidate, champion, and the two before.
const KEPT_MODELS: usize = 4;

/// What a run is worked on with.
#[derive(Clone)]
pub struct Tools<'a> {
    /// The run's files.
    pub store: Arc<dyn RunStore>,
    /// Whoever watches.
    pub observer: &'a dyn Observer,
    /// Set to stop at the next safe point.
    pub stop: &'a AtomicBool,
}

impl std::fmt::Debug for Tools<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools").field("store", &self.store).finish_non_exhaustive()
    }
}

/// A run that this process works on, alone.
#[derive(Debug)]
pub struct Run<'a> {
    pub(crate) tools: Tools<'a>,
    pub(crate) config: RunConfig,
    /// SHA-256 of the frozen configuration.
    pub(crate) config_hash: String,
    pub(crate) history: History,
    /// The network that the run begins with.
    pub(crate) first: ModelRef,
    pub(crate) threads: usize,
    pub(crate) scalars: Mutex<Scalars>,
    models: Mutex<VecDeque<(String, Arc<ModelFile>)>>,
}

impl<'a> Run<'a> {
    /// Starts a run with a configuration, or goes on with it where there is one. A new run begins with the network
    /// `init`, or with an untrained one.
    ///
    /// # Errors
    /// When the configuration is not the run's, or the run's files are damaged.
    pub fn start(tools: Tools<'a>, given: Resolved, init: Option<&ModelFile>) -> Result<Run<'a>, RunError> {
        let mut given = given;
        if let Some(init) = init {
            same_network(init.weights.spec(), &given.config.network)?;
            given = given.with_run_key("init", init.hash()).map_err(RunError::Config)?;
        }
        let history = History::read(&*tools.store)?;
        match frozen(&*tools.store, &history) {
            Err(RunError::NoRun(_)) => {
                put(&*tools.store, keys::CONFIG, given.text().as_bytes())?;
            }
            Err(error) => return Err(error),
            Ok((before, _)) => {
                if init.is_none() {
                    given = given
                        .with_run_key("init", before.config.run.init.as_str())
                        .map_err(RunError::Config)?;
                }
                if let Some(difference) = first_difference(&before.table, &given.table) {
                    return Err(RunError::Config(format!(
                        "{} was started with another configuration: {difference}; choose another --run DIR",
                        tools.store.path("").display()
                    )));
                }
            }
        }
        Run::open(tools, history, init)
    }

    /// Takes up a run that was started before.
    ///
    /// # Errors
    /// When there is none, or its files are damaged.
    pub fn resume(tools: Tools<'a>) -> Result<Run<'a>, RunError> {
        let history = History::read(&*tools.store)?;
        Run::open(tools, history, None)
    }

    fn open(tools: Tools<'a>, history: History, init: Option<&ModelFile>) -> Result<Run<'a>, RunError> {
        let (Resolved { config, added, .. }, config_hash) = frozen(&*tools.store, &history)?;
        refuse_older_version(&*tools.store)?;
        for key in added {
            tools.observer.tell(&format!(
                "config.toml is from before {key}: the run goes on with the value in configs/base.toml"
            ));
        }
        let threads = match config.run.threads {
            0 => thread::available_parallelism().map_err(RunError::Cores)?.get(),
            threads => threads,
        };
        let first = first_model(&*tools.store, &config, &history, init)?;
        let (scalars, models) = (Mutex::default(), Mutex::default());
        let mut run = Run { tools, config, config_hash, history, first, threads, scalars, models };
        run.mend()?;
        tensorboard::restore(&run)?;
        if row::write(run.store(), &run.history)? {
            run.tools.observer.tell("metrics.jsonl did not fit the manifests; it was made anew from them");
        }
        Ok(run)
    }

    /// Makes damaged files again, where that can be done.
    fn mend(&mut self) -> Result<(), RunError> {
        let found = damages(self.store(), &self.history, Depth::Start)?;
        let mut to_play = BTreeMap::new();
        for damage in &found {
            if let Some(generation) = generation_of_games(&damage.key) {
                to_play.entry(generation).or_insert_with(Vec::new).push(damage);
            } else if let Some((own, other)) = twin(&self.history, &found, &damage.key) {
                self.tools.observer.tell(&format!("{damage}: it was made anew from {}", other.key));
                let bytes = checked(self.store(), other, &other.key)?;
                self.store().remove(&own.key)?;
                put(self.store(), &own.key, &bytes)?;
            } else {
                return Err(damage.clone().into());
            }
        }
        for (generation, damaged) in to_play {
            self.play_again(generation, &damaged)?;
        }
        Ok(())
    }

    /// Plays damaged record files of a finished generation again, which gives the same files.
    pub(crate) fn play_again(&self, generation: u32, damaged: &[&Damage]) -> Result<(), RunError> {
        for damage in damaged {
            self.tools.observer.tell(&format!("{damage}: its games are played again"));
            self.store().remove(&damage.key)?;
        }
        let manifest = self.history.manifest(generation).expect("a manifest names the file");
        let played = crate::play::play_with(self, generation, &manifest.player)?;
        match played.records.iter().zip(&manifest.records).find(|(again, before)| again != before) {
            None => Ok(()),
            Some((again, _)) => Err(RunError::NotReproduced { path: self.store().path(&again.file.key) }),
        }
    }

    /// The run's files.
    pub fn store(&self) -> &dyn RunStore {
        &*self.tools.store
    }

    /// The configuration.
    pub fn config(&self) -> &RunConfig {
        &self.config
    }

    /// What the run made so far.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The generation that the run is in, from 1.
    pub fn generation(&self) -> u32 {
        self.history.generations() + 1
    }

    /// The network that plays the generation that the run is in.
    pub(crate) fn champion(&self) -> &ModelRef {
        self.history.last().map_or(&self.first, |manifest| &manifest.gated.champion)
    }

    /// The last network that won a match, or the one that the run began with.
    pub(crate) fn proven(&self) -> &ModelRef {
        self.history.last().map_or(&self.first, |manifest| &manifest.gated.proven)
    }

    /// The network that became champion in a generation.
    pub(crate) fn champion_of(&self, generation: u32) -> &ModelRef {
        if generation == 0 {
            return &self.first;
        }
        self.history.became_champion(generation).expect("reports name networks that became champion")
    }

    /// Reads a network, unless it is in memory.
    pub(crate) fn model(&self, model: &ModelRef) -> Result<Arc<ModelFile>, RunError> {
        let kept = |models: &VecDeque<(String, Arc<ModelFile>)>| {
            models.iter().find(|(hash, _)| *hash == model.hash).map(|(_, file)| Arc::clone(file))
        };
        if let Some(file) = kept(&self.models.lock().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(file);
        }
        let bytes = checked(self.store(), &model.file, &keys::manifest(self.history.generations()))?;
        let file = parse_model(self.store(), &model.file.key, &bytes)?;
        self.remember(&file);
        Ok(file)
    }

    /// Keeps a network in memory, and forgets the oldest.
    pub(crate) fn remember(&self, file: &Arc<ModelFile>) {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        models.push_back((file.hash(), Arc::clone(file)));
        if models.len() > KEPT_MODELS {
            models.pop_front();
        }
    }

    pub(crate) fn is_stopped(&self) -> bool {
        self.tools.stop.load(Ordering::SeqCst)
    }

    /// What whoever stopped the run is told.
    pub(crate) fn interrupted(&self) -> RunError {
        RunError::Interrupted { run: self.store().path("") }
    }
}

/// The finished generation that a record file is of.
fn generation_of_games(key: &str) -> Option<u32> {
    let name = key.strip_prefix(keys::GAMES)?.split('/').next()?;
    name.strip_prefix('g')?.parse().ok()
}

/// A network of the run, out of its bytes.
pub(crate) fn parse_model(store: &dyn RunStore, key: &str, bytes: &[u8]) -> Result<Arc<ModelFile>, RunError> {
    let file = ModelFile::from_bytes(bytes).map_err(|error| foreign(store, key, &error.to_string()))?;
    Ok(Arc::new(file))
}

/// The network that the run begins with; made when it is not there.
fn first_model(
    store: &dyn RunStore,
    config: &RunConfig,
    history: &History,
    init: Option<&ModelFile>,
) -> Result<ModelRef, RunError> {
    if let Some(manifest) = history.manifest(1) {
        return Ok(manifest.player.clone());
    }
    let key = keys::model(0);
    let init_hash = &config.run.init;
    let bytes = match (store.get(&key)?, init) {
        (Some(bytes), _) => bytes,
        (None, Some(init)) => init.to_bytes(),
        (None, None) if init_hash.is_empty() => untrained(config).to_bytes(),
        (None, None) => return Err(missing(store, &key, keys::CONFIG).into()),
    };
    let file = parse_model(store, &key, &bytes)?;
    let hash = file.hash();
    let is_right =
        if init_hash.is_empty() { file.weights.spec() == &config.network } else { hash == *init_hash };
    if !is_right {
        return Err(foreign(store, &key, "it is not the network that config.toml describes").into());
    }
    // What is there was just read.
    if store.put_new(&key, &bytes)? == Put::New {
        tracing::debug!("made {key}");
    }
    let file = FileRef { key, size: bytes.len() as u64, sha256: sha256(&bytes) };
    Ok(ModelRef { generation: 0, hash, file })
}

/// Refuses a run without manifests, as earlier versions made them: their record files lie in one folder.
fn refuse_older_version(store: &dyn RunStore) -> Result<(), RunError> {
    let is_older = |key: &str| key.strip_prefix(keys::GAMES).is_some_and(|name| !name.contains('/'));
    match store.list(keys::GAMES)?.into_iter().find(|entry| is_older(&entry.key)) {
        None => Ok(()),
        Some(entry) => {
            let why =
                "an earlier version, which wrote no manifests, played these games; choose another --run DIR";
            Err(foreign(store, &entry.key, why).into())
        }
    }
}

/// The untrained network of a configuration.
fn untrained(config: &RunConfig) -> ModelFile {
    let seed = derive(config.run.seed, &[SEED_NETWORK]);
    let weights = Weights::untrained(config.network.clone(), seed).expect("a validated network can be made");
    // int8 needs to know how large activations get; random games show it well enough for random weights.
    let boards = config.selfplay.boards.up_to(u32::MAX);
    let games = boards.into_iter().flat_map(|board| (0..8).map(move |game| (board, game)));
    let positions: Vec<Position> =
        games.flat_map(|(board, game)| random_game(board, derive(seed, &[game]))).collect();
    let ranges = Calibration::over(&weights, &positions).expect("untrained weights have finite activations");
    let history = [("generation".to_owned(), "0".to_owned()), ("seed".to_owned(), seed.to_string())];
    ModelFile { weights, calibration: Some(ranges), history: history.into() }
}

/// Checks that a network to begin with is the one that the configuration describes.
fn same_network(model: &NetSpec, config: &NetSpec) -> Result<(), RunError> {
    let table = |spec: &NetSpec| toml::Table::try_from(spec).expect("a spec is a table");
    match first_difference(&table(model), &table(config)) {
        None => Ok(()),
        Some(difference) => Err(RunError::Config(format!(
            "the network to begin with is not the configuration's: network.{}",
            difference.replace(" there and ", " in the model and ").replace(" here", " in the configuration")
        ))),
    }
}

/// Boards as in `6x6, 8x8`.
pub fn board_names(boards: &[Board]) -> String {
    boards.iter().map(Board::to_string).collect::<Vec<_>>().join(", ")
}

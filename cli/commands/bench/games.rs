//! The speed of self-play.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use hippolyta_game::Board;
use hippolyta_model::{Isa, Network, Precision, Weights};
use hippolyta_run::RunConfig;
use hippolyta_run::evaluators::cached;
use hippolyta_search::UniformEvaluator;
use hippolyta_selfplay::{
    GameRecord, Generation, Progress, RecordFolder, SelfplayConfig, SelfplayError, play_generation,
};

use super::network::some_ranges;

/// How games are played: as in the quick run, but for the board.
const CONFIG: &str = include_str!("../../../configs/quick.toml");
/// How long games are played; at least one is played to its end.
const TIME: Duration = Duration::from_millis(2500);
/// More games than there is time for.
const GAMES: u32 = 1_000_000;
/// As many as a file may hold, so that hardly any is written.
const GAMES_PER_FILE: u32 = 4096;

/// Games, and positions searched in full, a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Speed {
    pub(super) games_per_s: f64,
    pub(super) positions_per_s: f64,
}

/// What was played so far.
struct Played {
    began: Instant,
    /// At the end of the last finished game, which is the moment up to which games and positions are counted: a game
    /// half played counts for nothing.
    until: Instant,
    progress: Progress,
}

fn quick() -> anyhow::Result<RunConfig> {
    let quick = RunConfig::over_base(CONFIG).map_err(anyhow::Error::msg).context("configs/quick.toml")?;
    Ok(quick.config)
}

/// Games of self-play by quick searches without a network, by `threads` workers.
pub(super) fn quick_games(board: Board, games: u32, threads: usize) -> anyhow::Result<Vec<GameRecord>> {
    let config = quick()?;
    let selfplay = SelfplayConfig { games, full_share: 0.0, ..config.selfplay.on(board) };
    let folder = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let (files, never) = (RecordFolder(folder.path()), AtomicBool::new(false));
    let job = Generation::of_no_run(&selfplay, &config.search, &files, threads, &never);
    let played = play_generation(&job, |_| Box::new(UniformEvaluator), |_| {})?;
    Ok(played.files.into_iter().flat_map(|(_, records)| records).collect())
}

/// Plays games with a network by `threads` workers.
pub(super) fn measure(weights: &Weights, board: Board, threads: usize) -> anyhow::Result<Speed> {
    let isa = Isa::best(Precision::Int8);
    let network = Arc::new(Network::new(weights, Some(&some_ranges(weights)), Precision::Int8, isa)?);
    let config = quick()?;
    let selfplay =
        SelfplayConfig { games: GAMES, games_per_file: GAMES_PER_FILE, ..config.selfplay.on(board) };
    let folder = tempfile::tempdir().context("a temporary folder cannot be made")?;
    let (files, stop) = (RecordFolder(folder.path()), AtomicBool::new(false));
    let job = Generation::of_no_run(&selfplay, &config.search, &files, threads, &stop);
    let began = Instant::now();
    let played = Mutex::new(Played { began, until: began, progress: Progress::default() });
    let listen = |progress: &Progress| {
        let mut played = played.lock().expect("counting does not panic");
        if progress.games > played.progress.games {
            played.until = Instant::now();
            played.progress = *progress;
            if played.began.elapsed() >= TIME {
                stop.store(true, Ordering::Relaxed);
            }
        }
    };
    let evaluator = |_| Box::new(cached(&network)) as _;
    match play_generation(&job, evaluator, listen) {
        Err(SelfplayError::Interrupted) => {}
        Err(error) => return Err(error.into()),
        Ok(_) => unreachable!("no machine plays {GAMES} games in seconds"),
    }
    let Played { began, until, progress } = played.into_inner().expect("counting does not panic");
    let seconds = (until - began).as_secs_f64();
    Ok(Speed {
        games_per_s: progress.games as f64 / seconds,
        positions_per_s: progress.positions as f64 / seconds,
    })
}

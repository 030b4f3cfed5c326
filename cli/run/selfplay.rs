//! The self-play of a generation.

use std::path::PathBuf;

use hippolyta_run::EvaluatorKind;
use hippolyta_selfplay::{
    Generation, GenerationStats, Progress, SelfplayError, play_generation, record_files,
};

use crate::evaluators::Evaluators;
use crate::interrupt;
use crate::output;
use crate::run::Run;
use crate::run::directory::remove;

/// Plays the games of a generation that are missing, with the champion.
///
/// # Errors
/// When games cannot be played or kept; [`interrupt::Interrupted`] if the person stops it.
pub(crate) fn ensure(run: &Run, generation: u32) -> anyhow::Result<GenerationStats> {
    let config = &run.config;
    let evaluators = Evaluators::read(&run.champion(generation)?, &config.run.evaluator)?;
    // One device serves all games in one worker; cores have a worker each.
    let threads = if matches!(config.run.evaluator, EvaluatorKind::Native) { run.threads } else { 1 };
    let job = Generation {
        config: &config.selfplay,
        search: &config.search,
        model: evaluators.hash(),
        run_seed: config.run.seed,
        generation,
        folder: &run.directory.games(),
        threads,
        stop: interrupt::flag(),
    };
    let boards = output::board_names(&config.selfplay.boards.of(generation));
    let work = format!("generation {generation} self-play on {boards}");
    let task = run.progress.task(&work, "games", u64::from(config.selfplay.games));
    let listen = |progress: &Progress| {
        task.set(progress.games, || format!("{} positions", progress.positions));
    };
    match play_generation(&job, |_| evaluators.make(), listen) {
        Ok(stats) => Ok(stats),
        Err(SelfplayError::Interrupted) => Err(run.interrupted()),
        Err(error) => Err(error.into()),
    }
}

/// Whether every record file of a generation is there.
///
/// # Errors
/// When the folder cannot be read.
pub(crate) fn is_done(run: &Run, generation: u32) -> anyhow::Result<bool> {
    let config = &run.config.selfplay;
    Ok(files(run, generation)?.len() == config.games.div_ceil(config.games_per_file) as usize)
}

/// Removes the games of a generation, which another champion than its own has played.
///
/// # Errors
/// When the file system refuses.
pub(crate) fn discard(run: &Run, generation: u32) -> anyhow::Result<()> {
    files(run, generation)?.iter().try_for_each(|path| remove(path))
}

/// The record files of a generation.
fn files(run: &Run, generation: u32) -> anyhow::Result<Vec<PathBuf>> {
    let files = record_files(&run.directory.games())?;
    let of_generation = files.into_iter().filter(|(name, _)| name.generation == generation);
    Ok(of_generation.map(|(_, path)| path).collect())
}

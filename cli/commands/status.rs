//! `status`: how far a run is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::Args;
use hippolyta_run::{LocalStore, RunStore, Snapshot, Timing, keys};
use serde::Serialize;

use crate::at_work::{failed, is_at_work};
use crate::failure::wrong_input;
use crate::output;
use crate::progress::duration;
use crate::row_line::rating_words;

/// Show a run's generation, games, champion, rating and rates, and what it waits for.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta status --run runs/quick")]
pub(crate) struct Arguments {
    /// The run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Status {
    /// Finished generations.
    generation: u32,
    games: u64,
    positions: u64,
    steps: u64,
    /// The champion's model file.
    champion: String,
    rating: Option<f64>,
    rating_interval: Option<[f64; 2]>,
    /// The newest scores against the levels.
    scores: BTreeMap<String, f64>,
    /// Seconds of work so far.
    seconds: f64,
    /// Of the last generation.
    games_per_second: Option<f64>,
    seconds_per_generation: Option<f64>,
    /// The stage that is due.
    waits_for: &'static str,
    /// Whether a process is at work on it now; null where that cannot be found out.
    running: Option<bool>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let store = LocalStore::new(&arguments.run);
    let running = is_at_work(&arguments.run);
    let run = Snapshot::take(&store).map_err(failed)?;
    let status = status(&run, &store, running, arguments.json)?;
    if arguments.json { output::json(&status) } else { output::text(&words(&status)) }
}

fn status(run: &Snapshot, store: &dyn RunStore, running: Option<bool>, json: bool) -> anyhow::Result<Status> {
    let rows = &run.rows;
    let last = rows.last();
    let is_of_last = |timing: &&Timing| last.is_some_and(|row| row.generation == timing.generation);
    let timing = run.timings.last().filter(is_of_last);
    let mut games = rows.iter().rev().map(|row| row.games);
    let new_games = games.next().unwrap_or(0) - games.next().unwrap_or(0);
    let champion =
        run.history.champion().map_or_else(|| keys::model(0), |champion| champion.file.key.clone());
    Ok(Status {
        generation: last.map_or(0, |row| row.generation),
        games: last.map_or(0, |row| row.games),
        positions: last.map_or(0, |row| row.positions),
        steps: last.map_or(0, |row| row.steps),
        champion: as_text(&store.path(&champion), json)?,
        rating: last.and_then(|row| row.rating),
        rating_interval: last.and_then(|row| row.rating_interval),
        scores: rows
            .iter()
            .rev()
            .find(|row| !row.scores.is_empty())
            .map(|row| row.scores.clone())
            .unwrap_or_default(),
        seconds: run.seconds,
        games_per_second: timing.filter(|t| t.selfplay > 0.0).map(|t| new_games as f64 / t.selfplay),
        seconds_per_generation: timing.map(Timing::seconds),
        waits_for: run.due.command(),
        running,
    })
}

/// A path for people, or for JSON, which cannot hold each.
fn as_text(path: &Path, json: bool) -> anyhow::Result<String> {
    match path.to_str() {
        None if json => Err(wrong_input(format!(
            "{} is not UTF-8, as JSON is: rename it",
            path.as_os_str().as_encoded_bytes().escape_ascii()
        ))),
        _ => Ok(path.to_string_lossy().into_owned()),
    }
}

fn words(status: &Status) -> String {
    let mut lines = vec![
        format!(
            "generation {} finished: {} games, {} positions, {} steps in {}",
            status.generation,
            output::grouped(status.games),
            output::grouped(status.positions),
            output::grouped(status.steps),
            duration(status.seconds)
        ),
        format!("champion: {}", status.champion),
    ];
    if let (Some(rating), Some(interval)) = (status.rating, status.rating_interval) {
        lines.push(rating_words(rating, interval));
    }
    if !status.scores.is_empty() {
        let scores = status.scores.iter().map(|(level, score)| format!("{level} {score:.3}"));
        lines.push(format!("newest scores: {}", scores.collect::<Vec<_>>().join(", ")));
    }
    if let (Some(games), Some(seconds)) = (status.games_per_second, status.seconds_per_generation) {
        lines.push(format!("{games:.1} games a second, {} a generation", duration(seconds)));
    }
    let waits = match status.running {
        Some(true) => "a process is at work on it",
        Some(false) => "nobody is at work on it",
        None => "whether a process is at work on it cannot be found out",
    };
    lines.push(format!("{waits}; the next stage to finish is {}", status.waits_for));
    lines.join("\n")
}

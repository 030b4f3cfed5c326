//! `train`: starts a run, or goes on with it.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;

use crate::args::whole;
use crate::failure::wrong_input;
use crate::interrupt;
use crate::output;
use crate::run::directory::RunDirectory;
use crate::run::metrics::{Row, rating_words};
use crate::run::rating::RatingReport;
use crate::run::{self, Bounds, Run};

/// Start a training run, or go on with it if its directory exists.
#[derive(Debug, Args)]
#[command(after_help = "Ctrl-C stops at the next safe point; the same command goes on.\n\
    Example: hippolyta train configs/quick.toml --minutes 10")]
pub(crate) struct Arguments {
    /// The configuration; configs/ has some, and configs/base.toml explains every key.
    config: PathBuf,
    /// The run directory (runs/ and the configuration's name unless given).
    #[arg(long, value_name = "DIR")]
    run: Option<PathBuf>,
    /// Stop after so many minutes of work, counted over restarts, instead of the configuration's minutes.
    /// Generations bound the run too.
    #[arg(long, value_name = "M", value_parser = parse_minutes)]
    minutes: Option<f64>,
    /// Stop after so many generations in all, instead of the configuration's number. Minutes bound the run too.
    #[arg(long, value_name = "G", value_parser = whole(1..=u32::MAX))]
    generations: Option<u32>,
}

fn parse_minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|minutes| minutes.is_finite() && *minutes > 0.0);
    minutes.ok_or_else(|| "expected a number of minutes above 0".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if cfg!(not(feature = "torch")) {
        bail!(run::NEEDS_LIBTORCH);
    }
    let root = match &arguments.run {
        Some(root) => root.clone(),
        None => Path::new("runs").join(arguments.config.file_stem().ok_or_else(|| {
            wrong_input(format!("{} names no configuration file", arguments.config.display()))
        })?),
    };
    interrupt::watch()?;
    let run = Run::start(&arguments.config, &root)?;
    let given = Bounds::of(&run.config);
    let bounds = Bounds {
        generations: arguments.generations.or(given.generations),
        minutes: arguments.minutes.or(given.minutes),
    };
    let generations = || Row::read_all(&run.directory).map(|rows| rows.len());
    let before = generations()?;
    run::train(&run, bounds)?;
    if before > 0 && generations()? == before {
        output::text(&nothing_to_do(before, bounds))?;
    }
    output::text(&closing_words(&run.directory, run.config.rating.visits)?)
}

/// Why a run of so many generations does not go on.
fn nothing_to_do(generations: usize, bounds: Bounds) -> String {
    let bound = |bound: Option<String>| bound.unwrap_or_else(|| "none".to_owned());
    format!(
        "no further generation: the run has {generations}, and its bounds are generations: {}, minutes: {}; \
         --generations and --minutes set others",
        bound(bounds.generations.map(|all| all.to_string())),
        bound(bounds.minutes.map(|minutes| minutes.to_string())),
    )
}

/// Where the champion is, and how strong.
fn closing_words(directory: &RunDirectory, visits: u64) -> anyhow::Result<String> {
    let rows = Row::read_all(directory)?;
    let Some(row) = rows.last() else {
        return Ok("no generation fits into the time given".to_owned());
    };
    let mut lines = vec![format!("champion: {}", directory.model(row.champion).display())];
    for rated in rows.iter().rev() {
        let Some(report) = RatingReport::read(directory, rated.generation)? else { continue };
        let of = if report.champion == row.champion { "" } else { " (an earlier champion)" };
        let score = |name: &str| {
            let pairs = report.pairs.get(name)?;
            Some(format!("{name} {:.3} ({} games)", pairs.score(), pairs.games()))
        };
        let scores: Vec<_> = ["easy", "medium", "hard", "classical"].into_iter().filter_map(score).collect();
        lines.push(format!("score against {} at {visits} visits a move{of}", scores.join(", ")));
        break;
    }
    if let (Some(rating), Some(interval)) = (row.rating, row.rating_interval) {
        lines.push(rating_words(rating, interval));
    }
    lines.push(format!(
        "curves, matches and games as a page: hippolyta report --run {}",
        directory.root().display()
    ));
    Ok(lines.join("\n"))
}

//! `train`: starts a run, or goes on with it.

use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use hippolyta_model::ModelFile;
use hippolyta_run::{Bounds, Row, Run, RunConfig, quoted, train};

use crate::at_work::{AtWork, failed};
use crate::failure::wrong_input;
use crate::interrupt;
use crate::output;
use crate::row_line::{headings, rating_words};
use crate::values::{threads, whole};

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
    /// Begin a new run with the weights of this network instead of untrained ones. It has to be the network that the
    /// configuration describes.
    #[arg(long, value_name = "MODEL")]
    init: Option<PathBuf>,
}

fn parse_minutes(text: &str) -> Result<f64, String> {
    let minutes = text.parse::<f64>().ok().filter(|minutes| minutes.is_finite() && *minutes > 0.0);
    minutes.ok_or_else(|| "expected a number of minutes above 0".to_owned())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if cfg!(not(feature = "torch")) {
        bail!(hippolyta_run::NEEDS_LIBTORCH);
    }
    let root = match &arguments.run {
        Some(root) => root.clone(),
        None => Path::new("runs").join(arguments.config.file_stem().ok_or_else(|| {
            wrong_input(format!("{} names no configuration file", arguments.config.display()))
        })?),
    };
    let given = RunConfig::read(&arguments.config).map_err(|fault| wrong_input(fault.to_string()))?;
    let init = arguments.init.as_deref().map(ModelFile::read).transpose()?;
    interrupt::watch()?;
    let at_work = AtWork::take(&root)?;
    let mut run = Run::start(at_work.tools(), given, init.as_ref()).map_err(failed)?;
    threads(Some(run.config().run.threads).filter(|&asked| asked > 0))?;
    let given = Bounds::of(run.config());
    let bounds = Bounds {
        generations: arguments.generations.or(given.generations),
        minutes: arguments.minutes.or(given.minutes),
    };
    let before = run.history().generations();
    output::row(&headings());
    train(&mut run, bounds).map_err(failed)?;
    if before > 0 && run.history().generations() == before {
        output::text(&nothing_to_do(before, bounds))?;
    }
    output::text(&closing_words(&run, &root))
}

/// Why a run of so many generations does not go on.
fn nothing_to_do(generations: u32, bounds: Bounds) -> String {
    let bound = |bound: Option<String>| bound.unwrap_or_else(|| "none".to_owned());
    format!(
        "no further generation: the run has {generations}, and its bounds are generations: {}, minutes: {}; \
         --generations and --minutes set others",
        bound(bounds.generations.map(|all| all.to_string())),
        bound(bounds.minutes.map(|minutes| minutes.to_string())),
    )
}

/// Where the champion is, and how strong.
fn closing_words(run: &Run<'_>, root: &Path) -> String {
    let (history, rows) = (run.history(), Row::all(run.history()));
    let (Some(champion), Some(row)) = (history.champion(), rows.last()) else {
        return "no generation fits into the time given".to_owned();
    };
    let mut lines = vec![format!("champion: {}", run.store().path(&champion.file.key).display())];
    let newest = history.ratings().values().next_back();
    if let Some(report) = history.end_reports().rating.as_ref().or(newest) {
        let of = if report.champion == champion.generation { "" } else { " (an earlier champion)" };
        let score = |name: &str| {
            let pairs = report.pairs.get(name)?;
            Some(format!("{name} {:.3} ({} games)", pairs.score(), pairs.games()))
        };
        let scores: Vec<_> = ["easy", "medium", "hard", "classical"].into_iter().filter_map(score).collect();
        let visits = run.config().rating.visits;
        lines.push(format!("score against {} at {visits} visits a move{of}", scores.join(", ")));
    }
    if let (Some(rating), Some(interval)) = (row.rating, row.rating_interval) {
        lines.push(rating_words(rating, interval));
    }
    lines.push(format!("curves, matches and games as a page: hippolyta report --run {}", quoted(root)));
    lines.join("\n")
}

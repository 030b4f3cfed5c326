//! `replay`: learns again from the games of a run.

use std::path::PathBuf;

use clap::Args;

use crate::values::whole;

/// Train a network from nothing on the games of a run, under a configuration that may differ.
///
/// It learns generation by generation, as the run did, and plays no game. Compare the networks that two
/// configurations give with 'arena'. Each row says how well the network predicts the games of a generation
/// that it has not learned from yet.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta replay runs/quick --to learned.safetensors\n\
    Example: hippolyta replay runs/quick --config changed.toml --generations 12 --to changed.safetensors")]
pub(crate) struct Arguments {
    /// The run directory whose games are learned from.
    run: PathBuf,
    /// The configuration, whose seed, network and training count (that of the run unless given).
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Learn from the first generations only (all unless given).
    #[arg(long, value_name = "G", default_value_t = u32::MAX, hide_default_value = true,
        value_parser = whole(1..=u32::MAX))]
    generations: u32,
    /// Write the network to this file.
    #[arg(long, value_name = "FILE")]
    to: PathBuf,
    /// Print one JSON object a generation.
    #[arg(long)]
    json: bool,
}

#[cfg(not(feature = "torch"))]
pub(crate) fn run(_: &Arguments) -> anyhow::Result<()> {
    anyhow::bail!(hippolyta_run::NEEDS_LIBTORCH)
}

#[cfg(feature = "torch")]
pub(crate) use with_libtorch::run;

#[cfg(feature = "torch")]
mod with_libtorch {
    use hippolyta_run::{ReplayRow, RunConfig, keys, replay};

    use crate::at_work::{AtWork, failed};
    use crate::commands::replay::Arguments;
    use crate::failure::wrong_input;
    use crate::interrupt;
    use crate::output;

    pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
        let frozen = arguments.run.join(keys::CONFIG);
        let path = arguments.config.as_ref().unwrap_or(&frozen);
        let config = RunConfig::read(path).map_err(|fault| wrong_input(fault.to_string()))?.config;
        interrupt::watch()?;
        let at_work = AtWork::take_started(&arguments.run)?;
        if !arguments.json {
            output::text(HEADINGS)?;
        }
        let mut told = Ok(());
        let mut watch = |row: &ReplayRow| {
            if told.is_ok() {
                told = if arguments.json { output::json(row) } else { output::text(&line(row)) };
            }
        };
        let model = replay(&at_work.tools(), &config, arguments.generations, &mut watch).map_err(failed)?;
        told?;
        Ok(model.write(&arguments.to)?)
    }

    const HEADINGS: &str =
        " gen positions  policy   value  excess   owner  margin  unseen policy   value    bias seconds";

    /// A row in the columns of [`HEADINGS`].
    fn line(row: &ReplayRow) -> String {
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.3}"));
        let loss = |name: &str| number(row.losses.get(name).copied());
        format!(
            "{:>4} {:>9} {:>7} {:>7} {:>7} {:>7} {:>7} {:>14} {:>7} {:>7} {:>7.1}",
            row.generation,
            row.positions,
            loss("policy"),
            loss("value"),
            loss("value_excess"),
            loss("owner"),
            loss("margin"),
            number(row.unseen.map(|unseen| unseen.policy)),
            number(row.unseen.map(|unseen| unseen.value)),
            number(row.unseen.map(|unseen| unseen.value_bias)),
            row.seconds
        )
    }
}

//! `report`: a run as one HTML page.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Args;

use crate::output;
use crate::report::{Report, page};
use crate::run::directory::RunDirectory;

/// Write a run's curves, matches and sample games as one HTML page, report.html in its directory.
#[derive(Debug, Args)]
#[command(
    after_help = "The page needs no network and no other file. If the run directory holds ladder.json, as\n\
    'hippolyta ladder --json' prints it, the page shows it too.\n\
    Example: hippolyta report --run runs/quick"
)]
pub(crate) struct Arguments {
    /// The run directory.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let directory = RunDirectory::look(&arguments.run)?;
    let path = directory.report();
    let page = page(&Report::gather(directory)?)?;
    hippolyta_files::write_atomic(&path, |out| out.write_all(page.as_bytes()))
        .with_context(|| format!("{} cannot be written", path.display()))?;
    output::text(&path.display().to_string())
}

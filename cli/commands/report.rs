//! `report`: a run as one HTML page.

use std::path::PathBuf;

use clap::Args;
use hippolyta_run::{LocalStore, RunStore as _, keys};

use crate::output;
use crate::report::{Report, page};

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
    let store = LocalStore::new(&arguments.run);
    let page = page(&Report::gather(&store)?)?;
    store.replace(keys::REPORT, page.as_bytes())?;
    output::text(&store.path(keys::REPORT).display().to_string())
}

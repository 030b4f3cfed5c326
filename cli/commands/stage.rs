//! `selfplay`, `learn` and `gate`: one stage of a run, by itself.

use std::path::PathBuf;

use clap::Args;
use hippolyta_run::{Run, Stage, StageDone};

use crate::at_work::{AtWork, failed};
use crate::interrupt;
use crate::output;
use crate::row_line::headings;
use crate::values::threads;

/// Play the games of the run's generation.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta selfplay --run runs/quick")]
pub(crate) struct SelfplayArguments {
    #[command(flatten)]
    run: RunArgument,
}

/// Train on the games so far and write the generation's candidate.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta learn --run runs/quick")]
pub(crate) struct LearnArguments {
    #[command(flatten)]
    run: RunArgument,
}

/// Decide whether the candidate becomes the champion, rate the champion, and close the generation.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta gate --run runs/quick")]
pub(crate) struct GateArguments {
    #[command(flatten)]
    run: RunArgument,
}

#[derive(Debug, Args)]
struct RunArgument {
    /// The run directory, which 'hippolyta train' made.
    #[arg(long, value_name = "DIR")]
    run: PathBuf,
}

pub(crate) fn selfplay(arguments: &SelfplayArguments) -> anyhow::Result<()> {
    run(&arguments.run, Stage::Selfplay)
}

pub(crate) fn learn(arguments: &LearnArguments) -> anyhow::Result<()> {
    run(&arguments.run, Stage::Learn)
}

pub(crate) fn gate(arguments: &GateArguments) -> anyhow::Result<()> {
    run(&arguments.run, Stage::Gate)
}

fn run(argument: &RunArgument, stage: Stage) -> anyhow::Result<()> {
    interrupt::watch()?;
    let at_work = AtWork::take_started(&argument.run)?;
    let mut run = Run::resume(at_work.tools()).map_err(failed)?;
    threads(Some(run.config().run.threads).filter(|&asked| asked > 0))?;
    let generation = run.generation();
    if stage == Stage::Gate && run.due().map_err(failed)? == stage {
        output::row(&headings());
    }
    match run.one_stage(stage).map_err(failed)? {
        StageDone::Played(played) => output::text(&format!(
            "generation {generation}: {} games, {} positions",
            played.stats.games, played.stats.positions
        )),
        StageDone::Learned(learned) => {
            output::text(&format!("generation {generation}: trained up to step {}", learned.steps))
        }
        StageDone::Closed => Ok(()),
    }
}

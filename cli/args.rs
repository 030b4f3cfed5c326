//! What can be asked on the command line.

use std::fmt::Write as _;

use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::commands::{
    arena, bench, convert, doctor, engine, evaluate, export, ladder, moves, perft, play, replay, report,
    serve, solve, stage, status, territory, train,
};

/// Trains a neural player for the Game of the Amazons by self-play, and lets it play.
#[derive(Debug, Parser)]
#[command(
    name = "hippolyta",
    version,
    after_help = "'hippolyta COMMAND --help' explains a command and shows an example.\n\
    Results go to stdout, progress to stderr.\n\
    Exit codes: 0 done, 1 the work failed, 2 wrong arguments or config, 130 interrupted (state saved)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// What this process was called with; wrong arguments end it.
    pub(crate) fn of_command_line() -> Arguments {
        Arguments::from_arg_matches(&definition().get_matches()).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Train(train::Arguments),
    Status(status::Arguments),
    Report(report::Arguments),
    Selfplay(stage::SelfplayArguments),
    Learn(stage::LearnArguments),
    Gate(stage::GateArguments),
    Play(play::Arguments),
    Serve(serve::Arguments),
    Engine(engine::Arguments),
    Arena(arena::Arguments),
    Ladder(ladder::Arguments),
    Bench(bench::Arguments),
    Replay(replay::Arguments),
    Doctor(doctor::Arguments),
    Evaluate(evaluate::Arguments),
    Moves(moves::Arguments),
    Territory(territory::Arguments),
    Solve(solve::Arguments),
    Perft(perft::Arguments),
    Convert(convert::Arguments),
    Export(export::Arguments),
}

/// The commands by what people come for, in the order of `--help`.
const GROUPS: [(&str, &[&str]); 5] = [
    ("Train a network", &["train", "status", "report", "selfplay", "learn", "gate"]),
    ("Play", &["play", "serve", "engine"]),
    ("Measure players and this machine", &["arena", "ladder", "replay", "bench", "doctor"]),
    ("Look at a position", &["evaluate", "moves", "territory", "solve", "perft"]),
    ("Convert games and networks", &["convert", "export"]),
];

/// The command line as clap knows it. A value such as -1 goes to the option before it, whose parser then says what it
/// takes; by itself clap would take it for an unknown option.
fn definition() -> clap::Command {
    let allow_negative = |arg: Arg| {
        // Flags, which take no value, cannot be told so.
        let has_value = arg.get_action().takes_values();
        arg.allow_negative_numbers(has_value)
    };
    let command = Arguments::command().mut_subcommands(|command| command.mut_args(allow_negative));
    let template = help_template(&command);
    command.help_template(template)
}

/// `--help` with the commands in their groups; clap by itself knows one list of them.
fn help_template(command: &clap::Command) -> String {
    let mut template = "{about-with-newline}\n{usage-heading} {usage}\n".to_owned();
    for (heading, names) in GROUPS {
        write!(template, "\n{heading}:\n").expect("a string takes all");
        for name in names {
            let about = command.find_subcommand(name).and_then(clap::Command::get_about);
            let about = about.map(ToString::to_string).unwrap_or_default();
            writeln!(template, "  {name:<10} {about}").expect("a string takes all");
        }
    }
    template + "\nOptions:\n{options}{after-help}"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_stands_in_one_group() {
        let command = definition();
        let mut known: Vec<&str> = command.get_subcommands().map(clap::Command::get_name).collect();
        let mut grouped: Vec<&str> = GROUPS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        known.sort_unstable();
        grouped.sort_unstable();
        assert_eq!(grouped, known);
    }
}

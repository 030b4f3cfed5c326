//! What can be asked on the command line.

use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::thread;

use anyhow::Context as _;
use clap::{Arg, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use hippolyta_eval::MOST_GAMES;
use hippolyta_game::{Board, Position};

use crate::commands::{
    arena, bench, convert, doctor, engine, evaluate, export, ladder, moves, perft, play, report, solve,
    stage, status, territory, train,
};

/// Trains a neural player for the Game of the Amazons by self-play, and lets it play.
#[derive(Debug, Parser)]
#[command(
    name = "hippolyta",
    version,
    after_help = "Results go to stdout, progress to stderr.\n\
    Exit codes: 0 done, 1 the work failed, 2 wrong arguments or config, 130 interrupted (state saved)."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// What this process was called with; wrong arguments end it. A value such as -1 goes to the option before it,
    /// whose parser then says what it takes; by itself clap would take it for an unknown option.
    pub(crate) fn of_command_line() -> Arguments {
        let allow_negative = |arg: Arg| {
            // Flags, which take no value, cannot be told so.
            let has_value = arg.get_action().takes_values();
            arg.allow_negative_numbers(has_value)
        };
        let command = Arguments::command().mut_subcommands(|command| command.mut_args(allow_negative));
        Arguments::from_arg_matches(&command.get_matches()).unwrap_or_else(|error| error.exit())
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Train(train::Arguments),
    Selfplay(stage::SelfplayArguments),
    Learn(stage::LearnArguments),
    Gate(stage::GateArguments),
    Status(status::Arguments),
    Report(report::Arguments),
    Arena(arena::Arguments),
    Ladder(ladder::Arguments),
    Play(play::Arguments),
    Engine(engine::Arguments),
    Evaluate(evaluate::Arguments),
    Export(export::Arguments),
    Moves(moves::Arguments),
    Perft(perft::Arguments),
    Convert(convert::Arguments),
    Solve(solve::Arguments),
    Territory(territory::Arguments),
    Bench(bench::Arguments),
    Doctor(doctor::Arguments),
}

/// The most milliseconds that a wait can be given: a day.
pub(crate) const MOST_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// A board that people play on, by the length of its side.
pub(crate) fn parse_size(text: &str) -> Result<Board, String> {
    text.parse().ok().and_then(Board::played).ok_or_else(|| "boards are 6, 8 or 10 squares a side".to_owned())
}

/// A parser of whole numbers in a range.
pub(crate) fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + Display + PartialOrd + Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

/// A number of games that pairs add up to.
pub(crate) fn parse_games(text: &str) -> Result<u64, String> {
    let fits = |games: &u64| (2..=MOST_GAMES).contains(games) && games.is_multiple_of(2);
    let games = text.parse().ok().filter(fits);
    games.ok_or_else(|| format!("games come in pairs: an even number from 2 to {MOST_GAMES}"))
}

/// A file that can be written after long work.
pub(crate) fn parse_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let folder = path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    if folder && !path.is_dir() && !text.ends_with('/') {
        Ok(path)
    } else {
        Err("expected a file in a folder that exists".to_owned())
    }
}

/// The number of threads that was asked for, or of cores.
pub(crate) fn threads(asked: Option<usize>) -> anyhow::Result<usize> {
    match asked {
        Some(threads) => Ok(threads),
        None => Ok(thread::available_parallelism()
            .context("the number of cores is unknown: give --threads")?
            .get()),
    }
}

/// A position by its FEN, which in a file may stand behind a byte order mark.
pub(crate) fn parse_fen(text: &str) -> Result<Position, String> {
    text.trim_start_matches('\u{feff}').parse().map_err(|error: hippolyta_game::FenError| error.to_string())
}

/// The start position of a board out of [`parse_size`].
pub(crate) fn start(board: Board) -> Position {
    Position::start(board).expect("only boards with a start position are accepted")
}

//! The command line: arguments, display and exit codes.

mod args;
mod at_work;
mod board_view;
mod commands;
mod evaluators;
mod failure;
mod interrupt;
mod lock;
mod match_arguments;
mod memory;
mod odds;
mod output;
mod players;
mod process;
mod progress;
mod report;
mod row_line;
mod shipped;
mod text_file;
mod uci_player;
mod values;

use std::process::ExitCode;

fn main() -> ExitCode {
    tracing_subscriber::fmt()
        .with_max_level(tracing_subscriber::filter::LevelFilter::WARN)
        .with_writer(|| output::Notes)
        .without_time()
        .with_target(false)
        .init();
    match commands::run(args::Arguments::of_command_line()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => failure::report(&error),
    }
}

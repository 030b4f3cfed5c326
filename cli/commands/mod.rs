//! One file a command: its arguments, and what it does.

pub(crate) mod doctor;
pub(crate) mod perft;
pub(crate) mod territory;

use crate::args::{Arguments, Command};

/// Does what was asked.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Territory(arguments) => territory::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
    }
}

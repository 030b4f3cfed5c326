//! One file a command: its arguments, and what it does.

pub(crate) mod arena;
pub(crate) mod bench;
pub(crate) mod convert;
pub(crate) mod doctor;
pub(crate) mod engine;
pub(crate) mod evaluate;
pub(crate) mod export;
pub(crate) mod ladder;
pub(crate) mod moves;
pub(crate) mod perft;
pub(crate) mod play;
pub(crate) mod replay;
pub(crate) mod report;
pub(crate) mod serve;
pub(crate) mod solve;
pub(crate) mod stage;
pub(crate) mod status;
pub(crate) mod territory;
pub(crate) mod train;

use crate::args::{Arguments, Command};

/// Does what was asked.
pub(crate) fn run(arguments: Arguments) -> anyhow::Result<()> {
    match arguments.command {
        Command::Train(arguments) => train::run(&arguments),
        Command::Selfplay(arguments) => stage::selfplay(&arguments),
        Command::Learn(arguments) => stage::learn(&arguments),
        Command::Gate(arguments) => stage::gate(&arguments),
        Command::Status(arguments) => status::run(&arguments),
        Command::Replay(arguments) => replay::run(&arguments),
        Command::Report(arguments) => report::run(&arguments),
        Command::Arena(arguments) => arena::run(&arguments),
        Command::Ladder(arguments) => ladder::run(&arguments),
        Command::Serve(arguments) => serve::run(&arguments),
        Command::Play(arguments) => play::run(&arguments),
        Command::Engine(arguments) => engine::run(&arguments),
        Command::Evaluate(arguments) => evaluate::run(&arguments),
        Command::Export(arguments) => export::run(&arguments),
        Command::Moves(arguments) => moves::run(&arguments),
        Command::Perft(arguments) => perft::run(&arguments),
        Command::Convert(arguments) => convert::run(&arguments),
        Command::Solve(arguments) => solve::run(&arguments),
        Command::Territory(arguments) => territory::run(&arguments),
        Command::Bench(arguments) => bench::run(&arguments),
        Command::Doctor(arguments) => doctor::run(&arguments),
    }
}

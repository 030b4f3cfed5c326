//! `bench`: how fast this machine is.

mod games;
mod network;
mod positions;
mod rules;
mod signature;
mod table;
mod turns;

use clap::Args;
use hippolyta_game::Board;
use hippolyta_model::{Isa, NetSpec, Precision, Weights};
use table::Report;

use crate::output;
use crate::values::{parse_size, threads};

/// Measure this machine: moves, evaluations, visits and games a second.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta bench --size 6 --net 4x48")]
pub(crate) struct Arguments {
    /// The board: 6, 8 or 10 squares a side.
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_size)]
    size: Board,
    /// The network: residual blocks x channels. Its weights are drawn at random, which costs the same time.
    #[arg(long, value_name = "BxC", default_value = "6x64", value_parser = parse_net)]
    net: NetSpec,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn parse_net(text: &str) -> Result<NetSpec, String> {
    let parse = || {
        let (blocks, channels) = text.split_once('x')?;
        Some((blocks.parse().ok()?, channels.parse().ok()?))
    };
    let (blocks, channels): (usize, usize) =
        parse().ok_or_else(|| "expected blocks x channels, as in 6x64".to_owned())?;
    let pooled = if blocks < 2 { vec![0] } else { vec![blocks / 3, 2 * blocks / 3] };
    let spec = NetSpec::with_trunk(blocks, channels, &pooled);
    spec.validate().map_err(|error| error.to_string())?;
    Ok(spec)
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.size;
    let threads = threads(None)?;
    let weights = Weights::untrained(arguments.net.clone(), 1)?;
    let step = |what: &str| output::note(format_args!("measuring {what} ..."));
    step("the network, some 10 s");
    let network = network::measure(&weights, board, threads)?;
    step("the rules, some 4 s");
    let rules = rules::measure(board, threads)?;
    step("self-play, some 6 s");
    let alone = games::measure(&weights, board, 1)?;
    let all = games::measure(&weights, board, threads)?;
    let report = Report {
        net: format!("{}x{}", arguments.net.blocks, arguments.net.channels),
        size: board.files(),
        threads,
        network,
        rules,
        selfplay_games_per_s: alone.games_per_s,
        selfplay_positions_per_s: alone.positions_per_s,
        selfplay_games_per_s_all: all.games_per_s,
        selfplay_positions_per_s_all: all.positions_per_s,
        signature: format!("{:016x}", signature::signature(Isa::best(Precision::Int8))?),
    };
    if arguments.json { output::json(&report) } else { output::text(&table::of(&report)) }
}

//! `perft`: counts move sequences.

use std::fmt::Write as _;
use std::time::Instant;

use clap::Args;
use hippolyta_game::{Board, Position};
use serde::Serialize;

use crate::output;
use crate::values::{parse_fen, parse_size, start, whole};

/// Count the sequences of legal moves of each length, to test move generation.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta perft --size 6 --depth 3")]
pub(crate) struct Arguments {
    /// Start from the start position of this board: 6, 8 or 10 (10 unless a FEN is given).
    #[arg(long, value_name = "N", value_parser = parse_size, conflicts_with = "fen")]
    size: Option<Board>,
    /// Start from this position.
    #[arg(long, value_parser = parse_fen)]
    fen: Option<Position>,
    /// The longest sequences to count, in plies.
    #[arg(long, value_name = "D", value_parser = whole(1..=100_u32))]
    depth: u32,
    /// Print one JSON object: {"nodes":[d1,d2,..]}.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Counts {
    nodes: Vec<u64>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position = arguments.fen.unwrap_or_else(|| start(arguments.size.unwrap_or(Board::TEN)));
    let mut counts = Counts { nodes: Vec::new() };
    let mut lines = String::new();
    for depth in 1..=arguments.depth {
        let started = Instant::now();
        let nodes = hippolyta_game::perft(&position, depth);
        let milliseconds = started.elapsed().as_secs_f64() * 1e3;
        counts.nodes.push(nodes);
        writeln!(lines, "depth {depth}: {} ({milliseconds:.1} ms)", output::grouped(nodes))?;
        if !arguments.json {
            output::text(&std::mem::take(&mut lines))?;
        }
    }
    if arguments.json { output::json(&counts) } else { Ok(()) }
}

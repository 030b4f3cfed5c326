//! `solve`: proves who wins a position.

use anyhow::Context as _;
use clap::Args;
use hippolyta_game::{Position, SolveLimits, solve_watched};
use serde::Serialize;

use crate::output;
use crate::progress::Progress;
use crate::values::{parse_fen, whole};

/// Who wins, where the limits left that open.
const UNKNOWN: &str = "unknown";

/// Prove who wins a position, with the winning move.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta solve --fen \"1qq1/q2q/Q2Q/1QQ1 w\"")]
pub(crate) struct Arguments {
    /// The position.
    #[arg(long, value_parser = parse_fen)]
    fen: Position,
    /// Positions to expand before the answer is "unknown".
    #[arg(long, value_name = "K", default_value_t = u64::MAX, hide_default_value = true,
        value_parser = whole(0..=u64::MAX))]
    max_nodes: u64,
    /// Memory for the table of positions seen, in MiB.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = whole(0..=usize::MAX >> 20))]
    memory: usize,
    /// Print one JSON object: {"winner":"white|black|unknown","nodes":..,"move":..}.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    winner: String,
    nodes: u64,
    #[serde(rename = "move")]
    best: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let table_bytes = arguments.memory.saturating_mul(1 << 20);
    let limits = SolveLimits { nodes: arguments.max_nodes, table_bytes };
    let bounded = (limits.nodes < u64::MAX).then_some(limits.nodes);
    let task = Progress::new().task("proving the winner", "positions", bounded);
    let solution = solve_watched(&arguments.fen, limits, &mut |progress| {
        task.set(progress.nodes, || format!("table {:.0}% full", 100.0 * progress.table_filled));
    })
    .context("a smaller --memory may do")?;
    drop(task);
    let winner = output::side_or(solution.winner, UNKNOWN);
    let best = solution.best.map(|m| m.to_string());
    if arguments.json {
        return output::json(&Report { winner, nodes: solution.nodes, best });
    }
    let nodes = output::grouped(solution.nodes);
    output::text(&match (solution.winner, best) {
        (None, _) => format!("{UNKNOWN} after {nodes} positions"),
        (Some(winner), Some(best)) => format!("{winner} wins with {best} ({nodes} positions)"),
        (Some(winner), None) => {
            format!("{winner} wins: the side to move has no winning move ({nodes} positions)")
        }
    })
}

//! `moves`: the legal moves of positions.

use std::io::{self, BufRead as _};

use anyhow::Context as _;
use clap::Args;
use hippolyta_game::{Move, Position};
use serde::Serialize;

use crate::failure::wrong_input;
use crate::output;
use crate::values::parse_fen;

/// List the legal moves of positions, one JSON object a line: {"moves":["d1-d7/g7",..],"winner":null}.
///
/// Without --fen it reads FENs from stdin, a line each, and answers each at once; empty lines have no answer.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta moves --fen \"1qq1/q2q/Q2Q/1QQ1 w\"")]
pub(crate) struct Arguments {
    /// The position.
    #[arg(long, value_parser = parse_fen)]
    fen: Option<Position>,
}

#[derive(Serialize)]
struct Answer {
    moves: Vec<String>,
    /// `white` or `black` where there is no move.
    winner: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if let Some(position) = &arguments.fen {
        return answer(position);
    }
    for (line, number) in io::stdin().lock().lines().zip(1..) {
        let line = line.context("stdin cannot be read")?;
        if line.trim().is_empty() {
            continue;
        }
        let position =
            parse_fen(line.trim()).map_err(|problem| wrong_input(format!("line {number}: {problem}")))?;
        answer(&position)?;
    }
    Ok(())
}

fn answer(position: &Position) -> anyhow::Result<()> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let moves = moves.iter().map(Move::to_string).collect();
    let winner = position.winner().map(|side| side.to_string());
    output::json(&Answer { moves, winner })
}

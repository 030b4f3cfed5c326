//! `territory`: what the regions of a position say of its result.

use clap::Args;
use hippolyta_game::{Bounds, Position};
use serde::Serialize;

use crate::output;
use crate::values::parse_fen;

/// Count territory: who has won for certain, and the moves that each side can still make by itself.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta territory --fen \"QQQqqq/******/******/******/*Q****/1*1*q* w\"")]
pub(crate) struct Arguments {
    /// The position.
    #[arg(long, value_parser = parse_fen)]
    fen: Position,
    /// Print one JSON object: {"verdict":"white|black|open","white":[lo,hi],"black":[lo,hi]}.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Report {
    verdict: String,
    white: [u32; 2],
    black: [u32; 2],
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let position = &arguments.fen;
    let [white, black] = position.territory().moves.map(|Bounds { low, high }| [low, high]);
    if arguments.json {
        let verdict = output::side_or(position.verdict(), "open");
        return output::json(&Report { verdict, white, black });
    }
    let words = match position.verdict() {
        Some(side) => format!("{side} wins"),
        None => "open: the regions do not decide it yet".to_owned(),
    };
    output::text(&format!(
        "{words}\nmoves that White can make by itself: {}\nmoves that Black can make by itself: {}\n",
        span(white),
        span(black)
    ))
}

/// Bounds in words: one number where they meet.
fn span([low, high]: [u32; 2]) -> String {
    if low == high { low.to_string() } else { format!("{low} to {high}") }
}

#[cfg(test)]
mod tests {
    use super::span;

    #[test]
    fn bounds_that_meet_are_one_number() {
        assert_eq!([span([3, 3]), span([3, 5])], ["3", "3 to 5"]);
    }
}

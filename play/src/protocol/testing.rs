//! The known games in every dialect, for tests.

use hippolyta_game::{Move, Position};
use serde_json::Value;

use super::Order;

pub(crate) struct Game {
    pub(crate) size: u64,
    pub(crate) start: String,
    pub(crate) steps: Vec<Step>,
}

pub(crate) struct Step {
    pub(crate) m: Move,
    pub(crate) fairy: String,
    pub(crate) sau: String,
    pub(crate) botzone: String,
    /// The position after the move.
    pub(crate) position: Position,
}

/// One line said.
pub(crate) fn say(line: &str) -> [Order; 1] {
    [Order::Say(line.to_owned())]
}

pub(crate) fn facts() -> Vec<Game> {
    let games: Value = serde_json::from_str(include_str!("../../../game/tests/facts/notations.json"))
        .expect("the facts are JSON");
    games.as_array().expect("a list of games").iter().map(game).collect()
}

fn game(game: &Value) -> Game {
    let steps = game["moves"].as_array().expect("a list of moves").iter().map(step).collect();
    Game { size: game["size"].as_u64().expect("a size"), start: text(game, "start"), steps }
}

fn step(step: &Value) -> Step {
    Step {
        m: text(step, "human").parse().expect("a move"),
        fairy: text(step, "fairy-stockfish"),
        sau: text(step, "SAU"),
        botzone: text(step, "botzone numbers (first mover is at the top: y = rank - 1)"),
        position: text(step, "fen").parse().expect("a position"),
    }
}

fn text(value: &Value, key: &str) -> String {
    value[key].as_str().unwrap_or_else(|| panic!("no text '{key}' in {value}")).to_owned()
}

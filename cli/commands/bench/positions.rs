//! Positions to measure on.

use hippolyta_game::{Board, Position, TerritoryCounter};

use hippolyta_run::evaluators::random_game;

/// Positions of a game of random moves, evenly spread over the part where territory decides nothing yet, where a
/// search has work to do.
pub(super) fn undecided(board: Board, count: usize) -> Vec<Position> {
    let mut territory = TerritoryCounter::default();
    let mut game = random_game(board, 1);
    game.retain(|position| territory.verdict(position).is_none());
    (0..count).map(|i| game[i * game.len() / count]).collect()
}

//! Games between players, for tests.

use hippolyta_game::{Board, Position, Side};
use hippolyta_search::seed::derive;

use crate::player::{Limits, Player};

/// Plays one game from the start with no limits and gives the winner.
pub(crate) fn play_game(board: Board, white: &mut dyn Player, black: &mut dyn Player, seed: u64) -> Side {
    play_limited(board, white, black, seed, &mut || Limits::NONE)
}

/// Plays one game from the start; `limits` is asked before each move.
pub(crate) fn play_limited<'a>(
    board: Board,
    white: &mut dyn Player,
    black: &mut dyn Player,
    seed: u64,
    limits: &mut dyn FnMut() -> Limits<'a>,
) -> Side {
    let mut position = Position::start(board).expect("a board that people play on");
    white.new_game(derive(seed, &[0]));
    black.new_game(derive(seed, &[1]));
    loop {
        if let Some(winner) = position.winner() {
            return winner;
        }
        let player: &mut dyn Player = if position.side() == Side::White { white } else { black };
        let choice = player.choose(&position, &limits()).expect("the game is not over");
        position = position.play(choice.best).expect("players play legal moves");
    }
}

/// The share of games that `a` wins, half of them with White.
pub(crate) fn score(board: Board, a: &mut dyn Player, b: &mut dyn Player, games: u64) -> f64 {
    let wins = (0..games)
        .filter(|game| {
            if game % 2 == 0 {
                play_game(board, a, b, *game) == Side::White
            } else {
                play_game(board, b, a, *game) == Side::Black
            }
        })
        .count();
    wins as f64 / games as f64
}

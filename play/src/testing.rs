//! Games between players, for tests.

use hippolyta_game::{Board, Position, Side};
use hippolyta_search::seed::derive;

use crate::dice::Dice;
use crate::player::{Limits, Player};

/// Plays one game from `opening` and gives the winner.
pub(crate) fn play_game(
    opening: &Position,
    white: &mut dyn Player,
    black: &mut dyn Player,
    seed: u64,
    limits: Limits<'_>,
) -> Side {
    let mut position = *opening;
    white.new_game(derive(seed, &[0]));
    black.new_game(derive(seed, &[1]));
    loop {
        if let Some(winner) = position.winner() {
            return winner;
        }
        let player: &mut dyn Player = if position.side() == Side::White { white } else { black };
        let choice = player.choose(&position, &limits).expect("the game is not over");
        position = position.play(choice.best).expect("players play legal moves");
    }
}

/// The share of games that `a` wins; each opening of two random plies is played twice, with colours swapped.
pub(crate) fn score(
    board: Board,
    a: &mut dyn Player,
    b: &mut dyn Player,
    games: u64,
    limits: Limits<'_>,
) -> f64 {
    let wins = (0..games)
        .filter(|game| {
            let opening = wander(board, game / 2, 2);
            if game % 2 == 0 {
                play_game(&opening, a, b, *game, limits) == Side::White
            } else {
                play_game(&opening, b, a, *game, limits) == Side::Black
            }
        })
        .count();
    wins as f64 / games as f64
}

/// The position after at most so many random moves from the start.
pub(crate) fn wander(board: Board, seed: u64, plies: usize) -> Position {
    let mut position = Position::start(board).expect("a board that people play on");
    let mut moves = Vec::new();
    for _ in 0..plies {
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        position = position.play_unchecked(moves[Dice::new(seed, &position).below(moves.len())]);
    }
    position
}

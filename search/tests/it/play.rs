//! Whole games.

use hippolyta_game::{Board, Position};
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{Outcome, Plan, Search, run, run_all, seed};

use crate::support::{config, fresh, gumbel, position, puct, search, start};

/// Plays a game with a tree kept between moves; gives the number of moves.
fn play(mut position: Position, plan: &Plan) -> u32 {
    let mut evaluator = OpinionatedEvaluator { seed: 7 };
    let mut search = search();
    let mut plies = 0;
    while position.has_move() {
        search.begin(&position, plan);
        let result = run(&mut search, &mut evaluator);
        let mass: f32 = result.moves.iter().map(|stats| stats.improved).sum::<f32>() + result.rest;
        assert!((mass - 1.0).abs() < 1e-3, "{mass} at {position}");
        assert!(result.surprise.is_finite() && result.value.abs() <= 1.0);
        position = position.play(result.chosen).expect("a search chooses a legal move");
        search.advance(result.chosen);
        plies += 1;
    }
    plies
}

#[test]
fn games_end() {
    for board in [Board::SIX, Board::EIGHT] {
        assert!(play(start(board), &gumbel(16, 4, Some(1))) > 8);
        assert!(play(start(board), &puct(40)) > 8);
    }
    assert!(play(start(Board::TEN), &gumbel(2, 2, None)) > 8);
}

#[test]
fn many_games_at_once_are_each_played_as_alone() {
    let mut evaluator = OpinionatedEvaluator { seed: 3 };
    let mut together: Vec<Search> = (0..8).map(|_| search()).collect();
    let mut alone = together.clone();
    let mut positions = [start(Board::SIX); 8];
    for ply in 0..12 {
        let plan = |game: usize| {
            let seed = seed::derive(game as u64, &[ply]);
            if game.is_multiple_of(3) {
                puct(20 + game as u32)
            } else {
                gumbel(10 + game as u32, 4, Some(seed))
            }
        };
        for (game, search) in together.iter_mut().enumerate() {
            search.begin(&positions[game], &plan(game));
        }
        let results = run_all(&mut together, &mut evaluator);
        for (game, search) in alone.iter_mut().enumerate() {
            search.begin(&positions[game], &plan(game));
            assert_eq!(run(search, &mut evaluator), results[game], "game {game} ply {ply}");
            positions[game] = positions[game].play_unchecked(results[game].chosen);
            search.advance(results[game].chosen);
            together[game].advance(results[game].chosen);
        }
    }
}

#[test]
fn refuses_a_bad_config() {
    let mut wrong = config();
    wrong.max_children = 0;
    assert!(Search::new(wrong).is_err());
}

#[test]
fn a_forced_win_is_played() {
    let position = position("q1**/****/****/Q2* w");
    let result = fresh(&position, &gumbel(16, 4, None), &mut OpinionatedEvaluator { seed: 1 });
    assert_eq!(result.outcome, Outcome::Won);
    assert!(result.value > 0.99);
}

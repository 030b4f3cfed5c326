//! The tree kept between moves.

use hippolyta_game::Board;
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{MoveStats, Search, SearchResult, run};

use crate::support::{config, gumbel, position, puct, search, start};

/// What must agree between a kept tree and a fresh one.
fn essence(result: &SearchResult) -> (Vec<MoveStats>, f32, hippolyta_game::Move) {
    (result.moves.clone(), result.network_value, result.chosen)
}

/// PUCT chooses by what stands below a node alone: a kept subtree is the tree that a search of as many visits from
/// there makes, and stays so.
#[test]
fn a_kept_tree_is_as_a_fresh_one() {
    let mut evaluator = OpinionatedEvaluator { seed: 2 };
    let mut all_moves = config();
    all_moves.max_children = 2000;
    let mut kept = Search::new(all_moves.clone()).expect("a valid config");
    let mut fresh = Search::new(all_moves).expect("a valid config");
    let mut position = start(Board::SIX);
    let mut kept_visits = 0;
    for _ in 0..8 {
        kept.begin(&position, &puct(300));
        let result = run(&mut kept, &mut evaluator);
        let chosen =
            result.moves.iter().find(|s| s.mv == result.chosen).expect("the chosen move was visited");
        let below = chosen.visits - 1;
        kept_visits += below;
        kept.advance(result.chosen);
        position = position.play_unchecked(result.chosen);

        kept.begin(&position, &puct(0));
        let kept_result = run(&mut kept, &mut evaluator);
        fresh.clear();
        fresh.begin(&position, &puct(below));
        let fresh_result = run(&mut fresh, &mut evaluator);
        assert_eq!(kept_result.network_calls, 0, "the root is known");
        assert_eq!(essence(&kept_result), essence(&fresh_result));

        kept.begin(&position, &puct(50));
        fresh.begin(&position, &puct(50));
        let (kept_result, fresh_result) = (run(&mut kept, &mut evaluator), run(&mut fresh, &mut evaluator));
        assert_eq!(kept_result, fresh_result);
    }
    assert!(kept_visits > 50, "{kept_visits}");
}

/// A root that had dropped moves offers them all again.
#[test]
fn a_kept_root_has_all_its_moves() {
    let mut evaluator = OpinionatedEvaluator { seed: 2 };
    let mut few = config();
    few.max_children = 4;
    for plan in [puct(400), gumbel(400, 16, Some(2))] {
        let mut search = Search::new(few.clone()).expect("a valid config");
        let position = start(Board::SIX);
        search.begin(&position, &plan);
        let first = run(&mut search, &mut evaluator).chosen;
        search.advance(first);
        let next = position.play_unchecked(first);
        search.begin(&next, &gumbel(200, 32, Some(1)));
        let result = run(&mut search, &mut evaluator);
        assert!(result.moves.len() > 16, "{}", result.moves.len());
        assert!(result.moves.iter().all(|stats| next.is_legal(stats.mv)));
        let mass: f32 = result.moves.iter().map(|stats| stats.prior).sum();
        assert!(mass <= 1.0001, "{mass}");
    }
}

#[test]
fn an_unknown_move_starts_afresh() {
    let mut evaluator = OpinionatedEvaluator { seed: 2 };
    let position = start(Board::SIX);
    let mut search = search();
    search.begin(&position, &gumbel(4, 2, None));
    let result = run(&mut search, &mut evaluator);
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let unknown = moves.into_iter().find(|m| result.moves.iter().all(|stats| stats.mv != *m));
    let unknown = unknown.expect("two moves of 544 were visited");
    search.advance(unknown);
    assert_eq!(search.best(), None);
    let next = position.play_unchecked(unknown);
    search.begin(&next, &puct(10));
    let kept = run(&mut search, &mut evaluator);
    search.clear();
    search.begin(&next, &puct(10));
    assert_eq!(kept, run(&mut search, &mut evaluator));
}

/// What was chosen belongs to the old root.
#[test]
fn a_followed_move_leaves_no_choice_behind() {
    let mut evaluator = OpinionatedEvaluator { seed: 2 };
    let mut position = start(Board::SIX);
    let mut search = search();
    for _ in 0..6 {
        search.begin(&position, &gumbel(60, 16, Some(3)));
        let result = run(&mut search, &mut evaluator);
        search.advance(result.chosen);
        position = position.play_unchecked(result.chosen);
        assert!(search.best().is_none_or(|best| position.is_legal(best)));
        assert!(search.result().is_none_or(|kept| kept.visits == 0));
    }
}

#[test]
fn another_position_starts_afresh() {
    let mut evaluator = OpinionatedEvaluator { seed: 2 };
    let mut search = search();
    search.begin(&start(Board::EIGHT), &puct(30));
    run(&mut search, &mut evaluator);
    search.begin(&start(Board::SIX), &puct(30));
    let kept = run(&mut search, &mut evaluator);
    search.clear();
    search.begin(&start(Board::SIX), &puct(30));
    assert_eq!(kept, run(&mut search, &mut evaluator));
}

#[test]
#[should_panic(expected = "a1-a1/a1 is not legal")]
fn an_illegal_move_cannot_be_followed() {
    let mut search = search();
    let start = position("1qq1/q2q/Q2Q/1QQ1 w");
    search.begin(&start, &puct(1));
    search.advance("a1-a1/a1".parse().expect("a move's spelling"));
}

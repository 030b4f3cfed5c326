//! The smallest and the largest searches.

use hippolyta_game::Board;
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{Evaluation, Evaluator, Outcome, Query, Search, Step, UniformEvaluator, run};

use crate::support::{config, fresh, gumbel, position, puct, search, start};

#[test]
fn no_visit_and_one_visit() {
    let position = start(Board::SIX);
    let mut evaluator = OpinionatedEvaluator { seed: 1 };
    for (plan, visits) in [
        (gumbel(0, 8, Some(1)), 0),
        (puct(0), 0),
        (gumbel(1, 8, Some(1)), 1),
        (gumbel(1, 0, None), 1),
        (puct(1), 1),
    ] {
        let result = fresh(&position, &plan, &mut evaluator);
        assert_eq!((result.visits, result.moves.len()), (visits, visits as usize), "{plan:?}");
        assert!(position.is_legal(result.chosen));
        if visits == 1 {
            assert_eq!(result.chosen, result.moves[0].mv);
            assert_eq!(result.depth, 1);
        } else {
            assert!((result.rest - 1.0).abs() < 1e-6 && result.surprise < 1e-5);
            assert!((result.value - result.network_value).abs() < 1e-6);
        }
    }
}

#[test]
fn one_legal_move() {
    // White's only move is a1-b1/a1; Black has room.
    let position = position("q3/4/***1/Q1*1 w");
    let mut moves = Vec::new();
    position.moves(&mut moves);
    assert_eq!(moves.len(), 1);
    for plan in [gumbel(20, 8, Some(1)), puct(20), puct(0)] {
        let result = fresh(&position, &plan, &mut UniformEvaluator);
        assert_eq!(result.chosen, moves[0]);
        assert!(result.surprise.abs() < 1e-5);
    }
}

#[test]
#[should_panic(expected = "a search needs a legal move")]
fn no_legal_move() {
    search().begin(&position("q3/4/****/Q*** w"), &puct(1));
}

#[test]
fn thousands_of_visits_stay_finite() {
    let mut sharp = config();
    sharp.c_scale = 20.0;
    let mut search = Search::new(sharp).expect("a valid config");
    for plan in [gumbel(8000, 16, Some(1)), puct(8000)] {
        let position = position("1q2q1/q1*2q/2**2/6/Q*3Q/1Q*1Q1 b");
        search.clear();
        search.begin(&position, &plan);
        let result = run(&mut search, &mut OpinionatedEvaluator { seed: 6 });
        let sum: f32 = result.moves.iter().map(|stats| stats.improved).sum::<f32>() + result.rest;
        assert!((sum - 1.0).abs() < 1e-3, "{sum}");
        let numbers = result.moves.iter().flat_map(|s| [s.prior, s.improved, s.value]);
        let all = numbers.chain([result.value, result.improved_value, result.rest, result.surprise]);
        assert!(all.into_iter().all(f32::is_finite), "{result:?}");
    }
}

#[test]
fn extreme_logits_are_survived() {
    struct Extreme;
    impl Evaluator for Extreme {
        fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
            for (query, answer) in queries.iter().zip(answers) {
                answer.value = 3.0;
                answer.logits.clear();
                let scale = |i: usize| [1e30, -1e30, f32::NEG_INFINITY, 0.0][i % 4];
                answer.logits.extend((0..query.moves.len()).map(scale));
            }
        }
    }
    for plan in [gumbel(200, 16, Some(1)), puct(200)] {
        let result = fresh(&start(Board::SIX), &plan, &mut Extreme);
        assert_eq!(result.visits, 200);
        assert!(result.value.is_finite() && result.surprise.is_finite() && result.network_value <= 1.0);
    }
}

#[test]
fn a_full_tree_ends_the_search() {
    let mut small = config();
    small.max_nodes = 100;
    let mut search = Search::new(small).expect("a valid config");
    search.begin(&start(Board::SIX), &puct(u32::MAX));
    let result = run(&mut search, &mut OpinionatedEvaluator { seed: 1 });
    assert_eq!((result.visits, result.network_calls), (99, 100));
}

/// As an engine does it: stop at any moment and ask for the best move.
#[test]
fn may_be_stopped_at_any_moment() {
    let position = start(Board::SIX);
    let mut evaluator = OpinionatedEvaluator { seed: 1 };
    let mut answer = [Evaluation::default()];
    let mut line = Vec::new();
    for plan in [puct(u32::MAX), gumbel(u32::MAX, 16, None)] {
        let mut search = search();
        search.begin(&position, &plan);
        assert_eq!(search.best(), None);
        for call in 0..300 {
            assert_eq!(search.gather(), Step::Evaluate);
            assert_eq!(search.gather(), Step::Evaluate, "asking again changes nothing");
            evaluator.evaluate(&[search.query().expect("a query waits")], &mut answer);
            search.apply(&answer[0]);
            let best = search.best().expect("the root is evaluated");
            assert!(position.is_legal(best), "call {call}");
            search.principal_variation(&mut line);
            assert_eq!(line[0], best);
            let mut at = position;
            for &m in &line {
                at = at.play(m).expect("the line is legal");
            }
        }
    }
}

/// Where all leaves are decided by the rules, the caller gets a turn now and then.
#[test]
fn exact_visits_pause() {
    let mut search = search();
    // A wide open board for White, in which almost every line ends in a decided territory.
    let position = position("q*4/1*4/**4/6/6/Q5 w");
    search.begin(&position, &puct(u32::MAX));
    let mut answer = [Evaluation::default()];
    for _ in 0..100_000 {
        match search.gather() {
            Step::Evaluate => {
                UniformEvaluator.evaluate(&[search.query().expect("a query waits")], &mut answer);
                search.apply(&answer[0]);
            }
            Step::Pause => assert_eq!(search.query().map(|q| q.moves.len()), None),
            Step::Done => break,
        }
    }
    let result = search.result().expect("the root is evaluated");
    assert_eq!(result.outcome, Outcome::Won, "{} visits", result.visits);
}

#[test]
#[should_panic(expected = "no gather asked for")]
fn an_answer_needs_a_question() {
    let mut search = search();
    search.begin(&start(Board::SIX), &puct(1));
    search.apply(&Evaluation::default());
}

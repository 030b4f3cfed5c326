//! The improved policy, the visits of sequential halving, and sampling.

use std::collections::HashMap;

use hippolyta_game::{Board, Move, Position};
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{Evaluation, Evaluator, Outcome, Query, SearchResult, UniformEvaluator};

use crate::support::{config, fresh, gumbel, puct, search, start};

/// The network's policy of a position, by a plain softmax.
fn softmax(position: &Position, evaluator: &mut dyn Evaluator) -> HashMap<Move, f64> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut answer = [Evaluation::default()];
    evaluator.evaluate(&[Query { position, moves: &moves }], &mut answer);
    let weights: Vec<f64> = answer[0].logits.iter().map(|&logit| f64::from(logit).exp()).collect();
    let sum: f64 = weights.iter().sum();
    moves.into_iter().zip(weights.into_iter().map(|weight| weight / sum)).collect()
}

/// Compares a result with the formulas of the paper over all moves.
fn check(position: &Position, result: &SearchResult, evaluator: &mut dyn Evaluator) {
    let prior = softmax(position, evaluator);
    let visited: HashMap<Move, (f64, f64)> = result
        .moves
        .iter()
        .map(|stats| (stats.mv, (f64::from(stats.value), f64::from(stats.visits))))
        .collect();
    let visits: f64 = visited.values().map(|&(_, n)| n).sum();
    let mass: f64 = visited.keys().map(|m| prior[m]).sum();
    let weighted: f64 = visited.iter().map(|(m, &(q, _))| prior[m] * q).sum();
    let mixed = (f64::from(result.network_value) + visits * weighted / mass) / (1.0 + visits);
    let most = visited.values().map(|&(_, n)| n).fold(0.0, f64::max);
    let scale = (f64::from(config().c_visit) + most) * f64::from(config().c_scale);
    let completed = |m: &Move| visited.get(m).map_or(mixed, |&(q, _)| q);
    let lost = |m: &Move| visited.get(m).is_some_and(|&(q, _)| q <= -1.0);
    let score = |m: &Move| prior[m].ln() + scale * completed(m);
    let largest = prior.keys().map(score).fold(f64::NEG_INFINITY, f64::max);
    let weight = |m: &Move| if lost(m) { 0.0 } else { (score(m) - largest).exp() };
    let sum: f64 = prior.keys().map(weight).sum();

    let mut rest = 0.0;
    let mut value = 0.0;
    for m in prior.keys() {
        let improved = weight(m) / sum;
        value += improved * completed(m);
        match result.moves.iter().find(|stats| stats.mv == *m) {
            Some(stats) => {
                assert!((f64::from(stats.improved) - improved).abs() < 2e-3, "{m}: {improved} {stats:?}");
                assert!((f64::from(stats.prior) - prior[m]).abs() < 1e-5, "{m}");
            }
            None => rest += improved,
        }
    }
    assert!((f64::from(result.rest) - rest).abs() < 2e-3, "{rest} {}", result.rest);
    assert!((f64::from(result.improved_value) - value).abs() < 2e-3, "{value} {}", result.improved_value);

    let divergence = |p: f64, q: f64| if p > 0.0 { p * (p / q).ln() } else { 0.0 };
    let surprise: f64 = visited.keys().map(|m| divergence(weight(m) / sum, prior[m])).sum::<f64>()
        + divergence(rest, 1.0 - mass);
    assert!((f64::from(result.surprise) - surprise).abs() < 1e-2, "{surprise} {}", result.surprise);
}

#[test]
fn the_improved_policy_is_that_of_the_paper() {
    for opinion in 0..4 {
        let mut evaluator = OpinionatedEvaluator { seed: opinion };
        for board in [Board::SIX, Board::EIGHT] {
            for plan in
                [gumbel(2, 2, Some(opinion)), gumbel(32, 8, Some(opinion)), gumbel(64, 16, None), puct(100)]
            {
                let position = start(board);
                let result = fresh(&position, &plan, &mut evaluator);
                assert_eq!(result.outcome, Outcome::Open);
                check(&position, &result, &mut evaluator);
            }
        }
    }
}

/// Visits of the root's moves, most first.
fn halving(visits: u32, considered: u32) -> Vec<u32> {
    let result = fresh(
        &start(Board::SIX),
        &gumbel(visits, considered, Some(5)),
        &mut OpinionatedEvaluator { seed: 2 },
    );
    let mut counts: Vec<u32> = result.moves.iter().map(|stats| stats.visits).collect();
    counts.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(counts.iter().sum::<u32>(), visits);
    counts
}

/// What `mctx` gives with as many simulations and considered actions.
#[test]
fn visits_are_halved() {
    assert_eq!(halving(8, 4), [3, 3, 1, 1]);
    assert_eq!(halving(16, 4), [6, 6, 2, 2]);
    assert_eq!(halving(2, 16), [1, 1]);
    assert_eq!(halving(7, 1), [7]);
    assert_eq!(halving(64, 16), [15, 15, 7, 7, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1]);
}

#[test]
fn without_noise_the_best_priors_are_considered() {
    let position = start(Board::SIX);
    let mut evaluator = OpinionatedEvaluator { seed: 8 };
    let prior = softmax(&position, &mut evaluator);
    let result = fresh(&position, &gumbel(8, 8, None), &mut evaluator);
    let least = result.moves.iter().map(|stats| prior[&stats.mv]).fold(1.0, f64::min);
    assert_eq!(prior.values().filter(|&&p| p >= least).count(), 8);
}

#[test]
fn noise_makes_variety_and_its_seed_repeats_it() {
    let choose = |noise| fresh(&start(Board::SIX), &gumbel(4, 2, noise), &mut UniformEvaluator).chosen;
    let mut chosen: Vec<Move> = (0..20).map(|seed| choose(Some(seed))).collect();
    assert_eq!(choose(Some(3)), chosen[3]);
    chosen.sort_unstable();
    chosen.dedup();
    assert!(chosen.len() > 10, "{chosen:?}");
}

#[test]
fn priors_are_sampled_as_they_are() {
    let position = start(Board::SIX);
    let mut evaluator = OpinionatedEvaluator { seed: 8 };
    let prior = softmax(&position, &mut evaluator);
    let mut search = search();
    search.begin(&position, &puct(0));
    let result = hippolyta_search::run(&mut search, &mut evaluator);
    assert_eq!((result.visits, result.network_calls, result.moves.len()), (0, 1, 0));
    let likely: Vec<Move> = prior.iter().filter(|&(_, &p)| p > 0.004).map(|(m, _)| *m).collect();
    let expected: f64 = likely.iter().map(|m| prior[m]).sum();
    let draws = 4000;
    let hits = (0..draws)
        .filter(|&seed| likely.contains(&search.sample_prior(1.0, seed).expect("evaluated")))
        .count();
    let share = hits as f64 / draws as f64;
    assert!(
        (share - expected).abs() < 4.0 * (expected * (1.0 - expected) / draws as f64).sqrt(),
        "{share} {expected}"
    );
    let cold = search.sample_prior(1e-4, 1).expect("evaluated");
    assert!(prior.values().all(|&p| p <= prior[&cold] + 1e-6));
}

#[test]
fn the_improved_policy_is_sampled_among_visited_moves() {
    let result = fresh(&start(Board::SIX), &gumbel(32, 8, Some(1)), &mut OpinionatedEvaluator { seed: 4 });
    let best = result.moves.iter().max_by(|a, b| a.improved.total_cmp(&b.improved)).expect("visited moves");
    assert_eq!(result.sample(1e-3, 7), best.mv);
    for seed in 0..50 {
        let drawn = result.sample(1.0, seed);
        assert!(result.moves.iter().any(|stats| stats.mv == drawn));
    }
}

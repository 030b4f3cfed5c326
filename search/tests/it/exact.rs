//! Proven values against brute force, and what they do to the choice of moves.

use std::collections::HashMap;

use hippolyta_game::{Move, Position};
use hippolyta_search::fakes::{OpinionatedEvaluator, TableEvaluator};
use hippolyta_search::{Outcome, Plan, Search, UniformEvaluator, run, seed};

use crate::support::{config, fresh, gumbel, position, puct};

const FOUR: &str = "1qq1/q2q/Q2Q/1QQ1 w";

/// Whether the side to move wins, by trying everything.
fn wins(position: &Position, known: &mut HashMap<Position, bool>) -> bool {
    if let Some(&result) = known.get(position) {
        return result;
    }
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let result = moves.iter().any(|&m| !wins(&position.play_unchecked(m), known));
    known.insert(*position, result);
    result
}

/// Positions of seeded games on 4x4 that have a legal move, after 1 to 4 plies.
fn positions() -> Vec<Position> {
    let mut found = Vec::new();
    for game in 0..60 {
        let mut position = position(FOUR);
        for ply in 0..=(game % 4) {
            let mut moves: Vec<Move> = Vec::new();
            position.moves(&mut moves);
            if moves.is_empty() {
                break;
            }
            let pick = seed::derive(game, &[ply]) as usize % moves.len();
            position = position.play_unchecked(moves[pick]);
        }
        if position.has_move() {
            found.push(position);
        }
    }
    found
}

fn proofs_agree(plan: &Plan, max_children: u32) {
    let mut known = HashMap::new();
    let mut few = config();
    few.max_children = max_children;
    let mut search = Search::new(few).expect("a valid config");
    let (mut won, mut lost) = (0, 0);
    for position in positions() {
        search.begin(&position, plan);
        let result = run(&mut search, &mut UniformEvaluator);
        let truth = if wins(&position, &mut known) { Outcome::Won } else { Outcome::Lost };
        assert_eq!(result.outcome, truth, "{position} after {} visits", result.visits);
        assert_eq!(Some(result.value), truth.value());
        if truth == Outcome::Won {
            won += 1;
            let next = position.play(result.chosen).expect("a search chooses a legal move");
            assert!(!wins(&next, &mut known), "{} in {position} throws the win away", result.chosen);
            let mass: f32 = result.moves.iter().filter(|s| s.value >= 1.0).map(|s| s.improved).sum();
            assert!((mass - 1.0).abs() < 1e-4, "{mass}: a won root wants its winning moves alone");
        } else {
            lost += 1;
        }
    }
    assert!(won > 5 && lost > 5, "{won} won, {lost} lost");
}

#[test]
fn gumbel_proves_what_brute_force_finds() {
    proofs_agree(&gumbel(100_000, 16, Some(4)), 64);
}

#[test]
fn puct_proves_what_brute_force_finds() {
    proofs_agree(&puct(100_000), 64);
}

/// Nodes that keep three moves must not count as lost before the others were tried.
#[test]
fn truncated_nodes_prove_no_more_and_no_less() {
    proofs_agree(&gumbel(100_000, 4, None), 3);
    proofs_agree(&puct(100_000), 1);
}

#[test]
fn a_move_that_wins_at_once_is_taken_against_every_prior() {
    // Black has one square left; White has many moves, some of which close it.
    let position = position("q1**2/******/6/6/6/Q5 w");
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let wins: Vec<Move> = moves.iter().copied().filter(|&m| !position.play_unchecked(m).has_move()).collect();
    assert!(wins.is_empty(), "the wall keeps White out");

    let position = self::position("q5/*1****/6/6/6/1Q4 w");
    position.moves(&mut moves);
    let mut table = TableEvaluator::default();
    for &m in &moves {
        let next = position.play_unchecked(m);
        table.set_logit(&position, m, if next.has_move() { 20.0 } else { -20.0 });
        table.set_value(&next, -0.99);
    }
    for plan in [gumbel(1, 1, None), gumbel(32, 8, Some(1)), puct(1), puct(32)] {
        let result = fresh(&position, &plan, &mut table);
        let next = position.play(result.chosen).expect("legal");
        assert!(!next.has_move(), "{plan:?} chose {}", result.chosen);
        assert_eq!(result.outcome, Outcome::Won);
    }
}

/// A move proven to lose is chosen only if there is no other, whatever the network thinks of it.
#[test]
fn proven_losses_are_avoided() {
    let mut known = HashMap::new();
    let mut traps = 0;
    for position in positions().into_iter().filter(|position| position.empty().count() <= 5) {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let losing =
            |m: &Move, known: &mut HashMap<Position, bool>| wins(&position.play_unchecked(*m), known);
        let safe = moves.iter().filter(|m| !losing(m, &mut known)).count();
        if safe == 0 || safe == moves.len() {
            continue;
        }
        traps += 1;
        let mut table = TableEvaluator::default();
        for &m in &moves {
            let trap = losing(&m, &mut known);
            table.set_logit(&position, m, if trap { 9.0 } else { 0.0 });
            table.set_value(&position.play_unchecked(m), if trap { -1.0 } else { 1.0 });
        }
        for plan in [gumbel(20_000, 8, Some(3)), puct(20_000)] {
            let result = fresh(&position, &plan, &mut table);
            assert!(!losing(&result.chosen, &mut known), "{plan:?}: {} in {position}", result.chosen);
        }
    }
    assert!(traps > 5, "{traps}");
}

/// In a lost position the search still ends, and names a move.
#[test]
fn a_lost_root_has_a_move() {
    let result = fresh(&position("q1**/****/****/Q1** w"), &puct(50), &mut OpinionatedEvaluator { seed: 1 });
    assert_eq!(result.outcome, Outcome::Lost);
    assert!(result.moves.iter().all(|stats| stats.value <= -1.0));
    let mass: f32 = result.moves.iter().map(|stats| stats.improved).sum::<f32>() + result.rest;
    assert!((mass - 1.0).abs() < 1e-4, "{mass}");
}

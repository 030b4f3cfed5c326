//! Whole trees as golden files.

use std::fmt::Write as _;

use hippolyta_game::Position;

use crate::config::tests::config;
use crate::fakes::{OpinionatedEvaluator, TableEvaluator};
use crate::tree::Tree;
use crate::{Evaluator, Mode, Outcome, Plan, Search, UniformEvaluator, run};

/// A line a node: its move, visits, value for its mover, and what is proven; children indented under it.
fn draw(tree: &Tree, node: u32, depth: usize, text: &mut String) {
    for (edge, child) in tree.visited(node) {
        let proof = match child.outcome {
            Outcome::Open => "",
            Outcome::Won => " won",
            Outcome::Lost => " lost",
        };
        let prior = f64::from(edge.log_prior).exp();
        let indent = "  ".repeat(depth);
        let value = child.value();
        writeln!(text, "{indent}{} p {prior:.3} n {} v {value:+.3}{proof}", edge.mv, child.visits)
            .expect("a string takes any text");
        draw(tree, edge.child, depth + 1, text);
    }
}

fn tree_of(fen: &str, plan: Plan, evaluator: &mut dyn Evaluator) -> String {
    let position: Position = fen.parse().expect("the tests' positions are well formed");
    let mut search = Search::new(config()).expect("a valid config");
    search.begin(&position, &plan);
    let result = run(&mut search, evaluator);
    let mut text = format!(
        "{position}\nchosen {} value {:+.3} improved {:+.3} rest {:.3} surprise {:.3} {:?}\n",
        result.chosen, result.value, result.improved_value, result.rest, result.surprise, result.outcome
    );
    for stats in &result.moves {
        writeln!(text, "{} improved {:.3} q {:+.3}", stats.mv, stats.improved, stats.value)
            .expect("a string takes any text");
    }
    draw(&search.tree, 0, 0, &mut text);
    text
}

const LATE: &str = "1q*1/q*2/Q*1*/1Q2 w";

#[test]
fn gumbel_tree() {
    let plan = Plan { visits: 16, mode: Mode::Gumbel { considered: 4, noise: Some(9) } };
    insta::assert_snapshot!(tree_of("1qq1/q2q/Q2Q/1QQ1 w", plan, &mut OpinionatedEvaluator { seed: 1 }));
}

#[test]
fn puct_tree() {
    let plan = Plan { visits: 16, mode: Mode::Puct };
    insta::assert_snapshot!(tree_of("1qq1/q2q/Q2Q/1QQ1 w", plan, &mut OpinionatedEvaluator { seed: 1 }));
}

#[test]
fn late_tree_with_proofs() {
    let plan = Plan { visits: 40, mode: Mode::Gumbel { considered: 8, noise: None } };
    insta::assert_snapshot!(tree_of(LATE, plan, &mut UniformEvaluator));
}

/// A table that likes one move and then finds it bad: the search leaves it for another.
#[test]
fn table_tree() {
    let position: Position = "1qq1/q2q/Q2Q/1QQ1 w".parse().expect("well formed");
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut table = TableEvaluator::default();
    table.set_logit(&position, moves[0], 5.0);
    table.set_value(&position.play_unchecked(moves[0]), 0.6);
    table.set_logit(&position, moves[1], 3.0);
    table.set_value(&position.play_unchecked(moves[1]), -0.2);
    let plan = Plan { visits: 8, mode: Mode::Gumbel { considered: 4, noise: None } };
    insta::assert_snapshot!(tree_of("1qq1/q2q/Q2Q/1QQ1 w", plan, &mut table));
}

//! Which move to follow from a node.

use crate::completed::{Term, complete, improve};
use crate::config::SearchConfig;
use crate::exact::Outcome;
use crate::math;
use crate::tree::Tree;

/// The deterministic rule of the Gumbel search: the move with the largest `pi'(a) - N(a) / (1 + sum N)`, so that the
/// visits follow the improved policy. All unvisited moves share one value, so the one with the largest prior stands
/// for them; the work grows with the visited moves only.
///
/// Gives an index into the node's edges; `None` when all its edges are proven to lose.
pub(crate) fn improved(
    tree: &mut Tree,
    node: u32,
    config: &SearchConfig,
    terms: &mut Vec<Term>,
) -> Option<usize> {
    let unvisited = tree.first_unvisited(node);
    if unvisited == Some(0) {
        return unvisited;
    }
    let completed = complete(tree, node, config, terms);
    let has_rest = unvisited.is_some() || tree.nodes[node as usize].truncated;
    let improved = improve(&completed, terms, has_rest.then_some(completed.rest), false);
    let share = 1.0 / (1.0 + completed.visits as f32);
    let merit = |log_prior: f32, q: f32, visits: u32| {
        math::exp(completed.score(log_prior, q) - improved.log_normaliser) - visits as f32 * share
    };
    let mut best =
        unvisited.map(|edge| (merit(tree.edges(node)[edge].log_prior, completed.mixed_value, 0), edge));
    for (edge, term) in terms.iter().enumerate() {
        if !term.lost {
            let merit = merit(term.log_prior, term.q, term.visits);
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, edge));
            }
        }
    }
    best.map(|(_, edge)| edge)
}

/// PUCT with first-play urgency: the move with the largest `q + c * p * sqrt(N) / (1 + n)`.
///
/// Gives an index into the node's edges; `None` when all its edges are proven to lose.
pub(crate) fn puct(tree: &mut Tree, node: u32, config: &SearchConfig) -> Option<usize> {
    let unvisited = tree.first_unvisited(node);
    let parent = &tree.nodes[node as usize];
    let visits = parent.visits as f32;
    let growth = math::ln_f32((1.0 + visits + config.puct_base) / config.puct_base);
    let explore = (config.puct_init + growth) * visits.sqrt();
    let mut mass = 0.0;
    let mut best: Option<(f32, usize)> = None;
    for (index, (edge, child)) in tree.visited(node).enumerate() {
        let prior = math::exp(edge.log_prior);
        mass += prior;
        if child.outcome != Outcome::Won {
            let merit = -child.value() + explore * prior / (1.0 + child.visits as f32);
            if best.is_none_or(|(most, _)| merit > most) {
                best = Some((merit, index));
            }
        }
    }
    if let Some(index) = unvisited {
        let urgency = parent.value() - config.fpu_reduction * mass.sqrt();
        let merit = urgency + explore * math::exp(tree.edges(node)[index].log_prior);
        if best.is_none_or(|(most, _)| merit > most) {
            best = Some((merit, index));
        }
    }
    best.map(|(_, index)| index)
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Position;

    use super::*;
    use crate::config::tests::config;
    use crate::fakes::OpinionatedEvaluator;
    use crate::{Mode, Plan, Search, run};

    fn searched(fen: &str, mode: Mode, visits: u32) -> Search {
        let position: Position = fen.parse().expect("the tests' positions are well formed");
        let mut all_moves = config();
        all_moves.max_children = 4900;
        all_moves.max_nodes = 10_000;
        let mut search = Search::new(all_moves).expect("a valid config");
        search.begin(&position, &Plan { visits, mode });
        run(&mut search, &mut OpinionatedEvaluator { seed: 5 });
        search
    }

    /// `pi'(a) - N(a) / (1 + sum N)` of every edge from its definition: a softmax over all moves.
    fn naive_merits(tree: &Tree, node: u32, config: &SearchConfig) -> Vec<f64> {
        let child = |edge: &crate::tree::Edge| tree.nodes.get(edge.child as usize);
        let edges = tree.edges(node);
        let prior: Vec<f64> = edges.iter().map(|edge| f64::from(edge.log_prior).exp()).collect();
        let visits: Vec<f64> = edges.iter().map(|e| child(e).map_or(0.0, |c| f64::from(c.visits))).collect();
        let q: Vec<f64> = edges.iter().map(|e| child(e).map_or(0.0, |c| f64::from(-c.value()))).collect();
        let sum: f64 = visits.iter().sum();
        let seen = |values: &[f64]| -> f64 {
            (0..edges.len()).filter(|&i| visits[i] > 0.0).map(|i| prior[i] * values[i]).sum()
        };
        let own = f64::from(tree.nodes[node as usize].own_value);
        let mixed = (own + sum * seen(&q) / seen(&vec![1.0; edges.len()])) / (1.0 + sum);
        let most = visits.iter().copied().fold(0.0, f64::max);
        let sigma = (f64::from(config.c_visit) + most) * f64::from(config.c_scale);
        let lost = |i: usize| child(&edges[i]).is_some_and(|c| c.outcome == Outcome::Won);
        let score = |i: usize| prior[i].ln() + sigma * if visits[i] > 0.0 { q[i] } else { mixed };
        let alive = || (0..edges.len()).filter(|&i| !lost(i));
        let largest = alive().map(score).fold(f64::NEG_INFINITY, f64::max);
        let normaliser: f64 = alive().map(|i| (score(i) - largest).exp()).sum();
        let merit = |i: usize| (score(i) - largest).exp() / normaliser - visits[i] / (1.0 + sum);
        (0..edges.len()).map(|i| if lost(i) { f64::NEG_INFINITY } else { merit(i) }).collect()
    }

    #[test]
    fn the_improved_rule_is_that_of_a_softmax_over_all_moves() {
        let mut checked = 0;
        for fen in ["1q2q1/q4q/6/6/Q4Q/1Q2Q1 w", "1q*1q1/q1*2q/2**2/6/Q*3Q/1Q*1Q1 b", "1qq1/q2q/Q2Q/1QQ1 w"] {
            let mode = Mode::Gumbel { considered: 8, noise: Some(2) };
            let mut search = searched(fen, mode, 600);
            for node in 1..search.tree.nodes.len() as u32 {
                let known = search.tree.nodes[node as usize];
                if known.outcome != Outcome::Open || known.visited == 0 {
                    continue;
                }
                let merits = naive_merits(&search.tree, node, &config());
                let best = merits.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                let chosen = improved(&mut search.tree, node, &config(), &mut Vec::new());
                let merits = naive_merits(&search.tree, node, &config());
                let chosen = chosen.expect("an open node has a move that is not lost");
                assert!(merits[chosen] > best - 1e-4, "node {node}: {} against {best}", merits[chosen]);
                checked += 1;
            }
        }
        assert!(checked > 100, "{checked}");
    }

    #[test]
    fn puct_is_its_formula() {
        let mut search = searched("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w", Mode::Puct, 500);
        let mut checked = 0;
        for node in 0..search.tree.nodes.len() as u32 {
            let known = search.tree.nodes[node as usize];
            if known.outcome != Outcome::Open || known.visited == 0 {
                continue;
            }
            let chosen = puct(&mut search.tree, node, &config()).expect("an open node has a move");
            let tree = &search.tree;
            let n = f64::from(known.visits);
            let c = 1.25 + ((1.0 + n + 19652.0) / 19652.0).ln();
            let mass: f64 = tree.visited(node).map(|(edge, _)| f64::from(edge.log_prior).exp()).sum();
            let urgency = f64::from(known.value()) - 0.2 * mass.sqrt();
            let merit = |edge: &crate::tree::Edge| {
                let child = tree.nodes.get(edge.child as usize);
                let (q, visits) =
                    child.map_or((urgency, 0.0), |c| (f64::from(-c.value()), f64::from(c.visits)));
                q + c * f64::from(edge.log_prior).exp() * n.sqrt() / (1.0 + visits)
            };
            let best = tree.edges(node).iter().map(merit).fold(f64::NEG_INFINITY, f64::max);
            assert!(merit(&tree.edges(node)[chosen]) > best - 1e-5, "node {node}");
            checked += 1;
        }
        assert!(checked > 20, "{checked}");
    }
}

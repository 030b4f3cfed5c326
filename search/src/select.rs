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
    let unvisited = first_unvisited(tree, node);
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
    let unvisited = first_unvisited(tree, node);
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

/// The unvisited move with the largest prior.
fn first_unvisited(tree: &mut Tree, node: u32) -> Option<usize> {
    tree.sort(node);
    let Tree { nodes, .. } = tree;
    let node = &nodes[node as usize];
    (node.visited < node.edges).then_some(node.visited as usize)
}

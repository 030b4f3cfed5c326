//! Completed values: what a node thinks of each of its moves, visited or not (Danihelka et al. 2022, appendix D).

use crate::config::SearchConfig;
use crate::exact::Outcome;
use crate::math;
use crate::tree::{Edge, Node, Tree};

/// A visited move of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Term {
    pub(crate) log_prior: f32,
    /// The value of the move for the side that makes it.
    pub(crate) q: f32,
    pub(crate) visits: u32,
    /// The move is proven to lose.
    pub(crate) lost: bool,
}

impl Term {
    #[inline]
    fn new((edge, child): (&Edge, &Node)) -> Term {
        Term {
            log_prior: edge.log_prior,
            q: -child.value(),
            visits: child.visits,
            lost: child.outcome == Outcome::Won,
        }
    }
}

/// What the visited moves of a node say together.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Completed {
    /// The value of every unvisited move: the network's value mixed with those of the visited moves.
    pub(crate) mixed_value: f32,
    /// `sigma(q) = scale * q`.
    pub(crate) scale: f32,
    /// The visits of all moves together.
    pub(crate) visits: u32,
    /// The prior mass of the unvisited moves, those without an edge among them.
    pub(crate) rest: f32,
}

impl Completed {
    /// The logarithm of a move's unnormalised improved probability.
    #[inline]
    pub(crate) fn score(&self, log_prior: f32, q: f32) -> f32 {
        log_prior + self.scale * q
    }
}

/// Completes the values of `node`; `terms` becomes its visited moves, in the order of its edges.
#[inline]
pub(crate) fn complete(tree: &Tree, node: u32, config: &SearchConfig, terms: &mut Vec<Term>) -> Completed {
    terms.clear();
    let (mut visits, mut most, mut mass, mut weighted) = (0, 0, 0.0, 0.0);
    for pair in tree.visited(node) {
        let term = Term::new(pair);
        let prior = math::exp(term.log_prior);
        visits += term.visits;
        most = most.max(term.visits);
        mass += prior;
        weighted += prior * term.q;
        terms.push(term);
    }
    // Rounding must not leave the unvisited moves less than the next of them has.
    let next = tree.edges(node).get(terms.len()).map_or(0.0, |edge| math::exp(edge.log_prior));
    let own_value = tree.nodes[node as usize].own_value;
    let count = visits as f32;
    let mixed_value =
        if visits == 0 { own_value } else { (own_value + count * (weighted / mass)) / (1.0 + count) };
    Completed {
        mixed_value,
        scale: (config.c_visit + most as f32) * config.c_scale,
        visits,
        rest: (1.0 - mass).max(next),
    }
}

/// The improved policy of a node over its visited moves, the other moves lumped.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Improved {
    /// Subtract from a visited move's score for the logarithm of its improved probability.
    pub(crate) log_normaliser: f32,
    /// The improved probability of all unvisited moves together.
    pub(crate) rest: f32,
}

/// Normalises the scores of `terms`. Moves proven to lose get nothing unless `lost_too`. `rest` is the prior mass of
/// the unvisited moves; `None` when there are none.
#[inline]
pub(crate) fn improve(completed: &Completed, terms: &[Term], rest: Option<f32>, lost_too: bool) -> Improved {
    let counted = || terms.iter().filter(|term| lost_too || !term.lost);
    let rest_score = rest.map_or(f32::NEG_INFINITY, |mass| {
        completed.score(math::ln_f32(mass.max(f32::MIN_POSITIVE)), completed.mixed_value)
    });
    // The largest score is taken out first: thousands of visits make scores that no exponential can hold.
    let largest = counted().map(|term| completed.score(term.log_prior, term.q)).fold(rest_score, f32::max);
    let rest_weight = if rest.is_some() { math::exp(rest_score - largest) } else { 0.0 };
    let sum = counted()
        .fold(rest_weight, |sum, term| sum + math::exp(completed.score(term.log_prior, term.q) - largest));
    Improved { log_normaliser: largest + math::ln_f32(sum), rest: rest_weight / sum }
}

//! The root of a Gumbel search: which moves are considered, and who gets the next visit (Danihelka et al. 2022).

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::completed::{Completed, Term, complete};
use crate::config::SearchConfig;
use crate::halving::Halving;
use crate::math;
use crate::tree::{Edge, NO_CHILD, Tree};

/// A move that the root considers.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    /// Index into the root's edges.
    edge: usize,
    /// Its Gumbel noise, 0 without.
    noise: f32,
    /// Visits in this search.
    visits: u32,
}

/// The considered moves of a search and its place in the halving.
#[derive(Clone, Debug)]
pub(crate) struct GumbelRoot {
    considered: u32,
    random: Option<Xoshiro256PlusPlus>,
    candidates: Vec<Candidate>,
    halving: Halving,
    /// Score, noise and edge of every move, while the candidates are chosen.
    ranking: Vec<(f32, f32, usize)>,
    edges: Vec<Edge>,
}

impl Default for GumbelRoot {
    fn default() -> GumbelRoot {
        GumbelRoot {
            considered: 0,
            random: None,
            candidates: Vec::new(),
            halving: Halving::new(0, 1),
            ranking: Vec::new(),
            edges: Vec::new(),
        }
    }
}

impl GumbelRoot {
    /// Prepares for a search that considers at most `considered` moves, with noise from a seed or without.
    pub(crate) fn begin(&mut self, considered: u32, noise: Option<u64>) {
        self.considered = considered.max(1);
        self.random = noise.map(Xoshiro256PlusPlus::seed_from_u64);
    }

    /// Forgets the candidates of another root.
    pub(crate) fn clear(&mut self) {
        self.candidates.clear();
    }

    /// Takes the moves with the largest `g + log prior` as candidates for `visits` visits; a move that an earlier
    /// search visited also has sigma of its value, less that of the unvisited moves, in its score. Those unvisited
    /// become the first unvisited edges, best first: the halving visits them in this order.
    pub(crate) fn choose(
        &mut self,
        tree: &mut Tree,
        visits: u32,
        config: &SearchConfig,
        terms: &mut Vec<Term>,
    ) {
        let completed = complete(tree, 0, config, terms);
        self.ranking.clear();
        for (index, edge) in tree.edges(0).iter().enumerate() {
            let noise = self.random.as_mut().map_or(0.0, gumbel);
            match terms.get(index) {
                Some(term) if term.lost => {}
                Some(term) => {
                    let known = completed.scale * (term.q - completed.mixed_value);
                    self.ranking.push((noise + edge.log_prior + known, noise, index));
                }
                None => self.ranking.push((noise + edge.log_prior, noise, index)),
            }
        }
        let considered = self.ranking.len().min(self.considered as usize);
        let best_first =
            |a: &(f32, f32, usize), b: &(f32, f32, usize)| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2));
        if considered < self.ranking.len() {
            self.ranking.select_nth_unstable_by(considered, best_first);
            self.ranking.truncate(considered);
        }
        self.ranking.sort_unstable_by(best_first);
        self.candidates.clear();
        let visited = tree.nodes[0].visited as usize;
        self.edges.clear();
        for &(_, noise, index) in &self.ranking {
            let edge = if index < visited {
                index
            } else {
                self.edges.push(tree.edges(0)[index]);
                visited + self.edges.len() - 1
            };
            self.candidates.push(Candidate { edge, noise, visits: 0 });
        }
        self.bring_forward(tree, visited);
        self.halving = Halving::new(visits, considered as u32);
    }

    /// Moves the chosen unvisited edges, already listed, before the other unvisited ones, which keep their order.
    fn bring_forward(&mut self, tree: &mut Tree, visited: usize) {
        const CHOSEN: u32 = NO_CHILD - 1;
        if self.edges.is_empty() {
            return;
        }
        for &(_, _, index) in &self.ranking {
            if index >= visited {
                tree.edges_mut(0)[index].child = CHOSEN;
            }
        }
        self.edges.extend(tree.edges(0)[visited..].iter().filter(|edge| edge.child == NO_CHILD));
        tree.edges_mut(0)[visited..].copy_from_slice(&self.edges);
        tree.nodes[0].best_next = false;
    }

    /// The edge to visit next: among the candidates that have had as many visits as the halving says, the one with
    /// the largest `g + log prior + sigma(q)`. Candidates proven to lose are passed over.
    pub(crate) fn next(
        &mut self,
        tree: &mut Tree,
        visits_left: u32,
        config: &SearchConfig,
        terms: &mut Vec<Term>,
    ) -> usize {
        let completed = complete(tree, 0, config, terms);
        if !self.candidates.iter().any(|c| !is_lost(terms, c)) {
            self.choose(tree, visits_left, config, terms);
        }
        let level = self.halving.level();
        self.halving.step();
        let best = self
            .best(&completed, tree, terms, |candidate| candidate.visits == level)
            // Some that stood at this level are proven to lose: their visits go to the best of the others.
            .or_else(|| self.best(&completed, tree, terms, |_| true))
            .expect("a root with no move left to consider is proven lost, and a proven root is not visited");
        self.candidates[best].visits += 1;
        self.candidates[best].edge
    }

    /// The edge of the move to play: the largest score among the candidates that have had more than half as many
    /// visits as the most visited one. These are the last that the halving left; exactly those with the most visits,
    /// as in `mctx`, would also give one the move for having been visited last. Moves proven to lose are out: `None`
    /// when all are.
    pub(crate) fn survivor(&self, tree: &Tree, config: &SearchConfig) -> Option<usize> {
        let mut terms = Vec::new();
        let completed = complete(tree, 0, config, &mut terms);
        let alive = self.candidates.iter().filter(|c| !is_lost(&terms, c));
        let most = alive.map(|c| c.visits).max()?;
        let left = |c: &Candidate| c.visits == most || c.visits > most / 2;
        let best = self.best(&completed, tree, &terms, left)?;
        Some(self.candidates[best].edge)
    }

    /// The index of the best candidate that is not lost and that `admits` takes; the earlier on ties.
    fn best(
        &self,
        completed: &Completed,
        tree: &Tree,
        terms: &[Term],
        admits: impl Fn(&Candidate) -> bool,
    ) -> Option<usize> {
        let mut best: Option<(f32, usize)> = None;
        for (index, candidate) in self.candidates.iter().enumerate() {
            if !admits(candidate) || is_lost(terms, candidate) {
                continue;
            }
            let q = terms.get(candidate.edge).map_or(completed.mixed_value, |term| term.q);
            let log_prior = tree.edges(0)[candidate.edge].log_prior;
            // Added in the order of the ranking: rounding then keeps the unvisited candidates in theirs.
            let score = completed.score(candidate.noise + log_prior, q);
            if best.is_none_or(|(most, _)| score > most) {
                best = Some((score, index));
            }
        }
        best.map(|(_, index)| index)
    }
}

fn is_lost(terms: &[Term], candidate: &Candidate) -> bool {
    terms.get(candidate.edge).is_some_and(|term| term.lost)
}

/// A draw from the standard Gumbel distribution.
pub(crate) fn gumbel(random: &mut Xoshiro256PlusPlus) -> f32 {
    // Half a step off the grid: neither 0 nor 1, so that both logarithms are finite.
    let uniform = ((random.next_u64() >> 12) as f64 + 0.5) / (1u64 << 52) as f64;
    -math::ln(-math::ln(uniform)) as f32
}

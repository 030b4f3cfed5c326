//! What a search found.

use hippolyta_game::Move;
use rand_core::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::completed::{complete, improve};
use crate::exact::Outcome;
use crate::math;
use crate::root::gumbel;
use crate::search::{Mode, Search};
use crate::tree::{Edge, Node};

/// A visited move of the root.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveStats {
    /// The move.
    pub mv: Move,
    /// Its probability under the network's policy.
    pub prior: f32,
    /// Its probability under the improved policy: the training target.
    pub improved: f32,
    /// Its visits, those kept from earlier searches among them.
    pub visits: u32,
    /// Its value for the side that makes it, in [-1, 1]; exact when proven.
    pub value: f32,
}

/// What a search found. Values are for the side to move at the root.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// The move to play.
    pub chosen: Move,
    /// The root's value: exact when proven, else the mean over all visits and the network's own value.
    pub value: f32,
    /// The root's value under the improved policy, `sum pi'(a) q(a)` with unvisited moves at the mixed value.
    pub improved_value: f32,
    /// What the network said of the root itself.
    pub network_value: f32,
    /// The visited moves.
    pub moves: Vec<MoveStats>,
    /// The improved probability of all unvisited moves together; with those of `moves` it sums to 1.
    pub rest: f32,
    /// The divergence KL(improved || prior) in nats, the unvisited moves counted as one.
    pub surprise: f32,
    /// What is proven of the root.
    pub outcome: Outcome,
    /// The visits of this search.
    pub visits: u32,
    /// The evaluations of this search.
    pub network_calls: u32,
    /// The longest path of this search, in moves.
    pub depth: u32,
}

impl Search {
    /// The best move so far; `None` until the root is evaluated. It may be asked at any time between half-steps.
    pub fn best(&self) -> Option<Move> {
        let root = self.evaluated_root()?;
        let edge = match (root.outcome, self.plan.mode) {
            (Outcome::Open, Mode::Gumbel { .. }) => self.gumbel.survivor(&self.tree, &self.config),
            _ => None,
        };
        Some(self.tree.edges(0)[edge.unwrap_or_else(|| self.most_visited())].mv)
    }

    /// The longest path of this search so far, in moves.
    pub fn depth(&self) -> u32 {
        self.depth
    }

    /// What the search found so far; `None` until the root is evaluated.
    pub fn result(&self) -> Option<SearchResult> {
        let root = self.evaluated_root()?;
        let mut terms = Vec::new();
        let mut completed = complete(&self.tree, 0, &self.config, &mut terms);
        let all_visited = root.visited == root.edges && !root.truncated;
        if root.outcome == Outcome::Won {
            // Only winning moves deserve probability.
            for term in &mut terms {
                term.lost = term.q < 1.0;
            }
            completed.rest = 0.0;
        }
        let has_rest = !all_visited && root.outcome != Outcome::Won;
        let improved =
            improve(&completed, &terms, has_rest.then_some(completed.rest), root.outcome == Outcome::Lost);
        let mut moves = Vec::with_capacity(terms.len());
        let mut improved_value = improved.rest * completed.mixed_value;
        let mut surprise = 0.0;
        for (edge, term) in self.tree.edges(0).iter().zip(&terms) {
            let counts = !term.lost || root.outcome == Outcome::Lost;
            let log = completed.score(term.log_prior, term.q) - improved.log_normaliser;
            // Below e^-87 a probability is nothing.
            let mass = if counts && log > -87.0 { math::exp(log) } else { 0.0 };
            improved_value += mass * term.q;
            surprise += mass * (log - term.log_prior);
            moves.push(MoveStats {
                mv: edge.mv,
                prior: math::exp(term.log_prior),
                improved: mass,
                visits: term.visits,
                value: term.q,
            });
        }
        if improved.rest > 0.0 {
            let prior = completed.rest.max(f32::MIN_POSITIVE);
            surprise += improved.rest * (math::ln_f32(improved.rest) - math::ln_f32(prior));
        }
        Some(SearchResult {
            chosen: self.best()?,
            value: root.value(),
            improved_value: improved_value.clamp(-1.0, 1.0),
            network_value: root.own_value,
            moves,
            rest: improved.rest,
            surprise: surprise.max(0.0),
            outcome: root.outcome,
            visits: self.visits,
            network_calls: self.network_calls,
            depth: self.depth,
        })
    }

    /// Draws a root move from the network's policy, sharpened or flattened by a temperature above 0; `None` until
    /// the root is evaluated, for which a plan of 0 visits is enough.
    pub fn sample_prior(&self, temperature: f32, seed: u64) -> Option<Move> {
        self.evaluated_root()?;
        let weights = self.tree.edges(0).iter().map(|edge| (edge.mv, edge.log_prior));
        draw(weights, temperature, seed)
    }

    /// The moves that the search expects: from the root, the most visited ones. Replaces the contents of `line`.
    pub fn principal_variation(&self, line: &mut Vec<Move>) {
        line.clear();
        if let Some(best) = self.best() {
            self.line_of(best, line);
        }
    }

    /// The moves that the search expects when the root's move is `first`, which is among them. Replaces the contents of
    /// `line`.
    pub fn line_of(&self, first: Move, line: &mut Vec<Move>) {
        line.clear();
        if self.evaluated_root().is_none() {
            return;
        }
        let mut edge = self.tree.edges(0).iter().find(|edge| edge.mv == first);
        while let Some(&Edge { mv, child, .. }) = edge {
            line.push(mv);
            let visited = self.tree.nodes.get(child as usize).is_some_and(|node| node.visited > 0);
            edge = visited.then(|| &self.tree.edges(child)[self.most_visited_of(child)]);
        }
    }

    fn evaluated_root(&self) -> Option<&Node> {
        self.tree.nodes.first().filter(|root| root.edges > 0)
    }

    fn most_visited(&self) -> usize {
        self.most_visited_of(0)
    }

    /// The edge of a proven win, else of the most visited move that is not proven to lose, else of an unvisited move,
    /// else of the most visited one. Equal visits are decided by the value, then by the prior.
    fn most_visited_of(&self, node: u32) -> usize {
        let rank = |index: usize, edge: &Edge| {
            let Some(child) = self.tree.nodes.get(edge.child as usize) else {
                return (1, 0, edge.log_prior, 0.0, index);
            };
            let class = match child.outcome {
                Outcome::Lost => 3,
                Outcome::Open => 2,
                Outcome::Won => 0,
            };
            (class, child.visits, -child.value(), edge.log_prior, index)
        };
        let ranks = self.tree.edges(node).iter().enumerate().map(|(index, edge)| rank(index, edge));
        let best = ranks.reduce(|a, b| {
            let order = (b.0, b.1).cmp(&(a.0, a.1)).then(b.2.total_cmp(&a.2)).then(b.3.total_cmp(&a.3));
            if order.is_gt() { b } else { a }
        });
        best.expect("an evaluated node has a move").4
    }
}

impl SearchResult {
    /// Draws one of the visited moves by its improved probability, sharpened or flattened by a temperature above 0.
    /// The chosen move when none was visited.
    pub fn sample(&self, temperature: f32, seed: u64) -> Move {
        let possible = self.moves.iter().filter(|stats| stats.improved > 0.0);
        let weights = possible.map(|stats| (stats.mv, math::ln_f32(stats.improved.max(f32::MIN_POSITIVE))));
        draw(weights, temperature, seed).unwrap_or(self.chosen)
    }
}

/// Draws by `exp(log weight / temperature)`, with the Gumbel-max trick.
fn draw(weights: impl Iterator<Item = (Move, f32)>, temperature: f32, seed: u64) -> Option<Move> {
    assert!(temperature > 0.0, "a temperature is above 0, not {temperature}");
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let keyed = weights.map(|(mv, log)| (mv, log / temperature + gumbel(&mut random)));
    keyed.reduce(|a, b| if b.1 > a.1 { b } else { a }).map(|(mv, _)| mv)
}

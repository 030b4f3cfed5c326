//! The tree in two arenas.

use hippolyta_game::Move;

use crate::exact::Outcome;
use crate::math;

/// The child of an edge that has none.
pub(crate) const NO_CHILD: u32 = u32::MAX;

/// The least log-prior an edge can have: keeps differences of logarithms finite whatever a network says.
pub(crate) const LEAST_LOG_PRIOR: f32 = -1e4;

/// A move from a node. 12 bytes; the position behind it is found by playing the moves from the root.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Edge {
    /// The logarithm of the network's probability of the move among all legal moves.
    pub(crate) log_prior: f32,
    /// The node behind, or [`NO_CHILD`].
    pub(crate) child: u32,
    pub(crate) mv: Move,
}

/// A position that was visited. Values are for its side to move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The sum of the values of all visits.
    pub(crate) value_sum: f64,
    /// What the network (or the rules) said of the position itself.
    pub(crate) own_value: f32,
    /// Visits, the one that made the node among them.
    pub(crate) visits: u32,
    /// The node's edges are `first_edge .. first_edge + edges`.
    pub(crate) first_edge: u32,
    pub(crate) edges: u16,
    /// The first `visited` edges have a child, the others none.
    pub(crate) visited: u16,
    pub(crate) outcome: Outcome,
    /// Whether some legal moves have no edge.
    pub(crate) truncated: bool,
    /// Whether the first unvisited edge has the largest prior of them.
    pub(crate) best_next: bool,
}

impl Node {
    /// The best estimate for the side to move: exact when proven, else the mean over the visits.
    #[inline]
    pub(crate) fn value(&self) -> f32 {
        self.outcome.value().unwrap_or((self.value_sum / f64::from(self.visits)) as f32)
    }
}

/// Nodes and edges; node 0 is the root.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    pub(crate) nodes: Vec<Node>,
    edges: Vec<Edge>,
    /// Keys of the moves, while the best of an expansion are found.
    order: Vec<u64>,
}

impl Tree {
    pub(crate) fn clear(&mut self) {
        self.nodes.clear();
        self.edges.clear();
    }

    /// The nodes and edges that fit without another allocation.
    #[cfg(test)]
    pub(crate) fn capacity(&self) -> (usize, usize) {
        (self.nodes.capacity(), self.edges.capacity())
    }

    #[inline]
    pub(crate) fn edges(&self, node: u32) -> &[Edge] {
        let node = &self.nodes[node as usize];
        &self.edges[node.first_edge as usize..][..node.edges as usize]
    }

    #[inline]
    pub(crate) fn edges_mut(&mut self, node: u32) -> &mut [Edge] {
        let node = &self.nodes[node as usize];
        &mut self.edges[node.first_edge as usize..][..node.edges as usize]
    }

    /// The edges of a node that have a child, each with it.
    #[inline]
    pub(crate) fn visited(&self, node: u32) -> impl ExactSizeIterator<Item = (&Edge, &Node)> {
        let visited = self.nodes[node as usize].visited as usize;
        self.edges(node)[..visited].iter().map(|edge| (edge, &self.nodes[edge.child as usize]))
    }

    /// Appends a node with no edges, visited once.
    pub(crate) fn push_leaf(&mut self, value: f32, outcome: Outcome) -> u32 {
        let node = Node {
            value_sum: f64::from(value),
            own_value: value,
            visits: 1,
            first_edge: self.edges.len() as u32,
            edges: 0,
            visited: 0,
            outcome,
            truncated: false,
            best_next: false,
        };
        self.nodes.push(node);
        self.nodes.len() as u32 - 1
    }

    /// Appends a node visited once, with edges for the `keep` moves of the largest logits; ties go to the earlier.
    ///
    /// # Panics
    /// When a logit or the value is not finite, or there is not one logit a move.
    pub(crate) fn push_open(&mut self, value: f32, moves: &[Move], logits: &[f32], keep: usize) -> u32 {
        assert_eq!(moves.len(), logits.len(), "an evaluation has one logit a move");
        assert!(value.is_finite(), "an evaluator's value is finite, not {value}");
        let id = self.push_leaf(value.clamp(-1.0, 1.0), Outcome::Open);
        let normaliser = log_sum_exp(logits);
        assert!(normaliser.is_finite(), "an evaluator's logits are finite");
        let edge = |index: usize| Edge {
            log_prior: (logits[index] - normaliser).max(LEAST_LOG_PRIOR),
            child: NO_CHILD,
            mv: moves[index],
        };
        let truncated = moves.len() > keep;
        if truncated {
            self.order.clear();
            self.order.extend(logits.iter().zip(0..).map(|(&logit, index)| best_first(logit, index)));
            self.order.select_nth_unstable(keep - 1);
            self.edges.extend(self.order[..keep].iter().map(|&key| edge(key as u32 as usize)));
        } else {
            self.edges.extend((0..moves.len()).map(edge));
        }
        let node = &mut self.nodes[id as usize];
        node.edges = moves.len().min(keep) as u16;
        node.truncated = truncated;
        id
    }

    /// The unvisited edge with the largest prior, which becomes the first of the unvisited ones; the lesser move on
    /// ties. Looked for only when the last one was used up: few nodes have many children.
    #[inline]
    pub(crate) fn first_unvisited(&mut self, node: u32) -> Option<usize> {
        let Node { visited, edges, best_next, .. } = self.nodes[node as usize];
        let visited = visited as usize;
        if visited == edges as usize {
            return None;
        }
        if !best_next {
            self.nodes[node as usize].best_next = true;
            let unvisited = &mut self.edges_mut(node)[visited..];
            let mut best = 0;
            for (index, edge) in unvisited.iter().enumerate().skip(1) {
                let least = &unvisited[best];
                let tie = edge.log_prior >= least.log_prior && edge.mv < least.mv;
                if tie || edge.log_prior > least.log_prior {
                    best = index;
                }
            }
            unvisited.swap(0, best);
        }
        Some(visited)
    }

    /// Hangs `child` under the first unvisited edge of `node`.
    ///
    /// # Panics
    /// When `edge` is another.
    pub(crate) fn attach(&mut self, node: u32, edge: usize, child: u32) {
        assert_eq!(edge, self.nodes[node as usize].visited as usize, "visited edges come first");
        self.edges_mut(node)[edge].child = child;
        let node = &mut self.nodes[node as usize];
        node.visited += 1;
        node.best_next = false;
    }

    /// Gives a truncated node edges for all `moves`, its legal ones in ascending order. Those it had dropped share
    /// what is left of the prior, but none gets more than the least that was kept.
    pub(crate) fn widen(&mut self, node: u32, moves: &[Move]) {
        let kept = self.edges(node);
        let mut known: Vec<Move> = kept.iter().map(|edge| edge.mv).collect();
        known.sort_unstable();
        let mass: f32 = kept.iter().map(|edge| math::exp(edge.log_prior)).sum();
        let least = kept.iter().map(|edge| edge.log_prior).fold(0.0, f32::min);
        let each = (1.0 - mass).max(f32::EPSILON) / (moves.len() - kept.len()) as f32;
        let log_prior = math::ln_f32(each).min(least);

        let first = self.nodes[node as usize].first_edge as usize;
        let start = self.edges.len();
        self.edges.extend_from_within(first..first + known.len());
        let dropped = moves.iter().filter(|m| known.binary_search(m).is_err());
        self.edges.extend(dropped.map(|&mv| Edge { log_prior, child: NO_CHILD, mv }));
        debug_assert_eq!(self.edges.len() - start, moves.len());
        let node = &mut self.nodes[node as usize];
        node.first_edge = start as u32;
        node.edges = moves.len() as u16;
        node.truncated = false;
        node.best_next = false;
    }

    /// Fills `into` with the subtree under `root`, breadth first. `into` keeps its allocations.
    pub(crate) fn copy_subtree(&self, root: u32, into: &mut Tree) {
        into.clear();
        into.nodes.push(self.nodes[root as usize]);
        let mut next = 0;
        while next < into.nodes.len() {
            let Node { first_edge, edges, visited, .. } = into.nodes[next];
            let start = into.edges.len();
            into.nodes[next].first_edge = start as u32;
            into.edges.extend_from_slice(&self.edges[first_edge as usize..][..edges as usize]);
            for edge in &mut into.edges[start..start + visited as usize] {
                let old = edge.child;
                edge.child = into.nodes.len() as u32;
                into.nodes.push(self.nodes[old as usize]);
            }
            next += 1;
        }
    }
}

/// A number that is smaller for larger logits and, among equal ones, for smaller indices; its low half is `index`.
fn best_first(logit: f32, index: u32) -> u64 {
    let bits = logit.to_bits();
    // Descending in the total order of floats.
    let descending = if bits >> 31 == 0 { !bits ^ (1 << 31) } else { bits };
    u64::from(descending) << 32 | u64::from(index)
}

/// `ln(sum(exp(logits)))`; not a number if a logit is none or infinite.
fn log_sum_exp(logits: &[f32]) -> f32 {
    // As many partial sums as a vector has lanes: the order of additions is the same on every machine.
    const LANES: usize = 16;
    let largest = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let (whole, rest) = logits.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in whole {
        for (sum, logit) in sums.iter_mut().zip(chunk) {
            *sum += math::exp(logit - largest);
        }
    }
    let rest = rest.iter().map(|logit| math::exp(logit - largest));
    let sum: f32 = sums.into_iter().chain(rest).sum();
    if sum.is_finite() { largest + math::ln_f32(sum) } else { f32::NAN }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_put_the_largest_logit_first() {
        let logits = [3.5, 0.1, 0.1, 0.0, -0.0, -2.0, -1e30];
        let keys: Vec<u64> =
            logits.into_iter().zip(0..).map(|(logit, index)| best_first(logit, index)).collect();
        assert!(keys.is_sorted(), "{keys:x?}");
        assert_eq!(keys[2] as u32, 2);
    }

    #[test]
    fn log_sum_exp_is_exact_enough_and_says_nan() {
        for count in [1, 15, 16, 17, 500] {
            let logits: Vec<f32> = (0..count).map(|i| (i * 37 % 101) as f32 / 7.0 - 300.0).collect();
            let exact =
                logits.iter().map(|&logit| (f64::from(logit) + 300.0).exp()).sum::<f64>().ln() - 300.0;
            assert!((f64::from(log_sum_exp(&logits)) - exact).abs() < 1e-4);
        }
        for wrong in [f32::NAN, f32::INFINITY] {
            assert!(log_sum_exp(&[0.0, wrong, 1.0]).is_nan());
        }
        assert!(log_sum_exp(&[f32::NEG_INFINITY, 0.0]).abs() < 1e-6);
    }
}

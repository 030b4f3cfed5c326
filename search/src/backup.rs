//! What a new leaf changes on the way back to the root.

use crate::exact::Outcome;
use crate::tree::Tree;

impl Tree {
    /// Adds the value of `leaf` to every node of `path`, which leads from the root to it, and proves what follows from
    /// it. A node's value counts for the side to move there, so it changes sign each step; from a node that is proven
    /// its exact value goes on.
    pub(crate) fn back_up(&mut self, path: &[(u32, usize)], leaf: u32) {
        let mut value = self.nodes[leaf as usize].own_value;
        let mut below = self.nodes[leaf as usize].outcome;
        for &(node, _) in path.iter().rev() {
            value = -value;
            if let Some(outcome) = self.follows(node, below) {
                self.nodes[node as usize].outcome = outcome;
            }
            let node = &mut self.nodes[node as usize];
            value = node.outcome.value().unwrap_or(value);
            node.visits += 1;
            node.value_sum += f64::from(value);
            below = node.outcome;
        }
    }

    /// What a child's outcome proves of its parent: one that is lost for its mover wins the parent; if all legal moves
    /// lead to won ones, the parent is lost.
    fn follows(&self, parent: u32, child: Outcome) -> Option<Outcome> {
        match child {
            Outcome::Open => None,
            Outcome::Lost => Some(Outcome::Won),
            Outcome::Won => {
                let node = &self.nodes[parent as usize];
                let all = !node.truncated && node.visited == node.edges;
                let lost = all && self.visited(parent).all(|(_, child)| child.outcome == Outcome::Won);
                lost.then_some(Outcome::Lost)
            }
        }
    }
}

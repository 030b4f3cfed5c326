//! Evaluators that stand in for a network where a search must be exact or repeatable.

use std::collections::HashMap;

use hippolyta_game::{Move, Position};

use crate::evaluator::{Evaluation, Evaluator, Query};
use crate::seed::derive;

/// Knows what it was told of some positions; thinks every move of the others equally likely and them even.
#[derive(Clone, Debug, Default)]
pub struct TableEvaluator {
    values: HashMap<u64, f32>,
    logits: HashMap<(u64, Move), f32>,
}

impl TableEvaluator {
    /// Sets the value of a position for its side to move.
    pub fn set_value(&mut self, position: &Position, value: f32) {
        self.values.insert(position.hash(), value);
    }

    /// Sets the logit of a move; the others have 0.
    pub fn set_logit(&mut self, position: &Position, m: Move, logit: f32) {
        self.logits.insert((position.hash(), m), logit);
    }
}

impl Evaluator for TableEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        for (query, answer) in queries.iter().zip(answers) {
            let hash = query.position.hash();
            answer.value = self.values.get(&hash).copied().unwrap_or(0.0);
            answer.logits.clear();
            let logits = query.moves.iter().map(|&m| self.logits.get(&(hash, m)).copied().unwrap_or(0.0));
            answer.logits.extend(logits);
        }
    }
}

/// Has an opinion of every position: values in [-0.5, 0.5] and logits in [-2, 2], a fixed function of seed, position
/// and move.
#[derive(Clone, Copy, Debug)]
pub struct OpinionatedEvaluator {
    /// Another seed, other opinions.
    pub seed: u64,
}

impl Evaluator for OpinionatedEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        let unit = |bits: u64| (bits >> 40) as f32 / (1u32 << 24) as f32 - 0.5;
        for (query, answer) in queries.iter().zip(answers) {
            let seed = derive(self.seed, &[query.position.hash()]);
            answer.value = unit(seed);
            answer.logits.clear();
            let logits = query.moves.iter().map(|m| {
                let key = [m.from.index() as u64, m.to.index() as u64, m.arrow.index() as u64];
                4.0 * unit(derive(seed, &key))
            });
            answer.logits.extend(logits);
        }
    }
}

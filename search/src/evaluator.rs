//! What a search asks of a network.

use hippolyta_game::{Move, Position};

/// A position to be evaluated, with its legal moves.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    /// The position; it has at least one legal move.
    pub position: &'a Position,
    /// All its legal moves, in the order of [`Position::moves`].
    pub moves: &'a [Move],
}

/// The answer to a [`Query`]. Kept by the caller and filled again, so that nothing is allocated for each position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluation {
    /// The expected result for the side to move, in [-1, 1].
    pub value: f32,
    /// One unnormalised log-probability a move, in the order of [`Query::moves`].
    pub logits: Vec<f32>,
}

/// Judges positions. One call serves a batch; the answer to a query does not depend on the rest of the batch.
pub trait Evaluator {
    /// Fills `answers[i]` for each `queries[i]`. Both slices are equally long.
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]);
}

impl<E: Evaluator + ?Sized> Evaluator for Box<E> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        (**self).evaluate(queries, answers);
    }
}

/// Thinks every move equally likely and every position even.
#[derive(Clone, Copy, Debug, Default)]
pub struct UniformEvaluator;

impl Evaluator for UniformEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        for (query, answer) in queries.iter().zip(answers) {
            answer.value = 0.0;
            answer.logits.clear();
            answer.logits.resize(query.moves.len(), 0.0);
        }
    }
}

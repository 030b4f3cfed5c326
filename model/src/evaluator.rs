//! The network as the [`Evaluator`] of a search, on the CPU.

use std::sync::Arc;

use hippolyta_game::{Board, Position, Square};
use hippolyta_search::{Evaluation, Evaluator, Query};

use crate::features::{Features, PLANES};
use crate::heads::Heads;
use crate::network::{Network, Output, Scratch};
use crate::policy::{LONGEST_ROW, Product};

/// One thread's hold on a [`Network`]: evaluates positions one at a time, without allocating.
///
/// The answer to a query does not depend on the batch it comes in, and with an int8 network not on the machine.
#[derive(Clone, Debug)]
pub struct NetworkEvaluator {
    network: Arc<Network>,
    scratch: Scratch,
    output: Output,
    features: Features,
    /// `[square][plane]` of one position.
    planes: Vec<f32>,
    rows: Rows,
}

/// The rows of the policy's products that the moves of one position need.
#[derive(Clone, Debug)]
struct Rows {
    from_to: [f32; LONGEST_ROW],
    from_arrow: [f32; LONGEST_ROW],
    /// A row of [`Product::ToArrow`] for each landing square met so far.
    to_arrow: Box<[[f32; LONGEST_ROW]]>,
    known: u128,
}

const LARGEST_AREA: usize = Board::TEN.area();

impl NetworkEvaluator {
    /// An evaluator over a network that other threads may share.
    pub fn new(network: Arc<Network>) -> NetworkEvaluator {
        NetworkEvaluator {
            scratch: network.scratch(),
            output: network.output(),
            features: Features::new(),
            planes: Vec::with_capacity(LARGEST_AREA * PLANES),
            rows: Rows {
                from_to: [0.0; LONGEST_ROW],
                from_arrow: [0.0; LONGEST_ROW],
                to_arrow: vec![[0.0; LONGEST_ROW]; LARGEST_AREA].into_boxed_slice(),
                known: 0,
            },
            network,
        }
    }

    /// Runs the network on a position; the result is good until the next call.
    pub fn forward(&mut self, position: &Position, heads: Heads) -> &Output {
        let board = position.board();
        self.features.read(position);
        self.planes.clear();
        self.planes.resize(board.area() * PLANES, 0.0);
        self.features.for_each(|plane, dense, value| self.planes[dense * PLANES + plane] = value);
        let (files, ranks) = (board.files().into(), board.ranks().into());
        self.network.forward(&mut self.scratch, &self.planes, files, ranks, heads, &mut self.output);
        &self.output
    }

    fn answer(&mut self, query: &Query<'_>, answer: &mut Evaluation) {
        self.forward(query.position, Heads::default());
        let (board, policy) = (query.position.board(), &self.output.policy);
        let Rows { from_to, from_arrow, to_arrow, known } = &mut self.rows;
        let length = policy.row_len();
        *known = 0;
        answer.value = self.output.value();
        answer.logits.clear();
        let (mut last_from, mut last_to) = (None::<Square>, None::<Square>);
        let (mut to, mut from_to_logit) = (0, 0.0);
        for m in query.moves {
            // Moves come sorted, so that a row serves many in a row.
            if last_from != Some(m.from) {
                let from = board.dense(m.from);
                policy.row(Product::FromTo, from, &mut from_to[..length]);
                policy.row(Product::FromArrow, from, &mut from_arrow[..length]);
                (last_from, last_to) = (Some(m.from), None);
            }
            if last_to != Some(m.to) {
                to = board.dense(m.to);
                if *known >> to & 1 == 0 {
                    policy.row(Product::ToArrow, to, &mut to_arrow[to][..length]);
                    *known |= 1 << to;
                }
                from_to_logit = from_to[to];
                last_to = Some(m.to);
            }
            let arrow = board.dense(m.arrow);
            answer.logits.push(from_to_logit + to_arrow[to][arrow] + from_arrow[arrow]);
        }
    }
}

impl Evaluator for NetworkEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        for (query, answer) in queries.iter().zip(answers) {
            self.answer(query, answer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{Isa, Precision};
    use crate::spec::NetSpec;
    use crate::weights::Weights;

    fn evaluator(seed: u64) -> NetworkEvaluator {
        let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 16, &[1]) };
        let weights = Weights::untrained(spec, seed).expect("a valid shape");
        let precision = Precision::F32;
        let network =
            Network::new(&weights, None, precision, Isa::best(precision)).expect("f32 runs everywhere");
        NetworkEvaluator::new(Arc::new(network))
    }

    fn evaluate(evaluator: &mut NetworkEvaluator, positions: &[Position]) -> Vec<Evaluation> {
        let mut moves = vec![Vec::new(); positions.len()];
        positions.iter().zip(&mut moves).for_each(|(position, moves)| position.moves(moves));
        let queries: Vec<Query<'_>> =
            positions.iter().zip(&moves).map(|(position, moves)| Query { position, moves }).collect();
        let mut answers = vec![Evaluation::default(); positions.len()];
        evaluator.evaluate(&queries, &mut answers);
        answers
    }

    #[test]
    fn logits_are_the_sums_of_the_products() {
        let mut evaluator = evaluator(1);
        for board in Board::PLAYED {
            let position = Position::start(board).expect("has a start");
            let answer = &evaluate(&mut evaluator, &[position])[0];
            let output = evaluator.forward(&position, Heads::default()).clone();
            assert_eq!(answer.value.to_bits(), output.value().to_bits());
            let mut moves = Vec::new();
            position.moves(&mut moves);
            assert_eq!(answer.logits.len(), moves.len());
            let mut row = vec![0.0; output.policy.row_len()];
            for (m, logit) in moves.into_iter().zip(&answer.logits) {
                let [from, to, arrow] = [m.from, m.to, m.arrow].map(|square| board.dense(square));
                let mut product = |product, query, key: usize| {
                    output.policy.row(product, query, &mut row);
                    row[key]
                };
                let sum = product(Product::FromTo, from, to)
                    + product(Product::ToArrow, to, arrow)
                    + product(Product::FromArrow, from, arrow);
                assert_eq!(logit.to_bits(), sum.to_bits(), "{m}");
            }
        }
    }

    #[test]
    fn answers_do_not_depend_on_the_batch() {
        let positions = Board::PLAYED.map(|board| Position::start(board).expect("has a start"));
        let mut together = evaluator(2);
        let batch = evaluate(&mut together, &positions);
        for (position, answer) in positions.iter().zip(batch) {
            assert_eq!(evaluate(&mut evaluator(2), &[*position])[0], answer);
            assert_eq!(evaluate(&mut together, &[*position])[0], answer);
        }
    }
}

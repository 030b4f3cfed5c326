//! Answers kept for positions that come again.

use hippolyta_game::Position;

use crate::evaluator::{Evaluation, Evaluator, Query};

/// Asks another evaluator once for each position that it remembers.
///
/// Each position has one slot, by its hash, and a newer one takes it over; a position is told from others in full. So
/// answers are those of the evaluator behind, bit for bit, whatever was asked before. Queries of a batch that are not
/// remembered are handed on in runs of neighbours: made for evaluators to which the size of a batch means nothing.
#[derive(Debug)]
pub struct CachedEvaluator<E> {
    inner: E,
    slots: Vec<Option<Slot>>,
}

#[derive(Clone, Debug)]
struct Slot {
    position: Position,
    answer: Evaluation,
}

impl<E: Evaluator> CachedEvaluator<E> {
    /// Remembers up to `slots` positions of `inner`'s, a power of two. On 10x10 one takes some 2 KB, on 6x6 300 bytes.
    ///
    /// # Panics
    /// When `slots` is no power of two.
    pub fn new(inner: E, slots: usize) -> CachedEvaluator<E> {
        assert!(slots.is_power_of_two(), "{slots} slots: must be a power of two");
        CachedEvaluator { inner, slots: vec![None; slots] }
    }

    fn slot(&self, position: &Position) -> usize {
        position.hash() as usize & (self.slots.len() - 1)
    }

    /// Answers a query from memory, if it can.
    fn recall(&self, query: &Query<'_>, answer: &mut Evaluation) -> bool {
        match &self.slots[self.slot(query.position)] {
            Some(slot) if slot.position == *query.position => {
                answer.value = slot.answer.value;
                answer.logits.clone_from(&slot.answer.logits);
                true
            }
            _ => false,
        }
    }

    /// Asks for neighbours none of which is remembered.
    fn ask(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        if queries.is_empty() {
            return;
        }
        self.inner.evaluate(queries, answers);
        for (query, answer) in queries.iter().zip(answers) {
            let index = self.slot(query.position);
            // The vector that lies in the slot is filled again.
            match &mut self.slots[index] {
                Some(slot) => {
                    slot.position = *query.position;
                    slot.answer.value = answer.value;
                    slot.answer.logits.clone_from(&answer.logits);
                }
                empty => *empty = Some(Slot { position: *query.position, answer: answer.clone() }),
            }
        }
    }
}

impl<E: Evaluator> Evaluator for CachedEvaluator<E> {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        let mut unknown = 0;
        for next in 0..queries.len() {
            if self.recall(&queries[next], &mut answers[next]) {
                self.ask(&queries[unknown..next], &mut answers[unknown..next]);
                unknown = next + 1;
            }
        }
        self.ask(&queries[unknown..], &mut answers[unknown..]);
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::{Board, Move};

    use super::*;
    use crate::seed::derive;

    /// Answers by the position's hash, and counts the positions that it was asked for.
    struct Counting(usize);

    impl Evaluator for Counting {
        fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
            self.0 += queries.len();
            for (query, answer) in queries.iter().zip(answers) {
                let hash = query.position.hash();
                let draw = |part| (derive(hash, &[part]) % 1000) as f32 / 1000.0;
                answer.logits.clear();
                answer.logits.extend((0..query.moves.len() as u64).map(draw));
                answer.value = draw(u64::MAX);
            }
        }
    }

    /// Positions after each first move on 6x6, with their moves.
    fn positions() -> Vec<(Position, Vec<Move>)> {
        let start = Position::start(Board::SIX).expect("6x6 has a start");
        let (mut first, mut moves) = (Vec::new(), Vec::new());
        start.moves(&mut first);
        first
            .iter()
            .map(|&m| {
                let position = start.play_unchecked(m);
                position.moves(&mut moves);
                (position, moves.clone())
            })
            .collect()
    }

    /// Few slots, so that positions push each other out, and batches in which known and unknown ones mix.
    #[test]
    fn answers_are_those_of_the_evaluator_behind() {
        let positions = positions();
        let mut cached = CachedEvaluator::new(Counting(0), 32);
        let mut asked = 0;
        for round in 0..200_u64 {
            let batch: Vec<Query<'_>> = (0..=round % 7)
                .map(|i| {
                    let (position, moves) = &positions[derive(round, &[i]) as usize % 40];
                    Query { position, moves }
                })
                .collect();
            let mut answers = vec![Evaluation::default(); batch.len()];
            let mut expected = answers.clone();
            cached.evaluate(&batch, &mut answers);
            Counting(0).evaluate(&batch, &mut expected);
            assert_eq!(answers, expected, "round {round}");
            asked += batch.len();
        }
        let calls = cached.inner.0;
        assert!(calls < asked && calls > 40, "{calls} of {asked}");
    }

    #[test]
    fn a_position_is_evaluated_once_while_it_is_remembered() {
        let positions = positions();
        let mut cached = CachedEvaluator::new(Counting(0), 1 << 12);
        let (position, moves) = &positions[0];
        let mut answers = [Evaluation::default()];
        for _ in 0..3 {
            cached.evaluate(&[Query { position, moves }], &mut answers);
        }
        assert_eq!(cached.inner.0, 1);
    }
}

//! Sequential halving: how visits are divided among the considered moves.

/// Sequential halving as an endless sequence: each item is the number of visits that the move to be visited next has
/// had so far. Equal to `mctx`'s `get_sequence_of_considered_visits`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Halving {
    visits: u32,
    phases: u32,
    /// Moves that are left.
    left: u32,
    /// Rounds to go in this phase, the current one among them.
    rounds: u32,
    /// Moves to go in this round.
    turns: u32,
    level: u32,
}

impl Halving {
    /// Divides `visits` among `considered` moves.
    pub(crate) fn new(visits: u32, considered: u32) -> Halving {
        // ceil(log2(considered)).
        let phases = considered.max(2).next_power_of_two().ilog2();
        let mut halving =
            Halving { visits, phases, left: considered, rounds: 0, turns: considered, level: 0 };
        halving.rounds = halving.rounds_of_phase();
        halving
    }

    fn rounds_of_phase(&self) -> u32 {
        (u64::from(self.visits) / (u64::from(self.phases) * u64::from(self.left.max(1)))).max(1) as u32
    }

    /// The visits that the next move has had.
    pub(crate) fn level(&self) -> u32 {
        self.level
    }

    /// Goes on to the next visit.
    pub(crate) fn step(&mut self) {
        self.turns = self.turns.saturating_sub(1);
        if self.turns == 0 {
            self.level += 1;
            self.rounds -= 1;
            if self.rounds == 0 {
                self.left = if self.left <= 1 { self.left } else { (self.left / 2).max(2) };
                self.rounds = self.rounds_of_phase();
            }
            self.turns = self.left;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(visits: u32, considered: u32) -> Vec<u32> {
        let mut halving = Halving::new(visits, considered);
        let levels = std::iter::from_fn(|| {
            let level = halving.level();
            halving.step();
            Some(level)
        });
        levels.take(visits as usize).collect()
    }

    /// The table of `mctx`, spelled out.
    fn oracle(visits: usize, considered: usize) -> Vec<u32> {
        if considered <= 1 {
            return (0..visits as u32).collect();
        }
        let phases = (considered as f64).log2().ceil() as usize;
        let mut sequence = Vec::new();
        let mut had = vec![0; considered];
        let mut left = considered;
        while sequence.len() < visits {
            let rounds = (visits / (phases * left)).max(1);
            for _ in 0..rounds {
                sequence.extend(&had[..left]);
                for count in &mut had[..left] {
                    *count += 1;
                }
            }
            left = (left / 2).max(2);
        }
        sequence.truncate(visits);
        sequence
    }

    #[test]
    fn equals_the_table() {
        for considered in 0..40 {
            for visits in (0..130).chain([200, 333, 1000]) {
                assert_eq!(
                    sequence(visits, considered),
                    oracle(visits as usize, considered as usize),
                    "{visits} visits, {considered} moves"
                );
            }
        }
    }

    #[test]
    fn known_sequences() {
        assert_eq!(sequence(8, 4), [0, 0, 0, 0, 1, 1, 2, 2]);
        assert_eq!(sequence(5, 1), [0, 1, 2, 3, 4]);
        assert_eq!(sequence(2, 16), [0, 0]);
        // 16 moves once, 8 twice more, 4 four times more, 2 eight times more.
        let mut had = [0; 17];
        for level in sequence(64, 16) {
            had[level as usize] += 1;
        }
        assert_eq!(had, [16, 8, 8, 4, 4, 4, 4, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0]);
    }

    #[test]
    fn endless_plans_do_not_overflow() {
        let mut halving = Halving::new(u32::MAX, 16);
        (0..1000).for_each(|_| halving.step());
        assert_eq!(halving.level(), 62);
    }
}

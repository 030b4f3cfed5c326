//! Rates that can be compared: what is measured takes turns in short slices, so that whatever else the machine does
//! falls on all of it alike.

use std::thread;
use std::time::{Duration, Instant};

/// How often each subject has its turn.
pub(super) const ROUNDS: usize = 15;
/// How long a turn lasts at least.
const TURN: Duration = Duration::from_millis(50);

/// Something whose speed is measured: called with the number of the round, it gives units a second.
pub(super) type Subject<'a> = Box<dyn FnMut(usize) -> f64 + 'a>;

/// The rates of one subject, round by round.
#[derive(Debug)]
pub(super) struct Rates(Vec<f64>);

impl Rates {
    /// The middle one.
    pub(super) fn typical(&self) -> f64 {
        median(self.0.clone())
    }

    /// How many times as fast as another subject of the same rounds: the middle one of the rounds' ratios.
    pub(super) fn over(&self, other: &Rates) -> f64 {
        median(self.0.iter().zip(&other.0).map(|(own, other)| own / other).collect())
    }
}

/// Gives each subject its turns, and the rates of all in their order.
pub(super) fn take_turns<const N: usize>(mut subjects: [Subject<'_>; N]) -> [Rates; N] {
    // What is done first fills caches and buffers.
    for subject in &mut subjects {
        subject(0);
    }
    let mut rates = [const { Vec::new() }; N];
    for round in 0..ROUNDS {
        for (rates, subject) in rates.iter_mut().zip(&mut subjects) {
            rates.push(subject(round));
        }
    }
    rates.map(Rates)
}

/// Units a second of `work`, which says how many units each call did, over one turn.
pub(super) fn rate(mut work: impl FnMut() -> u64) -> f64 {
    let (began, mut units) = (Instant::now(), 0);
    loop {
        units += work();
        let elapsed = began.elapsed();
        if elapsed >= TURN {
            return units as f64 / elapsed.as_secs_f64();
        }
    }
}

/// The sum of the rates of all workers, each in a thread of its own.
///
/// Threads that have just begun may share a core until the system spreads them, so each has a turn that does not count
/// before the one that does.
pub(super) fn together<W: Send>(workers: &mut [W], rate: impl Fn(&mut W) -> f64 + Sync) -> f64 {
    let settled_rate = |worker: &mut W| {
        rate(worker);
        rate(worker)
    };
    thread::scope(|scope| {
        let running: Vec<_> = workers.iter_mut().map(|worker| scope.spawn(|| settled_rate(worker))).collect();
        running.into_iter().map(|thread| thread.join().expect("what is measured does not panic")).sum()
    })
}

/// The middle value; the larger of the two middle ones.
pub(super) fn median(mut values: Vec<f64>) -> f64 {
    values.sort_unstable_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_round_by_round() {
        // A machine that gets ten times slower half-way.
        let slowing = |speed: f64| -> Subject<'_> {
            Box::new(move |round| if round > ROUNDS / 2 { speed / 10.0 } else { speed })
        };
        let [fast, slow] = take_turns([slowing(30.0), slowing(10.0)]);
        assert!((fast.over(&slow) - 3.0).abs() < 1e-9, "{fast:?} {slow:?}");
        assert!((slow.typical() - 10.0).abs() < 1e-9, "{slow:?}");
    }

    #[test]
    fn the_second_turns_of_all_workers_add_up() {
        let sum = together(&mut [1.0, 2.0, 4.0], |rate| {
            *rate *= 10.0;
            *rate
        });
        assert!((sum - 700.0).abs() < 1e-9, "{sum}");
    }
}

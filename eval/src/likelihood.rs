//! Multinomial likelihood of pair outcomes under a constraint on their mean or on their t-value.
//!
//! Both constrained fits follow M. Van den Bergh's notes for fishtest: "Support MLE multinomial",
//! proposition 1.1, and "Normalized Elo, practical", section 4.1.

/// What an outcome that was never seen counts, so that every fit exists. As in fishtest.
const UNSEEN: f64 = 1e-3;

/// Iterations of the t-value fit; it converges linearly, by a factor of about 10 or more each time.
const FIT_ITERATIONS: usize = 200;

/// Counts of K equally spaced outcomes: outcome i of K has the score i / (K - 1).
#[derive(Debug)]
pub(crate) struct Outcomes {
    /// Scores, ascending from 0 to 1.
    scores: Vec<f64>,
    /// Counts, unseen outcomes at [`UNSEEN`].
    counts: Vec<f64>,
    /// Sum of `counts`.
    total: f64,
}

impl Outcomes {
    /// # Panics
    /// With fewer than two outcomes: the scores would not span [0, 1].
    pub(crate) fn new(counts: &[u64]) -> Self {
        assert!(counts.len() >= 2, "outcomes need at least a loss and a win");
        let step = 1.0 / (counts.len() - 1) as f64;
        let scores = (0..counts.len()).map(|i| i as f64 * step).collect();
        let counts: Vec<f64> = counts.iter().map(|&n| if n == 0 { UNSEEN } else { n as f64 }).collect();
        let total = counts.iter().sum();
        Self { scores, counts, total }
    }

    /// Mean score.
    pub(crate) fn mean(&self) -> f64 {
        self.scores.iter().zip(&self.counts).map(|(a, n)| a * n).sum::<f64>() / self.total
    }

    /// Log likelihood of the counts when outcome i has probability `p[i]`.
    pub(crate) fn log_likelihood(&self, p: &[f64]) -> f64 {
        self.counts.iter().zip(p).map(|(n, p)| n * p.ln()).sum()
    }

    /// The likeliest distribution among those with the mean `mean`, 0 < `mean` < 1.
    pub(crate) fn fit_mean(&self, mean: f64) -> Vec<f64> {
        let offsets: Vec<f64> = self.scores.iter().map(|a| a - mean).collect();
        self.fit_zero(&offsets)
    }

    /// The likeliest distribution among those whose (mean - 1/2) / standard deviation is `t`.
    ///
    /// The standard deviation is replaced by its tangent at the last fit, which makes the constraint
    /// linear, until the fit stands still. The start has the right t-value, and the tangent of a concave
    /// function lies above it, so that each linear constraint can be met, however large `t` is.
    pub(crate) fn fit_t(&self, t: f64) -> Vec<f64> {
        let win = 0.5 + 0.5 * t / (1.0 + t * t).sqrt();
        let mut fit = vec![0.0; self.scores.len()];
        fit[0] = 1.0 - win;
        fit[self.scores.len() - 1] = win;
        for _ in 0..FIT_ITERATIONS {
            let (mean, deviation) = self.moments(&fit);
            let offsets: Vec<f64> = self
                .scores
                .iter()
                .map(|a| a - 0.5 - t * 0.5 * (deviation + (a - mean).powi(2) / deviation))
                .collect();
            let next = self.fit_zero(&offsets);
            let moved = fit.iter().zip(&next).map(|(p, q)| (p - q).abs()).fold(0.0, f64::max);
            fit = next;
            if moved < 1e-12 {
                break;
            }
        }
        fit
    }

    /// Mean and standard deviation of the scores under the probabilities `p`.
    pub(crate) fn moments(&self, p: &[f64]) -> (f64, f64) {
        let mean: f64 = self.scores.iter().zip(p).map(|(a, p)| a * p).sum();
        let variance: f64 = self.scores.iter().zip(p).map(|(a, p)| p * (a - mean).powi(2)).sum();
        (mean, variance.sqrt())
    }

    /// The likeliest distribution under which `offsets` (of both signs) have the mean 0: outcome i gets its
    /// share of the counts divided by 1 + x * offset i, where x is the root of the secular equation, in which
    /// the sum of count i * offset i / (1 + x * offset i) is 0.
    fn fit_zero(&self, offsets: &[f64]) -> Vec<f64> {
        let lowest = offsets.iter().copied().fold(f64::INFINITY, f64::min);
        let highest = offsets.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        // Between its two poles the sum falls from plus to minus infinity.
        let (mut low, mut high) = (-1.0 / highest, -1.0 / lowest);
        loop {
            let x = f64::midpoint(low, high);
            if x <= low || x >= high {
                break;
            }
            let sum: f64 = self.counts.iter().zip(offsets).map(|(n, b)| n * b / (1.0 + x * b)).sum();
            if sum > 0.0 {
                low = x;
            } else {
                high = x;
            }
        }
        let x = f64::midpoint(low, high);
        self.counts.iter().zip(offsets).map(|(n, b)| n / self.total / (1.0 + x * b)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases() -> Vec<Vec<u64>> {
        vec![
            vec![3, 5, 9],
            vec![0, 0, 200],
            vec![1, 0, 0],
            vec![0, 7, 0],
            vec![1000, 1, 3],
            vec![1, 2, 3, 4, 5],
            vec![0, 30, 0, 20, 0],
            vec![365, 16618, 36229, 16974, 390],
        ]
    }

    #[test]
    fn mean_fits_meet_their_constraint_and_sum_to_one() {
        for counts in cases() {
            let outcomes = Outcomes::new(&counts);
            for mean in [0.01, 0.3, 0.5, 0.55, 0.999] {
                let fit = outcomes.fit_mean(mean);
                assert!((fit.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{counts:?} {mean}: {fit:?}");
                assert!((outcomes.moments(&fit).0 - mean).abs() < 1e-6, "{counts:?} {mean}: {fit:?}");
            }
        }
    }

    #[test]
    fn t_fits_meet_their_constraint_even_far_out() {
        for counts in cases() {
            let outcomes = Outcomes::new(&counts);
            for t in [-3.0, -1.0, -0.1, 0.0, 0.01, 0.2, 1.0, 4.0] {
                let fit = outcomes.fit_t(t);
                let (mean, deviation) = outcomes.moments(&fit);
                assert!((fit.iter().sum::<f64>() - 1.0).abs() < 1e-6, "{counts:?} {t}: {fit:?}");
                assert!(((mean - 0.5) / deviation - t).abs() < 1e-5, "{counts:?} {t}: {fit:?}");
            }
        }
    }

    /// With three outcomes a mean leaves one free parameter: a fine grid finds no likelier distribution.
    #[test]
    fn no_other_distribution_of_that_mean_is_likelier() {
        for counts in [[3, 5, 9], [0, 0, 20], [0, 7, 0], [40, 2, 3]] {
            let outcomes = Outcomes::new(&counts);
            for mean in [0.2, 0.5, 0.6] {
                let best = outcomes.log_likelihood(&outcomes.fit_mean(mean));
                for step in 1..10_000 {
                    let won = f64::from(step) / 10_000.0;
                    let split = 2.0 * (mean - won);
                    let lost = 1.0 - won - split;
                    if split > 0.0 && lost > 0.0 {
                        assert!(outcomes.log_likelihood(&[lost, split, won]) <= best + 1e-6);
                    }
                }
            }
        }
    }

    /// The same for a t-value: the deviation is the free parameter.
    #[test]
    fn no_other_distribution_of_that_t_value_is_likelier() {
        for counts in [[3, 5, 9], [0, 0, 20], [0, 7, 0], [40, 2, 3]] {
            let outcomes = Outcomes::new(&counts);
            for t in [-0.5, 0.0, 0.1, 1.0] {
                let best = outcomes.log_likelihood(&outcomes.fit_t(t));
                for step in 1..10_000 {
                    let deviation = f64::from(step) / 20_000.0;
                    let mean = 0.5 + t * deviation;
                    let square = deviation * deviation + mean * mean;
                    let p = [1.0 - 3.0 * mean + 2.0 * square, 4.0 * (mean - square), 2.0 * square - mean];
                    if p.iter().all(|&p| p > 0.0) {
                        assert!(outcomes.log_likelihood(&p) <= best + 1e-6, "{counts:?} {t} {p:?}");
                    }
                }
            }
        }
    }
}

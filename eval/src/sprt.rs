//! Sequential probability ratio test over pairs of games.
//!
//! H0: A is `elo0` stronger; H1: A is `elo1` stronger. The generalised log likelihood ratio is the exact
//! multinomial one: the likeliest distribution of pair outcomes under each hypothesis, compared
//! (M. Van den Bergh, as in fishtest).

use crate::likelihood::Outcomes;
use crate::pairs::{PairCounts, score_of_elo};
use serde::{Deserialize, Serialize};
use std::f64::consts::{LN_10, SQRT_2};

/// Bounds farther out than this are a mistake, not a hypothesis.
const MAX_ELO: f64 = 1000.0;

/// What an Elo bound means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EloModel {
    /// The expected score: 1 / (1 + 10^(-elo / 400)).
    Logistic,
    /// The expected score over its deviation: (mean - 1/2) / sqrt(2 * variance of a pair) * 800 / ln 10.
    /// The same as logistic Elo near 0 when the two games of a pair are independent; the number of games
    /// that a test needs does not depend on how often pairs are split.
    Normalized,
}

/// A test: two hypotheses and the error rates.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SprtConfig {
    /// What `elo0` and `elo1` mean.
    pub model: EloModel,
    /// H0: A is this much stronger.
    pub elo0: f64,
    /// H1: A is this much stronger; above `elo0`.
    pub elo1: f64,
    /// Largest chance of accepting H1 when H0 is true.
    pub alpha: f64,
    /// Largest chance of accepting H0 when H1 is true.
    pub beta: f64,
}

/// Why a test cannot be made.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    /// The bounds are not in order or not within 1000 Elo.
    #[error("SPRT bounds must satisfy -1000 <= elo0 < elo1 <= 1000, got {elo0} and {elo1}")]
    Bounds {
        /// The bound of H0 that was given.
        elo0: f64,
        /// The bound of H1 that was given.
        elo1: f64,
    },
    /// An error rate is no chance below one half.
    #[error("SPRT error rate {name} must be above 0 and below 0.5, got {value}")]
    Rate {
        /// `alpha` or `beta`.
        name: &'static str,
        /// The value that was given.
        value: f64,
    },
}

/// What a test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SprtVerdict {
    /// H1 is accepted.
    Passed,
    /// H0 is accepted.
    Failed,
    /// Neither bound is reached.
    Open,
}

/// A test's state, for reports.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SprtReport {
    /// Log likelihood ratio of H1 to H0.
    pub llr: f64,
    /// At or below this H0 is accepted.
    pub lower: f64,
    /// At or above this H1 is accepted.
    pub upper: f64,
    /// What follows.
    pub verdict: SprtVerdict,
}

/// A test with valid bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sprt {
    config: SprtConfig,
}

impl Sprt {
    /// # Errors
    /// When the bounds are out of order or out of range, or an error rate is not in (0, 0.5).
    pub fn new(config: SprtConfig) -> Result<Self, SprtError> {
        let SprtConfig { elo0, elo1, alpha, beta, .. } = config;
        // NaN fails these comparisons too.
        if !(-MAX_ELO <= elo0 && elo0 < elo1 && elo1 <= MAX_ELO) {
            return Err(SprtError::Bounds { elo0, elo1 });
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(0.0 < value && value < 0.5) {
                return Err(SprtError::Rate { name, value });
            }
        }
        Ok(Self { config })
    }

    /// The hypotheses and error rates.
    pub fn config(&self) -> &SprtConfig {
        &self.config
    }

    /// At or below this log likelihood ratio H0 is accepted: ln(beta / (1 - alpha)).
    pub fn lower(&self) -> f64 {
        (self.config.beta / (1.0 - self.config.alpha)).ln()
    }

    /// At or above this log likelihood ratio H1 is accepted: ln((1 - beta) / alpha).
    pub fn upper(&self) -> f64 {
        ((1.0 - self.config.beta) / self.config.alpha).ln()
    }

    /// Log likelihood ratio of H1 to H0 after `counts`; 0 while no pair was played.
    pub fn llr(&self, counts: PairCounts) -> f64 {
        self.llr_of_outcomes(&<[u64; 3]>::from(counts))
    }

    /// The same for pairs with K equally spaced scores from 0 to 1: K = 3 for a game without draws,
    /// K = 5 for one with draws.
    ///
    /// # Panics
    /// When `counts` holds fewer than two outcomes.
    pub fn llr_of_outcomes(&self, counts: &[u64]) -> f64 {
        if counts.iter().all(|&n| n == 0) {
            return 0.0;
        }
        let outcomes = Outcomes::new(counts);
        let fit = |elo: f64| match self.config.model {
            EloModel::Logistic => outcomes.fit_mean(score_of_elo(elo)),
            // A game's t-value is elo * ln(10) / 800; the mean of the two games of a pair has sqrt(2) times that.
            EloModel::Normalized => outcomes.fit_t(elo * LN_10 / 800.0 * SQRT_2),
        };
        outcomes.log_likelihood(&fit(self.config.elo1)) - outcomes.log_likelihood(&fit(self.config.elo0))
    }

    /// What the test says after `counts`.
    pub fn verdict(&self, counts: PairCounts) -> SprtVerdict {
        self.report(counts).verdict
    }

    /// The ratio, its bounds and the verdict after `counts`.
    pub fn report(&self, counts: PairCounts) -> SprtReport {
        let (llr, lower, upper) = (self.llr(counts), self.lower(), self.upper());
        let verdict = if llr >= upper {
            SprtVerdict::Passed
        } else if llr <= lower {
            SprtVerdict::Failed
        } else {
            SprtVerdict::Open
        };
        SprtReport { llr, lower, upper, verdict }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draw, draw_pair};
    use proptest::prelude::*;

    fn sprt(model: EloModel, elo0: f64, elo1: f64) -> Sprt {
        Sprt::new(SprtConfig { model, elo0, elo1, alpha: 0.05, beta: 0.05 }).unwrap()
    }

    fn normalized_t(c: PairCounts) -> f64 {
        (c.score() - 0.5) / (2.0 * c.variance()).sqrt()
    }

    #[test]
    fn fishtest_golden_values_are_normalized_elo() {
        let llr = sprt(EloModel::Normalized, 0.0, 2.0).llr_of_outcomes(&[365, 16618, 36229, 16974, 390]);
        assert!((llr - 2.250).abs() < 0.0005, "{llr}");
        let llr = sprt(EloModel::Normalized, 0.5, 2.5).llr_of_outcomes(&[39, 8843, 26675, 9240, 44]);
        assert!((llr - 2.942).abs() < 0.0005, "{llr}");
        // The logistic model says something else of the same counts.
        let llr = sprt(EloModel::Logistic, 0.0, 2.0).llr_of_outcomes(&[365, 16618, 36229, 16974, 390]);
        assert!((llr + 0.0059).abs() < 0.0005, "{llr}");
        let llr = sprt(EloModel::Logistic, 0.5, 2.5).llr_of_outcomes(&[39, 8843, 26675, 9240, 44]);
        assert!((llr - 0.5555).abs() < 0.0005, "{llr}");
    }

    #[test]
    fn closed_approximations_agree_for_many_pairs() {
        for (c, n) in [([900, 3000, 1100], 5000.0), ([400, 4100, 500], 5000.0)] {
            let c = PairCounts::from(c);
            let (t, t1) = (normalized_t(c), 20.0 * LN_10 / 800.0);
            let expected = n * ((1.0 + t * t) / (1.0 + (t - t1).powi(2))).ln();
            let llr = sprt(EloModel::Normalized, 0.0, 20.0).llr(c);
            assert!((llr - expected).abs() < 0.02 * expected.abs(), "{llr} {expected}");

            let (s0, s1) = (0.5, score_of_elo(20.0));
            let expected = n * (s1 - s0) * (2.0 * c.score() - s0 - s1) / (2.0 * c.variance());
            let llr = sprt(EloModel::Logistic, 0.0, 20.0).llr(c);
            assert!((llr - expected).abs() < 0.03 * expected.abs().max(1.0), "{llr} {expected}");
        }
    }

    #[test]
    fn three_outcomes_are_five_without_draws() {
        for model in [EloModel::Logistic, EloModel::Normalized] {
            let test = sprt(model, 0.0, 35.0);
            for c in [[3, 9, 8], [0, 4, 7], [50, 200, 90]] {
                let three = test.llr_of_outcomes(&c);
                let five = test.llr_of_outcomes(&[c[0], 0, c[1], 0, c[2]]);
                assert!((three - five).abs() < 0.01, "{three} {five}");
            }
        }
    }

    #[test]
    fn bounds_and_rates_are_checked() {
        let good = SprtConfig { model: EloModel::Normalized, elo0: 0.0, elo1: 35.0, alpha: 0.05, beta: 0.1 };
        let test = Sprt::new(good).unwrap();
        assert!((test.lower() - (0.1_f64 / 0.95).ln()).abs() < 1e-12);
        assert!((test.upper() - (0.9_f64 / 0.05).ln()).abs() < 1e-12);
        for (elo0, elo1) in [(5.0, 5.0), (6.0, 5.0), (f64::NAN, 5.0), (0.0, f64::INFINITY), (-1e9, 0.0)] {
            assert!(matches!(Sprt::new(SprtConfig { elo0, elo1, ..good }), Err(SprtError::Bounds { .. })));
        }
        for rate in [0.0, 0.5, -0.1, f64::NAN] {
            assert!(Sprt::new(SprtConfig { alpha: rate, ..good }).is_err());
            assert!(Sprt::new(SprtConfig { beta: rate, ..good }).is_err());
        }
    }

    #[test]
    fn no_pair_says_nothing_and_few_pairs_decide_nothing() {
        let test = sprt(EloModel::Normalized, 0.0, 35.0);
        let nothing = test.report(PairCounts::default());
        assert_eq!((nothing.llr, nothing.verdict), (0.0, SprtVerdict::Open));
        assert_eq!(test.verdict(PairCounts::from([0, 0, 5])), SprtVerdict::Open);
        assert_eq!(test.verdict(PairCounts::from([0, 0, 200])), SprtVerdict::Passed);
        assert_eq!(test.verdict(PairCounts::from([200, 0, 0])), SprtVerdict::Failed);
    }

    /// Pair chances [lost, split, won] with a given normalized Elo, `split` of the pairs split.
    fn chances(normalized_elo: f64, split: f64) -> [f64; 3] {
        let t = normalized_elo * LN_10 / 800.0 * SQRT_2;
        // With m = mean - 1/2: variance = (1 - split) / 4 - m^2, and m = t * sqrt(variance).
        let m = t * ((1.0 - split) / 4.0 / (1.0 + t * t)).sqrt();
        [(1.0 - split) / 2.0 - m, split, (1.0 - split) / 2.0 + m]
    }

    /// Share of `runs` simulated matches that end with `verdict`, and the mean number of pairs.
    fn simulate(test: &Sprt, draw: &mut Draw, chances: [f64; 3], runs: u32) -> (f64, f64) {
        let (mut passed, mut pairs) = (0, 0);
        for _ in 0..runs {
            let mut counts = PairCounts::default();
            loop {
                counts.add(draw_pair(draw, chances));
                match test.verdict(counts) {
                    SprtVerdict::Open => {}
                    verdict => {
                        passed += u32::from(verdict == SprtVerdict::Passed);
                        pairs += counts.pairs();
                        break;
                    }
                }
            }
        }
        (f64::from(passed) / f64::from(runs), pairs as f64 / f64::from(runs))
    }

    #[test]
    fn simulated_error_rates_stay_within_their_bounds() {
        let mut draw = Draw::new(5);
        let runs = 600;
        // Three standard errors of a share of 5 % over these runs.
        let slack = 3.0 * (0.05_f64 * 0.95 / f64::from(runs)).sqrt();
        for split in [0.5, 0.75] {
            let test = sprt(EloModel::Normalized, 0.0, 70.0);
            let (wrong, _) = simulate(&test, &mut draw, chances(0.0, split), runs);
            assert!(wrong < 0.05 + slack, "H0, split {split}: {wrong}");
            let (right, _) = simulate(&test, &mut draw, chances(70.0, split), runs);
            assert!(right > 0.95 - slack, "H1, split {split}: {right}");
        }
        // Logistic bounds, the chances made to the score.
        let test = sprt(EloModel::Logistic, 0.0, 70.0);
        let lead = score_of_elo(70.0) - 0.5;
        let (wrong, _) = simulate(&test, &mut draw, [0.25, 0.5, 0.25], runs);
        assert!(wrong < 0.05 + slack, "{wrong}");
        let (right, _) = simulate(&test, &mut draw, [0.25 - lead, 0.5, 0.25 + lead], runs);
        assert!(right > 0.95 - slack, "{right}");
    }

    #[test]
    fn the_usual_gate_needs_about_530_games_at_a_bound() {
        let test = sprt(EloModel::Normalized, 0.0, 35.0);
        let (_, pairs) = simulate(&test, &mut Draw::new(6), chances(35.0, 0.5), 150);
        assert!(pairs > 220.0 && pairs < 320.0, "{pairs}");
    }

    proptest! {
        #[test]
        fn a_better_result_never_lowers_the_ratio(lost in 0u64..60, split in 0u64..60, won in 0u64..60) {
            let test = sprt(EloModel::Logistic, 0.0, 35.0);
            let worse = PairCounts { lost: lost + 1, split, won };
            let better = PairCounts { lost, split: split + 1, won };
            prop_assert!(test.llr(better) > test.llr(worse));
        }

        #[test]
        fn ratios_are_finite(lost in 0u64..5000, split in 0u64..5000, won in 0u64..5000, elo0 in -1000.0f64..999.0) {
            for model in [EloModel::Logistic, EloModel::Normalized] {
                let test = sprt(model, elo0, elo0 + 1.0);
                let llr = test.llr(PairCounts { lost, split, won });
                prop_assert!(llr.is_finite(), "{llr}");
            }
        }
    }
}

//! Pairs of games: counts, score, Elo and its interval.

use crate::likelihood::Outcomes;
use serde::{Deserialize, Serialize};

/// How far twice the log likelihood may fall inside a 95 % interval (chi-squared, one degree of freedom).
const CHI_SQUARED_95: f64 = 3.841_458_820_694_124;

/// What A made of a pair: two games from one opening, A playing each colour once. There are no draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PairOutcome {
    /// A lost both games: the pair scores 0.
    Lost,
    /// Each side won once: 1/2.
    Split,
    /// A won both: 1.
    Won,
}

impl PairOutcome {
    /// The outcome when A won `first` and `second` of the two games.
    pub fn of(first: bool, second: bool) -> Self {
        match (first, second) {
            (false, false) => Self::Lost,
            (true, true) => Self::Won,
            _ => Self::Split,
        }
    }
}

/// The most games that a match or a ladder can be asked for: an opening is kept for each pair of them.
pub const MOST_GAMES: u64 = 10_000_000;

/// The most pairs of one outcome that are read from the wire: far more than anybody plays, and so few that sums over
/// any number of files hold.
const MOST_READ: u64 = 1 << 40;

/// How many pairs A lost, split and won. On the wire: `[lost, split, won]`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "Wire", into = "[u64; 3]")]
pub struct PairCounts {
    /// Pairs that scored 0 for A.
    pub lost: u64,
    /// Pairs that scored 1/2.
    pub split: u64,
    /// Pairs that scored 1.
    pub won: u64,
}

/// Counts as they were read.
#[derive(Deserialize)]
struct Wire([u64; 3]);

impl TryFrom<Wire> for PairCounts {
    type Error = String;

    fn try_from(Wire(counts): Wire) -> Result<Self, String> {
        match counts.into_iter().find(|count| *count > MOST_READ) {
            Some(count) => Err(format!("{count} pairs of one outcome are more than anybody can play")),
            None => Ok(counts.into()),
        }
    }
}

impl From<[u64; 3]> for PairCounts {
    fn from([lost, split, won]: [u64; 3]) -> Self {
        Self { lost, split, won }
    }
}

impl From<PairCounts> for [u64; 3] {
    fn from(counts: PairCounts) -> Self {
        [counts.lost, counts.split, counts.won]
    }
}

impl PairCounts {
    /// Counts one more pair.
    pub fn add(&mut self, outcome: PairOutcome) {
        match outcome {
            PairOutcome::Lost => self.lost += 1,
            PairOutcome::Split => self.split += 1,
            PairOutcome::Won => self.won += 1,
        }
    }

    /// These pairs and `other`'s together.
    pub fn plus(self, other: Self) -> Self {
        Self { lost: self.lost + other.lost, split: self.split + other.split, won: self.won + other.won }
    }

    /// The same pairs as the opponent counts them.
    pub fn reversed(self) -> Self {
        Self { lost: self.won, split: self.split, won: self.lost }
    }

    /// Number of pairs.
    pub fn pairs(self) -> u64 {
        self.lost + self.split + self.won
    }

    /// Number of games, two a pair.
    pub fn games(self) -> u64 {
        2 * self.pairs()
    }

    /// Games that A won.
    pub fn wins(self) -> u64 {
        2 * self.won + self.split
    }

    /// A's mean score in [0, 1]; 1/2 while no pair was played.
    pub fn score(self) -> f64 {
        if self.pairs() == 0 { 0.5 } else { self.wins() as f64 / self.games() as f64 }
    }

    /// Variance of the score of one pair (divisor N), in [0, 1/4]; 0 while no pair was played.
    pub fn variance(self) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        let mean = self.score();
        let squares = (self.won as f64 + self.split as f64 / 4.0) / self.pairs() as f64;
        (squares - mean * mean).max(0.0)
    }

    /// How much stronger A is, in Elo; 0 while no pair was played.
    ///
    /// No finite Elo gives a score of 0 or 1: there the score is taken half a game short of it.
    pub fn elo(self) -> f64 {
        if self.pairs() == 0 {
            return 0.0;
        }
        let half_game = 0.5 / self.games() as f64;
        elo_of_score(self.score().clamp(half_game, 1.0 - half_game))
    }

    /// 95 % interval of the mean score: the means whose likeliest distribution of pair outcomes has a
    /// likelihood near enough to the best one's. For many pairs this is score +- 1.96 * sqrt(variance /
    /// pairs); unlike that it stays in [0, 1] and does not shrink to a point when all pairs are alike.
    /// `[0, 1]` while no pair was played.
    pub fn score_interval(self) -> [f64; 2] {
        if self.pairs() == 0 {
            return [0.0, 1.0];
        }
        let outcomes = Outcomes::new(&<[u64; 3]>::from(self));
        let mean = outcomes.mean();
        let floor = outcomes.log_likelihood(&outcomes.fit_mean(mean)) - CHI_SQUARED_95 / 2.0;
        let inside = |mean: f64| outcomes.log_likelihood(&outcomes.fit_mean(mean)) >= floor;
        // The likelihood falls on both sides of the mean; `outer` is outside throughout.
        let end = |mut outer: f64| {
            let mut inner = mean;
            for _ in 0..50 {
                let middle = f64::midpoint(inner, outer);
                if inside(middle) {
                    inner = middle;
                } else {
                    outer = middle;
                }
            }
            inner
        };
        let low = if self.wins() == 0 { 0.0 } else { end(0.0) };
        let high = if self.wins() == self.games() { 1.0 } else { end(1.0) };
        [low, high]
    }

    /// 95 % interval of [`elo`](Self::elo), from [`score_interval`](Self::score_interval); always finite.
    ///
    /// Where all games were won (or lost) nothing bounds the strength from above (below). That end is put
    /// where any other result would have had a chance of 2.5 %. While no pair was played the interval is
    /// that of a single game won on one side, lost on the other.
    pub fn elo_interval(self) -> [f64; 2] {
        let last = 0.975_f64.powf(1.0 / self.games().max(1) as f64);
        let [low, high] = self.score_interval();
        [elo_of_score(low.max(1.0 - last)), elo_of_score(high.min(last))]
    }
}

/// The Elo difference at which the stronger side's expected score is `score`, 0 < `score` < 1.
pub fn elo_of_score(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The expected score of the side that is `elo` stronger.
pub fn score_of_elo(elo: f64) -> f64 {
    1.0 / (1.0 + 10_f64.powf(-elo / 400.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Draw, draw_pair};
    use proptest::prelude::*;

    fn counts(lost: u64, split: u64, won: u64) -> PairCounts {
        PairCounts { lost, split, won }
    }

    #[test]
    fn score_counts_games() {
        let c = counts(10, 20, 30);
        assert_eq!((c.pairs(), c.games(), c.wins()), (60, 120, 80));
        assert!((c.score() - 2.0 / 3.0).abs() < 1e-12);
        assert!((c.elo() - 120.412).abs() < 1e-3);
        let mean = 2.0_f64 / 3.0;
        let variance =
            (10.0 * mean * mean + 20.0 * (0.5 - mean).powi(2) + 30.0 * (1.0 - mean).powi(2)) / 60.0;
        assert!((c.variance() - variance).abs() < 1e-12);
    }

    #[test]
    fn many_pairs_give_the_normal_interval() {
        let c = counts(1000, 5000, 2000);
        let half = 1.96 * (c.variance() / c.pairs() as f64).sqrt();
        let [low, high] = c.score_interval();
        assert!((low - (c.score() - half)).abs() < 1e-4 && (high - (c.score() + half)).abs() < 1e-4);
    }

    #[test]
    fn extreme_and_tiny_samples_stay_sane() {
        assert!(counts(0, 0, 0).elo().abs() < 1e-12);
        let [low, high] = counts(0, 0, 0).elo_interval();
        assert!((low + high).abs() < 1e-9 && high > 600.0 && high < 1000.0);

        let one = counts(0, 0, 1);
        assert!((one.elo() - 190.8).abs() < 0.1);
        let [low, high] = one.elo_interval();
        assert!(low < 0.0 && high > 700.0 && high.is_finite(), "[{low}, {high}]");

        let sweep = counts(0, 0, 200);
        let [low, high] = sweep.elo_interval();
        assert!((sweep.elo() - 1161.0).abs() < 1.0, "{}", sweep.elo());
        assert!(low > 780.0 && low < 830.0 && high > sweep.elo() && high < 2000.0, "[{low}, {high}]");

        let [low, high] = counts(0, 1, 0).elo_interval();
        assert!((low + high).abs() < 1e-3 && high > 300.0 && high < 600.0, "[{low}, {high}]");
    }

    /// How often the interval holds the true score, for few and for more pairs.
    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        let mut draw = Draw::new(11);
        for (chances, pairs, at_least) in [
            ([0.25, 0.5, 0.25], 10, 0.90),
            ([0.25, 0.5, 0.25], 50, 0.93),
            ([0.10, 0.75, 0.15], 50, 0.92),
            ([0.05, 0.20, 0.75], 30, 0.90),
            ([0.30, 0.20, 0.50], 200, 0.93),
        ] {
            let truth = chances[2] + chances[1] / 2.0;
            let covered = (0..1000)
                .filter(|_| {
                    let mut c = PairCounts::default();
                    (0..pairs).for_each(|_| c.add(draw_pair(&mut draw, chances)));
                    let [low, high] = c.score_interval();
                    low <= truth && truth <= high
                })
                .count();
            let share = covered as f64 / 1000.0;
            assert!(share > at_least && share < 0.985, "{chances:?} x {pairs}: {share}");
        }
    }

    #[test]
    fn the_wire_form_is_three_numbers() {
        let text = serde_json::to_string(&counts(1, 2, 3)).unwrap();
        assert_eq!(text, "[1,2,3]");
        assert_eq!(serde_json::from_str::<PairCounts>(&text).unwrap(), counts(1, 2, 3));
        let error = serde_json::from_str::<PairCounts>("[0,1,18446744073709551615]").unwrap_err();
        assert!(error.to_string().contains("18446744073709551615 pairs"), "{error}");
    }

    proptest! {
        #[test]
        fn interval_holds_the_estimate_and_mirrors(lost in 0u64..400, split in 0u64..400, won in 0u64..400) {
            let c = counts(lost, split, won);
            let [low, high] = c.elo_interval();
            prop_assert!(low.is_finite() && high.is_finite());
            prop_assert!(low < c.elo() && c.elo() < high, "{low} {} {high}", c.elo());
            let [mirrored_low, mirrored_high] = c.reversed().elo_interval();
            prop_assert!((low + mirrored_high).abs() < 1e-3 && (high + mirrored_low).abs() < 1e-3);
            prop_assert!((c.elo() + c.reversed().elo()).abs() < 1e-9);
        }

        #[test]
        fn elo_and_score_are_inverse(elo in -1500.0f64..1500.0) {
            prop_assert!((elo_of_score(score_of_elo(elo)) - elo).abs() < 1e-6);
        }
    }
}

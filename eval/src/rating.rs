//! Bradley-Terry ratings of many players from the games between them.
//!
//! A player rated r nats beats one rated s with the chance 1 / (1 + exp(s - r)); one nat is 400 / ln 10
//! Elo. The fit maximises the likelihood of all results, one player's rating being fixed (the anchor),
//! times a wide normal prior about the anchor with a standard deviation of [`PRIOR_DEVIATION`] Elo. The
//! prior is worth less than one game: it moves a rating with dozens of close games by about an Elo, and it
//! keeps players that won or lost everything, or have not played, at a finite rating with a wide interval.

use crate::pairs::PairCounts;
use std::f64::consts::LN_10;

/// Standard deviation in Elo of what is taken for granted about a player before its first game.
pub const PRIOR_DEVIATION: f64 = 1500.0;

/// Elo points in a nat.
const ELO: f64 = 400.0 / LN_10;

/// Half the width of a 95 % interval in standard deviations.
const NORMAL_95: f64 = 1.959_963_984_540_054;

/// Who won how often against whom, players being numbered from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Results {
    players: usize,
    /// `wins[i * players + j]`: games that i won against j.
    wins: Vec<u64>,
}

impl Results {
    /// No games between `players` players.
    pub fn new(players: usize) -> Self {
        Self { players, wins: vec![0; players * players] }
    }

    /// Number of players.
    pub fn players(&self) -> usize {
        self.players
    }

    /// Counts `counts`, seen from `a`, between `a` and `b`.
    ///
    /// # Panics
    /// When `a` or `b` is no player, or both are the same.
    pub fn add(&mut self, a: usize, b: usize, counts: PairCounts) {
        assert!(
            a < self.players && b < self.players && a != b,
            "no pairing of {} players: {a}, {b}",
            self.players
        );
        self.wins[a * self.players + b] += counts.wins();
        self.wins[b * self.players + a] += counts.reversed().wins();
    }

    /// Games that `a` won against `b`.
    pub fn wins(&self, a: usize, b: usize) -> u64 {
        self.wins[a * self.players + b]
    }

    /// Games that `player` played against all others.
    pub fn games(&self, player: usize) -> u64 {
        (0..self.players).map(|other| self.wins(player, other) + self.wins(other, player)).sum()
    }
}

/// One player's rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The most probable rating, in Elo.
    pub elo: f64,
    /// 95 % interval, from the curvature of the likelihood. It takes games as independent. Where one colour
    /// has the better game, pairs split more often than independent games would, and the interval is a
    /// little too wide.
    pub interval: [f64; 2],
    /// Games played.
    pub games: u64,
}

/// Ratings of all players, and how they vary together.
#[derive(Clone, Debug)]
pub struct Ratings {
    ratings: Vec<Rating>,
    /// Covariance of the ratings in nats squared, players x players; 0 in the anchor's row and column.
    covariance: Vec<f64>,
}

impl Ratings {
    /// Rates all players with `anchor` held at `anchor_elo`.
    ///
    /// # Panics
    /// When `anchor` is no player of `results`.
    pub fn fit(results: &Results, anchor: usize, anchor_elo: f64) -> Self {
        let n = results.players();
        assert!(anchor < n, "anchor {anchor} is none of {n} players");
        // Ratings in nats above the anchor.
        let mut nats = vec![0.0; n];
        let mut best = log_posterior(results, &nats);
        // The posterior is strictly concave: Newton steps, halved where they overshoot.
        for _ in 0..200 {
            let (slope, curvature) = derivatives(results, &nats, anchor);
            let step = cholesky(&curvature, n).solve(&slope);
            let mut scale = 1.0;
            let moved = loop {
                let next: Vec<f64> = nats.iter().zip(&step).map(|(r, d)| r + scale * d).collect();
                let value = log_posterior(results, &next);
                if value >= best {
                    (nats, best) = (next, value);
                    break true;
                }
                scale /= 2.0;
                if scale < 1e-9 {
                    break false;
                }
            };
            if !moved || step.iter().all(|d| d.abs() < 1e-10) {
                break;
            }
        }
        let (_, curvature) = derivatives(results, &nats, anchor);
        let covariance = cholesky(&curvature, n).inverse_without(anchor);
        let ratings = (0..n)
            .map(|i| {
                let elo = anchor_elo + nats[i] * ELO;
                let half = NORMAL_95 * covariance[i * n + i].sqrt() * ELO;
                Rating { elo, interval: [elo - half, elo + half], games: results.games(i) }
            })
            .collect();
        Self { ratings, covariance }
    }

    /// Ratings in the players' order.
    pub fn all(&self) -> &[Rating] {
        &self.ratings
    }

    /// How much stronger `a` is than `b`, in Elo, with its 95 % interval.
    ///
    /// # Panics
    /// When `a` or `b` is no player.
    pub fn difference(&self, a: usize, b: usize) -> (f64, [f64; 2]) {
        let elo = self.ratings[a].elo - self.ratings[b].elo;
        let half = NORMAL_95 * self.difference_variance(a, b).sqrt() * ELO;
        (elo, [elo - half, elo + half])
    }

    /// The two of the players `among` whose next game tells most about the ratings as a whole, the lower
    /// number first and the first of equals; none when there are fewer than two.
    ///
    /// A game between players d nats apart has the information w = p (1 - p) about d; it shrinks the volume
    /// of the ratings' uncertainty by the factor 1 + w * variance of d. The largest factor is chosen: close
    /// games between players whose distance is badly known.
    ///
    /// # Panics
    /// When one of `among` is no player.
    pub fn next_pair(&self, among: &[usize]) -> Option<(usize, usize)> {
        let mut best = None;
        for &a in among {
            for &b in among.iter().filter(|b| **b > a) {
                let gain = self.information(a, b) * self.difference_variance(a, b);
                if best.is_none_or(|(most, _)| gain > most) {
                    best = Some((gain, (a, b)));
                }
            }
        }
        best.map(|(_, pair)| pair)
    }

    /// The one of `opponents` whose next game with `player` tells most about the rating of `player` alone, the first
    /// of equals; none when there are no opponents.
    ///
    /// With the information w of the game and the covariances C, the variance of the player's rating falls by
    /// w * (C(player, player) - C(player, opponent))^2 / (1 + w * variance of the difference). An opponent that is
    /// badly known itself tells little.
    ///
    /// # Panics
    /// When `player` or one of `opponents` is no player.
    pub fn next_opponent(&self, player: usize, opponents: &[usize]) -> Option<usize> {
        let n = self.ratings.len();
        let mut best = None;
        for &opponent in opponents.iter().filter(|opponent| **opponent != player) {
            let w = self.information(player, opponent);
            let shared = self.covariance[player * n + player] - self.covariance[player * n + opponent];
            let gain = w * shared * shared / (1.0 + w * self.difference_variance(player, opponent));
            if best.is_none_or(|(most, _)| gain > most) {
                best = Some((gain, opponent));
            }
        }
        best.map(|(_, opponent)| opponent)
    }

    /// What a game of `a` and `b` tells about their distance, per nat squared: at most 1/4.
    fn information(&self, a: usize, b: usize) -> f64 {
        let p = win_chance((self.ratings[a].elo - self.ratings[b].elo) / ELO);
        p * (1.0 - p)
    }

    /// Variance of the difference of two ratings, in nats squared.
    fn difference_variance(&self, a: usize, b: usize) -> f64 {
        let n = self.ratings.len();
        let c = |i: usize, j: usize| self.covariance[i * n + j];
        (c(a, a) + c(b, b) - 2.0 * c(a, b)).max(0.0)
    }
}

/// Chance of winning against an opponent `nats` weaker.
fn win_chance(nats: f64) -> f64 {
    1.0 / (1.0 + (-nats).exp())
}

/// Inverse variance of the prior, per nat squared.
fn prior_precision() -> f64 {
    (ELO / PRIOR_DEVIATION).powi(2)
}

/// Log of likelihood times prior, up to a constant. The anchor sits at 0, where its prior says nothing.
fn log_posterior(results: &Results, nats: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (i, r) in nats.iter().enumerate() {
        sum -= 0.5 * prior_precision() * r * r;
        for (j, s) in nats.iter().enumerate() {
            let wins = results.wins(i, j);
            if wins > 0 {
                // ln of the win chance, without overflow on either side.
                let d = r - s;
                sum -= wins as f64 * if d > 0.0 { (-d).exp().ln_1p() } else { d.exp().ln_1p() - d };
            }
        }
    }
    sum
}

/// Slope of the log posterior and its negated second derivative (players x players). The anchor's slope is
/// 0 and its row that of the unit matrix, so that a step leaves it where it is.
fn derivatives(results: &Results, nats: &[f64], anchor: usize) -> (Vec<f64>, Vec<f64>) {
    let n = nats.len();
    let (mut slope, mut curvature) = (vec![0.0; n], vec![0.0; n * n]);
    for i in 0..n {
        if i == anchor {
            curvature[i * n + i] = 1.0;
            continue;
        }
        slope[i] -= prior_precision() * nats[i];
        curvature[i * n + i] += prior_precision();
        for j in 0..n {
            let games = results.wins(i, j) + results.wins(j, i);
            if games == 0 {
                continue;
            }
            let p = win_chance(nats[i] - nats[j]);
            let information = games as f64 * p * (1.0 - p);
            slope[i] += results.wins(i, j) as f64 - games as f64 * p;
            curvature[i * n + i] += information;
            if j != anchor {
                curvature[i * n + j] -= information;
            }
        }
    }
    (slope, curvature)
}

/// The lower triangle L of a positive definite matrix L * L^T.
struct Cholesky {
    n: usize,
    lower: Vec<f64>,
}

/// Factors `matrix` (n x n), which the prior on its diagonal keeps positive definite.
fn cholesky(matrix: &[f64], n: usize) -> Cholesky {
    let mut lower = vec![0.0; n * n];
    for i in 0..n {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|k| lower[i * n + k] * lower[j * n + k]).sum();
            let rest = matrix[i * n + j] - dot;
            lower[i * n + j] = if i == j { rest.sqrt() } else { rest / lower[j * n + j] };
        }
    }
    Cholesky { n, lower }
}

impl Cholesky {
    /// x with matrix * x = `right`.
    fn solve(&self, right: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut x = right.to_vec();
        for i in 0..n {
            let dot: f64 = (0..i).map(|k| self.lower[i * n + k] * x[k]).sum();
            x[i] = (x[i] - dot) / self.lower[i * n + i];
        }
        for i in (0..n).rev() {
            let dot: f64 = (i + 1..n).map(|k| self.lower[k * n + i] * x[k]).sum();
            x[i] = (x[i] - dot) / self.lower[i * n + i];
        }
        x
    }

    /// The inverse (n x n) with the anchor's row and column 0.
    fn inverse_without(&self, anchor: usize) -> Vec<f64> {
        let n = self.n;
        let mut inverse = vec![0.0; n * n];
        for column in (0..n).filter(|&column| column != anchor) {
            let mut unit = vec![0.0; n];
            unit[column] = 1.0;
            for (row, value) in self.solve(&unit).into_iter().enumerate() {
                inverse[row * n + column] = value;
            }
        }
        inverse
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pairs::{PairOutcome, score_of_elo};
    use crate::testing::Draw;

    /// Adds `pairs` simulated pairs between players of the strengths `elo`.
    fn play(results: &mut Results, draw: &mut Draw, elo: &[f64], (a, b): (usize, usize), pairs: usize) {
        let p = score_of_elo(elo[a] - elo[b]);
        let mut counts = PairCounts::default();
        for _ in 0..pairs {
            counts.add(PairOutcome::of(draw.unit() < p, draw.unit() < p));
        }
        results.add(a, b, counts);
    }

    #[test]
    fn two_players_give_the_closed_form() {
        let mut results = Results::new(2);
        results.add(0, 1, PairCounts::from([100, 0, 300]));
        let ratings = Ratings::fit(&results, 1, 1000.0);
        let [a, b] = [ratings.all()[0], ratings.all()[1]];
        assert_eq!((b.elo, b.interval, b.games), (1000.0, [1000.0, 1000.0], 800));
        assert!((a.elo - 1000.0 - 400.0 * 3.0_f64.log10()).abs() < 0.1, "{}", a.elo);
        // 800 games at p = 3/4.
        let half = 1.96 * ELO / (800.0_f64 * 0.1875).sqrt();
        assert!((a.interval[1] - a.elo - half).abs() < 0.1);
    }

    #[test]
    fn known_strengths_are_recovered_within_their_intervals() {
        let elo = [0.0, 150.0, 310.0, 420.0, 460.0, 800.0];
        let (mut inside, mut total) = (0, 0);
        for seed in 0..200 {
            let mut draw = Draw::new(seed);
            let mut results = Results::new(elo.len());
            for a in 0..elo.len() {
                for b in a + 1..elo.len() {
                    play(&mut results, &mut draw, &elo, (a, b), 50);
                }
            }
            let ratings = Ratings::fit(&results, 0, 0.0);
            for (rating, truth) in ratings.all().iter().zip(elo).skip(1) {
                assert!((rating.elo - truth).abs() < 200.0, "{rating:?} {truth}");
                inside += i32::from(rating.interval[0] <= truth && truth <= rating.interval[1]);
                total += 1;
            }
        }
        let share = f64::from(inside) / f64::from(total);
        assert!(share > 0.92 && share < 0.98, "{share}");
    }

    /// Choosing games by what is known so far takes nothing from the intervals' honesty.
    #[test]
    fn known_strengths_are_recovered_from_chosen_pairs_too() {
        let elo = [0.0, 120.0, 300.0, 350.0, 700.0];
        let (mut inside, mut total) = (0, 0);
        for seed in 0..200 {
            let mut draw = Draw::new(1000 + seed);
            let mut results = Results::new(elo.len());
            for _ in 0..60 {
                let pair = Ratings::fit(&results, 0, 0.0).next_pair(&[0, 1, 2, 3, 4]).unwrap();
                play(&mut results, &mut draw, &elo, pair, 8);
            }
            for (rating, truth) in Ratings::fit(&results, 0, 0.0).all().iter().zip(elo).skip(1) {
                inside += i32::from(rating.interval[0] <= truth && truth <= rating.interval[1]);
                total += 1;
            }
        }
        let share = f64::from(inside) / f64::from(total);
        assert!(share > 0.92 && share < 0.98, "{share}");
    }

    #[test]
    fn winning_or_losing_everything_stays_finite_and_ordered() {
        let mut results = Results::new(4);
        results.add(1, 0, PairCounts::from([0, 0, 100]));
        results.add(2, 1, PairCounts::from([0, 0, 100]));
        results.add(3, 0, PairCounts::from([1, 0, 0]));
        let ratings = Ratings::fit(&results, 0, 0.0);
        let all = ratings.all();
        assert!(all[1].elo > 500.0 && all[2].elo > all[1].elo + 500.0 && all[2].elo < 5000.0, "{all:?}");
        assert!(all[3].elo < -50.0 && all[3].interval[0] < -500.0 && all[3].interval[1] > 0.0, "{all:?}");
    }

    #[test]
    fn a_player_without_games_has_the_prior() {
        let ratings = Ratings::fit(&Results::new(2), 0, 100.0);
        let idle = ratings.all()[1];
        assert!((idle.elo - 100.0).abs() < 1e-9);
        assert!((idle.interval[1] - 100.0 - NORMAL_95 * PRIOR_DEVIATION).abs() < 1e-6);
    }

    #[test]
    fn the_anchor_only_shifts_the_scale() {
        let elo = [0.0, 100.0, 250.0];
        let mut results = Results::new(3);
        let mut draw = Draw::new(3);
        for pair in [(0, 1), (1, 2), (0, 2)] {
            play(&mut results, &mut draw, &elo, pair, 200);
        }
        let low = Ratings::fit(&results, 0, 0.0);
        let high = Ratings::fit(&results, 2, 0.0);
        for (a, b) in [(0, 1), (1, 2), (0, 2)] {
            let ((x, [x0, _]), (y, [y0, _])) = (low.difference(a, b), high.difference(a, b));
            assert!((x - y).abs() < 1.0 && (x0 - y0).abs() < 1.0);
        }
    }

    #[test]
    fn the_next_pair_is_a_close_game_of_ill_known_players() {
        assert_eq!(Ratings::fit(&Results::new(1), 0, 0.0).next_pair(&[0]), None);
        let mut results = Results::new(4);
        results.add(1, 0, PairCounts::from([2, 20, 38]));
        results.add(2, 1, PairCounts::from([2, 20, 38]));
        // Player 3 has not played: it meets one of the others next.
        let ratings = Ratings::fit(&results, 0, 0.0);
        assert_eq!(ratings.next_pair(&[0, 1, 2, 3]).unwrap().1, 3);
        assert_eq!(ratings.next_pair(&[0, 2]), Some((0, 2)));
        // For the rating of one player alone the newcomer is no help.
        assert_eq!(ratings.next_opponent(1, &[3, 2, 0]), Some(0));
        // A new player that lost everything to the strongest meets a weaker one next.
        results.add(3, 2, PairCounts::from([10, 0, 0]));
        let ratings = Ratings::fit(&results, 0, 0.0);
        assert_eq!(ratings.next_pair(&[0, 1, 2, 3]), Some((0, 3)));
        assert_eq!(ratings.next_opponent(3, &[2, 1, 0, 3]), Some(0));
        assert_eq!(ratings.next_opponent(3, &[3]), None);
    }

    #[test]
    fn chosen_pairs_teach_more_than_taking_turns() {
        let elo = [0.0, 400.0, 800.0, 1200.0, 1600.0];
        let turns: Vec<_> = (0..5).flat_map(|a| (a + 1..5).map(move |b| (a, b))).collect();
        let width = |informed: bool| {
            let mut total = 0.0;
            for seed in 0..5 {
                let mut draw = Draw::new(seed);
                let mut results = Results::new(elo.len());
                for round in 0..100 {
                    let pair = if informed {
                        Ratings::fit(&results, 0, 0.0).next_pair(&[0, 1, 2, 3, 4]).unwrap()
                    } else {
                        turns[round % turns.len()]
                    };
                    play(&mut results, &mut draw, &elo, pair, 4);
                }
                let ratings = Ratings::fit(&results, 0, 0.0);
                total += ratings.all().iter().map(|r| r.interval[1] - r.interval[0]).sum::<f64>();
            }
            total
        };
        let (informed, turns) = (width(true), width(false));
        assert!(informed < 0.85 * turns, "{informed} against {turns}");
    }
}

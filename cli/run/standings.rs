//! Ratings over all matches of a run: those of the gates and those that rate champions.

use hippolyta_eval::{GateReport, PairCounts, Rating, Ratings, Results};
use hippolyta_play::Level;

use crate::run::directory::{RunDirectory, name_of};
use crate::run::rating::RatingReport;

/// The player that is rated 0.
const ANCHOR: Level = Level::Hard;

/// What a run's players made of each other.
pub(crate) struct Standings {
    /// The anchor first.
    players: Vec<String>,
    /// Pairs of two players by their numbers, seen from the first.
    matches: Vec<(usize, usize, PairCounts)>,
}

impl Standings {
    /// No matches yet.
    pub(crate) fn new() -> Standings {
        Standings { players: vec![ANCHOR.name().to_owned()], matches: Vec::new() }
    }

    /// The number of a player, which enters if it is new.
    pub(crate) fn enter(&mut self, name: &str) -> usize {
        self.players.iter().position(|player| player == name).unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        })
    }

    fn add(&mut self, a: &str, b: &str, pairs: PairCounts) {
        let (a, b) = (self.enter(a), self.enter(b));
        self.matches.push((a, b, pairs));
    }

    /// Adds a champion's matches in a generation.
    pub(crate) fn add_report(&mut self, report: &RatingReport) {
        let champion = name_of(report.champion);
        for (opponent, pairs) in &report.pairs {
            self.add(&champion, opponent, *pairs);
        }
    }

    /// Adds all matches of a run up to a generation.
    ///
    /// # Errors
    /// When a report cannot be read.
    pub(crate) fn add_run(&mut self, directory: &RunDirectory, generation: u32) -> anyhow::Result<()> {
        for earlier in 1..=generation {
            let gate = directory.gate(earlier);
            if gate.exists() {
                let report = GateReport::read(&gate)?;
                self.add(&report.candidate, &report.champion, report.pairs);
            }
            if let Some(report) = RatingReport::read(directory, earlier)? {
                self.add_report(&report);
            }
        }
        Ok(())
    }

    /// A player's rating; `None` where no chain of matches leads from it to the anchor.
    fn rating(&mut self, name: &str) -> Option<Rating> {
        let player = self.enter(name);
        let mut tied = vec![false; self.players.len()];
        tied[0] = true;
        // A chain has fewer links than there are players.
        for _ in &self.players {
            for &(a, b, _) in &self.matches {
                let either = tied[a] || tied[b];
                (tied[a], tied[b]) = (either, either);
            }
        }
        (tied[player] && player != 0).then(|| self.ratings().all()[player])
    }

    /// The players' ratings by their numbers.
    pub(crate) fn ratings(&self) -> Ratings {
        let mut results = Results::new(self.players.len());
        for (a, b, pairs) in &self.matches {
            results.add(*a, *b, *pairs);
        }
        Ratings::fit(&results, 0, 0.0)
    }
}

/// The rating of a champion after `generation`, from all matches up to then; `None` as long as none of them, nor one of
/// its opponents' and so on, was against the anchor.
///
/// # Errors
/// When a report cannot be read.
pub(crate) fn rate(
    directory: &RunDirectory,
    generation: u32,
    champion: u32,
) -> anyhow::Result<Option<Rating>> {
    let mut standings = Standings::new();
    standings.add_run(directory, generation)?;
    Ok(standings.rating(&name_of(champion)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_has_not_met_the_anchor_in_any_way_has_no_rating() {
        let even = PairCounts { lost: 5, split: 10, won: 5 };
        let mut standings = Standings::new();
        standings.add("g000001", "g000000", even);
        assert_eq!(standings.rating("g000001"), None);
        assert_eq!(standings.rating("g000002"), None);
        standings.add("g000000", ANCHOR.name(), even);
        let rating = standings.rating("g000001").expect("there is a chain of matches");
        assert!(rating.elo.abs() < 1.0, "{rating:?}");
    }
}

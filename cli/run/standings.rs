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

    /// The players' ratings by their numbers.
    pub(crate) fn ratings(&self) -> Ratings {
        let mut results = Results::new(self.players.len());
        for (a, b, pairs) in &self.matches {
            results.add(*a, *b, *pairs);
        }
        Ratings::fit(&results, 0, 0.0)
    }
}

/// The rating of a champion after `generation`, from all matches up to then; `None` if it has played none.
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
    let player = standings.enter(&name_of(champion));
    let rating = standings.ratings().all()[player];
    Ok((rating.games > 0).then_some(rating))
}

//! Ratings over a run's matches: those that rate champions, and those of the gates on the same boards.

use hippolyta_eval::{GateReport, PairCounts, Rating, Ratings, Results};
use hippolyta_game::Board;
use hippolyta_play::Level;
use hippolyta_selfplay::Boards;

use crate::history::History;
use crate::keys::name_of;
use crate::rating::RatingReport;

/// The player that is rated 0.
const ANCHOR: Level = Level::Hard;

/// What a run's players made of each other.
#[derive(Clone, Debug)]
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
    pub(crate) fn add_report(&mut self, report: Option<&RatingReport>) {
        let Some(report) = report else { return };
        let champion = name_of(report.champion);
        for (opponent, pairs) in &report.pairs {
            self.add(&champion, opponent, *pairs);
        }
    }

    /// The matches of a run's finished generations. A gate on other boards than the ratings are on says how much
    /// stronger a network is there, which is no measure here.
    pub(crate) fn of(history: &History, boards: &Boards) -> Standings {
        let mut standings = Standings::new();
        for generation in 1..=history.generations() {
            standings.add_gate(history.gates().get(&generation), boards);
            standings.add_report(history.ratings().get(&generation));
        }
        standings
    }

    /// Adds a gate match, if it was on the boards that are rated.
    pub(crate) fn add_gate(&mut self, report: Option<&GateReport>, boards: &Boards) {
        let rated: Vec<String> = boards.lasting().iter().map(Board::to_string).collect();
        if let Some(report) = report.filter(|report| report.boards == rated) {
            self.add(&report.candidate, &report.champion, report.pairs);
        }
    }

    /// A player's rating; `None` where no chain of matches leads from it to the anchor.
    pub(crate) fn rating(&mut self, name: &str) -> Option<Rating> {
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

#[cfg(test)]
mod tests {
    use hippolyta_selfplay::BoardShare;

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

    #[test]
    fn gates_on_boards_that_are_not_rated_do_not_count() {
        let six = BoardShare { last: Some(1), ..BoardShare::always(Board::SIX, 1.0) };
        let boards = Boards(vec![six, BoardShare::always(Board::EIGHT, 1.0)]);
        let mut standings = Standings::new();
        for (generation, board) in [(1, "6x6"), (2, "8x8")] {
            let report = serde_json::json!({
                "candidate": name_of(generation), "champion": name_of(0), "accepted": true, "pairs": [0, 0, 2],
                "score": 1.0, "elo": 200.0, "elo_interval": [100.0, 300.0],
                "sprt": { "llr": 3.0, "lower": -2.9, "upper": 2.9, "verdict": "passed" },
                "forfeits_candidate": 0, "forfeits_champion": 0, "boards": [board], "seed": 1,
                "config": {
                    "max_games": 4, "opening_plies": 2, "visits": 1,
                    "sprt": { "model": "logistic", "elo0": 0.0, "elo1": 35.0, "alpha": 0.05, "beta": 0.05 },
                },
            });
            standings.add_gate(Some(&serde_json::from_value(report).unwrap()), &boards);
        }
        assert_eq!(standings.players, [ANCHOR.name(), "g000002", "g000000"]);
    }
}

//! One row a generation: what came of it, free of anything that depends on time.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};

use crate::run::directory::RunDirectory;

/// What came of a generation's gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum GateOutcome {
    /// The candidate took the champion's place in a match.
    Accepted,
    /// The champion kept its place.
    Rejected,
    /// There was no match in this generation; the candidate plays on as champion.
    Unplayed,
}

/// A row of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Row {
    pub(crate) generation: u32,
    /// Games and recorded positions of the whole run so far.
    pub(crate) games: u64,
    pub(crate) positions: u64,
    /// Optimiser steps of the whole run so far.
    pub(crate) steps: u64,
    /// Mean losses of the generation's training, by name.
    pub(crate) losses: BTreeMap<String, f64>,
    pub(crate) gate: GateOutcome,
    /// The candidate's share of the gate's games, if there were any.
    pub(crate) gate_score: Option<f64>,
    pub(crate) gate_games: u64,
    /// The generation whose network is the champion now.
    pub(crate) champion: u32,
    /// The champion's share of games against each level and the classical program, if it was rated in this generation.
    pub(crate) scores: BTreeMap<String, f64>,
    /// Elo of the champion by the matches so far on the boards that are rated, Hard being 0; `None` while no chain of
    /// them ties it to Hard.
    pub(crate) rating: Option<f64>,
    pub(crate) rating_interval: Option<[f64; 2]>,
}

impl Row {
    /// Whether there was a match for the champion's place.
    pub(crate) fn is_gated(&self) -> bool {
        self.gate != GateOutcome::Unplayed
    }

    /// Whether the champion was rated in this generation.
    pub(crate) fn is_rated(&self) -> bool {
        !self.scores.is_empty()
    }

    /// The run's rows so far.
    ///
    /// # Errors
    /// When the file cannot be read or a row of it is damaged.
    pub(crate) fn read_all(run: &RunDirectory) -> anyhow::Result<Vec<Row>> {
        let path = run.metrics();
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(error).with_context(|| format!("{} cannot be read", path.display())),
        };
        let parse = |(number, line)| {
            serde_json::from_str(line)
                .with_context(|| format!("{}, line {} is damaged", path.display(), number + 1))
        };
        let rows: Vec<Row> = text.lines().enumerate().map(parse).collect::<anyhow::Result<_>>()?;
        let is_next = |a: &Row, b: &Row| a.generation < b.generation && a.games <= b.games;
        match rows.array_windows().position(|[a, b]| !is_next(a, b)) {
            Some(before) => {
                let line = before + 2;
                bail!("{}, line {line} is damaged: it does not follow on the line before", path.display())
            }
            None => Ok(rows),
        }
    }

    /// Writes the rows, whole or not at all.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn write_all(rows: &[Row], run: &RunDirectory) -> anyhow::Result<()> {
        let path = run.metrics();
        hippolyta_files::write_json_lines(&path, rows)
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// The names of the columns of [`Row::line`].
    pub(crate) fn headings() -> String {
        format!(
            "{:>4} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}  {:<14} {:>6} {:>6} {:>6} {:>9} {:>7}",
            "gen",
            "games",
            "positions",
            "policy",
            "value",
            "owner",
            "margin",
            "gate",
            "easy",
            "medium",
            "hard",
            "classical",
            "rating"
        )
    }

    /// The row for people to read, in the columns of [`Row::headings`].
    pub(crate) fn line(&self) -> String {
        let loss = |name: &str| number(self.losses.get(name).copied(), 3);
        let score = |name: &str| number(self.scores.get(name).copied(), 3);
        let gate = match (self.gate, self.gate_score) {
            (GateOutcome::Unplayed, _) => "unplayed".to_owned(),
            (GateOutcome::Accepted, score) => format!("accepted {}", number(score, 3)),
            (GateOutcome::Rejected, score) => format!("rejected {}", number(score, 3)),
        };
        format!(
            "{:>4} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}  {:<14} {:>6} {:>6} {:>6} {:>9} {:>7}",
            self.generation,
            self.games,
            self.positions,
            loss("policy"),
            loss("value"),
            loss("owner"),
            loss("margin"),
            gate,
            score("easy"),
            score("medium"),
            score("hard"),
            score("classical"),
            number(self.rating, 0)
        )
    }
}

/// A champion's rating with its interval, for people to read.
pub(crate) fn rating_words(rating: f64, [low, high]: [f64; 2]) -> String {
    format!("rating {rating:+.0} Elo (95 % interval {low:+.0} to {high:+.0}), Hard being 0")
}

/// A number with so many digits after the point, or a dash.
fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(generation: u32) -> Row {
        Row {
            generation,
            games: 1200,
            positions: 30_000,
            steps: 400,
            losses: [("policy".to_owned(), 2.5), ("value".to_owned(), 0.1 + 0.2)].into(),
            gate: GateOutcome::Accepted,
            gate_score: Some(0.6),
            gate_games: 60,
            champion: generation,
            scores: [("hard".to_owned(), 0.25)].into(),
            rating: Some(-191.0),
            rating_interval: Some([-260.0, -130.0]),
        }
    }

    #[test]
    fn rows_come_back_as_they_were() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDirectory::take(folder.path()).unwrap();
        assert_eq!(Row::read_all(&run).unwrap(), []);
        let rows = [row(1), row(2)];
        Row::write_all(&rows, &run).unwrap();
        assert_eq!(Row::read_all(&run).unwrap(), rows);
        fs::write(run.metrics(), "{\n").unwrap();
        let error = Row::read_all(&run).unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
        let fewer_games = Row { games: 1199, ..row(2) };
        for second in [row(1), fewer_games] {
            Row::write_all(&[row(1), second], &run).unwrap();
            let error = Row::read_all(&run).unwrap_err().to_string();
            assert!(error.contains("line 2 is damaged"), "{error}");
        }
    }

    #[test]
    fn lines_keep_to_their_columns() {
        let (headings, line) = (Row::headings(), row(1).line());
        assert_eq!(headings.len(), line.len());
        for (heading, value) in
            [("games", "1200"), ("policy", "2.500"), ("hard", "0.250"), ("rating", "-191")]
        {
            let end = headings.find(heading).unwrap() + heading.len();
            assert!(line[..end].ends_with(value), "{heading}: {line}");
        }
    }
}

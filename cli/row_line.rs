//! A run's rows for people to read.

use hippolyta_run::Row;
use hippolyta_run::manifest::GateOutcome;

/// The names of the columns of [`line`].
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

/// The row for people to read, in the columns of [`headings`].
pub(crate) fn line(row: &Row) -> String {
    let loss = |name: &str| number(row.losses.get(name).copied(), 3);
    let score = |name: &str| number(row.scores.get(name).copied(), 3);
    let gate = match (row.gate, row.gate_score) {
        (GateOutcome::Unplayed, _) => "unplayed".to_owned(),
        (GateOutcome::Accepted, score) => format!("accepted {}", number(score, 3)),
        (GateOutcome::Rejected, score) => format!("rejected {}", number(score, 3)),
    };
    format!(
        "{:>4} {:>8} {:>9} {:>7} {:>7} {:>7} {:>7}  {:<14} {:>6} {:>6} {:>6} {:>9} {:>7}",
        row.generation,
        row.games,
        row.positions,
        loss("policy"),
        loss("value"),
        loss("owner"),
        loss("margin"),
        gate,
        score("easy"),
        score("medium"),
        score("hard"),
        score("classical"),
        number(row.rating, 0)
    )
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
    fn lines_keep_to_their_columns() {
        let (headings, line) = (headings(), line(&row(1)));
        assert_eq!(headings.len(), line.len());
        for (heading, value) in
            [("games", "1200"), ("policy", "2.500"), ("hard", "0.250"), ("rating", "-191")]
        {
            let end = headings.find(heading).unwrap() + heading.len();
            assert!(line[..end].ends_with(value), "{heading}: {line}");
        }
    }
}

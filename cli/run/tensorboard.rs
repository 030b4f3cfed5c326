//! The scalars that `TensorBoard` shows, by generation.

use hippolyta_selfplay::GenerationStats;
use tensorboard_rs::summary_writer::SummaryWriter;

use crate::run::clock::Timing;
use crate::run::directory::RunDirectory;
use crate::run::metrics::Row;

/// The run's event files. Each process has one of its own, made when there is something to write.
#[derive(Default)]
pub(crate) struct Scalars {
    writer: Option<SummaryWriter>,
}

impl Scalars {
    /// Writes a generation's scalars. A generation that was written before, by a killed process or before it was known
    /// to be the last, is written once more, which `TensorBoard` draws as one point.
    pub(crate) fn write(
        &mut self,
        directory: &RunDirectory,
        row: &Row,
        stats: &GenerationStats,
        timing: &Timing,
    ) {
        let writer = self.writer.get_or_insert_with(|| SummaryWriter::new(directory.tensorboard()));
        for (tag, value) in scalars(row, stats, timing) {
            writer.add_scalar(&tag, value as f32, row.generation as usize);
        }
        writer.flush();
    }
}

/// Tags and values of a generation.
fn scalars(row: &Row, stats: &GenerationStats, timing: &Timing) -> Vec<(String, f64)> {
    let mut scalars: Vec<(String, f64)> = Vec::new();
    scalars.extend(row.losses.iter().map(|(name, loss)| (format!("loss/{name}"), *loss)));
    scalars.extend(row.scores.iter().map(|(level, score)| (format!("score/{level}"), *score)));
    scalars.extend(row.gate_score.map(|score| ("gate/score".to_owned(), score)));
    scalars.extend(row.rating.map(|rating| ("rating/elo".to_owned(), rating)));
    if let Some([low, high]) = row.rating_interval {
        scalars.extend([("rating/elo_low".to_owned(), low), ("rating/elo_high".to_owned(), high)]);
    }
    let seconds_of_selfplay = timing.selfplay.max(1e-3);
    let figures = [
        ("run/games", row.games as f64),
        ("run/positions", row.positions as f64),
        ("run/steps", row.steps as f64),
        ("run/champion", f64::from(row.champion)),
        ("selfplay/plies_a_game", stats.mean_plies),
        ("selfplay/first_player_wins", stats.first_player_wins),
        ("selfplay/ended_by_verdict", stats.ended_by_verdict),
        ("selfplay/surprise", stats.mean_surprise),
        ("rate/games_a_second", stats.games as f64 / seconds_of_selfplay),
        ("rate/evaluations_a_second", stats.evaluations as f64 / seconds_of_selfplay),
        ("seconds/selfplay", timing.selfplay),
        ("seconds/learn", timing.learn),
        ("seconds/gate", timing.gate),
        ("seconds/rating", timing.rating),
    ];
    scalars.extend(figures.map(|(tag, value)| (tag.to_owned(), value)));
    scalars
}

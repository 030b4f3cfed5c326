//! The scalars that `TensorBoard` shows, by generation: a view that nothing reads back.

use std::sync::PoisonError;

use crate::error::RunError;
use crate::keys;
use crate::row::Row;
use crate::timing::Timing;
use crate::work::Run;

#[cfg(feature = "torch")]
pub(crate) use with_library::Scalars;

/// A build that cannot train does not write what shows a training.
#[cfg(not(feature = "torch"))]
#[derive(Debug, Default)]
pub(crate) struct Scalars;

#[cfg(not(feature = "torch"))]
impl Scalars {
    #[expect(clippy::unused_self, reason = "with libtorch it writes")]
    fn write(&mut self, _: &Run<'_>, _: &Row, _: &Timing) {}
}

/// Writes a generation's scalars. One that was written before, by a killed process or before the run ended, is written
/// once more, which `TensorBoard` draws as one point.
pub(crate) fn write(run: &Run<'_>, row: &Row, timing: &Timing) {
    run.scalars.lock().unwrap_or_else(PoisonError::into_inner).write(run, row, timing);
}

/// Writes the scalars of all generations, if the folder is gone.
pub(crate) fn restore(run: &Run<'_>) -> Result<(), RunError> {
    let folder = run.store().local_folder(keys::TENSORBOARD);
    if folder.is_none_or(|folder| folder.exists()) {
        return Ok(());
    }
    let timings = Timing::read(run.store())?;
    for row in Row::all(&run.history) {
        let timing = timings.iter().rfind(|timing| timing.generation == row.generation);
        write(run, &row, timing.unwrap_or(&Timing::of(row.generation)));
    }
    Ok(())
}

#[cfg(feature = "torch")]
mod with_library {
    use std::fmt;
    use std::fs;

    use hippolyta_selfplay::GenerationStats;
    use tensorboard_rs::summary_writer::SummaryWriter;

    use super::{Row, Run, Timing};
    use crate::keys;

    /// The run's event files. Each process has one of its own, made when there is something to write.
    #[derive(Default)]
    pub(crate) enum Scalars {
        #[default]
        Closed,
        Open(Box<SummaryWriter>),
        /// The folder cannot be written.
        LeftOut,
    }

    impl fmt::Debug for Scalars {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.debug_struct("Scalars").finish_non_exhaustive()
        }
    }

    impl Scalars {
        pub(super) fn write(&mut self, run: &Run<'_>, row: &Row, timing: &Timing) {
            if matches!(self, Scalars::Closed) {
                *self = Scalars::open(run);
            }
            let (Scalars::Open(writer), Some(manifest)) = (self, run.history.manifest(row.generation)) else {
                return;
            };
            for (tag, value) in scalars(row, &manifest.stats, timing) {
                writer.add_scalar(&tag, value as f32, row.generation as usize);
            }
            writer.flush();
        }

        fn open(run: &Run<'_>) -> Scalars {
            let Some(folder) = run.store().local_folder(keys::TENSORBOARD) else { return Scalars::LeftOut };
            // The library panics where it cannot write.
            match fs::create_dir_all(&folder).and_then(|()| tempfile::tempfile_in(&folder)) {
                Ok(_) => Scalars::Open(Box::new(SummaryWriter::new(&folder))),
                Err(error) => {
                    let folder = folder.display();
                    run.tools.observer.tell(&format!("{folder} cannot be written and is left out: {error}"));
                    Scalars::LeftOut
                }
            }
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
}

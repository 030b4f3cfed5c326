//! The end of a run: a last gate and a last rating, unless the last generation had them. It alters nothing that was
//! made before.

use crate::error::RunError;
use crate::gate::decide;
use crate::history::{EndReports, put};
use crate::keys;
use crate::learn::prune;
use crate::manifest::{End, FORMAT, GateOutcome, Gated, Manifest};
use crate::rating::{climb, rated};
use crate::row::{self, Row};
use crate::sealed::seal;
use crate::standings::Standings;
use crate::tensorboard;
use crate::timing::{Timing, timed};
use crate::work::Run;

/// Ends a run after its newest generation, unless that is done. A run that goes on later does so as if it had not
/// ended.
///
/// # Errors
/// When the matches cannot be played or their reports not be kept.
pub fn finish(run: &mut Run<'_>) -> Result<(), RunError> {
    let Some(last) = run.history.last().cloned() else { return Ok(()) };
    if run.history.end().is_some() {
        return Ok(());
    }
    // A killed process may have closed the generation without this.
    prune(run)?;
    let mut timings = Timing::read(run.store())?;
    let ended = timings.iter().rposition(|timing| timing.generation == last.generation);
    let mut timing = ended.map_or(Timing::of(last.generation), |index| timings.remove(index));
    let mut reports = EndReports::default();
    let gated = timed(&mut timing.gate, || last_gate(run, &last, &mut reports))?;
    let mut standings = Standings::of(&run.history, &run.config.selfplay.boards);
    standings.add_gate(reports.gate.as_ref(), &run.config.selfplay.boards);
    let rated = if last.rated.report.is_some() && gated.champion == last.gated.champion {
        last.rated.clone()
    } else {
        let key = keys::end_rating(last.generation);
        let climbed = || climb(run, &key, last.generation, &gated.champion, &standings);
        let (report, file) = timed(&mut timing.rating, climbed)?;
        reports.rating = Some(report);
        rated(&mut standings, &gated.champion, reports.rating.as_ref(), Some(file))
    };
    let manifest = run.history.newest().expect("there is a manifest").to_owned();
    let end = End { format: FORMAT, generation: last.generation, manifest, gated, rated };
    put(run.store(), &keys::end(last.generation), &seal(&end))?;
    timings.push(timing);
    Timing::write(run.store(), &timings)?;
    run.history.set_end(end, reports);
    row::write(run.store(), &run.history)?;
    let row = Row::of(&last, run.history.end());
    tensorboard::write(run, &row, &timing);
    run.tools.observer.finished(&row);
    Ok(())
}

/// The gate of the last generation: that which it had, or a match now.
fn last_gate(run: &Run<'_>, last: &Manifest, reports: &mut EndReports) -> Result<Gated, RunError> {
    if last.gated.outcome != GateOutcome::Unplayed {
        return Ok(last.gated.clone());
    }
    let proven = &last.gated.proven;
    let (report, file) = decide(run, &keys::end_gate(last.generation), &last.learned.candidate, proven)?;
    let (outcome, winner) = if report.accepted {
        (GateOutcome::Accepted, &last.gated.champion)
    } else {
        (GateOutcome::Rejected, proven)
    };
    let gated = Gated {
        outcome,
        score: Some(report.score),
        games: report.pairs.games(),
        report: Some(file),
        champion: winner.clone(),
        proven: winner.clone(),
    };
    reports.gate = Some(report);
    Ok(gated)
}

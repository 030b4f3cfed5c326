//! The gate of a generation: whether the network that training gave becomes champion.

use hippolyta_eval::{Contestant, Gate, GateReport, MatchScore, SprtVerdict};
use hippolyta_search::seed::derive;

use crate::error::RunError;
use crate::history::{checked, foreign, put, unsealed};
use crate::keys::{self, name_of};
use crate::manifest::{FileRef, GateOutcome, Gated, Learned, ModelRef};
use crate::sealed::seal;
use crate::seats::Seat;
use crate::work::{Run, board_names};

/// Sets the gates' seeds apart from those of other stages.
const SEED_GATE: u64 = u64::from_be_bytes(*b"----gate");

/// Decides a generation's gate, or finds what was decided. The opponent is the last network that won a match: a network
/// that became champion without one is measured against what was proven, and gives way to it when it loses.
pub(crate) fn gate(run: &Run<'_>, learned: &Learned) -> Result<(Gated, Option<GateReport>), RunError> {
    let generation = learned.generation;
    if !run.config.gate.is_due(generation) {
        let (outcome, proven) = (GateOutcome::Unplayed, run.proven().clone());
        let champion = publish(run, learned)?;
        return Ok((Gated { outcome, score: None, games: 0, report: None, champion, proven }, None));
    }
    let (report, file) = decide(run, &keys::gate(generation), &learned.candidate, run.proven())?;
    let gated = if report.accepted {
        let champion = publish(run, learned)?;
        Gated {
            outcome: GateOutcome::Accepted,
            proven: champion.clone(),
            champion,
            ..played(&report, file, run)
        }
    } else {
        played(&report, file, run)
    };
    Ok((gated, Some(report)))
}

/// A gate that the candidate lost.
fn played(report: &GateReport, file: FileRef, run: &Run<'_>) -> Gated {
    Gated {
        outcome: GateOutcome::Rejected,
        score: Some(report.score),
        games: report.pairs.games(),
        report: Some(file),
        champion: run.proven().clone(),
        proven: run.proven().clone(),
    }
}

/// Makes a candidate champion: its file gets a place among the champions.
fn publish(run: &Run<'_>, learned: &Learned) -> Result<ModelRef, RunError> {
    let bytes = checked(run.store(), &learned.candidate.file, &keys::learned(learned.generation))?;
    let file = put(run.store(), &keys::model(learned.generation), &bytes)?;
    Ok(ModelRef { file, ..learned.candidate.clone() })
}

/// Plays the match of a candidate against `proven` and keeps the report, or finds it.
pub(crate) fn decide(
    run: &Run<'_>,
    key: &str,
    candidate: &ModelRef,
    proven: &ModelRef,
) -> Result<(GateReport, FileRef), RunError> {
    let generation = candidate.generation;
    let names = [generation, proven.generation].map(name_of);
    let boards = run.config.selfplay.boards.of(generation);
    let seed = derive(run.config.run.seed, &[SEED_GATE, u64::from(generation)]);
    if let Some(bytes) = run.store().get(key)? {
        let report: GateReport = unsealed(run.store(), key, &bytes)?;
        let known: Vec<String> = boards.iter().map(ToString::to_string).collect();
        let is_right = [&report.candidate, &report.champion] == [&names[0], &names[1]]
            && (report.seed, report.config, &report.boards) == (seed, run.config.gate.terms, &known)
            && report.accepted == (report.sprt.verdict == SprtVerdict::Passed);
        if !is_right {
            return Err(foreign(run.store(), key, "it is of another match").into());
        }
        return Ok((report, put(run.store(), key, &bytes)?));
    }
    let seats = [(&names[0], candidate), (&names[1], proven)];
    let [candidate, champion] = seats
        .map(|(name, model)| -> Result<Seat, RunError> { Ok(Seat::network(name, &*run.model(model)?)?) });
    let (candidate, champion) = (candidate?, champion?);
    let (make_candidate, make_champion) = (|| candidate.seat(), || champion.seat());
    let gate = Gate {
        candidate: Contestant { name: &names[0], make: &make_candidate },
        champion: Contestant { name: &names[1], make: &make_champion },
        boards: &boards,
        config: run.config.gate.terms,
        seed,
        threads: run.threads,
    };
    let work = format!("generation {generation} gate on {}", board_names(&boards));
    let task = run.tools.observer.task(&work, "games", run.config.gate.terms.max_games);
    let pairs = run.config.gate.terms.max_games as usize / 2;
    let mut draw = |drawn| task.wait_for_openings(drawn, pairs);
    let mut listen = |score: &MatchScore| {
        task.set(score.counts.games(), &|| format!("score {:.3}", score.counts.score()));
    };
    let report = gate.play(&|| run.is_stopped(), &mut draw, &mut listen)?;
    let report = report.ok_or_else(|| run.interrupted())?;
    let file = put(run.store(), key, &seal(&report))?;
    Ok((report, file))
}

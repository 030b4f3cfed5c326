//! The gate of a generation: whether the network that training gave becomes the champion.

use std::fs;
use std::path::Path;

use anyhow::Context as _;
use hippolyta_eval::{Contestant, Gate, GateReport, MatchScore};
use hippolyta_search::seed::derive;

use crate::interrupt;
use crate::output;
use crate::players::Seatable;
use crate::run::directory::{RunDirectory, name_of, remove};
use crate::run::metrics::GateOutcome;
use crate::run::{Run, SEED_GATE, selfplay};

/// What a generation's gate decided.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Decision {
    pub(crate) outcome: GateOutcome,
    /// The candidate's share of the games, and their number.
    pub(crate) match_score: Option<(f64, u64)>,
    /// The generation whose network is the champion now.
    pub(crate) champion: u32,
}

/// Decides a generation's gate, or finds what was decided. The opponent is the last network that won a match: a
/// network that plays on unproven is measured against what was proven, and gives way to it when it loses.
///
/// A generation that was passed over can be given its match while the next one's games are not all played. If it loses
/// that, what it left as champion goes: its place in `models/`, and the games of the next generation.
///
/// # Errors
/// When the match cannot be played or the outcome not be kept; [`interrupt::Interrupted`] if the person stops it.
pub(crate) fn ensure(run: &Run, generation: u32, is_last: bool) -> anyhow::Result<Decision> {
    let directory = &run.directory;
    let report_path = directory.gate(generation);
    if !report_path.exists() {
        if !(run.config.gate.is_due(generation) || is_last) {
            place(&directory.candidate(generation), &directory.model(generation))?;
            return Ok(Decision { outcome: GateOutcome::Unplayed, match_score: None, champion: generation });
        }
        let proven = proven_before(directory, generation)?;
        play(run, generation, proven)?.write(&report_path)?;
    }
    let report = GateReport::read(&report_path)?;
    let match_score = Some((report.score, report.pairs.games()));
    if report.accepted {
        place(&directory.candidate(generation), &directory.model(generation))?;
        return Ok(Decision { outcome: GateOutcome::Accepted, match_score, champion: generation });
    }
    let proven = proven_before(directory, generation)?;
    selfplay::discard(run, generation + 1)?;
    if directory.champion_before(generation)? == Some(proven)
        || is_same_network(directory, generation, proven)?
    {
        remove(&directory.model(generation))?;
    } else {
        place(&directory.model(proven), &directory.model(generation))?;
    }
    Ok(Decision { outcome: GateOutcome::Rejected, match_score, champion: proven })
}

/// Whether the champion before `generation` is `proven` under a later name, put back after a lost match.
fn is_same_network(directory: &RunDirectory, generation: u32, proven: u32) -> anyhow::Result<bool> {
    let Some(champion) = directory.champion_before(generation)? else { return Ok(false) };
    Ok(fs::read(directory.model(champion))? == fs::read(directory.model(proven))?)
}

/// The newest generation before `generation` whose network won a match; 0, the untrained network, before any did.
fn proven_before(directory: &RunDirectory, generation: u32) -> anyhow::Result<u32> {
    for earlier in (1..generation).rev() {
        let path = directory.gate(earlier);
        if path.exists() && GateReport::read(&path)?.accepted {
            return Ok(earlier);
        }
    }
    Ok(0)
}

fn play(run: &Run, generation: u32, proven: u32) -> anyhow::Result<GateReport> {
    let [candidate_name, champion_name] = [generation, proven].map(name_of);
    let candidate = Seatable::network(&candidate_name, &run.directory.candidate(generation))?;
    let champion = Seatable::network(&champion_name, &run.directory.model(proven))?;
    let (make_candidate, make_champion) = (|| candidate.seat_boxed(), || champion.seat_boxed());
    let boards = run.config.selfplay.boards.of(generation);
    let gate = Gate {
        candidate: Contestant { name: &candidate_name, make: &make_candidate },
        champion: Contestant { name: &champion_name, make: &make_champion },
        boards: &boards,
        config: run.config.gate.terms,
        seed: derive(run.config.run.seed, &[SEED_GATE, u64::from(generation)]),
        threads: run.threads,
    };
    let work = format!("generation {generation} gate on {}", output::board_names(&boards));
    let task = run.progress.task(&work, "games", run.config.gate.terms.max_games);
    let pairs = run.config.gate.terms.max_games as usize / 2;
    let mut draw = |drawn| task.wait_for_openings(drawn, pairs);
    let mut listen = |score: &MatchScore| {
        task.set(score.counts.games(), || format!("score {:.3}", score.counts.score()));
    };
    gate.play(&interrupt::asked, &mut draw, &mut listen)?.ok_or_else(|| run.interrupted())
}

/// Makes `to` a copy of a model file, whole or not at all, unless it is one already.
fn place(from: &Path, to: &Path) -> anyhow::Result<()> {
    let bytes = fs::read(from).with_context(|| format!("{} cannot be read", from.display()))?;
    if fs::read(to).is_ok_and(|before| before == bytes) {
        return Ok(());
    }
    hippolyta_files::write_atomic(to, |out| out.write_all(&bytes))
        .with_context(|| format!("{} cannot be written", to.display()))
}

//! How strong the champions are: matches against the levels, and a rating over these and the gates' matches.

use std::collections::BTreeMap;
use std::fs;

use anyhow::Context as _;
use hippolyta_eval::{
    Contestant, GameRules, GateReport, Match, Openings, PairCounts, Progress as Score, Rating, Ratings,
    Results, play_match,
};
use hippolyta_play::Level;
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};

use crate::interrupt;
use crate::players::Seatable;
use crate::run::directory::{RunDirectory, name_of};
use crate::run::{Run, SEED_RATING};

/// The levels that champions are measured against. The first is the anchor, with the rating 0.
const LEVELS: [Level; 3] = [Level::Hard, Level::Medium, Level::Easy];

/// The `[rating]` table of a run.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatingSection {
    /// The champion of each so manyeth generation is rated, and that of the last.
    pub(crate) every: u32,
    /// Games against each level, an even number.
    pub(crate) games: u64,
    /// Random plies at the start of each pair of games.
    pub(crate) opening_plies: u32,
    /// Visits of the network for a move.
    pub(crate) visits: u64,
}

impl RatingSection {
    pub(crate) fn validate(&self) -> Result<(), String> {
        if self.every == 0 {
            return Err("rating.every = 0: must be at least 1".to_owned());
        }
        if self.games < 2 || !self.games.is_multiple_of(2) {
            return Err(format!("rating.games = {}: must be an even number, at least 2", self.games));
        }
        if self.visits == 0 {
            return Err("rating.visits = 0: must be at least 1".to_owned());
        }
        Ok(())
    }
}

/// The report of a generation's matches against the levels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatingReport {
    /// The generation whose network was the champion.
    pub(crate) champion: u32,
    /// Pairs that the champion lost, split and won against each level.
    pub(crate) pairs: BTreeMap<String, PairCounts>,
}

impl RatingReport {
    /// The champion's share of the games against each level.
    pub(crate) fn scores(&self) -> BTreeMap<String, f64> {
        self.pairs.iter().map(|(level, pairs)| (level.clone(), pairs.score())).collect()
    }

    /// The report of a generation, if it was rated.
    ///
    /// # Errors
    /// When the report cannot be read.
    pub(crate) fn read(directory: &RunDirectory, generation: u32) -> anyhow::Result<Option<RatingReport>> {
        let path = directory.rating(generation);
        if !path.exists() {
            return Ok(None);
        }
        let damaged = || format!("{} is damaged", path.display());
        Ok(Some(serde_json::from_slice(&fs::read(&path).with_context(damaged)?).with_context(damaged)?))
    }
}

/// Rates the champion of a generation if that is due, or finds the report.
///
/// # Errors
/// When the matches cannot be played or the report not be kept; [`interrupt::Interrupted`] if the person stops it.
pub(crate) fn ensure(
    run: &Run,
    generation: u32,
    champion: u32,
    is_last: bool,
) -> anyhow::Result<Option<RatingReport>> {
    if let Some(report) = RatingReport::read(&run.directory, generation)? {
        return Ok(Some(report));
    }
    if !(generation.is_multiple_of(run.config.rating.every) || is_last) {
        return Ok(None);
    }
    let mut report = RatingReport { champion, pairs: BTreeMap::new() };
    for level in LEVELS {
        report.pairs.insert(level.name().to_owned(), play(run, generation, champion, level)?);
    }
    let path = run.directory.rating(generation);
    let write = |out: &mut dyn std::io::Write| -> anyhow::Result<()> {
        serde_json::to_writer_pretty(&mut *out, &report)?;
        Ok(out.write_all(b"\n")?)
    };
    hippolyta_files::write_atomic(&path, write)
        .with_context(|| format!("{} cannot be written", path.display()))?;
    Ok(Some(report))
}

/// A match of the champion against a level.
fn play(run: &Run, generation: u32, champion: u32, level: Level) -> anyhow::Result<PairCounts> {
    let section = &run.config.rating;
    let seed = derive(run.config.run.seed, &[SEED_RATING, u64::from(generation), level as u64]);
    let name = name_of(champion);
    let network = Seatable::network(&name, &run.directory.model(champion))?;
    let opponent = Seatable::Level(level);
    let (make_network, make_opponent) = (|| network.seat_boxed(), || opponent.seat_boxed());
    // The boards take turns.
    let boards = run.boards();
    let pairs = usize::try_from(section.games / 2)?;
    let mut sources = Vec::new();
    for (index, board) in boards.iter().enumerate() {
        let openings = Openings::new(*board, section.opening_plies, derive(seed, &[index as u64]))?;
        sources.push(openings);
    }
    let mut openings = Vec::with_capacity(pairs);
    for pair in 0..pairs {
        openings.extend(sources[pair % boards.len()].take(1)?);
    }
    let setup = Match {
        a: Contestant { name: &name, make: &make_network },
        b: Contestant { name: level.name(), make: &make_opponent },
        openings: &openings,
        skip: 0,
        rules: GameRules { visits: Some(section.visits), time: None, adjudicate: false },
        sprt: None,
        seed,
        threads: run.threads,
    };
    let stage =
        run.progress.stage(&format!("generation {generation} against {level}"), "games", section.games);
    let mut listen = |score: &Score| {
        stage.set(score.counts.games(), || format!("score {:.3}", score.counts.score()));
    };
    let result = play_match(&setup, &interrupt::asked, &mut listen)?;
    if result.interrupted { Err(run.interrupted()) } else { Ok(result.score.counts) }
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
    let mut matches: Vec<(String, String, PairCounts)> = Vec::new();
    for earlier in 1..=generation {
        let gate = directory.gate(earlier);
        if gate.exists() {
            let report = GateReport::read(&gate)?;
            matches.push((report.candidate, report.champion, report.pairs));
        }
        if let Some(report) = RatingReport::read(directory, earlier)? {
            let name = name_of(report.champion);
            matches.extend(report.pairs.into_iter().map(|(level, pairs)| (name.clone(), level, pairs)));
        }
    }
    // The anchor first.
    let mut players = vec![LEVELS[0].name().to_owned()];
    for (a, b, _) in &matches {
        for name in [a, b] {
            if !players.contains(name) {
                players.push(name.clone());
            }
        }
    }
    let number = |name: &str| players.iter().position(|player| player == name);
    let Some(player) = number(&name_of(champion)) else { return Ok(None) };
    let mut results = Results::new(players.len());
    for (a, b, pairs) in &matches {
        let (a, b) = (number(a).context("a listed player")?, number(b).context("a listed player")?);
        results.add(a, b, *pairs);
    }
    let rating = Ratings::fit(&results, 0, 0.0).all()[player];
    Ok((rating.games > 0).then_some(rating))
}

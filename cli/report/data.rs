//! What a run's files say, in the form that the page's scripts read.

use std::collections::BTreeMap;
use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use hippolyta_eval::{GateReport, PairCounts};
use hippolyta_run::keys::{self, name_of};
use hippolyta_run::{History, LocalStore, RatingReport, Row, RunStore, Snapshot, Timing, board_names};
use serde::{Deserialize, Serialize};

use crate::at_work::{failed, is_at_work};
use crate::report::games::{Samples, samples};
use crate::report::settings::{Setting, settings};

/// The most generations that the curves show; of a longer run they show each second, third, ...
const MOST_GENERATIONS: usize = 1000;
/// The most gate matches and ratings that are shown: the newest.
const MOST_MATCHES: usize = 300;

/// Everything that a report shows.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The name of the run's directory.
    name: String,
    /// When the report was made, in seconds since 1970.
    written: u64,
    /// The stage that the run waits for, and whether a process is at work on it, if that is known.
    waits_for: &'static str,
    running: Option<bool>,
    /// Seconds of work on the run.
    seconds: f64,
    /// The champion's file name without its ending.
    champion: String,
    /// Finished generations in order, thinned to [`MOST_GENERATIONS`].
    generations: Vec<Generation>,
    gates: Vec<GateMatch>,
    /// The boards that ratings are on, as in `6x6, 8x8`.
    rated_on: String,
    ratings: Vec<RatedChampion>,
    ladder: Option<LadderTable>,
    samples: Samples,
    settings: Vec<Setting>,
    /// The configuration as it stands in the run.
    config: String,
}

/// A finished generation.
#[derive(Debug, Serialize)]
struct Generation {
    #[serde(flatten)]
    row: Row,
    /// Seconds by stage, where they were noted.
    stages: Option<Timing>,
    /// Seconds of all stages up to its end, as far as they were noted.
    elapsed: f64,
    /// Of self-play.
    games_per_second: Option<f64>,
    positions_per_second: Option<f64>,
    /// Of training.
    steps_per_second: Option<f64>,
}

#[derive(Debug, Serialize)]
struct GateMatch {
    generation: u32,
    #[serde(flatten)]
    report: GateReport,
}

#[derive(Debug, Serialize)]
struct RatedChampion {
    generation: u32,
    champion: u32,
    /// By the opponent's name; of those that are no networks.
    scores: BTreeMap<String, OpponentScore>,
}

/// A champion's share of the games against one opponent, with its 95 % interval.
#[derive(Debug, Serialize)]
struct OpponentScore {
    games: u64,
    score: f64,
    interval: [f64; 2],
}

/// The table that `hippolyta ladder --json` prints, as far as it is shown.
#[derive(Debug, Serialize, Deserialize)]
struct LadderTable {
    players: Vec<LadderPlayer>,
}

#[derive(Debug, Serialize, Deserialize)]
struct LadderPlayer {
    name: String,
    elo: f64,
    elo_interval: [f64; 2],
    games: u64,
}

impl Report {
    /// Gathers what there is to report of a run. Takes no lock: another process may be at work on it.
    ///
    /// # Errors
    /// When a file of the run cannot be read or is damaged. Damaged games are counted only: the run plays them again.
    pub(crate) fn gather(store: &LocalStore) -> anyhow::Result<Report> {
        let running = is_at_work(store.root());
        let run = Snapshot::take(store).map_err(failed)?;
        let root = fs::canonicalize(store.root()).unwrap_or_else(|_| store.root().to_owned());
        let champion = run.history.champion().map_or(0, |champion| champion.generation);
        Ok(Report {
            name: root.file_name().unwrap_or(root.as_os_str()).to_string_lossy().into_owned(),
            written: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            waits_for: run.due.command(),
            running,
            seconds: run.seconds,
            champion: name_of(champion),
            gates: newest(gates(&run.history)),
            rated_on: board_names(&run.config.selfplay.boards.lasting()),
            ratings: newest(ratings(&run.history)),
            ladder: ladder(store)?,
            samples: samples(store, &run.history)?,
            settings: settings(&run.config),
            config: run.config_text,
            generations: generations(run.rows, &run.timings),
        })
    }
}

/// Puts rows and timings together.
fn generations(rows: Vec<Row>, timings: &[Timing]) -> Vec<Generation> {
    let mut elapsed = 0.0;
    let (mut games, mut positions, mut steps) = (0, 0, 0);
    let mut all = Vec::with_capacity(rows.len());
    for row in rows {
        let stages = timings.iter().rfind(|timing| timing.generation == row.generation).copied();
        elapsed += stages.map_or(0.0, |stages| stages.seconds());
        let rate = |before: u64, now: u64, seconds: Option<f64>| {
            seconds
                .filter(|seconds| *seconds > 0.0)
                .map(|seconds| now.saturating_sub(before) as f64 / seconds)
        };
        let (selfplay, learn) = (stages.map(|t| t.selfplay), stages.map(|t| t.learn));
        let generation = Generation {
            stages,
            elapsed,
            games_per_second: rate(games, row.games, selfplay),
            positions_per_second: rate(positions, row.positions, selfplay),
            steps_per_second: rate(steps, row.steps, learn),
            row,
        };
        (games, positions, steps) = (generation.row.games, generation.row.positions, generation.row.steps);
        all.push(generation);
    }
    let step = all.len().div_ceil(MOST_GENERATIONS).max(1);
    // Counted from the end, so that the last is always there.
    let mut from_last = all.len();
    all.retain(|_| {
        from_last -= 1;
        from_last.is_multiple_of(step)
    });
    all
}

fn newest<T>(mut all: Vec<T>) -> Vec<T> {
    all.drain(..all.len().saturating_sub(MOST_MATCHES));
    all
}

fn gates(history: &History) -> Vec<GateMatch> {
    let played = history.gates().iter().map(|(generation, report)| (*generation, report));
    let last = history.end_reports().gate.iter().map(|report| (history.generations(), report));
    played.chain(last).map(|(generation, report)| GateMatch { generation, report: report.clone() }).collect()
}

fn ratings(history: &History) -> Vec<RatedChampion> {
    let all = history.ratings().values().chain(&history.end_reports().rating);
    let rated = |report: &RatingReport| {
        let scores = report.fixed().map(|(name, pairs)| (name.to_owned(), OpponentScore::of(pairs)));
        RatedChampion { generation: report.generation, champion: report.champion, scores: scores.collect() }
    };
    all.map(rated).collect()
}

impl OpponentScore {
    fn of(pairs: PairCounts) -> OpponentScore {
        OpponentScore { games: pairs.games(), score: pairs.score(), interval: pairs.score_interval() }
    }
}

/// The ladder that somebody put into the run directory, if any.
fn ladder(store: &dyn RunStore) -> anyhow::Result<Option<LadderTable>> {
    let path = store.path(keys::LADDER);
    let Some(text) = store.get(keys::LADDER)? else { return Ok(None) };
    let table = serde_json::from_slice(&text)
        .with_context(|| format!("{} is not what 'hippolyta ladder --json' prints", path.display()))?;
    Ok(Some(table))
}

#[cfg(test)]
mod tests {
    use hippolyta_run::manifest::GateOutcome;

    use super::*;

    fn row(generation: u32) -> Row {
        Row {
            generation,
            games: 100 * u64::from(generation),
            positions: 1000 * u64::from(generation),
            steps: 10 * u64::from(generation),
            losses: BTreeMap::new(),
            gate: GateOutcome::Unplayed,
            gate_score: None,
            gate_games: 0,
            champion: generation,
            scores: BTreeMap::new(),
            rating: None,
            rating_interval: None,
        }
    }

    #[test]
    fn rates_are_those_of_the_generation_and_time_adds_up() {
        let timing = |generation| Timing { selfplay: 4.0, learn: 2.0, ..Timing::of(generation) };
        let all = generations(vec![row(1), row(2), row(3)], &[timing(1), timing(3)]);
        let rates: Vec<_> = all.iter().map(|one| (one.games_per_second, one.steps_per_second)).collect();
        assert_eq!(rates, [(Some(25.0), Some(5.0)), (None, None), (Some(25.0), Some(5.0))]);
        assert_eq!(all[2].positions_per_second, Some(250.0));
        assert_eq!(all.iter().map(|one| one.elapsed).collect::<Vec<_>>(), [6.0, 6.0, 12.0]);
    }

    #[test]
    fn long_runs_are_thinned_and_keep_their_last_generation() {
        let all = generations((1..=2500).map(row).collect(), &[]);
        assert!(all.len() <= MOST_GENERATIONS && all.len() > MOST_GENERATIONS / 2, "{}", all.len());
        assert_eq!(all.last().map(|one| one.row.generation), Some(2500));
    }
}

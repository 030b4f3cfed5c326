//! How strong the champions are: their matches against levels, the classical program and earlier champions.

use std::collections::BTreeMap;

use hippolyta_eval::{
    Contestant, GameRules, GateReport, Match, MatchScore, Opening, Openings, PairCounts, play_match,
};
use hippolyta_game::Board;
use hippolyta_play::Level;
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};

use crate::error::RunError;
use crate::history::{foreign, put, unsealed};
use crate::keys::{self, name_of};
use crate::manifest::{FileRef, ModelRef, Rated};
use crate::sealed::seal;
use crate::seats::Seat;
use crate::standings::Standings;
use crate::work::Run;

/// Sets the ratings' seeds apart from those of other stages.
const SEED_RATING: u64 = u64::from_be_bytes(*b"--rating");

/// The classical program's name in reports.
const CLASSICAL: &str = "classical";
/// Pairs against an opponent that is chosen by what it tells, before the next choice.
const BATCH: u64 = 4;

/// The report of a generation's matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RatingReport {
    /// The generation whose network was the champion.
    pub champion: u32,
    /// The generation after which it was rated.
    pub generation: u32,
    /// The boards played on, as in `6x6`, in turn.
    pub boards: Vec<String>,
    /// Pairs that the champion lost, split and won, by opponent.
    pub pairs: BTreeMap<String, PairCounts>,
}

impl RatingReport {
    /// The champion's share of the games against each opponent that is no network.
    pub fn scores(&self) -> BTreeMap<String, f64> {
        self.fixed().map(|(name, pairs)| (name.to_owned(), pairs.score())).collect()
    }

    /// The matches against opponents that are no networks, and so the same in all generations.
    pub fn fixed(&self) -> impl Iterator<Item = (&str, PairCounts)> {
        let is_fixed = |name: &str| name == CLASSICAL || name.parse::<Level>().is_ok();
        self.pairs.iter().map(|(name, pairs)| (name.as_str(), *pairs)).filter(move |(name, _)| is_fixed(name))
    }
}

/// Rates the champion of a generation if that is due, or finds the report.
pub(crate) fn rate(
    run: &Run<'_>,
    champion: &ModelRef,
    gate: Option<&GateReport>,
) -> Result<(Rated, Option<RatingReport>), RunError> {
    let generation = run.generation();
    let mut standings = Standings::of(&run.history, &run.config.selfplay.boards);
    standings.add_gate(gate, &run.config.selfplay.boards);
    let report = if run.config.rating.is_due(generation) {
        Some(climb(run, &keys::rating(generation), generation, champion, &standings)?)
    } else {
        None
    };
    let (report, file) = report.unzip();
    Ok((rated(&mut standings, champion, report.as_ref(), file), report))
}

/// What a champion's rating is with its report, if it has one.
pub(crate) fn rated(
    standings: &mut Standings,
    champion: &ModelRef,
    report: Option<&RatingReport>,
    file: Option<FileRef>,
) -> Rated {
    standings.add_report(report);
    let rating = standings.rating(&name_of(champion.generation));
    Rated {
        report: file,
        scores: report.map(RatingReport::scores).unwrap_or_default(),
        elo: rating.map(|rating| rating.elo),
        elo_interval: rating.map(|rating| rating.interval),
    }
}

/// Plays the matches that rate a champion after `generation` and keeps the report, or finds it.
pub(crate) fn climb(
    run: &Run<'_>,
    key: &str,
    generation: u32,
    champion: &ModelRef,
    standings: &Standings,
) -> Result<(RatingReport, FileRef), RunError> {
    let boards: Vec<String> = run.config.selfplay.boards.lasting().iter().map(Board::to_string).collect();
    if let Some(bytes) = run.store().get(key)? {
        let report: RatingReport = unsealed(run.store(), key, &bytes)?;
        if (report.champion, report.generation, &report.boards) != (champion.generation, generation, &boards)
        {
            return Err(foreign(run.store(), key, "it is of another network or generation").into());
        }
        return Ok((report, put(run.store(), key, &bytes)?));
    }
    let section = &run.config.rating;
    let mut climb = Climb::new(run, generation, champion, standings)?;
    let usual = [Level::Easy, Level::Medium, Level::Hard].map(Opponent::Level);
    for opponent in usual.into_iter().chain([Opponent::Classical]) {
        climb.play(opponent, section.games / 2)?;
    }
    let everybody = opponents(run, generation, champion);
    let mut left = section.informed_games / 2;
    while left > 0 {
        let pairs = left.min(BATCH);
        climb.play(climb.most_telling(&everybody), pairs)?;
        left -= pairs;
    }
    let file = put(run.store(), key, &seal(&climb.report))?;
    Ok((climb.report, file))
}

/// Someone whom a champion is measured against.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Opponent {
    Level(Level),
    Classical,
    /// The champion of an earlier generation.
    Champion(u32),
}

impl Opponent {
    fn name(self) -> String {
        match self {
            Opponent::Level(level) => level.name().to_owned(),
            Opponent::Classical => CLASSICAL.to_owned(),
            Opponent::Champion(generation) => name_of(generation),
        }
    }

    /// Sets the opponents' games apart from each other.
    fn seed(self) -> u64 {
        match self {
            Opponent::Level(level) => level as u64,
            Opponent::Classical => Level::ALL.len() as u64,
            Opponent::Champion(generation) => 0x100 + u64::from(generation),
        }
    }
}

/// All opponents of a champion: the fixed ones, and the champions that were rated before.
fn opponents(run: &Run<'_>, generation: u32, champion: &ModelRef) -> Vec<Opponent> {
    let mut opponents: Vec<Opponent> = Level::ALL.into_iter().map(Opponent::Level).collect();
    opponents.push(Opponent::Classical);
    for (_, report) in run.history.ratings().range(..generation) {
        let opponent = Opponent::Champion(report.champion);
        if report.champion != champion.generation && !opponents.contains(&opponent) {
            opponents.push(opponent);
        }
    }
    opponents
}

/// A champion's matches in a generation.
struct Climb<'a> {
    run: &'a Run<'a>,
    generation: u32,
    name: String,
    network: Seat,
    /// All matches before these.
    standings: &'a Standings,
    seed: u64,
    /// The boards' openings, for all opponents the same; the boards take turns.
    sources: Vec<Openings>,
    openings: Vec<Opening>,
    report: RatingReport,
}

impl<'a> Climb<'a> {
    fn new(
        run: &'a Run<'a>,
        generation: u32,
        champion: &ModelRef,
        standings: &'a Standings,
    ) -> Result<Climb<'a>, RunError> {
        let name = name_of(champion.generation);
        let network = Seat::network(&name, &*run.model(champion)?)?;
        let seed = derive(run.config.run.seed, &[SEED_RATING, u64::from(generation)]);
        let plies = run.config.rating.opening_plies;
        let mut sources = Vec::new();
        let boards = run.config.selfplay.boards.lasting();
        for (index, board) in boards.iter().copied().enumerate() {
            sources.push(Openings::new(board, plies, derive(seed, &[0, index as u64]))?);
        }
        let boards = boards.iter().map(Board::to_string).collect();
        let report =
            RatingReport { champion: champion.generation, generation, boards, pairs: BTreeMap::new() };
        let openings = Vec::new();
        Ok(Climb { run, generation, name, network, standings, seed, sources, openings, report })
    }

    /// Plays so many pairs more against an opponent, and enters them in the report.
    fn play(&mut self, opponent: Opponent, pairs: u64) -> Result<(), RunError> {
        let run = self.run;
        let name = opponent.name();
        let before = self.report.pairs.get(&name).copied().unwrap_or_default();
        let (skip, end) = (before.pairs() as usize, (before.pairs() + pairs) as usize);
        let boards = self.report.boards.join(", ");
        let work = format!("generation {} against {name} on {boards}", self.generation);
        let task = run.tools.observer.task(&work, "games", 2 * pairs);
        while self.openings.len() < end {
            task.wait_for_openings(self.openings.len(), end);
            let source = self.openings.len() % self.sources.len();
            self.openings.extend(self.sources[source].take(1)?);
        }
        let opponent_seat = seat_of(run, opponent)?;
        let (make_network, make_opponent) = (|| self.network.seat(), || opponent_seat.seat());
        let setup = Match {
            a: Contestant { name: &self.name, make: &make_network },
            b: Contestant { name: &name, make: &make_opponent },
            openings: &self.openings[..end],
            skip,
            rules: GameRules { visits: Some(run.config.rating.visits), time: None, adjudicate: false },
            sprt: None,
            seed: derive(self.seed, &[1, opponent.seed()]),
            threads: run.threads,
        };
        let mut listen = |score: &MatchScore| {
            task.set(score.counts.games(), &|| format!("score {:.3}", score.counts.score()));
        };
        let result = play_match(&setup, &|| run.is_stopped(), &mut listen)?;
        if result.interrupted {
            return Err(run.interrupted());
        }
        self.report.pairs.insert(name, before.plus(result.score.counts));
        Ok(())
    }

    /// The opponent whose next game tells most about the champion, by all that is known so far.
    fn most_telling(&self, opponents: &[Opponent]) -> Opponent {
        let mut standings = self.standings.clone();
        standings.add_report(Some(&self.report));
        let numbers: Vec<usize> =
            opponents.iter().map(|opponent| standings.enter(&opponent.name())).collect();
        let champion = standings.enter(&self.name);
        let best = standings.ratings().next_opponent(champion, &numbers).expect("there are opponents");
        let place = numbers.iter().position(|number| *number == best).expect("one of them was chosen");
        opponents[place]
    }
}

/// How an opponent is seated.
fn seat_of(run: &Run<'_>, opponent: Opponent) -> Result<Seat, RunError> {
    Ok(match opponent {
        Opponent::Level(level) => Seat::Level(level),
        Opponent::Classical => Seat::Classical(run.config.rating.classical_visits),
        Opponent::Champion(generation) => {
            Seat::network(&opponent.name(), &*run.model(run.champion_of(generation))?)?
        }
    })
}

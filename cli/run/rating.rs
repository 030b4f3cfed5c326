//! How strong the champions are: their matches against levels, the classical program and earlier champions.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;

use anyhow::Context as _;
use hippolyta_eval::{Contestant, GameRules, Match, MatchScore, Opening, Openings, PairCounts, play_match};
use hippolyta_game::{Board, Position};
use hippolyta_play::{Choice, ClassicalPlayer, Level, Limits, Player, PlayerError};
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};

use crate::interrupt;
use crate::players::Seatable;
use crate::run::directory::{RunDirectory, name_of, remove};
use crate::run::standings::Standings;
use crate::run::{Run, SEED_RATING};

/// The classical program's name in reports.
const CLASSICAL: &str = "classical";
/// Pairs against an opponent that is chosen by what it tells, before the next choice.
const BATCH: u64 = 4;

/// The report of a generation's matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RatingReport {
    /// The generation whose network was the champion.
    pub(crate) champion: u32,
    /// The boards played on, as in `6x6`, in turn; files of earlier versions do not say.
    #[serde(default)]
    pub(crate) boards: Vec<String>,
    /// Pairs that the champion lost, split and won, by opponent.
    pub(crate) pairs: BTreeMap<String, PairCounts>,
}

impl RatingReport {
    /// The champion's share of the games against each opponent that is no network.
    pub(crate) fn scores(&self) -> BTreeMap<String, f64> {
        self.fixed().map(|(name, pairs)| (name.to_owned(), pairs.score())).collect()
    }

    /// The matches against opponents that are no networks, and so the same in all generations.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = (&str, PairCounts)> {
        let is_fixed = |name: &str| name == CLASSICAL || name.parse::<Level>().is_ok();
        self.pairs.iter().map(|(name, pairs)| (name.as_str(), *pairs)).filter(move |(name, _)| is_fixed(name))
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

    fn write(&self, directory: &RunDirectory, generation: u32) -> anyhow::Result<()> {
        let path = directory.rating(generation);
        hippolyta_files::write_json(&path, self)
            .with_context(|| format!("{} cannot be written", path.display()))
    }
}

/// Rates the champion of a generation if that is due, or finds the report. A report of a network that has lost its
/// place in a match since then gives way to one of the champion.
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
        if report.champion == champion {
            return Ok(Some(report));
        }
        // What is rated anew is not to be measured by what goes.
        remove(&run.directory.rating(generation))?;
    }
    let section = &run.config.rating;
    if !(section.is_due(generation) || is_last) {
        return Ok(None);
    }
    let mut climb = Climb::new(run, generation, champion)?;
    let usual = [Level::Easy, Level::Medium, Level::Hard].map(Opponent::Level);
    for opponent in usual.into_iter().chain([Opponent::Classical]) {
        climb.play(opponent, section.games / 2)?;
    }
    let everybody = opponents(run, generation, champion)?;
    let mut left = section.informed_games / 2;
    while left > 0 {
        let pairs = left.min(BATCH);
        climb.play(climb.most_telling(&everybody)?, pairs)?;
        left -= pairs;
    }
    climb.report.write(&run.directory, generation)?;
    Ok(Some(climb.report))
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
fn opponents(run: &Run, generation: u32, champion: u32) -> anyhow::Result<Vec<Opponent>> {
    let mut opponents: Vec<Opponent> = Level::ALL.into_iter().map(Opponent::Level).collect();
    opponents.push(Opponent::Classical);
    for earlier in 1..generation {
        let Some(report) = RatingReport::read(&run.directory, earlier)? else { continue };
        let opponent = Opponent::Champion(report.champion);
        if report.champion != champion && !opponents.contains(&opponent) {
            opponents.push(opponent);
        }
    }
    Ok(opponents)
}

/// The classical program with a limit of its own, instead of the network's visits.
struct Classical {
    player: ClassicalPlayer,
    visits: u64,
}

impl Player for Classical {
    fn name(&self) -> &str {
        self.player.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.player.new_game(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        self.player.choose(position, &Limits { visits: Some(self.visits), ..*limits })
    }
}

/// A champion's matches in a generation.
struct Climb<'a> {
    run: &'a Run,
    generation: u32,
    name: String,
    network: Seatable,
    seed: u64,
    /// The boards' openings, for all opponents the same; the boards take turns.
    sources: Vec<Openings>,
    openings: Vec<Opening>,
    report: RatingReport,
}

impl Climb<'_> {
    fn new(run: &Run, generation: u32, champion: u32) -> anyhow::Result<Climb<'_>> {
        let name = name_of(champion);
        let network = Seatable::network(&name, &run.directory.model(champion))?;
        let seed = derive(run.config.run.seed, &[SEED_RATING, u64::from(generation)]);
        let plies = run.config.rating.opening_plies;
        let mut sources = Vec::new();
        let boards = run.config.selfplay.boards.lasting();
        for (index, board) in boards.iter().copied().enumerate() {
            sources.push(Openings::new(board, plies, derive(seed, &[0, index as u64]))?);
        }
        let boards = boards.iter().map(Board::to_string).collect();
        let report = RatingReport { champion, boards, pairs: BTreeMap::new() };
        Ok(Climb { run, generation, name, network, seed, sources, openings: Vec::new(), report })
    }

    /// Plays so many pairs more against an opponent, and enters them in the report.
    fn play(&mut self, opponent: Opponent, pairs: u64) -> anyhow::Result<()> {
        let run = self.run;
        let name = opponent.name();
        let before = self.report.pairs.get(&name).copied().unwrap_or_default();
        let (skip, end) = (usize::try_from(before.pairs())?, usize::try_from(before.pairs() + pairs)?);
        let boards = self.report.boards.join(", ");
        let work = format!("generation {} against {name} on {boards}", self.generation);
        let task = run.progress.task(&work, "games", 2 * pairs);
        while self.openings.len() < end {
            task.wait_for_openings(self.openings.len(), end);
            let source = self.openings.len() % self.sources.len();
            self.openings.extend(self.sources[source].take(1)?);
        }
        let make_network = || self.network.seat_boxed();
        let make_opponent = maker(run, opponent)?;
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
            task.set(score.counts.games(), || format!("score {:.3}", score.counts.score()));
        };
        let result = play_match(&setup, &interrupt::asked, &mut listen)?;
        if result.interrupted {
            return Err(run.interrupted());
        }
        self.report.pairs.insert(name, before.plus(result.score.counts));
        Ok(())
    }

    /// The opponent whose next game tells most about the champion, by all that is known so far.
    fn most_telling(&self, opponents: &[Opponent]) -> anyhow::Result<Opponent> {
        let mut standings = Standings::new();
        standings.add_run(&self.run.directory, &self.run.config.selfplay.boards, self.generation)?;
        standings.add_report(&self.report);
        let numbers: Vec<usize> =
            opponents.iter().map(|opponent| standings.enter(&opponent.name())).collect();
        let champion = standings.enter(&self.name);
        let best = standings.ratings().next_opponent(champion, &numbers).context("there are opponents")?;
        let place = numbers.iter().position(|number| *number == best).context("one of them was chosen")?;
        Ok(opponents[place])
    }
}

type Maker = Box<dyn Fn() -> Result<Box<dyn Player>, Box<dyn Error + Send + Sync>> + Sync>;

/// How an opponent is made.
fn maker(run: &Run, opponent: Opponent) -> anyhow::Result<Maker> {
    let seatable = match opponent {
        Opponent::Level(level) => Seatable::Level(level),
        Opponent::Champion(generation) => {
            Seatable::network(&opponent.name(), &run.directory.model(generation))?
        }
        Opponent::Classical => {
            let visits = run.config.rating.classical_visits;
            return Ok(Box::new(move || Ok(Box::new(Classical { player: ClassicalPlayer::new(), visits }))));
        }
    };
    Ok(Box::new(move || seatable.seat_boxed()))
}

//! The gate: a candidate takes the champion's place when a match shows that it is stronger.

use crate::arena::{Contestant, GameRules, Match, MatchError, MatchScore, play_match};
use crate::openings::{MOST_OPENING_PLIES, Opening, Openings, OpeningsError};
use crate::pairs::{MOST_GAMES, PairCounts};
use crate::sprt::{Sprt, SprtConfig, SprtError, SprtReport, SprtVerdict};
use hippolyta_game::Board;
use hippolyta_play::Limits;
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};

/// How candidates are tried.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateConfig {
    /// Cap on the games of a match, an even number. A candidate that has not passed by then is turned away.
    pub max_games: u64,
    /// Random plies at the start of each pair of games.
    pub opening_plies: u32,
    /// The most positions a player may visit for a move.
    pub visits: u64,
    /// What the candidate has to show.
    pub sprt: SprtConfig,
}

/// Why a gate match could not be played.
#[derive(Debug, thiserror::Error)]
pub enum GateError {
    /// A number that a [`GateConfig`] cannot have.
    #[error("gate.terms.{key} = {value}: must be {allowed}")]
    Value {
        /// The key.
        key: &'static str,
        /// What it was set to.
        value: u64,
        /// What it may be.
        allowed: String,
    },
    /// The test's bounds or rates make no test.
    #[error("gate.terms.sprt: {0}")]
    Sprt(#[from] SprtError),
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// The match could not be played.
    #[error(transparent)]
    Match(#[from] MatchError),
}

impl GateConfig {
    /// Checks the values and gives the test.
    ///
    /// # Errors
    /// The first value that makes no sense.
    pub fn check(&self) -> Result<Sprt, GateError> {
        let fault = |key, value, allowed| Err(GateError::Value { key, value, allowed });
        if !(2..=MOST_GAMES).contains(&self.max_games) || !self.max_games.is_multiple_of(2) {
            return fault("max_games", self.max_games, format!("an even number from 2 to {MOST_GAMES}"));
        }
        if self.opening_plies > MOST_OPENING_PLIES {
            return fault(
                "opening_plies",
                self.opening_plies.into(),
                format!("at most {MOST_OPENING_PLIES}"),
            );
        }
        if !(1..=Limits::MOST_VISITS).contains(&self.visits) {
            return fault("visits", self.visits, format!("from 1 to {}", Limits::MOST_VISITS));
        }
        Ok(Sprt::new(self.sprt)?)
    }
}

/// A gate match.
#[derive(Clone, Copy, Debug)]
pub struct Gate<'a> {
    /// Who wants the champion's place.
    pub candidate: Contestant<'a>,
    /// Who has it.
    pub champion: Contestant<'a>,
    /// The boards to play on, at least one, in turn.
    pub boards: &'a [Board],
    /// The match's terms.
    pub config: GateConfig,
    /// Decides openings and players' seeds.
    pub seed: u64,
    /// Games at a time.
    pub threads: usize,
}

/// What came of a gate match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GateReport {
    /// Who wanted the champion's place.
    pub candidate: String,
    /// Who had it.
    pub champion: String,
    /// Whether the candidate takes it.
    pub accepted: bool,
    /// Pairs that the candidate lost, split and won.
    pub pairs: PairCounts,
    /// The candidate's share of the games.
    pub score: f64,
    /// How much stronger the candidate is.
    pub elo: f64,
    /// 95 % interval of `elo`.
    pub elo_interval: [f64; 2],
    /// The test at the match's end; open when the cap on games ended it.
    pub sprt: SprtReport,
    /// Games that the candidate forfeited.
    pub forfeits_candidate: u64,
    /// Games that the champion forfeited.
    pub forfeits_champion: u64,
    /// The boards played on, as in `6x6`.
    pub boards: Vec<String>,
    /// The seed of openings and players.
    pub seed: u64,
    /// The match's terms.
    pub config: GateConfig,
}

impl Gate<'_> {
    /// Plays the match, on `threads` threads with the same result for any number of them. `drawn` hears how many of the
    /// match's openings there are, before each is drawn; then `progress` hears the score after each pair. `None` when
    /// `interrupted` said so before the end; nothing is decided then.
    ///
    /// # Errors
    /// When the config makes no sense, openings run out or a player cannot be made.
    ///
    /// # Panics
    /// When there is no board.
    pub fn play(
        &self,
        interrupted: &(dyn Fn() -> bool + Sync),
        drawn: &mut dyn FnMut(usize),
        progress: &mut (dyn FnMut(&MatchScore) + Send),
    ) -> Result<Option<GateReport>, GateError> {
        let sprt = self.config.check()?;
        let openings = self.openings(drawn)?;
        let setup = Match {
            a: self.candidate,
            b: self.champion,
            openings: &openings,
            skip: 0,
            rules: GameRules { visits: Some(self.config.visits), time: None, adjudicate: true },
            sprt: Some(sprt),
            seed: derive(self.seed, &[1]),
            threads: self.threads,
        };
        let result = play_match(&setup, interrupted, progress)?;
        if result.interrupted {
            return Ok(None);
        }
        let counts = result.score.counts;
        let report = sprt.report(counts);
        Ok(Some(GateReport {
            candidate: self.candidate.name.to_owned(),
            champion: self.champion.name.to_owned(),
            accepted: report.verdict == SprtVerdict::Passed,
            pairs: counts,
            score: counts.score(),
            elo: counts.elo(),
            elo_interval: counts.elo_interval(),
            sprt: report,
            forfeits_candidate: result.score.forfeits[0],
            forfeits_champion: result.score.forfeits[1],
            boards: self.boards.iter().map(Board::to_string).collect(),
            seed: self.seed,
            config: self.config,
        }))
    }

    /// An opening for each pair, the boards taking turns.
    fn openings(&self, drawn: &mut dyn FnMut(usize)) -> Result<Vec<Opening>, OpeningsError> {
        assert!(!self.boards.is_empty(), "a gate match needs a board");
        let pairs = (self.config.max_games / 2) as usize;
        let per_board = pairs.div_ceil(self.boards.len());
        let mut columns = Vec::new();
        for (index, board) in self.boards.iter().enumerate() {
            let seed = derive(self.seed, &[0, index as u64]);
            let mut openings = Openings::new(*board, self.config.opening_plies, seed)?;
            columns.push(openings.take_watched(per_board, &mut |here| drawn(index * per_board + here))?);
        }
        Ok((0..pairs).map(|pair| columns[pair % columns.len()][pair / columns.len()].clone()).collect())
    }
}

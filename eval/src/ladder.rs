//! A ladder: any number of players, rated by the games that tell most about them.

use crate::arena::{Contestant, GameRules, Match, MatchError, play_match};
use crate::openings::{Opening, Openings, OpeningsError};
use crate::pairs::PairCounts;
use crate::rating::{Ratings, Results};
use hippolyta_game::Board;
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pairs that are played before the next pairing is chosen.
const BATCH: usize = 8;

/// What all games of a ladder have in common; results under other conditions do not mix with them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LadderConditions {
    /// The board's side in squares: 6, 8 or 10.
    pub size: u8,
    /// Random plies at the start of each pair of games.
    pub opening_plies: u32,
    /// The most positions a player may visit for a move, if limited.
    pub visits: Option<u64>,
    /// Milliseconds a player may think about a move, if limited.
    pub time_ms: Option<u64>,
    /// Decides openings and players' seeds.
    pub seed: u64,
}

/// Why a ladder could not go on.
#[derive(Debug, thiserror::Error)]
pub enum LadderError {
    /// No such board.
    #[error("a ladder needs a board of 6, 8 or 10 squares a side, got {0}")]
    Size(u8),
    /// Saved results are of other games.
    #[error("the saved ladder was played under {saved:?}, not {wanted:?}: use another file")]
    Conditions {
        /// The conditions of the saved results.
        saved: LadderConditions,
        /// The conditions asked for.
        wanted: LadderConditions,
    },
    /// A saved pairing names a player that the file does not list, or a player twice.
    #[error("the saved ladder has a pairing of players {a} and {b}, of {players} players")]
    Pairing {
        /// One player's number.
        a: usize,
        /// The other's.
        b: usize,
        /// Players listed.
        players: usize,
    },
    /// There are not enough openings.
    #[error(transparent)]
    Openings(#[from] OpeningsError),
    /// A match could not be played.
    #[error(transparent)]
    Match(#[from] MatchError),
    /// A ladder could not be written or read.
    #[error("ladder {path}: {reason}")]
    File {
        /// The ladder's file.
        path: PathBuf,
        /// What went wrong.
        reason: io::Error,
    },
}

/// The pairs of two players, by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Pairing {
    a: usize,
    b: usize,
    /// Seen from `a`.
    pairs: PairCounts,
    /// Games that `a` and `b` forfeited.
    forfeits: [u64; 2],
}

/// Players and what they made of each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    conditions: LadderConditions,
    /// Names in the order of entry; the first is the anchor.
    players: Vec<String>,
    pairings: Vec<Pairing>,
}

/// A player's line in the table.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LadderRow {
    /// The player.
    pub name: String,
    /// Its rating; the anchor's is 0.
    pub elo: f64,
    /// 95 % interval of `elo`.
    pub elo_interval: [f64; 2],
    /// Games played.
    pub games: u64,
    /// Share of them that it won; 1/2 before the first.
    pub score: f64,
    /// Games that it forfeited.
    pub forfeits: u64,
}

impl Ladder {
    /// An empty ladder on which the player `anchor` is rated 0.
    ///
    /// # Errors
    /// When there is no board of that size.
    pub fn new(conditions: LadderConditions, anchor: &str) -> Result<Self, LadderError> {
        board(conditions.size)?;
        Ok(Self { conditions, players: vec![anchor.to_owned()], pairings: Vec::new() })
    }

    /// Goes on with the ladder in `path`, which must have been played under `conditions`.
    ///
    /// # Errors
    /// When the file cannot be read, is no ladder or is one of other games.
    pub fn read(path: &Path, conditions: LadderConditions) -> Result<Self, LadderError> {
        let ladder: Self = fs::read(path)
            .and_then(|text| Ok(serde_json::from_slice(&text)?))
            .map_err(|reason| LadderError::File { path: path.to_owned(), reason })?;
        if ladder.conditions != conditions {
            return Err(LadderError::Conditions { saved: ladder.conditions, wanted: conditions });
        }
        board(conditions.size)?;
        let players = ladder.players.len();
        match ladder.pairings.iter().find(|p| p.a >= players || p.b >= players || p.a == p.b) {
            Some(&Pairing { a, b, .. }) => Err(LadderError::Pairing { a, b, players }),
            None => Ok(ladder),
        }
    }

    /// Writes the ladder to `path`, whole or not at all.
    ///
    /// # Errors
    /// What the file system says.
    pub fn write(&self, path: &Path) -> Result<(), LadderError> {
        hippolyta_files::write_atomic(path, |out| -> io::Result<()> {
            serde_json::to_writer_pretty(&mut *out, self)?;
            out.write_all(b"\n")
        })
        .map_err(|reason| LadderError::File { path: path.to_owned(), reason })
    }

    /// Plays `pairs` more pairs between `contestants`, new ones and known ones, always between those two whose
    /// next game tells most. `saved` hears the ladder after each batch of a few pairs. The result does not
    /// depend on the number of threads, unless players are limited by time. Ends early, with the batches that
    /// were completed, once `interrupted` says so.
    ///
    /// # Errors
    /// When a player cannot be made, or a pairing has used up all openings.
    pub fn play(
        &mut self,
        contestants: &[Contestant<'_>],
        pairs: usize,
        threads: usize,
        interrupted: &(dyn Fn() -> bool + Sync),
        saved: &mut dyn FnMut(&Self),
    ) -> Result<(), LadderError> {
        let numbers: Vec<usize> = contestants.iter().map(|contestant| self.enter(contestant.name)).collect();
        let seat = |number: usize| {
            contestants[numbers.iter().position(|n| *n == number).expect("only contestants are paired")]
        };
        let mut left = pairs;
        while left > 0 && !interrupted() {
            let Some((a, b)) = self.ratings().next_pair(&numbers) else { break };
            let count = left.min(BATCH);
            let played = self.pairing(a, b).pairs.pairs();
            let openings = self.openings(a, b, played as usize, count)?;
            let setup = Match {
                a: seat(a),
                b: seat(b),
                openings: &openings,
                rules: GameRules {
                    visits: self.conditions.visits,
                    time: self.conditions.time_ms.map(Duration::from_millis),
                    adjudicate: false,
                },
                sprt: None,
                seed: derive(self.conditions.seed, &[1, a as u64, b as u64, played]),
                threads,
            };
            let result = play_match(&setup, interrupted, &mut |_| {})?;
            if result.interrupted {
                break;
            }
            let pairing = self.pairing(a, b);
            pairing.pairs = pairing.pairs.plus(result.score.counts);
            pairing.forfeits[0] += result.score.forfeits[0];
            pairing.forfeits[1] += result.score.forfeits[1];
            left -= count;
            saved(self);
        }
        Ok(())
    }

    /// The players from the strongest, with their ratings.
    pub fn table(&self) -> Vec<LadderRow> {
        let results = self.results();
        let ratings = self.ratings();
        let mut rows: Vec<LadderRow> = self
            .players
            .iter()
            .zip(ratings.all())
            .enumerate()
            .map(|(number, (name, rating))| {
                let wins: u64 = (0..self.players.len()).map(|other| results.wins(number, other)).sum();
                LadderRow {
                    name: name.clone(),
                    elo: rating.elo,
                    elo_interval: rating.interval,
                    games: rating.games,
                    score: if rating.games == 0 { 0.5 } else { wins as f64 / rating.games as f64 },
                    forfeits: self.pairings.iter().map(|pairing| pairing.forfeits_of(number)).sum(),
                }
            })
            .collect();
        rows.sort_by(|x, y| y.elo.total_cmp(&x.elo));
        rows
    }

    /// The number of the player `name`, which enters if it is new.
    fn enter(&mut self, name: &str) -> usize {
        self.players.iter().position(|player| player == name).unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        })
    }

    fn pairing(&mut self, a: usize, b: usize) -> &mut Pairing {
        let index = self.pairings.iter().position(|p| (p.a, p.b) == (a, b)).unwrap_or_else(|| {
            self.pairings.push(Pairing { a, b, pairs: PairCounts::default(), forfeits: [0, 0] });
            self.pairings.len() - 1
        });
        &mut self.pairings[index]
    }

    /// The openings number `from` to `from + count` of a pairing.
    fn openings(&self, a: usize, b: usize, from: usize, count: usize) -> Result<Vec<Opening>, LadderError> {
        let seed = derive(self.conditions.seed, &[0, a as u64, b as u64]);
        let mut openings = Openings::new(board(self.conditions.size)?, self.conditions.opening_plies, seed)?;
        Ok(openings.take(from + count)?.split_off(from))
    }

    fn results(&self) -> Results {
        let mut results = Results::new(self.players.len());
        for pairing in &self.pairings {
            results.add(pairing.a, pairing.b, pairing.pairs);
        }
        results
    }

    fn ratings(&self) -> Ratings {
        Ratings::fit(&self.results(), 0, 0.0)
    }
}

impl Pairing {
    fn forfeits_of(&self, player: usize) -> u64 {
        if player == self.a {
            self.forfeits[0]
        } else if player == self.b {
            self.forfeits[1]
        } else {
            0
        }
    }
}

fn board(size: u8) -> Result<Board, LadderError> {
    Board::PLAYED.into_iter().find(|board| board.files() == size).ok_or(LadderError::Size(size))
}

//! A ladder: any number of players, rated by the games that tell most about them.

mod saved;

use crate::arena::{Contestant, GameRules, Match, MatchScore, play_match};
use crate::openings::{Opening, Openings};
use crate::pairs::PairCounts;
use crate::rating::{Ratings, Results};
use hippolyta_search::seed::derive;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

pub use saved::{LadderConditions, LadderError};

/// Pairs that are played before the next pairing is chosen.
const BATCH: u64 = 8;

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

/// The pairing whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    a: usize,
    b: usize,
    /// Pairs still to be played, at least one.
    left: u64,
}

/// Players and what they made of each other.
///
/// Pair number k of any two players is played from the ladder's opening number k with seeds of its own. With the
/// turn that was begun kept too, a ladder that was stopped between any two pairs goes on as if it had not been,
/// unless time limits the players.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ladder {
    conditions: LadderConditions,
    /// Names in the order of entry.
    players: Vec<String>,
    pairings: Vec<Pairing>,
    /// The turn that was begun.
    batch: Option<Batch>,
}

/// A ladder in the form that programs read.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LadderReport {
    /// What all games had in common.
    #[serde(flatten)]
    pub conditions: LadderConditions,
    /// Games played.
    pub games: u64,
    /// The player that is rated 0.
    pub anchor: String,
    /// All players, from the strongest.
    pub players: Vec<LadderRow>,
    /// Who met whom.
    pub pairings: Vec<PairingRow>,
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

/// What two players made of each other.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PairingRow {
    /// The player whose pairs are counted.
    pub a: String,
    /// Its opponent.
    pub b: String,
    /// Pairs that A lost, split and won.
    pub pairs: PairCounts,
}

impl Ladder {
    /// An empty ladder.
    ///
    /// # Errors
    /// When there is no board of that size.
    pub fn new(conditions: LadderConditions) -> Result<Self, LadderError> {
        conditions.board()?;
        Ok(Self { conditions, players: Vec::new(), pairings: Vec::new(), batch: None })
    }

    /// The players in the order of their entry.
    pub fn players(&self) -> &[String] {
        &self.players
    }

    /// Pairs played so far.
    pub fn pairs(&self) -> u64 {
        self.pairings.iter().map(|pairing| pairing.pairs.pairs()).sum()
    }

    /// Plays between `contestants`, new ones and known ones, until the ladder holds `pairs` pairs: always between
    /// those two whose next game tells most. `drawn` hears how many of how many openings there are, before each is
    /// drawn: all those of a pairing that goes on are drawn anew. `saved` hears the ladder after each pair; where it
    /// fails the ladder stops. The result does not depend on the number of threads, unless players are limited by
    /// time. Ends early once `interrupted` says so; the pairs that were completed by then count.
    ///
    /// # Errors
    /// When there are not two players or one stands there twice, a player cannot be made, two players have used up
    /// all openings, or `saved` fails.
    pub fn play(
        &mut self,
        contestants: &[Contestant<'_>],
        pairs: u64,
        threads: usize,
        interrupted: &(dyn Fn() -> bool + Sync),
        drawn: &mut dyn FnMut(usize, usize),
        saved: &mut (dyn FnMut(&Self) -> Result<(), LadderError> + Send),
    ) -> Result<(), LadderError> {
        check(contestants)?;
        let numbers: Vec<usize> = contestants.iter().map(|contestant| self.enter(contestant.name)).collect();
        let seat = |number: usize| {
            contestants[numbers.iter().position(|n| *n == number).expect("only contestants are paired")]
        };
        let mut source =
            Openings::new(self.conditions.board()?, self.conditions.opening_plies, self.conditions.seed)?;
        let mut openings: Vec<Opening> = Vec::new();
        while self.pairs() < pairs && !interrupted() {
            let batch = self.turn(&numbers);
            let before = *self.pairing(batch.a, batch.b);
            let skip = before.pairs.pairs() as usize;
            let end = skip + batch.left.min(pairs - self.pairs()) as usize;
            if openings.len() < end {
                let before = openings.len();
                let mut drawn = |here| drawn(before + here, end);
                openings.extend(source.take_watched(end - before, &mut drawn)?);
            }
            let setup = Match {
                a: seat(batch.a),
                b: seat(batch.b),
                openings: &openings[..end],
                skip,
                rules: GameRules {
                    visits: self.conditions.visits,
                    time: self.conditions.time_ms.map(Duration::from_millis),
                    adjudicate: false,
                },
                sprt: None,
                seed: derive(self.conditions.seed, &[batch.a as u64, batch.b as u64]),
                threads,
            };
            let (mut failure, failed) = (None, AtomicBool::new(false));
            let mut count = |score: &MatchScore| {
                self.count(batch, before, score);
                if let (None, Err(error)) = (&failure, saved(self)) {
                    failure = Some(error);
                    failed.store(true, Ordering::Relaxed);
                }
            };
            play_match(&setup, &|| failed.load(Ordering::Relaxed) || interrupted(), &mut count)?;
            if let Some(failure) = failure {
                return Err(failure);
            }
        }
        Ok(())
    }

    /// The players from the strongest and what they made of each other, with `anchor` rated 0.
    ///
    /// # Errors
    /// When `anchor` is no player of the ladder.
    pub fn report(&self, anchor: &str) -> Result<LadderReport, LadderError> {
        let number = self.players.iter().position(|player| player == anchor);
        let number = number.ok_or_else(|| LadderError::Anchor(anchor.to_owned()))?;
        let results = self.results();
        let ratings = Ratings::fit(&results, number, 0.0);
        let row = |(number, rating): (usize, &crate::Rating)| {
            let wins: u64 = (0..self.players.len()).map(|other| results.wins(number, other)).sum();
            LadderRow {
                name: self.players[number].clone(),
                elo: rating.elo,
                elo_interval: rating.interval,
                games: rating.games,
                score: if rating.games == 0 { 0.5 } else { wins as f64 / rating.games as f64 },
                forfeits: self.pairings.iter().map(|pairing| pairing.forfeits_of(number)).sum(),
            }
        };
        let mut players: Vec<LadderRow> = ratings.all().iter().enumerate().map(row).collect();
        players.sort_by(|x, y| y.elo.total_cmp(&x.elo));
        let pairing = |p: &Pairing| PairingRow {
            a: self.players[p.a].clone(),
            b: self.players[p.b].clone(),
            pairs: p.pairs,
        };
        Ok(LadderReport {
            conditions: self.conditions,
            games: 2 * self.pairs(),
            anchor: anchor.to_owned(),
            players,
            pairings: self.pairings.iter().map(pairing).collect(),
        })
    }

    /// The number of the player `name`, which enters if it is new.
    fn enter(&mut self, name: &str) -> usize {
        self.players.iter().position(|player| player == name).unwrap_or_else(|| {
            self.players.push(name.to_owned());
            self.players.len() - 1
        })
    }

    /// The turn that was begun, if both its players are among `numbers`; otherwise the next one.
    fn turn(&mut self, numbers: &[usize]) -> Batch {
        let begun = self.batch.filter(|batch| [batch.a, batch.b].iter().all(|n| numbers.contains(n)));
        begun.unwrap_or_else(|| {
            // Whoever is the anchor, the distances between players are all but the same.
            let ratings = Ratings::fit(&self.results(), 0, 0.0);
            let (a, b) = ratings.next_pair(numbers).expect("there are two players");
            *self.batch.insert(Batch { a, b, left: BATCH })
        })
    }

    /// Enters the score of the match that began with `batch` when the pairing stood at `before`.
    fn count(&mut self, batch: Batch, before: Pairing, score: &MatchScore) {
        let pairing = self.pairing(batch.a, batch.b);
        pairing.pairs = before.pairs.plus(score.counts);
        for (forfeits, (old, new)) in
            pairing.forfeits.iter_mut().zip(before.forfeits.iter().zip(score.forfeits))
        {
            *forfeits = old + new;
        }
        let left = batch.left - score.counts.pairs();
        self.batch = (left > 0).then_some(Batch { left, ..batch });
    }

    fn pairing(&mut self, a: usize, b: usize) -> &mut Pairing {
        let index = self.pairings.iter().position(|p| (p.a, p.b) == (a, b)).unwrap_or_else(|| {
            self.pairings.push(Pairing { a, b, pairs: PairCounts::default(), forfeits: [0, 0] });
            self.pairings.len() - 1
        });
        &mut self.pairings[index]
    }

    fn results(&self) -> Results {
        let mut results = Results::new(self.players.len());
        for pairing in &self.pairings {
            results.add(pairing.a, pairing.b, pairing.pairs);
        }
        results
    }
}

/// Checks that there are two players, and each of them once.
fn check(contestants: &[Contestant<'_>]) -> Result<(), LadderError> {
    if contestants.len() < 2 {
        return Err(LadderError::Players(contestants.len()));
    }
    let mut names = HashSet::new();
    match contestants.iter().find(|contestant| !names.insert(contestant.name)) {
        Some(twice) => Err(LadderError::Twice(twice.name.to_owned())),
        None => Ok(()),
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

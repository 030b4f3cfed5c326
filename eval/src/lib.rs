//! Arena, gate, ladder and ratings.
//!
//! Matches are made of *pairs*: two games from one opening with colours swapped, so that the first
//! player's advantage cancels. All statistics count whole pairs, never single games.
//!
//! - [`pairs`]: how many pairs were lost, split and won; score, Elo and its interval.
//! - [`sprt`]: when a match has shown enough.
//! - [`rating`]: Bradley-Terry ratings of many players, and which pair to play next.
//! - [`openings`]: the distinct positions from which pairs are played.
//! - [`arena`]: a match between two players, on many threads with one result.
//! - [`gate`]: whether a candidate takes the champion's place.
//! - [`ladder`]: ratings of any number of players.

pub mod arena;
mod contestant;
mod game;
pub mod gate;
pub mod ladder;
mod likelihood;
pub mod openings;
pub mod pairs;
pub mod rating;
pub mod sprt;
#[cfg(test)]
mod testing;

pub use arena::{Contestant, GameRules, MakePlayer, Match, MatchReport, MatchResult, MatchScore, play_match};
pub use game::{Forfeit, PlayedGame};
pub use gate::{Gate, GateConfig, GateReport};
pub use ladder::{Ladder, LadderConditions, LadderError, LadderReport, LadderRow};
pub use openings::{MOST_OPENING_PLIES, Opening, Openings};
pub use pairs::{MOST_GAMES, PairCounts, PairOutcome};
pub use rating::{Rating, Ratings, Results};
pub use sprt::{EloModel, Sprt, SprtConfig, SprtReport, SprtVerdict};

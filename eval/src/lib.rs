//! Arena, gate, ladder and ratings.
//!
//! Matches are made of *pairs*: two games from one opening with colours swapped, so that the first
//! player's advantage cancels. All statistics count whole pairs, never single games.
//!
//! - [`pairs`]: how many pairs were lost, split and won; score, Elo and its interval.
//! - [`sprt`]: when a match has shown enough.
//! - [`rating`]: Bradley-Terry ratings of many players, and which pair to play next.

mod likelihood;
pub mod pairs;
pub mod rating;
pub mod sprt;
#[cfg(test)]
mod testing;

pub use pairs::{PairCounts, PairOutcome};
pub use rating::{Rating, Ratings};
pub use sprt::{EloModel, Sprt, SprtConfig, SprtReport, SprtVerdict};

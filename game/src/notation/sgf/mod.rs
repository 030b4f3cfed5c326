//! SGF (`FF[4]`, `GM[18]`), and the dialect of Little Golem.
//!
//! In SGF the first player is Black and the upper left corner is aa. In Little Golem's files White begins, and moves
//! are written as people write them.

mod read;
mod setup;
mod tree;
mod write;

pub(super) use read::{begins_a_game, behind, find, read};
pub(super) use write::{write, write_little_golem};

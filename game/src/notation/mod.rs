//! Whole games as text, in every dialect that sites and contests write.
//!
//! | dialect | first player | a move | start |
//! |---|---|---|---|
//! | [`Dialect::Text`] | White | `d1-d7/g7` | any, as a FEN |
//! | [`Dialect::Sgf`] | Black, at the bottom | `djddgd`, ranks from the top | any |
//! | [`Dialect::LittleGolem`] | White | `d1-d7/g7` inside SGF without GM | the board's own, by the first move |
//! | [`Dialect::Contest`] | - | `d1d7(g7)`, two a line | the board's own, by the first move |
//! | [`Dialect::Botzone`] | at the top | `3 0 3 6 6 6`, ranks from the first player's edge | the board's own, by the first move |
//! | [`Dialect::Sau`] | Black | `DJDDGD`, ranks from the top of a 10x10 board | that of 10x10 |
//!
//! No library reads SGF here: of its grammar only nodes, properties and escapes matter, no library knows the properties
//! of Amazons, and a flat tree of our own bounds what hostile text can cost. Every reader takes time linear in its
//! text.

mod botzone;
mod characters;
mod contest;
mod encoding;
mod ending;
mod games;
mod heads;
mod letters;
mod property;
mod sau;
mod sgf;
mod text;
mod transcript;

pub use botzone::{move_from_numbers, move_to_numbers};
pub use encoding::{NotUtf8, decode};
pub use letters::{move_from_letters, move_to_letters};
pub use property::Property;
pub use transcript::{Dialect, Ply, Transcript, TranscriptError};

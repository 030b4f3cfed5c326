//! Line protocols as state machines: a line comes in, orders go out. Whoever runs one reads and writes the lines,
//! thinks with a [`Player`](crate::Player) when told to, and hands the choice back.

mod botzone;
mod go;
mod sau;
#[cfg(test)]
mod testing;
mod uci;
mod uci_client;

use std::time::Duration;

use hippolyta_game::{Move, Position};

pub use botzone::Botzone;
pub use sau::Sau;
pub use uci::Uci;
pub use uci_client::{Heard, UciClient};

use crate::player::Choice;

/// What the program around a protocol has to do, in the order given.
#[derive(Clone, Debug, PartialEq)]
pub enum Order {
    /// Write this line.
    Say(String),
    /// Write this line once the player is at hand and all settings have taken effect, which may take a file's reading.
    Ready(String),
    /// Forget the game before: [`Player::new_game`](crate::Player::new_game).
    NewGame,
    /// Change a setting; takes effect before the next [`Order::Think`].
    Set(Setting),
    /// Choose a move and hand it to [`Protocol::chosen`]. Lines may be handed in meanwhile.
    Think(Think),
    /// Answer now: the player's [`Limits::stop`](crate::Limits::stop) must say yes.
    Stop,
    /// End the program.
    Quit,
}

/// A position to think about, and for how long.
#[derive(Clone, Debug, PartialEq)]
pub struct Think {
    /// The position; its side to move has a legal move.
    pub position: Position,
    /// The most positions to visit.
    pub visits: Option<u64>,
    /// The most plies to look ahead.
    pub depth: Option<u32>,
    /// The moves to choose from, each of them legal; all legal moves when empty.
    pub among: Vec<Move>,
    /// The most time to take, with what it takes to answer already taken off.
    pub time: Option<Duration>,
    /// Whether to go on until [`Order::Stop`], even when nothing is left to find.
    pub infinite: bool,
    /// The lines that are wanted, at least 1.
    pub lines: usize,
}

impl Think {
    /// A thought about the best line that only time limits.
    pub(crate) fn for_time(position: Position, time: Duration) -> Think {
        let (visits, depth, among) = (None, None, Vec::new());
        Think { position, visits, depth, among, time: Some(time), infinite: false, lines: 1 }
    }
}

/// A setting of the engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Who plays: random, easy, medium, hard, classical, insane, or as the engine was told at its start.
    Level(String),
    /// The network's file; empty for what the engine was started with.
    ModelFile(String),
    /// Memory for tables, in MiB.
    Hash(usize),
    /// The seed of the next game.
    Seed(u64),
}

/// A line protocol. No line makes it panic; one that it cannot take gets an answer that says so.
pub trait Protocol {
    /// Takes a line, without its end.
    fn line(&mut self, line: &str) -> Vec<Order>;

    /// Takes the choice that an [`Order::Think`] asked for and the time it took. A choice that nobody asked for is
    /// dropped.
    fn chosen(&mut self, choice: &Choice, spent: Duration) -> Vec<Order>;

    /// Takes what the player would choose so far; nothing needs to be said of it.
    fn considered(&mut self, _choice: &Choice, _spent: Duration) -> Vec<Order> {
        Vec::new()
    }

    /// Takes the reason, in one line, why an [`Order::Think`] has come to no choice. One that nobody asked for is
    /// dropped.
    fn failed(&mut self, reason: &str) -> Vec<Order>;
}

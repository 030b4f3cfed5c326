//! Matches, gates and ladders between real players.

mod arena;
mod gate;
mod ladder;
mod players;

//! Bounds on numbers that are hard to find.

/// Sound bounds on a number of moves: it is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The moves that are sure.
    pub low: u32,
    /// The moves that are possible.
    pub high: u32,
}

impl Bounds {
    /// The bounds of a known number.
    pub const fn exactly(moves: u32) -> Bounds {
        Bounds { low: moves, high: moves }
    }
}

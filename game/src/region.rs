//! Regions: parts of the board that arrows have cut off from each other.

use crate::bitboard::Bitboard;
use crate::position::Position;
use crate::side::Side;

/// A largest set of empty squares and amazons connected by king steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region {
    /// Its empty squares.
    pub empty: Bitboard,
    /// The amazons in it, of White and of Black.
    pub amazons: [Bitboard; 2],
}

impl Region {
    /// The only side with amazons here; `None` when both or neither have one.
    pub fn owner(&self) -> Option<Side> {
        match self.amazons.map(Bitboard::is_empty) {
            [false, true] => Some(Side::White),
            [true, false] => Some(Side::Black),
            _ => None,
        }
    }

    /// Whether both sides have amazons here.
    pub fn is_contested(&self) -> bool {
        self.amazons.iter().all(|amazons| !amazons.is_empty())
    }
}

/// The regions of a position, from the lowest square.
#[derive(Clone, Debug)]
pub struct Regions {
    amazons: [Bitboard; 2],
    rest: Bitboard,
}

impl Position {
    /// The regions of the board.
    pub fn regions(&self) -> Regions {
        Regions::of(Side::ALL.map(|side| self.amazons(side)), self.empty())
    }
}

impl Regions {
    /// The regions made by these amazons and empty squares.
    pub(crate) fn of(amazons: [Bitboard; 2], empty: Bitboard) -> Regions {
        Regions { amazons, rest: empty | amazons[0] | amazons[1] }
    }
}

impl Iterator for Regions {
    type Item = Region;

    fn next(&mut self) -> Option<Region> {
        let all = Bitboard::of(self.rest.first()?).flooded(self.rest);
        self.rest = self.rest - all;
        let amazons = self.amazons.map(|set| set & all);
        Some(Region { empty: all - amazons[0] - amazons[1], amazons })
    }
}

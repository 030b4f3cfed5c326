//! Territory: how many moves each side can still make by itself, and who has won because of it.

use crate::bitboard::Bitboard;
use crate::bounds::Bounds;
use crate::fill::Filler;
use crate::position::Position;
use crate::side::Side;

/// What a position's regions say of the rest of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territory {
    /// Bounds on the moves that White and Black can make in the regions that are theirs alone.
    pub moves: [Bounds; 2],
    /// The empty squares of regions that hold amazons of both sides: neither side can make more moves there.
    pub contested: u32,
}

impl Territory {
    /// The winner with `side` to move, when the bounds decide it: a side that has more sure moves of its own than
    /// the other can ever make wins, and with as many the one that moves second.
    pub fn winner(&self, side: Side) -> Option<Side> {
        let own = self.moves[side.index()];
        let other = self.moves[(!side).index()];
        if own.low > other.high + self.contested {
            Some(side)
        } else if other.low >= own.high + self.contested {
            Some(!side)
        } else {
            None
        }
    }
}

/// Counts territory. Remembers regions, so that the positions of one game cost little after the first; what it
/// remembers never changes an answer.
#[derive(Clone, Debug)]
pub struct TerritoryCounter {
    filler: Filler,
    /// A direct-mapped cache of regions.
    regions: Box<[(Bitboard, Bitboard, Bounds)]>,
}

impl TerritoryCounter {
    /// Search nodes a region that are enough for all but a few regions of real games.
    pub const BUDGET: u32 = 300;
    const CACHE_BITS: u32 = 10;

    /// A counter that spends at most `budget` search nodes on a region; bounds stay apart where that is not enough.
    pub fn new(budget: u32) -> TerritoryCounter {
        let nothing = (Bitboard::EMPTY, Bitboard::EMPTY, Bounds::default());
        TerritoryCounter {
            filler: Filler::new(budget),
            regions: vec![nothing; 1 << TerritoryCounter::CACHE_BITS].into_boxed_slice(),
        }
    }

    /// Counts the territory of both sides.
    pub fn count(&mut self, position: &Position) -> Territory {
        let mut territory = Territory { moves: [Bounds::default(); 2], contested: 0 };
        for region in position.regions() {
            if let Some(owner) = region.owner() {
                let bounds = self.bounds(region.amazons[owner.index()], region.empty);
                let moves = &mut territory.moves[owner.index()];
                moves.low += bounds.low;
                moves.high += bounds.high;
            } else if region.is_contested() {
                territory.contested += region.empty.count();
            }
        }
        territory
    }

    /// The side that wins with best play, when counting territory proves it; never wrong, but silent as long as
    /// the bounds decide nothing.
    pub fn verdict(&mut self, position: &Position) -> Option<Side> {
        // The counts without any search, wide as they are, settle most positions one way or the other.
        let wide = wide_territory(position);
        if let Some(winner) = position.winner().or_else(|| wide.winner(position.side())) {
            return Some(winner);
        }
        if !could_be_decided(&wide, position.side()) {
            return None;
        }
        self.count(position).winner(position.side())
    }

    /// Bounds on the moves that `amazons`, of one side, can make in a region with these empty squares.
    pub(crate) fn bounds(&mut self, amazons: Bitboard, empty: Bitboard) -> Bounds {
        if empty.count() <= 1 {
            return Bounds::exactly(empty.count());
        }
        let slot = slot(amazons, empty, TerritoryCounter::CACHE_BITS);
        let (known_amazons, known_empty, bounds) = self.regions[slot];
        if (known_amazons, known_empty) == (amazons, empty) {
            return bounds;
        }
        let bounds = self.filler.most_moves(amazons, empty);
        self.regions[slot] = (amazons, empty, bounds);
        bounds
    }
}

impl Default for TerritoryCounter {
    fn default() -> TerritoryCounter {
        TerritoryCounter::new(TerritoryCounter::BUDGET)
    }
}

impl Position {
    /// [`TerritoryCounter::count`] for a single position; where there are many, keep a counter.
    pub fn territory(&self) -> Territory {
        TerritoryCounter::default().count(self)
    }

    /// [`TerritoryCounter::verdict`] for a single position; where there are many, keep a counter.
    pub fn verdict(&self) -> Option<Side> {
        TerritoryCounter::default().verdict(self)
    }
}

/// Territory from the sizes of regions alone: a region with an empty square has a move.
fn wide_territory(position: &Position) -> Territory {
    let mut territory = Territory { moves: [Bounds::default(); 2], contested: 0 };
    for region in position.regions() {
        let squares = region.empty.count();
        if let Some(owner) = region.owner() {
            let moves = &mut territory.moves[owner.index()];
            moves.low += squares.min(1);
            moves.high += squares;
        } else if region.is_contested() {
            territory.contested += squares;
        }
    }
    territory
}

/// Whether some numbers within the bounds would decide the game.
fn could_be_decided(territory: &Territory, side: Side) -> bool {
    let own = territory.moves[side.index()];
    let other = territory.moves[(!side).index()];
    own.high > other.low + territory.contested || other.high >= own.low + territory.contested
}

/// The cache slot of a region: its bits folded to 64, then multiplied (Fibonacci hashing).
fn slot(amazons: Bitboard, empty: Bitboard, bits: u32) -> usize {
    let fold = |set: Bitboard| (set.0 as u64) ^ ((set.0 >> 64) as u64).rotate_left(23);
    let mixed = (fold(amazons).rotate_left(31) ^ fold(empty)).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (mixed >> (64 - bits)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    fn territory(fen: &str) -> Territory {
        TerritoryCounter::default().count(&fen.parse().expect("a position"))
    }

    #[test]
    fn a_defective_region_has_fewer_moves_than_squares() {
        let found = territory("QQQqqq/******/******/******/*Q****/1*1*q* w");
        assert_eq!(found, Territory { moves: [Bounds::exactly(1), Bounds::exactly(0)], contested: 0 });
    }

    #[test]
    fn the_second_to_move_wins_a_tie() {
        for (side, winner) in [("w", Side::Black), ("b", Side::White)] {
            let position =
                format!("QQQqqq/******/******/******/Q1****/****1q {side}").parse().expect("a position");
            assert_eq!(TerritoryCounter::default().verdict(&position), Some(winner));
        }
    }

    #[test]
    fn sure_moves_beyond_all_contested_squares_decide() {
        let position = "Q2***/******/***1**/**qQ1*/******/****** w".parse().expect("a position");
        let found = territory("Q2***/******/***1**/**qQ1*/******/****** w");
        assert_eq!(found, Territory { moves: [Bounds::exactly(2), Bounds::exactly(0)], contested: 2 });
        assert_eq!(found.winner(Side::White), None, "two sure moves against two possible ones");
        assert_eq!(found.winner(Side::Black), Some(Side::White));
        assert_eq!(TerritoryCounter::default().verdict(&position), None);
    }
}

//! Territory: how many moves each side can still make by itself, and who has won because of it.

use crate::position::Position;
use crate::region::Region;
use crate::side::Side;

/// Sound bounds on a number of moves: it is at least `low` and at most `high`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    /// The moves that are sure.
    pub low: u32,
    /// The moves that are possible.
    pub high: u32,
}

/// What a position's regions say of the rest of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Territory {
    /// Bounds on the moves that White and Black can make in the regions that are theirs alone.
    pub moves: [Bounds; 2],
    /// Whether a region with empty squares holds amazons of both sides.
    pub contested: bool,
}

impl Territory {
    /// The winner with `side` to move, when the bounds decide it: with W and B moves left and White to move, White
    /// wins if W > B, else Black.
    pub fn winner(&self, side: Side) -> Option<Side> {
        let own = self.moves[side.index()];
        let other = self.moves[(!side).index()];
        if self.contested {
            None
        } else if own.low > other.high {
            Some(side)
        } else if own.high <= other.low {
            Some(!side)
        } else {
            None
        }
    }
}

impl Position {
    /// Counts the territory of both sides.
    pub fn territory(&self) -> Territory {
        let mut territory = Territory { moves: [Bounds::default(); 2], contested: false };
        for region in self.regions() {
            if let Some(owner) = region.owner() {
                let bounds = bounds(&region);
                let moves = &mut territory.moves[owner.index()];
                moves.low += bounds.low;
                moves.high += bounds.high;
            } else if region.is_contested() && !region.empty.is_empty() {
                territory.contested = true;
            }
        }
        territory
    }

    /// The side that wins with best play, when counting territory proves it; never wrong, but often silent.
    pub fn verdict(&self) -> Option<Side> {
        self.winner().or_else(|| self.territory().winner(self.side()))
    }
}

/// Bounds for a region of one side: every move closes a square, and a region with an empty square has a move.
fn bounds(region: &Region) -> Bounds {
    let high = region.empty.count();
    Bounds { low: high.min(1), high }
}

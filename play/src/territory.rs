//! Who is nearer to each square, by queen moves.

use hippolyta_game::{Bitboard, Direction, Position};

/// The empty squares divided by who needs fewer queen moves to get there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueenTerritory {
    /// Squares nearer to the side to move.
    pub own: u32,
    /// Squares nearer to its opponent.
    pub opponent: u32,
    /// Squares equally near to both.
    pub tied: u32,
}

impl QueenTerritory {
    /// Divides the empty squares of a position.
    pub fn of(position: &Position) -> QueenTerritory {
        let empty = position.empty();
        let mut territory = QueenTerritory { own: 0, opponent: 0, tied: 0 };
        let [mut own_front, mut other_front] =
            [position.amazons(position.side()), position.amazons(!position.side())];
        let mut free = empty;
        while !free.is_empty() {
            let own = if own_front.is_empty() { own_front } else { queen_spread(own_front, empty) & free };
            let other =
                if other_front.is_empty() { other_front } else { queen_spread(other_front, empty) & free };
            if (own | other).is_empty() {
                break;
            }
            territory.own += (own - other).count();
            territory.opponent += (other - own).count();
            territory.tied += (own & other).count();
            // What lies behind a square that the other side reached earlier is nearer to the other side too.
            free = free - own - other;
            own_front = own;
            other_front = other;
        }
        territory
    }

    /// The lead of the side to move in fifths of a square: five for each nearer square, one for each tied one,
    /// as the side to move will often be there first.
    pub fn lead(self) -> i32 {
        5 * (self.own as i32 - self.opponent as i32) + self.tied as i32
    }
}

/// The squares of `empty` that queens on all squares of `from` reach in one move.
#[inline]
pub(crate) fn queen_spread(from: Bitboard, empty: Bitboard) -> Bitboard {
    let mut reached = Bitboard::EMPTY;
    for direction in Direction::ALL {
        let mut here = from.step(direction) & empty;
        while !here.is_empty() {
            reached |= here;
            here = here.step(direction) & empty;
        }
    }
    reached
}

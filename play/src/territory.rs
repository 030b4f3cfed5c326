//! Who is nearer to each square, by queen moves.

use hippolyta_game::{Position, queen_fill};

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
            let own = if own_front.is_empty() { own_front } else { queen_fill(own_front, empty) & free };
            let other =
                if other_front.is_empty() { other_front } else { queen_fill(other_front, empty) & free };
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

#[cfg(test)]
mod tests {
    use hippolyta_game::{Board, queen_layers};
    use proptest::prelude::*;

    use super::*;
    use crate::testing::wander;

    /// The distance of each square by its own layers, compared square by square.
    fn by_distances(position: &Position) -> QueenTerritory {
        let mut territory = QueenTerritory { own: 0, opponent: 0, tied: 0 };
        for square in position.empty() {
            let [own, other] = [position.side(), !position.side()].map(|side| {
                let mut layers = queen_layers(position.amazons(side), position.empty());
                layers.position(|layer| layer.contains(square)).unwrap_or(usize::MAX)
            });
            match own.cmp(&other) {
                std::cmp::Ordering::Less => territory.own += 1,
                std::cmp::Ordering::Greater => territory.opponent += 1,
                std::cmp::Ordering::Equal => territory.tied += u32::from(own != usize::MAX),
            }
        }
        territory
    }

    proptest! {
        #[test]
        fn agrees_with_distances(seed: u64, plies in 0..60usize, board in 0..3usize) {
            let position = wander(Board::PLAYED[board], seed, plies);
            prop_assert_eq!(QueenTerritory::of(&position), by_distances(&position));
        }
    }
}

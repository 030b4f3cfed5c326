//! How a game ended: the winner, the final owners of the squares, and the margin.

use hippolyta_game::{Bitboard, Position, Side, Square};

use crate::record::RecordError;

/// The end of a game.
///
/// Owners are those of the position in which the board was divided: the first one of the game in which no region
/// with an empty square holds amazons of both sides, or the last position where there was none. There, each
/// amazon's square is its side's, each empty square of a region with amazons of one side only is that side's, and
/// all others (closed squares, regions without amazons, contested regions) are nobody's. Later moves inside divided
/// territory change no owner, so it does not matter whether such a game was stopped by a verdict or played out.
///
/// The margin is the number of further moves that the loser would have needed in its own territory to win. In the
/// last position, with `own` moves left to the side to move and `other` to its opponent, that is `own - other` when
/// the side to move wins and `other - own + 1` when it loses. It is at least 1, and filling one's own territory does
/// not change it. The moves left are the upper bounds of [`Position::territory`], nearly always exact ones; contested
/// regions count for nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The winner.
    pub winner: Side,
    /// The squares of White and of Black; disjoint.
    pub owners: [Bitboard; 2],
    /// White's margin: positive when White won, negative when Black did, never 0.
    pub white_margin: i16,
}

impl Outcome {
    /// The outcome of a game that ended with the last of `positions` and was won by `winner`.
    ///
    /// # Panics
    /// When there is no position.
    pub fn of(positions: &[Position], winner: Side) -> Outcome {
        let last = positions.last().expect("a game has a position");
        let divided = positions.iter().find(|position| is_divided(position)).unwrap_or(last);
        let margin = margin(last, winner);
        let white_margin = if winner == Side::White { margin } else { -margin };
        Outcome { winner, owners: owners(divided), white_margin }
    }

    /// The result for a side: 1 for a win, -1 for a loss.
    pub fn value(&self, side: Side) -> f32 {
        if side == self.winner { 1.0 } else { -1.0 }
    }

    /// The margin for a side, in moves: positive when it won.
    pub fn margin(&self, side: Side) -> i16 {
        if side == Side::White { self.white_margin } else { -self.white_margin }
    }

    /// The owner of a square; `None` when it is nobody's.
    pub fn owner(&self, square: Square) -> Option<Side> {
        Side::ALL.into_iter().find(|side| self.owners[side.index()].contains(square))
    }

    pub(crate) fn check(&self, last: &Position) -> Result<(), RecordError> {
        let winner = self.winner;
        if last.winner().is_some_and(|by_rule| by_rule != winner) {
            return Err(RecordError::Winner(winner));
        }
        if self.margin(winner) < 1 {
            return Err(RecordError::Margin { margin: self.white_margin, winner });
        }
        let [white, black] = self.owners;
        if !(white & black).is_empty() || !((white | black) - last.board().squares()).is_empty() {
            return Err(RecordError::Owners);
        }
        Ok(())
    }
}

/// The plies that a divided game would still last if both sides only filled their own territory: the estimate of
/// what ending it early saved.
pub(crate) fn plies_left(position: &Position) -> u32 {
    let (own, other) = moves_left(position);
    if own > other { 2 * other + 1 } else { 2 * own }
}

fn is_divided(position: &Position) -> bool {
    position.regions().all(|region| region.empty.is_empty() || !region.is_contested())
}

/// The moves that the side to move and its opponent have left in their own territory.
fn moves_left(position: &Position) -> (u32, u32) {
    let territory = position.territory();
    let side = position.side();
    (territory.moves[side.index()].high, territory.moves[(!side).index()].high)
}

fn margin(last: &Position, winner: Side) -> i16 {
    let (own, other) = moves_left(last);
    let (own, other) = (own as i16, other as i16);
    let margin = if winner == last.side() { own - other } else { other - own + 1 };
    // Contested squares and upper bounds that are too high can hide the lead that the winner is sure of.
    margin.max(1)
}

fn owners(position: &Position) -> [Bitboard; 2] {
    let mut owners = Side::ALL.map(|side| position.amazons(side));
    for region in position.regions() {
        if let Some(owner) = region.owner() {
            let own = &mut owners[owner.index()];
            *own |= region.empty;
        }
    }
    owners
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(fen: &str, winner: Side, white_margin: i16, white: &str, black: &str) {
        let position: Position = fen.parse().unwrap();
        let outcome = Outcome::of(&[position], winner);
        assert_eq!(outcome.white_margin, white_margin, "{fen}");
        let squares =
            |text: &str| text.split(' ').map(|s| s.parse::<Square>().unwrap()).collect::<Bitboard>();
        assert_eq!(outcome.owners, [squares(white), squares(black)], "{fen}");
        assert_eq!(outcome.check(&position), Ok(()));
    }

    #[test]
    fn counts_divided_boards() {
        let (white, black) = ("a1 a2 a3", "c1 c2 c3");
        // Two moves each: who moves first runs out first and needs one more.
        check("1*1/1*1/Q*q w", Side::Black, -1, white, black);
        check("1*1/1*1/Q*q b", Side::White, 1, white, black);
        // Two against one: to move, White wins by one; with Black to move, by two.
        check("1*1/1*q/Q** w", Side::White, 1, white, "c2 c3");
        check("1*1/1*q/Q** b", Side::White, 2, white, "c2 c3");
    }

    #[test]
    fn filling_own_territory_changes_no_margin_and_no_owner() {
        let start: Position = "1*1/1*q/Q** w".parse().unwrap();
        let mut positions = vec![start];
        while let Some(m) = positions.last().unwrap().moves_by_steps().first() {
            let next = positions.last().unwrap().play(*m).unwrap();
            positions.push(next);
        }
        // White a1-a2 takes one of its two squares; both then fill what is left.
        let last = positions.last().unwrap();
        assert_eq!(last.winner(), Some(Side::White));
        let whole = Outcome::of(&positions, Side::White);
        let stopped = Outcome::of(&positions[..1], Side::White);
        assert_eq!(whole.owners, stopped.owners);
        assert_eq!(whole.white_margin, stopped.white_margin);
    }

    #[test]
    fn contested_squares_are_nobodys() {
        check("1*1/1*q/Q1* w", Side::White, 1, "a1", "c2");
    }
}

//! What the rules decide without a network.

use hippolyta_game::{Move, Position, TerritoryCounter};

/// What is proven of a position, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Nothing yet.
    Open,
    /// The side to move wins with best play.
    Won,
    /// The side to move loses against best play.
    Lost,
}

impl Outcome {
    /// The exact value for the side to move, when proven: 1 or -1.
    #[inline]
    pub fn value(self) -> Option<f32> {
        match self {
            Outcome::Open => None,
            Outcome::Won => Some(1.0),
            Outcome::Lost => Some(-1.0),
        }
    }
}

/// Whether `position` is decided: by its territory, for want of a legal move, or by a move that leaves the opponent
/// none. `moves` becomes its legal moves; it is left empty where the territory decides first.
pub(crate) fn outcome(
    position: &Position,
    territory: &mut TerritoryCounter,
    moves: &mut Vec<Move>,
) -> Outcome {
    moves.clear();
    match territory.verdict(position) {
        Some(winner) if winner == position.side() => Outcome::Won,
        Some(_) => Outcome::Lost,
        None => {
            position.moves(moves);
            if winning_move(position, moves).is_some() { Outcome::Won } else { Outcome::Open }
        }
    }
}

/// The index of the first of `moves` that leaves the opponent no legal move.
pub(crate) fn winning_move(position: &Position, moves: &[Move]) -> Option<usize> {
    let near = position.amazons(!position.side()).dilated();
    let liberties = near & position.empty();
    // A move closes two squares, those of the amazon and of its arrow, and opens the one it leaves.
    if liberties.count() > 2 {
        return None;
    }
    moves.iter().position(|m| {
        liberties.without(m.to).without(m.arrow).is_empty() && (m.arrow == m.from || !near.contains(m.from))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        fen.parse().expect("the tests' positions are well formed")
    }

    /// Walks seeded games on small boards and compares with playing every move.
    #[test]
    fn a_winning_move_leaves_the_opponent_none() {
        let mut moves = Vec::new();
        let mut found = 0;
        for game in 0..200 {
            let mut position = position("1qq1/q2q/Q2Q/1QQ1 w");
            for ply in 0.. {
                position.moves(&mut moves);
                if moves.is_empty() {
                    break;
                }
                let slow = moves.iter().position(|&m| !position.play_unchecked(m).has_move());
                assert_eq!(winning_move(&position, &moves), slow, "{position}");
                found += usize::from(slow.is_some());
                let pick = crate::seed::derive(game, &[ply]) as usize % moves.len();
                position = position.play_unchecked(moves[pick]);
            }
        }
        assert!(found > 50, "{found}");
    }

    #[test]
    fn decides_by_territory_and_mobility() {
        let mut moves = Vec::new();
        let mut territory = TerritoryCounter::default();
        for (fen, expected) in [
            ("q***/****/****/Q1** w", Outcome::Won),
            // One move each: who has to begin runs out first.
            ("q1**/****/****/Q1** w", Outcome::Lost),
            ("q1**/****/****/Q1** b", Outcome::Lost),
            ("q***/****/****/Q*** w", Outcome::Lost),
            ("1qq1/q2q/Q2Q/1QQ1 w", Outcome::Open),
        ] {
            assert_eq!(outcome(&position(fen), &mut territory, &mut moves), expected, "{fen}");
        }
    }
}

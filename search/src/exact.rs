//! What the rules decide without a network.

use hippolyta_game::{Move, Position, Region, Solver, TerritoryCounter};

use crate::config::SearchConfig;

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
    fn of(won: bool) -> Outcome {
        if won { Outcome::Won } else { Outcome::Lost }
    }

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

/// Finds out what the rules decide.
#[derive(Clone, Debug)]
pub(crate) struct Exact {
    territory: TerritoryCounter,
    solver: Solver,
    endgame: Endgame,
}

/// When the solver is asked.
#[derive(Clone, Copy, Debug)]
struct Endgame {
    squares: u32,
    nodes: u64,
}

impl Exact {
    /// Bytes of the solver's table: little enough to be emptied for every tree.
    const TABLE_BYTES: usize = 1 << 16;

    pub(crate) fn new(config: &SearchConfig) -> Exact {
        Exact {
            territory: TerritoryCounter::default(),
            solver: Solver::new(Exact::TABLE_BYTES).expect("there is memory for a small table"),
            endgame: Endgame { squares: config.endgame_squares, nodes: config.endgame_nodes.into() },
        }
    }

    /// Forgets what was proven: what comes must not depend on games before.
    pub(crate) fn forget(&mut self) {
        if self.endgame.nodes > 0 {
            self.solver.forget();
        }
    }

    /// Whether `position` is decided: by its territory, for want of a legal move, by a move that leaves the opponent
    /// none, or by a small proof when few squares are still contested. `moves` becomes its legal moves; it may be
    /// left empty where the position is decided.
    pub(crate) fn outcome(&mut self, position: &Position, moves: &mut Vec<Move>) -> Outcome {
        moves.clear();
        if let Some(winner) = self.territory.verdict(position) {
            return Outcome::of(winner == position.side());
        }
        position.moves(moves);
        if winning_move(position, moves).is_some() {
            return Outcome::Won;
        }
        self.proof(position).map_or(Outcome::Open, Outcome::of)
    }

    /// Whether the side to move wins, if a small search proves it.
    fn proof(&mut self, position: &Position) -> Option<bool> {
        let Endgame { squares, nodes } = self.endgame;
        if squares == 0 || nodes == 0 {
            return None;
        }
        let contested: u32 =
            position.regions().filter(Region::is_contested).map(|region| region.empty.count()).sum();
        if contested <= squares { self.solver.wins(position, nodes) } else { None }
    }
}

/// The index of the first of `moves`, legal ones of the side to move, that leaves the opponent no legal move.
pub fn winning_move(position: &Position, moves: &[Move]) -> Option<usize> {
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
    use hippolyta_game::{SolveLimits, solve};

    use super::*;
    use crate::config::tests::config;

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
        let mut exact = Exact::new(&SearchConfig { endgame_nodes: 0, ..config() });
        for (fen, expected) in [
            ("q***/****/****/Q1** w", Outcome::Won),
            // One move each: who has to begin runs out first.
            ("q1**/****/****/Q1** w", Outcome::Lost),
            ("q1**/****/****/Q1** b", Outcome::Lost),
            ("q***/****/****/Q*** w", Outcome::Lost),
            ("1qq1/q2q/Q2Q/1QQ1 w", Outcome::Open),
        ] {
            assert_eq!(exact.outcome(&position(fen), &mut moves), expected, "{fen}");
        }
    }

    /// Walks seeded games on a small board: where only the solver decides, it decides as a full proof does.
    #[test]
    fn proves_the_end_of_contested_fights() {
        let mut without = Exact::new(&SearchConfig { endgame_nodes: 0, ..config() });
        let mut with = Exact::new(&SearchConfig { endgame_squares: 8, endgame_nodes: 100, ..config() });
        let mut moves = Vec::new();
        let mut proven = 0;
        for game in 0..100 {
            let mut position = position("1qq1/q2q/Q2Q/1QQ1 w");
            for ply in 0.. {
                if without.outcome(&position, &mut moves) != Outcome::Open {
                    break;
                }
                let outcome = with.outcome(&position, &mut moves);
                if let Some(value) = outcome.value() {
                    let limits = SolveLimits { nodes: 10_000, table_bytes: 1 << 12 };
                    let winner =
                        solve(&position, limits).expect("there is memory").winner.expect("a small position");
                    assert_eq!(value > 0.0, winner == position.side(), "{position}");
                    proven += 1;
                }
                let pick = crate::seed::derive(game, &[ply]) as usize % moves.len();
                position = position.play_unchecked(moves[pick]);
            }
        }
        assert!(proven > 50, "{proven}");
    }
}

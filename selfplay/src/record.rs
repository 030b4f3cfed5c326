//! The record of one game.

use std::iter;

use hippolyta_game::{IllegalMove, Move, Position, Side};
use thiserror::Error;

use crate::outcome::Outcome;

/// The SHA-256 of the network that played a game; zeros where none did.
pub type ModelHash = [u8; 32];

/// One game in the terms of the game: no features, no tensors, nothing that a change of the network would spoil.
#[derive(Clone, Debug, PartialEq)]
pub struct GameRecord {
    /// The generation of the run that the game belongs to.
    pub generation: u32,
    /// The game's index in its generation.
    pub game: u32,
    /// The game's own seed, from which each of its random choices follows.
    pub seed: u64,
    /// The network that played both sides.
    pub model: ModelHash,
    /// The position before the first move.
    pub start: Position,
    /// How its first moves were drawn.
    pub opening: Opening,
    /// All moves, in order, those of the opening among them.
    pub moves: Vec<Move>,
    /// What was searched, in order of plies; the plies of the opening are not here.
    pub searched: Vec<SearchedPly>,
    /// The network evaluations that the game took.
    pub evaluations: u32,
    /// The visits of all its searches.
    pub visits: u32,
    /// How the game ended.
    pub outcome: Outcome,
}

/// The first moves of a game, which no search chose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening {
    /// What they were drawn from.
    pub kind: OpeningKind,
    /// How many there are.
    pub plies: u16,
}

/// What the moves of an opening were drawn from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningKind {
    /// The network's policy.
    Policy = 0,
    /// All legal moves, each as likely as another.
    Uniform = 1,
}

/// What a search found before one ply. Values are for the side to move.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchedPly {
    /// The index of the move played: the search saw the position before it.
    pub ply: u16,
    /// Whether this was a full search, whose policy is a training target, or a quick one.
    pub full: bool,
    /// The search's value of the position, in [-1, 1]: exact when proven, else the mean over all visits, those of
    /// moves that turned out bad among them.
    pub value: f32,
    /// The value of the position under the improved policy, in [-1, 1]: exact when proven.
    pub improved_value: f32,
    /// Whether the search proved who wins. The policy then holds whichever winning move was found first.
    pub proven: bool,
    /// The network's value of the position before any search, in [-1, 1].
    pub network_value: f32,
    /// The Kullback-Leibler divergence of the improved policy from the network's policy, in nats, at least 0.
    pub surprise: f32,
    /// 1, or less where soft adjudication holds the game for decided: in [0, 1].
    pub weight: f32,
    /// The moves that were visited, ascending, at least one. What is missing from a total mass of 1 belongs to the
    /// unvisited moves together.
    pub visited: Vec<VisitedMove>,
}

/// A move that a search visited.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VisitedMove {
    /// The move.
    pub mv: Move,
    /// Its mass in the improved policy, in [0, 1].
    pub mass: f32,
}

/// Why a record is refused.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum RecordError {
    /// A value of the stored form that means nothing, such as a square beside the board.
    #[error("{what} {found} is out of range")]
    Wire {
        /// What the value stands for.
        what: &'static str,
        /// The value.
        found: i64,
    },
    /// A start that cannot be played.
    #[error("the start: {0}")]
    Start(#[from] hippolyta_game::SetupError),
    /// A size that is not supported.
    #[error(transparent)]
    Board(#[from] hippolyta_game::BoardError),
    /// A move that the rules forbid.
    #[error("move {ply}: {source}")]
    Move {
        /// Its index, from 0.
        ply: usize,
        /// The move and its position.
        #[source]
        source: IllegalMove,
    },
    /// A searched ply that is not after the one before it, or not before a move.
    #[error("a search before move {ply}: out of order, or there are only {moves} moves")]
    Ply {
        /// The ply.
        ply: u16,
        /// The number of moves in the game.
        moves: usize,
    },
    /// A search that visited nothing, a move that is not legal, or one move twice.
    #[error("the search before move {ply}: visited moves must be legal, ascending and at least one")]
    Visited {
        /// The ply.
        ply: u16,
    },
    /// A number of a searched ply that is not finite or outside its range.
    #[error("the search before move {ply}: {what} {found} is out of range")]
    Number {
        /// The ply.
        ply: u16,
        /// Which number.
        what: &'static str,
        /// The number.
        found: f32,
    },
    /// An opening that is longer than the game, or in which something was searched.
    #[error("an opening of {plies} plies: the game has {moves} moves, or it was searched earlier")]
    Opening {
        /// Its plies.
        plies: u16,
        /// The number of moves in the game.
        moves: usize,
    },
    /// A winner that the last position contradicts.
    #[error("{0} cannot have won: it has no move at the end")]
    Winner(Side),
    /// A margin that names another winner.
    #[error("margin {margin} does not fit a win of {winner}")]
    Margin {
        /// White's margin.
        margin: i16,
        /// The winner.
        winner: Side,
    },
    /// Owned squares beside the board, or owned by both sides.
    #[error("an owned square is not on the board or has two owners")]
    Owners,
}

impl GameRecord {
    /// The positions of the game: the start, then the one after each move.
    ///
    /// # Panics
    /// When a move is illegal; a record that was read, or that passes [`GameRecord::check`], has only legal ones.
    pub fn positions(&self) -> impl Iterator<Item = Position> + '_ {
        let mut position = self.start;
        iter::once(position).chain(self.moves.iter().map(move |m| {
            position = position.play(*m).expect("a checked record has only legal moves");
            position
        }))
    }

    /// The searched plies with their positions, in order.
    ///
    /// # Panics
    /// As [`GameRecord::positions`].
    pub fn searched_positions(&self) -> impl Iterator<Item = (Position, &SearchedPly)> + '_ {
        let mut searched = self.searched.iter().peekable();
        self.positions().enumerate().filter_map(move |(ply, position)| {
            let found = searched.next_if(|search| usize::from(search.ply) == ply)?;
            Some((position, found))
        })
    }

    /// Checks all that the rest of the program relies on: legal moves, searched plies in order and after the opening,
    /// visited moves legal and distinct, numbers in range, an outcome that fits the last position.
    ///
    /// # Errors
    /// The first fault found.
    pub fn check(&self) -> Result<(), RecordError> {
        let plies = self.opening.plies;
        let is_searched = self.searched.first().is_some_and(|search| search.ply < plies);
        if usize::from(plies) > self.moves.len() || is_searched {
            return Err(RecordError::Opening { plies, moves: self.moves.len() });
        }
        let mut searched = self.searched.iter().peekable();
        let mut position = self.start;
        for (ply, m) in self.moves.iter().enumerate() {
            if let Some(search) = searched.next_if(|search| usize::from(search.ply) == ply) {
                search.check(&position)?;
            }
            position = position.play(*m).map_err(|source| RecordError::Move { ply, source })?;
        }
        if let Some(search) = searched.next() {
            return Err(RecordError::Ply { ply: search.ply, moves: self.moves.len() });
        }
        self.outcome.check(&position)
    }
}

impl SearchedPly {
    fn check(&self, position: &Position) -> Result<(), RecordError> {
        let ply = self.ply;
        let total: f32 = self.visited.iter().map(|visited| visited.mass).sum();
        let smallest = self.visited.iter().map(|visited| visited.mass).fold(0.0, f32::min);
        for (what, found, range) in [
            ("value", self.value, -1.0..=1.0),
            ("improved value", self.improved_value, -1.0..=1.0),
            ("network value", self.network_value, -1.0..=1.0),
            ("surprise", self.surprise, 0.0..=f32::MAX),
            ("weight", self.weight, 0.0..=1.0),
            ("policy mass", smallest, 0.0..=1.0),
            // Rounding of up to a few thousand terms.
            ("total policy mass", total, 0.0..=1.001),
        ] {
            if !range.contains(&found) {
                return Err(RecordError::Number { ply, what, found });
            }
        }
        let ascending = self.visited.windows(2).all(|pair| pair[0].mv < pair[1].mv);
        let legal = self.visited.iter().all(|visited| position.is_legal(visited.mv));
        if self.visited.is_empty() || !ascending || !legal {
            return Err(RecordError::Visited { ply });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::testing::random_record;

    fn fault(change: impl FnOnce(&mut GameRecord)) -> String {
        let mut record = random_record(Board::SIX, 5);
        assert_eq!(record.check(), Ok(()));
        change(&mut record);
        record.check().unwrap_err().to_string()
    }

    #[test]
    fn refuses_what_cannot_be_with_its_reason() {
        let message = fault(|r| r.moves[3] = r.moves[0]);
        assert!(message.starts_with("move 3: ") && message.contains("is not legal in"), "{message}");
        assert!(fault(|r| r.searched.swap(0, 1)).starts_with("a search before move 1: out of order"));
        assert!(fault(|r| r.searched.last_mut().unwrap().ply = 99).contains("there are only"));
        assert!(fault(|r| r.searched[0].visited.clear()).contains("at least one"));
        assert!(fault(|r| r.searched[0].visited.swap(0, 1)).contains("ascending"));
        assert_eq!(
            fault(|r| r.searched[0].value = 1.5),
            "the search before move 1: value 1.5 is out of range"
        );
        assert!(fault(|r| r.searched[0].improved_value = f32::NAN).contains("improved value NaN"));
        assert!(fault(|r| r.opening.plies = 2).starts_with("an opening of 2 plies"));
        assert!(fault(|r| r.searched[1].surprise = f32::NAN).contains("surprise NaN"));
        assert!(fault(|r| r.searched[0].visited[0].mass = -0.1).contains("policy mass -0.1"));
        assert!(fault(|r| r.searched[0].visited[0].mass = f32::NAN).contains("total policy mass NaN"));
        assert!(fault(|r| r.searched[0].visited[0].mass = 1.1).contains("total policy mass"));
        assert!(fault(|r| r.outcome.white_margin = 0).contains("margin 0"));
        assert!(fault(|r| r.outcome.winner = !r.outcome.winner).contains("cannot have won"));
        assert!(fault(|r| r.outcome.owners[0] = r.outcome.owners[1]).contains("two owners"));
    }

    #[test]
    fn pairs_each_search_with_its_position() {
        let record = random_record(Board::SIX, 5);
        assert_eq!(record.positions().count(), record.moves.len() + 1);
        let mut count = 0;
        for (position, search) in record.searched_positions() {
            assert!(position.is_legal(record.moves[usize::from(search.ply)]));
            assert!(search.visited.iter().all(|visited| position.is_legal(visited.mv)));
            count += 1;
        }
        assert_eq!(count, record.searched.len());
    }
}

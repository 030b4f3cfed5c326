//! Openings: the random first plies from which both games of a pair are played.

use hippolyta_game::{Board, Move, Position, Symmetry};
use hippolyta_play::{ClassicalPlayer, Limits, Player as _};
use hippolyta_search::seed::derive;
use std::collections::HashSet;

/// Draws in a row that may repeat an opening or be no fair start before it is said that there are no more.
const PATIENCE: u32 = 10_000;

/// Neither side may be expected by the classical program to score better than this, of 1 for a sure win: most random
/// openings are as good as lost for one side, and then a pair of games says nothing.
const WIDEST_MARGIN: f32 = 0.3;
/// Evaluations that the classical program spends on an opening.
const JUDGE_VISITS: u64 = 5000;

/// The most random plies that can be asked for: no game is longer than the 92 squares that are empty at the start on
/// 10x10, as each ply fills one.
pub const MOST_OPENING_PLIES: u32 = 91;

/// Moves from a start position, and where they lead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// Where the game starts.
    pub start: Position,
    /// The moves that are given.
    pub moves: Vec<Move>,
    /// The position after them, from which both players are on their own.
    pub position: Position,
}

/// Why there are not as many openings as were asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OpeningsError {
    /// The board has no start position.
    #[error("a {0} board has no start position")]
    NoStart(Board),
    /// Distinct openings ran out.
    #[error(
        "found only {found} of {wanted} distinct openings of {plies} random plies on {board}: choose other opening plies or fewer games"
    )]
    TooFew {
        /// The openings asked for.
        wanted: usize,
        /// The openings found.
        found: usize,
        /// The plies of each.
        plies: u32,
        /// The board.
        board: Board,
    },
}

/// An endless source of openings: for each of a seed's draws, `plies` moves, each drawn evenly from the legal
/// ones.
///
/// No opening is the mirror image or rotation of an earlier one. In none of them has territory decided the
/// game, can the side to move win at once, or does the classical program see either side far ahead.
#[derive(Clone, Debug)]
pub struct Openings {
    start: Position,
    plies: u32,
    seed: u64,
    drawn: u64,
    seen: HashSet<u64>,
    judge: ClassicalPlayer,
}

impl Openings {
    /// The openings of a board, from the first draw of `seed` on.
    ///
    /// # Errors
    /// When the board has no start position.
    pub fn new(board: Board, plies: u32, seed: u64) -> Result<Self, OpeningsError> {
        let start = Position::start(board).ok_or(OpeningsError::NoStart(board))?;
        Ok(Self { start, plies, seed, drawn: 0, seen: HashSet::new(), judge: ClassicalPlayer::new() })
    }

    /// The next `count` openings.
    ///
    /// # Errors
    /// When there are not so many of these plies.
    pub fn take(&mut self, count: usize) -> Result<Vec<Opening>, OpeningsError> {
        self.take_watched(count, &mut |_| {})
    }

    /// [`Openings::take`], which takes some 10 ms an opening or more: `drawn` hears before each how many there are.
    ///
    /// # Errors
    /// When there are not so many of these plies.
    pub fn take_watched(
        &mut self,
        count: usize,
        drawn: &mut dyn FnMut(usize),
    ) -> Result<Vec<Opening>, OpeningsError> {
        let mut openings = Vec::new();
        while openings.len() < count {
            drawn(openings.len());
            let Some(opening) = self.draw_distinct() else {
                return Err(OpeningsError::TooFew {
                    wanted: count,
                    found: openings.len(),
                    plies: self.plies,
                    board: self.start.board(),
                });
            };
            openings.push(opening);
        }
        Ok(openings)
    }

    /// The next opening; `None` when ten thousand draws in a row brought no new one.
    fn draw_distinct(&mut self) -> Option<Opening> {
        for _ in 0..PATIENCE {
            if let Some(opening) = self.draw()
                && self.seen.insert(symmetric_hash(&opening.position))
                && (self.plies == 0 || self.is_balanced(&opening.position))
            {
                return Some(opening);
            }
        }
        None
    }

    /// One draw; `None` when it ended in a position that is no fair start.
    fn draw(&mut self) -> Option<Opening> {
        let seed = derive(self.seed, &[self.drawn]);
        self.drawn += 1;
        let (mut position, mut moves, mut legal) = (self.start, Vec::new(), Vec::new());
        for ply in 0..self.plies {
            position.moves(&mut legal);
            if legal.is_empty() {
                return None;
            }
            // The bias of one multiplication is below 1e-15.
            let lot = (u128::from(derive(seed, &[u64::from(ply)])) * legal.len() as u128) >> 64;
            let chosen = legal[lot as usize];
            position = position.play_unchecked(chosen);
            moves.push(chosen);
        }
        is_fair(&position).then_some(Opening { start: self.start, moves, position })
    }
}

impl Openings {
    /// Whether the classical program sees neither side far ahead.
    fn is_balanced(&mut self, position: &Position) -> bool {
        self.judge.new_game(0);
        let judged = self.judge.choose(position, &Limits::visits(JUDGE_VISITS));
        let value = judged.ok().and_then(|choice| choice.value());
        value.is_some_and(|value| value.abs() <= WIDEST_MARGIN)
    }
}

/// Whether nothing is decided yet and the side to move cannot win at once.
fn is_fair(position: &Position) -> bool {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    position.verdict().is_none() && moves.iter().all(|m| position.play_unchecked(*m).has_move())
}

/// A hash that all images of a position share.
fn symmetric_hash(position: &Position) -> u64 {
    let images = Symmetry::of(position.board()).iter().map(|symmetry| symmetry.position(position).hash());
    images.min().expect("the identity is a symmetry")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn take(board: Board, plies: u32, seed: u64, count: usize) -> Vec<Opening> {
        Openings::new(board, plies, seed).unwrap().take(count).unwrap()
    }

    #[test]
    fn openings_are_legal_fair_and_of_the_length_asked_for() {
        for board in Board::PLAYED {
            for plies in [1, 4, 7] {
                for opening in take(board, plies, 3, 40) {
                    assert_eq!(opening.moves.len(), plies as usize);
                    let end = opening.moves.iter().fold(opening.start, |p, m| p.play(*m).unwrap());
                    assert_eq!((opening.start, end), (Position::start(board).unwrap(), opening.position));
                    assert!(is_fair(&end));
                }
            }
        }
    }

    #[test]
    fn no_opening_is_an_image_of_another() {
        let openings = take(Board::SIX, 2, 5, 250);
        let mut seen = HashSet::new();
        for opening in &openings {
            for symmetry in Symmetry::ALL {
                assert!(!seen.contains(&symmetry.position(&opening.position)), "{}", opening.position);
            }
            seen.insert(opening.position);
        }
    }

    #[test]
    fn a_seed_gives_the_same_openings_and_another_seed_others() {
        assert_eq!(take(Board::SIX, 4, 1, 50), take(Board::SIX, 4, 1, 50));
        assert_ne!(take(Board::SIX, 4, 1, 50), take(Board::SIX, 4, 2, 50));
        // Asking in two portions changes nothing.
        let mut openings = Openings::new(Board::SIX, 4, 1).unwrap();
        let mut heard = Vec::new();
        let mut parts = openings.take_watched(20, &mut |drawn| heard.push(drawn)).unwrap();
        assert_eq!(heard, (0..20).collect::<Vec<_>>());
        parts.extend(openings.take(30).unwrap());
        assert_eq!(parts, take(Board::SIX, 4, 1, 50));
    }

    #[test]
    fn running_out_is_an_error() {
        assert_eq!(take(Board::SIX, 0, 1, 1)[0].position, Position::start(Board::SIX).unwrap());
        for wanted in [2, usize::MAX] {
            let none = Openings::new(Board::SIX, 0, 1).unwrap().take(wanted);
            assert_eq!(none, Err(OpeningsError::TooFew { wanted, found: 1, plies: 0, board: Board::SIX }));
        }
        // The 544 first moves are 272 and their mirror images, and not all of these are balanced.
        let few = Openings::new(Board::SIX, 1, 1).unwrap().take(300);
        let Err(OpeningsError::TooFew { wanted: 300, found, plies: 1, board: Board::SIX }) = few else {
            panic!("{few:?}");
        };
        assert!((100..272).contains(&found), "{found}");
        let board = Board::new(4, 5).unwrap();
        assert_eq!(Openings::new(board, 2, 1).err(), Some(OpeningsError::NoStart(board)));
    }

    #[test]
    fn far_ahead_is_no_fair_start() {
        let mut openings = Openings::new(Board::SIX, 2, 1).unwrap();
        assert!(openings.is_balanced(&Position::start(Board::SIX).unwrap()));
        // Black's amazons are walled in.
        let ahead: Position = "qq****/qq*3/***3/6/Q4Q/1Q2Q1 w".parse().unwrap();
        assert!(!openings.is_balanced(&ahead) && !openings.is_balanced(&ahead.passed()));
    }

    #[test]
    fn wins_at_once_and_decided_games_are_no_fair_start() {
        // a4-a3/a2 takes Black's last free square.
        let win: Position = "6/6/Q5/6/1*4/q*4 w".parse().unwrap();
        assert!(win.verdict().is_none());
        assert!(!win.play("a4-a3/a2".parse().unwrap()).unwrap().has_move());
        assert!(!is_fair(&win));
        assert!(is_fair(&win.passed()));
        // White has one move left, in its corner; Black has none.
        let decided: Position = "Q*4/1*4/**4/6/**4/q*4 w".parse().unwrap();
        assert!(decided.verdict().is_some());
        assert!(!is_fair(&decided));
        assert!(is_fair(&Position::start(Board::SIX).unwrap()));
    }
}

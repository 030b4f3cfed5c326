//! Which boards the games of a generation are played on.

use hippolyta_game::{Board, Position};
use serde::{Deserialize, Serialize};

use crate::choice::Draw;
use crate::config::ConfigError;

/// The boards of a run, each with its share of the games of some generations. Every generation has at least one, and at
/// least one has no last generation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Boards(pub Vec<BoardShare>);

/// A board and its share of the games, in all generations or in some.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BoardShare {
    /// Files and ranks: 6, 8 or 10.
    pub size: u8,
    /// The share, relative to those of the other boards of the generation. Above 0, at most 1,000,000.
    pub weight: f64,
    /// The first generation with this board, counted from 1; if absent it is there from the beginning.
    pub first: Option<u32>,
    /// The last generation with this board; if absent the board stays.
    pub last: Option<u32>,
}

impl BoardShare {
    /// A board in all generations.
    #[must_use]
    pub fn always(board: Board, weight: f64) -> BoardShare {
        BoardShare { size: board.files(), weight, first: None, last: None }
    }

    /// The board.
    ///
    /// # Panics
    /// If no board of this size is played.
    #[must_use]
    pub fn board(&self) -> Board {
        Board::played(self.size).expect("a validated size is one that is played")
    }

    /// The first generation with this board.
    #[must_use]
    pub fn begins(&self) -> u32 {
        self.first.unwrap_or(1)
    }

    fn is_played_in(&self, generation: u32) -> bool {
        self.first.is_none_or(|first| first <= generation) && self.last.is_none_or(|last| generation <= last)
    }

    /// Whether both are of one board, in some generation together.
    fn overlaps(&self, other: &BoardShare) -> bool {
        // Of two spans that meet, one holds the other's beginning.
        let meet = self.is_played_in(other.begins()) || other.is_played_in(self.begins());
        self.size == other.size && meet
    }
}

impl Boards {
    /// One board in all generations.
    #[must_use]
    pub fn only(board: Board) -> Boards {
        Boards(vec![BoardShare::always(board, 1.0)])
    }

    /// The boards of a generation.
    #[must_use]
    pub fn of(&self, generation: u32) -> Vec<Board> {
        self.shares(generation).map(BoardShare::board).collect()
    }

    /// Every board that is played in some generation up to `generation`, the smallest first.
    #[must_use]
    pub fn up_to(&self, generation: u32) -> Vec<Board> {
        let begun = self.0.iter().filter(|share| share.begins() <= generation);
        let mut boards: Vec<Board> = begun.map(BoardShare::board).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// The boards without a last generation: those that a run is for, on which its champions are rated from the
    /// beginning.
    #[must_use]
    pub fn lasting(&self) -> Vec<Board> {
        self.0.iter().filter(|share| share.last.is_none()).map(BoardShare::board).collect()
    }

    fn shares(&self, generation: u32) -> impl Iterator<Item = &BoardShare> + Clone {
        self.0.iter().filter(move |share| share.is_played_in(generation))
    }

    /// The start of a game: the position of a board that `draw` chooses by the shares in a generation.
    pub(crate) fn start(&self, generation: u32, draw: Draw) -> Position {
        let chosen = draw.index(self.shares(generation).map(|share| share.weight));
        let share = self.shares(generation).nth(chosen).expect("an index of the weights");
        Position::start(share.board()).expect("a board that is played has a start")
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let fault = |key, value, allowed| Err(ConfigError { key, value, allowed });
        if self.0.is_empty() {
            return fault("boards", 0.0, "at least one board");
        }
        for (index, share) in self.0.iter().enumerate() {
            if Board::played(share.size).is_none() {
                return fault("boards.size", share.size.into(), "6, 8 or 10");
            }
            if !(share.weight > 0.0 && share.weight <= 1e6) {
                return fault("boards.weight", share.weight, "above 0 and at most 1000000");
            }
            if share.first == Some(0) {
                return fault("boards.first", 0.0, "at least 1");
            }
            if let Some(last) = share.last.filter(|last| *last < share.begins()) {
                return fault("boards.last", last.into(), "at least the board's first generation");
            }
            if self.0[..index].iter().any(|earlier| earlier.overlaps(share)) {
                return fault("boards.size", share.size.into(), "there at most once in a generation");
            }
        }
        if self.of(1).is_empty() {
            let first = self.0.iter().map(BoardShare::begins).min().unwrap_or_default();
            return fault("boards.first", first.into(), "1, or left out, for at least one board");
        }
        // The first generation without a board would follow some board's last.
        for last in self.0.iter().filter_map(|share| share.last) {
            if last.checked_add(1).is_none_or(|next| self.of(next).is_empty()) {
                return fault(
                    "boards.last",
                    last.into(),
                    "left out, or followed by a board in the next generation",
                );
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::choice::Purpose;

    const fn share(size: u8, weight: f64, first: Option<u32>, last: Option<u32>) -> BoardShare {
        BoardShare { size, weight, first, last }
    }

    /// 6x6 up to generation 4, 8x8 with three times its share from 3 to 6, then 10x10.
    const GROWING: [BoardShare; 3] =
        [share(10, 1.0, Some(7), None), share(6, 1.0, None, Some(4)), share(8, 3.0, Some(3), Some(6))];

    #[test]
    fn come_and_go() {
        let boards = Boards(GROWING.to_vec());
        assert_eq!(boards.validate(), Ok(()));
        let [six, eight, ten] = Board::PLAYED;
        let by_generation = [2, 3, 4, 5, 6, 7].map(|generation| boards.of(generation));
        let both = vec![six, eight];
        assert_eq!(
            by_generation,
            [vec![six], both.clone(), both.clone(), vec![eight], vec![eight], vec![ten]]
        );
        assert_eq!(boards.lasting(), [ten]);
        let known = [2, 3, 7].map(|generation| boards.up_to(generation));
        assert_eq!(known, [vec![six], both, vec![six, eight, ten]]);
    }

    #[test]
    fn start_games_by_their_shares() {
        let boards = Boards(GROWING.to_vec());
        let starts = |generation, board: Board| {
            let draws = (0..1000).map(|seed| Draw::new(seed, 0, Purpose::Board));
            draws.filter(|draw| boards.start(generation, *draw).board() == board).count()
        };
        assert_eq!([starts(2, Board::SIX), starts(5, Board::EIGHT), starts(9, Board::TEN)], [1000; 3]);
        assert!((200..300).contains(&starts(4, Board::SIX)), "{}", starts(4, Board::SIX));
        assert_eq!(starts(4, Board::TEN), 0);
    }

    #[test]
    fn what_cannot_be_played_is_named() {
        let fault = |shares: &[BoardShare]| Boards(shares.to_vec()).validate().unwrap_err().to_string();
        let six = share(6, 1.0, None, None);
        assert_eq!(fault(&[]), "selfplay.boards = 0: must be at least one board");
        assert_eq!(fault(&[share(7, 1.0, None, None)]), "selfplay.boards.size = 7: must be 6, 8 or 10");
        for weight in [f64::NAN, 0.0, 1e308] {
            assert!(
                fault(&[share(6, weight, None, None)]).starts_with("selfplay.boards.weight = "),
                "{weight}"
            );
        }
        assert_eq!(fault(&[share(6, 1.0, Some(0), None)]), "selfplay.boards.first = 0: must be at least 1");
        assert_eq!(
            fault(&[share(6, 1.0, Some(3), Some(2)), six]),
            "selfplay.boards.last = 2: must be at least the board's first generation"
        );
        for overlapping in [share(6, 2.0, Some(7), None), share(6, 2.0, None, Some(3)), six] {
            let message = fault(&[six, overlapping]);
            assert_eq!(message, "selfplay.boards.size = 6: must be there at most once in a generation");
        }
        assert_eq!(
            fault(&[share(8, 1.0, Some(5), None), share(6, 1.0, Some(2), Some(4))]),
            "selfplay.boards.first = 2: must be 1, or left out, for at least one board"
        );
        let mut gap = GROWING;
        gap[2].last = Some(5);
        assert_eq!(
            fault(&gap),
            "selfplay.boards.last = 5: must be left out, or followed by a board in the next generation"
        );
        assert!(
            fault(&[share(6, 1.0, None, Some(u32::MAX))])
                .starts_with("selfplay.boards.last = 4294967295: must be left out")
        );
    }
}

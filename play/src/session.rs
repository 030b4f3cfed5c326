//! A board at which a person plays: the game so far, taking back, the clock and the result.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use hippolyta_game::{
    Bitboard, FenError, IllegalMove, Move, ParseMoveError, Position, Side, Square, queen_reach,
};
use thiserror::Error;

/// A game in progress or over. It reads no clock: [`Session::spend`] is told what time has passed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Session {
    positions: Vec<Position>,
    moves: Vec<Move>,
    clock: Option<Clock>,
    given_up: Option<Outcome>,
}

/// What time the sides have left.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The time left to White and to Black.
    pub left: [Duration; 2],
    /// What a side gains with each of its moves.
    pub increment: Duration,
}

/// The end of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// Who won.
    pub winner: Side,
    /// How.
    pub reason: Reason,
}

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The loser had no legal move.
    NoMove,
    /// The loser's time ran out.
    Time,
    /// The loser resigned.
    Resignation,
}

/// Why a session refused a move.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SessionError {
    /// The game is over.
    #[error("the game is over: {} has won", .0.winner)]
    Over(Outcome),
    /// The rules forbid the move.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

/// Why a text is no saved session.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LoadError {
    /// The first line is no position.
    #[error("the start is no position: {0}")]
    Start(#[from] FenError),
    /// A later line is no move.
    #[error(transparent)]
    Move(#[from] ParseMoveError),
    /// A move is not legal where it stands.
    #[error(transparent)]
    Illegal(#[from] IllegalMove),
}

impl Session {
    /// A game from `start`, with a clock or without.
    pub fn new(start: Position, clock: Option<Clock>) -> Session {
        Session { positions: vec![start], moves: Vec::new(), clock, given_up: None }
    }

    /// The position on the board.
    pub fn position(&self) -> &Position {
        self.positions.last().expect("the start is always there")
    }

    /// The position that the game began with.
    pub fn start(&self) -> &Position {
        &self.positions[0]
    }

    /// The moves so far.
    pub fn moves(&self) -> &[Move] {
        &self.moves
    }

    /// The clock, if the game has one.
    pub fn clock(&self) -> Option<Clock> {
        self.clock
    }

    /// The end of the game, once it is over.
    pub fn outcome(&self) -> Option<Outcome> {
        let stuck = || Some(Outcome { winner: self.position().winner()?, reason: Reason::NoMove });
        self.given_up.or_else(stuck)
    }

    /// Plays a move of the side to move.
    ///
    /// # Errors
    /// When the game is over or the move is not legal.
    pub fn play(&mut self, m: Move) -> Result<(), SessionError> {
        if let Some(outcome) = self.outcome() {
            return Err(SessionError::Over(outcome));
        }
        let side = self.position().side();
        let next = self.position().play(m)?;
        self.positions.push(next);
        self.moves.push(m);
        if let Some(clock) = &mut self.clock {
            clock.left[side.index()] += clock.increment;
        }
        Ok(())
    }

    /// Takes the last move back and gives it; a resignation or a loss on time is taken back with it. Spent time
    /// stays spent.
    pub fn undo(&mut self) -> Option<Move> {
        let m = self.moves.pop()?;
        self.positions.pop();
        self.given_up = None;
        Some(m)
    }

    /// Takes time off the side to move, which loses when nothing is left. Without a clock or after the end this
    /// does nothing.
    pub fn spend(&mut self, time: Duration) {
        let side = self.position().side();
        if self.outcome().is_some() {
            return;
        }
        let Some(clock) = &mut self.clock else { return };
        let left = &mut clock.left[side.index()];
        *left = left.saturating_sub(time);
        if left.is_zero() {
            self.given_up = Some(Outcome { winner: !side, reason: Reason::Time });
        }
    }

    /// Ends the game as lost for `side`, unless it is over.
    pub fn resign(&mut self, side: Side) {
        if self.outcome().is_none() {
            self.given_up = Some(Outcome { winner: !side, reason: Reason::Resignation });
        }
    }

    /// The amazons that can be moved now.
    pub fn movable(&self) -> Bitboard {
        let position = self.position();
        let free = |square: &Square| !queen_reach(*square, position.empty()).is_empty();
        if self.outcome().is_some() {
            return Bitboard::EMPTY;
        }
        position.amazons(position.side()).into_iter().filter(free).collect()
    }

    /// Where the amazon on `from` can go; nothing when none of the side to move stands there.
    pub fn targets(&self, from: Square) -> Bitboard {
        if self.movable().contains(from) {
            queen_reach(from, self.position().empty())
        } else {
            Bitboard::EMPTY
        }
    }

    /// Where the arrow can land once the amazon on `from` has gone to `to`; nothing when it cannot go there.
    pub fn shots(&self, from: Square, to: Square) -> Bitboard {
        if self.targets(from).contains(to) {
            queen_reach(to, self.position().empty().with(from))
        } else {
            Bitboard::EMPTY
        }
    }

    /// How many squares the amazons of `side` can move to now.
    pub fn reach(&self, side: Side) -> u32 {
        let position = self.position();
        let reach = |square| queen_reach(square, position.empty());
        position.amazons(side).into_iter().map(reach).fold(Bitboard::EMPTY, |all, set| all | set).count()
    }
}

/// The start position and then a move a line: what [`str::parse`] reads back. Clock and resignation are not saved.
impl fmt::Display for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.start())?;
        self.moves.iter().try_for_each(|m| writeln!(f, "{m}"))
    }
}

impl FromStr for Session {
    type Err = LoadError;

    fn from_str(text: &str) -> Result<Session, LoadError> {
        let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
        let mut session = Session::new(lines.next().unwrap_or_default().parse()?, None);
        for line in lines {
            let m: Move = line.parse()?;
            let next = session.position().play(m)?;
            session.positions.push(next);
            session.moves.push(m);
        }
        Ok(session)
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::testing::wander;

    fn session(clock: Option<Clock>) -> Session {
        Session::new(Position::start(Board::SIX).expect("6x6 has a start"), clock)
    }

    #[test]
    fn moves_are_played_and_taken_back() {
        let mut session = session(None);
        let start = *session.position();
        let m: Move = "b1-b4/d4".parse().expect("a move");
        session.play(m).expect("legal");
        assert!(matches!(session.play(m), Err(SessionError::Illegal(_))));
        assert_eq!(session.moves(), [m]);
        assert_eq!(session.undo(), Some(m));
        assert_eq!((session.undo(), session.position()), (None, &start));
    }

    #[test]
    fn three_touches_make_the_legal_moves() {
        let session = Session::new(wander(Board::EIGHT, 5, 9), None);
        let mut touched = Vec::new();
        for from in session.movable() {
            for to in session.targets(from) {
                touched.extend(session.shots(from, to).into_iter().map(|arrow| Move { from, to, arrow }));
            }
        }
        let mut moves = Vec::new();
        session.position().moves(&mut moves);
        assert_eq!(touched, moves);
    }

    #[test]
    fn the_clock_runs_for_the_side_to_move() {
        let second = Duration::from_secs(1);
        let mut session = session(Some(Clock { left: [5 * second; 2], increment: second }));
        session.spend(2 * second);
        session.play("b1-b4/d4".parse().expect("a move")).expect("legal");
        assert_eq!(session.clock().map(|clock| clock.left), Some([4 * second, 5 * second]));
        session.spend(6 * second);
        let outcome = Outcome { winner: Side::White, reason: Reason::Time };
        assert_eq!(session.outcome(), Some(outcome));
        let refused = session.play("b6-b5/b6".parse().expect("a move"));
        assert_eq!(refused, Err(SessionError::Over(outcome)));
    }

    #[test]
    fn a_saved_game_goes_on() {
        let mut session = session(None);
        for text in ["b1-b4/d4", "e6-e4/d5"] {
            session.play(text.parse().expect("a move")).expect("legal");
        }
        assert_eq!(session.to_string().parse(), Ok(session));
        assert!(matches!("6/6 w".parse::<Session>(), Err(LoadError::Start(_))));
        let broken = "1q2q1/q4q/6/6/Q4Q/1Q2Q1 w\nb1-b9";
        assert!(matches!(broken.parse::<Session>(), Err(LoadError::Move(_))));
    }

    #[test]
    fn the_end_is_noticed() {
        let lost: Position = "Q*4/**4/6/6/6/5q w".parse().expect("a position");
        let session = Session::new(lost, None);
        assert_eq!(session.outcome(), Some(Outcome { winner: Side::Black, reason: Reason::NoMove }));
        assert_eq!((session.reach(Side::White), session.reach(Side::Black)), (0, 13));
        assert!(session.movable().is_empty());
    }
}

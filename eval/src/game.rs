//! One game between two contestants of a match.

use crate::contestant::{Contestant, GameRules, MatchError};
use crate::openings::Opening;
use hippolyta_game::{Move, Position, Side};
use hippolyta_play::{Limits, Player};
use hippolyta_search::seed::derive;
use std::time::Instant;

/// A game of a match.
#[derive(Clone, Debug, PartialEq)]
pub struct PlayedGame {
    /// The pair it belongs to, which is also the number of its opening.
    pub pair: usize,
    /// The side that A had.
    pub a: Side,
    /// Where the game started.
    pub start: Position,
    /// All moves from there, the opening's first.
    pub moves: Vec<Move>,
    /// How many of the moves were the opening's.
    pub opening_plies: usize,
    /// For each later move, its value in [-1, 1] for the side that made it, if the player had one.
    pub values: Vec<Option<f32>>,
    /// Who won.
    pub winner: Side,
    /// How it was lost, if not on the board.
    pub forfeit: Option<Forfeit>,
}

/// A game lost by breaking off.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Forfeit {
    /// 0 for A, 1 for B.
    pub contestant: usize,
    /// What happened.
    pub reason: String,
}

impl PlayedGame {
    /// Whether A won.
    pub fn a_won(&self) -> bool {
        self.winner == self.a
    }
}

/// A contestant's place at one thread's board.
pub(crate) struct Seat<'a> {
    contestant: Contestant<'a>,
    /// Empty after the player failed.
    player: Option<Box<dyn Player>>,
}

impl<'a> Seat<'a> {
    /// Seats a first player.
    pub(crate) fn take(contestant: Contestant<'a>) -> Result<Self, MatchError> {
        match (contestant.make)() {
            Ok(player) => Ok(Self { contestant, player: Some(player) }),
            Err(reason) => Err(MatchError::Seat { name: contestant.name.to_owned(), reason }),
        }
    }

    /// Readies the player for another game, making a new one if the last failed.
    fn new_game(&mut self, seed: u64) -> Result<(), String> {
        if self.player.is_none() {
            self.player = Some((self.contestant.make)().map_err(|reason| reason.to_string())?);
        }
        if let Some(player) = &mut self.player {
            player.new_game(seed);
        }
        Ok(())
    }

    /// The move that the player chooses, with its value.
    fn choose(&mut self, position: &Position, rules: GameRules) -> Result<(Move, Option<f32>), String> {
        let Some(player) = &mut self.player else { return Err("the player is gone".to_owned()) };
        let end = rules.time.map(|time| Instant::now() + time);
        let stop = || end.is_some_and(|end| Instant::now() >= end);
        let limits = Limits {
            visits: rules.visits,
            stop: if end.is_some() { Some(&stop) } else { None },
            time: rules.time,
            ..Limits::NONE
        };
        match player.choose(position, &limits) {
            Ok(choice) => match position.play(choice.best) {
                Ok(_) => Ok((choice.best, choice.value())),
                Err(illegal) => Err(illegal.to_string()),
            },
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Plays one game from `opening` between A and B (`seats`), A having White when `game` is 0 and Black when it
/// is 1; `None` once `abandoned` says that it will not count.
pub(crate) fn play_game(
    opening: &Opening,
    pair: usize,
    seats: &mut [Seat<'_>; 2],
    game: usize,
    rules: GameRules,
    seed: u64,
    abandoned: &dyn Fn() -> bool,
) -> Option<PlayedGame> {
    let a = Side::ALL[game];
    let contestant_of = |side: Side| usize::from(side != a);
    let mut position = opening.position;
    let mut record = PlayedGame {
        pair,
        a,
        start: opening.start,
        moves: opening.moves.clone(),
        opening_plies: opening.moves.len(),
        values: Vec::new(),
        winner: a,
        forfeit: None,
    };
    for (contestant, seat) in seats.iter_mut().enumerate() {
        if let Err(reason) = seat.new_game(derive(seed, &[contestant as u64])) {
            return give_up(record, contestant, seat, reason, abandoned);
        }
    }
    loop {
        let decided = if rules.adjudicate { position.verdict() } else { position.winner() };
        if let Some(winner) = decided {
            record.winner = winner;
            return Some(record);
        }
        if abandoned() {
            return None;
        }
        let contestant = contestant_of(position.side());
        match seats[contestant].choose(&position, rules) {
            Ok((chosen, value)) => {
                position = position.play_unchecked(chosen);
                record.moves.push(chosen);
                record.values.push(value);
            }
            Err(reason) => return give_up(record, contestant, &mut seats[contestant], reason, abandoned),
        }
    }
}

/// Ends a game that a contestant could not go on with; `None` where the reason may be that the match is over, as for
/// a program that was not waited for.
fn give_up(
    record: PlayedGame,
    contestant: usize,
    seat: &mut Seat<'_>,
    reason: String,
    abandoned: &dyn Fn() -> bool,
) -> Option<PlayedGame> {
    // What is left of it may be out of step with the board.
    seat.player = None;
    if abandoned() {
        return None;
    }
    let (pair, game) = (record.pair + 1, 1 + usize::from(record.a == Side::Black));
    tracing::warn!(pair, game, player = seat.contestant.name, reason, "forfeit");
    Some(record.forfeited(contestant, reason))
}

impl PlayedGame {
    /// The same game, lost by `contestant`.
    fn forfeited(self, contestant: usize, reason: String) -> Self {
        let winner = if contestant == 0 { !self.a } else { self.a };
        Self { winner, forfeit: Some(Forfeit { contestant, reason }), ..self }
    }
}

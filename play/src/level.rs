//! The levels that need no network.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use hippolyta_game::{Move, Position, TerritoryCounter};
use hippolyta_search::{math, winning_move};
use thiserror::Error;

use crate::classical::{WON, assess, expected};
use crate::dice::Dice;
use crate::player::{Choice, Limits, Line, Player, PlayerError};
use crate::territory::QueenTerritory;
use crate::thinker::{Stepped, Task, Thinker, think};

/// A level that needs no network. Insane, the fourth level of a front end, is a
/// [`SearchPlayer`](crate::SearchPlayer) with a network.
///
/// Easy and Medium judge by who is nearer to each square by queen moves; Hard by the whole evaluation of the
/// [`ClassicalPlayer`](crate::ClassicalPlayer). All but `Random` play a move that wins at once whenever there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Every legal move is equally likely.
    Random,
    /// Judges each of its moves by itself; one move in three is random.
    Easy,
    /// As easy, with one random move in twenty.
    Medium,
    /// Weighs the opponent's best answer to its most promising moves; one move in a hundred is random.
    Hard,
}

/// A text that names no level.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no level: expected random, easy, medium or hard")]
pub struct ParseLevelError(pub String);

/// How many of its moves Hard looks deeper into.
const HARD_CANDIDATES: usize = 16;

impl Level {
    /// All of them, from the weakest.
    pub const ALL: [Level; 4] = [Level::Random, Level::Easy, Level::Medium, Level::Hard];

    /// The name in lower case.
    pub const fn name(self) -> &'static str {
        match self {
            Level::Random => "random",
            Level::Easy => "easy",
            Level::Medium => "medium",
            Level::Hard => "hard",
        }
    }

    const fn random_share(self) -> f64 {
        match self {
            Level::Random => 1.0,
            Level::Easy => 1.0 / 3.0,
            Level::Medium => 0.05,
            Level::Hard => 0.01,
        }
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Level {
    type Err = ParseLevelError;

    fn from_str(text: &str) -> Result<Level, ParseLevelError> {
        let found = Level::ALL.into_iter().find(|level| level.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| ParseLevelError(text.to_owned()))
    }
}

/// A player of one [`Level`]. Its choice depends on the seed and the position alone; limits do not change it, as
/// the slowest takes some hundredths of a second.
#[derive(Clone, Debug)]
pub struct LevelPlayer {
    level: Level,
    seed: u64,
    moves: Vec<Move>,
    answers: Vec<Move>,
    counter: TerritoryCounter,
    /// The position that is thought about.
    position: Option<Position>,
    answer: Option<Choice>,
}

impl LevelPlayer {
    /// A player whose seed is 0 until [`Player::new_game`] gives another.
    pub fn new(level: Level) -> LevelPlayer {
        let counter = TerritoryCounter::default();
        let (moves, answers) = (Vec::new(), Vec::new());
        LevelPlayer { level, seed: 0, moves, answers, counter, position: None, answer: None }
    }
}

impl Player for LevelPlayer {
    fn name(&self) -> &str {
        self.level.name()
    }

    fn new_game(&mut self, seed: u64) {
        self.abandon();
        self.seed = seed;
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        think(self, position, limits)
    }
}

impl Thinker for LevelPlayer {
    fn begin(&mut self, position: &Position, task: &Task<'_>) -> Result<(), PlayerError> {
        self.abandon();
        task.moves(position, &mut self.moves)?;
        self.position = Some(*position);
        Ok(())
    }

    /// A level thinks in one step.
    fn step(&mut self, _visits: u64) -> Stepped {
        let position = self.position.expect("a step goes on with a thought that has begun");
        if self.answer.is_none() {
            self.answer = Some(self.weigh(&position));
        }
        Stepped::Done
    }

    fn answer(&self) -> Option<Choice> {
        self.answer.clone()
    }

    fn abandon(&mut self) {
        (self.position, self.answer) = (None, None);
    }

    fn pace(&self) -> u64 {
        1
    }
}

impl LevelPlayer {
    /// Chooses from the moves at hand.
    fn weigh(&mut self, position: &Position) -> Choice {
        let mut dice = Dice::new(self.seed, position);
        if self.level != Level::Random
            && let Some(winning) = winning_move(position, &self.moves)
        {
            let best = self.moves[winning];
            let lines = vec![Line { value: 1.0, moves: vec![best] }];
            return Choice { best, lines, visits: 1, depth: 1 };
        }
        if dice.chance(self.level.random_share()) {
            return Choice::unweighed(self.moves[dice.below(self.moves.len())]);
        }
        if self.level == Level::Hard {
            let ranked = rank(position, &self.moves, &mut dice, |next| assess(next, &mut self.counter));
            return self.weigh_answers(position, &ranked);
        }
        let ranked = rank(position, &self.moves, &mut dice, lead);
        let (lead, best) = ranked[0];
        let lines = vec![Line { value: value_of_lead(lead), moves: vec![best] }];
        Choice { best, lines, visits: ranked.len() as u64, depth: 1 }
    }

    /// The move with the least bad best answer among the first of `ranked`, none of which wins at once.
    fn weigh_answers(&mut self, position: &Position, ranked: &[(i32, Move)]) -> Choice {
        let mut visits = ranked.len() as u64;
        let mut best = (i32::MIN, ranked[0].1, ranked[0].1);
        // An answer that is good against one move is often good against others: tried first, it saves the rest.
        let mut refutation = None;
        for (place, &(_, candidate)) in ranked.iter().enumerate() {
            if place >= HARD_CANDIDATES && best.0 > -WON {
                break;
            }
            let next = position.play_unchecked(candidate);
            next.moves(&mut self.answers);
            let first = refutation.filter(|answer| next.is_legal(*answer));
            let mut worst = (i32::MAX, candidate);
            for &answer in first.iter().chain(&self.answers) {
                visits += 1;
                let value = assess(&next.play_unchecked(answer), &mut self.counter);
                if value < worst.0 {
                    worst = (value, answer);
                    if value <= best.0 {
                        break;
                    }
                }
            }
            refutation = Some(worst.1);
            if worst.0 > best.0 {
                best = (worst.0, candidate, worst.1);
            }
        }
        let (value, best, answer) = best;
        let lines = vec![Line { value: expected(value), moves: vec![best, answer] }];
        Choice { best, lines, visits, depth: 2 }
    }
}

/// The lead of a side that has lost.
const LOST: i32 = -1000;

/// The lead of the side to move in fifths of a square, [`LOST`] when it cannot move.
fn lead(position: &Position) -> i32 {
    if position.has_move() { QueenTerritory::of(position).lead() } else { LOST }
}

/// A lead as an expected result: some six squares make a game nearly sure.
fn value_of_lead(lead: i32) -> f32 {
    match lead {
        ..=LOST => -1.0,
        _ => math::tanh(lead as f32 / 30.0).clamp(-0.99, 0.99),
    }
}

/// All moves with their values for the side that makes them, best first; equal ones in random order. `judge` gives
/// the value of a position for its side to move.
fn rank(
    position: &Position,
    moves: &[Move],
    dice: &mut Dice,
    mut judge: impl FnMut(&Position) -> i32,
) -> Vec<(i32, Move)> {
    let weigh = |m: &Move| (-judge(&position.play_unchecked(*m)), dice.bits(), *m);
    let mut ranked: Vec<(i32, u64, Move)> = moves.iter().map(weigh).collect();
    ranked.sort_unstable_by_key(|&(value, lot, m)| (Reverse(value), lot, m));
    ranked.into_iter().map(|(value, _, m)| (value, m)).collect()
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::testing::{play_game, score, wander};

    fn player(level: Level) -> LevelPlayer {
        LevelPlayer::new(level)
    }

    #[test]
    fn a_win_at_once_is_played() {
        // Black's amazon in the corner has one free neighbour.
        let position: Position = "q1*3/**4/6/6/6/3Q2 w".parse().expect("a position");
        for level in [Level::Easy, Level::Medium, Level::Hard] {
            for seed in 0..20 {
                let mut player = player(level);
                player.new_game(seed);
                let choice = player.choose(&position, &Limits::NONE).expect("there are moves");
                assert!(!position.play(choice.best).expect("legal").has_move(), "{level} seed {seed}");
                assert_eq!(choice.value(), Some(1.0));
            }
        }
    }

    #[test]
    fn hard_avoids_a_loss_at_once() {
        // Black threatens to close the last free neighbour of White's only amazon, b1: only moves of the amazon
        // itself exist, and most of them lose at once.
        let position: Position = "6/6/2q3/****2/Q2*2/***3 w".parse().expect("a position");
        let safe = |m: Move| {
            let next = position.play(m).expect("legal");
            let mut answers = Vec::new();
            next.moves(&mut answers);
            winning_move(&next, &answers).is_none()
        };
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let possible = moves.iter().any(|m| safe(*m));
        let mut hard = player(Level::Hard);
        hard.new_game(3);
        let choice = hard.choose(&position, &Limits::NONE).expect("there are moves");
        assert_eq!(possible, safe(choice.best));
    }

    #[test]
    fn the_seed_and_the_position_decide() {
        let position = Position::start(Board::SIX).expect("6x6 has a start");
        for level in Level::ALL {
            let choices: Vec<Choice> = (0..8)
                .map(|seed| {
                    let mut player = player(level);
                    player.new_game(seed);
                    let first = player.choose(&position, &Limits::NONE).expect("a move");
                    assert_eq!(player.choose(&position, &Limits::NONE).as_ref(), Ok(&first));
                    first
                })
                .collect();
            assert!(choices.iter().any(|choice| choice.best != choices[0].best), "{level}: seeds matter");
        }
    }

    #[test]
    fn no_move_is_an_error() {
        let lost: Position = "Q*4/**4/6/6/6/5q w".parse().expect("a position");
        for level in Level::ALL {
            assert_eq!(player(level).choose(&lost, &Limits::NONE), Err(PlayerError::NoMove(lost)));
        }
    }

    #[test]
    fn names_are_read() {
        for level in Level::ALL {
            assert_eq!(level.to_string().to_uppercase().parse(), Ok(level));
        }
        assert_eq!("insane".parse::<Level>(), Err(ParseLevelError("insane".to_owned())));
    }

    #[test]
    fn games_end_on_every_board() {
        for board in Board::PLAYED {
            let opening = wander(board, 1, 0);
            play_game(&opening, &mut player(Level::Medium), &mut player(Level::Random), 1, Limits::NONE);
        }
    }

    #[test]
    fn each_level_beats_the_one_below() {
        let beats = |better: Level, worse: Level, games: u64, least: f64| {
            let score = score(Board::SIX, &mut player(better), &mut player(worse), games, Limits::NONE);
            assert!(score >= least, "{better} scores {score} against {worse}");
        };
        beats(Level::Easy, Level::Random, 40, 0.8);
        beats(Level::Medium, Level::Easy, 40, 0.6);
        beats(Level::Hard, Level::Medium, 40, 0.6);
    }

    /// Prints the scores between neighbouring levels on every board: `cargo test -p hippolyta-play -- --ignored
    /// --nocapture exact_scores`.
    #[test]
    #[ignore = "minutes"]
    #[expect(clippy::print_stdout, reason = "a measurement for people")]
    fn exact_scores() {
        for board in Board::PLAYED {
            for pair in Level::ALL.windows(2) {
                let games = if board == Board::TEN { 100 } else { 400 };
                let score = score(board, &mut player(pair[1]), &mut player(pair[0]), games, Limits::NONE);
                println!("{board}: {} {score:.3} against {} in {games} games", pair[1], pair[0]);
                assert!(score > 0.6);
            }
        }
    }
}

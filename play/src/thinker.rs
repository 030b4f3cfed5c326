//! Thinking that can be paused.

use hippolyta_game::{Move, Position};

use crate::player::{Choice, Limits, Player, PlayerError};

/// A player that thinks in steps, so that its caller can look at a clock, show what was found, or do something else
/// in between.
///
/// [`Thinker::begin`] starts a thought, [`Thinker::step`] goes on with it, and [`Thinker::answer`] says at any time
/// what the player would choose. Steps of any size lead to the same answer; [`Player::choose`] is [`think`], a loop
/// over them.
///
/// ```
/// use hippolyta_game::{Board, Position};
/// use hippolyta_play::{ClassicalPlayer, Limits, Player, Stepped, Task, Thinker};
///
/// let position = Position::start(Board::SIX).expect("6x6 has a start");
/// let mut player = ClassicalPlayer::new();
/// player.begin(&position, &Task { visits: Some(3000), ..Task::DEFAULT })?;
/// while player.step(500) != Stepped::Done {
///     // A page draws here, reads its messages, and leaves the loop when somebody asks it to.
///     let so_far = player.answer().expect("there is an answer after the first step");
///     assert!(position.is_legal(so_far.best));
/// }
/// let choice = player.answer();
/// player.abandon();
/// assert_eq!(choice, Some(ClassicalPlayer::new().choose(&position, &Limits::visits(3000))?));
/// # Ok::<(), hippolyta_play::PlayerError>(())
/// ```
pub trait Thinker: Player {
    /// Starts to think about `position`; a thought that has begun before is abandoned. Little happens before the first
    /// [`Thinker::step`].
    ///
    /// # Errors
    /// [`PlayerError::NoMove`] when there is no legal move.
    ///
    /// # Panics
    /// When a move of [`Task::among`] is not legal.
    fn begin(&mut self, position: &Position, task: &Task<'_>) -> Result<(), PlayerError>;

    /// Goes on until about so many more positions are visited, there is news, or the task is done. A step visits at
    /// least one position and overshoots by at most some hundred.
    ///
    /// # Panics
    /// When no thought has begun.
    fn step(&mut self, visits: u64) -> Stepped;

    /// What the player would choose now: after the first step always a move, and nothing when no thought has begun.
    fn answer(&self) -> Option<Choice>;

    /// Ends the thought. What the player has learnt for later moves stays.
    fn abandon(&mut self);

    /// The visits of a step that takes some 0.1 to 2 ms natively: often enough to ask a clock.
    fn pace(&self) -> u64;
}

impl<T: Thinker + ?Sized> Thinker for Box<T> {
    fn begin(&mut self, position: &Position, task: &Task<'_>) -> Result<(), PlayerError> {
        (**self).begin(position, task)
    }

    fn step(&mut self, visits: u64) -> Stepped {
        (**self).step(visits)
    }

    fn answer(&self) -> Option<Choice> {
        (**self).answer()
    }

    fn abandon(&mut self) {
        (**self).abandon();
    }

    fn pace(&self) -> u64 {
        (**self).pace()
    }
}

/// How far a [`Thinker`] has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stepped {
    /// The visits of the step are made; there is more to find.
    Thinking,
    /// The same, and the answer is worth another look: a depth was completed, or half as many visits again were made.
    News,
    /// The task is done, or nothing is left to find. Further steps change nothing.
    Done,
}

/// What a [`Thinker`] is asked. It knows no time: the caller ends a thought when it likes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Task<'a> {
    /// The most positions to visit; unless given, as many as the player visits by itself. A visit limit decides how a
    /// tree search works, so that one search of 400 visits is not two of 200.
    pub visits: Option<u64>,
    /// The most plies to look ahead.
    pub depth: Option<u32>,
    /// The lines that [`Choice::lines`] should have; see [`Limits::lines`].
    pub lines: usize,
    /// The moves to choose from; all legal ones when empty.
    pub among: &'a [Move],
}

impl<'a> Task<'a> {
    /// One line, with no limit but the player's own.
    pub const DEFAULT: Task<'static> = Task { visits: None, depth: None, lines: 1, among: &[] };

    /// One line, until the caller ends it or nothing is left to find.
    pub const ENDLESS: Task<'static> = Task { visits: Some(u64::MAX), ..Task::DEFAULT };

    /// What `limits` ask for but the time. A player that can be stopped has no visit limit of its own.
    pub fn of(limits: &Limits<'a>) -> Task<'a> {
        let visits = limits.visits.or(limits.stop.map(|_| u64::MAX));
        Task { visits, depth: limits.depth, lines: limits.lines, among: limits.among }
    }

    /// The moves to choose from in `position`.
    ///
    /// # Errors
    /// When there is none.
    ///
    /// # Panics
    /// When a move of [`Task::among`] is not legal.
    pub(crate) fn moves(&self, position: &Position, moves: &mut Vec<Move>) -> Result<(), PlayerError> {
        position.moves(moves);
        if moves.is_empty() {
            return Err(PlayerError::NoMove(*position));
        }
        if let Some(illegal) = self.among.iter().find(|m| !position.is_legal(**m)) {
            panic!("{illegal} is not legal in {position}: a task names legal moves");
        }
        if !self.among.is_empty() {
            moves.retain(|m| self.among.contains(m));
        }
        Ok(())
    }
}

impl Default for Task<'_> {
    fn default() -> Self {
        Task::DEFAULT
    }
}

/// Thinks until the task is done or `limits` say so: what [`Player::choose`] does.
///
/// # Errors
/// Those of [`Thinker::begin`].
pub fn think<T: Thinker + ?Sized>(
    thinker: &mut T,
    position: &Position,
    limits: &Limits<'_>,
) -> Result<Choice, PlayerError> {
    thinker.begin(position, &Task::of(limits))?;
    let pace = if limits.stop.is_some() { thinker.pace() } else { u64::MAX };
    loop {
        let stepped = thinker.step(pace);
        if stepped == Stepped::Done || limits.must_stop() {
            break;
        }
        if stepped == Stepped::News
            && let Some(listen) = limits.listen
            && let Some(choice) = thinker.answer()
        {
            listen(&choice);
        }
    }
    let choice = thinker.answer().expect("there is an answer after the first step");
    thinker.abandon();
    Ok(choice)
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_search::fakes::OpinionatedEvaluator;

    use super::*;
    use crate::testing::wander;
    use crate::{ClassicalPlayer, Level, LevelPlayer, MATCH_CONFIG, SearchPlayer};

    /// One of each kind, with a visit limit for it: below and above where a network's search changes its mode.
    fn players() -> Vec<(Box<dyn Thinker>, Option<u64>)> {
        let searcher = || -> Box<dyn Thinker> {
            let evaluator = OpinionatedEvaluator { seed: 1 };
            Box::new(SearchPlayer::new("insane", evaluator, MATCH_CONFIG, 50).expect("valid constants"))
        };
        let mut players: Vec<(Box<dyn Thinker>, Option<u64>)> =
            [None, Some(1), Some(199), Some(500)].map(|visits| (searcher(), visits)).into();
        let classical = ClassicalPlayer::with_memory(1).expect("there is memory");
        players.push((Box::new(classical), Some(4000)));
        for level in Level::ALL {
            players.push((Box::new(LevelPlayer::new(level)), None));
        }
        players
    }

    /// Thinks in steps of one size, and asks for the answer after each.
    fn in_steps(player: &mut dyn Thinker, position: &Position, task: &Task<'_>, size: u64) -> Choice {
        player.begin(position, task).expect("there is a move");
        while player.step(size) != Stepped::Done {
            let so_far = player.answer().expect("an answer after a step");
            assert!(position.is_legal(so_far.best));
        }
        assert_eq!(player.step(size), Stepped::Done, "what is done stays done");
        player.answer().expect("an answer at the end")
    }

    /// Two moves of a game, so that what a player keeps from move to move counts too.
    #[test]
    fn steps_of_any_size_choose_as_one_thought() {
        for board in Board::PLAYED {
            for plies in [2, 12] {
                let first = wander(board, 4, plies);
                let sizes = [Some(1), Some(7), Some(300), None];
                for (mut whole, visits) in players() {
                    whole.new_game(3);
                    let limits = Limits { visits, lines: 2, ..Limits::NONE };
                    let choice = whole.choose(&first, &limits).expect("a move");
                    let second = first.play_unchecked(choice.best);
                    let answer = whole.choose(&second, &limits).expect("a move");
                    for size in sizes {
                        let size = size.unwrap_or(u64::MAX);
                        whole.new_game(3);
                        let task = Task { visits, lines: 2, ..Task::DEFAULT };
                        let name = whole.name().to_owned();
                        let stepped = in_steps(&mut whole, &first, &task, size);
                        assert_eq!(stepped, choice, "{name} on {first}, {size} at a time");
                        let stepped = in_steps(&mut whole, &second, &task, size);
                        assert_eq!(stepped, answer, "{name} on {second}, {size} at a time");
                    }
                }
            }
        }
    }

    #[test]
    fn a_step_visits_about_as_many_as_it_is_told() {
        let position = wander(Board::EIGHT, 1, 20);
        for (mut player, _) in players().into_iter().take(5) {
            player.begin(&position, &Task::ENDLESS).expect("there is a move");
            let mut before = 0;
            for step in 1..=30 {
                player.step(10);
                let visits = player.answer().expect("an answer after a step").visits;
                assert!(visits <= before + 800, "{}: {visits} after {step} steps", player.name());
                before = visits;
            }
            assert!(before >= 100, "{}: {before}", player.name());
        }
    }

    #[test]
    fn an_abandoned_thought_leaves_the_player_fit_for_the_next() {
        let (one, other) = (wander(Board::SIX, 1, 4), wander(Board::SIX, 2, 9));
        for (mut player, visits) in players() {
            let task = Task { visits, ..Task::DEFAULT };
            assert_eq!(player.answer(), None);
            player.new_game(1);
            let expected = in_steps(&mut player, &one, &task, 50);
            player.new_game(1);
            assert_eq!(player.answer(), None);
            player.begin(&other, &Task::ENDLESS).expect("there is a move");
            player.step(20);
            player.abandon();
            assert_eq!(player.answer(), None, "{}", player.name());
            // Without an end to the thought before.
            player.begin(&other, &Task::ENDLESS).expect("there is a move");
            player.step(1);
            let choice = in_steps(&mut player, &one, &task, 50);
            if player.name() == "classical" {
                assert!(one.is_legal(choice.best), "its table remembers the other position");
            } else {
                assert_eq!(choice, expected, "{}", player.name());
            }
        }
    }

    #[test]
    fn a_restricted_thought_chooses_among_its_moves() {
        let position = wander(Board::SIX, 3, 6);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let among = [moves[3], moves[moves.len() - 2]];
        for (mut player, visits) in players() {
            let task = Task { visits, lines: 5, among: &among, ..Task::DEFAULT };
            let choice = in_steps(&mut player, &position, &task, 9);
            assert!(among.contains(&choice.best), "{}: {choice:?}", player.name());
            assert!(choice.lines.iter().all(|line| among.contains(&line.moves[0])), "{choice:?}");
            // The restriction ends with the thought.
            let alone = Task { visits, ..Task::DEFAULT };
            let free = in_steps(&mut player, &position, &alone, 9);
            player.new_game(0);
            let fresh = in_steps(&mut player, &position, &alone, 9);
            assert!(player.name() == "classical" || free == fresh, "{}", player.name());
        }
    }

    #[test]
    fn a_depth_limit_is_kept() {
        let position = wander(Board::SIX, 3, 10);
        for (mut player, _) in players().into_iter().take(5) {
            for most in 1..=3 {
                let task = Task { depth: Some(most), ..Task::ENDLESS };
                player.new_game(0);
                let choice = in_steps(&mut player, &position, &task, 64);
                assert!(choice.depth <= most, "{}: {choice:?}", player.name());
                assert!(position.is_legal(choice.best));
            }
        }
    }

    #[test]
    #[should_panic(expected = "is not legal")]
    fn a_task_names_legal_moves() {
        let position = wander(Board::SIX, 3, 6);
        let m = Move { from: position.arrows().first().expect("an arrow"), ..some_move(&position) };
        let _ = LevelPlayer::new(Level::Easy).begin(&position, &Task { among: &[m], ..Task::DEFAULT });
    }

    fn some_move(position: &Position) -> Move {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves[0]
    }
}

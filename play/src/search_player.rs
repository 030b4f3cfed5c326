//! Insane: an evaluator with search.

use std::fmt;

use hippolyta_game::{Move, Position};
use hippolyta_search::{
    ConfigError, Evaluation, Evaluator, Mode, MoveStats, Plan, Search, SearchConfig, SearchResult, Step,
};

use crate::player::{Choice, Limits, Line, Player, PlayerError};
use crate::thinker::{Stepped, Task, Thinker, think};

/// Fewest visits from which PUCT selects the moves; with fewer, sequential halving without noise does.
const MANY_VISITS: u32 = 200;
/// The most moves that sequential halving starts from.
const CONSIDERED: u32 = 16;

/// Evaluations after which a listener first hears of a search; then always after half as many again.
const FIRST_TOLD: u64 = 64;

/// The constants of a search in play: those of the literature (see [`SearchConfig`]), and a tree of at most some
/// 300 MB.
pub const MATCH_CONFIG: SearchConfig = SearchConfig {
    c_visit: 50.0,
    c_scale: 1.0,
    puct_init: 1.25,
    puct_base: 19652.0,
    fpu_reduction: 0.2,
    max_children: 64,
    max_nodes: 200_000,
    endgame_squares: 12,
    endgame_nodes: 100,
};

/// A player that searches with an evaluator, which is usually a network. It is never random: the seed of
/// [`Player::new_game`] changes nothing.
///
/// What it has found it keeps from move to move, as long as the positions follow each other.
pub struct SearchPlayer<E> {
    name: String,
    evaluator: E,
    search: Search,
    default_visits: u32,
    /// The position that was searched last.
    last: Option<Position>,
    thought: Option<Thought>,
    moves: Vec<Move>,
    answer: Evaluation,
}

/// A search in progress.
struct Thought {
    /// How many lines are wanted.
    lines: usize,
    most_depth: u32,
    evaluations: u64,
    /// Evaluations after which there is news.
    news_at: u64,
}

impl<E> fmt::Debug for SearchPlayer<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SearchPlayer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<E: Evaluator> SearchPlayer<E> {
    /// A player that makes `default_visits` visits a move when nothing limits it.
    ///
    /// # Errors
    /// The first value of `config` that is out of its range.
    pub fn new(
        name: &str,
        evaluator: E,
        config: SearchConfig,
        default_visits: u32,
    ) -> Result<SearchPlayer<E>, ConfigError> {
        let search = Search::new(config)?;
        let name = name.to_owned();
        Ok(SearchPlayer {
            name,
            evaluator,
            search,
            default_visits,
            last: None,
            thought: None,
            moves: Vec::new(),
            answer: Evaluation::default(),
        })
    }

    /// Moves the root of the tree to `position` when one or two moves lead there from the last one.
    fn follow(&mut self, position: &Position) {
        let Some(last) = self.last else { return };
        if let Some(m) = move_between(&last, position) {
            self.search.advance(m);
        } else if let Some(chosen) = self.search.best()
            && let Some(answer) = move_between(&last.play_unchecked(chosen), position)
        {
            self.search.advance(chosen);
            self.search.advance(answer);
        }
    }

    /// What was found, with whole lines for the best moves and the bare moves of all others that were visited.
    fn choice(&self, result: &SearchResult, whole: usize) -> Choice {
        let mut visited: Vec<&MoveStats> = result.moves.iter().collect();
        visited.sort_by(|a, b| {
            let is_chosen = |stats: &MoveStats| stats.mv == result.chosen;
            is_chosen(b).cmp(&is_chosen(a)).then(b.visits.cmp(&a.visits)).then(b.value.total_cmp(&a.value))
        });
        let line = |(place, stats): (usize, &&MoveStats)| {
            let mut moves = vec![stats.mv];
            if place < whole.max(1) {
                self.search.line_of(stats.mv, &mut moves);
            }
            Line { value: stats.value, moves }
        };
        let mut lines: Vec<Line> = visited.iter().enumerate().map(line).collect();
        if lines.first().is_none_or(|line| line.moves[0] != result.chosen) {
            // Without a visit the network's own opinion is all there is.
            lines.insert(0, Line { value: result.value, moves: vec![result.chosen] });
        }
        Choice { best: result.chosen, lines, visits: u64::from(result.visits), depth: result.depth }
    }
}

impl<E: Evaluator> Player for SearchPlayer<E> {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, _seed: u64) {
        self.abandon();
        self.search.clear();
        self.last = None;
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        think(self, position, limits)
    }
}

impl<E: Evaluator> Thinker for SearchPlayer<E> {
    fn begin(&mut self, position: &Position, task: &Task<'_>) -> Result<(), PlayerError> {
        self.abandon();
        task.moves(position, &mut self.moves)?;
        let visits =
            task.visits.map_or(self.default_visits, |visits| u32::try_from(visits).unwrap_or(u32::MAX));
        let mode = if visits < MANY_VISITS {
            Mode::Gumbel { considered: CONSIDERED.min(visits / 4).max(2), noise: None }
        } else {
            Mode::Puct
        };
        self.follow(position);
        self.search.begin_among(position, &Plan { visits, mode }, task.among);
        self.last = Some(*position);
        self.thought = Some(Thought {
            lines: task.lines,
            most_depth: task.depth.map_or(u32::MAX, |depth| depth.max(1)),
            evaluations: 0,
            news_at: FIRST_TOLD,
        });
        Ok(())
    }

    /// Each visit of a step is an evaluation, the root's among them, or up to 64 visits whose values are exact.
    fn step(&mut self, visits: u64) -> Stepped {
        let thought = self.thought.as_mut().expect("a step goes on with a thought that has begun");
        for _ in 0..visits.max(1) {
            if self.search.depth() >= thought.most_depth {
                return Stepped::Done;
            }
            match self.search.gather() {
                Step::Evaluate => {
                    let query =
                        self.search.query().expect("a search that asks for an evaluation has a query");
                    self.evaluator.evaluate(&[query], std::slice::from_mut(&mut self.answer));
                    self.search.apply(&self.answer);
                    thought.evaluations += 1;
                }
                Step::Pause => {}
                Step::Done => return Stepped::Done,
            }
            if thought.evaluations == thought.news_at {
                thought.news_at += thought.news_at / 2;
                return Stepped::News;
            }
        }
        Stepped::Thinking
    }

    fn answer(&self) -> Option<Choice> {
        let thought = self.thought.as_ref()?;
        Some(self.choice(&self.search.result()?, thought.lines))
    }

    fn abandon(&mut self) {
        self.thought = None;
    }

    fn pace(&self) -> u64 {
        1
    }
}

/// The legal move that leads from one position to the other.
pub(crate) fn move_between(before: &Position, after: &Position) -> Option<Move> {
    if before.board() != after.board() {
        return None;
    }
    let side = before.side();
    let (old, new) = (before.amazons(side), after.amazons(side));
    let m = Move {
        from: (old - new).first()?,
        to: (new - old).first()?,
        arrow: (after.arrows() - before.arrows()).first()?,
    };
    before.play(m).ok().filter(|next| next == after).map(|_| m)
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use hippolyta_game::Board;
    use hippolyta_search::fakes::OpinionatedEvaluator;
    use hippolyta_search::{Query, UniformEvaluator};
    use proptest::prelude::*;

    use super::*;
    use crate::level::{Level, LevelPlayer};
    use crate::territory::QueenTerritory;
    use crate::testing::{score, wander};

    fn player<E: Evaluator>(evaluator: E) -> SearchPlayer<E> {
        SearchPlayer::new("insane", evaluator, MATCH_CONFIG, 50).expect("the constants are valid")
    }

    /// Judges by territory: a stand-in for a network that knows something.
    struct Territorial;

    impl Evaluator for Territorial {
        fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
            let lead = |position: &Position| QueenTerritory::of(position).lead() as f32 / 30.0;
            for (query, answer) in queries.iter().zip(answers) {
                answer.value = lead(query.position).tanh();
                answer.logits.clear();
                answer
                    .logits
                    .extend(query.moves.iter().map(|m| -4.0 * lead(&query.position.play_unchecked(*m))));
            }
        }
    }

    #[test]
    fn limits_are_kept() {
        let position = wander(Board::SIX, 1, 4);
        let mut player = player(OpinionatedEvaluator { seed: 1 });
        let visits = |player: &mut SearchPlayer<_>, limits: &Limits<'_>| {
            player.new_game(0);
            player.choose(&position, limits).expect("a move").visits
        };
        assert_eq!(visits(&mut player, &Limits::NONE), 50);
        assert_eq!(visits(&mut player, &Limits::visits(7)), 7);
        assert_eq!(visits(&mut player, &Limits::visits(300)), 300);
        assert_eq!(visits(&mut player, &Limits::until(&|| true)), 0);
        let left = Cell::new(20);
        let stop = || left.replace(left.get() - 1) == 0;
        assert_eq!(visits(&mut player, &Limits::until(&stop)), 20);
    }

    #[test]
    fn a_first_line_begins_with_the_choice() {
        let position = wander(Board::SIX, 2, 6);
        for visits in [1, 40, 400] {
            let choice = player(OpinionatedEvaluator { seed: 1 }).choose(&position, &Limits::visits(visits));
            let choice = choice.expect("a move");
            assert_eq!(choice.lines[0].moves[0], choice.best);
            assert!(choice.lines.len() as u64 <= visits.max(1));
        }
    }

    #[test]
    fn the_tree_is_kept_from_move_to_move() {
        let mut player = player(Territorial);
        let position = wander(Board::SIX, 3, 2);
        let choice = player.choose(&position, &Limits::visits(400)).expect("a move");
        let [best, answer] = choice.lines[0].moves[..2] else { panic!("a line of two moves: {choice:?}") };
        let next = position.play(best).and_then(|next| next.play(answer)).expect("legal moves");
        let kept = player.choose(&next, &Limits::visits(400)).expect("a move");
        player.new_game(0);
        let fresh = player.choose(&next, &Limits::visits(400)).expect("a move");
        assert_ne!(kept.lines, fresh.lines, "visits of the first search count in the second");
    }

    #[test]
    fn no_move_is_an_error() {
        let lost: Position = "Q*4/**4/6/6/6/5q w".parse().expect("a position");
        let result = player(UniformEvaluator).choose(&lost, &Limits::NONE);
        assert_eq!(result, Err(PlayerError::NoMove(lost)));
    }

    #[test]
    fn search_over_territory_beats_medium() {
        let (mut insane, mut medium) = (player(Territorial), LevelPlayer::new(Level::Medium));
        let score = score(Board::SIX, &mut insane, &mut medium, 20, Limits::visits(100));
        assert!(score >= 0.7, "{score}");
    }

    proptest! {
        #[test]
        fn the_move_between_is_found(seed: u64, plies in 0..20usize, board in 0..3usize) {
            let before = wander(Board::PLAYED[board], seed, plies);
            let after = wander(Board::PLAYED[board], seed, plies + 1);
            let found = move_between(&before, &after).map(|m| before.play(m));
            prop_assert_eq!(found, (before != after).then_some(Ok(after)));
            prop_assert_eq!(move_between(&after, &before), None);
        }
    }
}

//! The classical program: no network, an evaluation by distances and alpha-beta search.

mod alpha_beta;
mod fit;
mod table;
mod terms;
mod tests;
mod trial;
mod weights;

use std::fmt;

use hippolyta_game::{Move, Position};
use hippolyta_search::winning_move;
use thiserror::Error;

use self::alpha_beta::{AlphaBeta, Ranking};
use self::table::Candidate;
use self::trial::Trial;
use self::weights::LIMIT;
pub(crate) use self::weights::{WON, assess, expected};
use crate::dice::Dice;
use crate::player::{Choice, Limits, Line, Player, PlayerError};
use crate::thinker::{Stepped, Task, Thinker, think};

/// Evaluations a move when nothing limits the player.
const DEFAULT_VISITS: u64 = 200_000;
/// Moves of the position at the root that are searched.
const ROOT_WIDTH: usize = 60;
/// No search is deeper.
const MOST_DEPTH: u32 = 92;

/// The best player without a network: alpha-beta search with an evaluation by queen and king distances, one thread.
///
/// [`Limits::visits`] counts evaluations. Every move is looked at once, even when that is more; with no limit
/// it makes 200,000 evaluations a move. The seed only orders moves that look equally good.
#[derive(Clone)]
pub struct ClassicalPlayer {
    search: AlphaBeta,
    thought: Option<Thought>,
    seed: u64,
}

/// A position that is being thought about.
#[derive(Clone)]
struct Thought {
    position: Position,
    /// The moves to choose from.
    moves: Vec<Move>,
    /// How many lines are wanted.
    lines: usize,
    most_depth: u32,
    /// The depth that was searched completely.
    depth: u32,
    /// The moves that are searched, the best first.
    root: Vec<Candidate>,
    stage: Stage,
}

#[derive(Clone)]
enum Stage {
    /// The moves are put in order.
    Ranking(Ranking),
    /// The moves are searched one ply deeper than [`Thought::depth`]: those before `place` have been, and that at
    /// `place` is on trial if it has begun.
    Deepening {
        place: usize,
        trial: Option<Trial>,
    },
    /// There was a move that wins at once.
    Won(Move),
    Done,
}

impl fmt::Debug for ClassicalPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClassicalPlayer").field("seed", &self.seed).finish_non_exhaustive()
    }
}

impl ClassicalPlayer {
    /// Memory for its table, in MiB, unless it is given more or less.
    pub const DEFAULT_MEMORY: usize = 64;

    /// A player whose seed is 0 until [`Player::new_game`] gives another.
    pub fn new() -> ClassicalPlayer {
        ClassicalPlayer::with_memory(Self::DEFAULT_MEMORY)
            .expect("there is memory for a table of the usual size")
    }

    /// The same with a table of at most about `mib` MiB: of so many positions it remembers what it found, those that
    /// were met last.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn with_memory(mib: usize) -> Result<ClassicalPlayer, NoMemory> {
        let search = AlphaBeta::new(mib.saturating_mul(1 << 20)).map_err(|_| NoMemory(mib))?;
        Ok(ClassicalPlayer { search, thought: None, seed: 0 })
    }
}

/// There is no memory for a table of so many MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is no memory for a table of {0} MiB")]
pub struct NoMemory(pub usize);

impl Default for ClassicalPlayer {
    fn default() -> ClassicalPlayer {
        ClassicalPlayer::new()
    }
}

impl Player for ClassicalPlayer {
    fn name(&self) -> &'static str {
        "classical"
    }

    fn new_game(&mut self, seed: u64) {
        self.abandon();
        self.seed = seed;
        self.search.table.clear();
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        think(self, position, limits)
    }
}

impl Thinker for ClassicalPlayer {
    fn begin(&mut self, position: &Position, task: &Task<'_>) -> Result<(), PlayerError> {
        self.abandon();
        let mut moves = Vec::new();
        task.moves(position, &mut moves)?;
        self.search.begin(task.visits.unwrap_or(DEFAULT_VISITS));
        let stage = match winning_move(position, &moves) {
            Some(winning) => Stage::Won(moves[winning]),
            None => Stage::Ranking(Ranking::default()),
        };
        let (lines, most_depth) = (task.lines, task.depth.map_or(MOST_DEPTH, |depth| depth.min(MOST_DEPTH)));
        let position = *position;
        self.thought =
            Some(Thought { position, moves, lines, most_depth, depth: 1, root: Vec::new(), stage });
        Ok(())
    }

    fn step(&mut self, visits: u64) -> Stepped {
        let thought = self.thought.as_mut().expect("a step goes on with a thought that has begun");
        thought.step(&mut self.search, self.seed, visits.max(1))
    }

    fn answer(&self) -> Option<Choice> {
        self.thought.as_ref().map(|thought| thought.answer(&self.search))
    }

    fn abandon(&mut self) {
        self.thought = None;
    }

    fn pace(&self) -> u64 {
        128
    }
}

impl Thought {
    fn step(&mut self, search: &mut AlphaBeta, seed: u64, visits: u64) -> Stepped {
        let until = search.visits.saturating_add(visits);
        if let Stage::Ranking(ranking) = &mut self.stage {
            if !search.rank_root(&self.position, &self.moves, ranking, ROOT_WIDTH, until) {
                return Stepped::Thinking;
            }
            self.root = std::mem::take(&mut ranking.seen);
            // The sort is stable, so equal ones stay in the order of the lots.
            let mut dice = Dice::new(seed, &self.position);
            self.root.sort_by_cached_key(|_| dice.bits());
            self.root.sort_by_key(|candidate| std::cmp::Reverse(candidate.value));
            self.lines = self.lines.clamp(1, self.root.len());
            self.stage = Stage::Deepening { place: 0, trial: None };
        }
        while let Stage::Deepening { place, trial } = self.stage {
            if place == 0 && trial.is_none() && self.is_finished() {
                self.stage = Stage::Done;
            } else if place == self.root.len()
                || (place >= self.lines && self.root[self.lines - 1].value >= WON)
            {
                self.depth += 1;
                self.stage = Stage::Deepening { place: 0, trial: None };
                return Stepped::News;
            } else if !self.search_move(search, place, trial, until) {
                return Stepped::Thinking;
            }
        }
        Stepped::Done
    }

    /// Whether another depth would change nothing or is not wanted.
    fn is_finished(&self) -> bool {
        self.depth >= self.most_depth || self.root[0].value.abs() >= WON || self.root.len() == 1
    }

    /// Goes on with searching the root's move at `place` until its value is known, the limit is reached, or so many
    /// visits have been made in all, and then gives `false`. The best moves, as many as there are lines, come first in
    /// their order; when the limit ends the search, the best of what was searched is first all the same.
    fn search_move(
        &mut self,
        search: &mut AlphaBeta,
        place: usize,
        trial: Option<Trial>,
        until: u64,
    ) -> bool {
        let Thought { lines, ref mut root, .. } = *self;
        // What a move has to beat: the last line of those so far.
        let (alpha, late) = if place < lines { (-WON - 1, 0) } else { (root[lines - 1].value, place) };
        let mut trial = trial.unwrap_or_else(|| {
            let next = self.position.play_unchecked(root[place].m);
            let trial = Trial::new(next, self.depth + 1, (alpha, WON + 1), late);
            search.begin_trial(&trial);
            trial
        });
        let value = if trial.is_won() { Ok(Some(WON)) } else { search.resume(&mut trial, until) };
        match value {
            Err(_) => self.stage = Stage::Done,
            Ok(None) => {
                self.stage = Stage::Deepening { place, trial: Some(trial) };
                return false;
            }
            Ok(Some(value)) => {
                root[place].value = value;
                if value > alpha {
                    let better =
                        root[..place].iter().take(lines).take_while(|other| other.value >= value).count();
                    root[better..=place].rotate_right(1);
                }
                self.stage = Stage::Deepening { place: place + 1, trial: None };
            }
        }
        true
    }

    /// What was found so far, with a line for each of the best moves.
    fn answer(&self, search: &AlphaBeta) -> Choice {
        let visits = search.visits;
        match &self.stage {
            Stage::Won(best) => {
                let lines = vec![Line { value: 1.0, moves: vec![*best] }];
                return Choice { best: *best, lines, visits: 1, depth: 1 };
            }
            Stage::Ranking(ranking) => {
                // Not even time to look at each move.
                let best = ranking.seen.iter().max_by_key(|candidate| candidate.value);
                return Choice { visits, ..Choice::unweighed(best.map_or(self.moves[0], |best| best.m)) };
            }
            Stage::Deepening { .. } | Stage::Done => {}
        }
        // A loss is sure only when all moves were searched.
        let is_narrowed = self.root.len() < self.moves.len();
        let line = |candidate: &Candidate| {
            let value = if is_narrowed { candidate.value.max(-LIMIT) } else { candidate.value };
            let moves = search.table.principal_variation(&self.position, candidate.m);
            Line { value: expected(value), moves }
        };
        let mut lines: Vec<Line> = self.root[..self.lines].iter().map(line).collect();
        // A search that was stopped may hold values of two depths.
        lines[1..].sort_by(|a, b| b.value.total_cmp(&a.value));
        Choice { best: self.root[0].m, lines, visits, depth: self.depth }
    }
}

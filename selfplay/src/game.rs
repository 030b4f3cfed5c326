//! One game of self-play: which search each ply gets, which move is played, what is recorded.

use std::mem;

use hippolyta_game::{Move, Position, Side, TerritoryCounter};
use hippolyta_search::{Mode, Outcome as Proof, Plan, Search, SearchResult, Step};

use crate::choice::{Draw, Purpose};
use crate::config::SelfplayConfig;
use crate::outcome::Outcome;
use crate::record::{GameRecord, ModelHash, Opening, OpeningKind, SearchedPly, VisitedMove};
use crate::searches::SearchSizes;
use crate::uniform::UniformStarts;

/// Where a game is and what it has recorded. Everything in it follows from its seed and the evaluator's answers.
#[derive(Debug)]
pub(crate) struct Game<'a> {
    config: &'a SelfplayConfig,
    sizes: SearchSizes,
    seed: u64,
    /// The start and the position after each move.
    positions: Vec<Position>,
    moves: Vec<Move>,
    searched: Vec<SearchedPly>,
    evaluations: u32,
    visits: u32,
    opening: Opening,
    /// While the network has not been asked about a start that is drawn from all moves alike: where it came from.
    unjudged: Option<UniformStarts>,
    /// Evaluations of starts since the last ply.
    judging: u32,
    streak: Streak,
    winner: Option<Side>,
}

/// What a step of a game came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The game needs the answer to its search's query, if there is one, and then another step.
    Waits,
    /// A move was played; the game may be over.
    Played(PlyCost),
}

/// What a ply took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct PlyCost {
    /// Whether it was searched in full.
    pub(crate) full: bool,
    pub(crate) evaluations: u32,
    pub(crate) visits: u32,
}

/// Searches in a row whose values are all beyond the limit of soft adjudication for the same side.
#[derive(Clone, Copy, Debug, Default)]
struct Streak {
    side: Option<Side>,
    length: u32,
}

impl Streak {
    /// Counts a value for `side` to move.
    fn count(&mut self, side: Side, value: f32, limit: f64) {
        let leader = (f64::from(value.abs()) > limit).then_some(if value > 0.0 { side } else { !side });
        let length = if leader == self.side { self.length } else { 0 };
        *self = Streak { side: leader, length: if leader.is_some() { length + 1 } else { 0 } };
    }
}

impl<'a> Game<'a> {
    /// A new game of a generation; `search` is set to work on its first ply.
    pub(crate) fn new(
        config: &'a SelfplayConfig,
        generation: u32,
        seed: u64,
        search: &mut Search,
    ) -> Game<'a> {
        let start = config.boards.start(generation, Draw::new(seed, 0, Purpose::Board));
        let lengths = Draw::new(seed, 0, Purpose::OpeningLength);
        let plies = lengths.below(config.opening_plies as usize + 1) as u16;
        let is_uniform = Draw::new(seed, 0, Purpose::OpeningKind).unit() < config.uniform_share;
        let mut game = Game {
            config,
            sizes: config.searches.of(generation),
            seed,
            positions: vec![start],
            moves: Vec::new(),
            searched: Vec::new(),
            evaluations: 0,
            visits: 0,
            opening: Opening { kind: OpeningKind::Policy, plies },
            unjudged: is_uniform.then(|| UniformStarts::new(config, seed)),
            judging: 0,
            streak: Streak::default(),
            winner: None,
        };
        game.draw_start();
        // Nothing of an earlier game may reach this one.
        search.clear();
        search.begin(game.position(), &game.plan());
        game
    }

    /// Draws the next start from all moves alike, if this game has one; the game begins without when there is none.
    fn draw_start(&mut self) {
        let Some(starts) = &mut self.unjudged else { return };
        self.positions.truncate(1);
        self.moves.clear();
        if let Some(drawn) = starts.next(&self.positions[0]) {
            self.opening = Opening { kind: OpeningKind::Uniform, plies: drawn.len() as u16 };
            for (m, position) in drawn {
                self.moves.push(m);
                self.positions.push(position);
            }
        } else {
            self.opening = Opening { kind: OpeningKind::Uniform, plies: 0 };
            self.unjudged = None;
        }
    }

    /// Keeps a drawn start that the network holds for open, and draws another instead of a decided one.
    fn judge(&mut self, result: &SearchResult) {
        self.evaluations += result.network_calls;
        self.judging += result.network_calls;
        if f64::from(result.network_value.abs()) > self.config.uniform_value {
            self.draw_start();
        } else {
            self.unjudged = None;
        }
    }

    /// Takes the game to where it needs an evaluation, or to the end of its ply.
    pub(crate) fn step(&mut self, search: &mut Search, territory: &mut TerritoryCounter) -> Event {
        let result = loop {
            match search.gather() {
                Step::Evaluate | Step::Pause => return Event::Waits,
                Step::Done => {}
            }
            let result = search.result().expect("a search that is done has evaluated its root");
            if self.unjudged.is_none() {
                break result;
            }
            self.judge(&result);
            search.begin(self.position(), &self.plan());
        };
        self.evaluations += result.network_calls;
        self.visits += result.visits;
        let cost = PlyCost {
            full: !self.is_opening() && self.is_full(),
            evaluations: result.network_calls + mem::take(&mut self.judging),
            visits: result.visits,
        };
        let m = self.choose(search, &result);
        if !self.is_opening() {
            self.record(&result);
        }
        let position = self.position().play_unchecked(m);
        self.moves.push(m);
        self.positions.push(position);
        self.winner =
            if self.config.end_by_verdict { territory.verdict(&position) } else { position.winner() };
        if self.winner.is_none() {
            search.begin(&position, &self.plan());
        }
        Event::Played(cost)
    }

    /// The winner, once the game is over.
    pub(crate) fn winner(&self) -> Option<Side> {
        self.winner
    }

    /// Takes the record of a game that is over.
    pub(crate) fn finish(&mut self, generation: u32, game: u32, model: ModelHash) -> GameRecord {
        let winner = self.winner.expect("only a game that is over is recorded");
        GameRecord {
            generation,
            game,
            seed: self.seed,
            model,
            start: self.positions[0],
            // A game can be over before its opening is.
            opening: Opening { plies: self.opening.plies.min(self.moves.len() as u16), ..self.opening },
            outcome: Outcome::of(&self.positions, winner),
            moves: mem::take(&mut self.moves),
            searched: mem::take(&mut self.searched),
            evaluations: self.evaluations,
            visits: self.visits,
        }
    }

    fn position(&self) -> &Position {
        self.positions.last().expect("a game has its start")
    }

    fn ply(&self) -> usize {
        self.moves.len()
    }

    fn draw(&self, purpose: Purpose) -> Draw {
        Draw::new(self.seed, self.ply(), purpose)
    }

    fn is_opening(&self) -> bool {
        self.ply() < usize::from(self.opening.plies)
    }

    /// Whether this ply is one of those searched in full.
    fn is_full(&self) -> bool {
        self.draw(Purpose::FullSearch).unit() < self.config.full_share
    }

    fn is_decided(&self) -> bool {
        self.streak.length >= self.config.decided_turns
    }

    /// What is to be searched before the next move.
    fn plan(&self) -> Plan {
        let (config, sizes) = (self.config, self.sizes);
        if self.is_opening() || self.unjudged.is_some() {
            // The evaluation of the root, and no visit.
            return Plan { visits: 0, mode: Mode::Puct };
        }
        let (visits, considered, noise) = if self.is_full() {
            (sizes.full_visits, sizes.full_considered, Some(self.draw(Purpose::SearchNoise).seed()))
        } else {
            (sizes.quick_visits, sizes.quick_considered, None)
        };
        let visits = if self.is_decided() { visits.min(config.decided_visits) } else { visits };
        let considered = considered.min(SearchSizes::most_considered(visits));
        Plan { visits, mode: Mode::Gumbel { considered, noise } }
    }

    fn choose(&self, search: &Search, result: &SearchResult) -> Move {
        if self.is_opening() {
            let temperature = self.config.opening_temperature as f32;
            let drawn = search.sample_prior(temperature, self.draw(Purpose::OpeningMove).seed());
            return drawn.expect("the root is evaluated");
        }
        let temperature = self.config.move_temperature(self.position().board(), self.ply());
        result.sample(temperature as f32, self.draw(Purpose::Move).seed())
    }

    fn record(&mut self, result: &SearchResult) {
        let proven = result.outcome != Proof::Open;
        let mut visited: Vec<_> =
            result.moves.iter().map(|stats| VisitedMove { mv: stats.mv, mass: stats.improved }).collect();
        visited.sort_unstable_by_key(|visited| visited.mv);
        self.searched.push(SearchedPly {
            ply: self.ply() as u16,
            full: self.is_full(),
            value: result.value,
            // Masses that do not quite sum to 1 must not blur what is exact.
            improved_value: if proven { result.value } else { result.improved_value },
            proven,
            network_value: result.network_value,
            surprise: result.surprise,
            weight: if self.is_decided() { self.config.decided_weight } else { 1.0 },
            visited,
        });
        let side = self.position().side();
        self.streak.count(side, result.value, self.config.decided_value);
    }
}

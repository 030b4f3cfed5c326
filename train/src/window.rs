//! The replay window: the last games of a run, and which of their positions a step trains on.

use std::collections::VecDeque;

use hippolyta_game::{Board, Position};
use hippolyta_search::seed;
use hippolyta_selfplay::{GameRecord, Outcome, VisitedMove};

use crate::config::WindowConfig;

/// The last positions of a run that were searched in full, with what their games showed. Only games that overlap
/// the window are held: 96 bytes a position and 8 a visited move.
#[derive(Debug)]
pub struct ReplayWindow {
    config: WindowConfig,
    games: VecDeque<Game>,
    /// Positions in `games`.
    held: u64,
    /// Positions of all games so far.
    made: u64,
    games_made: u64,
    boards: Vec<BoardIndex>,
}

#[derive(Debug)]
struct Game {
    generation: u32,
    board: Board,
    outcome: Outcome,
    plies: Box<[Ply]>,
    visited: Box<[VisitedMove]>,
}

#[derive(Debug)]
struct Ply {
    position: Position,
    root_value: f32,
    proven: bool,
    weight: f32,
    surprise: f32,
    visited_end: u32,
}

/// The window's positions on one board, to be drawn from by weight.
#[derive(Debug)]
struct BoardIndex {
    board: Board,
    places: Vec<Place>,
    /// The sum of the weights up to and with each place.
    cumulative: Vec<f64>,
}

#[derive(Clone, Copy, Debug)]
struct Place {
    game: u32,
    ply: u32,
}

/// A position to train on. Values are for the side to move.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// The position, with at least one legal move.
    pub position: &'a Position,
    /// How its game ended.
    pub outcome: &'a Outcome,
    /// The search's value of the position; see [`WindowConfig::improved_value`].
    pub root_value: f32,
    /// The moves that the search visited, ascending, with their mass in the improved policy; none where no policy is to
    /// be learned.
    pub visited: &'a [VisitedMove],
}

impl ReplayWindow {
    /// An empty window.
    pub fn new(config: WindowConfig) -> ReplayWindow {
        ReplayWindow::after(config, 0, 0)
    }

    /// The window of a run that made `games` with `positions` before those that will be added. It is that of the whole
    /// run as soon as the games added fill it (see [`WindowConfig::positions`]).
    pub fn after(config: WindowConfig, games: u64, positions: u64) -> ReplayWindow {
        ReplayWindow {
            config,
            games: VecDeque::new(),
            held: 0,
            made: positions,
            games_made: games,
            boards: Vec::new(),
        }
    }

    /// Adds games, and forgets what has left the window.
    pub fn extend<'a>(&mut self, records: impl IntoIterator<Item = &'a GameRecord>) {
        records.into_iter().for_each(|record| self.push(record));
        self.index();
    }

    /// Positions made so far, those that were forgotten included.
    pub fn made(&self) -> u64 {
        self.made
    }

    /// Games made so far, those that were forgotten included.
    pub fn games_made(&self) -> u64 {
        self.games_made
    }

    /// Positions that samples are drawn from.
    pub fn len(&self) -> usize {
        self.boards.iter().map(|index| index.places.len()).sum()
    }

    /// Whether the window holds no position.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether some position has any weight.
    pub fn can_draw(&self) -> bool {
        self.boards.iter().any(|index| index.cumulative.last().is_some_and(|total| *total > 0.0))
    }

    fn push(&mut self, record: &GameRecord) {
        let mut visited = Vec::new();
        let plies: Box<[Ply]> = record
            .searched_positions()
            .filter(|(_, search)| search.full)
            .map(|(position, search)| {
                let teaches = !search.proven || self.config.proven_policy;
                if teaches {
                    visited.extend_from_slice(&search.visited);
                }
                let proven = search.proven;
                let weight = search.weight * if proven { self.config.proven as f32 } else { 1.0 };
                let surprise = if teaches { search.surprise } else { 0.0 };
                let root_value =
                    if self.config.improved_value { search.improved_value } else { search.value };
                Ply { position, root_value, proven, weight, surprise, visited_end: visited.len() as u32 }
            })
            .collect();
        self.games_made += 1;
        self.made += plies.len() as u64;
        self.held += plies.len() as u64;
        let (generation, board) = (record.generation, record.start.board());
        let outcome = record.outcome;
        self.games.push_back(Game { generation, board, outcome, plies, visited: visited.into() });
        // Here and not only at the end, so that reading a long run's files does not hold them all.
        let wanted = self.config.positions(self.made);
        while let Some(oldest) = self.games.front()
            && self.held - oldest.plies.len() as u64 >= wanted
        {
            self.held -= oldest.plies.len() as u64;
            self.games.pop_front();
        }
    }

    /// Lists the positions of the window by board and weighs them.
    fn index(&mut self) {
        // The oldest game may reach into the window with its last positions only.
        let mut skip = self.held.saturating_sub(self.config.positions(self.made));
        self.boards.clear();
        for (number, game) in self.games.iter().enumerate() {
            let first = skip.min(game.plies.len() as u64) as u32;
            skip -= u64::from(first);
            let at = self.boards.iter().position(|index| index.board == game.board).unwrap_or_else(|| {
                let board = game.board;
                self.boards.push(BoardIndex { board, places: Vec::new(), cumulative: Vec::new() });
                self.boards.len() - 1
            });
            let places = (first..game.plies.len() as u32).map(|ply| Place { game: number as u32, ply });
            self.boards[at].places.extend(places);
        }
        self.boards.sort_unstable_by_key(|index| index.board);
        for index in &mut self.boards {
            index.weigh(&self.games, self.config.surprise);
        }
    }

    /// `count` samples of one board, drawn with replacement. The board is drawn by the weight of its positions, in
    /// [`WindowConfig::current_boards`] of the draws among the boards of the newest generation alone; the draws are
    /// spread evenly over its positions: one from each of `count` strips of equal weight. The same window, seed and
    /// count give the same samples.
    ///
    /// # Panics
    /// Unless [`ReplayWindow::can_draw`].
    pub fn draw(&self, seed: u64, count: usize) -> Vec<Sample<'_>> {
        assert!(self.can_draw(), "nothing to draw from");
        let total = |index: &BoardIndex| index.cumulative.last().copied().unwrap_or(0.0);
        let current = self.current_boards();
        let is_current = |index: &BoardIndex| current.contains(&index.board) && total(index) > 0.0;
        let current_alone =
            unit(seed, &[2]) < self.config.current_boards && self.boards.iter().any(is_current);
        let weighty = || {
            let admits = |index: &&BoardIndex| total(index) > 0.0 && (!current_alone || is_current(index));
            self.boards.iter().filter(admits)
        };
        let mut at = unit(seed, &[0]) * weighty().map(total).sum::<f64>();
        let chosen = weighty().find(|index| {
            at -= total(index);
            at < 0.0
        });
        // Rounding can leave a little after the last.
        let index = chosen.or_else(|| weighty().next_back()).expect("some board has weight");
        (0..count)
            .map(|i| {
                let at = (i as f64 + unit(seed, &[1, i as u64])) / count as f64 * total(index);
                let place = index.cumulative.partition_point(|sum| *sum <= at).min(index.places.len() - 1);
                self.sample(index.places[place])
            })
            .collect()
    }

    /// The boards of the newest generation, the smallest first.
    pub fn current_boards(&self) -> Vec<Board> {
        let newest = self.games.back().map(|game| game.generation);
        let games = self.games.iter().rev().take_while(|game| Some(game.generation) == newest);
        let mut boards: Vec<Board> = games.map(|game| game.board).collect();
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// `count` positions spread evenly over the window, oldest first, whatever their weight; all when there are
    /// fewer. For calibration.
    pub fn spread(&self, count: usize) -> Vec<Position> {
        let all = self.boards.iter().flat_map(|index| index.places.iter().copied());
        self.positions_of(&spread(&all.collect::<Vec<_>>(), count))
    }

    /// [`ReplayWindow::spread`] over the window's positions on the boards of the newest generation.
    pub fn spread_over_current_boards(&self, count: usize) -> Vec<Position> {
        let current = self.current_boards();
        let own = self.boards.iter().filter(|index| current.contains(&index.board));
        let all = own.flat_map(|index| index.places.iter().copied());
        self.positions_of(&spread(&all.collect::<Vec<_>>(), count))
    }

    /// `count` open positions of the newest generation on `board`, spread evenly over its games; all when there are
    /// fewer.
    pub fn newest(&self, board: Board, count: usize) -> Vec<Sample<'_>> {
        let newest = self.games.back().map(|game| game.generation);
        let places = self.boards.iter().filter(|index| index.board == board).flat_map(|index| &index.places);
        let is_wanted = |place: &&Place| {
            let game = &self.games[place.game as usize];
            Some(game.generation) == newest && !game.plies[place.ply as usize].proven
        };
        let all: Vec<Place> = places.filter(is_wanted).copied().collect();
        spread(&all, count).into_iter().map(|place| self.sample(place)).collect()
    }

    fn positions_of(&self, places: &[Place]) -> Vec<Position> {
        places.iter().map(|place| *self.sample(*place).position).collect()
    }

    fn sample(&self, place: Place) -> Sample<'_> {
        let game = &self.games[place.game as usize];
        let ply = &game.plies[place.ply as usize];
        let start = place.ply.checked_sub(1).map_or(0, |before| game.plies[before as usize].visited_end);
        Sample {
            position: &ply.position,
            outcome: &game.outcome,
            root_value: ply.root_value,
            visited: &game.visited[start as usize..ply.visited_end as usize],
        }
    }
}

impl BoardIndex {
    fn weigh(&mut self, games: &VecDeque<Game>, share: f64) {
        let ply = |place: &Place| &games[place.game as usize].plies[place.ply as usize];
        let (mut weights, mut surprise) = (0.0, 0.0);
        for place in &self.places {
            let ply = ply(place);
            weights += f64::from(ply.weight);
            surprise += f64::from(ply.weight) * f64::from(ply.surprise);
        }
        // Without any surprise the uniform share is all there is.
        let per_surprise = if surprise > 0.0 { share * weights / surprise } else { 0.0 };
        let mut sum = 0.0;
        let weigh = |place: &Place| {
            let ply = ply(place);
            sum += f64::from(ply.weight) * (1.0 - share + per_surprise * f64::from(ply.surprise));
            sum
        };
        self.cumulative = self.places.iter().map(weigh).collect();
    }
}

/// `count` of the places, evenly spaced; all when there are fewer.
fn spread(all: &[Place], count: usize) -> Vec<Place> {
    let count = count.min(all.len());
    (0..count).map(|i| all[i * all.len() / count]).collect()
}

/// Uniform in [0, 1).
fn unit(seed: u64, parts: &[u64]) -> f64 {
    (seed::derive(seed, parts) >> 11) as f64 / (1_u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::*;
    use crate::testing::{config, record};

    fn window(scale: f64, games: u64) -> ReplayWindow {
        let mut window = ReplayWindow::new(WindowConfig { scale, ..config().window });
        window.extend(&(0..games).map(|seed| record(Board::SIX, seed)).collect::<Vec<_>>());
        window
    }

    fn full(record: &GameRecord) -> u64 {
        record.searched.iter().filter(|search| search.full).count() as u64
    }

    #[test]
    fn holds_the_last_positions_and_no_more() {
        let window = window(100.0, 60);
        let made: u64 = (0..60).map(|seed| full(&record(Board::SIX, seed))).sum();
        assert_eq!((window.made(), window.games_made()), (made, 60));
        assert_eq!(window.len() as u64, window.config.positions(made));
        assert!(window.len() < made as usize / 2);
        // The newest positions, and the oldest game is held for its last ones only.
        let newest = record(Board::SIX, 59);
        let last = newest.searched_positions().filter(|(_, search)| search.full).last().unwrap().0;
        let places = &window.boards[0].places;
        assert_eq!(*window.sample(*places.last().unwrap()).position, last);
        assert!(window.held - (window.games[0].plies.len() as u64) < window.len() as u64);
    }

    #[test]
    fn draws_are_fixed_by_the_seed_and_cover_the_window() {
        let window = window(1e6, 20);
        let ids = |seed| -> Vec<u64> {
            window.draw(seed, 64).iter().map(|sample| sample.position.hash()).collect()
        };
        assert_eq!(ids(1), ids(1));
        assert_ne!(ids(1), ids(2));
        let mut seen: Vec<u64> = (0..200).flat_map(ids).collect();
        seen.sort_unstable();
        seen.dedup();
        let mut all: Vec<u64> = window.spread(usize::MAX).iter().map(Position::hash).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(seen, all);
    }

    #[test]
    fn surprise_and_adjudication_set_how_often_a_position_is_drawn() {
        let mut game = record(Board::SIX, 1);
        game.searched.retain(|search| search.full);
        game.searched.truncate(4);
        for (search, (weight, surprise)) in
            game.searched.iter_mut().zip([(1.0, 0.0), (1.0, 3.0), (0.5, 0.0), (0.0, 9.0)])
        {
            (search.weight, search.surprise) = (weight, surprise);
        }
        let positions: Vec<Position> = game.searched_positions().map(|(position, _)| position).collect();
        let mut window = ReplayWindow::new(config().window);
        window.extend([&game]);
        let mut counts = HashMap::new();
        for sample in (0..100).flat_map(|seed| window.draw(seed, 100)) {
            *counts.entry(*sample.position).or_insert(0_u32) += 1;
        }
        // Weights sum to 2.5, of which half goes by surprise: all of that to the second position.
        let share = |i: usize| f64::from(*counts.get(&positions[i]).unwrap_or(&0)) / 10_000.0;
        for (i, expected) in [0.5 / 2.5, (0.5 + 1.25) / 2.5, 0.25 / 2.5, 0.0].into_iter().enumerate() {
            assert!((share(i) - expected).abs() < 0.02, "position {i}: {} and {expected}", share(i));
        }
    }

    #[test]
    fn proven_positions_have_their_own_weight_and_no_surprise() {
        let mut game = record(Board::SIX, 1);
        game.searched.retain(|search| search.full);
        game.searched.truncate(3);
        for (search, surprise) in game.searched.iter_mut().zip([1.0, 1.0, 50.0]) {
            search.surprise = surprise;
        }
        game.searched[2].proven = true;
        let mut window =
            ReplayWindow::new(WindowConfig { proven: 0.5, proven_policy: false, ..config().window });
        window.extend([&game]);
        let samples: Vec<Sample<'_>> = (0..100).flat_map(|seed| window.draw(seed, 100)).collect();
        let proven = samples.iter().filter(|sample| sample.visited.is_empty()).count() as f64 / 10_000.0;
        // Weights sum to 2.5; the uniform half gives the proven one its share, the other half nothing.
        assert!((proven - 0.1).abs() < 0.01, "{proven}");
        assert_eq!(window.newest(Board::SIX, 9).len(), 2);
    }

    #[test]
    fn boards_of_the_newest_generation_have_steps_of_their_own() {
        let mut window = ReplayWindow::new(WindowConfig { current_boards: 0.5, ..config().window });
        let old: Vec<GameRecord> = (0..20).map(|seed| record(Board::SIX, seed)).collect();
        window.extend(&old);
        assert_eq!(window.current_boards(), [Board::SIX]);
        let new = GameRecord { generation: 1, ..record(Board::TEN, 1) };
        window.extend([&new]);
        assert_eq!(window.current_boards(), [Board::TEN]);
        assert_eq!(window.newest(Board::TEN, usize::MAX).len() as u64, full(&new));
        assert!(window.newest(Board::SIX, 9).is_empty());
        assert_eq!(window.spread_over_current_boards(usize::MAX).len() as u64, full(&new));
        let draws = (0..1000).map(|seed| window.draw(seed, 2)[0].position.board());
        let share = draws.filter(|board| *board == Board::TEN).count() as f64 / 1000.0;
        let by_weight = full(&new) as f64 / window.len() as f64;
        assert!((share - (0.5 + 0.5 * by_weight)).abs() < 0.05, "{share} {by_weight}");
    }

    #[test]
    fn a_draw_is_of_one_board_and_every_board_gets_its_share() {
        let mut window = ReplayWindow::new(config().window);
        window.extend(&[record(Board::SIX, 1), record(Board::TEN, 2)]);
        let mut steps = [0.0; 2];
        for seed in 0..400 {
            let samples = window.draw(seed, 8);
            let board = samples[0].position.board();
            assert!(samples.iter().all(|sample| sample.position.board() == board));
            steps[usize::from(board == Board::TEN)] += 1.0;
        }
        let share = full(&record(Board::TEN, 2)) as f64 / window.len() as f64;
        assert!((steps[1] / 400.0 - share).abs() < 0.1, "{steps:?} {share}");
    }

    /// A process that comes to a run needs no more than the games that the window holds.
    #[test]
    fn a_window_that_begins_late_is_that_of_the_whole_run() {
        let whole = window(100.0, 60);
        let records: Vec<GameRecord> = (0..60).map(|seed| record(Board::SIX, seed)).collect();
        for before in [1, 20, 60 - whole.games.len()] {
            let positions = records[..before].iter().map(full).sum();
            let mut late = ReplayWindow::after(whole.config.clone(), before as u64, positions);
            late.extend(&records[before..]);
            assert_eq!((late.made(), late.games_made()), (whole.made(), whole.games_made()));
            assert_eq!(late.spread(usize::MAX), whole.spread(usize::MAX));
        }
    }

    #[test]
    fn nothing_to_draw_is_known() {
        let mut window = ReplayWindow::new(config().window);
        assert!(window.is_empty() && !window.can_draw());
        let mut game = record(Board::SIX, 1);
        game.searched.iter_mut().for_each(|search| search.weight = 0.0);
        window.extend([&game]);
        assert!(!window.is_empty() && !window.can_draw());
    }
}

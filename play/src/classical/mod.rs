//! The classical program: no network, an evaluation by distances and alpha-beta search.

mod alpha_beta;
mod fit;
mod terms;
mod tree;
mod weights;

use std::fmt;

use hippolyta_game::{Position, TerritoryCounter};

use self::alpha_beta::{AlphaBeta, Stopped};
use self::tree::{Candidate, Tree};
use self::weights::LIMIT;
pub(crate) use self::weights::{WON, assess, expected};
use crate::dice::Dice;
use crate::level::winning_move;
use crate::player::{Choice, Limits, Line, Player, PlayerError};

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
    tree: Tree,
    counter: TerritoryCounter,
    seed: u64,
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
    }

    /// The same with a table of at most about `mib` MiB: of so many positions it remembers what it found, those that
    /// were met last.
    pub fn with_memory(mib: usize) -> ClassicalPlayer {
        let tree = Tree::new(mib.saturating_mul(1 << 20));
        ClassicalPlayer { tree, counter: TerritoryCounter::default(), seed: 0 }
    }
}

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
        self.seed = seed;
        self.tree.clear();
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        if moves.is_empty() {
            return Err(PlayerError::NoMove(*position));
        }
        if let Some(best) = winning_move(position, &moves) {
            let lines = vec![Line { value: 1.0, moves: vec![best] }];
            return Ok(Choice { best, lines, visits: 1, depth: 1 });
        }
        let mut dice = Dice::new(self.seed, position);
        let limits = if limits.is_none() { Limits::visits(DEFAULT_VISITS) } else { *limits };
        let mut search = AlphaBeta::new(&mut self.tree, &mut self.counter, &limits);
        let mut root = match search.rank(position, &moves, ROOT_WIDTH) {
            Ok(root) => root,
            // Not even time to look at each move.
            Err(best) => return Ok(Choice { visits: search.visits, ..Choice::unweighed(best) }),
        };
        // The sort is stable, so equal ones stay in the order of the lots.
        root.sort_by_cached_key(|_| dice.bits());
        root.sort_by_key(|candidate| std::cmp::Reverse(candidate.value));
        let lines = limits.lines.clamp(1, root.len());
        let is_narrowed = root.len() < moves.len();
        let mut depth = 1;
        while depth < MOST_DEPTH && root[0].value.abs() < WON && root.len() > 1 {
            if iterate(&mut search, position, &mut root, depth + 1, lines).is_err() {
                break;
            }
            depth += 1;
            limits.tell(|| choice(&search, position, &root[..lines], is_narrowed, depth));
        }
        Ok(choice(&search, position, &root[..lines], is_narrowed, depth))
    }
}

/// What a search has found, with a line for each of its best moves; `is_narrowed` when not all moves were searched.
fn choice(
    search: &AlphaBeta<'_>,
    position: &Position,
    best: &[Candidate],
    is_narrowed: bool,
    depth: u32,
) -> Choice {
    let line = |candidate: &Candidate| {
        // A loss is sure only when all moves were searched.
        let value = if is_narrowed { candidate.value.max(-LIMIT) } else { candidate.value };
        let moves = search.tree.principal_variation(position, candidate.m);
        Line { value: expected(value), moves }
    };
    let mut lines: Vec<Line> = best.iter().map(line).collect();
    // A search that was stopped may hold values of two depths.
    lines[1..].sort_by(|a, b| b.value.total_cmp(&a.value));
    Choice { best: best[0].m, lines, visits: search.visits, depth }
}

/// Searches the moves at the root one ply deeper and puts the best ones, as many as `lines`, first in their order. When
/// the limits stop it, the best of what was searched is first all the same.
fn iterate(
    search: &mut AlphaBeta<'_>,
    position: &Position,
    root: &mut [Candidate],
    depth: u32,
    lines: usize,
) -> Result<(), Stopped> {
    for place in 0..root.len() {
        let next = position.play_unchecked(root[place].m);
        // What a move has to beat: the last line of those so far.
        let (alpha, late) = if place < lines { (-WON - 1, 0) } else { (root[lines - 1].value, place) };
        let value = search.search_move(&next, depth, (alpha, WON + 1), 0, late)?;
        root[place].value = value;
        if value > alpha {
            let better = root[..place].iter().take(lines).take_while(|other| other.value >= value).count();
            root[better..=place].rotate_right(1);
        }
        if place + 1 >= lines && root[lines - 1].value >= WON {
            break;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use hippolyta_game::{Board, Move};

    use super::*;
    use crate::level::{Level, LevelPlayer};
    use crate::testing::{score, wander};

    /// Whether the side to move wins, by trying everything.
    fn wins(position: &Position) -> bool {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        moves.iter().any(|m| !wins(&position.play_unchecked(*m)))
    }

    #[test]
    fn ends_of_games_are_played_right() {
        let ends = (0..400).map(|seed| wander(Board::SIX, seed, 20));
        let few = |position: &Position| (2..=30).contains(&position.count_moves());
        let (mut seen, mut proven) = (0, 0);
        for position in ends.filter(few).take(60) {
            let choice = ClassicalPlayer::new().choose(&position, &Limits::NONE).expect("a move");
            let won = wins(&position);
            let value = choice.value().expect("a value");
            assert!(if won { value > -1.0 } else { value < 1.0 }, "{position}: {value}");
            if won {
                assert!(!wins(&position.play_unchecked(choice.best)), "{position}: {} loses", choice.best);
            }
            seen += 1;
            proven += u32::from(value.abs() >= 1.0);
        }
        assert!(seen >= 20 && proven >= seen * 9 / 10, "{proven} of {seen} were proven");
    }

    #[test]
    fn visits_limit_it_and_decide_the_choice() {
        for board in Board::PLAYED {
            let position = wander(board, 3, 6);
            let choose = |visits: u64| {
                let mut player = ClassicalPlayer::new();
                player.new_game(5);
                player.choose(&position, &Limits::visits(visits)).expect("a move")
            };
            let choice = choose(30_000);
            assert_eq!(choice, choose(30_000));
            assert!((29_000..30_300).contains(&choice.visits), "{}", choice.visits);
            assert!(choice.depth >= 2 && choice.lines[0].moves[0] == choice.best);
        }
    }

    #[test]
    fn several_lines_are_those_of_the_single_moves() {
        let position = wander(Board::SIX, 5, 12);
        let choose = |lines: usize| {
            let limits = Limits { lines, ..Limits::visits(20_000) };
            ClassicalPlayer::new().choose(&position, &limits).expect("a move")
        };
        let choice = choose(3);
        let firsts: Vec<Move> = choice.lines.iter().map(|line| line.moves[0]).collect();
        assert!(firsts.len() == 3 && firsts[0] == choice.best, "{choice:?}");
        assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2], "{choice:?}");
        assert!(choice.lines[1..].is_sorted_by(|a, b| a.value >= b.value), "{choice:?}");
        assert_eq!(choose(1).lines.len(), 1);
        let mut moves = Vec::new();
        position.moves(&mut moves);
        assert!(choose(usize::MAX).lines.len() <= moves.len());
    }

    /// With a table that is full all the time it still searches to the end of its limits.
    #[test]
    fn a_full_table_does_not_end_the_search() {
        let position = wander(Board::SIX, 3, 6);
        let choice = ClassicalPlayer::with_memory(0).choose(&position, &Limits::visits(60_000));
        let choice = choice.expect("a move");
        assert!((59_000..60_300).contains(&choice.visits) && choice.depth >= 3, "{choice:?}");
    }

    #[test]
    fn listeners_hear_every_depth() {
        let heard = std::cell::RefCell::new(Vec::new());
        let listen = |choice: &Choice| heard.borrow_mut().push((choice.depth, choice.best));
        let position = wander(Board::SIX, 3, 6);
        let limits = Limits { listen: Some(&listen), ..Limits::visits(30_000) };
        let choice = ClassicalPlayer::new().choose(&position, &limits).expect("a move");
        let depths: Vec<u32> = heard.borrow().iter().map(|(depth, _)| *depth).collect();
        assert_eq!(depths, (2..=choice.depth).collect::<Vec<_>>());
        assert!(heard.borrow().iter().all(|(_, best)| position.is_legal(*best)));
    }

    #[test]
    fn it_answers_when_there_is_no_time() {
        let position = wander(Board::TEN, 1, 0);
        let choice = ClassicalPlayer::new().choose(&position, &Limits::until(&|| true)).expect("a move");
        assert!(position.is_legal(choice.best) && choice.visits < 300);
    }

    #[test]
    fn it_beats_hard() {
        let (mut classical, mut hard) = (ClassicalPlayer::new(), LevelPlayer::new(Level::Hard));
        let score = score(Board::SIX, &mut classical, &mut hard, 10, Limits::visits(5_000));
        assert!(score >= 0.7, "{score}");
    }

    #[test]
    #[ignore = "minutes"]
    #[expect(clippy::print_stdout, reason = "a measurement for people")]
    fn against_hard() {
        let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
        let (games, visits) = (number("GAMES").unwrap_or(40), number("VISITS").unwrap_or(20_000));
        for board in Board::PLAYED {
            let clock = std::time::Instant::now();
            let (mut classical, mut hard) = (ClassicalPlayer::new(), LevelPlayer::new(Level::Hard));
            let limits = Limits::visits(visits);
            let score = score(board, &mut classical, &mut hard, games, limits);
            println!(
                "{board}: {score:.3} against hard in {games} games, {visits} visits a move, {:.1} s",
                clock.elapsed().as_secs_f64()
            );
        }
    }
}

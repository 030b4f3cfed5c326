//! The classical program: no network, an evaluation by distances and alpha-beta search.

mod alpha_beta;
mod terms;
mod tree;
mod weights;

use std::fmt;

use hippolyta_game::{Move, Position, TerritoryCounter};

use self::alpha_beta::{AlphaBeta, Stopped};
use self::tree::{Candidate, Tree};
use self::weights::{WON, expected};
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
/// [`Limits::visits`] counts evaluations. With no limit it makes 200,000 of them a move. The seed only orders moves
/// that look equally good.
#[derive(Clone, Default)]
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
    /// A player whose seed is 0 until [`Player::new_game`] gives another.
    pub fn new() -> ClassicalPlayer {
        ClassicalPlayer::default()
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
        self.tree.tidy();
        let mut search = AlphaBeta::new(&mut self.tree, &mut self.counter, &limits);
        let Ok(ranked) = search.rank(position, ROOT_WIDTH) else {
            // Not even time to look at each move once.
            return Ok(Choice { visits: search.visits, ..Choice::unweighed(moves[dice.below(moves.len())]) });
        };
        let mut root: Vec<Candidate> = ranked.to_vec();
        // The sort is stable, so equal ones stay in the order of the lots.
        root.sort_by_cached_key(|_| dice.bits());
        root.sort_by_key(|candidate| std::cmp::Reverse(candidate.value));
        let mut depth = 1;
        while depth < MOST_DEPTH && root[0].value.abs() < WON && root.len() > 1 {
            if iterate(&mut search, position, &mut root, depth + 1).is_err() {
                break;
            }
            depth += 1;
        }
        let visits = search.visits;
        let moves = self.principal_variation(position, root[0].m);
        let lines = vec![Line { value: expected(root[0].value), moves }];
        Ok(Choice { best: root[0].m, lines, visits, depth })
    }
}

/// Searches the moves at the root one ply deeper and puts the best first. When the limits stop it, the best of what
/// was searched is first all the same.
fn iterate(
    search: &mut AlphaBeta<'_>,
    position: &Position,
    root: &mut [Candidate],
    depth: u32,
) -> Result<(), Stopped> {
    let mut alpha = -WON - 1;
    for place in 0..root.len() {
        let next = position.play_unchecked(root[place].m);
        let value = search.search_move(&next, depth, (alpha, WON + 1), 0, place)?;
        root[place].value = value;
        if value > alpha {
            alpha = value;
            root[..=place].rotate_right(1);
        }
        if alpha >= WON {
            break;
        }
    }
    Ok(())
}

impl ClassicalPlayer {
    /// The line that begins with `first`, as far as the table knows it.
    fn principal_variation(&self, position: &Position, first: Move) -> Vec<Move> {
        let mut line = vec![first];
        let mut position = position.play_unchecked(first);
        while let Some(place) = self.tree.find(&position) {
            let best = self.tree.found(place).map_or(self.tree.candidates(place)[0].m, |found| found.best);
            if !position.is_legal(best) {
                break;
            }
            line.push(best);
            position = position.play_unchecked(best);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::level::{Level, LevelPlayer};
    use crate::testing::score;

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

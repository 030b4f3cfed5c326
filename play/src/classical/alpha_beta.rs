//! Principal-variation search over the most promising moves of each position.

use std::cmp::Reverse;

use hippolyta_game::{Move, Position, TerritoryCounter};

use super::tree::{Bound, Candidate, Entry, Found, KEPT, Tree};
use super::weights::{LIMIT, WON, assess};
use crate::player::Limits;
use crate::territory::QueenTerritory;

/// With more moves than this a position is looked at in two steps.
const MANY_MOVES: usize = 300;
/// Amazon moves whose arrows are looked at then.
const WALKS: usize = 12;
/// Evaluations between two questions about the time.
const PATIENCE: u64 = 128;
/// No game is longer than this many plies.
const MOST_PLIES: usize = 100;

/// The limits were reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

/// A search of one position.
pub(crate) struct AlphaBeta<'a> {
    pub(crate) tree: &'a mut Tree,
    counter: &'a mut TerritoryCounter,
    limits: &'a Limits<'a>,
    /// Positions evaluated so far.
    pub(crate) visits: u64,
    /// Whether the moves of the root are being compared.
    at_root: bool,
    /// Visits at which the time is asked next.
    ask_at: u64,
    /// For each ply, the last two moves that were too good for the opponent to allow.
    killers: Vec<[Option<Move>; 2]>,
    moves: Vec<Move>,
    ranked: Vec<Candidate>,
}

impl<'a> AlphaBeta<'a> {
    pub(crate) fn new(
        tree: &'a mut Tree,
        counter: &'a mut TerritoryCounter,
        limits: &'a Limits<'a>,
    ) -> AlphaBeta<'a> {
        AlphaBeta {
            tree,
            counter,
            limits,
            visits: 0,
            at_root: false,
            ask_at: PATIENCE,
            killers: vec![[None; 2]; MOST_PLIES + 1],
            moves: Vec::new(),
            ranked: Vec::new(),
        }
    }

    /// The value of `position` for its side to move, at most `depth` plies and one evaluation deep. A result from
    /// `alpha` to `beta` is exact; one outside is a bound. The position must not be over.
    pub(crate) fn search(
        &mut self,
        position: &Position,
        depth: u32,
        (mut alpha, beta): (i32, i32),
        ply: usize,
    ) -> Result<i32, Stopped> {
        let known = self.tree.find(position);
        if let Some(found) = known.and_then(|entry| entry.found)
            && found.depth >= depth
            && match found.bound {
                Bound::Exactly => true,
                Bound::AtLeast => found.value >= beta,
                Bound::AtMost => found.value <= alpha,
            }
        {
            return Ok(found.value);
        }
        if known.is_none()
            && depth == 1
            && let Some(value) = self.killer_value(position, beta, ply)?
        {
            return Ok(value);
        }
        let mut entry = match known {
            Some(entry) => entry,
            None => self.expand(position)?,
        };
        // A loss is sure only when all moves were kept.
        let proven_only = |value: i32| if entry.narrowed { value.max(-LIMIT) } else { value };
        let first = entry.candidates()[0];
        if depth == 1 || first.value >= WON {
            if first.value >= beta {
                self.remember_killer(first.m, ply);
            }
            return Ok(proven_only(first.value));
        }
        let floor = alpha;
        let mut best = Candidate { value: i32::MIN, m: first.m };
        // The move that was best before goes first; its own turn in the order is skipped.
        let guess = entry.found.map(|found| found.best);
        let others = entry.candidates().iter().map(|candidate| candidate.m).zip(1..);
        let others = others.filter(|(m, _)| Some(*m) != guess);
        for (m, turn) in guess.map(|m| (m, 0)).into_iter().chain(others) {
            let next = position.play_unchecked(m);
            let late = if best.value == i32::MIN { 0 } else { turn };
            let value = self.search_move(&next, depth, (alpha, beta), ply, late)?;
            if value > best.value {
                best = Candidate { value, m };
            }
            alpha = alpha.max(value);
            if alpha >= beta {
                self.remember_killer(m, ply);
                break;
            }
        }
        best.value = proven_only(best.value);
        let bound = if best.value >= beta {
            Bound::AtLeast
        } else if best.value > floor {
            Bound::Exactly
        } else {
            Bound::AtMost
        };
        entry.found = Some(Found { depth, bound, value: best.value, best: best.m });
        self.tree.put(position, entry);
        Ok(best.value)
    }

    /// The value of having moved to `next`, for the side that moved. The `late`-th move (0 for the first) is first
    /// tried with no width of window, and less deep the later it comes.
    pub(crate) fn search_move(
        &mut self,
        next: &Position,
        depth: u32,
        (alpha, beta): (i32, i32),
        ply: usize,
        late: usize,
    ) -> Result<i32, Stopped> {
        if !next.has_move() {
            return Ok(WON);
        }
        let mut answer = |depth: u32, low: i32, high: i32| -> Result<i32, Stopped> {
            Ok(-self.search(next, depth, (-high, -low), ply + 1)?)
        };
        if late == 0 {
            return answer(depth - 1, alpha, beta);
        }
        let less = match late {
            0..=2 => 0,
            3..=7 => 1,
            _ => 2,
        };
        let reduced = (depth - 1).saturating_sub(less).max(1);
        let mut value = answer(reduced, alpha, alpha + 1)?;
        if value > alpha && reduced < depth - 1 {
            value = answer(depth - 1, alpha, alpha + 1)?;
        }
        if value > alpha && value < beta {
            value = answer(depth - 1, alpha, beta)?;
        }
        Ok(value)
    }

    /// The value of a killer move, when it is at least `beta`.
    fn killer_value(&mut self, position: &Position, beta: i32, ply: usize) -> Result<Option<i32>, Stopped> {
        for killer in self.killers[ply].into_iter().flatten() {
            if position.is_legal(killer) {
                let value = -self.visit(&position.play_unchecked(killer))?;
                if value >= beta {
                    return Ok(Some(value));
                }
            }
        }
        Ok(None)
    }

    fn remember_killer(&mut self, m: Move, ply: usize) {
        let killers = &mut self.killers[ply];
        if killers[0] != Some(m) {
            *killers = [Some(m), killers[0]];
        }
    }

    fn visit(&mut self, position: &Position) -> Result<i32, Stopped> {
        self.count(1)?;
        Ok(assess(position, self.counter))
    }

    fn count(&mut self, visits: u64) -> Result<(), Stopped> {
        self.visits += visits;
        if self.visits >= self.ask_at {
            self.ask_at = self.visits + PATIENCE;
            let enough = !self.at_root && self.limits.visits.is_some_and(|most| self.visits >= most);
            if enough || self.limits.must_stop() {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn expand(&mut self, position: &Position) -> Result<Entry, Stopped> {
        let mut ranked = std::mem::take(&mut self.ranked);
        let mut moves = std::mem::take(&mut self.moves);
        let result = self.select(position, &mut moves).and_then(|all| {
            self.rank_into(position, &moves, &mut ranked, KEPT)?;
            Ok(Entry::new(&ranked, ranked.len() < all))
        });
        self.ranked = ranked;
        self.moves = moves;
        let entry = result?;
        self.tree.put(position, entry);
        Ok(entry)
    }

    /// Fills `moves` with those that are worth a look and gives the number of all. Where there are very many, only
    /// the amazon moves that look best with an arrow back to where they came from keep all their arrows.
    fn select(&mut self, position: &Position, moves: &mut Vec<Move>) -> Result<usize, Stopped> {
        position.moves(moves);
        let all = moves.len();
        if all <= MANY_MOVES {
            return Ok(all);
        }
        moves.clear();
        let mut walks = Vec::new();
        position.for_each_shot(|from, to, arrows| walks.push((0, from, to, arrows)));
        for (value, from, to, _) in &mut walks {
            self.count(1)?;
            *value = quick(&position.play_unchecked(Move { from: *from, to: *to, arrow: *from }));
        }
        walks.sort_unstable_by_key(|&(value, from, to, _)| (value, from, to));
        for (_, from, to, arrows) in walks.into_iter().take(WALKS) {
            moves.extend(arrows.into_iter().map(|arrow| Move { from, to, arrow }));
        }
        Ok(all)
    }

    /// The `width` most promising of all `moves` of the root. Visits do not limit this. When there is no time, the
    /// best of those that were looked at.
    pub(crate) fn rank(
        &mut self,
        position: &Position,
        moves: &[Move],
        width: usize,
    ) -> Result<Vec<Candidate>, Move> {
        let mut ranked = Vec::new();
        self.at_root = true;
        let result = self.rank_into(position, moves, &mut ranked, width);
        self.at_root = false;
        let seen = || ranked.iter().max_by_key(|candidate| candidate.value).map_or(moves[0], |best| best.m);
        result.map_err(|Stopped| seen())?;
        Ok(ranked)
    }

    /// Compares all moves by queen territory, then twice as many as are wanted by the whole evaluation.
    fn rank_into(
        &mut self,
        position: &Position,
        moves: &[Move],
        ranked: &mut Vec<Candidate>,
        width: usize,
    ) -> Result<(), Stopped> {
        ranked.clear();
        let wide = 2 * width;
        let many = moves.len() > wide;
        for &m in moves {
            self.count(1)?;
            let next = position.play_unchecked(m);
            let value = if many { quick(&next) } else { assess(&next, self.counter) };
            ranked.push(Candidate { value: -value, m });
        }
        let order = |candidate: &Candidate| (Reverse(candidate.value), candidate.m);
        if many {
            ranked.select_nth_unstable_by_key(wide, order);
            ranked.truncate(wide);
            let weigh = |candidate: &Candidate| -> Result<Candidate, Stopped> {
                let value = -self.visit(&position.play_unchecked(candidate.m))?;
                Ok(Candidate { value, ..*candidate })
            };
            *ranked = ranked.iter().map(weigh).collect::<Result<_, _>>()?;
        }
        ranked.sort_unstable_by_key(order);
        ranked.truncate(width);
        Ok(())
    }
}

/// A quick value for the side to move, comparable between moves of one position only.
fn quick(position: &Position) -> i32 {
    if position.has_move() { QueenTerritory::of(position).lead() } else { -WON }
}

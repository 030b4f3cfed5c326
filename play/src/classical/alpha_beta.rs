//! Principal-variation search over the most promising moves of each position.
//!
//! The search keeps the positions between the root and where it is on a stack of its own, so that it can be left after
//! any position and gone on with later.

use std::cmp::Reverse;
use std::collections::TryReserveError;

use hippolyta_game::{Move, Position, TerritoryCounter};

use super::table::{Bound, Candidate, Entry, Found, KEPT, TranspositionTable};
use super::trial::{Call, Trial};
use super::weights::{LIMIT, WON, assess};
use crate::territory::QueenTerritory;

/// With more moves than this a position is looked at in two steps.
const MANY_MOVES: usize = 300;
/// Amazon moves whose arrows are looked at then.
const WALKS: usize = 12;
/// Evaluations between two looks at the limit.
const PATIENCE: u64 = 128;
/// No game is longer than this many plies.
const MOST_PLIES: usize = 100;

/// The limit was reached.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stopped;

/// A search of one position after another, which keeps what it has learnt.
#[derive(Clone)]
pub(crate) struct AlphaBeta {
    pub(crate) table: TranspositionTable,
    counter: TerritoryCounter,
    /// The most visits of this search.
    most_visits: u64,
    /// Positions evaluated so far.
    pub(crate) visits: u64,
    /// Visits at which the limit is looked at next.
    check_at: u64,
    /// For each ply, the last two moves that were too good for the opponent to allow.
    killers: Vec<[Option<Move>; 2]>,
    /// The positions from the one after the root's move to the current one.
    stack: Vec<Frame>,
    next: Next,
    moves: Vec<Move>,
    ranking: Ranking,
}

/// A position whose moves are being tried.
#[derive(Clone, Debug)]
struct Frame {
    call: Call,
    /// The lower end of the window as it was at first.
    floor: i32,
    entry: Entry,
    /// The move that was best before; it goes first.
    guess: Option<Move>,
    /// The place of the next move in the order; 0 is the guess.
    turn: usize,
    best: Candidate,
    m: Move,
    trial: Trial,
}

/// What a search does next.
#[derive(Clone, Copy, Debug)]
enum Next {
    /// Search a position.
    Search(Call),
    /// Try the next move of the last position on the stack.
    TryMove,
    /// Take the value of that position's current move.
    Judge(i32),
    /// Hand the value of a position, for its side to move, to the trial of the move that led there.
    Return(i32),
}

/// Moves in the course of being put in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ranking {
    /// The moves looked at so far; once all are ranked, the best ones in their order.
    pub(crate) seen: Vec<Candidate>,
    /// Those of the best that have got their whole evaluation.
    weighed: Vec<Candidate>,
    /// Whether only the best are left in `seen`.
    is_cut: bool,
}

impl Ranking {
    fn clear(&mut self) {
        self.seen.clear();
        self.weighed.clear();
        self.is_cut = false;
    }
}

impl AlphaBeta {
    /// A search with a table of at most about so many bytes.
    pub(crate) fn new(table_bytes: usize) -> Result<AlphaBeta, TryReserveError> {
        Ok(AlphaBeta {
            table: TranspositionTable::new(table_bytes)?,
            counter: TerritoryCounter::default(),
            most_visits: 0,
            visits: 0,
            check_at: PATIENCE,
            killers: vec![[None; 2]; MOST_PLIES + 1],
            stack: Vec::new(),
            next: Next::TryMove,
            moves: Vec::new(),
            ranking: Ranking::default(),
        })
    }

    /// Starts another search; the table stays.
    pub(crate) fn begin(&mut self, most_visits: u64) {
        self.most_visits = most_visits;
        self.visits = 0;
        self.check_at = PATIENCE;
        self.killers.fill([None; 2]);
        self.stack.clear();
    }

    /// Starts to try a move of the root.
    pub(crate) fn begin_trial(&mut self, trial: &Trial) {
        self.stack.clear();
        self.next = Next::Search(trial.call());
    }

    /// Goes on with a trial that has begun, until the value of its move is known; `None` when so many visits have been
    /// made in all before that.
    pub(crate) fn resume(&mut self, root: &mut Trial, until: u64) -> Result<Option<i32>, Stopped> {
        loop {
            self.next = match self.next {
                Next::Search(_) if self.visits >= until => return Ok(None),
                Next::Search(call) => match self.enter(&call)? {
                    Some(value) => Next::Return(value),
                    None => Next::TryMove,
                },
                Next::TryMove => self.try_move(),
                Next::Judge(value) => self.judge(value),
                Next::Return(value) => {
                    let trial = self.stack.last_mut().map_or(&mut *root, |frame| &mut frame.trial);
                    match trial.take(-value) {
                        None => Next::Search(trial.call()),
                        Some(value) if self.stack.is_empty() => return Ok(Some(value)),
                        Some(value) => Next::Judge(value),
                    }
                }
            }
        }
    }

    /// Begins to search a position, which must not be over: gives its value if no move need be tried, and else puts it
    /// on the stack. A value inside the window is exact; one outside is a bound.
    fn enter(&mut self, call: &Call) -> Result<Option<i32>, Stopped> {
        let Call { position, depth, alpha, beta } = *call;
        let ply = self.stack.len() + 1;
        let known = self.table.find(&position);
        if let Some(found) = known.and_then(|entry| entry.found)
            && found.depth >= depth
            && match found.bound {
                Bound::Exactly => true,
                Bound::AtLeast => found.value >= beta,
                Bound::AtMost => found.value <= alpha,
            }
        {
            return Ok(Some(found.value));
        }
        if known.is_none()
            && depth == 1
            && let Some(value) = self.killer_value(&position, beta, ply)?
        {
            return Ok(Some(value));
        }
        let entry = match known {
            Some(entry) => entry,
            None => self.expand(&position)?,
        };
        let first = entry.candidates()[0];
        if depth == 1 || first.value >= WON {
            if first.value >= beta {
                self.remember_killer(first.m, ply);
            }
            return Ok(Some(proven_only(&entry, first.value)));
        }
        self.stack.push(Frame {
            call: *call,
            floor: alpha,
            guess: entry.found.map(|found| found.best),
            entry,
            turn: 0,
            best: Candidate { value: i32::MIN, m: first.m },
            m: first.m,
            // Stands there until the first move is tried.
            trial: Trial::new(position, depth, (alpha, beta), 0),
        });
        Ok(None)
    }

    fn top(&mut self) -> &mut Frame {
        self.stack.last_mut().expect("a move is tried below a position on the stack")
    }

    fn try_move(&mut self) -> Next {
        let frame = self.top();
        let Some((m, turn)) = frame.next_move() else { return self.leave() };
        let Call { position, depth, alpha, beta } = frame.call;
        let late = if frame.best.value == i32::MIN { 0 } else { turn };
        frame.m = m;
        frame.trial = Trial::new(position.play_unchecked(m), depth, (alpha, beta), late);
        if frame.trial.is_won() { Next::Judge(WON) } else { Next::Search(frame.trial.call()) }
    }

    fn judge(&mut self, value: i32) -> Next {
        let frame = self.top();
        let m = frame.m;
        if value > frame.best.value {
            frame.best = Candidate { value, m };
        }
        frame.call.alpha = frame.call.alpha.max(value);
        if frame.call.alpha < frame.call.beta {
            return Next::TryMove;
        }
        self.remember_killer(m, self.stack.len());
        self.leave()
    }

    /// Takes the last position off the stack and remembers what was found.
    fn leave(&mut self) -> Next {
        let Frame { call, floor, mut entry, best, .. } =
            self.stack.pop().expect("a position is left that was entered");
        let value = proven_only(&entry, best.value);
        let bound = if value >= call.beta {
            Bound::AtLeast
        } else if value > floor {
            Bound::Exactly
        } else {
            Bound::AtMost
        };
        entry.found = Some(Found { depth: call.depth, bound, value, best: best.m });
        self.table.put(&call.position, entry);
        Next::Return(value)
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
        self.count()?;
        Ok(assess(position, &mut self.counter))
    }

    fn count(&mut self) -> Result<(), Stopped> {
        self.visits += 1;
        if self.visits >= self.check_at {
            self.check_at = self.visits + PATIENCE;
            if self.visits >= self.most_visits {
                return Err(Stopped);
            }
        }
        Ok(())
    }

    fn expand(&mut self, position: &Position) -> Result<Entry, Stopped> {
        let mut ranking = std::mem::take(&mut self.ranking);
        let mut moves = std::mem::take(&mut self.moves);
        let result = self.select(position, &mut moves).and_then(|all| {
            ranking.clear();
            self.rank(position, &moves, &mut ranking, KEPT, u64::MAX)?;
            Ok(Entry::new(&ranking.seen, ranking.seen.len() < all))
        });
        self.ranking = ranking;
        self.moves = moves;
        let entry = result?;
        self.table.put(position, entry);
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
            self.count()?;
            *value = quick(&position.play_unchecked(Move { from: *from, to: *to, arrow: *from }));
        }
        walks.sort_unstable_by_key(|&(value, from, to, _)| (value, from, to));
        for (_, from, to, arrows) in walks.into_iter().take(WALKS) {
            moves.extend(arrows.into_iter().map(|arrow| Move { from, to, arrow }));
        }
        Ok(all)
    }

    /// Goes on with putting moves in order, until the `width` best are found or so many visits have been made in all:
    /// says whether they are found. All are compared by queen territory, then twice as many as are wanted by the whole
    /// evaluation.
    fn rank(
        &mut self,
        position: &Position,
        moves: &[Move],
        ranking: &mut Ranking,
        width: usize,
        until: u64,
    ) -> Result<bool, Stopped> {
        let wide = 2 * width;
        let many = moves.len() > wide;
        let order = |candidate: &Candidate| (Reverse(candidate.value), candidate.m);
        let Ranking { seen, weighed, is_cut } = ranking;
        while !*is_cut && seen.len() < moves.len() {
            if self.visits >= until {
                return Ok(false);
            }
            self.count()?;
            let m = moves[seen.len()];
            let next = position.play_unchecked(m);
            let value = if many { quick(&next) } else { assess(&next, &mut self.counter) };
            seen.push(Candidate { value: -value, m });
        }
        if many {
            if !*is_cut {
                seen.select_nth_unstable_by_key(wide, order);
                seen.truncate(wide);
                *is_cut = true;
            }
            while weighed.len() < seen.len() {
                if self.visits >= until {
                    return Ok(false);
                }
                let m = seen[weighed.len()].m;
                let value = -self.visit(&position.play_unchecked(m))?;
                weighed.push(Candidate { value, m });
            }
            std::mem::swap(seen, weighed);
        }
        seen.sort_unstable_by_key(order);
        seen.truncate(width);
        Ok(true)
    }

    /// The same for the root, whatever the limit of the search.
    pub(crate) fn rank_root(
        &mut self,
        position: &Position,
        moves: &[Move],
        ranking: &mut Ranking,
        width: usize,
        until: u64,
    ) -> bool {
        let most_visits = std::mem::replace(&mut self.most_visits, u64::MAX);
        let result = self.rank(position, moves, ranking, width, until);
        self.most_visits = most_visits;
        result.expect("nothing stops a search without a limit")
    }
}

impl Frame {
    /// The next move and its place in the order: the guess, then the others.
    fn next_move(&mut self) -> Option<(Move, usize)> {
        loop {
            let turn = self.turn;
            self.turn += 1;
            let m = match (turn, self.guess) {
                (0, Some(guess)) => return Some((guess, 0)),
                (0, None) => continue,
                _ => self.entry.candidates().get(turn - 1)?.m,
            };
            if Some(m) != self.guess {
                return Some((m, turn));
            }
        }
    }
}

/// A loss is sure only when all moves were kept.
fn proven_only(entry: &Entry, value: i32) -> i32 {
    if entry.narrowed { value.max(-LIMIT) } else { value }
}

/// A quick value for the side to move, comparable between moves of one position only.
fn quick(position: &Position) -> i32 {
    if position.has_move() { QueenTerritory::of(position).lead() } else { -WON }
}

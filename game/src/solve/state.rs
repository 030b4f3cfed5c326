//! Positions reduced to what decides them.

use crate::bitboard::Bitboard;
use crate::distance::queen_fill;
use crate::position::Position;
use crate::region::{Region, Regions};
use crate::side::Side;
use crate::slide::queen_reach;
use crate::square::Square;
use crate::territory::TerritoryCounter;

/// A position from the point of view of the side to move: the regions that are still to be played, and the spare
/// moves that the side to move has beyond its opponent's in regions that are settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct State {
    pub(super) own: Bitboard,
    pub(super) other: Bitboard,
    pub(super) empty: Bitboard,
    pub(super) spare: i32,
}

impl State {
    /// A whole position, nothing settled yet.
    pub(super) fn of(position: &Position) -> State {
        let side = position.side();
        let (own, other) = (position.amazons(side), position.amazons(!side));
        State { own, other, empty: position.empty(), spare: 0 }
    }

    /// Calls `visit` with each state that a move in the open regions leads to, before it is reduced.
    pub(super) fn for_each_child(&self, mut visit: impl FnMut(State)) {
        for from in self.own {
            for to in queen_reach(from, self.empty) {
                let own = self.own.without(from).with(to);
                let open = self.empty.with(from).without(to);
                for arrow in queen_reach(to, self.empty.with(from)) {
                    visit(State {
                        own: self.other,
                        other: own,
                        empty: open.without(arrow),
                        spare: -self.spare,
                    });
                }
            }
        }
    }

    /// The state after the side to move has used up one of its spare moves, where it has some.
    pub(super) fn spend(&self) -> Option<State> {
        (self.spare > 0).then_some(State { own: self.other, other: self.own, spare: 1 - self.spare, ..*self })
    }

    /// The lead of the side to move in squares that amazons can move to now: a cheap guess of who stands better.
    pub(super) fn lead(&self) -> i32 {
        let mobility = |amazons: Bitboard| -> i32 {
            amazons.into_iter().map(|from| queen_reach(from, self.empty).count() as i32).sum()
        };
        mobility(self.own) - mobility(self.other)
    }

    /// Twice the lead of the side to move in squares that its amazons reach in fewer moves than the other's, each side
    /// moving as if it were alone, and once the squares that both reach as soon.
    pub(super) fn nearer(&self) -> i32 {
        let (mut own, mut other, mut left) = (self.own, self.other, self.empty);
        let mut lead = 0;
        while !(own | other).is_empty() {
            own = queen_fill(own, self.empty) & left;
            other = queen_fill(other, self.empty) & left;
            left = left - own - other;
            let [nearer, farther, level] =
                [own - other, other - own, own & other].map(|set| set.count() as i32);
            lead += 2 * (nearer - farther) + level;
        }
        lead
    }

    /// 128 well mixed bits.
    pub(super) fn hash(&self) -> u128 {
        let words = [
            self.own.0 as u64,
            (self.own.0 >> 64) as u64,
            self.other.0 as u64,
            (self.other.0 >> 64) as u64,
            self.empty.0 as u64,
            (self.empty.0 >> 64) as u64,
            self.spare as u64,
        ];
        let mut hash = [0x9E37_79B9_7F4A_7C15u64, 0xC2B2_AE3D_27D4_EB4F];
        for word in words {
            for lane in &mut hash {
                let product = u128::from(*lane ^ word) * 0xDA94_2042_E4DD_58B5_u128;
                *lane = (product as u64 ^ (product >> 64) as u64).rotate_left(29).wrapping_add(*lane);
            }
            hash[1] ^= hash[0].rotate_left(17);
        }
        u128::from(hash[0]) << 64 | u128::from(hash[1])
    }
}

/// A reduced state and what counting says of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assessed {
    pub(super) state: State,
    /// Whether the side to move wins, when the bounds decide it.
    pub(super) wins: Option<bool>,
    /// The least and the greatest lead in moves that the side to move can have, added up.
    pub(super) sum: i32,
}

/// What a region is worth to the side to move.
#[derive(Clone, Copy, Debug, Default)]
struct Worth {
    /// As a game it is at least the integer `low` and at most the integer `high`.
    low: i32,
    high: i32,
    /// Whether the side to move has a move that makes it worth at least `low + 1`.
    can_gain: bool,
}

/// Reduces positions; remembers the regions it has counted.
#[derive(Clone, Debug)]
pub(super) struct Reducer {
    counter: TerritoryCounter,
}

impl Reducer {
    /// A reducer that spends at most `budget` search nodes on the count of a region.
    pub(super) fn new(budget: u32) -> Reducer {
        Reducer { counter: TerritoryCounter::new(budget) }
    }

    /// The same state with all settled regions turned into spare moves, and what the others' bounds say.
    ///
    /// With the game worth at least `low` and at most `high`: at most 0, the side to move loses; more than 0, it
    /// wins; and it wins too if it can move to what is worth 0 or more, as the opponent then moves and loses.
    pub(super) fn assess(&mut self, state: &State) -> Assessed {
        let mut settled =
            State { own: Bitboard::EMPTY, other: Bitboard::EMPTY, empty: Bitboard::EMPTY, ..*state };
        let mut open = Worth::default();
        for region in Regions::of([state.own, state.other], state.empty) {
            let Some(worth) = self.worth(&region) else { continue };
            if worth.low == worth.high {
                settled.spare += worth.low;
            } else {
                open.low += worth.low;
                open.high += worth.high;
                open.can_gain |= worth.can_gain;
                settled.own |= region.amazons[0];
                settled.other |= region.amazons[1];
                settled.empty |= region.empty;
            }
        }
        let (low, high) = (open.low + settled.spare, open.high + settled.spare);
        let wins = if high <= 0 {
            Some(false)
        } else if low > 0 || (low == -1 || low == 0) && open.can_gain {
            Some(true)
        } else {
            None
        };
        Assessed { state: settled, wins, sum: low + high }
    }

    /// What a region is worth; `None` when there is nothing to be played in it.
    ///
    /// Where both sides stand, each can choose to leave every amazon that keeps the other side out where it is, or
    /// to close the square behind it. So each side has its sure moves, and the other at most as many as there are
    /// squares that it can reach past those amazons.
    fn worth(&mut self, region: &Region) -> Option<Worth> {
        if region.empty.is_empty() {
            return None;
        }
        let [own, other] = region.amazons;
        match region.owner() {
            // "White" here is the side to move.
            Some(Side::White) => {
                let moves = self.counter.bounds(own, region.empty);
                Some(Worth { low: moves.low as i32, high: moves.high as i32, can_gain: false })
            }
            Some(Side::Black) => {
                let moves = self.counter.bounds(other, region.empty);
                Some(Worth { low: -(moves.high as i32), high: -(moves.low as i32), can_gain: false })
            }
            None if region.is_contested() => {
                let own_reach = own.flooded(own | region.empty) & region.empty;
                let other_reach = other.flooded(other | region.empty) & region.empty;
                let (own_sure, own_free) = self.sure_moves(own, region.empty - other_reach);
                let (other_sure, _) = self.sure_moves(other, region.empty - own_reach);
                Some(Worth {
                    low: own_sure as i32 - other_reach.count() as i32,
                    high: own_reach.count() as i32 - other_sure as i32,
                    // A step to a square that the other side can reach, with the arrow back.
                    can_gain: !(own_free.dilated() & other_reach).is_empty(),
                })
            }
            None => None,
        }
    }

    /// A number of moves that `amazons` can make on squares that are `safe`, those that the other side cannot reach
    /// past them, whatever the other side does; and the amazons that need no move for that.
    ///
    /// One amazon at the edge of each connected part steps in and shoots back, which keeps the part closed, and goes
    /// on inside.
    fn sure_moves(&mut self, amazons: Bitboard, mut safe: Bitboard) -> (u32, Bitboard) {
        let (mut sure, mut free) = (0, amazons);
        while let Some(first) = safe.first() {
            let part = Bitboard::of(first).flooded(safe);
            safe = safe - part;
            let mut best = None;
            for guard in part.neighbours() & free {
                let moves = self.moves_inside(guard, part);
                if best.is_none_or(|(most, _)| moves > most) {
                    best = Some((moves, guard));
                }
                if moves == part.count() {
                    break;
                }
            }
            if let Some((moves, guard)) = best {
                sure += moves;
                free = free.without(guard);
            }
        }
        (sure, free)
    }

    /// A number of moves that an amazon beside a connected part can make in it when it first steps in and shoots
    /// back.
    fn moves_inside(&mut self, guard: Square, part: Bitboard) -> u32 {
        let squares = part.count();
        if squares <= 2 {
            return squares;
        }
        let mut most = 1;
        for to in Bitboard::of(guard).neighbours() & part {
            most = most.max(1 + self.counter.bounds(Bitboard::of(to), part.without(to)).low);
            if most == squares {
                break;
            }
        }
        most
    }
}

//! The most moves that the amazons of one side can make in a region of their own.
//!
//! Every move closes one square, so a region of n empty squares has at most n moves. How many can really be played
//! is NP-hard to say in general (Buro 2000), but a depth-first search that may waste w squares, for w = 0, 1, 2 ...,
//! is quick in practice: a square is wasted as soon as no amazon can ever come to it, which cuts nearly every
//! branch, and stepping to the neighbour with the fewest open neighbours with the arrow back to the square just
//! left (Warnsdorff's rule) nearly always fills a region at the first attempt.

use rustc_hash::FxHashSet;

use crate::bitboard::Bitboard;
use crate::bounds::Bounds;
use crate::slide::queen_reach;
use crate::square::Square;

/// Counts moves in regions of one side, within a budget of search nodes a region.
#[derive(Clone, Debug)]
pub(crate) struct Filler {
    budget: u32,
    nodes: u32,
    /// The most moves made on any line so far.
    deepest: u32,
    /// Amazons, empty squares and allowed waste of searches that failed.
    failed: FxHashSet<(Bitboard, Bitboard, u32)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FillResult {
    Filled,
    Impossible,
    OutOfBudget,
}

impl Filler {
    pub(crate) fn new(budget: u32) -> Filler {
        Filler { budget, nodes: 0, deepest: 0, failed: FxHashSet::default() }
    }

    /// Bounds on the most moves of `amazons` on the squares of `empty`; equal ones unless the budget ran out.
    pub(crate) fn most_moves(&mut self, amazons: Bitboard, empty: Bitboard) -> Bounds {
        self.nodes = self.budget;
        self.deepest = 0;
        // Clearing takes as long as the set once was large.
        if !self.failed.is_empty() {
            self.failed = FxHashSet::default();
        }
        let squares = empty.count();
        for waste in 0..=squares {
            match self.fill(amazons, empty, waste, 0) {
                FillResult::Filled => return Bounds::exactly(squares - waste),
                FillResult::Impossible => {}
                FillResult::OutOfBudget => return Bounds { low: self.deepest, high: squares - waste },
            }
        }
        unreachable!("wasting every square is always possible")
    }

    /// Whether the amazons can close all but `waste` squares of `empty` with their own moves, `made` moves on.
    fn fill(&mut self, amazons: Bitboard, empty: Bitboard, waste: u32, made: u32) -> FillResult {
        self.deepest = self.deepest.max(made);
        let reachable = amazons.flooded(amazons | empty) & empty;
        let lost = empty.count() - reachable.count();
        if lost > waste {
            return FillResult::Impossible;
        }
        let (empty, waste) = (reachable, waste - lost);
        if empty.count() <= waste {
            return FillResult::Filled;
        }
        if self.nodes == 0 {
            return FillResult::OutOfBudget;
        }
        self.nodes -= 1;
        // The way in leads to no repetition: only a way back needs the memory.
        if self.failed.contains(&(amazons, empty, waste)) {
            return FillResult::Impossible;
        }
        let outcome = self.try_moves(amazons, empty, waste, made);
        if outcome == FillResult::Impossible {
            self.failed.insert((amazons, empty, waste));
        }
        outcome
    }

    fn try_moves(&mut self, amazons: Bitboard, empty: Bitboard, waste: u32, made: u32) -> FillResult {
        let mut steps = Steps::new(amazons, empty);
        while let Some((from, to)) = steps.next() {
            let amazons = amazons.without(from).with(to);
            match self.fill(amazons, empty.without(to), waste, made + 1) {
                FillResult::Impossible => {}
                outcome => return outcome,
            }
        }
        for from in amazons {
            let neighbours = Bitboard::of(from).neighbours();
            for to in queen_reach(from, empty) {
                let moved = amazons.without(from).with(to);
                let open = empty.with(from).without(to);
                let tried = if neighbours.contains(to) { Bitboard::of(from) } else { Bitboard::EMPTY };
                for arrow in queen_reach(to, empty.with(from)) - tried {
                    match self.fill(moved, open.without(arrow), waste, made + 1) {
                        FillResult::Impossible => {}
                        outcome => return outcome,
                    }
                }
            }
        }
        FillResult::Impossible
    }
}

/// King steps with the arrow back, those to squares with the fewest open neighbours first.
struct Steps {
    /// (open neighbours, from, to), to be taken from the end.
    steps: [(u8, Square, Square); 4 * 8],
    left: usize,
}

impl Steps {
    fn new(amazons: Bitboard, empty: Bitboard) -> Steps {
        let mut steps = Steps { steps: [(0, Square::new(0, 0), Square::new(0, 0)); 32], left: 0 };
        // Regions of more than four amazons exist on made-up boards only; the other moves cover the rest of theirs.
        for from in amazons.into_iter().take(4) {
            for to in Bitboard::of(from).neighbours() & empty {
                let open = (Bitboard::of(to).neighbours() & empty).count() as u8;
                steps.steps[steps.left] = (open, from, to);
                steps.left += 1;
            }
        }
        steps.steps[..steps.left].sort_unstable_by(|a, b| b.cmp(a));
        steps
    }

    fn next(&mut self) -> Option<(Square, Square)> {
        self.left = self.left.checked_sub(1)?;
        let (_, from, to) = self.steps[self.left];
        Some((from, to))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet, HashMap};

    use proptest::prelude::*;

    use super::*;
    use crate::board::Board;
    use crate::symmetry::Symmetry;

    /// Every line of play, with a memory: the oracle.
    fn by_force(amazons: Bitboard, empty: Bitboard, known: &mut HashMap<(Bitboard, Bitboard), u32>) -> u32 {
        if let Some(&moves) = known.get(&(amazons, empty)) {
            return moves;
        }
        let mut most = 0;
        for from in amazons {
            for to in queen_reach(from, empty) {
                for arrow in queen_reach(to, empty.with(from)) {
                    let moved = amazons.without(from).with(to);
                    let open = empty.with(from).without(to).without(arrow);
                    most = most.max(1 + by_force(moved, open, known));
                }
            }
        }
        known.insert((amazons, empty), most);
        most
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn agrees_with_force(bits: u128, thin: u128, amazons in prop::collection::vec(0..16usize, 1..3), wide: bool) {
            let board = if wide { Board::new(5, 3) } else { Board::new(4, 4) }.expect("a board");
            let amazons: Bitboard = amazons.into_iter().map(|dense| board.square(dense % board.area())).collect();
            let empty = (Bitboard(bits & thin) & board.squares()) - amazons;
            let truth = by_force(amazons, empty, &mut HashMap::new());
            prop_assert_eq!(Filler::new(u32::MAX).most_moves(amazons, empty), Bounds::exactly(truth));
            for budget in [0, 1, 5, 20] {
                let bounds = Filler::new(budget).most_moves(amazons, empty);
                prop_assert!((bounds.low..=bounds.high).contains(&truth), "{bounds:?} without {truth}");
            }
        }
    }

    /// The shapes of one amazon and `squares` empty squares up to symmetry, by moves lost.
    fn defects(squares: usize) -> BTreeMap<u32, usize> {
        // A shape grows from the amazon at the origin, one neighbouring square at a time.
        let mut shapes = BTreeSet::from([vec![(0i32, 0i32)]]);
        for _ in 0..squares {
            let mut grown = BTreeSet::new();
            for shape in &shapes {
                for &(x, y) in shape {
                    for step in 0..9 {
                        let square = (x + step % 3 - 1, y + step / 3 - 1);
                        if !shape.contains(&square) {
                            let mut shape = shape.clone();
                            shape.push(square);
                            grown.insert(least_image(&shape));
                        }
                    }
                }
            }
            shapes = grown;
        }
        let mut lost = BTreeMap::new();
        for shape in shapes {
            let left = shape.iter().map(|&(x, _)| x).min().expect("the amazon at least");
            let bottom = shape.iter().map(|&(_, y)| y).min().expect("the amazon at least");
            let place = |&(x, y): &(i32, i32)| Square::new((x - left) as u8, (y - bottom) as u8);
            let amazon = Bitboard::of(place(&(0, 0)));
            let empty = shape.iter().map(place).collect::<Bitboard>() - amazon;
            let bounds = Filler::new(u32::MAX).most_moves(amazon, empty);
            assert_eq!(bounds, Bounds::exactly(by_force(amazon, empty, &mut HashMap::new())));
            *lost.entry(squares as u32 - bounds.low).or_default() += 1;
        }
        lost
    }

    /// The least of a shape's images under the symmetries that keep the amazon at the origin.
    fn least_image(shape: &[(i32, i32)]) -> Vec<(i32, i32)> {
        let images = (0..Symmetry::ALL.len()).map(|symmetry| {
            let mut image: Vec<(i32, i32)> = shape
                .iter()
                .map(|&(x, y)| {
                    let (x, y) = if symmetry & 4 == 0 { (x, y) } else { (y, x) };
                    (if symmetry & 1 == 0 { x } else { -x }, if symmetry & 2 == 0 { y } else { -y })
                })
                .collect();
            image.sort_unstable();
            image
        });
        images.min().expect("eight images")
    }

    #[test]
    fn small_shapes_and_what_they_lose() {
        assert_eq!(defects(2), BTreeMap::from([(0, 9), (1, 2)]));
        assert_eq!(defects(3), BTreeMap::from([(0, 59), (1, 2), (2, 1)]));
        assert_eq!(defects(4), BTreeMap::from([(0, 385), (1, 37)]));
        assert_eq!(defects(5), BTreeMap::from([(0, 2663), (1, 236), (2, 23)]));
    }

    #[test]
    #[ignore = "some seconds: shapes of six squares"]
    fn larger_shapes_and_what_they_lose() {
        assert_eq!(defects(6), BTreeMap::from([(0, 18_450), (1, 2238), (2, 101), (3, 5)]));
    }
}

//! What the classical evaluation measures (after Lieberum 2005, Theoretical Computer Science 349, 230-244).

use hippolyta_game::{Bitboard, Position, Side, king_layers, queen_layers, queen_reach};

/// Layers kept of a distance map; what is farther counts as in the last one.
const LAYERS: usize = 12;

/// The terms of a position, each for the side to move minus its opponent.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Terms {
    /// t1: squares nearer by queen moves.
    pub(crate) queen: f32,
    /// Squares equally near by queen moves; for nobody, but the side to move is often there first.
    pub(crate) tied: f32,
    /// t2: squares nearer by king moves.
    pub(crate) king: f32,
    /// c1: twice the sum of 2^-d over the squares, d being the queen distance.
    pub(crate) near_queen: f32,
    /// c2: the sum of the king distances' difference over six, each within [-1, 1].
    pub(crate) near_king: f32,
    /// The sum over the amazons of n / (n + 4), n being the squares in an amazon's reach that the other side can
    /// reach too.
    pub(crate) mobility: f32,
    /// w: the sum of 2^-|difference of queen distances| over the squares that both sides can reach: how open the
    /// game still is. 0 when the sides are cut off from each other.
    pub(crate) openness: f32,
}

/// The squares at each distance from one side's amazons.
struct Map {
    layers: [Bitboard; LAYERS],
    depth: usize,
    all: Bitboard,
}

impl Map {
    fn new(layers: impl Iterator<Item = Bitboard>) -> Map {
        let mut map = Map { layers: [Bitboard::EMPTY; LAYERS], depth: 0, all: Bitboard::EMPTY };
        for layer in layers {
            let place = map.depth.min(LAYERS - 1);
            map.layers[place] |= layer;
            map.all |= layer;
            map.depth = place + 1;
        }
        map
    }

    fn layers(&self) -> &[Bitboard] {
        &self.layers[..self.depth]
    }

    /// Calls `visit` with the distances (from 0) and the number of squares for each pair of layers that meet.
    fn meet(&self, other: &Map, mut visit: impl FnMut(usize, usize, f32)) {
        for (near, layer) in self.layers().iter().enumerate() {
            let mut rest = *layer & other.all;
            for (far, opposite) in other.layers().iter().enumerate() {
                let both = rest & *opposite;
                if !both.is_empty() {
                    visit(near, far, both.count() as f32);
                    rest = rest - both;
                }
                if rest.is_empty() {
                    break;
                }
            }
        }
    }

    fn nearness(&self) -> f32 {
        self.layers().iter().rev().fold(0.0, |sum, layer| (sum + layer.count() as f32) * 0.5)
    }
}

impl Terms {
    /// Measures a position.
    pub(crate) fn of(position: &Position) -> Terms {
        let empty = position.empty();
        let sides = [position.side(), !position.side()];
        let [own, other] = sides.map(|side| Map::new(queen_layers(position.amazons(side), empty)));
        let mut terms = Terms {
            near_queen: 2.0 * (own.nearness() - other.nearness()),
            queen: (own.all - other.all).count() as f32 - (other.all - own.all).count() as f32,
            ..Terms::default()
        };
        own.meet(&other, |near, far, count| {
            terms.openness += count * halvings(near.abs_diff(far));
            match near.cmp(&far) {
                std::cmp::Ordering::Less => terms.queen += count,
                std::cmp::Ordering::Greater => terms.queen -= count,
                std::cmp::Ordering::Equal => terms.tied += count,
            }
        });
        if terms.openness == 0.0 {
            // Nobody can reach the other's squares: the other terms say nothing.
            return terms;
        }
        terms.measure_kings(position, sides);
        let shared = own.all & other.all;
        let [own, other] = sides.map(|side| mobility(position, side, shared));
        terms.mobility = own - other;
        terms
    }

    fn measure_kings(&mut self, position: &Position, sides: [Side; 2]) {
        let [own, other] = sides.map(|side| Map::new(king_layers(position.amazons(side), position.empty())));
        let alone = (own.all - other.all).count() as f32 - (other.all - own.all).count() as f32;
        self.king = alone;
        self.near_king = alone;
        own.meet(&other, |near, far, count| {
            let lead = far as f32 - near as f32;
            self.king += count * lead.clamp(-1.0, 1.0);
            self.near_king += count * (lead / 6.0).clamp(-1.0, 1.0);
        });
    }
}

/// 2^-count.
fn halvings(count: usize) -> f32 {
    1.0 / (1_u32 << count) as f32
}

fn mobility(position: &Position, side: Side, shared: Bitboard) -> f32 {
    let reach = |square| (queen_reach(square, position.empty()) & shared).count() as f32;
    position.amazons(side).into_iter().map(reach).map(|count| count / (count + 4.0)).sum()
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use proptest::prelude::*;

    use super::*;
    use crate::testing::wander;

    /// The distance of each empty square, from 1; `None` where it cannot be reached.
    fn distances(position: &Position, layers: impl Iterator<Item = Bitboard>) -> Vec<Option<f32>> {
        let layers: Vec<Bitboard> = layers.collect();
        let of = |square| {
            layers.iter().position(|layer| layer.contains(square)).map(|d| d.min(LAYERS - 1) as f32 + 1.0)
        };
        position.empty().into_iter().map(of).collect()
    }

    /// The definitions of the terms, square by square.
    fn by_squares(position: &Position) -> Terms {
        let sides = [position.side(), !position.side()];
        let [own, other] =
            sides.map(|side| distances(position, queen_layers(position.amazons(side), position.empty())));
        let [own_king, other_king] =
            sides.map(|side| distances(position, king_layers(position.amazons(side), position.empty())));
        let nearer = |own: Option<f32>, other: Option<f32>| match (own, other) {
            (Some(a), Some(b)) => (b - a).clamp(-1.0, 1.0),
            _ => f32::from(own.is_some()) - f32::from(other.is_some()),
        };
        let mut terms = Terms::default();
        for (&own, &other) in own.iter().zip(&other) {
            terms.queen += nearer(own, other);
            let near = |distance: Option<f32>| distance.map_or(0.0, |d| (-d).exp2());
            terms.near_queen += 2.0 * (near(own) - near(other));
            if let (Some(a), Some(b)) = (own, other) {
                terms.tied += f32::from((a - b).abs() < 0.5);
                terms.openness += (-(a - b).abs()).exp2();
            }
        }
        if terms.openness == 0.0 {
            return terms;
        }
        for (&own, &other) in own_king.iter().zip(&other_king) {
            terms.king += nearer(own, other);
            terms.near_king += match (own, other) {
                (Some(a), Some(b)) => ((b - a) / 6.0).clamp(-1.0, 1.0),
                _ => nearer(own, other),
            };
        }
        let reached =
            |side| queen_layers(position.amazons(side), position.empty()).fold(Bitboard::EMPTY, |a, b| a | b);
        let shared = reached(Side::White) & reached(Side::Black);
        terms.mobility = mobility(position, sides[0], shared) - mobility(position, sides[1], shared);
        terms
    }

    proptest! {
        #[test]
        fn terms_are_what_they_say(seed: u64, plies in 0..70usize, board in 0..3usize) {
            let position = wander(Board::PLAYED[board], seed, plies);
            let (fast, slow) = (Terms::of(&position), by_squares(&position));
            let list = |t: Terms| [t.queen, t.tied, t.king, t.near_queen, t.near_king, t.mobility, t.openness];
            for (fast, slow) in list(fast).into_iter().zip(list(slow)) {
                prop_assert!((fast - slow).abs() < 1e-3, "{} and {}", fast, slow);
            }
        }

        /// What one side sees is the opposite of what the other sees on the same board.
        #[test]
        fn sides_are_equal(seed: u64, plies in 0..40usize) {
            let position = wander(Board::EIGHT, seed, plies);
            let (own, other) = (Terms::of(&position), Terms::of(&position.passed()));
            prop_assert_eq!((own.queen, own.king, own.tied), (-other.queen, -other.king, other.tied));
            prop_assert!((own.openness - other.openness).abs() < 1e-3);
        }
    }
}

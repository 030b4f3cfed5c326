//! The input planes of the network, computed on bitboards.

use hippolyta_game::{Bitboard, Board, Position, Square, king_layers, queen_layers};

/// The number of planes.
pub const PLANES: usize = 20;

/// The planes that are sets of squares, from the point of view of the side to move; each square of them is 1.
///
/// | plane | squares |
/// |---|---|
/// | 0, 1 | amazons of the side to move, of its opponent |
/// | 2 | arrows |
/// | 3, 4, 5 | empty squares at queen distance 1, 2, 3 or more from the side to move |
/// | 6, 7, 8 | the same from the opponent |
/// | 11, 12 | empty squares that the side to move, the opponent, reaches in strictly fewer queen moves |
/// | 13, 14 | the same in king moves |
/// | 15, 16 | empty squares that only the side to move, only the opponent, can reach |
/// | 19 | all squares |
///
/// Four planes hold fractions: 9 and 10 are 1/d on empty squares at king distance d from the side to move and from
/// the opponent; 17 is 1 everywhere when the number of empty squares is odd; 18 is the share of empty squares
/// everywhere. Distances run over empty squares and are counted from the nearest amazon; a square that cannot be
/// reached is 0 in planes 3 to 10.
#[derive(Clone, Debug)]
pub struct Features {
    board: Board,
    sets: [Bitboard; PLANES],
    /// For each side, point of view first: the squares at each king distance from 1.
    king: [Vec<Bitboard>; 2],
    empty_share: f32,
}

const KING: [usize; 2] = [9, 10];
const EMPTY_SHARE: usize = 18;

impl Features {
    /// An empty store for [`Features::read`], so that nothing is allocated for each position.
    pub fn new() -> Features {
        Features {
            board: Board::SIX,
            sets: [Bitboard::EMPTY; PLANES],
            king: [Vec::new(), Vec::new()],
            empty_share: 0.0,
        }
    }

    /// Replaces the contents by the planes of `position`.
    pub fn read(&mut self, position: &Position) {
        let board = position.board();
        let (side, empty, all) = (position.side(), position.empty(), board.squares());
        let amazons = [position.amazons(side), position.amazons(!side)];
        self.board = board;
        self.empty_share = empty.count() as f32 / board.area() as f32;
        self.sets = [Bitboard::EMPTY; PLANES];
        self.sets[0] = amazons[0];
        self.sets[1] = amazons[1];
        self.sets[2] = position.arrows();
        if empty.count() % 2 == 1 {
            self.sets[17] = all;
        }
        self.sets[19] = all;

        let mut queen = amazons.map(|own| queen_layers(own, empty));
        [self.sets[11], self.sets[12]] = self.race(&mut queen, |sets, side, distance, layer| {
            let plane = 3 + 3 * side + (distance - 1).min(2);
            sets[plane] |= layer;
        });
        let reach = [3, 6].map(|first| self.sets[first] | self.sets[first + 1] | self.sets[first + 2]);
        self.sets[15] = reach[0] - reach[1];
        self.sets[16] = reach[1] - reach[0];

        let mut king = amazons.map(|own| king_layers(own, empty));
        let mut layers = std::mem::take(&mut self.king);
        layers.iter_mut().for_each(Vec::clear);
        [self.sets[13], self.sets[14]] = self.race(&mut king, |_, side, _, layer| layers[side].push(layer));
        self.king = layers;
    }

    /// Runs both sides' layers against each other, hands each to `visit` as (planes, side, distance, layer), and
    /// gives the squares that each side reaches strictly first.
    fn race(
        &mut self,
        layers: &mut [impl Iterator<Item = Bitboard>; 2],
        mut visit: impl FnMut(&mut [Bitboard; PLANES], usize, usize, Bitboard),
    ) -> [Bitboard; 2] {
        let mut seen = [Bitboard::EMPTY; 2];
        let mut first = [Bitboard::EMPTY; 2];
        for distance in 1.. {
            let next = layers.each_mut().map(|layers| layers.next().unwrap_or(Bitboard::EMPTY));
            if next.iter().all(|layer| layer.is_empty()) {
                break;
            }
            for side in 0..2 {
                let other = 1 - side;
                first[side] |= next[side] - seen[other] - next[other];
                if !next[side].is_empty() {
                    visit(&mut self.sets, side, distance, next[side]);
                }
            }
            seen = [seen[0] | next[0], seen[1] | next[1]];
        }
        first
    }

    /// Calls `put(plane, dense index, value)` for each value of the planes that is not 0.
    #[inline]
    pub fn for_each(&self, mut put: impl FnMut(usize, usize, f32)) {
        let dense = dense_indices(self.board);
        let mut fill = |plane: usize, squares: Bitboard, value: f32| {
            for square in squares {
                put(plane, dense[square.index()] as usize, value);
            }
        };
        for (plane, &squares) in self.sets.iter().enumerate() {
            fill(plane, squares, 1.0);
        }
        for (plane, layers) in KING.into_iter().zip(&self.king) {
            for (distance, &squares) in (1..).zip(layers) {
                fill(plane, squares, 1.0 / distance as f32);
            }
        }
        fill(EMPTY_SHARE, self.board.squares(), self.empty_share);
    }

    /// Writes the planes as `[PLANES][area]`, dense indices from a1 by rank.
    ///
    /// # Panics
    /// When `out` is not `PLANES * area` long.
    pub fn write_planes(&self, out: &mut [f32]) {
        let area = self.board.area();
        assert_eq!(out.len(), PLANES * area, "planes of a {} board", self.board);
        out.fill(0.0);
        self.for_each(|plane, dense, value| out[plane * area + dense] = value);
    }

    /// Writes the planes as `[area][PLANES]`, square by square.
    ///
    /// # Panics
    /// When `out` is not `PLANES * area` long.
    pub fn write_squares(&self, out: &mut [f32]) {
        assert_eq!(out.len(), PLANES * self.board.area(), "planes of a {} board", self.board);
        out.fill(0.0);
        self.for_each(|plane, dense, value| out[dense * PLANES + plane] = value);
    }
}

impl Default for Features {
    fn default() -> Features {
        Features::new()
    }
}

/// The dense index of each square of a board.
fn dense_indices(board: Board) -> &'static [u8; Square::COUNT] {
    const TABLE: [[u8; Square::COUNT]; 11] = {
        let mut table = [[0; Square::COUNT]; 11];
        let mut files = 1;
        while files <= 10 {
            let mut rank = 0;
            while rank < 10 {
                let mut file = 0;
                while file < files {
                    table[files as usize][Square::new(file, rank).index()] = rank * files + file;
                    file += 1;
                }
                rank += 1;
            }
            files += 1;
        }
        table
    };
    static DENSE: [[u8; Square::COUNT]; 11] = TABLE;
    &DENSE[board.files() as usize]
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use hippolyta_game::{Bitboard, Direction, Side, Symmetry};

    use super::*;

    fn planes(position: &Position) -> Vec<f32> {
        let mut features = Features::new();
        features.read(position);
        let mut out = vec![f32::NAN; PLANES * position.board().area()];
        features.write_planes(&mut out);
        out
    }

    /// Distances square by square, breadth first: the oracle of the fills.
    fn distances(position: &Position, side: Side, longest: usize) -> HashMap<Square, usize> {
        let mut distance = HashMap::new();
        let mut frontier: Vec<Square> = position.amazons(side).into_iter().collect();
        for moves in 1.. {
            let mut next = Vec::new();
            for from in frontier {
                for direction in Direction::ALL {
                    let mut here = Bitboard::of(from);
                    for _ in 0..longest {
                        here = here.step(direction) & position.empty();
                        let Some(square) = here.first() else { break };
                        if let std::collections::hash_map::Entry::Vacant(entry) = distance.entry(square) {
                            entry.insert(moves);
                            next.push(square);
                        }
                    }
                }
            }
            if next.is_empty() {
                return distance;
            }
            frontier = next;
        }
        unreachable!("the frontier runs dry")
    }

    /// The table above, literally.
    fn planes_slowly(position: &Position) -> Vec<f32> {
        let (board, side) = (position.board(), position.side());
        let sides = [side, !side];
        let queen = sides.map(|side| distances(position, side, 10));
        let king = sides.map(|side| distances(position, side, 1));
        let area = board.area();
        let mut out = vec![0.0; PLANES * area];
        for dense in 0..area {
            let square = board.square(dense);
            let mut put = |plane: usize, value: f32| out[plane * area + dense] = value;
            let [q0, q1] = [0, 1].map(|i| queen[i].get(&square).copied());
            let [k0, k1] = [0, 1].map(|i| king[i].get(&square).copied());
            let flag = |condition: bool| f32::from(u8::from(condition));
            let nearer = |a: Option<usize>, b: Option<usize>| flag(a.is_some() && (b.is_none() || a < b));
            put(0, flag(position.amazons(side).contains(square)));
            put(1, flag(position.amazons(!side).contains(square)));
            put(2, flag(position.arrows().contains(square)));
            for (first, q) in [(3, q0), (6, q1)] {
                put(first, flag(q == Some(1)));
                put(first + 1, flag(q == Some(2)));
                put(first + 2, flag(q >= Some(3)));
            }
            put(9, k0.map_or(0.0, |d| 1.0 / d as f32));
            put(10, k1.map_or(0.0, |d| 1.0 / d as f32));
            put(11, nearer(q0, q1));
            put(12, nearer(q1, q0));
            put(13, nearer(k0, k1));
            put(14, nearer(k1, k0));
            put(15, flag(q0.is_some() && q1.is_none()));
            put(16, flag(q1.is_some() && q0.is_none()));
            put(17, flag(position.empty().count() % 2 == 1));
            put(18, position.empty().count() as f32 / area as f32);
            put(19, 1.0);
        }
        out
    }

    /// A whole game of the `choice`-th legal move each ply.
    fn game(board: Board, choice: usize) -> Vec<Position> {
        let mut position = Position::start(board).expect("has a start");
        let (mut game, mut moves) = (vec![position], Vec::new());
        loop {
            position.moves(&mut moves);
            if moves.is_empty() {
                return game;
            }
            position = position.play_unchecked(moves[choice % moves.len()]);
            game.push(position);
        }
    }

    #[test]
    fn agree_with_the_table() {
        for board in Board::PLAYED {
            for choice in [0, 977, 31_337, 123_456_789] {
                for position in game(board, choice) {
                    assert_eq!(planes(&position), planes_slowly(&position), "{position}");
                }
            }
        }
    }

    #[test]
    fn of_an_image_are_the_image() {
        for position in game(Board::SIX, 4_242) {
            let (board, area) = (position.board(), 36);
            let original = planes(&position);
            for symmetry in Symmetry::ALL {
                let image = planes(&symmetry.position(&position));
                for plane in 0..PLANES {
                    for dense in 0..area {
                        let to = board.dense(symmetry.square(board, board.square(dense)));
                        let [image, original] = [image[plane * area + to], original[plane * area + dense]];
                        assert_eq!(image.to_bits(), original.to_bits(), "plane {plane}");
                    }
                }
            }
        }
    }

    #[test]
    fn are_the_mover_s() {
        let position: Position = "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b".parse().expect("a position");
        let (black, white) = (planes(&position), planes(&position.passed()));
        let area = 100;
        for (a, b) in [(0, 1), (3, 6), (4, 7), (5, 8), (9, 10), (11, 12), (13, 14), (15, 16)] {
            assert_eq!(black[a * area..][..area], white[b * area..][..area]);
        }
    }
}

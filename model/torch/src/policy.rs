//! The scores of whole moves from the six policy maps, and the way back.
//!
//! The maps of a position are `[squares, 6 d]`, row-major; a square's row holds its six vectors of `d` channels
//! `q_ft, k_ft, q_ta, k_ta, q_fa, k_fa`. The logit of a move is
//! `(q_ft[from] k_ft[to] + q_ta[to] k_ta[arrow] + q_fa[from] k_fa[arrow]) / sqrt(d)`. Products are made only for
//! pairs of squares that occur in a legal move.

use hippolyta_game::{Board, Move};

/// A move by dense indices (`rank * files + file`) of from, to and arrow.
pub type DenseMove = [u8; 3];

/// The dense indices of a move on `board`.
pub fn dense(board: Board, m: Move) -> DenseMove {
    [m.from, m.to, m.arrow].map(|square| board.dense(square) as u8)
}

const QUERY_FT: usize = 0;
const KEY_FT: usize = 1;
const QUERY_TA: usize = 2;
const KEY_TA: usize = 3;
const QUERY_FA: usize = 4;
const KEY_FA: usize = 5;

/// Vectors are worked on this many channels at a time; `d` is a multiple of it.
const LANES: usize = 16;

/// Where vector `part` of `square` lies in maps of `dim` channels a vector.
fn span(dim: usize, square: u8, part: usize) -> std::ops::Range<usize> {
    let start = (usize::from(square) * 6 + part) * dim;
    start..start + dim
}

/// The product, summed lane by lane: a fixed order that also compiles to vector instructions.
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    for (a, b) in a.chunks_exact(LANES).zip(b.chunks_exact(LANES)) {
        for (lane, (a, b)) in lanes.iter_mut().zip(a.iter().zip(b)) {
            *lane += a * b;
        }
    }
    let mut half = LANES / 2;
    while half > 0 {
        for lane in 0..half {
            lanes[lane] += lanes[lane + half];
        }
        half /= 2;
    }
    lanes[0]
}

fn add_scaled(to: &mut [f32], from: &[f32], scale: f32) {
    for (to, from) in to.iter_mut().zip(from) {
        *to += scale * from;
    }
}

/// Replaces `logits` by one logit a move. `maps` is `[squares, 6 dim]`. Moves that share from and to and stand side
/// by side, as in the order of [`Position::moves`], share a product.
///
/// [`Position::moves`]: hippolyta_game::Position::moves
pub fn logits(maps: &[f32], dim: usize, moves: impl IntoIterator<Item = DenseMove>, logits: &mut Vec<f32>) {
    let scale = 1.0 / (dim as f32).sqrt();
    let vector = |square, part| &maps[span(dim, square, part)];
    let mut pair = None;
    let mut pair_score = 0.0;
    logits.clear();
    logits.extend(moves.into_iter().map(|[from, to, arrow]| {
        if pair != Some((from, to)) {
            pair = Some((from, to));
            pair_score = dot(vector(from, QUERY_FT), vector(to, KEY_FT));
        }
        let shot = dot(vector(to, QUERY_TA), vector(arrow, KEY_TA))
            + dot(vector(from, QUERY_FA), vector(arrow, KEY_FA));
        scale * (pair_score + shot)
    }));
}

/// Adds to `map_gradients`, `[squares, 6 dim]`, the gradient with respect to the maps of a loss whose gradient with
/// respect to the logits of `moves` is `logit_gradients`.
pub fn logits_backward(
    maps: &[f32],
    dim: usize,
    moves: &[DenseMove],
    logit_gradients: &[f32],
    map_gradients: &mut [f32],
) {
    let scale = 1.0 / (dim as f32).sqrt();
    let mut start = 0;
    for run in moves.chunk_by(|a, b| a[..2] == b[..2]) {
        let [from, to, _] = run[0];
        let gradients = &logit_gradients[start..start + run.len()];
        start += run.len();
        for (&[_, _, arrow], &gradient) in run.iter().zip(gradients) {
            let gradient = scale * gradient;
            for (query, key, square) in [(QUERY_TA, KEY_TA, to), (QUERY_FA, KEY_FA, from)] {
                let (query, key) = (span(dim, square, query), span(dim, arrow, key));
                add_scaled(&mut map_gradients[query.clone()], &maps[key.clone()], gradient);
                add_scaled(&mut map_gradients[key], &maps[query], gradient);
            }
        }
        let gradient = scale * gradients.iter().sum::<f32>();
        let (query, key) = (span(dim, from, QUERY_FT), span(dim, to, KEY_FT));
        add_scaled(&mut map_gradients[query.clone()], &maps[key.clone()], gradient);
        add_scaled(&mut map_gradients[key], &maps[query], gradient);
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Position;

    use super::*;

    /// Numbers without a pattern, in [-1, 1].
    fn numbers(count: usize, seed: u64) -> Vec<f32> {
        let number = |i| (hippolyta_search::seed::derive(seed, &[i]) >> 40) as f32 / (1 << 23) as f32 - 1.0;
        (0..count as u64).map(number).collect()
    }

    fn moves(fen: &str) -> (usize, Vec<DenseMove>) {
        let position: Position = fen.parse().unwrap();
        let mut moves = Vec::new();
        position.moves(&mut moves);
        let board = position.board();
        (board.area(), moves.into_iter().map(|m| dense(board, m)).collect())
    }

    #[test]
    fn logits_are_the_formula() {
        let dim = 32;
        let (squares, moves) = moves("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w");
        let maps = numbers(squares * 6 * dim, 1);
        let mut fast = Vec::new();
        logits(&maps, dim, moves.iter().copied(), &mut fast);
        let at = |square: u8, part: usize, channel: usize| {
            f64::from(maps[usize::from(square) * 6 * dim + part * dim + channel])
        };
        for (&[from, to, arrow], fast) in moves.iter().zip(fast) {
            let sum: f64 = (0..dim)
                .map(|c| {
                    at(from, 0, c) * at(to, 1, c)
                        + at(to, 2, c) * at(arrow, 3, c)
                        + at(from, 4, c) * at(arrow, 5, c)
                })
                .sum();
            assert!((sum / (dim as f64).sqrt() - f64::from(fast)).abs() < 1e-5);
        }
    }

    #[test]
    fn the_way_back_is_the_slope() {
        let dim = 16;
        let (squares, moves) = moves("q**/*1*/1Q* w");
        let mut maps = numbers(squares * 6 * dim, 2);
        let weights = numbers(moves.len(), 3);
        let mut gradients = vec![0.0; maps.len()];
        logits_backward(&maps, dim, &moves, &weights, &mut gradients);
        let loss = |maps: &[f32]| {
            let mut out = Vec::new();
            logits(maps, dim, moves.iter().copied(), &mut out);
            out.iter().zip(&weights).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>()
        };
        for i in 0..maps.len() {
            let middle = maps[i];
            maps[i] = middle + 0.25;
            let above = loss(&maps);
            maps[i] = middle - 0.25;
            let below = loss(&maps);
            maps[i] = middle;
            // Queries and keys are different elements, so the loss is linear in each.
            assert!(((above - below) / 0.5 - f64::from(gradients[i])).abs() < 1e-4, "element {i}");
        }
    }
}

//! From the terms of a position to a value.

use hippolyta_game::{Position, TerritoryCounter};
use hippolyta_search::math;

use super::terms::Terms;

/// The value of a position that is won for the side to move, as if by proof.
pub(crate) const WON: i32 = 100_000;
/// The largest value of a position that is not decided.
pub(crate) const LIMIT: i32 = 10_000;

/// How many terms are weighed, the constant one included.
pub(crate) const TERMS: usize = 7;
/// How many functions of openness weigh each term.
pub(crate) const SHAPES: usize = 3;

/// For each term its weights on the three shapes.
pub(crate) type Weights = [[f32; SHAPES]; TERMS];

/// Fitted by logistic regression to the results of the classical program's games against itself on the three boards,
/// so that the weighed sum is the log-odds of winning. The ignored test `fit` is the regression.
const WEIGHTS: Weights = [
    [2.179, 0.048, -0.153],
    [-0.113, 0.009, -0.016],
    [-0.262, 0.134, -0.106],
    [0.316, -0.111, 0.159],
    [0.826, 0.131, -0.081],
    [0.362, 0.919, -0.011],
    [-0.977, 0.655, -0.081],
];

/// The terms in the order of [`WEIGHTS`], with a constant.
pub(crate) fn inputs(terms: &Terms) -> [f32; TERMS] {
    let Terms { queen, tied, king, near_queen, near_king, mobility, openness: _ } = *terms;
    [queen, tied, king, near_queen, near_king, mobility, 1.0]
}

/// The functions of openness: one that matters when the sides are all but cut off from each other, a constant, and
/// one that matters at the start.
pub(crate) fn shapes(openness: f32) -> [f32; SHAPES] {
    [1.0 / (1.0 + 0.5 * openness), 1.0, openness * 0.02]
}

/// The log-odds of a win for the side to move.
fn log_odds(terms: &Terms) -> f32 {
    let shapes = shapes(terms.openness);
    let weigh = |weights: &[f32; SHAPES]| weights.iter().zip(shapes).map(|(w, s)| w * s).sum::<f32>();
    inputs(terms).iter().zip(&WEIGHTS).map(|(input, weights)| input * weigh(weights)).sum()
}

/// The openness below which the verdict of the territory is asked for; above it, it says nothing yet.
const NEARLY_CLOSED: f32 = 6.0;

/// The value of a position for the side to move: hundredths of log-odds, or [`WON`] or `-WON` when the result is
/// sure.
pub(crate) fn assess(position: &Position, counter: &mut TerritoryCounter) -> i32 {
    if !position.has_move() {
        return -WON;
    }
    let terms = Terms::of(position);
    if terms.openness < NEARLY_CLOSED
        && let Some(winner) = counter.verdict(position)
    {
        return if winner == position.side() { WON } else { -WON };
    }
    (log_odds(&terms) * 100.0).clamp(-LIMIT as f32, LIMIT as f32) as i32
}

/// The expected result in [-1, 1] that belongs to a value of [`assess`]; exactly 1 or -1 only for a sure one.
pub(crate) fn expected(value: i32) -> f32 {
    if value.abs() >= WON {
        return value.signum() as f32;
    }
    math::tanh(value as f32 / 200.0).clamp(-0.999, 0.999)
}

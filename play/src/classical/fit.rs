//! Fits the weights of the evaluation to results of the classical program's own games.
#![cfg(test)]

use hippolyta_game::{Board, Position, Side};

use super::ClassicalPlayer;
use super::terms::Terms;
use super::weights::{SHAPES, TERMS, Weights, inputs, shapes};
use crate::player::{Limits, Player};
use crate::testing::wander;

const COUNT: usize = TERMS * SHAPES;
/// Keeps the weights of terms that hardly matter near 0.
const RIDGE: f64 = 5.0;

/// What the evaluation sees of a position, and whether its side to move won in the end.
struct Sample {
    inputs: [f64; COUNT],
    won: bool,
}

fn sample_inputs(terms: &Terms) -> [f64; COUNT] {
    let (inputs, shapes) = (inputs(terms), shapes(terms.openness));
    std::array::from_fn(|place| f64::from(inputs[place / SHAPES] * shapes[place % SHAPES]))
}

/// Evaluations of a move in these games.
const VISITS: u64 = 5000;

/// Plays a game of the program against itself after some random plies and adds its open positions.
fn collect(board: Board, seed: u64, samples: &mut Vec<Sample>) {
    let mut player = ClassicalPlayer::new();
    player.new_game(seed);
    let mut position = wander(board, seed, 2 + seed as usize % 8);
    let mut seen: Vec<(Side, [f64; COUNT])> = Vec::new();
    let winner = loop {
        let terms = Terms::of(&position);
        if terms.openness == 0.0 {
            break position.verdict().unwrap_or_else(|| leader(&position, &terms));
        }
        seen.push((position.side(), sample_inputs(&terms)));
        let Ok(choice) = player.choose(&position, &Limits::visits(VISITS)) else {
            break position.winner().expect("a player without a move has lost");
        };
        position = position.play_unchecked(choice.best);
    };
    samples.extend(seen.into_iter().map(|(side, inputs)| Sample { inputs, won: side == winner }));
}

fn leader(position: &Position, terms: &Terms) -> Side {
    if terms.queen > 0.0 { position.side() } else { !position.side() }
}

/// Newton's method for logistic regression: the weights, and the mean loss in nats.
fn regress(samples: &[Sample]) -> ([f64; COUNT], f64) {
    let mut weights = [0.0; COUNT];
    let mut loss = 0.0;
    for _ in 0..12 {
        let mut gradient = weights.map(|weight| -RIDGE * weight);
        let mut curvature = [[0.0; COUNT]; COUNT];
        for (place, row) in curvature.iter_mut().enumerate() {
            row[place] = RIDGE;
        }
        loss = 0.0;
        for Sample { inputs, won } in samples {
            let sum: f64 = inputs.iter().zip(weights).map(|(input, weight)| input * weight).sum();
            let chance = 1.0 / (1.0 + (-sum).exp());
            let error = f64::from(u8::from(*won)) - chance;
            loss -= (1.0 - error.abs()).max(1e-12).ln();
            for (i, input) in inputs.iter().enumerate() {
                gradient[i] += error * input;
                for (j, other) in inputs.iter().enumerate() {
                    curvature[i][j] += chance * (1.0 - chance) * input * other;
                }
            }
        }
        for (weight, step) in weights.iter_mut().zip(solve(curvature, gradient)) {
            *weight += step;
        }
    }
    (weights, loss / samples.len() as f64)
}

/// Solves a positive definite system by elimination.
fn solve(mut matrix: [[f64; COUNT]; COUNT], mut right: [f64; COUNT]) -> [f64; COUNT] {
    for pivot in 0..COUNT {
        for row in pivot + 1..COUNT {
            let factor = matrix[row][pivot] / matrix[pivot][pivot];
            let pivot_row = matrix[pivot];
            matrix[row].iter_mut().zip(pivot_row).for_each(|(cell, above)| *cell -= factor * above);
            right[row] -= factor * right[pivot];
        }
    }
    for pivot in (0..COUNT).rev() {
        let known: f64 = (pivot + 1..COUNT).map(|column| matrix[pivot][column] * right[column]).sum();
        right[pivot] = (right[pivot] - known) / matrix[pivot][pivot];
    }
    right
}

/// Prints weights in the form of `WEIGHTS`: `cargo test -p hippolyta-play -- --ignored --nocapture fit`.
#[test]
#[ignore = "minutes"]
#[expect(clippy::print_stdout, reason = "a measurement for people")]
fn fit() {
    let mut samples = Vec::new();
    for (board, games) in [(Board::SIX, 600), (Board::EIGHT, 400), (Board::TEN, 300)] {
        let before = samples.len();
        (0..games).for_each(|seed| collect(board, seed, &mut samples));
        println!(
            "{board}: {} positions, loss {:.4} by themselves",
            samples.len() - before,
            regress(&samples[before..]).1
        );
    }
    let (weights, loss) = regress(&samples);
    println!("loss {loss:.4}");
    let rows: Weights =
        std::array::from_fn(|term| std::array::from_fn(|shape| weights[term * SHAPES + shape] as f32));
    for row in rows {
        println!("    {row:.3?},");
    }
}

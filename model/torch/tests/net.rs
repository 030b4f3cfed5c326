//! The libtorch network against a slow forward pass written down square by square, and folded against unfolded.

use hippolyta_game::{Board, Move, Position};
use hippolyta_model::features::Features;
use hippolyta_model::{Head, NetSpec, Weights};
use hippolyta_search::{Evaluation, Evaluator, Query, seed};
use hippolyta_torch::{Precision, TorchEvaluator, TorchNet};
use tch::{Device, Tensor};

fn spec() -> NetSpec {
    NetSpec { value_hidden: 16, ..NetSpec::with_trunk(2, 16, &[1]) }
}

/// Positions some plies into a game on each board.
fn positions() -> Vec<Position> {
    let mut positions = Vec::new();
    for board in Board::PLAYED {
        let mut position = Position::start(board).unwrap();
        for ply in 0..8 {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let choice = seed::derive(ply, &[board.area() as u64]) as usize % moves.len();
            position = position.play_unchecked(moves[choice]);
            positions.push(position);
        }
    }
    positions
}

/// The shipped norms see what the norms of training saw, when the positions are the same: one batch gives its own
/// statistics, and several those over all of them.
#[test]
fn estimated_statistics_are_those_of_the_positions() {
    let mut net = TorchNet::new(&Weights::untrained(spec(), 5).unwrap(), Device::Cpu);
    let own: Vec<Position> =
        positions().into_iter().filter(|position| position.board() == Board::SIX).collect();
    let whole = planes(&own);
    net.estimate_statistics(&[(whole.shallow_clone(), Board::SIX)]);
    let trained = net.copy().forward_training(&whole, Board::SIX, Precision::F32);
    let frozen = net.forward_frozen(&whole, Board::SIX);
    // The running variance is the unbiased one: 1 in 287 more.
    for head in [Head::Policy, Head::Value] {
        close(&numbers(frozen.get(head)), &numbers(trained.get(head)), 0.02, head.name());
    }

    // The stem's input does not depend on norms: its statistics over two halves are those over the whole.
    let statistics = |batches: &[(Tensor, Board)]| {
        let mut net = net.copy();
        net.estimate_statistics(batches);
        numbers(&net.statistics().narrow(0, 0, 2 * 16))
    };
    let halves = [whole.narrow(0, 0, 2), whole.narrow(0, 2, 6)].map(|part| (part, Board::SIX));
    let (whole, halves) = (statistics(&[(whole, Board::SIX)]), statistics(&halves));
    close(&halves, &whole, 0.02, "statistics");
    let before = numbers(net.statistics());
    net.estimate_statistics(&[]);
    assert_eq!(numbers(net.statistics()), before);
}

fn legal(position: &Position) -> Vec<Move> {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves
}

fn planes(positions: &[Position]) -> Tensor {
    let squares = positions[0].board().area();
    let mut features = Features::new();
    let mut input = vec![0.0_f32; positions.len() * squares * 20];
    for (position, input) in positions.iter().zip(input.chunks_exact_mut(squares * 20)) {
        features.read(position);
        features.write_squares(input);
    }
    Tensor::from_slice(&input).view([positions.len() as i64, squares as i64, 20])
}

fn numbers(tensor: &Tensor) -> Vec<f32> {
    Vec::try_from(tensor.detach().flatten(0, -1)).unwrap()
}

fn close(a: &[f32], b: &[f32], tolerance: f32, what: &str) {
    assert_eq!(a.len(), b.len(), "{what}");
    let largest = b.iter().fold(1e-3_f32, |largest, x| largest.max(x.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        assert!((a - b).abs() <= tolerance * largest, "{what} {i}: {a} and {b}");
    }
}

/// A forward pass in f64 that follows the definition of the network, index by index.
struct Slow<'a> {
    weights: &'a Weights,
    board: Board,
}

impl Slow<'_> {
    fn get(&self, name: &str) -> Vec<f64> {
        self.weights.tensor(name).iter().map(|&x| f64::from(x)).collect()
    }

    /// `x` is `[squares][inputs]`.
    fn convolve(&self, x: &[Vec<f64>], name: &str) -> Vec<Vec<f64>> {
        let (weight, bias) = (self.get(&format!("{name}.weight")), self.get(&format!("{name}.bias")));
        let (files, ranks) = (i32::from(self.board.files()), i32::from(self.board.ranks()));
        let inputs = x[0].len();
        let at = |square: usize, out: usize| {
            let (file, rank) = (square as i32 % files, square as i32 / files);
            let mut sum = bias[out];
            for row in 0..3 {
                for column in 0..3 {
                    let (r, f) = (rank + row - 1, file + column - 1);
                    if (0..ranks).contains(&r) && (0..files).contains(&f) {
                        for (i, value) in x[(r * files + f) as usize].iter().enumerate() {
                            sum +=
                                value * weight[((out * inputs + i) * 3 + row as usize) * 3 + column as usize];
                        }
                    }
                }
            }
            sum
        };
        (0..x.len()).map(|square| (0..bias.len()).map(|out| at(square, out)).collect()).collect()
    }

    fn linear(&self, x: &[f64], name: &str, bias: bool) -> Vec<f64> {
        let weight = self.get(&format!("{name}.weight"));
        let rows = weight.chunks_exact(x.len());
        let mut out: Vec<f64> = rows.map(|row| row.iter().zip(x).map(|(w, x)| w * x).sum()).collect();
        if bias {
            for (out, bias) in out.iter_mut().zip(self.get(&format!("{name}.bias"))) {
                *out += bias;
            }
        }
        out
    }

    fn pool(x: &[Vec<f64>]) -> Vec<f64> {
        let squares = x.len() as f64;
        let column = |c: usize| x.iter().map(move |row| row[c]);
        let mean: Vec<f64> = (0..x[0].len()).map(|c| column(c).sum::<f64>() / squares).collect();
        let scaled = mean.iter().map(|mean| mean * (squares.sqrt() - 8.0) / 4.0);
        let largest = (0..x[0].len()).map(|c| column(c).fold(f64::MIN, f64::max));
        mean.iter().copied().chain(scaled).chain(largest).collect()
    }

    /// Value, margin logits, owners, and logits of the legal moves.
    fn evaluate(&self, position: &Position) -> (f64, Vec<f64>, Vec<f64>, Vec<f64>) {
        let relu = |x: Vec<Vec<f64>>| -> Vec<Vec<f64>> {
            x.into_iter().map(|row| row.into_iter().map(|x| x.max(0.0)).collect()).collect()
        };
        let mut x = vec![vec![0.0; 20]; self.board.area()];
        let mut features = Features::new();
        features.read(position);
        features.for_each(|plane, square, value| x[square][plane] = f64::from(value));
        let mut x = relu(self.convolve(&x, "stem"));
        for i in 0..self.weights.spec().blocks {
            let mut h = self.convolve(&x, &format!("blocks.{i}.conv1"));
            if self.weights.spec().pooled.contains(&i) {
                let added = self.linear(&Self::pool(&x), &format!("blocks.{i}.pool"), false);
                h.iter_mut().flat_map(|row| row.iter_mut().zip(&added)).for_each(|(h, added)| *h += added);
            }
            let mut h = self.convolve(&relu(h), &format!("blocks.{i}.conv2"));
            h.iter_mut().flatten().zip(x.iter().flatten()).for_each(|(h, x)| *h += x);
            x = relu(h);
        }
        let v = self.linear(&Self::pool(&x), "value.hidden", true);
        let v: Vec<f64> = v.into_iter().map(|x| x.max(0.0)).collect();
        let owners = x.iter().map(|row| self.linear(row, "owner", true)[0].tanh()).collect();
        let maps: Vec<Vec<f64>> = x.iter().map(|row| self.linear(row, "policy", true)).collect();
        let d = self.weights.spec().policy_dim;
        let product = |a: usize, part_a: usize, b: usize, part_b: usize| {
            (0..d).map(|c| maps[a][part_a * d + c] * maps[b][part_b * d + c]).sum::<f64>()
        };
        let logit = |m: &Move| {
            let [from, to, arrow] = [m.from, m.to, m.arrow].map(|square| self.board.dense(square));
            let sum = product(from, 0, to, 1) + product(to, 2, arrow, 3) + product(from, 4, arrow, 5);
            sum / (d as f64).sqrt()
        };
        let logits = legal(position).iter().map(logit).collect();
        (self.linear(&v, "value.out", true)[0].tanh(), self.linear(&v, "margin", true), owners, logits)
    }
}

#[test]
fn the_evaluator_follows_the_definition() {
    tch::set_num_threads(1);
    let weights = Weights::untrained(spec(), 7).unwrap();
    let mut evaluator = TorchEvaluator::new(&weights, Device::Cpu);
    // Boards mixed within one call.
    let mut positions = positions();
    positions.rotate_left(5);
    let moves: Vec<Vec<Move>> = positions.iter().map(legal).collect();
    let queries: Vec<Query<'_>> =
        positions.iter().zip(&moves).map(|(position, moves)| Query { position, moves }).collect();
    let mut answers = vec![Evaluation::default(); queries.len()];
    evaluator.evaluate(&queries, &mut answers);
    let narrow = |x: Vec<f64>| x.into_iter().map(|x| x as f32).collect::<Vec<f32>>();
    for (position, answer) in positions.iter().zip(&answers) {
        let slow = Slow { weights: &weights, board: position.board() };
        let (value, margin, owners, logits) = slow.evaluate(position);
        close(&answer.logits, &narrow(logits), 1e-4, "logit");
        close(&[answer.value], &[value as f32], 1e-4, "value");
        let heads = evaluator.heads(&[position]);
        close(&numbers(heads.get(Head::Margin)), &narrow(margin), 1e-4, "margin");
        close(&numbers(&heads.get(Head::Owner).tanh()), &narrow(owners), 1e-4, "owner");
    }
}

#[test]
fn a_new_network_answers_like_its_weights_and_folds_back() {
    let weights = Weights::untrained(spec(), 3).unwrap();
    let net = TorchNet::new(&weights, Device::Cpu);
    let folded = net.fold().unwrap();
    for (tensor, data) in weights.iter() {
        close(folded.tensor(&tensor.name), data, 1e-6, &tensor.name);
    }
}

#[test]
fn folding_keeps_the_answers_after_training_moved_everything() {
    tch::set_num_threads(1);
    let positions: Vec<Position> =
        positions().into_iter().filter(|position| position.board() == Board::EIGHT).collect();
    let mut net = TorchNet::new(&Weights::untrained(spec(), 3).unwrap(), Device::Cpu);
    let planes = planes(&positions);
    // Gains, biases and statistics of all kinds: small random steps, and norms over batches.
    let noise: Vec<f32> = (0..net.parameters().numel() as u64)
        .map(|i| (seed::derive(5, &[i]) >> 40) as f32 / (1 << 24) as f32 * 0.1)
        .collect();
    let moved = net.parameters().detach() + Tensor::from_slice(&noise);
    let statistics = net.statistics().copy();
    net.load(&moved, &statistics);
    for _ in 0..5 {
        net.forward_training(&planes, Board::EIGHT, Precision::F32);
    }
    assert!(
        !numbers(net.statistics()).iter().zip(numbers(&statistics)).any(|(a, b)| a.to_bits() == b.to_bits())
    );
    let frozen = net.forward_frozen(&planes, Board::EIGHT);
    let borrowed: Vec<&Position> = positions.iter().collect();
    let folded = TorchEvaluator::new(&net.fold().unwrap(), Device::Cpu).heads(&borrowed);
    for head in Head::shipped() {
        close(&numbers(frozen.get(head)), &numbers(folded.get(head)), 1e-4, head.name());
    }
}

#[test]
fn brain_floats_answer_nearly_the_same() {
    let net = TorchNet::new(&Weights::untrained(spec(), 3).unwrap(), Device::Cpu);
    let six: Vec<Position> = positions().into_iter().filter(|p| p.board() == Board::SIX).collect();
    let planes = planes(&six);
    let exact = net.forward_training(&planes, Board::SIX, Precision::F32);
    let rough = net.forward_training(&planes, Board::SIX, Precision::Bf16);
    let [rough, exact] =
        [&rough, &exact].map(|heads| [Head::Policy, Head::Value].map(|head| heads.get(head)));
    close(&numbers(rough[0]), &numbers(exact[0]), 0.05, "maps");
    close(&numbers(rough[1]), &numbers(exact[1]), 0.1, "value");
    let gradient = |value: &Tensor| {
        let gradient =
            Tensor::run_backward(&[value.square().sum(tch::Kind::Float)], &[net.parameters()], false, false);
        gradient[0].copy()
    };
    let (exact, rough) = (gradient(exact[0]), gradient(rough[0]));
    let cosine = f64::try_from(exact.dot(&rough) / (exact.norm() * rough.norm())).unwrap();
    assert!(cosine > 0.99, "the gradients' cosine is {cosine}");
}

#[test]
fn an_average_moves_by_its_fraction() {
    let mut average = TorchNet::new(&Weights::untrained(spec(), 3).unwrap(), Device::Cpu);
    let target = TorchNet::new(&Weights::untrained(spec(), 4).unwrap(), Device::Cpu);
    let (before, towards) = (numbers(average.parameters()), numbers(target.parameters()));
    average.approach(&target, 0.25);
    for ((after, before), towards) in numbers(average.parameters()).iter().zip(before).zip(towards) {
        assert!((after - (before + 0.25 * (towards - before))).abs() < 1e-6);
    }
}

#[test]
fn diverged_weights_do_not_fold() {
    let mut net = TorchNet::new(&Weights::untrained(spec(), 3).unwrap(), Device::Cpu);
    let parameters = net.parameters().detach() * f64::NAN;
    let statistics = net.statistics().copy();
    net.load(&parameters, &statistics);
    assert!(net.fold().unwrap_err().to_string().contains("not a finite number"));
}

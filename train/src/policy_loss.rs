//! The policy's loss: cross-entropy with a target that lumps the unvisited moves together.
//!
//! With p the softmax over the legal moves, pi the target's mass of the visited ones and pi(rest) its lump:
//! `loss = - sum_visited pi(a) log p(a) - pi(rest) log p(rest)`, p(rest) the sum of p over the unvisited moves.
//! The loss of a batch is the mean over its samples; one whose target has no mass loses nothing.

use hippolyta_torch::policy;
use rayon::ThreadPool;
use rayon::prelude::*;
use tch::{Device, Kind, Tensor};

use crate::batch::PolicyTarget;

/// The loss, and its gradient with respect to the policy maps `[B, S, 6 d]`, over legal moves one by one on the
/// threads of the current rayon pool. The bits do not depend on the number of threads.
pub(crate) fn lumped(maps: &[f32], dim: usize, targets: &[PolicyTarget]) -> (f64, Vec<f32>) {
    let width = maps.len() / targets.len();
    let mut gradient = vec![0.0; maps.len()];
    let scale = 1.0 / targets.len() as f32;
    let losses: Vec<f64> = gradient
        .par_chunks_exact_mut(width)
        .zip(maps.par_chunks_exact(width))
        .zip(targets.par_iter())
        .map_init(Vec::new, |logits, ((gradient, maps), target)| {
            policy::logits(maps, dim, target.moves.iter().copied(), logits);
            // The logits give way to the gradient with respect to them.
            let loss = sample_loss(logits, target);
            for slope in logits.iter_mut() {
                *slope *= scale;
            }
            policy::logits_backward(maps, dim, &target.moves, logits, gradient);
            loss
        })
        .collect();
    (losses.iter().sum::<f64>() / targets.len() as f64, gradient)
}

/// The loss of one sample; replaces its logits by the slope of the loss along each.
pub(crate) fn sample_loss(logits: &mut [f32], target: &PolicyTarget) -> f64 {
    if target.visited.is_empty() {
        logits.fill(0.0);
        return 0.0;
    }
    let is_visited = {
        let mut flags = vec![false; logits.len()];
        target.visited.iter().for_each(|&(index, _)| flags[index as usize] = true);
        flags
    };
    let largest = logits.iter().copied().fold(f32::MIN, f32::max);
    let unvisited =
        || logits.iter().zip(&is_visited).filter(|(_, visited)| !**visited).map(|(logit, _)| *logit);
    let largest_rest = unvisited().fold(f32::MIN, f32::max);
    let log_sum = |sum: f32, largest: f32| largest + sum.ln();
    let all = log_sum(logits.iter().map(|logit| (logit - largest).exp()).sum(), largest);
    let rest = log_sum(unvisited().map(|logit| (logit - largest_rest).exp()).sum(), largest_rest);

    let mut loss = 0.0;
    if target.rest > 0.0 {
        loss -= f64::from(target.rest) * f64::from(rest - all);
    }
    for &(index, mass) in &target.visited {
        loss -= f64::from(mass) * f64::from(logits[index as usize] - all);
    }
    for (logit, visited) in logits.iter_mut().zip(&is_visited) {
        let lump = if *visited || target.rest <= 0.0 { 0.0 } else { target.rest * (*logit - rest).exp() };
        *logit = (*logit - all).exp() - lump;
    }
    for &(index, mass) in &target.visited {
        logits[index as usize] -= mass;
    }
    loss
}

/// Stands for the logits of moves that are not there.
const NOWHERE: f64 = -1e30;

/// The same loss as a tensor, from whole tables of from-to, to-arrow and from-arrow scores and gathers padded to
/// the longest list of moves: runs on any device, and is the oracle of [`lumped`].
pub(crate) fn gathered(maps: &Tensor, dim: usize, targets: &[PolicyTarget]) -> Tensor {
    let device = maps.device();
    let squares = maps.size()[1];
    let count = targets.len() as i64;
    let vectors = maps.view([count, squares, 6, dim as i64]);
    let table = |query: i64| {
        let product = vectors.select(2, query).bmm(&vectors.select(2, query + 1).transpose(1, 2));
        (product / (dim as f64).sqrt()).view([count, squares * squares])
    };
    let padded = Padded::new(targets, squares);
    let indices = |list: &[i64]| Tensor::from_slice(list).view([count, -1]).to_device(device);
    let logits = table(0).gather(1, &indices(&padded.from_to), false)
        + table(2).gather(1, &indices(&padded.to_arrow), false)
        + table(4).gather(1, &indices(&padded.from_arrow), false);

    let mask = |list: &[bool]| Tensor::from_slice(list).view([count, -1]).to_device(device);
    let numbers = |list: &[f32]| Tensor::from_slice(list).to_device(device);
    let logits = logits.masked_fill(&mask(&padded.absent), NOWHERE);
    let unvisited = logits.masked_fill(&mask(&padded.visited), NOWHERE);
    let all = logits.logsumexp(1, true);
    let rest = (unvisited.logsumexp(1, true) - &all).squeeze_dim(1);
    let mass = numbers(&padded.mass).view([count, -1]);
    let lump = numbers(&padded.rest);
    -((mass * (logits - all)).sum_dim_intlist(1, false, Kind::Float) + lump * rest).mean(Kind::Float)
}

/// The policy targets of a batch as rectangles `[B, longest list of moves]`.
#[derive(Default)]
struct Padded {
    from_to: Vec<i64>,
    to_arrow: Vec<i64>,
    from_arrow: Vec<i64>,
    absent: Vec<bool>,
    visited: Vec<bool>,
    mass: Vec<f32>,
    /// `[B]`
    rest: Vec<f32>,
}

impl Padded {
    fn new(targets: &[PolicyTarget], squares: i64) -> Padded {
        // At least one column, also where no sample has a policy to learn: sums over none are not numbers.
        let longest = targets.iter().map(|target| target.moves.len()).max().unwrap_or(0).max(1);
        let mut padded = Padded::default();
        for target in targets {
            let start = padded.mass.len();
            for squares_of_move in &target.moves {
                let [from, to, arrow] = squares_of_move.map(i64::from);
                padded.from_to.push(from * squares + to);
                padded.to_arrow.push(to * squares + arrow);
                padded.from_arrow.push(from * squares + arrow);
            }
            for list in [&mut padded.from_to, &mut padded.to_arrow, &mut padded.from_arrow] {
                list.resize(start + longest, 0);
            }
            padded.absent.resize(start + target.moves.len(), false);
            padded.absent.resize(start + longest, true);
            padded.visited.resize(start + longest, false);
            padded.mass.resize(start + longest, 0.0);
            for &(index, mass) in &target.visited {
                padded.visited[start + index as usize] = true;
                padded.mass[start + index as usize] = mass;
            }
            padded.rest.push(target.rest);
        }
        padded
    }
}

/// The policy's loss by the quicker way for the device: its value, and a tensor with the same gradient. The
/// first runs on the threads of `pool`.
pub(crate) fn policy_loss(
    maps: &Tensor,
    dim: usize,
    targets: &[PolicyTarget],
    pool: &ThreadPool,
) -> (f64, Tensor) {
    if maps.device() != Device::Cpu {
        let loss = gathered(maps, dim, targets);
        return (loss.double_value(&[]), loss);
    }
    let held = maps.detach().contiguous();
    let mut host = vec![0.0_f32; held.numel()];
    let length = host.len();
    held.copy_data(&mut host, length);
    let (loss, gradient) = pool.install(|| lumped(&host, dim, targets));
    let gradient = Tensor::from_slice(&gradient).view_as(maps);
    (loss, (maps * gradient).sum(Kind::Float))
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;
    use hippolyta_search::seed::derive;
    use rayon::ThreadPoolBuilder;

    use super::*;
    use crate::batch::Batch;
    use crate::testing::{config, record};
    use crate::window::ReplayWindow;

    const DIM: usize = 16;

    fn batch(board: Board) -> Batch {
        let mut window = ReplayWindow::new(config().window);
        window.extend(&[record(board, 3), record(board, 4)]);
        let mut batch = Batch::new(&window.draw(1, 12), 0.5, 2);
        // One target over all moves, without a lump, and one move alone.
        let target = &mut batch.policies[0];
        let count = target.moves.len();
        target.visited = (0..count as u32).map(|index| (index, 1.0 / count as f32)).collect();
        target.rest = 0.0;
        let target = &mut batch.policies[1];
        target.moves.truncate(1);
        target.visited = vec![(0, 1.0)];
        target.rest = 0.0;
        // One sample whose policy is not learned.
        batch.policies[2] = PolicyTarget::default();
        batch
    }

    fn maps(batch: &Batch, size: f32) -> Vec<f32> {
        let number = |i| size * ((derive(5, &[i]) >> 40) as f32 / (1 << 23) as f32 - 1.0);
        (0..(batch.len() * batch.board.area() * 6 * DIM) as u64).map(number).collect()
    }

    #[test]
    fn both_ways_agree_in_loss_and_gradient() {
        for (board, size) in [(Board::SIX, 1.0), (Board::TEN, 1.0), (Board::SIX, 8.0)] {
            let batch = batch(board);
            let maps = maps(&batch, size);
            let (loss, gradient) = lumped(&maps, DIM, &batch.policies);
            let shape = [batch.len() as i64, board.area() as i64, 6 * DIM as i64];
            let leaf = Tensor::from_slice(&maps).view(shape).set_requires_grad(true);
            let other = gathered(&leaf, DIM, &batch.policies);
            let other_gradient = Tensor::run_backward(&[&other], &[&leaf], false, false);
            let other_gradient = Vec::<f32>::try_from(other_gradient[0].flatten(0, -1)).unwrap();
            let other = other.double_value(&[]);
            assert!((loss - other).abs() < 1e-4 * loss.abs(), "{board}: {loss} {other}");
            let largest = gradient.iter().fold(0.0_f32, |largest, x| largest.max(x.abs()));
            for (a, b) in gradient.iter().zip(&other_gradient) {
                assert!((a - b).abs() < 1e-4 * largest, "{board}: {a} {b}");
            }
        }
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let batch = batch(Board::SIX);
        let mut maps = maps(&batch, 1.0);
        let (_, gradient) = lumped(&maps, DIM, &batch.policies);
        for sample in 0..batch.len() {
            // A direction through all of a sample's maps, so that the difference stands out of the rounding.
            let width = maps.len() / batch.len();
            let part = sample * width..(sample + 1) * width;
            let along: Vec<f32> = gradient[part.clone()].to_vec();
            let norm = along.iter().map(|x| f64::from(*x).powi(2)).sum::<f64>().sqrt();
            if norm < 1e-9 {
                continue;
            }
            let length = 0.05 / norm as f32;
            let shift = |maps: &mut [f32], length: f32| {
                maps[part.clone()].iter_mut().zip(&along).for_each(|(x, a)| *x += length * a);
            };
            shift(&mut maps, length);
            let above = lumped(&maps, DIM, &batch.policies).0;
            shift(&mut maps, -2.0 * length);
            let below = lumped(&maps, DIM, &batch.policies).0;
            shift(&mut maps, length);
            let slope = (above - below) / 0.1;
            assert!((slope - norm).abs() < 0.01 * norm, "sample {sample}: {slope} {norm}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_no_bit() {
        let batch = batch(Board::SIX);
        let maps = maps(&batch, 1.0);
        let on = |threads| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let (loss, gradient) = pool.install(|| lumped(&maps, DIM, &batch.policies));
            (loss.to_bits(), gradient.into_iter().map(f32::to_bits).collect::<Vec<_>>())
        };
        assert_eq!(on(1), on(3));
    }

    #[test]
    fn the_loss_is_least_at_its_target() {
        let target = PolicyTarget {
            moves: vec![[0, 1, 2], [0, 1, 3], [0, 1, 4], [0, 1, 5]],
            visited: vec![(1, 0.5), (2, 0.25)],
            rest: 0.25,
        };
        // p = 1/8, 1/2, 1/4, 1/8: the visited moves and the lump have just their mass.
        let mut logits = [0.125_f32, 0.5, 0.25, 0.125].map(f32::ln);
        let loss = sample_loss(&mut logits, &target);
        let entropy = 0.5 * 2.0_f64.ln() + 0.5 * 4.0_f64.ln();
        assert!((loss - entropy).abs() < 1e-6, "{loss} {entropy}");
        assert!(logits.iter().all(|slope| slope.abs() < 1e-6), "{logits:?}");
    }

    #[test]
    fn far_apart_logits_stay_numbers() {
        let target =
            PolicyTarget { moves: vec![[0, 1, 2], [0, 1, 3], [0, 1, 4]], visited: vec![(0, 0.5)], rest: 0.5 };
        let mut logits = [300.0, -300.0, -301.0];
        let loss = sample_loss(&mut logits, &target);
        assert!((loss - 0.5 * 599.687).abs() < 0.1, "{loss}");
        assert!(logits.iter().all(|slope| slope.is_finite()) && logits[0] > 0.49, "{logits:?}");
    }
}

//! The libtorch network against the CPU network of the model crate: one meaning, two implementations.

use std::sync::Arc;

use hippolyta_game::{Board, Position};
use hippolyta_model::{Head, HeadOutput, Heads, Isa, NetSpec, Network, NetworkEvaluator, Precision, Weights};
use hippolyta_search::{Evaluation, Evaluator, Query, seed};
use hippolyta_torch::TorchEvaluator;
use tch::{Device, Tensor};

/// A game of random moves on `board`, every third position of it.
fn positions(board: Board) -> Vec<Position> {
    let mut position = Position::start(board).unwrap();
    let mut positions = Vec::new();
    let mut moves = Vec::new();
    for ply in 0_u64.. {
        position.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        if ply.is_multiple_of(3) {
            positions.push(position);
        }
        let choice = seed::derive(board.area() as u64, &[ply]) as usize % moves.len();
        position = position.play_unchecked(moves[choice]);
    }
    positions
}

/// Relative to the largest of `expected`.
fn close(found: &[f32], expected: &[f32], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    let largest = expected.iter().fold(1e-3_f32, |largest, x| largest.max(x.abs()));
    for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
        assert!((found - expected).abs() < 1e-4 * largest, "{what} {i}: {found} and {expected}");
    }
}

fn numbers(tensor: &Tensor) -> Vec<f32> {
    Vec::try_from(tensor.flatten(0, -1)).unwrap()
}

#[test]
fn both_networks_say_the_same() {
    let spec = NetSpec::with_trunk(4, 48, &[1, 3]);
    let weights = Weights::untrained(spec, 5).unwrap();
    let network = Network::new(&weights, None, Precision::F32, Isa::best(Precision::F32)).unwrap();
    let mut native = NetworkEvaluator::new(Arc::new(network));
    tch::set_num_threads(1);
    let mut torch = TorchEvaluator::new(&weights, Device::Cpu);
    for board in Board::PLAYED {
        for position in positions(board) {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            let query = [Query { position: &position, moves: &moves }];
            let (mut found, mut expected) = ([Evaluation::default()], [Evaluation::default()]);
            torch.evaluate(&query, &mut found);
            native.evaluate(&query, &mut expected);
            close(&found[0].logits, &expected[0].logits, "logit");
            close(&[found[0].value], &[expected[0].value], "value");

            let found = torch.heads(&[&position]);
            let expected = native.forward(&position, Heads::ALL);
            for head in Head::shipped().filter(|head| *head != Head::Policy) {
                let chance = matches!(head.spec().output, HeadOutput::Chances(_));
                let found = if chance { found.get(head).tanh() } else { found.get(head).shallow_clone() };
                close(&numbers(&found), expected.head(head), head.name());
            }
        }
    }
}

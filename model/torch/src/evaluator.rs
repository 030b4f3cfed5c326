//! The network as an [`Evaluator`].

use hippolyta_game::{Board, Position};
use hippolyta_model::features::Features;
use hippolyta_model::{Head, NetSpec, Weights};
use hippolyta_search::{Evaluation, Evaluator, Query};
use tch::{Device, Tensor, no_grad};

use crate::layers::{HeadTensors, Layers, Pass, Precision};
use crate::net::host;
use crate::policy;

/// Shipped weights on a device, in f32. The queries of a call are evaluated together, one forward pass for each
/// board size among them; many games in lockstep fill it.
#[derive(Debug)]
pub struct TorchEvaluator {
    spec: NetSpec,
    layers: Layers,
    device: Device,
}

impl TorchEvaluator {
    /// Moves `weights` to `device` (see [`crate::device`]). Sets libtorch to one thread an operator in the calling
    /// thread: whoever wants more cores makes an evaluator for each.
    pub fn new(weights: &Weights, device: Device) -> TorchEvaluator {
        tch::set_num_threads(1);
        let tensors = weights.iter().map(|(tensor, data)| {
            let shape: Vec<i64> = tensor.shape.iter().map(|&extent| extent as i64).collect();
            (tensor.name, Tensor::from_slice(data).view(shape.as_slice()).to_device(device))
        });
        let spec = weights.spec().clone();
        let layers = Layers::new(&spec, tensors.collect());
        TorchEvaluator { spec, layers, device }
    }

    /// All shipped heads for positions on one board, before any activation.
    ///
    /// # Panics
    /// When a position is on another board than the first, or there is none.
    pub fn heads(&self, positions: &[&Position]) -> HeadTensors {
        self.forward(&self.planes(positions), positions[0].board())
    }

    /// What libtorch does for positions on one board, without making their planes or scoring their moves: for
    /// measuring how long that takes.
    ///
    /// # Panics
    /// As [`TorchEvaluator::heads`].
    pub fn bare_forward(&self, positions: &[&Position]) -> impl Fn() + '_ {
        let (planes, board) = (self.planes(positions), positions[0].board());
        move || {
            self.forward(&planes, board);
        }
    }

    fn forward(&self, planes: &Tensor, board: Board) -> HeadTensors {
        let pass = Pass { precision: Precision::F32, momentum: None };
        no_grad(|| self.layers.forward(planes, board, pass))
    }

    /// `[B, S, F]` on the device.
    fn planes(&self, positions: &[&Position]) -> Tensor {
        let board = positions[0].board();
        let (squares, planes) = (board.area(), self.spec.planes());
        let mut features = Features::new();
        let mut input = vec![0.0_f32; positions.len() * squares * planes];
        for (position, input) in positions.iter().zip(input.chunks_exact_mut(squares * planes)) {
            assert_eq!(position.board(), board, "one board a batch");
            features.read(position);
            features.write_squares(input);
        }
        let shape = [positions.len() as i64, squares as i64, planes as i64];
        Tensor::from_slice(&input).view(shape).to_device(self.device)
    }

    fn evaluate_on(
        &mut self,
        board: Board,
        queries: &[Query<'_>],
        answers: &mut [Evaluation],
        indices: &[usize],
    ) {
        let positions: Vec<&Position> = indices.iter().map(|&i| queries[i].position).collect();
        let heads = self.heads(&positions);
        let maps = host(heads.get(Head::Policy));
        let values = host(&heads.get(Head::Value).tanh());
        let width = maps.len() / indices.len();
        for ((&i, maps), value) in indices.iter().zip(maps.chunks_exact(width)).zip(values) {
            let moves = queries[i].moves.iter().map(|&m| policy::dense(board, m));
            policy::logits(maps, self.spec.policy_dim, moves, &mut answers[i].logits);
            answers[i].value = value;
        }
    }
}

impl Evaluator for TorchEvaluator {
    fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
        let mut boards: Vec<Board> = queries.iter().map(|query| query.position.board()).collect();
        boards.sort_unstable();
        boards.dedup();
        for board in boards {
            let here = |i: &usize| queries[*i].position.board() == board;
            let indices: Vec<usize> = (0..queries.len()).filter(here).collect();
            self.evaluate_on(board, queries, answers, &indices);
        }
    }
}

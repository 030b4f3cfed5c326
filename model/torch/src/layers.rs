//! The network's layers over tensors that somebody else owns, and its forward pass.

use std::collections::HashMap;

use hippolyta_game::Board;
use hippolyta_model::{Head, HeadInput, HeadOutput, NetSpec};
use tch::{Kind, Tensor};

/// In the square root of a norm's divisor.
pub(crate) const NORM_EPSILON: f64 = 1e-5;
/// Weight of a batch's own statistics in the running ones, in training.
pub(crate) const NORM_MOMENTUM: f64 = 0.1;

/// In what numbers the trunk's convolutions are computed. Weights, norms, pools and heads are f32 either way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// 32-bit floats.
    F32,
    /// Brain floats: 8 bits of mantissa, cast by hand.
    Bf16,
}

impl Precision {
    fn cast(self, tensor: &Tensor) -> Tensor {
        match self {
            Precision::F32 => tensor.shallow_clone(),
            Precision::Bf16 => tensor.to_kind(Kind::BFloat16),
        }
    }
}

/// What the network says of a batch of B positions on boards of S squares. Squares are in dense order.
#[derive(Debug)]
pub struct HeadTensors([Option<Tensor>; Head::COUNT]);

impl HeadTensors {
    /// What a head says, before its tanh: `[B, S, 6 d]` for the policy's maps (see [`crate::policy`]), `[B, S, width]`
    /// for other heads over squares, `[B, width]` for those over the board (see [`Head::spec`]). The axis of a width
    /// of 1 is left out.
    ///
    /// # Panics
    /// When the network lacks the head, as shipped networks lack those for training alone.
    pub fn get(&self, head: Head) -> &Tensor {
        self.0[head as usize].as_ref().unwrap_or_else(|| panic!("the network has no head {}", head.name()))
    }
}

/// What follows a convolution.
#[derive(Debug)]
enum After {
    /// A norm over the batch, with running statistics.
    Norm { gain: Tensor, bias: Tensor, mean: Tensor, variance: Tensor },
    /// A bias; the norm is folded into the convolution.
    Bias(Tensor),
}

#[derive(Debug)]
struct Convolution {
    weight: Tensor,
    after: After,
}

#[derive(Debug)]
struct Block {
    first: Convolution,
    pool: Option<Tensor>,
    second: Convolution,
}

#[derive(Debug)]
struct Linear {
    weight: Tensor,
    bias: Tensor,
}

#[derive(Debug)]
pub(crate) struct Layers {
    stem: Convolution,
    blocks: Vec<Block>,
    hidden: Linear,
    /// In the order of [`Head::ALL`].
    heads: Vec<(Head, Linear)>,
}

/// How a forward pass is made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pass {
    pub(crate) precision: Precision,
    /// Norms use the batch's statistics and move the running ones so far towards them; `None` uses the running ones.
    pub(crate) momentum: Option<f64>,
}

impl Layers {
    /// Arranges named tensors into layers: those of [`NetSpec::tensors`], where `{name}.norm.gain`, `.norm.bias`,
    /// `.norm.mean` and `.norm.variance` may stand for the bias of a trunk convolution. Heads for training alone are
    /// there if their tensors are.
    ///
    /// # Panics
    /// When a tensor is missing.
    pub(crate) fn new(spec: &NetSpec, mut tensors: HashMap<String, Tensor>) -> Layers {
        let blocks: Vec<Block> = (0..spec.blocks)
            .map(|i| Block {
                first: convolution(&mut tensors, &format!("blocks.{i}.conv1")),
                pool: spec
                    .pooled
                    .contains(&i)
                    .then(|| take(&mut tensors, &format!("blocks.{i}.pool.weight"))),
                second: convolution(&mut tensors, &format!("blocks.{i}.conv2")),
            })
            .collect();
        let mut linear = |name: &str| linear_of(&mut tensors, name);
        let hidden = linear("value.hidden");
        let mut heads: Vec<(Head, Linear)> =
            Head::shipped().map(|head| (head, linear(head.spec().tensors))).collect();
        for head in Head::training_only() {
            let name = head.spec().tensors;
            if tensors.contains_key(&format!("{name}.weight")) {
                heads.push((head, linear_of(&mut tensors, name)));
            }
        }
        Layers { stem: convolution(&mut tensors, "stem"), blocks, hidden, heads }
    }

    /// `planes` is `[B, S, F]`, f32, S being the squares of `board` in dense order.
    pub(crate) fn forward(&self, planes: &Tensor, board: Board, pass: Pass) -> HeadTensors {
        let size = planes.size();
        let (batch, squares) = (size[0], size[1]);
        debug_assert_eq!(squares, board.area() as i64);
        let (ranks, files) = (i64::from(board.ranks()), i64::from(board.files()));
        // A permuted view of channels-last data: the fast layout of libtorch's convolutions, which they keep.
        let image = planes.view([batch, ranks, files, size[2]]).permute([0, 3, 1, 2]);
        let mut x = self.stem.apply(&pass.precision.cast(&image), pass).relu();
        for block in &self.blocks {
            let mut h = block.first.apply(&x, pass);
            if let Some(weight) = &block.pool {
                let added = pool(&rows(&x), squares).linear::<&Tensor>(weight, None);
                h += added.to_kind(x.kind()).unsqueeze(-1).unsqueeze(-1);
            }
            x = (block.second.apply(&h.relu(), pass) + x).relu();
        }
        let x = rows(&x);
        let hidden = self.hidden.apply(&pool(&x, squares)).relu();
        let mut outputs = [const { None }; Head::COUNT];
        for (head, layer) in &self.heads {
            let spec = head.spec();
            let numbers = match spec.input {
                HeadInput::Squares => layer.apply(&x),
                HeadInput::Board => layer.apply(&hidden),
            };
            outputs[*head as usize] = Some(match spec.output {
                HeadOutput::Chances(1) | HeadOutput::Classes(1) => numbers.squeeze_dim(-1),
                _ => numbers,
            });
        }
        HeadTensors(outputs)
    }
}

fn linear_of(tensors: &mut HashMap<String, Tensor>, name: &str) -> Linear {
    Linear { weight: take(tensors, &format!("{name}.weight")), bias: take(tensors, &format!("{name}.bias")) }
}

fn take(tensors: &mut HashMap<String, Tensor>, name: &str) -> Tensor {
    tensors.remove(name).unwrap_or_else(|| panic!("the layout lacks {name}"))
}

fn convolution(tensors: &mut HashMap<String, Tensor>, name: &str) -> Convolution {
    let weight = take(tensors, &format!("{name}.weight"));
    let after = if let Some(bias) = tensors.remove(&format!("{name}.bias")) {
        After::Bias(bias)
    } else {
        let mut part = |part: &str| take(tensors, &format!("{name}.norm.{part}"));
        After::Norm { gain: part("gain"), bias: part("bias"), mean: part("mean"), variance: part("variance") }
    };
    Convolution { weight, after }
}

impl Convolution {
    fn apply(&self, x: &Tensor, pass: Pass) -> Tensor {
        let weight = pass.precision.cast(&self.weight);
        let convolve = |bias: Option<Tensor>| x.conv2d(&weight, bias, 1, 1, 1, 1);
        match &self.after {
            After::Bias(bias) => convolve(Some(pass.precision.cast(bias))),
            After::Norm { gain, bias, mean, variance } => convolve(None).batch_norm(
                Some(gain),
                Some(bias),
                Some(mean),
                Some(variance),
                pass.momentum.is_some(),
                pass.momentum.unwrap_or(0.0),
                NORM_EPSILON,
                true,
            ),
        }
    }
}

impl Linear {
    fn apply(&self, x: &Tensor) -> Tensor {
        x.linear(&self.weight, Some(&self.bias))
    }
}

/// `[B, C, ranks, files]` in channels-last memory as `[B, S, C]` in f32: no copy in f32.
fn rows(x: &Tensor) -> Tensor {
    x.permute([0, 2, 3, 1]).flatten(1, 2).to_kind(Kind::Float)
}

/// The pooled board: `[B, S, C]` to `[B, 3 C]`, the means, the means scaled by the board's width, the maxima.
fn pool(x: &Tensor, squares: i64) -> Tensor {
    let mean = x.mean_dim(1, false, Kind::Float);
    // `max_dim` and not `amax`: its way back, to one square, costs half.
    let (largest, _) = x.max_dim(1, false);
    let scaled = &mean * (((squares as f64).sqrt() - 8.0) / 4.0);
    Tensor::cat(&[mean, scaled, largest], 1)
}

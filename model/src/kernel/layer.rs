//! A convolution's weights, and the forms in which it can be computed.

use super::winograd::PARTS;
use super::words::Words;

/// How a convolution is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// 1x1.
    Pointwise,
    /// 3x3, product by product.
    Direct,
    /// 3x3 on integers; see [`super::winograd`].
    Winograd,
}

impl Form {
    /// Side of the kernel.
    pub(crate) const fn side(self) -> usize {
        match self {
            Form::Pointwise => 1,
            Form::Direct | Form::Winograd => 3,
        }
    }

    /// Weights of an input for an output.
    pub(crate) const fn taps(self) -> usize {
        match self {
            Form::Pointwise => 1,
            Form::Direct => 9,
            Form::Winograd => 3 * PARTS,
        }
    }
}

/// The weights of a convolution, packed for one engine.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub(crate) form: Form,
    /// Words of input channels a square.
    pub(crate) words: usize,
    /// Output channels, a multiple of 16.
    pub(crate) outputs: usize,
    /// `[pair of vectors of outputs][dy][word of inputs][dx][vector][lane]`; in Winograd's form
    /// [`super::winograd::ORDER`] says what stands for `dy`.
    pub(crate) weights: Words,
    /// In Winograd's form what is added to the sums, `[even and odd rank][COLUMNS][output]`; else empty.
    pub(crate) offsets: Vec<i32>,
    /// Factor of the integer sums, for each output; 1 where nothing is quantised.
    pub(crate) scale: Vec<f32>,
    /// For each output.
    pub(crate) bias: Vec<f32>,
    /// For each output, the integer that stands for 1 where it becomes an activation; 1 where nothing is quantised.
    pub(crate) inverse_scale: Vec<f32>,
    /// The largest integer that an activation becomes; of no meaning where nothing is quantised.
    pub(crate) limit: f32,
}

impl Layer {
    /// Products of activations and weights that it takes on a board, its words holding `group` numbers each.
    pub(crate) fn products(&self, group: usize, files: usize, ranks: usize) -> usize {
        // Along a side of n squares, 3n - 2 pairs of neighbours and selves are on the board.
        let taps = match self.form {
            Form::Pointwise => files * ranks,
            Form::Direct => (3 * files - 2) * (3 * ranks - 2),
            // The second rank of an odd last pair is off the board, and so is the part that it alone needs.
            Form::Winograd => (3 * files - 2) * (PARTS * ranks.div_ceil(2) - ranks % 2),
        };
        taps * self.words * group * self.outputs
    }
}

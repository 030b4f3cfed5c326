//! How large a network's activations get, from which the int8 scales follow.

use hippolyta_game::Position;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::features::{Features, PLANES};
use crate::network::calibrate;
use crate::spec::NetSpec;
use crate::weights::Weights;

/// The largest value of each tensor of activations over a set of positions.
///
/// Post-`ReLU` activations are stored as `round(x * 255 / maximum)` in 0..=255. Clipping below the maximum was
/// measured to be clearly worse, so the maximum is the one method there is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Positions that the maxima were taken over.
    pub positions: u64,
    /// Of the stem's output, then of each block's hidden and output activations: `1 + 2 * blocks` values.
    pub maxima: Vec<f32>,
    /// How far int8 with these maxima is from f32, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
}

/// How far int8 is from f32.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deviation {
    /// Positions that the means are over.
    pub positions: u64,
    /// The mean divergence KL(f32 || int8) of the policies over legal moves, in nats.
    pub policy_kl: f64,
    /// The mean absolute difference of the values, which lie in [-1, 1].
    pub value_error: f64,
}

impl Deviation {
    /// From this divergence on int8 is not played with.
    pub const MOST_POLICY_KL: f64 = 1e-3;
    /// From this difference on int8 is not played with.
    pub const MOST_VALUE_ERROR: f64 = 0.01;

    /// Whether int8 plays as f32 does, near enough.
    pub fn is_small(&self) -> bool {
        self.policy_kl < Deviation::MOST_POLICY_KL && self.value_error < Deviation::MOST_VALUE_ERROR
    }
}

/// Why a [`Calibration`] does not fit a network.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CalibrationError {
    /// Another number of maxima than the network has tensors of activations.
    #[error("calibration has {found} maxima, a network of {blocks} blocks needs {expected}")]
    Length {
        /// Maxima given.
        found: usize,
        /// The network's blocks.
        blocks: usize,
        /// `1 + 2 * blocks`.
        expected: usize,
    },
    /// A maximum is negative, NaN or infinite.
    #[error("calibration maximum {index} is {value}, not a finite number of at least 0")]
    Value {
        /// Its index.
        index: usize,
        /// The offending value.
        value: f32,
    },
    /// No position was given to take maxima over.
    #[error("calibration over 0 positions says nothing")]
    Empty,
}

impl Calibration {
    /// How large a network's activations get in f32 on some positions.
    ///
    /// # Errors
    /// When there are no positions, or activations are not finite.
    pub fn over(weights: &Weights, positions: &[Position]) -> Result<Calibration, CalibrationError> {
        let mut features = Features::new();
        let planes = positions.iter().map(|position| {
            let board = position.board();
            let mut planes = vec![0.0; board.area() * PLANES];
            features.read(position);
            features.write_squares(&mut planes);
            (planes, usize::from(board.files()), usize::from(board.ranks()))
        });
        calibrate(weights, planes)
    }

    /// Whether int8 was not measured to be too far from f32.
    pub fn allows_int8(&self) -> bool {
        self.deviation.is_none_or(|deviation| deviation.is_small())
    }

    /// Checks that this is a calibration for a network of this shape.
    ///
    /// # Errors
    /// When the number of maxima or one of them is wrong.
    pub fn validate(&self, spec: &NetSpec) -> Result<(), CalibrationError> {
        let expected = 1 + 2 * spec.blocks;
        if self.positions == 0 {
            return Err(CalibrationError::Empty);
        }
        if self.maxima.len() != expected {
            let found = self.maxima.len();
            return Err(CalibrationError::Length { found, blocks: spec.blocks, expected });
        }
        match self.maxima.iter().position(|value| !value.is_finite() || *value < 0.0) {
            Some(index) => Err(CalibrationError::Value { index, value: self.maxima[index] }),
            None => Ok(()),
        }
    }
}

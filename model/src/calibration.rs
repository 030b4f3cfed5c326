//! How large a network's activations get, from which the int8 scales follow.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::spec::NetSpec;

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

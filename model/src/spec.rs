//! What a network looks like: the numbers that fix its tensors.

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::heads::{Head, HeadInput};

/// The input features that this build computes; see [`NetSpec::features`].
pub const FEATURES_VERSION: u32 = 1;

pub use crate::features::PLANES;

/// Bins of the margin head: final margins -32 to 32, clamped.
pub const MARGIN_BINS: usize = 65;

/// The final margin that the margin head's middle bin stands for is 0; its first bin is `-MARGIN_LIMIT`.
pub const MARGIN_LIMIT: i32 = 32;

/// Shortest and longest side of a board that the network is run on.
pub const SIDES: std::ops::RangeInclusive<usize> = 3..=10;

/// Most channels of a trunk.
pub(crate) const MOST_CHANNELS: usize = 512;

/// Shape of a network: a residual trunk of 3x3 convolutions over planes of any board size, with a policy of
/// three query-key products, a value with a margin, and an owner for each square.
///
/// ```
/// use hippolyta_model::NetSpec;
/// let spec = NetSpec::with_trunk(6, 64, &[2, 4]);
/// spec.validate()?;
/// assert_eq!(spec.tensors()[0].name, "stem.weight");
/// # Ok::<(), hippolyta_model::SpecError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NetSpec {
    /// Residual blocks of two convolutions, 1 to 64.
    pub blocks: usize,
    /// Channels of the trunk, a multiple of 16 up to 512.
    pub channels: usize,
    /// Indices of the blocks whose first convolution is given the pooled board, increasing.
    pub pooled: Vec<usize>,
    /// Channels of each of the policy's six maps, a multiple of 16 up to 128.
    pub policy_dim: usize,
    /// Width of the value head's hidden layer, a multiple of 16 up to 512.
    pub value_hidden: usize,
    /// Version of the input features, [`FEATURES_VERSION`].
    pub features: u32,
}

/// Why a [`NetSpec`] is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SpecError {
    /// A count is out of its range.
    #[error("{field} = {value} is out of range: {allowed}")]
    OutOfRange {
        /// The key.
        field: &'static str,
        /// What it was set to.
        value: usize,
        /// What would have been accepted.
        allowed: &'static str,
    },
    /// A pooled block's index names no block, or the indices do not increase.
    #[error("pooled = {pooled:?}: indices must increase and lie below blocks = {blocks}")]
    Pooled {
        /// The list given.
        pooled: Vec<usize>,
        /// The number of blocks.
        blocks: usize,
    },
    /// The features are of a version that this build does not compute.
    #[error("features = {0} is unknown: this build computes version {FEATURES_VERSION}")]
    Features(u32),
}

/// Name and shape of one tensor, in `PyTorch`'s order of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TensorSpec {
    /// Its name in a model file, such as `blocks.0.conv1.weight`.
    pub name: String,
    /// Convolutions are `[out, in, 3, 3]`, other matrices `[out, in]`, biases `[out]`.
    pub shape: Vec<usize>,
}

impl TensorSpec {
    pub(crate) fn new(name: impl Into<String>, shape: &[usize]) -> Self {
        Self { name: name.into(), shape: shape.to_vec() }
    }

    /// Number of elements.
    pub fn elements(&self) -> usize {
        self.shape.iter().product()
    }

    /// Inputs that feed one output element.
    pub fn fan_in(&self) -> usize {
        self.shape[1..].iter().product()
    }
}

impl NetSpec {
    /// A network with this trunk and narrow heads, on the newest features: `policy_dim` 16 and `value_hidden` 32.
    pub fn with_trunk(blocks: usize, channels: usize, pooled: &[usize]) -> NetSpec {
        NetSpec {
            blocks,
            channels,
            pooled: pooled.to_vec(),
            policy_dim: 16,
            value_hidden: 32,
            features: FEATURES_VERSION,
        }
    }

    /// Checks every field.
    ///
    /// # Errors
    /// The first field that is out of its range, with its value.
    pub fn validate(&self) -> Result<(), SpecError> {
        let in_range = |field, value: usize, step: usize, most: usize, allowed| {
            if value == 0 || value > most || !value.is_multiple_of(step) {
                return Err(SpecError::OutOfRange { field, value, allowed });
            }
            Ok(())
        };
        in_range("blocks", self.blocks, 1, 64, "1 to 64")?;
        in_range("channels", self.channels, 16, MOST_CHANNELS, "a multiple of 16 up to 512")?;
        in_range("policy_dim", self.policy_dim, 16, 128, "a multiple of 16 up to 128")?;
        in_range("value_hidden", self.value_hidden, 16, 512, "a multiple of 16 up to 512")?;
        let increasing = self.pooled.windows(2).all(|pair| pair[0] < pair[1]);
        if !increasing || self.pooled.last().is_some_and(|&last| last >= self.blocks) {
            return Err(SpecError::Pooled { pooled: self.pooled.clone(), blocks: self.blocks });
        }
        if self.features != FEATURES_VERSION {
            return Err(SpecError::Features(self.features));
        }
        Ok(())
    }

    /// Number of input planes.
    pub fn planes(&self) -> usize {
        PLANES
    }

    /// Width of a pooled board: mean, scaled mean and maximum of each channel.
    pub fn pool_width(&self) -> usize {
        3 * self.channels
    }

    /// Operations of the convolutions for one position, product by product, on a board's squares alone; a
    /// multiplication and an addition are two. Pooling and the value head, which are below a hundredth of it, do not
    /// count.
    pub fn operations(&self, files: usize, ranks: usize) -> u64 {
        // Along a side of n squares, 3n - 2 pairs of neighbours and selves are on the board.
        let taps = (3 * files - 2) * (3 * ranks - 2);
        let trunk = taps * self.channels * (self.planes() + 2 * self.blocks * self.channels);
        let policy = files * ranks * self.channels * 6 * self.policy_dim;
        2 * (trunk + policy) as u64
    }

    /// Every tensor of the network with its norms folded, in the order of evaluation.
    pub fn tensors(&self) -> Vec<TensorSpec> {
        let (c, h) = (self.channels, self.value_hidden);
        let mut list = vec![
            TensorSpec::new("stem.weight", &[c, self.planes(), 3, 3]),
            TensorSpec::new("stem.bias", &[c]),
        ];
        for i in 0..self.blocks {
            list.push(TensorSpec::new(format!("blocks.{i}.conv1.weight"), &[c, c, 3, 3]));
            list.push(TensorSpec::new(format!("blocks.{i}.conv1.bias"), &[c]));
            if self.pooled.contains(&i) {
                list.push(TensorSpec::new(format!("blocks.{i}.pool.weight"), &[c, self.pool_width()]));
            }
            list.push(TensorSpec::new(format!("blocks.{i}.conv2.weight"), &[c, c, 3, 3]));
            list.push(TensorSpec::new(format!("blocks.{i}.conv2.bias"), &[c]));
        }
        let mut hidden = vec![
            TensorSpec::new("value.hidden.weight", &[h, self.pool_width()]),
            TensorSpec::new("value.hidden.bias", &[h]),
        ];
        for head in Head::shipped() {
            if head.spec().input == HeadInput::Board {
                list.append(&mut hidden);
            }
            list.extend(head.tensors(self));
        }
        list
    }

    /// The tensors of the heads for training alone, which no model holds.
    pub fn training_tensors(&self) -> Vec<TensorSpec> {
        Head::training_only().flat_map(|head| head.tensors(self)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spec() -> NetSpec {
        NetSpec::with_trunk(3, 32, &[1])
    }

    #[test]
    fn bad_fields_are_named_with_their_value() {
        let check = |change: fn(&mut NetSpec), message: &str| {
            let mut changed = spec();
            change(&mut changed);
            assert_eq!(changed.validate().unwrap_err().to_string(), message);
        };
        check(|s| s.blocks = 0, "blocks = 0 is out of range: 1 to 64");
        check(|s| s.channels = 40, "channels = 40 is out of range: a multiple of 16 up to 512");
        check(
            |s| s.channels = usize::MAX - 15,
            "channels = 18446744073709551600 is out of range: a multiple of 16 up to 512",
        );
        check(|s| s.policy_dim = 8, "policy_dim = 8 is out of range: a multiple of 16 up to 128");
        check(|s| s.value_hidden = 1024, "value_hidden = 1024 is out of range: a multiple of 16 up to 512");
        check(|s| s.pooled = vec![1, 3], "pooled = [1, 3]: indices must increase and lie below blocks = 3");
        check(|s| s.pooled = vec![1, 1], "pooled = [1, 1]: indices must increase and lie below blocks = 3");
        check(|s| s.features = 9, "features = 9 is unknown: this build computes version 1");
        spec().validate().unwrap();
    }

    #[test]
    fn unknown_keys_are_refused() {
        let text = serde_json::to_string(&spec()).unwrap().replace("blocks", "block");
        assert!(
            serde_json::from_str::<NetSpec>(&text).unwrap_err().to_string().contains("unknown field `block`")
        );
    }

    #[test]
    fn tensors_follow_the_spec() {
        let tensors = spec().tensors();
        let find = |name: &str| tensors.iter().find(|t| t.name == name).map(|t| t.shape.clone());
        assert_eq!(find("stem.weight"), Some(vec![32, 20, 3, 3]));
        assert_eq!(find("blocks.1.pool.weight"), Some(vec![32, 96]));
        assert_eq!(find("blocks.0.pool.weight"), None);
        assert_eq!(find("policy.weight"), Some(vec![96, 32]));
    }
}

//! How large a network's activations get, from which the int8 scales follow.

use hippolyta_game::Position;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::features::{Features, PLANES};
use crate::heads::Heads;
use crate::kernel::{BYTE_LIMIT, CHUNK, Isa, LIFTED_LIMIT, Precision};
use crate::network::Network;
use crate::spec::NetSpec;
use crate::weights::Weights;

/// The largest values of a network's activations over a set of positions, and how finely they are stored.
///
/// Post-`ReLU` activations become integers from 0, the largest without clipping, which was measured to be clearly
/// worse.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    /// Positions that the maxima were taken over.
    pub positions: u64,
    /// Of the stem's output, then of each block's hidden and output activations: `1 + 2 * blocks` values.
    pub maxima: Vec<f32>,
    /// The integers of the activations between the trunk's convolutions.
    #[serde(default, skip_serializing_if = "TrunkBits::are_eight")]
    pub trunk_bits: TrunkBits,
    /// Maxima and means channel by channel; files of format 1 lack them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub channels: Option<Channels>,
    /// How far int8 with these ranges is from f32, where that was measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub deviation: Option<Deviation>,
}

/// How finely the activations between the trunk's convolutions are stored. The policy always sees eight bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "u8", into = "u8")]
pub enum TrunkBits {
    /// Integers 0..=127: sums and differences of two fit a byte, so that the convolutions take Winograd's form, with
    /// two thirds of the products. It is sums of weights that are rounded then.
    Seven,
    /// Integers 0..=255, and every product; all that files up to format 2 know.
    #[default]
    Eight,
}

impl TrunkBits {
    /// The largest integer.
    pub(crate) fn limit(self) -> f32 {
        match self {
            TrunkBits::Seven => LIFTED_LIMIT,
            TrunkBits::Eight => BYTE_LIMIT,
        }
    }

    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde hands over a reference")]
    fn are_eight(&self) -> bool {
        *self == TrunkBits::Eight
    }
}

impl TryFrom<u8> for TrunkBits {
    type Error = String;

    fn try_from(bits: u8) -> Result<Self, String> {
        match bits {
            7 => Ok(TrunkBits::Seven),
            8 => Ok(TrunkBits::Eight),
            _ => Err(format!("activations of {bits} bits, expected 7 or 8")),
        }
    }
}

impl From<TrunkBits> for u8 {
    fn from(bits: TrunkBits) -> u8 {
        match bits {
            TrunkBits::Seven => 7,
            TrunkBits::Eight => 8,
        }
    }
}

/// The channels of a network's activations over a set of positions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Channels {
    /// The mean of each input plane, in [0, 1].
    pub planes: Vec<f32>,
    /// For each of [`Calibration::maxima`], the maximum of each channel.
    pub maxima: Vec<Vec<f32>>,
    /// For each of [`Calibration::maxima`], the mean of each channel.
    pub means: Vec<Vec<f32>>,
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

    fn validate(&self) -> Result<(), CalibrationError> {
        if self.positions == 0 {
            return Err(CalibrationError::Empty);
        }
        // Sums of roundings may put a divergence of 0 just below it.
        let bounds = [("policy", self.policy_kl, -1e-6..=f64::MAX), ("value", self.value_error, 0.0..=2.0)];
        match bounds.into_iter().find(|(_, value, bounds)| !bounds.contains(value)) {
            Some((part, value, _)) => Err(CalibrationError::Deviation { part, value }),
            None => Ok(()),
        }
    }
}

/// Why a [`Calibration`] does not fit a network.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum CalibrationError {
    /// Another number of tensors or channels than the network has.
    #[error("calibration has {found} {part}, the network needs {expected}")]
    Count {
        /// Of what.
        part: &'static str,
        /// How many are given.
        found: usize,
        /// How many the network has.
        expected: usize,
    },
    /// A maximum or mean is negative, NaN or infinite.
    #[error("calibration {part} {index} is {value}, not a finite number of at least 0")]
    Value {
        /// Of what.
        part: &'static str,
        /// Its index.
        index: usize,
        /// The offending value.
        value: f32,
    },
    /// A plane's mean is above 1, a channel's mean above its maximum, or a channel's maximum above the tensor's.
    #[error("calibration {part} {index} is {value}, which cannot be above {most}")]
    Above {
        /// Of what.
        part: &'static str,
        /// Its index.
        index: usize,
        /// The offending value.
        value: f32,
        /// The largest that it can be.
        most: f32,
    },
    /// No position was given to take maxima over, or to measure the deviation on.
    #[error("calibration over 0 positions says nothing")]
    Empty,
    /// A deviation that no measurement gives.
    #[error("calibration says that int8 is {value} from f32 in the {part}, which cannot be")]
    Deviation {
        /// Of what.
        part: &'static str,
        /// The offending value.
        value: f64,
    },
}

impl Calibration {
    /// How large a network's activations get in f32 on some positions, which become integers of seven bits; whether
    /// these are near enough is for the caller to measure.
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
    /// The first number of tensors or channels, or value, that is wrong.
    pub fn validate(&self, spec: &NetSpec) -> Result<(), CalibrationError> {
        let tensors = 1 + 2 * spec.blocks;
        if self.positions == 0 {
            return Err(CalibrationError::Empty);
        }
        if let Some(far) = self.deviation {
            far.validate()?;
        }
        count("maxima", self.maxima.len(), tensors)?;
        check("maximum", &self.maxima)?;
        let Some(known) = &self.channels else { return Ok(()) };
        count("means of planes", known.planes.len(), PLANES)?;
        check_bounded("mean of plane", &known.planes, |_| 1.0)?;
        count("lists of maxima", known.maxima.len(), tensors)?;
        count("lists of means", known.means.len(), tensors)?;
        for ((maxima, means), tensor) in known.maxima.iter().zip(&known.means).zip(&self.maxima) {
            count("maxima of channels", maxima.len(), spec.channels)?;
            check_bounded("maximum of channel", maxima, |_| *tensor)?;
            count("means of channels", means.len(), spec.channels)?;
            check_bounded("mean of channel", means, |channel| maxima[channel])?;
        }
        Ok(())
    }
}

fn count(part: &'static str, found: usize, expected: usize) -> Result<(), CalibrationError> {
    if found == expected { Ok(()) } else { Err(CalibrationError::Count { part, found, expected }) }
}

fn check(part: &'static str, values: &[f32]) -> Result<(), CalibrationError> {
    match values.iter().position(|value| !value.is_finite() || *value < 0.0) {
        Some(index) => Err(CalibrationError::Value { part, index, value: values[index] }),
        None => Ok(()),
    }
}

fn check_bounded(
    part: &'static str,
    values: &[f32],
    most: impl Fn(usize) -> f32,
) -> Result<(), CalibrationError> {
    check(part, values)?;
    match values.iter().enumerate().find(|(index, value)| **value > most(*index)) {
        Some((index, &value)) => Err(CalibrationError::Above { part, index, value, most: most(index) }),
        None => Ok(()),
    }
}

/// Runs the network in f32 over positions, each given as planes (see [`Network::forward`]), files and ranks, and
/// takes the maxima and means of its activations, which become integers of seven bits.
///
/// # Errors
/// When there are no positions, or activations are not finite.
pub fn calibrate<P: AsRef<[f32]>>(
    weights: &Weights,
    positions: impl IntoIterator<Item = (P, usize, usize)>,
) -> Result<Calibration, CalibrationError> {
    let isa = Isa::best(Precision::F32);
    let network = Network::new(weights, None, Precision::F32, isa).expect("f32 needs no calibration");
    let (mut scratch, mut out) = (network.scratch(), network.output());
    let channels = weights.spec().channels;
    let mut planes_seen = Seen::new(PLANES);
    let mut seen = vec![Seen::new(channels); 1 + 2 * weights.spec().blocks];
    let (mut count, mut squares) = (0, 0);
    for (planes, files, ranks) in positions {
        let planes = planes.as_ref();
        planes.chunks_exact(PLANES).for_each(|square| planes_seen.add(0, square.iter().copied()));
        let take = |index: usize, activations: &[u32]| {
            // `[rank][chunk][file][16]`
            for (piece, values) in activations.chunks_exact(CHUNK).enumerate() {
                let first = piece / files * CHUNK % channels;
                seen[index].add(first, values.iter().map(|bits| f32::from_bits(*bits)));
            }
        };
        network.forward_observed(&mut scratch, planes, (files, ranks), Heads::default(), &mut out, take);
        count += 1;
        squares += files * ranks;
    }
    let means = |seen: &Seen| seen.sums.iter().map(|sum| (sum / squares as f64) as f32).collect();
    let calibration = Calibration {
        positions: count,
        trunk_bits: TrunkBits::Seven,
        maxima: seen.iter().map(|seen| seen.maxima.iter().copied().fold(0.0, f32::max)).collect(),
        channels: Some(Channels {
            planes: means(&planes_seen),
            maxima: seen.iter().map(|seen| seen.maxima.clone()).collect(),
            means: seen.iter().map(means).collect(),
        }),
        deviation: None,
    };
    calibration.validate(weights.spec())?;
    Ok(calibration)
}

/// What each channel of a tensor has been.
#[derive(Clone, Debug)]
struct Seen {
    maxima: Vec<f32>,
    sums: Vec<f64>,
}

impl Seen {
    fn new(channels: usize) -> Seen {
        Seen { maxima: vec![0.0; channels], sums: vec![0.0; channels] }
    }

    /// Takes in the values of one square, of the channels from `first` on.
    fn add(&mut self, first: usize, values: impl Iterator<Item = f32>) {
        let channels = self.maxima[first..].iter_mut().zip(&mut self.sums[first..]);
        for ((most, sum), value) in channels.zip(values) {
            *most = most.max(value);
            *sum += f64::from(value);
        }
    }
}

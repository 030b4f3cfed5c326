//! How activations become the integers of int8, and what the first layer's planes become.

use crate::calibration::Calibration;
use crate::kernel::BYTE_LIMIT;
use crate::spec::{NetSpec, PLANES};
use crate::weights::Weights;

/// The integers of a tensor of activations: channel `c` holds `x` as the integer nearest to `x * inverse[c]`.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    /// The value of an integer of 1 in a channel whose `relative` is 1.
    pub(crate) step: f32,
    /// The value of an integer of 1 in each channel, over `step`.
    pub(crate) relative: Vec<f32>,
    /// What 1 becomes in each channel: 1 / (`step` * `relative`), a whole number for planes alone.
    pub(crate) inverse: Vec<f32>,
    /// The mean of each channel, 0 where it is not known: what rounding the weights shifts is taken back for it.
    pub(crate) means: Vec<f32>,
    /// The largest integer.
    pub(crate) limit: f32,
}

impl Scale {
    /// Numbers that stay what they are.
    pub(crate) fn none(channels: usize) -> Scale {
        let ones = vec![1.0; channels];
        Scale {
            step: 1.0,
            relative: ones.clone(),
            inverse: ones,
            means: vec![0.0; channels],
            limit: BYTE_LIMIT,
        }
    }

    /// The scale of tensor `index` of a calibration.
    ///
    /// A channel's largest activation becomes the largest integer, `limit`, at most: its step comes from the geometric
    /// mean of its own maximum and the tensor's, so that a channel that is small on the calibration's positions has
    /// steps as fine as it needs, and room above.
    pub(crate) fn of(calibration: &Calibration, index: usize, channels: usize, limit: f32) -> Scale {
        // A tensor that is always 0 needs some scale; the limit also keeps the inverse finite.
        let most = calibration.maxima[index].max(1e-20);
        let step = most / limit;
        let (relative, means) = match &calibration.channels {
            None => (vec![1.0; channels], vec![0.0; channels]),
            Some(known) => {
                // Nor is any step finer than a sixteenth of the tensor's: a channel that was 0 so far need not be.
                let relative = |own: &f32| (own.max(most / 256.0) / most).min(1.0).sqrt();
                (known.maxima[index].iter().map(relative).collect(), known.means[index].clone())
            }
        };
        let inverse = relative.iter().map(|relative| 1.0 / (step * relative)).collect();
        Scale { step, relative, inverse, means, limit }
    }

    /// The scale of the input planes, where 1 becomes 255 in the plane with the largest weight, and less in others:
    /// the weights of those are multiplied by more, and so lose less to rounding. The planes lose nothing to it but
    /// the few fractions among them.
    pub(crate) fn of_planes(calibration: &Calibration, weights: &Weights) -> Scale {
        let step = 1.0 / BYTE_LIMIT;
        let Some(known) = &calibration.channels else {
            return Scale { step, inverse: vec![BYTE_LIMIT; PLANES], ..Scale::none(PLANES) };
        };
        let mut largest = [0.0_f32; PLANES];
        // `[out][plane][3][3]`
        for (i, weight) in weights.tensor("stem.weight").iter().enumerate() {
            let of_plane = &mut largest[i / 9 % PLANES];
            *of_plane = of_plane.max(weight.abs());
        }
        let most = largest.iter().copied().fold(1e-20, f32::max);
        let inverse: Vec<f32> =
            largest.iter().map(|own| (BYTE_LIMIT * (own / most).sqrt()).round().max(1.0)).collect();
        let relative = inverse.iter().map(|inverse| BYTE_LIMIT / inverse).collect();
        Scale { step, relative, inverse, means: known.planes.clone(), limit: BYTE_LIMIT }
    }
}

/// The scales of a network, tensor by tensor.
#[derive(Clone, Debug)]
pub(crate) struct Scales {
    pub(crate) planes: Scale,
    /// As in [`Calibration::maxima`].
    pub(crate) trunk: Vec<Scale>,
}

impl Scales {
    /// What a calibration says.
    pub(crate) fn new(calibration: &Calibration, weights: &Weights) -> Scales {
        let channels = weights.spec().channels;
        let last = calibration.maxima.len() - 1;
        // The policy alone sees the last tensor; rounding it costs the policy as much as rounding all others.
        let limit = |index: usize| if index == last { BYTE_LIMIT } else { calibration.trunk_bits.limit() };
        let trunk = (0..=last).map(|i| Scale::of(calibration, i, channels, limit(i))).collect();
        Scales { planes: Scale::of_planes(calibration, weights), trunk }
    }

    /// For a network that is not quantised.
    pub(crate) fn none(spec: &NetSpec) -> Scales {
        let trunk = vec![Scale::none(spec.channels); 1 + 2 * spec.blocks];
        Scales { planes: Scale::none(PLANES), trunk }
    }
}

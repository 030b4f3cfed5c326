//! Exponential and logarithm from additions and multiplications alone, so that a search makes the same choices on
//! every machine: the ones of `std` differ in their last bits between systems.

use std::f32::consts::LOG2_E;

/// `e^x`, to about one unit in the last place. `x` is clamped to [-87, 88]: the result is never 0 and never infinite.
/// After Cephes' `expf` (Moshier).
#[inline]
pub(crate) fn exp(x: f32) -> f32 {
    // Adding and subtracting 1.5 * 2^23 rounds to an integer.
    const ROUND: f32 = 12_582_912.0;
    let x = x.clamp(-87.0, 88.0);
    let k = (x * LOG2_E + ROUND) - ROUND;
    // ln 2 in two parts, the first exact in few bits.
    let r = x - k * 0.693_359_4 - k * -2.121_944_4e-4;
    let mut p = 1.987_569_1e-4;
    for c in [1.398_199_9e-3, 8.333_452e-3, 4.166_579_6e-2, 1.666_666_5e-1, 0.5] {
        p = p * r + c;
    }
    let p = p * r * r + r + 1.0;
    p * f32::from_bits(((k as i32 + 127) << 23) as u32)
}

/// The natural logarithm of a positive normal number.
#[inline]
pub(crate) fn ln(x: f64) -> f64 {
    const MANTISSA: u64 = (1 << 52) - 1;
    debug_assert!(x.is_normal() && x > 0.0, "{x} has no logarithm here");
    let bits = x.to_bits();
    let mut exponent = (bits >> 52) as i32 - 1023;
    let mut m = f64::from_bits((bits & MANTISSA) | (1023 << 52));
    if m > std::f64::consts::SQRT_2 {
        m *= 0.5;
        exponent += 1;
    }
    // ln m = 2 artanh((m - 1) / (m + 1)), with |f| < 0.172.
    let f = (m - 1.0) / (m + 1.0);
    let square = f * f;
    let mut sum = 0.0;
    for divisor in [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0, 5.0, 3.0, 1.0] {
        sum = sum * square + 1.0 / divisor;
    }
    f64::from(exponent) * std::f64::consts::LN_2 + 2.0 * f * sum
}

/// The natural logarithm of a positive normal number.
#[inline]
pub(crate) fn ln_f32(x: f32) -> f32 {
    ln(f64::from(x)) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exp_is_close_and_bounded() {
        for step in -8700..8800 {
            let x = step as f32 / 100.0;
            let exact = f64::from(x).exp();
            assert!((f64::from(exp(x)) / exact - 1.0).abs() < 3e-7, "{x}");
        }
        assert!(exp(f32::NEG_INFINITY) > 0.0);
        assert!(exp(f32::INFINITY).is_finite());
        assert!(exp(f32::NAN).is_nan());
        assert_eq!(exp(0.0).to_bits(), 1.0f32.to_bits());
    }

    #[test]
    fn ln_is_close() {
        for step in 1..20_000 {
            for x in [f64::from(step) / 1000.0, 1.0 / f64::from(step).powi(9)] {
                assert!((ln(x) - x.ln()).abs() <= 4e-15 * x.ln().abs().max(0.1), "{x}");
            }
        }
        assert_eq!(ln(1.0).to_bits(), 0.0f64.to_bits());
    }
}

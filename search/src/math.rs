//! Elementary functions that give the same bits on every machine: they add, multiply and divide, which IEEE 754 fixes
//! to the last bit. Those of `std` differ in their last bits between systems. Whatever decides a move, a record or a
//! network uses these.

use std::f32::consts::LOG2_E;
use std::f64::consts::LN_2;

/// `e^x`, to about one unit in the last place. `x` is clamped to [-87, 88]: the result is never 0 and never infinite.
/// After Cephes' `expf` (Moshier).
#[inline]
pub fn exp(x: f32) -> f32 {
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
pub fn ln(x: f64) -> f64 {
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
    f64::from(exponent) * LN_2 + 2.0 * f * sum
}

/// The natural logarithm of a positive normal number.
#[inline]
pub fn ln_f32(x: f32) -> f32 {
    ln(f64::from(x)) as f32
}

/// The hyperbolic tangent, within one unit in the last place.
pub fn tanh(x: f32) -> f32 {
    if x.abs() < 1e-3 {
        // The next term of the series is below f32's precision.
        let x = f64::from(x);
        return (x - x * x * x / 3.0) as f32;
    }
    // Beyond 10 the result rounds to 1; the limit keeps exp finite.
    let e = exp_f64(2.0 * f64::from(x.clamp(-10.0, 10.0)));
    ((e - 1.0) / (e + 1.0)) as f32
}

/// The area hyperbolic tangent of a number between -1 and 1.
pub fn atanh(x: f32) -> f32 {
    let x = f64::from(x);
    (0.5 * ln((1.0 + x) / (1.0 - x))) as f32
}

/// `2^x`. `x` is clamped to [-1000, 1000]: the result is never 0 and never infinite.
pub fn exp2(x: f64) -> f64 {
    let x = x.clamp(-1000.0, 1000.0);
    let k = x.round();
    exp_near_0((x - k) * LN_2) * power_of_2(k)
}

/// `e^x` for |x| <= 20.
fn exp_f64(x: f64) -> f64 {
    let k = (x / LN_2).round();
    exp_near_0(x - k * LN_2) * power_of_2(k)
}

/// `e^x` for |x| <= ln 2 / 2, by its series.
fn exp_near_0(x: f64) -> f64 {
    // Horner from the 13th term down: what is left out is below 1e-17.
    (1..=13).rev().fold(1.0, |sum, n| 1.0 + sum * x / f64::from(n))
}

/// `2^k` for a whole number that a normal number's exponent can be.
fn power_of_2(k: f64) -> f64 {
    f64::from_bits(((1023 + k as i64) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hash of thousands of results.
    const BITS: u64 = 0x3c0a_d90c_da1b_910b;

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

    #[test]
    fn tanh_is_close_to_the_true_one() {
        for i in -60_000..=60_000 {
            let x = i as f32 / 5000.0;
            let truth = f64::from(x).tanh();
            let error = (f64::from(tanh(x)) - truth).abs();
            assert!(error <= truth.abs() * 1.2e-7, "tanh({x}) = {} but {truth}", tanh(x));
        }
        let bits = [1e9, f32::NEG_INFINITY, 0.0].map(|x| tanh(x).to_bits());
        assert_eq!(bits, [1.0, -1.0, 0.0].map(f32::to_bits));
    }

    #[test]
    fn exp2_is_close_and_exact_for_whole_numbers() {
        for step in -10_000..10_000 {
            let x = f64::from(step) / 97.0;
            assert!((exp2(x) / x.exp2() - 1.0).abs() < 1e-15, "{x}");
        }
        assert_eq!([-3.0, 0.0, 10.0].map(exp2).map(f64::to_bits), [0.125, 1.0, 1024.0].map(f64::to_bits));
        assert!(exp2(f64::NEG_INFINITY) > 0.0);
        assert!(exp2(f64::INFINITY).is_finite());
        assert!(exp2(f64::NAN).is_nan());
    }

    #[test]
    fn atanh_undoes_tanh() {
        for step in -999..=999 {
            let x = step as f32 / 1000.0;
            assert!((tanh(atanh(x)) - x).abs() < 2e-7, "{x}");
        }
    }

    /// Games and networks depend on these bits, on every machine.
    #[test]
    fn bits_stay_the_same() {
        let mut all = 0xcbf2_9ce4_8422_2325_u64;
        let mut add = |bits: u64| all = (all ^ bits).wrapping_mul(0x0000_0100_0000_01b3);
        for step in -2000_i16..2000 {
            let x = f32::from(step) / 64.0;
            add(exp(x).to_bits().into());
            add(tanh(x).to_bits().into());
            add(exp2(x.into()).to_bits());
            add(ln(f64::from(x.abs()) + 1e-3).to_bits());
            add(atanh(x / 32.0).to_bits().into());
        }
        assert_eq!(all, BITS);
    }
}

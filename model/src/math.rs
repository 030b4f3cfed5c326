//! Functions that platforms' libraries round differently, from operations that none does.

/// The hyperbolic tangent: the same bits on every machine, within one unit in the last place.
///
/// Only additions, multiplications and divisions in f64, each of which IEEE 754 fixes.
pub(crate) fn tanh(x: f32) -> f32 {
    if x.abs() < 1e-3 {
        // The next term of the series is below f32's precision.
        let x = f64::from(x);
        return (x - x * x * x / 3.0) as f32;
    }
    // Beyond 10 the result rounds to 1; the limit keeps exp finite.
    let e = exp(2.0 * f64::from(x.clamp(-10.0, 10.0)));
    ((e - 1.0) / (e + 1.0)) as f32
}

/// e^x for |x| <= 20: 2^k * e^r with |r| <= ln 2 / 2, e^r by its series.
fn exp(x: f64) -> f64 {
    let k = (x / std::f64::consts::LN_2).round();
    let r = x - k * std::f64::consts::LN_2;
    // Horner from the 13th term down: what is left out is below 1e-17.
    let series = (1..=13).rev().fold(1.0, |sum, n| 1.0 + sum * r / f64::from(n));
    series * f64::from_bits(((1023 + k as i64) as u64) << 52)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}

//! Seeds: every random choice comes from a run's seed and the place where it is made.

/// Mixes `parts`, in order, into `seed`: the seed of one game, step or stage of a run. The finaliser is that of
/// `SplitMix64` (Steele, Lea and Flood 2014).
pub fn derive(seed: u64, parts: &[u64]) -> u64 {
    parts.iter().fold(mix(seed), |state, part| mix(state ^ mix(*part)))
}

fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_and_its_place_matters() {
        let seeds = [
            derive(1, &[2, 3]),
            derive(1, &[3, 2]),
            derive(2, &[2, 3]),
            derive(1, &[2]),
            derive(1, &[2, 3, 0]),
        ];
        for (i, a) in seeds.iter().enumerate() {
            assert!(seeds[i + 1..].iter().all(|b| a != b));
        }
    }

    /// Records and runs depend on these bits.
    #[test]
    fn stays_the_same() {
        assert_eq!(mix(0), 0xE220_A839_7B1D_CDAF);
    }
}

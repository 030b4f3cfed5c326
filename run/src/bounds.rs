//! When a run is over.

use crate::config::RunConfig;
use crate::timing::Timing;

/// How far a run is to go.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Generations in all.
    pub generations: Option<u32>,
    /// Minutes of work in all.
    pub minutes: Option<f64>,
}

impl Bounds {
    /// The bounds of a configuration.
    pub fn of(config: &RunConfig) -> Bounds {
        Bounds { generations: config.run.most_generations(), minutes: config.run.most_minutes() }
    }

    /// The share of the run that is over before `generation`, in [0, 1]: always 0 where generations have no bound.
    /// Time plays no part in it, as what is trained must not depend on time.
    pub fn share(self, generation: u32) -> f64 {
        self.generations.map_or(0.0, |all| (f64::from(generation - 1) / f64::from(all)).min(1.0))
    }

    /// Whether `generation` is beyond the bound on generations, or time is up after `seconds`.
    pub fn are_reached(self, generation: u32, seconds: f64) -> bool {
        self.generations.is_some_and(|all| generation > all)
            || self.minutes.is_some_and(|minutes| seconds >= 60.0 * minutes)
    }

    /// Whether a generation like the last ones would end in time if it began after `seconds`. The first on a larger
    /// board takes longer than that.
    pub fn has_time_for(self, seconds: f64, timings: &[Timing]) -> bool {
        let recent = &timings[timings.len().saturating_sub(2)..];
        let learning = longest(recent, |timing| timing.selfplay + timing.learn);
        // The last generation is gated and rated, whichever generations were so before.
        let closing = longest(timings, |timing| timing.gate) + longest(timings, |timing| timing.rating);
        self.minutes.is_none_or(|minutes| seconds + learning + closing <= 60.0 * minutes)
    }
}

fn longest(timings: &[Timing], seconds: impl Fn(&Timing) -> f64) -> f64 {
    timings.iter().map(seconds).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timing(generation: u32, selfplay: f64, gate: f64, rating: f64) -> Timing {
        Timing { generation, selfplay, learn: 10.0, gate, rating }
    }

    #[test]
    fn a_generation_starts_only_if_it_can_end_in_time() {
        let bounds = Bounds { generations: None, minutes: Some(10.0) };
        assert!(bounds.has_time_for(0.0, &[]));
        // 30 s of self-play, 10 s of training, 5 s of gate and 15 s of rating.
        let timings = [timing(1, 90.0, 0.0, 15.0), timing(2, 30.0, 5.0, 0.0), timing(3, 20.0, 0.0, 0.0)];
        assert!(bounds.has_time_for(540.0, &timings));
        assert!(!bounds.has_time_for(540.1, &timings));
    }

    #[test]
    fn generations_bound_a_run() {
        let bounds = Bounds { generations: Some(4), minutes: None };
        assert!(bounds.are_reached(5, 0.0) && !bounds.are_reached(4, 1e9));
        assert!((bounds.share(3) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn without_bounds_a_run_goes_on() {
        let bounds = Bounds { generations: None, minutes: None };
        assert!(bounds.has_time_for(1e9, &[timing(1, 1e9, 1e9, 1e9)]));
        assert!(bounds.share(1000) <= 0.0 && !bounds.are_reached(1_000_000, 1e9));
    }
}

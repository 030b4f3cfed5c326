//! How large the searches of a generation are.

use serde::{Deserialize, Serialize};

use crate::config::ConfigError;

/// The searches of a run: while its networks are weak, small ones teach as much and give more games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Searches(pub Vec<SearchSizes>);

/// The sizes of the searches from one generation on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchSizes {
    /// The first generation with these sizes, counted from 1. The first sizes begin with generation 1.
    pub first: u32,
    /// Visits of a full search, whose result is a training target. At least 1.
    pub full_visits: u32,
    /// Moves that a full search considers at the root, at most a quarter of its visits where that is more than 2.
    pub full_considered: u32,
    /// Visits of a quick search. At least 1.
    pub quick_visits: u32,
    /// Moves that a quick search considers at the root, bounded as those of a full one.
    pub quick_considered: u32,
}

impl Searches {
    /// The sizes in a generation.
    ///
    /// # Panics
    /// When there are none: validated ones begin with generation 1.
    #[must_use]
    pub fn of(&self, generation: u32) -> SearchSizes {
        let begun = self.0.iter().rfind(|sizes| sizes.first <= generation.max(1));
        *begun.expect("validated sizes begin with generation 1")
    }

    pub(crate) fn validate(&self) -> Result<(), ConfigError> {
        let fault = |key, value: u32, allowed| Err(ConfigError { key, value: value.into(), allowed });
        if self.0.first().is_none_or(|sizes| sizes.first != 1) {
            let first = self.0.first().map_or(0, |sizes| sizes.first);
            return fault("searches.first", first, "1 for the first sizes");
        }
        if let Some([_, later]) = self.0.array_windows().find(|[a, b]| a.first >= b.first) {
            return fault("searches.first", later.first, "above that of the sizes before");
        }
        for sizes in &self.0 {
            for (key, visits) in
                [("searches.full_visits", sizes.full_visits), ("searches.quick_visits", sizes.quick_visits)]
            {
                if visits == 0 {
                    return fault(key, 0, "at least 1");
                }
            }
            for (key, considered, visits) in [
                ("searches.full_considered", sizes.full_considered, sizes.full_visits),
                ("searches.quick_considered", sizes.quick_considered, sizes.quick_visits),
            ] {
                if !(1..=SearchSizes::most_considered(visits)).contains(&considered) {
                    return fault(key, considered, "at least 1, and at most 2 or a quarter of the visits");
                }
            }
        }
        Ok(())
    }
}

impl SearchSizes {
    /// The most moves that a search of so many visits may consider: more would leave too few visits for each.
    pub(crate) fn most_considered(visits: u32) -> u32 {
        (visits / 4).max(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL: SearchSizes =
        SearchSizes { first: 1, full_visits: 32, full_considered: 8, quick_visits: 8, quick_considered: 2 };

    #[test]
    fn grow_with_the_generations() {
        let large = SearchSizes { first: 10, full_visits: 64, ..SMALL };
        let searches = Searches(vec![SMALL, large]);
        assert_eq!(searches.validate(), Ok(()));
        assert_eq!([0, 1, 9, 10, 99].map(|g| searches.of(g).full_visits), [32, 32, 32, 64, 64]);
    }

    #[test]
    fn name_what_cannot_be() {
        let fault = |sizes: &[SearchSizes]| Searches(sizes.to_vec()).validate().unwrap_err().to_string();
        assert_eq!(fault(&[]), "selfplay.searches.first = 0: must be 1 for the first sizes");
        let late = SearchSizes { first: 2, ..SMALL };
        assert_eq!(fault(&[late]), "selfplay.searches.first = 2: must be 1 for the first sizes");
        assert!(fault(&[SMALL, late, late]).starts_with("selfplay.searches.first = 2: must be above"));
        let none = SearchSizes { quick_visits: 0, ..SMALL };
        assert_eq!(fault(&[none]), "selfplay.searches.quick_visits = 0: must be at least 1");
        let wide = SearchSizes { full_considered: 9, ..SMALL };
        assert!(fault(&[wide]).starts_with("selfplay.searches.full_considered = 9: must be"));
        let none = SearchSizes { quick_considered: 0, ..SMALL };
        assert!(fault(&[none]).starts_with("selfplay.searches.quick_considered = 0"));
    }
}

//! Runs searches to their end.

use crate::evaluator::{Evaluation, Evaluator, Query};
use crate::result::SearchResult;
use crate::search::{Search, Step};

/// Runs a search that has begun until it is done.
pub fn run(search: &mut Search, evaluator: &mut dyn Evaluator) -> SearchResult {
    let mut answer = [Evaluation::default()];
    loop {
        match search.gather() {
            Step::Evaluate => {
                let query = search.query().expect("a search that asks for an evaluation has a query");
                evaluator.evaluate(&[query], &mut answer);
                search.apply(&answer[0]);
            }
            Step::Pause => {}
            Step::Done => break,
        }
    }
    search.result().expect("a search that is done has evaluated its root")
}

/// Runs many searches that have begun, all at once, until each is done: one call of the evaluator serves a step of
/// all. Each search ends as it would alone.
pub fn run_all(searches: &mut [Search], evaluator: &mut dyn Evaluator) -> Vec<SearchResult> {
    let mut answers = Vec::new();
    loop {
        let mut paused = false;
        for search in &mut *searches {
            paused |= search.gather() == Step::Pause;
        }
        let queries: Vec<Query<'_>> = searches.iter().filter_map(Search::query).collect();
        let waiting = queries.len();
        if waiting == 0 && !paused {
            break;
        }
        if answers.len() < waiting {
            answers.resize(waiting, Evaluation::default());
        }
        if waiting > 0 {
            evaluator.evaluate(&queries, &mut answers[..waiting]);
        }
        let mut answered = answers.iter();
        for search in searches.iter_mut().filter(|search| search.query().is_some()) {
            search.apply(answered.next().expect("every query has an answer"));
        }
    }
    let results = searches.iter().map(Search::result);
    results.map(|result| result.expect("a search that is done has evaluated its root")).collect()
}

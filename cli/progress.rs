//! Progress on stderr: a live line on a terminal, an occasional plain one elsewhere.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// How often the live line changes.
const LIVE_EVERY: Duration = Duration::from_millis(200);
/// How often a plain line is written.
const PLAIN_EVERY: Duration = Duration::from_secs(30);

/// Where progress is shown; made once a command.
#[derive(Debug)]
pub(crate) struct Progress {
    is_terminal: bool,
}

impl Progress {
    pub(crate) fn new() -> Progress {
        Progress { is_terminal: output::notes_are_seen() }
    }

    /// Starts to show a task of `total` units, such as `games`, or of nobody knows how many (`None`).
    pub(crate) fn task(&self, name: &str, unit: &'static str, total: impl Into<Option<u64>>) -> Task {
        let total = total.into();
        let bar = self.is_terminal.then(|| {
            let template = match total {
                Some(_) => "{prefix} {wide_bar} {pos}/{len} {msg}",
                None => "{prefix} {spinner} {pos} {msg}",
            };
            let style = ProgressStyle::with_template(template).expect("the templates are fixed");
            let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr_with_hz(5));
            bar.set_style(style);
            bar.set_prefix(name.to_owned());
            bar
        });
        let state = Mutex::new(State { first: None, shown: Instant::now() });
        Task { name: name.to_owned(), unit, total, state, bar }
    }
}

/// A task that is shown until it is dropped. Any thread may say how far it is.
#[derive(Debug)]
pub(crate) struct Task {
    name: String,
    unit: &'static str,
    total: Option<u64>,
    state: Mutex<State>,
    bar: Option<ProgressBar>,
}

#[derive(Debug)]
struct State {
    /// What was done already when this process came to the task, and when that was.
    first: Option<(u64, Instant)>,
    shown: Instant,
}

impl Task {
    /// Says that `done` of the units are done, and something about them. Costs next to nothing where it is called
    /// more often than it is shown.
    pub(crate) fn set(&self, done: u64, note: impl FnOnce() -> String) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let first = *state.first.get_or_insert_with(|| (done, Instant::now()));
        if !self.is_due(&mut state) {
            return;
        }
        let message = self.message(first, done, &note());
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(message);
        } else {
            let total = self.total.map_or_else(String::new, |total| format!("/{total}"));
            output::note(format_args!("{} {done}{total} {message}", self.name));
        }
    }

    /// Says what the task waits for before, or between, units. Costs no more than [`Task::set`].
    pub(crate) fn wait(&self, what: impl FnOnce() -> String) {
        if !self.is_due(&mut self.state.lock().unwrap_or_else(PoisonError::into_inner)) {
            return;
        }
        if let Some(bar) = &self.bar {
            bar.set_message(what());
            bar.tick();
        } else {
            output::note(format_args!("{}: {}", self.name, what()));
        }
    }

    /// [`Task::wait`] for openings: how many of how many are drawn.
    pub(crate) fn wait_for_openings(&self, drawn: usize, all: usize) {
        self.wait(|| format!("drawing opening {} of {all}", drawn + 1));
    }

    /// Whether it is time to show something, which is then taken for done.
    fn is_due(&self, state: &mut State) -> bool {
        let every = if self.bar.is_some() { LIVE_EVERY } else { PLAIN_EVERY };
        let is_due = state.shown.elapsed() >= every;
        if is_due {
            state.shown = Instant::now();
        }
        is_due
    }

    /// Unit, rate, time left (or spent, where the total is not known) and note.
    fn message(&self, (first, began): (u64, Instant), done: u64, note: &str) -> String {
        let fresh = done.saturating_sub(first);
        let seconds = began.elapsed().as_secs_f64();
        let mut parts = vec![self.unit.to_owned()];
        if fresh > 0 && seconds > 0.0 {
            let rate = fresh as f64 / seconds;
            parts.push(format!("{} a second", rounded(rate)));
            parts.push(match self.total {
                Some(total) => format!("{} left", duration(total.saturating_sub(done) as f64 / rate)),
                None => format!("{} so far", duration(seconds)),
            });
        }
        if !note.is_empty() {
            parts.push(note.to_owned());
        }
        parts.join(", ")
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A rate with about three digits.
fn rounded(rate: f64) -> String {
    if rate < 10.0 {
        format!("{rate:.2}")
    } else if rate < 100.0 {
        format!("{rate:.1}")
    } else {
        format!("{rate:.0}")
    }
}

/// Seconds in words: `42 s`, `3 min 05 s`, `2 h 07 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let seconds = seconds.max(0.0).round() as u64;
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_said_in_words() {
        let cases = [(0.0, "0 s"), (59.6, "1 min 00 s"), (185.0, "3 min 05 s"), (7620.0, "2 h 07 min")];
        for (seconds, expected) in cases {
            assert_eq!(duration(seconds), expected);
        }
    }
}

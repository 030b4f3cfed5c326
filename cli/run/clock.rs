//! How long a run has been worked on, over all its processes, and how long its stages take. Kept apart from what
//! the run computes, which does not depend on time.

use std::fs;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use anyhow::Context as _;
use serde::{Deserialize, Serialize};

use crate::run::directory::RunDirectory;

/// How much work a killed process may leave uncounted.
const BEAT: Duration = Duration::from_secs(5);

/// Counts the time from its start until it is dropped, on top of what earlier processes counted.
#[derive(Debug)]
pub(crate) struct Clock {
    before: f64,
    started: Instant,
    /// Dropped to stop the thread.
    stop: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Serialize, Deserialize)]
struct Counted {
    seconds: f64,
}

impl Clock {
    /// Starts to count for the run.
    ///
    /// # Errors
    /// When the count so far cannot be read.
    pub(crate) fn start(run: &RunDirectory) -> anyhow::Result<Clock> {
        let path = run.clock();
        let before = seconds_of_work(run)?;
        let started = Instant::now();
        let (stop, stopped) = mpsc::channel::<()>();
        let thread = thread::spawn(move || {
            loop {
                let ended = stopped.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout);
                let seconds = before + started.elapsed().as_secs_f64();
                // A count that cannot be written costs a few seconds of a bound; the run itself will say it if
                // the disk is full.
                let _ = write(&path, seconds);
                if ended {
                    return;
                }
            }
        });
        Ok(Clock { before, started, stop: Some(stop), thread: Some(thread) })
    }

    /// Seconds of work on the run so far.
    pub(crate) fn seconds(&self) -> f64 {
        self.before + self.started.elapsed().as_secs_f64()
    }
}

impl Drop for Clock {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Seconds of work on a run that its processes have counted.
///
/// # Errors
/// When the count cannot be read.
pub(crate) fn seconds_of_work(run: &RunDirectory) -> anyhow::Result<f64> {
    let path = run.clock();
    if !path.exists() {
        return Ok(0.0);
    }
    let text = fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))?;
    let counted: Counted =
        serde_json::from_str(&text).with_context(|| format!("{} is damaged: remove it", path.display()))?;
    Ok(counted.seconds)
}

fn write(path: &Path, seconds: f64) -> anyhow::Result<()> {
    Ok(hippolyta_files::write_json(path, &Counted { seconds })?)
}

/// How long a generation's stages took, in seconds. A stage that was interrupted counts only what its last process
/// did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Timing {
    pub(crate) generation: u32,
    pub(crate) selfplay: f64,
    pub(crate) learn: f64,
    pub(crate) gate: f64,
    pub(crate) rating: f64,
}

impl Timing {
    /// No time so far.
    pub(crate) fn of(generation: u32) -> Timing {
        Timing { generation, selfplay: 0.0, learn: 0.0, gate: 0.0, rating: 0.0 }
    }

    /// Adds a line to the run's timings, by writing them all anew. A line of the same generation that a killed process
    /// left gives way to it.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub(crate) fn append(&self, run: &RunDirectory) -> anyhow::Result<()> {
        let path = run.timings();
        let before = Timing::read(run);
        let timings = before.iter().filter(|t| t.generation < self.generation).chain([self]);
        hippolyta_files::write_json_lines(&path, timings)
            .with_context(|| format!("{} cannot be written", path.display()))
    }

    /// The run's timings so far; none where they cannot be read. A line that is no timing is passed over.
    pub(crate) fn read(run: &RunDirectory) -> Vec<Timing> {
        let text = fs::read_to_string(run.timings()).unwrap_or_default();
        text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_generation_is_timed_once() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDirectory::take(folder.path()).unwrap();
        let timing = |generation, gate| Timing { gate, ..Timing::of(generation) };
        for timing in [timing(1, 1.0), timing(2, 2.0), timing(2, 3.0)] {
            timing.append(&run).unwrap();
        }
        assert_eq!(Timing::read(&run), [timing(1, 1.0), timing(2, 3.0)]);
    }
}

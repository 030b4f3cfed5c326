//! How long a run has been worked on, over all its processes, and how long its stages take. Kept apart from what the
//! run computes, which does not depend on time.

use std::sync::Arc;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use crate::error::{Damage, Fault, RunError};
use crate::keys;
use crate::store::{RunStore, StoreError};

/// How much work a killed process may leave uncounted.
const BEAT: Duration = Duration::from_secs(5);

/// Counts the time from its start until it is dropped, on top of what earlier processes counted.
#[derive(Debug)]
pub struct Clock {
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
    /// Starts to count for a run.
    ///
    /// # Errors
    /// When the count so far cannot be read.
    pub fn start(store: Arc<dyn RunStore>) -> Result<Clock, RunError> {
        let before = seconds_of_work(&*store)?;
        let started = Instant::now();
        let (stop, stopped) = mpsc::channel::<()>();
        let count = move || {
            loop {
                let ended = stopped.recv_timeout(BEAT) != Err(RecvTimeoutError::Timeout);
                let counted = Counted { seconds: before + started.elapsed().as_secs_f64() };
                let bytes = serde_json::to_vec(&counted).expect("a number becomes JSON");
                // A count that cannot be written costs a few seconds of a bound; the run itself will say it if the
                // disk is full.
                let _ = store.replace(keys::CLOCK, &bytes);
                if ended {
                    return;
                }
            }
        };
        let thread = thread::Builder::new().spawn(count).map_err(RunError::Thread)?;
        Ok(Clock { before, started, stop: Some(stop), thread: Some(thread) })
    }

    /// Seconds of work on the run so far.
    pub fn seconds(&self) -> f64 {
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
pub fn seconds_of_work(store: &dyn RunStore) -> Result<f64, RunError> {
    let Some(bytes) = store.get(keys::CLOCK)? else { return Ok(0.0) };
    let counted: Counted = serde_json::from_slice(&bytes).map_err(|error| Damage {
        key: keys::CLOCK.to_owned(),
        path: store.path(keys::CLOCK),
        fault: Fault::Foreign(format!("it does not say how long the run took ({error}); remove it")),
    })?;
    Ok(counted.seconds)
}

/// How long a generation's stages took, in seconds. A stage that was interrupted counts only what its last process
/// did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The generation.
    pub generation: u32,
    /// Of self-play.
    pub selfplay: f64,
    /// Of training.
    pub learn: f64,
    /// Of the gate, that of the run's end included.
    pub gate: f64,
    /// Of the rating, that of the run's end included.
    pub rating: f64,
}

impl Timing {
    /// No time so far.
    pub fn of(generation: u32) -> Timing {
        Timing { generation, selfplay: 0.0, learn: 0.0, gate: 0.0, rating: 0.0 }
    }

    /// Of all stages together.
    pub fn seconds(&self) -> f64 {
        self.selfplay + self.learn + self.gate + self.rating
    }

    /// The timings of a run so far. A line that is not a timing is passed over.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn read(store: &dyn RunStore) -> Result<Vec<Timing>, StoreError> {
        let bytes = store.get(keys::TIMINGS)?.unwrap_or_default();
        let text = String::from_utf8_lossy(&bytes);
        Ok(text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect())
    }

    /// Writes the timings of a run.
    pub(crate) fn write(store: &dyn RunStore, timings: &[Timing]) -> Result<(), StoreError> {
        let mut bytes = Vec::new();
        for timing in timings {
            serde_json::to_writer(&mut bytes, timing).expect("numbers become JSON");
            bytes.push(b'\n');
        }
        store.replace(keys::TIMINGS, &bytes)
    }
}

/// Does `work` and adds the seconds that it took.
pub(crate) fn timed<T>(seconds: &mut f64, work: impl FnOnce() -> Result<T, RunError>) -> Result<T, RunError> {
    let started = Instant::now();
    let result = work()?;
    *seconds += started.elapsed().as_secs_f64();
    Ok(result)
}

//! A run in a directory, that this process works on alone.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use hippolyta_run::{LocalStore, Observer, Row, RunError, RunStore, Tools, keys};

use crate::failure::wrong_input;
use crate::interrupt::{self, Interrupted};
use crate::lock;
use crate::output;
use crate::progress::{Progress, Task};
use crate::row_line::line;

/// The lock of a run directory.
pub(crate) const LOCK: &str = "lock";

/// A run directory that this process alone may write as long as this lives.
#[derive(Debug)]
pub(crate) struct AtWork {
    store: Arc<LocalStore>,
    watcher: Watcher,
    _lock: File,
}

impl AtWork {
    /// Takes a run directory over, making it where it does not exist.
    ///
    /// # Errors
    /// When another process is at work on it, or the file system refuses.
    pub(crate) fn take(root: &Path) -> anyhow::Result<AtWork> {
        fs::create_dir_all(root).with_context(|| format!("{} cannot be written", root.display()))?;
        let lock = lock::take(&root.join(LOCK), root)?;
        let store = LocalStore::new(root);
        store.sweep()?;
        Ok(AtWork { store: Arc::new(store), watcher: Watcher { progress: Progress::new() }, _lock: lock })
    }

    /// Takes over a run that was started before.
    ///
    /// # Errors
    /// When there is none, another process is at work on it, or the file system refuses.
    pub(crate) fn take_started(root: &Path) -> anyhow::Result<AtWork> {
        let store = LocalStore::new(root);
        if !root.join(keys::CONFIG).is_file() && store.list(keys::MODELS)?.is_empty() {
            return Err(RunError::NoRun(root.to_owned()).into());
        }
        AtWork::take(root)
    }

    /// What the run is worked on with.
    pub(crate) fn tools(&self) -> Tools<'_> {
        let store = Arc::clone(&self.store);
        Tools { store, observer: &self.watcher, stop: interrupt::flag() }
    }
}

/// Whether another process is at work on a run directory; `None` where that cannot be found out.
pub(crate) fn is_at_work(root: &Path) -> Option<bool> {
    lock::is_held(&root.join(LOCK))
}

/// An error of a run, with the exit code that it asks for.
pub(crate) fn failed(error: RunError) -> anyhow::Error {
    match error {
        #[cfg(feature = "torch")]
        RunError::ReplayStopped => Interrupted(error.to_string()).into(),
        RunError::Interrupted { .. } => Interrupted(error.to_string()).into(),
        RunError::Config(message) => wrong_input(message),
        error => error.into(),
    }
}

/// Shows a run's progress on stderr and its rows on stdout.
#[derive(Debug)]
struct Watcher {
    progress: Progress,
}

impl Observer for Watcher {
    fn task(&self, name: &str, unit: &'static str, total: u64) -> Box<dyn hippolyta_run::Task + '_> {
        Box::new(self.progress.task(name, unit, total))
    }

    fn tell(&self, notice: &str) {
        output::note(notice);
    }

    fn finished(&self, row: &Row) {
        output::row(&line(row));
    }
}

impl hippolyta_run::Task for Task {
    fn set(&self, done: u64, note: &dyn Fn() -> String) {
        self.set(done, note);
    }

    fn wait_for_openings(&self, drawn: usize, all: usize) {
        self.wait_for_openings(drawn, all);
    }
}

//! A run as it is now, for whoever only looks at it.

use crate::config::{Resolved, RunConfig};
use crate::error::RunError;
use crate::history::History;
use crate::inspect::frozen;
use crate::row::Row;
use crate::store::RunStore;
use crate::timing::{Timing, seconds_of_work};
use crate::train::{Stage, stage_due};

/// A run as it is now. Another process may be at work on it.
#[derive(Debug)]
pub struct Snapshot {
    /// The frozen configuration.
    pub config: RunConfig,
    /// Its text: all keys and values.
    pub config_text: String,
    /// What the run made so far.
    pub history: History,
    /// A row for each finished generation.
    pub rows: Vec<Row>,
    /// How long their stages took.
    pub timings: Vec<Timing>,
    /// Seconds of work so far.
    pub seconds: f64,
    /// The stage that is due.
    pub due: Stage,
}

impl Snapshot {
    /// Looks at a run without writing.
    ///
    /// # Errors
    /// When there is none, or its files are damaged.
    pub fn take(store: &dyn RunStore) -> Result<Snapshot, RunError> {
        let history = History::read(store)?;
        let (Resolved { config, .. }, _) = frozen(store, &history)?;
        let text = store.get(crate::keys::CONFIG)?.unwrap_or_default();
        Ok(Snapshot {
            due: stage_due(store, &config, &history)?,
            config,
            config_text: String::from_utf8_lossy(&text).into_owned(),
            rows: Row::all(&history),
            history,
            timings: Timing::read(store)?,
            seconds: seconds_of_work(store)?,
        })
    }
}

//! Ctrl-C: the first asks the work to stop at its next safe point, the second ends the process at once. Files
//! appear whole or not at all, so that even the second loses no more than the stage's latest minutes.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Context as _;
use thiserror::Error;

use crate::process;

/// The work was stopped by the person; the message says how to go on. Exit code 130.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

static ASKED: AtomicBool = AtomicBool::new(false);
static WATCHING: OnceLock<()> = OnceLock::new();

/// The exit code of an interrupted command.
pub(crate) const EXIT_CODE: u8 = 130;

/// Takes over Ctrl-C and SIGTERM for the rest of the process.
///
/// # Errors
/// When the system refuses a handler.
pub(crate) fn watch() -> anyhow::Result<()> {
    if WATCHING.set(()).is_err() {
        return Ok(());
    }
    ctrlc::set_handler(|| {
        if ASKED.swap(true, Ordering::SeqCst) {
            process::kill_all();
            std::process::exit(i32::from(EXIT_CODE));
        }
    })
    .context("Ctrl-C cannot be handled")
}

/// Set once the person asks to stop.
pub(crate) fn flag() -> &'static AtomicBool {
    &ASKED
}

/// Whether the person asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

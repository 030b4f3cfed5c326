//! Ctrl-C: the first asks the work to stop at its next safe point, the second ends the process at once. Files
//! appear whole or not at all, so that even the second loses no more than the stage's latest minutes.

use std::fs;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::Context as _;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use thiserror::Error;

use crate::process;
use crate::values::NO_THREAD;

/// The work was stopped by the person; the message says how to go on. Exit code 130.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct Interrupted(pub(crate) String);

static ASKED: AtomicBool = AtomicBool::new(false);
static WATCHING: OnceLock<()> = OnceLock::new();

/// The exit code of an interrupted command.
pub(crate) const EXIT_CODE: u8 = 130;

/// Takes over Ctrl-C, SIGTERM and SIGHUP for the rest of the process. A signal that this process was started to ignore
/// stays ignored: `nohup` and a shell's background jobs ask for that.
///
/// # Errors
/// When the system refuses a handler or the thread that waits for signals.
pub(crate) fn watch() -> anyhow::Result<()> {
    if WATCHING.set(()).is_err() {
        return Ok(());
    }
    let ignored = ignored();
    let wanted = [SIGINT, SIGTERM, SIGHUP].into_iter().filter(|signal| !ignores(ignored, *signal));
    let mut signals = Signals::new(wanted).context("Ctrl-C cannot be handled")?;
    let wait = move || {
        for _ in signals.forever() {
            if ASKED.swap(true, Ordering::SeqCst) {
                process::kill_all();
                // Without destructors, which would run under the threads that are still at work.
                signal_hook::low_level::exit(i32::from(EXIT_CODE));
            }
        }
    };
    thread::Builder::new().name("signals".into()).spawn(wait).context(NO_THREAD)?;
    Ok(())
}

/// The signals that this process ignores, a bit for each from the lowest; none where the system does not tell.
fn ignored() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0)
}

fn ignores(ignored: u64, signal: i32) -> bool {
    ignored >> (signal - 1) & 1 == 1
}

/// Set once the person asks to stop.
pub(crate) fn flag() -> &'static AtomicBool {
    &ASKED
}

/// Whether the person asked to stop.
pub(crate) fn asked() -> bool {
    ASKED.load(Ordering::SeqCst)
}

//! Results on stdout: text for people, or one JSON object. Notes on stderr: progress, warnings, errors. Nothing else
//! writes to either.

use std::fmt::Display;
use std::io::{self, IsTerminal as _, Write};
use std::sync::Once;

use anyhow::Context as _;
use hippolyta_game::Side;
use serde::Serialize;
use thiserror::Error;

/// Whoever read stdout has seen enough and closed it. Exit code 0.
#[derive(Debug, Error)]
#[error("stdout is closed")]
pub(crate) struct StdoutClosed;

/// Writes lines of text to stdout.
///
/// # Errors
/// [`StdoutClosed`], or when stdout takes no more.
pub(crate) fn text(lines: &str) -> anyhow::Result<()> {
    told(write(lines))
}

fn told(written: io::Result<()>) -> anyhow::Result<()> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(StdoutClosed.into()),
        written => written.context("stdout takes no more"),
    }
}

/// Writes a piece of a line to stdout.
///
/// # Errors
/// As [`text`].
pub(crate) fn piece(part: &str) -> anyhow::Result<()> {
    told(io::stdout().lock().write_all(part.as_bytes()))
}

/// Writes a row of a table that long work prints as it goes. Where stdout takes no more, the work goes on without it.
pub(crate) fn row(line: &str) {
    static TOLD: Once = Once::new();
    let Err(error) = write(line) else { return };
    if error.kind() != io::ErrorKind::BrokenPipe {
        TOLD.call_once(|| note(format_args!("stdout takes no more ({error}): the work goes on without it")));
    }
}

/// Writes a line to stderr. Where stderr takes no more, the line is dropped: a note must never end the work.
pub(crate) fn note(line: impl Display) {
    prompt(format_args!("{line}\n"));
}

/// Writes to stderr without ending the line; dropped as by [`note`].
pub(crate) fn prompt(text: impl Display) {
    // In one piece, so that lines of several threads do not mix.
    let _ = Notes.write_all(text.to_string().as_bytes());
}

/// Whether a person sees stderr.
pub(crate) fn notes_are_seen() -> bool {
    stderr().is_terminal()
}

/// Stderr for a log: it takes everything, and drops what stderr does not take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Notes;

impl Write for Notes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let _ = stderr().write_all(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[expect(clippy::disallowed_methods, reason = "the one place that writes to stderr")]
fn stderr() -> io::Stderr {
    io::stderr()
}

fn write(lines: &str) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(lines.as_bytes())?;
    if !lines.ends_with('\n') {
        stdout.write_all(b"\n")?;
    }
    stdout.flush()
}

/// The name of a side, or `nobody` where there is none.
pub(crate) fn side_or(side: Option<Side>, nobody: &str) -> String {
    side.map_or_else(|| nobody.to_owned(), |side| side.to_string())
}

/// Writes `value` as one JSON object on a line of its own.
///
/// # Errors
/// As [`text`].
pub(crate) fn json(value: &impl Serialize) -> anyhow::Result<()> {
    text(&serde_json::to_string(value)?)
}

/// Groups the digits of a count in threes: `1,358,441,750`.
pub(crate) fn grouped(count: u64) -> String {
    let digits = count.to_string();
    let mut out = String::with_capacity(digits.len() * 4 / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_in_threes() {
        let cases = [(0, "0"), (999, "999"), (1000, "1,000"), (1_358_441_750, "1,358,441,750")];
        for (count, expected) in cases {
            assert_eq!(grouped(count), expected);
        }
    }
}

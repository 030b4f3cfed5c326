//! Results on stdout: text for people, or one JSON object.

use std::io::{self, Write as _};

use anyhow::Context as _;
use hippolyta_game::Side;
use serde::Serialize;

/// Writes lines of text to stdout.
///
/// # Errors
/// When stdout takes no more, for one because the reader has gone.
pub(crate) fn text(lines: &str) -> anyhow::Result<()> {
    write(lines).context("stdout takes no more")
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

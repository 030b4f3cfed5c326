//! How a command ends when it does not succeed: one line on stderr and an exit code.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::process::ExitCode;

use thiserror::Error;

use crate::interrupt::{self, Interrupted};
use crate::output::{self, StdoutClosed};

/// What the person asked for cannot be meant: a wrong argument or config. Exit code 2.
#[derive(Debug, Error)]
#[error("{0}")]
pub(crate) struct WrongInput(pub(crate) String);

/// A shorthand for [`WrongInput`] as an error.
pub(crate) fn wrong_input(message: impl Into<String>) -> anyhow::Error {
    WrongInput(message.into()).into()
}

/// Says in one line what failed and why, and picks the exit code.
pub(crate) fn report(error: &anyhow::Error) -> ExitCode {
    if error.is::<StdoutClosed>() {
        return ExitCode::SUCCESS;
    }
    output::note(format_args!("hippolyta: {}", one_line(error)));
    if error.is::<Interrupted>() {
        ExitCode::from(interrupt::EXIT_CODE)
    } else if error.is::<WrongInput>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

/// The longest line that says what failed, in characters.
const LONGEST_LINE: usize = 1000;

/// The error and its causes in one line. A cause that the message already quotes is not said twice, and where the line
/// quotes much input, its middle is left out.
pub(crate) fn one_line(error: &anyhow::Error) -> String {
    let mut line = String::new();
    for cause in error.chain() {
        let cause = cause.to_string();
        if line.is_empty() {
            line = cause;
        } else if !line.contains(&cause) {
            write!(line, ": {cause}").expect("a string takes all");
        }
    }
    let line = line.lines().map(str::trim).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    // What a file says may be quoted, and is not to command a terminal.
    let shown =
        |letter: char| if letter.is_control() { letter.escape_default().to_string() } else { letter.into() };
    shortened(&line).chars().map(shown).collect()
}

/// A text of at most about [`LONGEST_LINE`] characters: its beginning, which says what failed, and its end, which says
/// why.
pub(crate) fn shortened(text: &str) -> Cow<'_, str> {
    let length = text.chars().count();
    if length <= LONGEST_LINE {
        return text.into();
    }
    let nth = |n| text.char_indices().nth(n).map_or(text.len(), |(at, _)| at);
    let (begin, end) = (nth(LONGEST_LINE / 2), nth(length - LONGEST_LINE / 2));
    let left_out = length - LONGEST_LINE / 2 * 2;
    format!("{} [... {left_out} characters ...] {}", &text[..begin], &text[end..]).into()
}

#[cfg(test)]
mod tests {
    use std::io;

    use anyhow::Context as _;

    use super::*;

    #[test]
    fn an_error_quotes_no_more_than_can_be_read() {
        let quote = "\u{e9}".repeat(10_000_000);
        let line = one_line(&wrong_input(format!("line 1: '{quote}' is not a FEN: a rank is missing")));
        assert!(line.chars().count() < LONGEST_LINE + 50);
        assert!(line.starts_with("line 1: '\u{e9}") && line.ends_with("a rank is missing"), "{line}");
        assert!(line.contains(" characters ...] "), "{line}");
    }

    #[test]
    fn an_error_is_one_line_and_says_nothing_twice() {
        let error = Err::<(), _>(io::Error::other("no\n  luck\u{1b}[2J"))
            .context("the work failed")
            .context("so: the work failed")
            .unwrap_err();
        assert_eq!(one_line(&error), "so: the work failed: no luck\\u{1b}[2J");
    }
}

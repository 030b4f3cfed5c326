//! How a command ends when it does not succeed: one line on stderr and an exit code.

use std::fmt::Write as _;
use std::io;
use std::process::ExitCode;

use thiserror::Error;

use crate::interrupt::{self, Interrupted};

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
    // Whoever read our output has seen enough.
    let is_closed_pipe = error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    });
    if is_closed_pipe {
        return ExitCode::SUCCESS;
    }
    eprintln!("hippolyta: {}", one_line(error));
    if error.is::<Interrupted>() {
        ExitCode::from(interrupt::EXIT_CODE)
    } else if error.is::<WrongInput>() {
        ExitCode::from(2)
    } else {
        ExitCode::FAILURE
    }
}

/// The error and its causes in one line. A cause that the message already quotes is not said twice.
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
    line.chars().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use anyhow::Context as _;

    use super::*;

    #[test]
    fn an_error_is_one_line_and_says_nothing_twice() {
        let error = Err::<(), _>(io::Error::other("no\n  luck\u{1b}[2J"))
            .context("the work failed")
            .context("so: the work failed")
            .unwrap_err();
        assert_eq!(one_line(&error), "so: the work failed: no luck\\u{1b}[2J");
    }
}

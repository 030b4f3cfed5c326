//! Runs the real binary and looks at what it says.

use std::process::{Command, Output};

use serde_json::Value;

/// The binary with these arguments, split at spaces.
pub(crate) fn hippolyta(arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hippolyta"));
    command.args(arguments.split_whitespace());
    command
}

/// A configuration: that of the quick run, and what differs from it.
#[cfg(feature = "torch")]
pub(crate) fn over_quick(changes: &str) -> String {
    format!("base = '{}/configs/quick.toml'\n{changes}", env!("CARGO_MANIFEST_DIR"))
}

/// What a finished command printed.
pub(crate) struct Finished {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs the command to its end.
pub(crate) fn finish(command: &mut Command) -> Finished {
    let Output { status, stdout, stderr } = command.output().expect("the binary starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    Finished { code: status.code(), stdout: text(stdout), stderr: text(stderr) }
}

impl Finished {
    /// The one JSON object on stdout of a command that succeeded.
    #[track_caller]
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.code, Some(0), "{}", self.stderr);
        assert_eq!(self.stdout.lines().count(), 1, "{}", self.stdout);
        serde_json::from_str(&self.stdout).expect("stdout is JSON")
    }

    /// Checks that the arguments were refused, with exit code 2 and these words.
    #[track_caller]
    pub(crate) fn refuses(&self, words: &str) {
        assert_eq!(self.code, Some(2), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        assert!(self.stderr.contains(words), "no '{words}' in: {}", self.stderr);
    }

    /// Checks that the command failed with `code`, with nothing on stdout, and that stderr is one line that holds
    /// all of `words`.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, words: &[&str]) {
        assert_eq!(self.code, Some(code), "{}", self.stderr);
        assert_eq!(self.stdout, "");
        assert_eq!(self.stderr.lines().count(), 1, "{}", self.stderr);
        for word in words {
            assert!(self.stderr.contains(word), "no '{word}' in: {}", self.stderr);
        }
    }
}

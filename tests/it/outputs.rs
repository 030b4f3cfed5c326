//! Outputs that take nothing, signals that are to be ignored, and a system that gives no threads.
#![cfg(target_os = "linux")]

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use crate::binary::{finish, hippolyta};

const START: &str = "1qq1/q2q/Q2Q/1QQ1 w";

/// A pipe that nobody reads.
fn closed_pipe() -> Stdio {
    let (reader, writer) = io::pipe().expect("a pipe");
    drop(reader);
    writer.into()
}

#[test]
fn exit_codes_do_not_depend_on_stderr() {
    let commands = [
        ("perft --size 7 --depth 1", 2),
        ("perft --size 6 --depth 1", 0),
        ("moves --fen horse", 2),
        ("status --run no-such-run", 1),
        ("report --run no-such-run", 1),
        ("gate --run no-such-run", 1),
        ("train no-such-config.toml", 2),
        ("convert no-such-file --to sgf", 1),
        ("export no-such-file --to .", 1),
        ("evaluate no-such-file --fens no-such-file", 1),
        ("ladder easy --size 6", 2),
        ("arena random random --size 6 --games 2", 0),
    ];
    for (arguments, code) in commands {
        let expected = if cfg!(not(feature = "torch")) && arguments.starts_with("train") { 1 } else { code };
        for stderr in [File::create("/dev/full").unwrap().into(), closed_pipe()] {
            let finished = finish(hippolyta(arguments).stderr(stderr));
            assert_eq!(finished.code, Some(expected), "{arguments}");
        }
    }
    // What is said to a person who plays is dropped too.
    let mut child = hippolyta("play --size 6 --level random")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(closed_pipe())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"horse\na1-a2/a3\nquit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn whoever_closes_stdout_has_seen_enough() {
    for arguments in ["perft --size 6 --depth 1", "territory --fen", "moves --fen"] {
        let mut command = hippolyta(arguments);
        if arguments.ends_with("--fen") {
            command.arg(START);
        }
        let finished = finish(command.stdout(closed_pipe()));
        assert_eq!((finished.code, &*finished.stderr), (Some(0), ""), "{arguments}");
    }
}

#[test]
fn signals_that_are_ignored_at_the_start_stay_ignored() {
    for signal in ["HUP", "INT"] {
        // As nohup and a shell's background jobs start a command.
        let mut child = Command::new("sh")
            .args(["-c", &format!("trap '' {signal}; exec \"$0\" \"$@\""), env!("CARGO_BIN_EXE_hippolyta")])
            .args("arena easy random --size 6 --games 400 --threads 1".split(' '))
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let name = format!("/proc/{}/comm", child.id());
        while fs::read_to_string(&name).unwrap() != "hippolyta\n" {
            thread::sleep(Duration::from_millis(1));
        }
        let code = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status.code();
            }
            // One that has just ended is not there any more.
            let _ = Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status();
            thread::sleep(Duration::from_millis(2));
        };
        assert_eq!(code, Some(0), "{signal}");
    }
}

#[test]
fn without_threads_one_line_says_what_to_do() {
    for arguments in [
        "arena random random --size 6 --games 2 --threads 4",
        "ladder random easy --size 6 --games 2",
        "bench",
        "engine --protocol uci",
    ] {
        // Stacks that no address space holds: each thread is refused.
        let finished = finish(hippolyta(arguments).env("RUST_MIN_STACK", (1_u64 << 47).to_string()));
        finished.fails(1, &["hippolyta: ", "does not let this process start", "ulimit -u"]);
    }
}

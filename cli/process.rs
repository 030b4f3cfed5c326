//! A program at the other end of pipes: one line in, lines out, and never more than this process can hold.

use std::collections::BTreeSet;
use std::io::{self, BufRead, BufReader, Read as _, Write as _};
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;

/// The longest line that is read, in bytes.
pub(crate) const LONGEST_LINE: u64 = 1 << 16;
/// Lines read ahead; then the program has to wait.
const LINES_AHEAD: usize = 64;
/// How long a program that is told to quit may take.
const FAREWELL: Duration = Duration::from_millis(200);

/// The processes that live, by the number of their group.
static LIVE: Mutex<BTreeSet<i32>> = Mutex::new(BTreeSet::new());

fn live() -> MutexGuard<'static, BTreeSet<i32>> {
    LIVE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Kills all programs, for an end of this process that drops nothing.
pub(crate) fn kill_all() {
    for group in live().iter() {
        // One that is gone already is what was wanted.
        let _ = killpg(Pid::from_raw(*group), Signal::SIGKILL);
    }
}

/// Why no line came.
#[derive(Debug)]
pub(crate) enum Silence {
    /// It may come yet.
    Pause,
    /// The program's output is at its end.
    Ended,
    /// The line is longer than [`LONGEST_LINE`].
    TooLong,
}

/// A running program. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    input: ChildStdin,
    output: Receiver<Result<String, Silence>>,
    /// Receives the last line of stderr, when that is at its end.
    complaint: Receiver<String>,
}

impl Process {
    /// Starts a program with its arguments, in a process group of its own: Ctrl-C is for this process alone.
    ///
    /// # Errors
    /// When there is no such program, or `words` is empty.
    pub(crate) fn start(words: &[String]) -> io::Result<Process> {
        let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
        // Held over the start, so that no child escapes `kill_all`.
        let mut live = live();
        let mut child = Command::new(program)
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(0)
            .spawn()?;
        live.insert(child.id().cast_signed());
        drop(live);
        let input = child.stdin.take().expect("stdin is piped");
        let stdout = BufReader::new(child.stdout.take().expect("stdout is piped"));
        let stderr = BufReader::new(child.stderr.take().expect("stderr is piped"));
        let (lines, output) = mpsc::sync_channel(LINES_AHEAD);
        let (last, complaint) = mpsc::sync_channel(1);
        // From here on an error kills the child.
        let process = Process { child, input, output, complaint };
        // Nobody waits for these: they end with the pipes.
        thread::Builder::new().spawn(move || read(stdout, &lines))?;
        thread::Builder::new().spawn(move || last.send(last_line(stderr)))?;
        Ok(process)
    }

    /// Writes a line.
    ///
    /// # Errors
    /// When the program takes none any more.
    pub(crate) fn say(&mut self, line: &str) -> io::Result<()> {
        self.input.write_all(format!("{line}\n").as_bytes())
    }

    /// The next line, which is waited for so long.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn hear(&mut self, patience: Duration) -> Result<String, Silence> {
        match self.output.recv_timeout(patience) {
            Ok(said) => said,
            Err(RecvTimeoutError::Timeout) => Err(Silence::Pause),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Ended),
        }
    }

    /// Kills a program that takes or says nothing any more, and tells how it ended.
    pub(crate) fn post_mortem(&mut self) -> String {
        self.kill();
        let how = match self.child.wait() {
            // It ran on until now.
            Ok(status) if status.signal() == Some(Signal::SIGKILL as i32) => "it closed its pipes".to_owned(),
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        match self.complaint.recv_timeout(FAREWELL) {
            Ok(line) if !line.is_empty() => format!("{how}: {line}"),
            _ => how,
        }
    }

    /// Kills the group. The child is not waited for before, so that its number cannot be another's by now.
    fn kill(&mut self) {
        let group = self.child.id().cast_signed();
        if live().remove(&group) {
            let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // A healthy engine leaves by itself.
        let end = Instant::now() + FAREWELL;
        let leaves = live().contains(&self.child.id().cast_signed()) && self.say("quit").is_ok();
        while leaves && Instant::now() < end {
            if let Err(Silence::Ended) = self.hear(end.saturating_duration_since(Instant::now())) {
                break;
            }
        }
        self.kill();
        let _ = self.child.wait();
    }
}

/// Hands on every line until nobody listens, the output ends or a line is too long.
fn read(mut output: impl BufRead, lines: &SyncSender<Result<String, Silence>>) {
    loop {
        let mut line = Vec::new();
        let said = match output.by_ref().take(LONGEST_LINE + 1).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(length) if length as u64 > LONGEST_LINE => Err(Silence::TooLong),
            Ok(_) => Ok(String::from_utf8_lossy(&line).trim_end().to_owned()),
        };
        let is_last = said.is_err();
        if lines.send(said).is_err() || is_last {
            return;
        }
    }
}

/// The last line of all that comes, as far as it can be read.
fn last_line(mut output: impl BufRead) -> String {
    let mut last = String::new();
    loop {
        let mut line = Vec::new();
        match output.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return last,
            Ok(_) => {
                let line = String::from_utf8_lossy(&line);
                if !line.trim().is_empty() {
                    last = line.trim().chars().take(200).collect();
                }
            }
        }
    }
}

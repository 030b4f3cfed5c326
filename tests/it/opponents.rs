//! Programs that play in `arena` over UCI, well-behaved and not. Each of the latter is a shell script.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::binary::{Finished, finish, hippolyta};

/// What all scripts do but `think`, which is for being asked for a move.
const ENGINE: &str = r#"
echo $$ >> "$0.pids"
while read -r word rest; do
    case $word in
        uci) echo "id name Script"; echo uciok ;;
        isready) echo readyok ;;
        go) think ;;
        quit) exit 0 ;;
    esac
done
"#;

/// A folder with the script.
struct Script {
    folder: TempDir,
}

impl Script {
    fn new(think: &str) -> Script {
        Script::raw(&format!("think() {{\n{think}\n}}\n{ENGINE}"))
    }

    fn raw(text: &str) -> Script {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("engine.sh"), text).unwrap();
        Script { folder }
    }

    fn path(&self) -> String {
        self.folder.path().join("engine.sh").display().to_string()
    }

    /// Plays as B against random.
    fn play(&self, arguments: &str) -> Finished {
        let mut command = hippolyta("arena random");
        command.arg(format!("uci:sh '{}'", self.path()));
        command.args("--size 6 --games 4 --threads 1 --json".split(' ')).args(arguments.split_whitespace());
        finish(&mut command)
    }

    /// Plays and forfeits all games, for a reason that has all of `words`.
    #[track_caller]
    fn forfeits(&self, arguments: &str, words: &[&str]) {
        let finished = self.play(arguments);
        let report = finished.json();
        let figures = ["games", "wins_a", "forfeits_a", "forfeits_b"].map(|key| report[key].as_u64());
        assert_eq!(figures, [Some(4), Some(4), Some(0), Some(4)], "{report}");
        let told: Vec<&str> = finished.stderr.lines().filter(|line| line.contains("forfeit")).collect();
        assert_eq!(told.len(), 4, "{}", finished.stderr);
        for word in words.iter().chain(&["pair=2 game=1", "engine.sh"]) {
            assert!(told[2].contains(word), "no '{word}' in: {}", told[2]);
        }
        self.is_gone(4);
    }

    /// Asserts that so many processes were started and none lives.
    #[track_caller]
    fn is_gone(&self, started: usize) {
        let pids = fs::read_to_string(format!("{}.pids", self.path())).unwrap();
        assert_eq!(pids.lines().count(), started, "{pids}");
        for pid in pids.lines() {
            assert!(!lives(pid), "process {pid} lives");
        }
    }
}

/// Whether there is a process of this number that has not ended.
fn lives(pid: &str) -> bool {
    let status = fs::read_to_string(Path::new("/proc").join(pid).join("stat")).unwrap_or_default();
    status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

#[test]
fn one_that_hangs_forfeits() {
    Script::new("sleep 1000").forfeits("--ceiling-ms 300", &["no answer within 300 ms"]);
}

#[test]
fn one_that_crashes_forfeits() {
    Script::new("echo 'out of luck' >&2; exit 3").forfeits("", &["has ended: exit status: 3: out of luck"]);
    Script::new("kill -s SEGV $$").forfeits("", &["has ended: signal: 11"]);
}

#[test]
fn one_that_floods_forfeits() {
    Script::new("while :; do echo info depth 1; done").forfeits("", &["more than 100000 lines"]);
    Script::new("while :; do printf 'info string endless endless endless endless '; done")
        .forfeits("", &["a line of more than 65536 bytes"]);
}

#[test]
fn one_that_plays_what_is_no_move_forfeits() {
    Script::new("echo bestmove a1a9,a9a1").forfeits("", &["a1-a9/a1 is not legal"]);
    Script::new("echo bestmove b2-b2/b2").forfeits("", &["b2-b2/b2 is not legal"]);
    Script::new("echo bestmove Zug").forfeits("", &["'bestmove Zug'", "a move was expected"]);
    Script::new("echo info string no idea; echo 'bestmove (none)'").forfeits("", &["(none)", "no idea"]);
}

/// What comes late or twice is not taken for another answer, and empty and unknown lines are no harm.
#[test]
fn one_that_babbles_forfeits_by_its_move_alone() {
    Script::new("echo; echo readyok; echo uciok; echo hello; echo bestmove a1a1,a1a1")
        .forfeits("", &["a1-a1/a1 is not legal"]);
}

#[test]
fn one_that_is_no_engine_ends_the_match_at_once() {
    let silent = Script::raw("sleep 1000").play("--ceiling-ms 300");
    silent.fails(1, &["cannot seat", "engine.sh", "no answer within 300 ms"]);
    Script::raw("exit 1").play("").fails(1, &["cannot seat", "has ended: exit status: 1"]);
    let chess =
        "echo option name UCI_Variant type combo default chess var chess var ataxx; echo uciok; read -r l";
    Script::raw(chess).play("").fails(1, &["does not play amazons", "chess, ataxx"]);
    let missing = finish(&mut hippolyta("arena random uci:no-such-engine --size 6 --games 2"));
    missing.fails(1, &["cannot seat", "no-such-engine", "does not start", "No such file"]);
    for (command, words) in [("uci:", "a command"), ("uci: ", "a command"), ("uci:sh 'a", "quote")] {
        let finished = finish(hippolyta("arena random --size 6 --games 2").arg(command));
        assert_eq!(finished.code, Some(2));
        assert!(finished.stderr.contains(words), "{}", finished.stderr);
    }
}

#[test]
fn our_own_engine_plays_a_whole_match() {
    let engine = format!("uci:'{}' engine --protocol uci --level", env!("CARGO_BIN_EXE_hippolyta"));
    let mut command = hippolyta("arena --size 6 --games 6 --threads 2 --visits 40 --json");
    let report = finish(command.arg(format!("{engine} hard")).arg(format!("{engine} easy"))).json();
    assert_eq!((&report["forfeits_a"], &report["forfeits_b"]), (&0.into(), &0.into()));
    assert_eq!(report["games"], 6);
    assert!(report["wins_a"].as_u64() >= Some(4), "{report}");
}

/// The program lives in its own process group; it has to go when its match is interrupted, once or twice.
#[test]
fn interruptions_leave_no_process() {
    for signals in [1, 2] {
        let script = Script::new("sleep 1000");
        let mut command = hippolyta("arena random --size 6 --games 4 --threads 1 --ceiling-ms 60000");
        command.arg(format!("uci:sh '{}'", script.path()));
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let pids = format!("{}.pids", script.path());
        wait_until("the engine starts", || fs::read_to_string(&pids).is_ok_and(|text| text.ends_with('\n')));
        for _ in 0..signals {
            Command::new("kill").args(["-s", "INT", &child.id().to_string()]).status().unwrap();
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        let pid = fs::read_to_string(&pids).unwrap();
        wait_until("the engine is gone", || !lives(pid.trim()));
    }
}

#[track_caller]
fn wait_until(what: &str, done: impl Fn() -> bool) {
    let end = Instant::now() + Duration::from_mins(1);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

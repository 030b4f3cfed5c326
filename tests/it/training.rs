//! A whole run, small: generations of self-play, training and gate; killed, stopped and gone on with.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use hippolyta_model::ModelFile;
use hippolyta_run::{LocalStore, RunStore as _};
use serde_json::json;

use crate::binary::{finish, hippolyta, over_quick};

/// The quick configuration, made tiny: some seconds a generation in an unoptimised build.
const TINY: &str = "
run = { threads = 2, generations = 3, minutes = 0 }
network = { blocks = 1, channels = 16, pooled = [0], value_hidden = 16 }
selfplay = { games = 8, games_per_file = 2, searches = [
    { first = 1, full_visits = 8, full_considered = 2, quick_visits = 8, quick_considered = 2 }] }
train = { threads = 1, batch = 16, min_positions = 1, checkpoint_steps = 7, optimizer.warmup_steps = 5 }
gate = { first = 2, every = 1, terms = { max_games = 8, visits = 4 } }
rating = { every = 2, games = 4, informed_games = 12, visits = 4, classical_visits = 100 }
";

/// A file with the tiny configuration and differences from it, one key such as `rating.every = 1` a line.
fn tiny(folder: &Path, changes: &str) {
    fs::write(folder.join("small.toml"), over_quick(TINY)).unwrap();
    fs::write(folder.join("tiny.toml"), format!("base = \"small.toml\"\n{changes}")).unwrap();
}

/// A folder with the tiny configuration and a run to come.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

impl Place {
    fn new() -> Place {
        Place::with("")
    }

    /// The tiny configuration with differences.
    pub(crate) fn with(changes: &str) -> Place {
        let folder = tempfile::tempdir().unwrap();
        tiny(folder.path(), changes);
        Place { folder }
    }

    pub(crate) fn run(&self) -> PathBuf {
        self.folder.path().join("runs/tiny")
    }

    pub(crate) fn command(&self, arguments: &str) -> std::process::Command {
        let mut command = hippolyta(arguments);
        command.current_dir(self.folder.path()).env("OMP_NUM_THREADS", "1");
        command
    }

    /// Trains until the bounds are reached.
    pub(crate) fn train(&self, bounds: &str) {
        let finished = finish(&mut self.command(&format!("train tiny.toml {bounds}")));
        assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    }

    /// Starts the run, if it is not, and does these stages one by one.
    fn staged(&self, stages: &[&str]) {
        if !self.run().exists() {
            // The first call freezes the configuration and is stopped at once.
            self.killed_when(|run| files(run, "models/g000000") > 0);
        }
        for stage in stages {
            let finished = finish(&mut self.command(&format!("{stage} --run runs/tiny")));
            assert_eq!(finished.code, Some(0), "{stage}: {}", finished.stderr);
        }
    }

    /// Starts to train and kills it, without any warning, once `when` holds.
    fn killed_when(&self, when: impl Fn(&Path) -> bool) {
        let mut child: Child = self
            .command("train tiny.toml")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        let end = Instant::now() + Duration::from_mins(5);
        while !when(&self.run()) {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            assert!(Instant::now() < end, "what was waited for did not come");
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }

    fn store(&self) -> LocalStore {
        LocalStore::new(self.run())
    }

    /// Everything of the run that does not depend on time, by key.
    pub(crate) fn bytes(&self) -> BTreeMap<String, Vec<u8>> {
        let store = self.store();
        let keys = store.list("").unwrap().into_iter().map(|entry| entry.key);
        let timeless = keys.filter(|key| !TIMED.iter().any(|timed| key.starts_with(timed)));
        timeless.map(|key| (key.clone(), store.get(&key).unwrap().unwrap())).collect()
    }

    /// Asserts that the run is what [`Place::bytes`] gave of another.
    #[track_caller]
    pub(crate) fn holds(&self, expected: &BTreeMap<String, Vec<u8>>) {
        let bytes = self.bytes();
        assert_eq!(bytes.keys().collect::<Vec<_>>(), expected.keys().collect::<Vec<_>>());
        for (key, expected) in expected {
            assert!(bytes[key] == *expected, "{key} differs");
        }
    }

    /// Makes the run what [`Place::bytes`] gave of another.
    pub(crate) fn turn_into(&self, bytes: &BTreeMap<String, Vec<u8>>) {
        let _ = fs::remove_dir_all(self.run());
        for (key, bytes) in bytes {
            self.store().replace(key, bytes).unwrap();
        }
    }
}

/// What the keys begin with of all that depends on time.
const TIMED: [&str; 5] = ["clock.json", "timings.jsonl", "tensorboard/", "lock", "report.html"];

/// The number of the run's files whose keys begin with `prefix`.
fn files(run: &Path, prefix: &str) -> usize {
    LocalStore::new(run).list(prefix).map_or(0, |entries| entries.len())
}

/// A learning rate far too high makes a network of wild logits, which bytes cannot follow.
#[test]
fn a_network_that_int8_would_change_plays_in_bf16() {
    let place = Place::with("train.optimizer.learning_rate = 10.0");
    let finished = finish(&mut place.command("train tiny.toml --generations 2"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let warning = "generation 1: int8 is too far from f32";
    assert!(finished.stderr.contains(warning), "{}", finished.stderr);
    let evaluated = |options: &str| {
        let mut command = place.command("evaluate runs/tiny/candidates/g000001.safetensors --json --fen");
        finish(command.arg("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w").args(options.split_whitespace())).json()
    };
    let (chosen, bf16) = (evaluated(""), evaluated("--precision bf16"));
    assert_eq!((&chosen["precision"], &chosen), (&"bf16".into(), &bf16));
    assert_ne!(chosen["positions"], evaluated("--precision int8")["positions"]);
}

#[test]
fn a_run_that_is_killed_ends_with_the_bytes_of_one_that_is_not() {
    let straight = Place::new();
    let finished = finish(&mut straight.command("train tiny.toml"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    let champion =
        finished.stdout.lines().find_map(|line| line.strip_prefix("champion: ")).expect("it names one");
    assert!(straight.folder.path().join(champion).is_file(), "{champion}");
    for opponent in ["easy", "medium", "hard", "classical"] {
        assert!(finished.stdout.contains(&format!("{opponent} ")), "{}", finished.stdout);
    }
    // Once more is no work.
    let before = straight.bytes();
    straight.train("");
    straight.holds(&before);

    let killed = Place::new();
    // Each of these stays true once it is: a short-lived state could be missed.
    for (prefix, count) in [
        ("games/", 1),
        ("games/g000001/", 2),
        ("checkpoints/", 1),
        ("candidates/g000001.safetensors", 1),
        ("candidates/g000001.json", 1),
        ("models/g000001", 1),
        ("manifests/g000001", 1),
        ("metrics.jsonl", 1),
        ("games/g000002/", 4),
        ("candidates/g000002", 1),
        ("gates/g000002", 1),
        ("ratings/g000002", 1),
        ("manifests/g000003", 1),
        ("end/g000003-rating", 1),
    ] {
        killed.killed_when(|run| files(run, prefix) >= count);
    }
    let finished = finish(&mut killed.command("train tiny.toml"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    killed.holds(&before);
}

/// The end of a run is a step of its own: it alters nothing that was made before, and a run that goes on later does so
/// as if it had not ended.
#[test]
fn an_end_alters_nothing() {
    // A match of one pair decides nothing: the candidate of generation 1, which becomes champion without a match and is
    // rated, loses the match of the end.
    let config = "gate.terms.max_games = 2\nrating.every = 1";
    let known = Place::with(config);
    known.train("--generations 1");
    let ended = known.bytes();
    for key in
        ["end/g000001.json", "end/g000001-gate.json", "models/g000001.safetensors", "ratings/g000001.json"]
    {
        assert!(ended.contains_key(key), "{key}");
    }
    let status = finish(&mut known.command("status --run runs/tiny --json")).json();
    assert_eq!(status["champion"], "runs/tiny/models/g000000.safetensors");

    // Nobody knew that it would be the last: the same end, and the games of the next generation stay.
    let turned_out = Place::with(config);
    turned_out.staged(&["selfplay", "learn", "gate", "selfplay"]);
    // One whose games are all played would be finished.
    let last = turned_out.store().list("games/g000002/").unwrap().pop().unwrap();
    turned_out.store().remove(&last.key).unwrap();
    turned_out.train("--generations 1");
    let mut bytes = turned_out.bytes();
    bytes.retain(|key, _| !key.starts_with("games/g000002"));
    assert!(bytes == ended);

    // Even without time a generation is finished when its games are all played.
    let timeless = Place::with(config);
    timeless.killed_when(|run| files(run, "candidates/g000001") > 0);
    timeless.train("--minutes 0.001");
    timeless.holds(&ended);

    // What goes on after its end is what it would be without one.
    let straight = Place::with(config);
    straight.train("--generations 2");
    let mut expected = straight.bytes();
    expected.extend(ended.into_iter().filter(|(key, _)| key.starts_with("end/")));
    for place in [&known, &turned_out] {
        place.train("--generations 2");
        place.holds(&expected);
    }

    // Fewer generations than there are end no other than the last.
    known.train("--generations 1");
    known.holds(&expected);
}

#[test]
fn boards_change_within_a_run() {
    let config = "gate.first = 1\nrating.every = 1
        selfplay.boards = [{ size = 6, weight = 1.0, last = 1 }, { size = 8, weight = 1.0, first = 2 }]";
    let place = Place::with(config);
    place.train("--generations 2");
    let json = |name: &str| -> serde_json::Value {
        serde_json::from_slice(&fs::read(place.run().join(name)).unwrap()).unwrap()
    };
    for (generation, ranks, played, known) in [(1, 6, "6x6", "6x6"), (2, 8, "8x8", "6x6, 8x8")] {
        let first = &place.store().list(&format!("games/g{generation:06}/")).unwrap()[0].key;
        let games = format!("convert runs/tiny/{first} --to text");
        let text = finish(&mut place.command(&games)).stdout;
        let starts: Vec<&str> = text.lines().filter(|line| line.starts_with("start ")).collect();
        assert!(!starts.is_empty() && starts.iter().all(|fen| fen.split('/').count() == ranks), "{starts:?}");
        assert_eq!(json(&format!("gates/g{generation:06}.json"))["boards"], json!([played]));
        assert_eq!(json(&format!("ratings/g{generation:06}.json"))["boards"], json!(["8x8"]));
        let candidate =
            fs::read(place.run().join(format!("candidates/g{generation:06}.safetensors"))).unwrap();
        let history = ModelFile::from_bytes(&candidate).unwrap().history;
        assert_eq!(history["boards"], known);
    }
    // Nothing of the change is kept but in files.
    let killed = Place::with(config);
    killed.killed_when(|run| files(run, "games/g000002/") >= 2);
    killed.train("--generations 2");
    killed.holds(&place.bytes());
}

#[test]
fn a_run_goes_on_where_nobody_reads_its_outputs() {
    // As 'train | head -1', and with warnings that stderr does not take.
    let place = Place::with("train.optimizer.learning_rate = 1.0");
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let full = fs::File::create("/dev/full").unwrap();
    let mut train = place.command("train tiny.toml --generations 2");
    assert_eq!(train.stdout(writer).stderr(full).status().unwrap().code(), Some(0));
    let rows = fs::read_to_string(place.run().join("metrics.jsonl")).unwrap();
    assert_eq!(rows.lines().count(), 2);
}

#[test]
fn a_second_interrupt_ends_a_training_at_once() {
    for _ in 0..3 {
        // So many steps that the training lasts. Games that are there already would not say that it has begun to watch
        // for interrupts.
        let place = Place::with("train.passes = 10000.0\ntrain.checkpoint_steps = 100000");
        let mut child =
            place.command("train tiny.toml").stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        while files(&place.run(), "games/g000001") < 4 {
            thread::sleep(Duration::from_millis(1));
        }
        let id = child.id().to_string();
        let interrupt = || std::process::Command::new("kill").args(["-INT", &id]).status();
        while interrupt().unwrap().success() && child.try_wait().unwrap().is_none() {
            thread::sleep(Duration::from_millis(20));
        }
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn stages_one_by_one_make_the_same_run() {
    let whole = Place::new();
    whole.train("--generations 1");
    let staged = Place::new();
    staged.staged(&[]);
    finish(&mut staged.command("learn --run runs/tiny"))
        .fails(1, &["waits for selfplay", "hippolyta selfplay --run"]);
    staged.staged(&["selfplay", "learn", "gate"]);
    // By itself the gate knows the bounds of the frozen configuration only, in which generation 1 is not the last.
    assert_eq!(files(&staged.run(), "end/"), 0);
    staged.train("--generations 1");
    staged.holds(&whole.bytes());
}

#[test]
fn a_run_is_looked_at_stopped_and_guarded() {
    // So many games that the first generation lasts.
    let config = "selfplay.games = 100000";
    let place = Place::with(config);
    finish(&mut place.command("status --run runs/tiny")).fails(1, &["runs/tiny is no run directory"]);
    let mut child = place
        .command("train tiny.toml")
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    while files(&place.run(), "games/g000001/") == 0 {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first games");
        thread::sleep(Duration::from_millis(1));
    }
    // A second process is refused, looking is allowed.
    finish(&mut place.command("train tiny.toml")).fails(1, &["another process is at work on runs/tiny"]);
    let status = finish(&mut place.command("status --run runs/tiny --json")).json();
    assert_eq!((&status["running"], &status["generation"]), (&true.into(), &0.into()));
    // Ctrl-C.
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
    let output = child.wait_with_output().unwrap();
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(stderr.lines().last().is_some_and(|line| line.contains("the same command goes on")), "{stderr}");
    // Another configuration is refused, naming what differs.
    let other = "base = \"tiny.toml\"\nsearch.c_scale = 0.25";
    fs::write(place.folder.path().join("other.toml"), other).unwrap();
    finish(&mut place.command("train other.toml --run runs/tiny"))
        .fails(2, &["search.c_scale = 0.5 there and 0.25 here", "--run"]);
    let status = finish(&mut place.command("status --run runs/tiny --json")).json();
    assert_eq!(status["running"], false);
}

#[test]
fn the_champion_plays() {
    let place = Place::new();
    place.train("--generations 1");
    let status = finish(&mut place.command("status --run runs/tiny --json")).json();
    let champion = status["champion"].as_str().unwrap();
    let report =
        finish(&mut place.command(&format!("arena {champion} random --size 6 --games 4 --visits 4 --json")))
            .json();
    assert_eq!((&report["a"], &report["games"]), (&champion.into(), &4.into()));
    assert_eq!((&report["forfeits_a"], &report["forfeits_b"]), (&0.into(), &0.into()));
    let exported = finish(&mut place.command(&format!("export {champion} --to out")));
    assert_eq!(exported.code, Some(0), "{}", exported.stderr);
    let copy = place.folder.path().join("out").join(Path::new(champion).file_name().unwrap());
    assert_eq!(fs::read(copy).unwrap(), fs::read(place.folder.path().join(champion)).unwrap());
}

//! Damaged runs: each damage is named, or repaired with a word and without a difference.

use std::collections::BTreeMap;

use hippolyta_run::{LocalStore, RunStore};

use crate::binary::finish;
use crate::training::Place;

type Bytes = BTreeMap<String, Vec<u8>>;

/// What has to come of a damage.
enum Outcome {
    /// The run goes on to the bytes of an undamaged one, and stderr holds these words.
    Repaired(&'static str),
    /// `train` fails with code 1 or 2, and stderr holds these words.
    Named(&'static [&'static str]),
}

use Outcome::{Named, Repaired};

/// The first key with a prefix.
fn first(run: &Bytes, prefix: &str) -> String {
    run.keys().find(|key| key.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix}")).clone()
}

/// Replaces a piece of a file by another.
fn edit(run: &mut Bytes, key: &str, from: &str, to: &str) {
    let bytes = run.get_mut(key).unwrap();
    let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
    bytes.splice(at..at + from.len(), to.bytes());
}

type Spoil = fn(&mut Bytes);

/// Every way to spoil a run of two generations, by name.
#[rustfmt::skip]
const DAMAGES: [(&str, Spoil, Outcome); 24] = [
    ("a line lost from the rows", |run| {
        let rows = String::from_utf8(run["metrics.jsonl"].clone()).unwrap();
        run.insert("metrics.jsonl".to_owned(), format!("{}\n", rows.lines().last().unwrap()).into_bytes());
    }, Repaired("metrics.jsonl did not fit")),
    ("the rows lost", |run| drop(run.remove("metrics.jsonl")), Repaired("")),
    ("a record file missing", |run| { let key = first(run, "games/g000001/"); run.remove(&key); },
        Repaired("its games are played again")),
    ("a record file empty", |run| { let key = first(run, "games/g000001/"); run.insert(key, Vec::new()); },
        Repaired("its games are played again")),
    ("a record file of another generation", |run| {
        let (to, from) = (first(run, "games/g000001/"), first(run, "games/g000002/"));
        let other = run[&from].clone();
        run.insert(to, other);
    }, Repaired("its games are played again")),
    ("checkpoints gone", |run| run.retain(|key, _| !key.starts_with("checkpoints/")),
        Repaired("generations 1 to 2 are trained again")),
    ("the newest checkpoint gone", |run| { let key = last(run, "checkpoints/"); run.remove(&key); },
        Repaired("generations 2 to 2 are trained again")),
    ("an older checkpoint in the newest's place", |run| {
        let (newest, older) = (last(run, "checkpoints/"), first(run, "checkpoints/"));
        let other = run[&older].clone();
        run.insert(newest, other);
    }, Repaired("is not the checkpoint that manifests/g000002.json names")),
    ("a digit of a checkpoint changed", |run| {
        let key = last(run, "checkpoints/");
        edit(run, &key, "\\\"step\\\":", "\\\"step\\\":1");
    }, Repaired("is not the checkpoint that manifests/g000002.json names")),
    ("the gate's report missing", |run| drop(run.remove("gates/g000002.json")), Named(&["gates/g000002.json is missing"])),
    ("the gate's verdict edited", |run| {
        let is_accepted = String::from_utf8_lossy(&run["gates/g000002.json"]).contains("\"accepted\": true");
        let (from, to) = if is_accepted { ("true", "false") } else { ("false", "true") };
        edit(run, "gates/g000002.json", &format!("\"accepted\": {from}"), &format!("\"accepted\": {to}"));
    }, Named(&["gates/g000002.json is not the file that manifests/g000002.json names"])),
    ("the rating's report missing", |run| drop(run.remove("ratings/g000002.json")),
        Named(&["ratings/g000002.json is missing"])),
    ("another report in the rating's place", |run| {
        let other = run["gates/g000002.json"].clone();
        run.insert("ratings/g000002.json".to_owned(), other);
    }, Named(&["ratings/g000002.json is not the file"])),
    ("a candidate replaced", |run| {
        let other = run["candidates/g000002.safetensors"].clone();
        run.insert("candidates/g000001.safetensors".to_owned(), other);
    }, Repaired("it was made anew from models/g000001.safetensors")),
    ("a champion replaced", |run| {
        let other = run["candidates/g000002.safetensors"].clone();
        run.insert("models/g000001.safetensors".to_owned(), other);
    }, Repaired("it was made anew from candidates/g000001.safetensors")),
    ("champion and candidate missing", |run| {
        run.remove("models/g000001.safetensors");
        run.remove("candidates/g000001.safetensors");
    }, Named(&["g000001.safetensors is missing"])),
    ("the first network missing", |run| drop(run.remove("models/g000000.safetensors")),
        Named(&["models/g000000.safetensors is missing"])),
    ("the frozen configuration missing", |run| drop(run.remove("config.toml")), Named(&["config.toml is missing"])),
    ("the frozen configuration edited", |run| edit(run, "config.toml", "games_per_file = 2", "games_per_file = 3"),
        Named(&["config.toml does not belong to this run: it was changed after generation 2"])),
    ("the frozen configuration garbled", |run| edit(run, "config.toml", "games_per_file = 2", "gmaes_per_file = 2"),
        Named(&["config.toml"])),
    ("a digit of a loss changed", |run| edit(run, "manifests/g000001.json", "\"policy\": ", "\"policy\": 1"),
        Named(&["manifests/g000001.json is damaged or was edited"])),
    ("a manifest missing", |run| drop(run.remove("manifests/g000001.json")),
        Named(&["manifests/g000001.json is missing"])),
    ("a manifest of another generation", |run| {
        let other = run["manifests/g000001.json"].clone();
        run.insert("manifests/g000002.json".to_owned(), other);
    }, Named(&["manifests/g000002.json does not belong to this run"])),
    ("the newest manifest missing", |run| drop(run.remove("manifests/g000002.json")), Repaired("")),
];

/// The last key with a prefix.
fn last(run: &Bytes, prefix: &str) -> String {
    run.keys().rfind(|key| key.starts_with(prefix)).unwrap_or_else(|| panic!("no {prefix}")).clone()
}

#[test]
fn every_damage_is_named_or_repaired() {
    // Every candidate becomes champion, so that nothing depends on how a match of a few games ends; the match of
    // generation 2 has too few games for that.
    let place = Place::with("rating.every = 2\nselfplay.games = 4");
    place.train("--generations 2");
    let mut good = place.bytes();
    good.retain(|key, _| !key.starts_with("end/"));
    place.turn_into(&good);
    place.train("--generations 3");
    let expected = place.bytes();
    for (name, spoil, outcome) in DAMAGES {
        let mut spoilt = good.clone();
        spoil(&mut spoilt);
        assert!(spoilt != good, "{name}: nothing is spoilt");
        place.turn_into(&spoilt);
        let doctor = finish(&mut place.command("doctor --run runs/tiny"));
        let finished = finish(&mut place.command("train tiny.toml --generations 3"));
        match outcome {
            Repaired(words) => {
                assert_eq!(finished.code, Some(0), "{name}: {}", finished.stderr);
                assert!(finished.stderr.contains(words), "{name}: {}", finished.stderr);
                place.holds(&expected);
            }
            Named(words) => {
                assert!(matches!(finished.code, Some(1 | 2)), "{name}: {}", finished.stderr);
                for word in words {
                    assert!(finished.stderr.contains(word), "{name}: {}", finished.stderr);
                }
                assert_eq!(doctor.code, Some(1), "{name}: {}", doctor.stdout);
                assert!(doctor.stdout.contains(words[0]), "{name}: {}", doctor.stdout);
                // Nothing was made or lost.
                let after = place.bytes();
                assert!(spoilt.iter().all(|(key, bytes)| after.get(key) == Some(bytes)), "{name}");
            }
        }
    }
    place.turn_into(&expected);
    let doctor = finish(&mut place.command("doctor --run runs/tiny"));
    assert!(doctor.stdout.contains("all are what the run made"), "{}", doctor.stdout);
}

/// Damage within the generation that is being made, which no manifest names yet.
#[test]
fn damage_in_an_unfinished_generation_is_named_or_repaired() {
    let place = Place::with("gate.first = 1\nselfplay.games = 4");
    place.train("--generations 1");
    let expected = place.bytes();
    let unfinished = |spoil: &dyn Fn(&LocalStore)| {
        let mut bytes = expected.clone();
        bytes.retain(|key, _| !["end/", "manifests/", "metrics"].iter().any(|made| key.starts_with(made)));
        place.turn_into(&bytes);
        spoil(&LocalStore::new(place.run()));
        finish(&mut place.command("train tiny.toml --generations 1"))
    };
    let candidate = "candidates/g000001.safetensors";
    assert_eq!(unfinished(&|_| ()).code, Some(0));
    place.holds(&expected);
    assert_eq!(unfinished(&|store| store.remove(candidate).unwrap()).code, Some(0));
    place.holds(&expected);
    let replaced = unfinished(&|store| {
        let other = store.get("models/g000000.safetensors").unwrap().unwrap();
        store.replace(candidate, &other).unwrap();
    });
    let words = "candidates/g000001.safetensors is not the file that candidates/g000001.json names";
    assert!(replaced.code == Some(1) && replaced.stderr.contains(words), "{}", replaced.stderr);
    let gate = "gates/g000001.json";
    let edited = unfinished(&|store| {
        let text = String::from_utf8(store.get(gate).unwrap().unwrap()).unwrap();
        store.replace(gate, text.replace("\"seed\": ", "\"seed\": 1").as_bytes()).unwrap();
    });
    let words = "gates/g000001.json is damaged or was edited";
    assert!(edited.code == Some(1) && edited.stderr.contains(words), "{}", edited.stderr);
}

#[test]
fn a_run_can_begin_with_the_network_of_another() {
    let first = Place::with("selfplay.games = 4");
    first.train("--generations 1");
    let model = first.run().join("candidates/g000001.safetensors");
    let second = Place::with("selfplay.games = 4\nrun.seed = 2");
    let init = format!("--init {}", model.display());
    second.train(&format!("--generations 1 {init}"));
    let begun = std::fs::read(second.run().join("models/g000000.safetensors")).unwrap();
    assert_eq!(begun, std::fs::read(&model).unwrap());
    // It goes on without the network at hand, and not with another.
    second.train("--generations 2");
    let other =
        format!("train tiny.toml --init {}", first.run().join("models/g000000.safetensors").display());
    finish(&mut second.command(&other)).fails(2, &["run.init = "]);
    let wider = Place::with("network.channels = 32");
    finish(&mut wider.command(&format!("train tiny.toml {init}")))
        .fails(2, &["network.channels = 16 in the model and 32 in the configuration"]);
}

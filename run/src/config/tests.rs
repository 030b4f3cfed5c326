#![expect(clippy::float_cmp, reason = "values are read and not computed")]

use std::fs;

use hippolyta_model::Head;

use super::*;

/// The configuration of the quick run, with the text that makes it.
const QUICK: &str = include_str!("../../../configs/quick.toml");

#[track_caller]
fn refused(changes: &str, words: &[&str]) {
    let message = RunConfig::over_base(changes).unwrap_err();
    for word in words {
        assert!(message.contains(word), "no '{word}' in: {message}");
    }
    assert_eq!(message.lines().count(), 1, "{message}");
}

#[test]
fn every_shipped_configuration_is_good_and_the_base_has_every_key() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../configs");
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let resolved = RunConfig::read(&path).unwrap();
        // What a run keeps gives the same configuration, with no key to be added.
        let frozen = RunConfig::over_base(&resolved.text()).unwrap();
        assert_eq!((&frozen.table, frozen.added), (&resolved.table, Vec::new()), "{}", path.display());
    }
}

#[test]
fn differences_are_put_into_the_base() {
    let resolved = RunConfig::over_base("selfplay.games = 8\n[train.loss]\nmargin = 0.5").unwrap();
    let base = RunConfig::over_base("").unwrap();
    assert_eq!((resolved.config.selfplay.games, resolved.config.train.loss.weights["margin"]), (8, 0.5));
    assert_eq!(resolved.config.train.loss.weight(Head::Value), base.config.train.loss.weight(Head::Value));
    assert_eq!(resolved.config.search, base.config.search);
    // An array replaces the base's.
    let boards = RunConfig::over_base("selfplay.boards = [{ size = 8, weight = 1.0 }]").unwrap();
    assert_eq!(boards.config.selfplay.boards.0.len(), 1);
    // Nothing is bounded by the base.
    assert_eq!((base.config.run.most_generations(), base.config.run.most_minutes()), (None, None));
    let quick = RunConfig::over_base(QUICK).unwrap().config.run;
    assert_eq!((quick.most_generations(), quick.most_minutes()), (Some(38), Some(10.0)));
}

#[test]
fn a_frozen_configuration_from_before_a_key_says_what_was_added() {
    let mut table = RunConfig::over_base(QUICK).unwrap().table;
    for (section, key) in [("run", "init"), ("rating", "every")] {
        table[section].as_table_mut().unwrap().remove(key);
    }
    table.remove("search");
    let resolved = RunConfig::over_base(&toml::to_string(&table).unwrap()).unwrap();
    assert_eq!(resolved.config.rating.every, RunConfig::over_base("").unwrap().config.rating.every);
    assert_eq!(resolved.added.first().map(String::as_str), Some("rating.every"));
    assert!(resolved.added.contains(&"run.init".to_owned()), "{:?}", resolved.added);
    assert!(resolved.added.contains(&"search.endgame_nodes".to_owned()), "{:?}", resolved.added);
}

#[test]
fn files_name_their_base() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
    let read = |name: &str| RunConfig::read(&folder.path().join(name));
    let refused = |name: &str, words: &[&str]| {
        let message = read(name).unwrap_err().to_string();
        for word in words {
            assert!(message.contains(word), "no '{word}' in: {message}");
        }
    };
    write("base.toml", BASE);
    write("middle.toml", "base = \"base.toml\"\n[selfplay]\ngames = 7\ngames_per_file = 3\n");
    write("top.toml", "base = \"middle.toml\"\n[selfplay]\ngames = 9\n");
    let config = read("top.toml").unwrap().config;
    assert_eq!((config.selfplay.games, config.selfplay.games_per_file), (9, 3));

    write("middle.toml", "base = \"base.toml\"\n[selfplay]\n\ngmaes = 7\n");
    refused("top.toml", &["top.toml, line 4 of its base", "middle.toml ('gmaes = 7')", "`gmaes`"]);
    write("top.toml", "base = \"nowhere.toml\"\n");
    refused("top.toml", &["top.toml: the base of", "nowhere.toml, cannot be read"]);
    write("top.toml", "base = 3\n");
    refused("top.toml", &["base = 3"]);
    write("top.toml", "base = \"top.toml\"\n");
    refused("top.toml", &["its bases go on"]);
    write("top.toml", "[run\n");
    refused("top.toml", &["top.toml, line 1"]);
    // Without a base a file has to be whole.
    write("top.toml", &BASE.replace("features = 1\n", ""));
    refused("top.toml", &["missing field `features`"]);
    refused("missing.toml", &["missing.toml cannot be read"]);
}

#[test]
fn errors_name_line_key_and_value() {
    refused("[run]\nthread = 0", &["line 2 ", "'thread = 0'", "unknown field `thread`"]);
    refused("[selfplay]\ngames = \"many\"", &["'games = \"many\"'", "invalid type"]);
    refused("[selfplay]\ngames = 0", &["selfplay.games = 0"]);
    refused("run.threads = 1000000", &["run.threads = 1000000", "1024"]);
    let most = i64::MAX - 1;
    for key in ["rating.games", "rating.informed_games", "gate.terms.max_games"] {
        refused(&format!("{key} = {most}"), &[&most.to_string()]);
    }
    refused("selfplay.boards = [{ size = 6, until = 3, weight = 1.0 }]", &["`until`"]);
    refused(
        "run.generations = 38\nselfplay.boards = [{ size = 8, weight = 1.0, first = 39 }, { size = 6, weight = 1.0 }]",
        &["selfplay.boards.first = 39: must be at most run.generations = 38"],
    );
    refused("network.channels = 40", &["network.channels = 40"]);
    refused("search.c_scale = -1.0", &["search.c_scale = -1"]);
    refused("train.batch = 1", &["train.batch = 1"]);
    refused("gate.terms.max_games = 3", &["gate.terms.max_games = 3"]);
    refused("rating.informed_games = 3", &["rating.informed_games = 3"]);
    refused("rating.classical_visits = 0", &["rating.classical_visits = 0"]);
    for key in ["gate.terms.visits", "rating.visits", "rating.classical_visits"] {
        let changed = format!("{key} = 4294967296");
        refused(&changed, &[&format!("{changed}: must be from 1 to 4294967295")]);
    }
    for section in ["gate.terms", "rating", "selfplay"] {
        let changed = format!("{section}.opening_plies = 92");
        refused(&changed, &[&changed]);
    }
    refused("run.minutes = -1", &["run.minutes = -1"]);
    refused("run.evaluator = \"gpu\"", &["gpu"]);
    refused("run.init = \"abc\"", &["run.init = \"abc\""]);
    refused("[ratings]\nevery = 2", &["`ratings`"]);
}

#[test]
fn configurations_differ_in_what_shapes_a_run() {
    let table = |changes: &str| RunConfig::over_base(changes).unwrap().table;
    let difference = |frozen: &str, given: &str| first_difference(&table(frozen), &table(given));
    assert_eq!(difference("", ""), None);
    assert_eq!(difference("", "run.generations = 3"), None);
    let words = difference("selfplay.games = 1000", "selfplay.games = 100");
    assert_eq!(words.as_deref(), Some("selfplay.games = 1000 there and 100 here"));
    assert_eq!(difference("search.c_visit = 50.0", "search.c_visit = 50"), None);
    let boards = |more: &str| format!("selfplay.boards = [{more}{{ size = 6, weight = 1.0 }}]");
    let words = difference(&boards("{ size = 8, weight = 2.0 }, "), &boards("{ size = 8, weight = 3 }, "));
    assert_eq!(words.as_deref(), Some("selfplay.boards[0].weight = 2.0 there and 3 here"));
    let words = difference("", &boards("{ size = 8, weight = 1.0, last = 1 }, "));
    assert!(words.is_some_and(|words| words.starts_with("selfplay.boards = [{")));
    let mut shorter = table("");
    shorter["train"]["optimizer"].as_table_mut().unwrap().remove("beta1");
    let words = first_difference(&table(""), &shorter);
    assert_eq!(words.as_deref(), Some("train.optimizer.beta1 is set there only"));
}

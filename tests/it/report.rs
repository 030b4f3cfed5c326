//! The page about a run, made by the real binary from a run whose games it played itself.

use std::fs;
use std::path::Path;

use hippolyta_run::manifest::{FileRef, GateOutcome, Gated, Learned, Manifest, ModelRef, Rated, RecordRef};
use hippolyta_run::sealed::{seal, sha256};
use hippolyta_run::{LocalStore, RunStore as _, keys};
use hippolyta_selfplay::GenerationStats;
use serde_json::{Value, json};

use crate::binary::{finish, hippolyta};

/// A run after the self-play of its first generation.
fn young_run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // A frozen configuration needs no more than what differs from the base. The comment is what a page must not take
    // for markup.
    let config = "# </script><script>alert(1)</script> &amp;
        network = { blocks = 1, channels = 16, pooled = [0] }
        selfplay = { games = 4, games_per_file = 2, searches = [
            { first = 1, full_visits = 4, full_considered = 2, quick_visits = 2, quick_considered = 2 }] }";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let played = finish(hippolyta("selfplay --run").arg(folder.path()));
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    folder
}

/// Writes down two finished generations, as training would.
fn finish_generations(run: &Path) {
    let store = LocalStore::new(run);
    let put = |key: String, bytes: &[u8]| {
        store.put_new(&key, bytes).unwrap();
        FileRef { size: bytes.len() as u64, sha256: sha256(bytes), key }
    };
    let existing = |key: &str| {
        let bytes = store.get(key).unwrap().unwrap();
        FileRef { key: key.to_owned(), size: bytes.len() as u64, sha256: sha256(&bytes) }
    };
    let gate = json!({
        "candidate": "g000002", "champion": "g000000", "accepted": true, "pairs": [1, 1, 8], "score": 0.85,
        "elo": 301.0, "elo_interval": [150.0, 500.0],
        "sprt": {"llr": 2.97, "lower": -2.94, "upper": 2.94, "verdict": "passed"},
        "forfeits_candidate": 0, "forfeits_champion": 0, "boards": ["6x6"], "seed": 5,
        "config": {
            "max_games": 20, "opening_plies": 2, "visits": 4,
            "sprt": {"model": "normalized", "elo0": -20.0, "elo1": 60.0, "alpha": 0.05, "beta": 0.05}
        }
    });
    let rating = json!({"champion": 2, "generation": 2, "boards": ["6x6"],
        "pairs": {"hard": [3, 10, 7], "classical": [20, 0, 0], "g000001": [1, 0, 2]}});
    let gate = put(keys::gate(2), &seal(&gate));
    let rating = put(keys::rating(2), &seal(&rating));
    let timing = |generation: u32| json!({"generation": generation, "selfplay": 2.0, "learn": 3.5, "gate": 0.5, "rating": 0.25});
    let timings = [timing(1), timing(2)].map(|value| value.to_string()).join("\n");
    fs::write(run.join("timings.jsonl"), timings).unwrap();
    let first = ModelRef { generation: 0, hash: "0".repeat(64), file: existing(&keys::model(0)) };
    let games = store.list("games/").unwrap();
    let (mut previous, stats) = (
        None,
        GenerationStats {
            games: 4,
            positions: 40,
            mean_plies: 20.0,
            first_player_wins: 0.5,
            ended_by_verdict: 0.5,
            mean_plies_saved: 1.0,
            mean_surprise: 0.25,
            evaluations: 100,
            visits: 200,
        },
    );
    for (generation, policy, (gate, outcome)) in
        [(1, 2.271_052, (None, GateOutcome::Unplayed)), (2, 2.125_437, (Some(gate), GateOutcome::Accepted))]
    {
        let model = ModelRef { generation, ..first.clone() };
        let is_played = gate.is_some();
        let manifest = Manifest {
            format: 1,
            generation,
            config: sha256(&fs::read(run.join("config.toml")).unwrap()),
            previous,
            player: first.clone(),
            stats,
            games: 4 * u64::from(generation),
            positions: 40 * u64::from(generation),
            records: vec![RecordRef { file: existing(&games[0].key), games: 2, positions: 20 }],
            learned: Learned {
                generation,
                steps: 7 * u64::from(generation),
                losses: [("policy".to_owned(), policy), ("value".to_owned(), 0.625)].into(),
                checkpoint: first.file.clone(),
                candidate: model.clone(),
            },
            gated: Gated {
                outcome,
                score: is_played.then_some(0.85),
                games: if is_played { 20 } else { 0 },
                report: gate,
                champion: model.clone(),
                proven: if is_played { model } else { first.clone() },
            },
            rated: Rated {
                report: is_played.then(|| rating.clone()),
                scores: [].into(),
                elo: Some(73.5),
                elo_interval: Some([-36.25, 183.5]),
            },
        };
        let bytes = seal(&manifest);
        previous = Some(sha256(&bytes));
        put(keys::manifest(generation), &bytes);
    }
}

/// Makes the page and gives its text and the report in it.
#[track_caller]
fn report(run: &Path) -> (String, Value) {
    let finished = finish(hippolyta("report --run").arg(run));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(finished.stdout.trim_end(), run.join("report.html").display().to_string());
    let page = fs::read_to_string(run.join("report.html")).unwrap();
    let (_, from_data) = page.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    let data = serde_json::from_str(from_data.split_once("</script>").unwrap().0).unwrap();
    (page, data)
}

/// Whether every element of the page that is opened is closed, in order; what stands in scripts and styles is text.
#[track_caller]
fn check_well_formed(page: &str) {
    let mut open: Vec<&str> = Vec::new();
    let mut rest = page.strip_prefix("<!doctype html>").expect("the page says that it is HTML");
    while let Some((_, from)) = rest.split_once('<') {
        let (tag, after) = from.split_once('>').expect("a tag ends");
        let name = tag.split_whitespace().next().unwrap();
        rest = after;
        if let Some(closed) = name.strip_prefix('/') {
            assert_eq!(open.pop(), Some(closed));
        } else if name != "meta" {
            open.push(name);
        }
        if ["script", "style"].contains(&name) {
            rest = &after[after.find(&format!("</{name}")).expect("it ends")..];
        }
    }
    assert_eq!(open, Vec::<&str>::new());
}

#[test]
fn a_page_holds_what_the_run_wrote_down() {
    let folder = young_run();
    finish_generations(folder.path());
    let ladder = json!({"games": 4, "players": [{"name": "hard", "elo": 0.0, "elo_interval": [0.0, 0.0],
        "games": 4, "score": 0.5, "forfeits": 0}]});
    fs::write(folder.path().join("ladder.json"), ladder.to_string()).unwrap();
    let (page, data) = report(folder.path());

    let generations = data["generations"].as_array().unwrap();
    assert_eq!(generations.len(), 2);
    for (generation, number) in generations.iter().zip(1..) {
        let expected =
            json!({"generation": number, "games": 4 * number, "steps": 7 * number, "rating": 73.5});
        for (key, value) in expected.as_object().unwrap() {
            assert_eq!(&generation[key], value, "{key}");
        }
        assert_eq!(generation["games_per_second"], 2.0);
        assert_eq!(generation["positions_per_second"], 20.0);
        assert_eq!(generation["steps_per_second"], 2.0);
    }
    assert_eq!(generations[1]["elapsed"], 12.5);
    assert_eq!(data["champion"], "g000002");
    assert_eq!(data["gates"][0]["pairs"], json!([1, 1, 8]));
    assert_eq!(data["gates"][0]["sprt"]["llr"], 2.97);
    let scores = &data["ratings"][0]["scores"];
    assert_eq!(scores["hard"]["score"], 0.6);
    assert_eq!((&scores["classical"]["score"], &scores["classical"]["games"]), (&json!(0.0), &json!(40)));
    assert!(scores["g000001"].is_null(), "champions are no fixed opponents: {scores}");
    assert_eq!(data["rated_on"], "6x6");
    assert!(scores["hard"]["interval"][0].as_f64().unwrap() < 0.6);
    assert_eq!(data["ladder"]["players"][0]["name"], "hard");
    assert_eq!(data["config"], fs::read_to_string(folder.path().join("config.toml")).unwrap());

    check_well_formed(&page);
    for address in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(address), "the page asks for more: {address}");
    }
    assert!(!page.contains("<script>alert"), "data is taken for markup");
}

#[test]
fn sample_games_are_whole_and_legal() {
    use hippolyta_game::{Move, Position};

    let folder = young_run();
    let (_, data) = report(folder.path());
    let games = data["samples"]["games"].as_array().unwrap();
    assert_eq!(games.len(), 2, "the games of the first file");
    for game in games {
        let mut position: Position = game["start"].as_str().unwrap().parse().unwrap();
        let moves = game["moves"].as_array().unwrap();
        assert_eq!(game["white_values"].as_array().unwrap().len(), moves.len());
        for text in moves {
            position = position.play(text.as_str().unwrap().parse::<Move>().unwrap()).unwrap();
        }
        assert_eq!(game["by_verdict"], position.has_move());
        assert!(moves.len() >= 8 && game["margin"].as_i64().unwrap() >= 1, "{game}");
        assert!(["white", "black"].contains(&game["winner"].as_str().unwrap()));
    }
}

#[test]
fn a_run_without_generations_or_with_damaged_games_has_a_page() {
    let folder = young_run();
    let first = LocalStore::new(folder.path()).list("games/").unwrap().remove(0);
    let file = folder.path().join(first.key);
    let mut bytes = fs::read(&file).unwrap();
    bytes[40] ^= 1;
    fs::write(&file, bytes).unwrap();
    let (page, data) = report(folder.path());
    check_well_formed(&page);
    assert_eq!((&data["generations"], &data["gates"]), (&json!([]), &json!([])));
    assert_eq!((&data["samples"]["damaged"], &data["waits_for"]), (&json!(1), &json!("learn")));
    assert_eq!(data["samples"]["games"].as_array().unwrap().len(), 1);

    fs::remove_dir_all(folder.path().join("games")).unwrap();
    let (_, data) = report(folder.path());
    assert_eq!((&data["samples"]["games"], &data["waits_for"]), (&json!([]), &json!("selfplay")));
}

#[test]
fn what_is_no_run_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let report = |run: &Path| finish(hippolyta("report --run").arg(run));
    let nowhere = folder.path().join("nowhere");
    report(&nowhere).fails(1, &["nowhere", "no run directory"]);
    assert!(!nowhere.exists());
    report(folder.path()).fails(1, &["no run directory", "hippolyta train"]);

    fs::write(folder.path().join("config.toml"), "").unwrap();
    fs::create_dir(folder.path().join("manifests")).unwrap();
    fs::write(folder.path().join("manifests/g000001.json"), "{\"generation\":1}\n").unwrap();
    report(folder.path()).fails(1, &["manifests/g000001.json is not a JSON object with a checksum"]);
    fs::remove_file(folder.path().join("manifests/g000001.json")).unwrap();
    fs::write(folder.path().join("ladder.json"), "[]").unwrap();
    report(folder.path()).fails(1, &["ladder.json", "hippolyta ladder --json"]);
    assert!(!folder.path().join("report.html").exists());
}

//! The page about a run, made by the real binary from a run whose games it played itself.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::binary::{finish, hippolyta};

/// A run after the self-play of its first generation.
fn young_run() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    // A frozen configuration needs no more than what differs from the base. The comment is what a page must not take
    // for markup.
    let config = "# </script><script>alert(1)</script> &amp;
        network = { blocks = 1, channels = 16, pooled = [0] }
        selfplay = { games = 4, games_per_file = 2, full_visits = 4, full_considered = 2, quick_visits = 2 }";
    fs::write(folder.path().join("config.toml"), config).unwrap();
    let played = finish(hippolyta("selfplay --run").arg(folder.path()));
    assert_eq!(played.code, Some(0), "{}", played.stderr);
    folder
}

/// Writes down two finished generations, as training would.
fn finish_generations(run: &Path) {
    let row = |generation: u32, gate: &str, score: Value, policy: f64| {
        json!({
            "generation": generation, "games": 4 * generation, "positions": 40 * generation,
            "steps": 7 * generation, "losses": {"policy": policy, "value": 0.625}, "gate": gate,
            "gate_score": score, "gate_games": 20, "champion": generation, "scores": {}, "rating": 73.5,
            "rating_interval": [-36.25, 183.5]
        })
    };
    let rows = [row(1, "unplayed", Value::Null, 2.271_052), row(2, "accepted", json!(0.85), 2.125_437)];
    let timing = |generation: u32| json!({"generation": generation, "selfplay": 2.0, "learn": 3.5, "gate": 0.5, "rating": 0.25});
    let lines = |values: [Value; 2]| values.map(|value| value.to_string()).join("\n");
    fs::write(run.join("metrics.jsonl"), lines(rows)).unwrap();
    fs::write(run.join("timings.jsonl"), lines([timing(1), timing(2)])).unwrap();
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
    let rating =
        json!({"champion": 2, "pairs": {"hard": [3, 10, 7], "classical": [20, 0, 0], "g000001": [1, 0, 2]}});
    fs::write(run.join("gates/g000002.json"), gate.to_string()).unwrap();
    fs::write(run.join("ratings/g000002.json"), rating.to_string()).unwrap();
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
    let rows: Vec<Value> = fs::read_to_string(folder.path().join("metrics.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(generations.len(), rows.len());
    for (generation, row) in generations.iter().zip(&rows) {
        for (key, value) in row.as_object().unwrap() {
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
    let file = folder.path().join("games/g000001-00000000.games");
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
    fs::write(folder.path().join("metrics.jsonl"), "{\"generation\":1}\n").unwrap();
    report(folder.path()).fails(1, &["metrics.jsonl, line 1 is damaged"]);
    fs::write(folder.path().join("metrics.jsonl"), "").unwrap();
    fs::write(folder.path().join("ladder.json"), "[]").unwrap();
    report(folder.path()).fails(1, &["ladder.json", "hippolyta ladder --json"]);
    assert!(!folder.path().join("report.html").exists());
}

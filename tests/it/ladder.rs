//! Ladders by the real binary.

use std::fs;
use std::path::Path;
use std::process::Stdio;
use std::thread;
use std::time::Duration;

use crate::binary::{Finished, finish, hippolyta};
use crate::networks::model;

/// Runs `ladder` on 6x6 with these arguments and the results in `file`.
fn ladder(arguments: &str, file: &Path) -> Finished {
    finish(hippolyta(&format!("ladder --size 6 {arguments} --results")).arg(file))
}

#[test]
fn players_are_ranked_with_intervals_about_an_anchor() {
    let finished = finish(&mut hippolyta("ladder --size 6 hard random easy --games 80 --seed 3 --json"));
    let report = finished.json();
    assert_eq!(
        (&report["games"], &report["anchor"], &report["size"]),
        (&80.into(), &"hard".into(), &6.into())
    );
    let players = report["players"].as_array().unwrap();
    let names: Vec<&str> = players.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["hard", "easy", "random"]);
    assert_eq!(
        (&players[0]["elo"], &players[0]["elo_interval"]),
        (&0.0.into(), &serde_json::json!([0.0, 0.0]))
    );
    for row in &players[1..] {
        let [elo, low, high] = [&row["elo"], &row["elo_interval"][0], &row["elo_interval"][1]]
            .map(|value| value.as_f64().unwrap());
        assert!(low < elo && elo < high && high < 0.0, "{row}");
    }
    let games: u64 = players.iter().map(|row| row["games"].as_u64().unwrap()).sum();
    assert_eq!(games, 160);

    let words =
        finish(&mut hippolyta("ladder --size 6 hard random easy --games 80 --seed 3 --anchor random"));
    assert_eq!(words.code, Some(0), "{}", words.stderr);
    let lines: Vec<&str> = words.stdout.lines().collect();
    assert!(lines[0].starts_with("player") && lines[1].starts_with("hard"), "{}", words.stdout);
    assert!(lines[3].starts_with("random       +0 "), "{}", words.stdout);
    assert_eq!(lines[4], "80 games on 6x6; random is 0 Elo");
}

#[test]
fn a_killed_ladder_goes_on_as_if_it_had_not_been() {
    let folder = tempfile::tempdir().unwrap();
    let [straight, killed] = ["straight.json", "killed.json"].map(|name| folder.path().join(name));
    let players = "medium random easy --visits 16 --games 120";
    assert_eq!(ladder(players, &straight).code, Some(0));

    // Stopped twice without any warning, each time once there are new results.
    for threads in [1, 2] {
        let before = fs::read(&killed).ok();
        let mut child = hippolyta(&format!("ladder --size 6 {players} --threads {threads} --results"))
            .arg(&killed)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary starts");
        while fs::read(&killed).ok() == before {
            assert!(child.try_wait().unwrap().is_none(), "it ended before it could be killed");
            thread::sleep(Duration::from_millis(1));
        }
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let finished = ladder(players, &killed);
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert_eq!(fs::read(&killed).unwrap(), fs::read(&straight).unwrap());

    // Once more is no work, and another anchor no other results.
    let report = ladder(&format!("{players} --anchor easy --json"), &killed).json();
    assert_eq!((&report["games"], &report["anchor"]), (&120.into(), &"easy".into()));
    assert_eq!(fs::read(&killed).unwrap(), fs::read(&straight).unwrap());

    // A newcomer finds the others' results.
    let report = ladder("medium random easy hard --visits 16 --games 136 --json", &killed).json();
    assert_eq!((&report["games"], report["players"].as_array().unwrap().len()), (&136.into(), 4));
}

#[test]
fn what_makes_no_ladder_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ladder.json");
    assert_eq!(ladder("easy random --games 2", &file).code, Some(0));
    ladder("easy random --games 2 --visits 5", &file)
        .fails(2, &["ladder.json", "5 visits a move", "use another file"]);
    ladder("easy easy --games 2", &file).fails(2, &["easy stands on the ladder twice"]);
    ladder("easy random --games 2 --anchor hard", &file).fails(2, &["the anchor hard is none"]);
    fs::write(&file, "{\"players\": ").unwrap();
    ladder("easy random --games 2", &file).fails(1, &["ladder.json"]);
    for (arguments, words) in [
        ("easy --games 2", "PLAYER"),
        ("easy random --games 3", "an even number"),
        ("easy nobody --games 2", "'nobody'"),
    ] {
        let refused = ladder(arguments, &file);
        assert_eq!(refused.code, Some(2), "{arguments}");
        assert!(refused.stderr.contains(words), "{arguments}: {}", refused.stderr);
    }
}

#[test]
fn a_file_is_one_player_however_it_is_spelled() {
    let folder = tempfile::tempdir().unwrap();
    let net = model(folder.path());
    let ladder = |arguments: &str| {
        let options = "--size 6 --games 2 --visits 2 --results ladder.json --json";
        finish(hippolyta(&format!("ladder {arguments} {options}")).current_dir(folder.path()))
    };
    ladder("net.safetensors ./net.safetensors").fails(2, &["net.safetensors stands on the ladder twice"]);
    assert_eq!(ladder("easy net.safetensors").json()["games"], 2);
    // What was saved of it is found under its other names, and so is the anchor.
    let other = net.display();
    let report = ladder(&format!("{other} easy --anchor ./net.safetensors")).json();
    assert_eq!((&report["games"], &report["anchor"]), (&2.into(), &"net.safetensors".into()));
    assert_eq!(report["players"].as_array().unwrap().len(), 2, "{report}");
}

#[test]
fn results_are_one_processs_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("ladder.json");
    let mut child = hippolyta("ladder --size 6 easy random --games 1000000 --threads 1 --results")
        .arg(&file)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    while !file.exists() {
        assert!(child.try_wait().unwrap().is_none(), "it ended before its first results");
        thread::sleep(Duration::from_millis(1));
    }
    ladder("easy random --games 2", &file).fails(1, &["another process is at work on", "ladder.json:"]);
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(ladder("easy random --games 2", &file).code, Some(0));
}

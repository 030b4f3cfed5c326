//! Configurations, model files and runs that are wrong, and matches; all that needs no training.

use std::fs;

#[cfg(feature = "torch")]
use crate::binary::over_quick;
use crate::binary::{finish, hippolyta};

#[test]
fn a_wrong_model_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.safetensors");
    fs::write(&path, b"no model").unwrap();
    let arena =
        |player: &str| finish(hippolyta("arena").args([player, "easy", "--size", "6", "--games", "2"]));
    arena(path.to_str().unwrap()).fails(1, &["broken.safetensors"]);
    let missing = arena("no-such-file");
    assert_eq!(missing.code, Some(2));
    assert!(missing.stderr.contains("no-such-file"), "{}", missing.stderr);
    finish(hippolyta("export --to").arg(folder.path()).arg(&path)).fails(1, &["broken.safetensors"]);
}

#[test]
fn a_match_is_reported_and_the_same_for_any_number_of_threads() {
    let command = "arena hard random --size 6 --games 8 --seed 5 --json --threads";
    let reports = [1, 2].map(|threads| finish(&mut hippolyta(&format!("{command} {threads}"))));
    let report = reports[0].json();
    assert_eq!((&report["a"], &report["games"], &report["wins_a"]), (&"hard".into(), &8.into(), &8.into()));
    assert_eq!(report["pairs"], serde_json::json!([0, 0, 4]));
    assert_eq!(report["sprt"], serde_json::Value::Null);
    assert_eq!(reports[0].stdout, reports[1].stdout);
}

#[test]
fn a_test_ends_a_match_early() {
    let report = finish(&mut hippolyta("arena hard random --size 6 --games 400 --sprt 0,100 --json")).json();
    assert_eq!(report["sprt"]["verdict"], "passed");
    assert!(report["games"].as_u64().unwrap() < 400, "{report}");
}

#[test]
fn figures_that_make_no_match_are_refused() {
    for (arguments, words) in [
        ("arena hard easy --size 6 --games 3", "an even number"),
        ("arena hard easy --size 6 --games 4 --sprt 5,5", "elo0 < elo1"),
        ("arena hard easy --size 6 --games 4 --visits 3 --time-ms 5", "cannot be used with"),
        (
            "arena hard easy --size 6 --games 4 --time-ms 18446744073709551615",
            "'18446744073709551615' for '--time-ms <T>': expected a whole number from 1 to 86400000",
        ),
        (
            "arena hard easy --size 6 --games 4 --ceiling-ms 86400001",
            "expected a whole number from 1 to 86400000",
        ),
        (
            "arena hard easy --size 6 --games 4 --visits 4294967296",
            "expected a whole number from 1 to 4294967295",
        ),
        ("arena hard easy --size 6 --games 18446744073709551614", "18446744073709551614"),
        ("ladder hard easy --size 6 --ceiling-ms 18446744073709551615", "a whole number from 1 to 86400000"),
        ("play --time-ms 18446744073709551615", "a whole number from 1 to 86400000"),
    ] {
        let finished = finish(&mut hippolyta(arguments));
        assert_eq!(finished.code, Some(2), "{arguments}");
        assert!(finished.stderr.contains(words), "{arguments}: {}", finished.stderr);
    }
}

#[test]
fn a_game_in_the_terminal_is_played_from_lines() {
    use std::io::Write as _;
    use std::process::Stdio;

    let mut child = hippolyta("play --size 6 --level easy --seed 3")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(b"b1-\xff\nb1-b9/a1\na2-a3/a2\nundo\nquit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{stderr}");
    assert!(stderr.contains("b1-b9/a1"), "{stderr}");
    assert!(stdout.contains("easy plays "), "{stdout}");
    // The board before the move, after both, and once more after taking them back.
    assert_eq!(stdout.matches("   a b c d e f\n 6").count(), 3, "{stdout}");
}

#[cfg(not(feature = "torch"))]
#[test]
fn training_without_libtorch_says_what_to_do() {
    finish(&mut hippolyta("train configs/quick.toml")).fails(1, &["libtorch", "make build"]);
}

#[cfg(feature = "torch")]
#[test]
fn a_wrong_configuration_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("wrong.toml");
    let run = folder.path().join("run");
    let train = || finish(hippolyta("train").arg(&path).arg("--run").arg(&run));
    fs::write(&path, over_quick("[train]\npases = 3.0\n")).unwrap();
    train().fails(2, &["wrong.toml, line ", "unknown field `pases`"]);
    fs::write(&path, over_quick("train.batch = 1")).unwrap();
    train().fails(2, &["wrong.toml", "train.batch = 1"]);
    fs::remove_file(&path).unwrap();
    train().fails(2, &["wrong.toml cannot be read"]);
    fs::write(&path, "base = 'nowhere.toml'").unwrap();
    train().fails(2, &["wrong.toml: the base of", "nowhere.toml, cannot be read"]);
    assert!(!run.exists(), "a wrong configuration makes no run");
}

#[test]
fn every_command_with_players_says_who_they_can_be() {
    for command in ["arena", "ladder", "play", "engine"] {
        let help = finish(&mut hippolyta(&format!("{command} --help"))).stdout;
        // Where lines break does not matter.
        let help = help.split_whitespace().collect::<Vec<_>>().join(" ");
        for player in ["random", "insane", "classical", "model file", "uci:COMMAND"] {
            assert!(help.contains(player), "{command}: no {player} in: {help}");
        }
    }
}

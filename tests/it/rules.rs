//! The commands that need nothing but the rules, and how bad arguments are answered.

use std::fs::{self, File};

use serde_json::json;

use crate::binary::{finish, hippolyta};

#[test]
fn perft_counts_what_the_facts_say() {
    let cases = [
        ("--size 6 --depth 2", json!([544, 238_532])),
        ("--size 8 --depth 2", json!([1232, 1_331_198])),
        ("--size 10 --depth 2", json!([2176, 4_307_152])),
    ];
    for (arguments, nodes) in cases {
        let found = finish(&mut hippolyta(&format!("perft {arguments} --json"))).json();
        assert_eq!(found, json!({ "nodes": nodes }));
    }
}

#[test]
fn perft_takes_a_position_and_speaks_to_people() {
    let finished = finish(hippolyta("perft --depth 1 --fen").arg("1qq1/q2q/Q2Q/1QQ1 w"));
    assert_eq!(finished.code, Some(0), "{}", finished.stderr);
    assert!(finished.stdout.starts_with("depth 1: "), "{}", finished.stdout);
}

#[test]
fn moves_answers_each_line_until_one_is_no_position() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("positions.txt");
    let position = "1qq1/q2q/Q2Q/1QQ1 w";
    let moves = |text: &str| {
        fs::write(&file, text).unwrap();
        finish(hippolyta("moves").stdin(File::open(&file).unwrap()))
    };
    let finished = moves(&format!("\u{feff}{position}\r\n\n{position}"));
    assert_eq!((finished.code, finished.stdout.lines().count()), (Some(0), 2), "{}", finished.stderr);
    let finished = moves(&format!("{position}\nhorse\n{position}\n"));
    assert_eq!((finished.code, finished.stdout.lines().count()), (Some(2), 1));
    assert!(finished.stderr.contains("line 2: 'h' in rank 'horse'"), "{}", finished.stderr);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_told() {
    let full = File::create("/dev/full").unwrap();
    let finished = finish(hippolyta("perft --size 6 --depth 1").stdout(full));
    finished.fails(1, &["stdout takes no more", "No space left"]);
}

#[test]
fn territory_gives_verdict_and_bounds() {
    let fen = "QQQqqq/******/******/******/*Q****/1*1*q* w";
    let found = finish(hippolyta("territory --json --fen").arg(fen)).json();
    assert_eq!(found, json!({ "verdict": "white", "white": [1, 1], "black": [0, 0] }));
    let words = finish(hippolyta("territory --fen").arg(fen)).stdout;
    assert!(words.contains("White can make by itself: 1\n"), "{words}");
}

#[test]
fn solve_proves_the_winner_or_says_unknown() {
    let solve = |more: &str| {
        finish(hippolyta(&format!("solve --json {more} --fen")).arg("1q1q1/q3q/Q3Q/1Q1Q1 w")).json()
    };
    let solution = solve("");
    assert_eq!(solution["winner"], "white");
    assert!(solution["move"].is_string(), "{solution}");
    assert_eq!(solve("--max-nodes 10")["winner"], "unknown");
}

#[test]
fn wrong_arguments_are_named_and_end_with_2() {
    let cases = [
        ("perft --size 7 --depth 1", "boards are 6, 8 or 10 squares a side"),
        ("perft --depth 0", "'0' for '--depth <D>': expected a whole number from 1 to 100"),
        ("perft --depth -1", "'-1' for '--depth <D>': expected a whole number from 1 to 100"),
        (
            "train configs/quick.toml --minutes -1",
            "'-1' for '--minutes <M>': expected a number of minutes above 0",
        ),
        ("solve --memory much", "'much' for '--memory <MIB>': expected a whole number"),
        ("play --seed -1", "'-1' for '--seed <S>': expected a whole number from 0 to 18446744073709551615"),
        ("arena -1 hard --size 6 --games 2", "'-1' for '<A>': expected random"),
        ("play -1", "unexpected argument '-1'"),
        ("perft", "--depth <D>"),
        ("territory --fen 3x/4/4/4", "'x' in rank '3x'"),
        ("no-such-command", "no-such-command"),
        ("arena easy random --size 6 --games 2 --sgf nowhere/games.sgf", "expected a file in a folder"),
        ("arena easy random --size 6 --games 2 --sgf games/", "expected a file in a folder"),
        ("arena easy random --size 6 --games 2 --sgf=", "--sgf"),
    ];
    for (arguments, words) in cases {
        let finished = finish(&mut hippolyta(arguments));
        assert_eq!(finished.code, Some(2), "{arguments}: {}", finished.stderr);
        assert_eq!(finished.stdout, "", "{arguments}");
        assert!(finished.stderr.contains(words), "{arguments}: {}", finished.stderr);
    }
}

#[test]
fn every_command_has_help_with_an_example() {
    let help = finish(&mut hippolyta("--help")).stdout;
    // In groups, from the first heading to the options.
    let commands = help.split("Train a network:").nth(1).and_then(|rest| rest.split("Options:").next());
    let names = commands.expect("the help lists commands").lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split_whitespace().next()?;
        (name != "help" && !line.starts_with("   ")).then_some(name)
    });
    let mut count = 0;
    for name in names {
        let finished = finish(&mut hippolyta(&format!("{name} --help")));
        assert_eq!(finished.code, Some(0), "{name}");
        assert!(
            finished.stdout.contains(&format!("Example: hippolyta {name}")),
            "{name}: {}",
            finished.stdout
        );
        count += 1;
    }
    assert!(count == 21, "{help}");
}

#[test]
fn doctor_names_what_it_looks_at() {
    let folder = tempfile::tempdir().unwrap();
    let finished = finish(hippolyta("doctor --run").arg(folder.path()));
    for subject in ["libtorch", "instructions", "cores", "run directory", "disk"] {
        assert!(finished.stdout.contains(subject), "no {subject} in: {}", finished.stdout);
    }
}

//! Whole games in every dialect, against facts/notations.json, and back.

use hippolyta_game::notation::{self, Dialect, Ply, Transcript, TranscriptError};
use hippolyta_game::{Board, Move, Position, Side};
use proptest::prelude::*;
use serde_json::Value;

const BOTZONE: &str = "botzone numbers (first mover is at the top: y = rank - 1)";

struct Game {
    start: Position,
    moves: Vec<Move>,
    rows: Vec<Value>,
}

fn games() -> Vec<Game> {
    let facts: Value = serde_json::from_str(include_str!("facts/notations.json")).expect("valid JSON");
    let text = |value: &Value| value.as_str().expect("a string").to_owned();
    let games = facts.as_array().expect("a list").iter().map(|game| {
        let rows = game["moves"].as_array().expect("a list").clone();
        Game {
            start: text(&game["start"]).parse().expect("a position"),
            moves: rows.iter().map(|row| text(&row["human"]).parse().expect("a move")).collect(),
            rows,
        }
    });
    games.collect()
}

fn column(game: &Game, name: &str) -> Vec<String> {
    game.rows.iter().map(|row| row[name].as_str().expect("a string").to_owned()).collect()
}

#[test]
fn every_game_goes_through_every_dialect_and_back() {
    for game in games() {
        let transcript = Transcript::new(game.start, &game.moves).expect("legal");
        for dialect in Dialect::ALL {
            let written = match transcript.write(dialect) {
                Err(error) => {
                    assert_eq!((dialect, game.start.board()), (Dialect::Sau, Board::EIGHT), "{error}");
                    continue;
                }
                Ok(written) => written,
            };
            let read = Transcript::read(&written);
            assert_eq!(read.as_ref(), Ok(&transcript), "{}:\n{written}", dialect.name());
            // From what this dialect told, each other is written, and from that this one again.
            let read = read.expect("was just compared");
            for other in Dialect::ALL {
                let Ok(through) = read.write(other) else {
                    assert_eq!((other, game.start.board()), (Dialect::Sau, Board::EIGHT));
                    continue;
                };
                let again = Transcript::read(&through).and_then(|again| again.write(dialect));
                assert_eq!(again.as_ref(), Ok(&written), "{} by {}", dialect.name(), other.name());
            }
        }
    }
}

#[test]
fn collections_are_read_game_by_game_in_every_dialect() {
    let games: Vec<Transcript> =
        games().iter().map(|game| Transcript::new(game.start, &game.moves).expect("legal")).collect();
    for dialect in Dialect::ALL {
        let own: Vec<Transcript> = games.iter().filter(|game| game.write(dialect).is_ok()).cloned().collect();
        assert!(own.len() > 1, "{}", dialect.name());
        let text: String = own.iter().map(|game| game.write(dialect).expect("was filtered")).collect();
        assert_eq!(Transcript::read_all(&text).as_ref(), Ok(&own), "{text}");
        assert_eq!(Transcript::read(&text).as_ref(), Ok(&own[0]));
        // Damage is named with its game.
        let damaged = format!("{text}\n(;GM[18]");
        let error = Transcript::read_all(&damaged).map(|games| games.len());
        assert!(error.is_err() || dialect == Dialect::Sau, "{damaged}: {error:?}");
    }
    let botzone = "2\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n1\n5 0 3 2 6 5\n";
    let lengths: Vec<usize> =
        Transcript::read_all(botzone).expect("two games").iter().map(|game| game.line.len()).collect();
    assert_eq!(lengths, [2, 1]);
    let text = "winner white\nd1-d7/g7\n\nwhite me\n\nstart 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w\n";
    assert_eq!(Transcript::read_all(text).expect("two games").len(), 2);
    let error =
        Transcript::read_all("(;GM[18];B[djddgd])(;GM[18];B[djddgd];W[aaaaaa])").expect_err("illegal");
    assert!(error.to_string().starts_with("game 2: ply 2: "), "{error}");
}

#[test]
fn properties_that_are_not_ours_stay_with_their_nodes() {
    let text = r"(;GM[18]SZ[10]EV[a \]\: b]TM[300]BR[8d];C[x]KO[];B[djddgd]LB[aa:x\:y][bb:2]N[good]
        (;W[addgad]BL[9.5];CR[aa]C[after])(;LB[cc:3];W[addgdf]MA[dd])(;C[no move]))";
    let read = Transcript::read(text).expect("a game");
    let names = |properties: &[notation::Property]| {
        properties.iter().map(|property| property.name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&read.properties), ["EV", "TM", "BR", "KO"]);
    assert_eq!(read.properties[0].values(), [r"a \]\: b"]);
    assert_eq!(names(&read.line[0].properties), ["LB", "N"]);
    assert_eq!(read.line[0].comment, "no move");
    assert_eq!(names(&read.line[1].properties), ["BL", "CR"]);
    assert_eq!(names(&read.line[1].variations[0][0].properties), ["MA", "LB"]);
    let written = read.write(Dialect::Sgf).expect("has a place for all");
    assert!(written.contains(r"LB[aa:x\:y][bb:2]N[good]"), "{written}");
    assert_eq!(Transcript::read(&written).as_ref(), Ok(&read));
    // Found by fuzzing: a result between properties that are kept.
    let read = Transcript::read("(;GM[18]EV[a]RE[B+2];MA[cc]RE[W+])").expect("a game");
    let written = read.write(Dialect::Sgf).expect("has a place for all");
    assert_eq!(Transcript::read(&written).as_ref(), Ok(&read), "{written}");
    // Where White begins, White's rating is the first player's, whom SGF calls black.
    let read = Transcript::read("(;FF[4]WR[5]PW[a];W[d1-d7/g7])").expect("a game");
    assert_eq!(names(&read.properties), ["BR"]);
}

#[test]
fn moves_are_those_of_the_facts() {
    for game in games() {
        let board = game.start.board();
        for ((&m, row), numbers) in game.moves.iter().zip(&game.rows).zip(column(&game, BOTZONE)) {
            assert_eq!(notation::move_to_letters(board, m), row["sgf GM[18]"]);
            let found = notation::move_to_numbers(m);
            assert_eq!(found.map(|number| number.to_string()).join(" "), numbers);
            assert_eq!(notation::move_from_numbers(found), Some(m));
        }
        let transcript = Transcript::new(game.start, &game.moves).expect("legal");
        let moves: Vec<String> = column(&game, "sgf GM[18]")
            .iter()
            .enumerate()
            .map(|(index, m)| format!(";{}[{m}]", if index % 2 == 0 { 'B' } else { 'W' }))
            .collect();
        let moves = moves.concat();
        let size = board.files();
        assert_eq!(Transcript::read(&format!("(;GM[18]SZ[{size}]{moves})")).as_ref(), Ok(&transcript));
        for name in ["human", "ludicum", "fairy-stockfish", "paren (Chinese contest, Berkeley CS61B)"] {
            assert_eq!(Transcript::read(&column(&game, name).join(" ")).as_ref(), Ok(&transcript), "{name}");
        }
        let plain = format!("{}\n{}", game.moves.len().div_ceil(2), column(&game, BOTZONE).join("\n"));
        assert_eq!(Transcript::read(&plain).as_ref(), Ok(&transcript));
        if board == Board::TEN {
            let log = format!("name?\nnew white\n{}\nend black\n", column(&game, "SAU").join("\n"));
            assert_eq!(Transcript::read(&log).as_ref(), Ok(&transcript));
        }
    }
}

#[test]
fn records_as_contest_programs_write_them() {
    let text = "#[AM][one team][another][后手胜][2024.08.01 10:00 辽宁][2024];\r\n1 D1D7(G7) A7D4(A7)\r\n2 g1e3(e10)";
    let read = Transcript::read(text).expect("a record");
    assert_eq!(read.players, ["one team", "another"]);
    assert_eq!((read.winner, read.line.len()), (Some(Side::Black), 3));
    let one_line = "#[AM][a][b][先手胜][x][y]；1 d1d7(g7) a7d4(a7)";
    assert_eq!(Transcript::read(one_line).expect("a record").line.len(), 2);
}

#[test]
fn sgf_with_a_setup_comments_and_variations() {
    let text = "(;FF[4]GM[18]SZ[6:5]AB[ae]AW[fa]AA[cc][dd]PL[W]PB[me]PW[you \\] two]RE[B+3]C[before]\
        ;W[fafbfa]C[a \\\\ b](;B[aeadae]C[main])(;B[aeacae]C[other];W[fbfcfb]))";
    let read = Transcript::read(text).expect("a game");
    assert_eq!(read.start.to_string(), "5q/6/2*3/3*2/Q5 b");
    assert_eq!(read.players, ["me", "you ] two"]);
    assert_eq!((read.winner, read.comment.as_str()), (Some(Side::White), "before"));
    assert_eq!((read.line.len(), read.line[0].comment.as_str()), (2, "a \\ b"));
    let variation = &read.line[1].variations[0];
    assert_eq!((variation.len(), variation[0].comment.as_str()), (2, "other"));
    let written = read.write(Dialect::Sgf).expect("has a place for all");
    assert!(written.contains("RE[B+3]"), "{written}");
    assert_eq!(Transcript::read(&written).as_ref(), Ok(&read), "{written}");
    let written = read.write(Dialect::Text).expect("has a place for all but properties");
    let without = Transcript { properties: Vec::new(), ..read.clone() };
    assert_eq!(Transcript::read(&written), Ok(without), "{written}");
    let nodes_without_moves = "(;GM[18](;C[x](;B[djddgd])(;B[djdidj]))(;B[djddec](;C[y])(;W[addgad])))";
    let read_them = Transcript::read(nodes_without_moves).expect("a game");
    assert_eq!((read_them.line.len(), read_them.line[0].variations.len()), (1, 2));
    assert_eq!(read_them.line[0].variations[0].len(), 2);
    assert_eq!(read.write(Dialect::Contest), Err(TranscriptError::OwnStart("contest record")));
}

#[test]
fn line_ends_of_every_kind_are_one() {
    let read = |end: &str| Transcript::read(&format!("(;GM[18]PB[a{end}b]C[x{end}{end}y])")).expect("a game");
    assert_eq!(read("\r\n"), read("\n"));
    assert_eq!(read("\r"), read("\n"));
    // Found by fuzzing.
    let read = Transcript::read("#[AM][ ][a  b]").expect("a record");
    for dialect in [Dialect::Text, Dialect::Sgf] {
        let written = read.write(dialect).expect("has a place for all");
        assert_eq!(Transcript::read(&written).and_then(|again| again.write(dialect)).as_ref(), Ok(&written));
    }
}

#[test]
fn faults_are_named() {
    for (text, part) in [
        ("(;GM[1];B[aa])", "GM[1] is another game"),
        ("(;GM[18]SZ[19])", "no board of size '19'"),
        ("(;GM[18];B[djddgd];B[addgad])", "B[addgad] is out of turn"),
        ("(;GM[18];B[djddgd]", "the game has no end"),
        ("(;GM[18];B[djddgd]);W[addgad])", "';W[addgad])' stands behind a game"),
        ("(;GM[18];B[djddgd]))", "')' stands behind a game"),
        ("(;GM[18];B[djddgd])W[addgad])", "'W[addgad])' stands behind a game"),
        ("(;GM[18]PL[first])", "'first' in PL is not a colour"),
        ("(;GM[18]PL[])", "'' in PL is not a colour"),
        ("(;GM[18];B[djddgd]W[addgad])", "a second move, 'addgad'"),
        ("(;GM[18];B[djddgd]B[djdidj])", "a second move, 'djdidj'"),
        ("(;GM[18]AA[ee:zz])", "'ee:zz' in AA is no point"),
        ("(;GM[18];B[resign];W[djddgd])", "'djddgd' stands behind a resignation"),
        ("(;GM[18];W[resign];B[djddgd])", "'djddgd' stands behind a resignation"),
        ("(;GM[18]PL[B];W[resign])", "W[resign] is out of turn"),
        ("(;GM[18]RE[W+];B[djddgd];W[resign])", "RE[W+] names who resigned as the winner"),
        ("(;GM[18];B[djddgd](;W[resign])(;W[addgad]))", "a variation beside a resignation"),
        ("winner first\nd1-d7/g7", "'first' is no winner"),
        ("winner white\nd1-d7/g7 0-1", "the header says that white won, the end of the moves that black did"),
        ("12", "there is no game"),
        ("(;GM[18];B[djddgd];AE[aa])", "AE behind the root"),
        ("{\"requests\":[", "no end of the object"),
        ("", "there is no game"),
        ("(;GM[18];B[djdd", "no end of the value 'djdd'"),
        ("(;GM[18]AB[zz])", "'zz' in AB is no point"),
        ("(;GM[18];B[djddgd];W[addgzz])", "'addgzz' is no move"),
        ("d1-d7/g7 a7-d4/d4", "ply 2: a7-d4/d4 is not legal"),
        ("a1-d7/g7", "no board of 6, 8 or 10 squares a side starts with a1-d7/g7"),
        ("d1-d7/g7 what", "'what' is no move"),
        ("d1-d7/g7 ( d1-d6/d5", "a variation has no end"),
        ("{\"requests\":[{\"x0\":3}],\"responses\":[]}", "has no number y0"),
        ("1\n1 2 3 4 5 six", "is not six numbers"),
        ("move DJDDGK", "is not six letters"),
    ] {
        let error = Transcript::read(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
    let nested = "d1-d7/g7 (d1-d6/d5 (d1-d5/d6 a7-a8/a7))";
    assert_eq!(Transcript::read(nested).expect("a game").line[0].variations.len(), 2);
    let deep = format!("d1-d7/g7 {}", "(d1-d7/g7 ".repeat(5000));
    assert!(Transcript::read(&deep).is_err());
    let deep = format!("(;GM[18]{}", "(;B[djddgd])(;C[x]".repeat(5000));
    assert!(Transcript::read(&deep).is_err());
}

/// Reads a text that has to be one game.
fn game(text: &str) -> Transcript {
    let games = Transcript::read_all(text).unwrap_or_else(|error| panic!("{text}: {error}"));
    assert_eq!(games.len(), 1, "{text}");
    games.into_iter().next().expect("was just counted")
}

fn moves_of(transcript: &Transcript) -> Vec<String> {
    transcript.moves().map(|m| m.to_string()).collect()
}

#[test]
fn whose_turn_it_is_is_read_in_every_spelling() {
    let setup = "AB[aj]AW[ja]";
    for (text, side) in [
        ("PL[W]", Side::Black),
        ("PL[w]", Side::Black),
        ("PL[White]", Side::Black),
        ("PL[white]", Side::Black),
        ("PL[ WHITE ]", Side::Black),
        ("PL[B]", Side::White),
        ("PL[b]", Side::White),
        ("PL[Black]", Side::White),
        ("PL[black]", Side::White),
        ("", Side::White),
        (";B[ajaiah]", Side::White),
        (";W[jaibia]", Side::Black),
        (";C[first words];W[jaibia]", Side::Black),
    ] {
        assert_eq!(game(&format!("(;GM[18]{setup}{text})")).start.side(), side, "{text}");
    }
    // The start position, too.
    assert_eq!(game("(;GM[18]PL[White])").start.side(), Side::Black);
    let read = game("(;GM[18];W[addgad];B[djdidj])");
    assert_eq!((read.start.side(), read.line.len()), (Side::Black, 2));
    // Without GM, the colour of the first move is the first player's.
    for (text, players) in
        [("(;FF[4]PB[a]PW[b];B[d1-d7/g7])", ["a", "b"]), ("(;PB[a]PW[b];W[d1-d7/g7])", ["b", "a"])]
    {
        assert_eq!(game(text).players, players);
    }
    assert_eq!(game("(;FF[4]SZ[10];B[djddgd];W[addgad])"), game("(;GM[18];B[djddgd];W[addgad])"));
    assert_eq!(game("(;FF[4];B[bfbcdc])").start.board(), Board::SIX);
}

#[test]
fn a_resignation_ends_the_game_for_the_other_side() {
    for text in [
        "(;GM[18];B[djddgd];W[resign])",
        "(;GM[18];B[djddgd];W[Resigned];C[thank you])",
        "(;GM[18]RE[B+R];B[djddgd])",
        "(;GM[18]RE[B+Resign];B[djddgd];W[resign])",
        "(;GM[18]RE[Black+resign];B[djddgd])",
        "(;GM[18]RE[White resigns];B[djddgd])",
        "(;FF[4]RE[W+R];W[d1-d7/g7])",
        "(;FF[4];W[d1-d7/g7];B[resign])",
        "1. d1-d7/g7 resigns",
        "1. d1-d7/g7\nBlack resigns.",
        "1. d1-d7/g7 1-0",
        "winner White\n1. d1-d7/g7 1-0 {thank you}",
        "d1-d7/g7 White wins",
        "#[AM][a][b][先手胜][2024];\n1 d1d7(g7)",
        "#[AM][a][b];\n1 d1d7(g7) 认输",
        "1 d1d7(g7);先手胜;",
    ] {
        let read = game(text);
        assert_eq!((read.winner, read.line.len()), (Some(Side::White), 1), "{text}");
        for dialect in [Dialect::Text, Dialect::Sgf, Dialect::LittleGolem, Dialect::Contest] {
            let written = read.write(dialect).expect("has a start of its own");
            assert_eq!(game(&written).winner, Some(Side::White), "{written}");
        }
    }
    for text in ["(;GM[18];B[resign])", "(;GM[18]RE[W+R])", "(;GM[18]RE[White])", "d1-d7/g7 a7-d4/a7 resign"]
    {
        assert_eq!(game(text).winner, Some(Side::Black), "{text}");
    }
    for text in [
        "(;GM[18]RE[0];B[djddgd])",
        "(;GM[18]RE[?];B[djddgd])",
        "d1-d7/g7 *",
        "#[AM][a][b][先/后手胜]x;\nd1d7(g7)",
    ] {
        assert_eq!(game(text).winner, None, "{text}");
    }
    let written = game("(;GM[18];B[djddgd];W[resign])").write(Dialect::Sgf).expect("has a place for all");
    assert!(written.contains("RE[B+R]"), "{written}");
    let written = game("(;FF[4]RE[W+R];W[d1-d7/g7])").write(Dialect::Sgf).expect("has a place for all");
    assert!(written.contains("RE[B+R]"), "{written}");
    // A result ends a game: the next one needs no header.
    assert_eq!(
        Transcript::read_all("1. d1-d7/g7 1-0\n\n1. d1-d6/g9 0-1 {short}\n").expect("two games").len(),
        2
    );
    // Lines that were not played say it in words.
    let read = game("(;GM[18];B[djddgd](;W[addgad])(;W[addgdf];B[resign]))");
    assert_eq!(read.winner, None);
    assert_eq!(read.line[1].variations[0][0].comment, "The side to move resigns.");
    let read = game("d1-d7/g7 a7-d4/a7 (a7-d4/d6 White resigns) g1-e3/e10");
    assert_eq!((read.winner, read.line.len()), (None, 3));
    assert_eq!(read.line[1].variations[0][0].comment, "Black wins.");
}

#[test]
fn rectangles_of_points_are_all_their_points() {
    let read = game("(;GM[18]SZ[6]AB[af]AW[fa]AA[bb:dc][ee:ee][cf:ce])");
    assert_eq!(read.start.to_string(), "5q/1***2/1***2/6/2*1*1/Q1*3 w");
}

#[test]
fn words_round_an_sgf_game_are_skipped() {
    let bare = "(;GM[18];B[djddgd];W[addgad])";
    let plain = game(bare);
    for text in [
        "From: a(at)b\nSubject: a game (see [1])\n\nHello (;-)\nGAME",
        "new game for you:\nGAME",
        "name of the event: Open\nGAME",
        "\0\0GAME",
        "GAME\0\0\0",
        "GAME\u{1a}",
        "GAME\u{1a}\0\r\n",
        "GAME\n-- \nsent from afar (see [1])",
        "GAME x",
        "(as promised) GAME",
        "\u{feff}GAME\u{feff}",
        "<pre>GAME</pre>",
    ] {
        assert_eq!(game(&text.replace("GAME", bare)), plain, "{text:?}");
    }
    let two = format!("first:\n{bare}\u{1a}\nsecond:\n\u{feff}{bare}\nend");
    assert_eq!(Transcript::read_all(&two), Ok(vec![plain.clone(), plain.clone()]));
    // What is damaged behind words is still named.
    let cut = format!("{bare}\nsecond:\n(;GM[18];B[djddgd]");
    let error = Transcript::read_all(&cut).expect_err("has no end").to_string();
    assert!(error.contains("game 2: SGF: the game has no end"), "{error}");
    // A missing first semicolon.
    assert_eq!(game("(GM[18]FF[4];B[djddgd];W[addgad])"), plain);
    assert_eq!(game("( FF[4]GM[18]SZ[10]\n;B[djddgd];W[addgad])"), plain);
}

#[test]
fn contest_records_with_what_programs_add() {
    let moves = ["d1-d7/g7", "a7-d4/a7"];
    for header in [
        "#[AM][a][b][先手胜][2024.08.01 10:00 辽宁][2024];\n",
        "#[AM][a][b][先手胜]2024.08.01 10:00;\r\n",
        "#[AM][a][b][先手胜]2024.08.01 10:00 辽宁[2024];",
        "#[AM][a][b][先手胜][2024][x]\n",
        "#[AM][a][b][先手胜][2024 / 8 / 1][x]；\n",
        "#[AM][a][b][先手胜][2018.8.x 14:00][x];the first player is black\n",
        "#[AM][a][b][先手胜][2018.8.x 14:00][x]; the first player is black; ",
        "# [AM] [a] [b] [先手胜] ; ",
        "[AM][a][b][先手胜];\n",
    ] {
        for body in ["1 d1d7(g7) a7d4(a7)", "1 D1D7（G7） A7D4（A7）\n", "1.d1d7(g7);a7d4(a7);"] {
            let read = game(&format!("{header}{body}"));
            assert_eq!(read.players, ["a", "b"], "{header}");
            assert_eq!(
                (read.winner, moves_of(&read)),
                (Some(Side::White), moves.map(str::to_owned).to_vec()),
                "{header}{body}"
            );
        }
    }
    let two = "#[AM][a][b][先手胜]x;\n1 d1d7(g7)\n\n#[AM][a][b]x;\n1 d1d7(g7)\n[AM][c][d]\n";
    assert_eq!(Transcript::read_all(two).expect("three games").len(), 3);
    let damaged = "#[AM][a][b][先手胜][x][y]; 1 d1d7(gg) a7d4(a7)";
    assert!(Transcript::read(damaged).expect_err("no move").to_string().contains("'d1d7(gg)' is no move"));
}

#[test]
fn numbers_may_be_glued_to_moves_and_dashes_be_long() {
    let expected = ["d1-d5/g8", "g10-d7/h3", "d5-d3/d2"];
    for text in [
        "1.d1-d5,g8; g10-d7,h3; 2.d5-d3,d2;",
        "1d1-d5/g8 g10-d7/h3 2d5-d3/d2",
        "1.d1\u{2013}d5/g8 1...g10\u{2014}d7/h3 2. d5\u{2212}d3/d2",
        "1、d1-d5（g8） g10-d7（h3） 2、d5-d3（d2）",
        "1.\nd1-d5-g8\n1...\ng10-d7-h3\n2:d5-d3-d2",
    ] {
        assert_eq!(moves_of(&game(text)), expected, "{text}");
    }
}

#[test]
fn text_games_may_begin_with_a_comment() {
    for text in [
        "{A fine game} 1. d1-d7/g7",
        "{\"A fine game\", they said} 1. d1-d7/g7",
        "{}\n\n1. d1-d7/g7",
        "{(;GM[1]) is Go} d1-d7/g7",
        "{A game}\nwhite me\n\n{between friends}\n1. d1-d7/g7",
        "{A game} start 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w\n1. d1-d7/g7",
    ] {
        assert_eq!(moves_of(&game(text)), ["d1-d7/g7"], "{text}");
    }
    assert_eq!(game("{A game}\nwhite me\n{between friends} d1-d7/g7").comment, "A game\nbetween friends");
}

#[test]
fn all_comments_of_a_node_are_kept() {
    assert_eq!(game("(;GM[18]C[a][b];B[djddgd]C[c]C[d])").comment, "a\nb");
    assert_eq!(game("(;GM[18]C[a][b];B[djddgd]C[c]C[d])").line[0].comment, "c\nd");
}

/// A reader that looks at all of a text for each of its parts takes hours for these.
#[test]
fn every_reader_is_linear_in_its_text() {
    let many = 200_000;
    let name = |mut number: usize| {
        let mut name = String::from("X");
        while number > 0 {
            name.push(char::from(b'A' + (number % 26) as u8));
            number /= 26;
        }
        name
    };
    let joined =
        |form: fn(String) -> String| (0..many).map(|number| form(name(number))).collect::<Vec<_>>().concat();
    let properties = joined(|name| format!("{name}[x]"));
    let nodes = joined(|name| format!(";{name}[x]C[y]"));
    for text in
        [format!("(;GM[18]{properties};B[djddgd]{properties})"), format!("(;GM[18]{nodes};B[djddgd]{nodes})")]
    {
        let read = game(&text);
        assert_eq!((read.properties.len(), read.line[0].properties.len()), (many, many));
    }
    assert_eq!(game(&format!("(;GM[18]{};B[djddgd])", "(;C[x])".repeat(many))).line.len(), 1);
    assert!(Transcript::read(&"(".repeat(2_000_000)).is_err());
    assert!(Transcript::read(&"(;".repeat(1_000_000)).is_err());
    assert!(Transcript::read(&format!("x {}", "(    ".repeat(400_000))).is_err());
    let games = "(;GM[18];B[djddgd])\n".repeat(20_000);
    assert_eq!(Transcript::read_all(&games).expect("games").len(), 20_000);
    for one in
        ["1. d1-d7/g7 1-0\n", "#[AM][a][b];\n1 d1d7(g7)\n", "new black\nmove DJDDGD\n", "1\n3 0 3 6 6 6\n"]
    {
        let collection = one.repeat(20_000);
        assert_eq!(Transcript::read_all(&collection).expect("games").len(), 20_000, "{one}");
    }
    assert!(Transcript::read(&format!("d1-d7/g7 {{{}", "x".repeat(4_000_000))).is_err());
    assert!(Transcript::read(&format!("{}{}", "start ".repeat(many), "\n".repeat(many))).is_err());
}

#[test]
fn arrows_of_a_fen_may_be_pieces() {
    let plain: Position = "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/*9/6Q3 b".parse().expect("a position");
    assert_eq!("3q2q3/10/10/q2Q2P2q/10/10/Q8Q/10/p9/6Q3 b - - 1 1".parse(), Ok(plain));
    assert_eq!("\u{feff}3q2q3/10/10/q2Q2p2q/10/10/Q8Q/10/P9/6Q3[PPpp] b\u{feff}".parse(), Ok(plain));
}

#[test]
fn pockets_and_counters_of_a_fen_are_read_over() {
    let start = Position::start(Board::SIX).expect("has a start");
    let placement = start.to_string().replace(" w", "");
    for rest in [" w", " w - - 0 1", "[] w - - 3 2", "[Pp] w 12"] {
        assert_eq!(format!("{placement}{rest}").parse(), Ok(start), "{rest}");
    }
}

/// A line of random legal moves with comments and variations.
fn wander(position: Position, choices: &[u8], depth: usize) -> Vec<Ply> {
    let mut line = Vec::new();
    let mut here = position;
    for (index, &choice) in choices.iter().enumerate() {
        let mut moves = Vec::new();
        here.moves(&mut moves);
        if moves.is_empty() {
            break;
        }
        let mut ply = Ply::new(moves[choice as usize * 7 % moves.len()]);
        if choice % 3 == 0 {
            ply.comment.push_str(["] \\", "a\n(b)", "{x}", ";B[aa]"][choice as usize % 4]);
        }
        if choice % 5 == 0 && depth < 3 && (depth == 0 || index > 0) {
            ply.variations.push(wander(here, &choices[index + 1..], depth + 1));
            ply.variations.retain(|variation| !variation.is_empty());
        }
        here = here.play_unchecked(ply.played);
        line.push(ply);
    }
    line
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn trees_survive_text_and_sgf(choices in prop::collection::vec(any::<u8>(), 0..12), board in 0..3usize) {
        let start = Position::start(Board::PLAYED[board]).expect("has a start");
        let mut transcript = Transcript::new(start, &[]).expect("no moves are legal");
        transcript.line = wander(start, &choices, 0);
        transcript.comment = "before it".to_owned();
        for dialect in [Dialect::Text, Dialect::Sgf] {
            let written = transcript.write(dialect).expect("has a place for all");
            let read = Transcript::read(&written);
            prop_assert_eq!(read.as_ref(), Ok(&transcript), "{}", written);
        }
    }

    #[test]
    fn no_text_panics(text in "\\PC*", sgf in "\\(;(GM\\[18\\])?([;()BWC\\[\\]\\\\a-j1-9/-]{0,60})", lines in "[#\\[\\]{}():;0-9a-j \\n-]{0,60}") {
        for text in [&text, &sgf, &lines] {
            let _ = Transcript::read(text);
        }
    }
}

//! Tests of the engine's side of UCI.
#![cfg(test)]

use proptest::prelude::*;

use super::*;
use crate::protocol::Think;
use crate::protocol::testing::{facts, say};

fn uci() -> Uci {
    Uci::new("Hippolyta", "hard", None)
}

fn think(orders: &[Order]) -> &Think {
    match orders {
        [Order::Think(think)] => think,
        other => panic!("expected one Think, got {other:?}"),
    }
}

#[test]
fn positions_follow_the_moves_of_known_games() {
    for game in facts() {
        let mut uci = uci();
        let mut line = format!("position fen {} moves", game.start);
        for step in game.steps {
            line = format!("{line} {}", step.fairy);
            assert_eq!(uci.line(&line), []);
            assert_eq!(uci.position(), Some(&step.position));
            assert_eq!(spell(step.m), step.fairy);
        }
    }
}

#[test]
fn a_transcript() {
    let mut uci = uci();
    assert_eq!(uci.line("uci").last(), Some(&Order::Say("uciok".to_owned())));
    assert_eq!(uci.line("ucinewgame"), [Order::NewGame]);
    assert_eq!(uci.line("setoption name Size value 6"), []);
    assert_eq!(uci.line("setoption name Level value Medium"), [Order::Set(Setting::Level("medium".into()))]);
    assert_eq!(
        uci.line("setoption name ModelFile value a  b.safetensors"),
        [Order::Set(Setting::ModelFile("a  b.safetensors".into()))]
    );
    assert_eq!(uci.line("position startpos"), []);
    let orders = uci.line("go nodes 500");
    assert_eq!((think(&orders).visits, think(&orders).time), (Some(500), None));
    assert_eq!(uci.line("isready"), say("readyok"));
    assert_eq!(uci.line("stop"), [Order::Stop]);
    let best: Move = "b1-b4/d4".parse().expect("a move");
    let lines = vec![Line { value: 0.5, moves: vec![best] }];
    let choice = Choice { best, lines, visits: 500, depth: 3 };
    let spent = Duration::from_millis(250);
    let expected = [
        "info depth 3 multipv 1 score cp 110 nodes 500 nps 2000 time 250 pv b1b4,b4d4",
        "bestmove b1b4,b4d4",
    ];
    assert_eq!(uci.considered(&choice, spent), say(expected[0]));
    assert_eq!(uci.chosen(&choice, spent), expected.map(|line| Order::Say(line.to_owned())));
    assert_eq!(uci.chosen(&choice, spent), [], "nobody asked");
    assert_eq!(uci.considered(&choice, spent), [], "nobody asked");
    assert_eq!(uci.line("stop"), []);
    assert_eq!(uci.line("quit"), [Order::Quit]);
}

#[test]
fn as_many_lines_are_said_as_are_wanted() {
    let mut uci = uci();
    for (line, orders) in [
        ("setoption name MultiPV value 2", vec![]),
        ("setoption name Threads value 1", vec![]),
        ("setoption name Hash value 16", vec![Order::Set(Setting::Hash(16))]),
    ] {
        assert_eq!(uci.line(line), orders);
    }
    assert_eq!(think(&uci.line("go infinite")).lines, 2);
    let line = |text: &str, value: f32| Line { value, moves: vec![text.parse().expect("a move")] };
    let lines = vec![line("d1-d7/g7", 0.1), line("d1-d6/d7", 0.0), line("d1-d5/d7", -1.0)];
    let choice = Choice { best: lines[0].moves[0], lines, visits: 1, depth: 0 };
    let orders = uci.chosen(&choice, Duration::from_millis(1));
    let expected = [
        "info depth 1 multipv 1 score cp 20 nodes 1 nps 1000 time 1 pv d1d7,d7g7",
        "info depth 1 multipv 2 score cp 0 nodes 1 nps 1000 time 1 pv d1d6,d6d7",
        "bestmove d1d7,d7g7",
    ];
    assert_eq!(orders, expected.map(|line| Order::Say(line.to_owned())));
}

#[test]
fn a_thought_without_a_choice_is_answered() {
    let mut uci = uci();
    assert_eq!(uci.failed("no luck"), [], "nobody asked");
    uci.line("go nodes 1");
    let answer = [say("info string error: no luck"), say("bestmove (none)")].concat();
    assert_eq!(uci.failed("no luck"), answer);
    assert!(matches!(uci.line("go nodes 1")[..], [Order::Think(_)]));
}

#[test]
fn a_lost_position_has_no_best_move() {
    let mut uci = uci();
    uci.line("position fen Q*4/**4/6/6/6/5q w");
    assert_eq!(uci.line("go nodes 1"), say("bestmove (none)"));
}

fn choice() -> Choice {
    Choice::unweighed("d1-d7/g7".parse().expect("a move"))
}

#[test]
fn lines_wait_for_the_move_in_their_order() {
    let mut uci = uci();
    uci.line("go infinite");
    assert_eq!(uci.line("stop"), [Order::Stop]);
    for line in ["ucinewgame", "setoption name Seed value 3", "position startpos moves d1d7,d7g7", "isready"]
    {
        assert_eq!(uci.line(line), [], "{line}");
    }
    assert_eq!(uci.line("go nodes 5"), []);
    assert_eq!(uci.line("isready"), []);
    let orders = uci.chosen(&choice(), Duration::ZERO);
    let [first, middle @ .., Order::Think(think), last] = &orders[..] else { panic!("{orders:?}") };
    assert_eq!(first, &Order::Say("bestmove d1d7,d7g7".to_owned()));
    assert_eq!(middle, [Order::NewGame, Order::Set(Setting::Seed(3)), Order::Ready("readyok".to_owned())]);
    assert_eq!((think.visits, think.position.arrows().count()), (Some(5), 1));
    assert_eq!(last, &Order::Say("readyok".to_owned()), "the second thought is under way");
    let answer = Choice::unweighed("a7-a8/a7".parse().expect("a move"));
    assert_eq!(uci.chosen(&answer, Duration::ZERO), say("bestmove a7a8,a8a7"));
    assert_eq!(uci.line("position startpos"), []);
}

#[test]
fn a_stop_ends_the_thoughts_that_wait_too() {
    let mut uci = uci();
    uci.line("go infinite");
    assert_eq!(uci.line("go infinite"), []);
    assert_eq!(uci.line("stop"), [Order::Stop]);
    let orders = uci.chosen(&choice(), Duration::ZERO);
    assert!(matches!(orders[..], [Order::Say(_), Order::Think(_), Order::Stop]), "{orders:?}");
    assert_eq!(uci.chosen(&choice(), Duration::ZERO), say("bestmove d1d7,d7g7"));
}

#[test]
fn quit_waits_for_the_move_that_is_due() {
    let mut uci = uci();
    uci.line("go infinite");
    uci.line("go infinite");
    assert_eq!(uci.line("quit"), [Order::Stop]);
    let expected = [say("bestmove d1d7,d7g7"), [Order::Quit]].concat();
    assert_eq!(uci.chosen(&choice(), Duration::ZERO), expected);
}

#[test]
fn only_so_many_lines_wait() {
    let mut uci = uci();
    uci.line("go infinite");
    for _ in 0..MOST_WAITING {
        assert_eq!(uci.line("ucinewgame"), []);
    }
    assert!(matches!(&uci.line("ucinewgame")[..], [Order::Say(text)] if text.contains("is dropped")));
}

#[test]
fn every_go_ends_with_a_move() {
    for go in [
        "go depth 3",
        "go mate 2",
        "go movetime 50 searchmoves d1d7,d7g7",
        "go movetime 1000.0",
        "go movetime",
        "go movetime x",
        "go wtime",
        "go",
        "go perft 2",
    ] {
        let mut uci = uci();
        let orders = uci.line(go);
        assert!(matches!(orders.last(), Some(Order::Think(_))), "{go}: {orders:?}");
        assert_eq!(uci.chosen(&choice(), Duration::ZERO), say("bestmove d1d7,d7g7"));
    }
    let orders = uci().line("go searchmoves a1a1,a1a1 infinite");
    assert!(matches!(&orders[..], [Order::Say(_), Order::Say(last)] if last == "bestmove (none)"));
}

#[test]
fn a_refused_position_is_not_played_from() {
    for wrong in ["position", "position fen 3q w", "position startpos moves d1d7,d7g7 a1a1,a1a1"] {
        let mut uci = uci();
        uci.line("position startpos moves d1d7,d7g7");
        assert!(matches!(&uci.line(wrong)[..], [Order::Say(_)]), "{wrong}");
        let orders = uci.line("go nodes 1");
        assert!(matches!(&orders[..], [Order::Say(_), Order::Say(last)] if last == "bestmove (none)"));
        uci.line("position startpos");
        assert!(matches!(uci.line("go nodes 1")[..], [Order::Think(_)]));
    }
}

#[test]
fn the_defaults_are_what_is_in_force() {
    let mut uci = Uci::new("Hippolyta", "insane", Some("my  net.safetensors"));
    let said = uci.line("uci");
    let says = |line: &str| said.contains(&Order::Say(line.to_owned()));
    assert!(says("option name ModelFile type string default my  net.safetensors"), "{said:?}");
    for value in ["my  net.safetensors", "<empty>", ""] {
        let orders = uci.line(&format!("setoption name ModelFile value {value}"));
        assert_eq!(orders, [Order::Set(Setting::ModelFile(String::new()))], "'{value}'");
    }
    let mut uci = Uci::new("Hippolyta", "uci:./other -x", None);
    let said = uci.line("uci");
    let level = said.iter().find(|order| matches!(order, Order::Say(line) if line.contains(" Level ")));
    let Some(Order::Say(level)) = level else { panic!("{said:?}") };
    assert!(level.contains("default uci:./other -x var random") && level.ends_with("var uci:./other -x"));
    assert_eq!(
        uci.line("setoption name Level value uci:./other -x"),
        [Order::Set(Setting::Level("uci:./other -x".to_owned()))]
    );
}

#[test]
fn bad_lines_are_answered_and_change_nothing() {
    let mut uci = uci();
    let before = uci.position().copied();
    for line in [
        "setoption",
        "setoption name Threads value 0",
        "setoption name Threads value 2",
        "setoption name Hash value 0",
        "setoption name MultiPV value many",
        "setoption name Level value god",
        "setoption name Size value 7",
        "setoption name Colour value red",
        "setoption nameSize value 8",
        "hello",
    ] {
        let orders = uci.line(line);
        assert!(
            matches!(&orders[..], [Order::Say(text)] if text.starts_with("info string error: ")),
            "{line}: {orders:?}"
        );
        assert_eq!(uci.position().copied(), before);
    }
}

proptest! {
    #[test]
    fn no_line_panics(lines in proptest::collection::vec("(position |go |setoption |startpos |fen |moves |name |value |wtime |[a-j0-9/,*qQ ]{0,12}|\\PC{0,8}){0,6}", 0..6)) {
        let mut uci = uci();
        for line in lines {
            uci.line(&line);
        }
    }
}

//! Tests of the whole player.
#![cfg(test)]

use hippolyta_game::{Board, Move};
use hippolyta_search::seed::derive;

use super::*;
use crate::level::{Level, LevelPlayer};
use crate::testing::{score, wander};

/// Whether the side to move wins, by trying everything.
fn wins(position: &Position) -> bool {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    moves.iter().any(|m| !wins(&position.play_unchecked(*m)))
}

#[test]
fn ends_of_games_are_played_right() {
    let ends = (0..400).map(|seed| wander(Board::SIX, seed, 20));
    let few = |position: &Position| (2..=30).contains(&position.count_moves());
    let (mut seen, mut proven) = (0, 0);
    for position in ends.filter(few).take(60) {
        let choice = ClassicalPlayer::new().choose(&position, &Limits::NONE).expect("a move");
        let won = wins(&position);
        let value = choice.value().expect("a value");
        assert!(if won { value > -1.0 } else { value < 1.0 }, "{position}: {value}");
        if won {
            assert!(!wins(&position.play_unchecked(choice.best)), "{position}: {} loses", choice.best);
        }
        seen += 1;
        proven += u32::from(value.abs() >= 1.0);
    }
    assert!(seen >= 20 && proven >= seen * 9 / 10, "{proven} of {seen} were proven");
}

#[test]
fn visits_limit_it_and_decide_the_choice() {
    for board in Board::PLAYED {
        let position = wander(board, 3, 6);
        let choose = |visits: u64| {
            let mut player = ClassicalPlayer::new();
            player.new_game(5);
            player.choose(&position, &Limits::visits(visits)).expect("a move")
        };
        let choice = choose(30_000);
        assert_eq!(choice, choose(30_000));
        assert!((29_000..30_300).contains(&choice.visits), "{}", choice.visits);
        assert!(choice.depth >= 2 && choice.lines[0].moves[0] == choice.best);
    }
}

#[test]
fn several_lines_are_those_of_the_single_moves() {
    let position = wander(Board::SIX, 5, 12);
    let choose = |lines: usize| {
        let limits = Limits { lines, ..Limits::visits(20_000) };
        ClassicalPlayer::new().choose(&position, &limits).expect("a move")
    };
    let choice = choose(3);
    let firsts: Vec<Move> = choice.lines.iter().map(|line| line.moves[0]).collect();
    assert!(firsts.len() == 3 && firsts[0] == choice.best, "{choice:?}");
    assert!(firsts[0] != firsts[1] && firsts[1] != firsts[2] && firsts[0] != firsts[2], "{choice:?}");
    assert!(choice.lines[1..].is_sorted_by(|a, b| a.value >= b.value), "{choice:?}");
    assert_eq!(choose(1).lines.len(), 1);
    let mut moves = Vec::new();
    position.moves(&mut moves);
    assert!(choose(usize::MAX).lines.len() <= moves.len());
}

/// What the search found before it could be paused: it does the same visits still.
#[test]
fn known_searches() {
    // Position, visits, lines, and then: depth, visits, hundredths of log-odds and the first line.
    for (fen, visits, lines, expected) in [
        ("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w", 300, 3, "1 768 232 b1-e4/b4"),
        ("1q2q1/q4q/6/6/Q4Q/1Q2Q1 w", 40_000, 3, "4 40064 56 b1-b5/e5 e6-b3/e3 f2-f4/b4 b6-d4/d2 a2-b2/c2"),
        ("1q2q1/q4q/2*3/1*4/Q2*1Q/1Q2Q1 b", 5000, 1, "3 5120 15 e6-e3/d3 a2-a4/b4 b6-c6/f3 a4-b5/a4"),
        ("1q2q1/q4q/2*3/1*4/Q2*1Q/1Q2Q1 b", 5000, 3, "2 5120 131 e6-e3/d3 a2-a4/c6"),
        (
            "2q2q2/8/q6q/8/8/Q6Q/8/2Q2Q2 w",
            40_000,
            1,
            "4 40064 36 c1-c6/f6 f8-c5/d5 h3-g4/c4 c5-e3/e1 f1-d3/d2",
        ),
        (
            "3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w",
            40_000,
            1,
            "4 40064 -6 j4-g7/d7 a7-e3/d4 d1-f3/f10 g10-h9/h3 f3-c6/j6",
        ),
        ("3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b", 5000, 1, "2 5120 0 j7-g4/d1 g1-c5/c10 d10-b8/b9"),
    ] {
        let mut player = ClassicalPlayer::new();
        player.new_game(derive(0, &[0]));
        let limits = Limits { lines, ..Limits::visits(visits) };
        let choice = player.choose(&fen.parse().expect("a position"), &limits).expect("a move");
        let score = (200.0 * choice.lines[0].value.atanh()).round();
        let moves = choice.lines[0].moves.iter().map(Move::to_string).collect::<Vec<_>>().join(" ");
        assert_eq!(format!("{} {} {score} {moves}", choice.depth, choice.visits), expected, "{fen}");
    }
}

#[test]
fn a_table_beyond_memory_is_refused() {
    assert_eq!(ClassicalPlayer::with_memory(usize::MAX).err(), Some(NoMemory(usize::MAX)));
    assert_eq!(ClassicalPlayer::with_memory(1 << 40).err(), Some(NoMemory(1 << 40)));
}

/// With a table that is full all the time it still searches to the end of its limits.
#[test]
fn a_full_table_does_not_end_the_search() {
    let position = wander(Board::SIX, 3, 6);
    let mut player = ClassicalPlayer::with_memory(0).expect("there is memory");
    let choice = player.choose(&position, &Limits::visits(60_000));
    let choice = choice.expect("a move");
    assert!((59_000..60_300).contains(&choice.visits) && choice.depth >= 3, "{choice:?}");
}

#[test]
fn listeners_hear_every_depth() {
    let heard = std::cell::RefCell::new(Vec::new());
    let listen = |choice: &Choice| heard.borrow_mut().push((choice.depth, choice.best));
    let position = wander(Board::SIX, 3, 6);
    let limits = Limits { listen: Some(&listen), ..Limits::visits(30_000) };
    let choice = ClassicalPlayer::new().choose(&position, &limits).expect("a move");
    let depths: Vec<u32> = heard.borrow().iter().map(|(depth, _)| *depth).collect();
    assert_eq!(depths, (2..=choice.depth).collect::<Vec<_>>());
    assert!(heard.borrow().iter().all(|(_, best)| position.is_legal(*best)));
}

#[test]
fn it_answers_when_there_is_no_time() {
    let position = wander(Board::TEN, 1, 0);
    let choice = ClassicalPlayer::new().choose(&position, &Limits::until(&|| true)).expect("a move");
    assert!(position.is_legal(choice.best) && choice.visits < 300);
}

#[test]
fn it_beats_hard() {
    let (mut classical, mut hard) = (ClassicalPlayer::new(), LevelPlayer::new(Level::Hard));
    let score = score(Board::SIX, &mut classical, &mut hard, 10, Limits::visits(5_000));
    assert!(score >= 0.7, "{score}");
}

#[test]
#[ignore = "minutes"]
#[expect(clippy::print_stdout, reason = "a measurement for people")]
fn against_hard() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let (games, visits) = (number("GAMES").unwrap_or(40), number("VISITS").unwrap_or(20_000));
    for board in Board::PLAYED {
        let clock = std::time::Instant::now();
        let (mut classical, mut hard) = (ClassicalPlayer::new(), LevelPlayer::new(Level::Hard));
        let limits = Limits::visits(visits);
        let score = score(board, &mut classical, &mut hard, games, limits);
        println!(
            "{board}: {score:.3} against hard in {games} games, {visits} visits a move, {:.1} s",
            clock.elapsed().as_secs_f64()
        );
    }
}

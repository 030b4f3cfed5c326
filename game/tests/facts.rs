//! The rules against counts and games that other programs agree on (facts/*.json).

use hippolyta_game::{Board, Move, Position, Side, perft};
use serde_json::Value;

fn facts(text: &str) -> Value {
    serde_json::from_str(text).expect("facts are valid JSON")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a string")
}

/// The board and side of a longer FEN.
fn short(fen: &str) -> String {
    fen.split_whitespace().take(2).collect::<Vec<_>>().join(" ")
}

#[test]
fn move_counts() {
    let facts = facts(include_str!("facts/perft.json"));
    let positions = facts["positions"].as_array().expect("a list");
    assert_eq!(positions.len(), 72);
    for row in positions {
        let fen = text(&row["fen"]);
        let position: Position = fen.parse().unwrap_or_else(|error| panic!("{fen}: {error}"));
        assert_eq!(position.to_string(), short(fen));
        assert_eq!(Some(perft(&position, 1)), row["moves"].as_u64(), "{fen}");
        assert_eq!(Some(perft(&position, 2)), row["perft2"].as_u64(), "{fen}");
        assert_eq!(Some(!position.has_move()), row["no_move"].as_bool(), "{fen}");
        if let Some(nodes) = row["perft3"].as_u64()
            && nodes < 20_000_000
        {
            assert_eq!(perft(&position, 3), nodes, "{fen}");
        }
        let mut moves = Vec::new();
        position.moves(&mut moves);
        assert_eq!(moves, position.moves_by_steps(), "{fen}");
    }
}

#[test]
fn start_positions_are_those_of_the_facts() {
    let facts = facts(include_str!("facts/perft.json"));
    for (board, row) in Board::PLAYED.into_iter().zip(facts["positions"].as_array().expect("a list")) {
        assert_eq!(text(&row["kind"]), "start");
        assert_eq!(Position::start(board).expect("has a start").to_string(), short(text(&row["fen"])));
    }
}

#[test]
#[ignore = "minutes: perft 3 of the larger starts"]
fn deep_move_counts() {
    for (board, depth, nodes) in [
        (Board::SIX, 3, 91_074_224),
        (Board::SIX, 4, 28_857_914_846),
        (Board::EIGHT, 3, 1_358_441_750),
        (Board::TEN, 3, 8_350_439_170),
    ] {
        assert_eq!(perft(&Position::start(board).expect("has a start"), depth), nodes, "{board}");
    }
}

#[test]
fn games() {
    let facts = facts(include_str!("facts/notations.json"));
    let games = facts.as_array().expect("a list");
    assert_eq!(games.len(), 4);
    for game in games {
        let mut position: Position = text(&game["start"]).parse().expect("a playable start");
        for row in game["moves"].as_array().expect("a list") {
            let m: Move = text(&row["human"]).parse().expect("a move");
            for dialect in ["paren (Chinese contest, Berkeley CS61B)", "ludicum", "fairy-stockfish"] {
                assert_eq!(text(&row[dialect]).parse(), Ok(m), "{dialect}");
            }
            position = position.play(m).expect("legal");
            assert_eq!(position.hash(), position.fresh_hash());
            assert_eq!(position.to_string(), short(text(&row["fen"])));
            assert_eq!(Some(position.count_moves()), row["legal_next"].as_u64());
        }
    }
    let last: Position = text(&games[3]["moves"][8]["fen"]).parse().expect("a position");
    assert_eq!(last.winner(), Some(Side::White), "Black has no move after nine plies");
}

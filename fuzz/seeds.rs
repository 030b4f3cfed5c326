//! Writes the first inputs of each target into `corpus/TARGET`: the facts' positions, moves and games in every
//! dialect, a record file and a small network.

use std::collections::BTreeMap;
use std::error::Error;
use std::fs;
use std::path::Path;

use hippolyta_game::notation::{Dialect, Transcript};
use hippolyta_game::{Move, Position};
use hippolyta_model::{ModelFile, NetSpec, Weights};
use hippolyta_selfplay::{
    GameRecord, Opening, OpeningKind, Outcome, RecordFolder, RecordName, SearchedPly, VisitedMove,
    write_records,
};
use serde_json::Value;

fn main() -> Result<(), Box<dyn Error>> {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    let save = |target: &str, name: &str, bytes: &[u8]| -> Result<(), Box<dyn Error>> {
        let folder = corpus.join(target);
        fs::create_dir_all(&folder)?;
        Ok(fs::write(folder.join(name), bytes)?)
    };
    let games: Value = serde_json::from_str(include_str!("../game/tests/facts/notations.json"))?;
    for (number, game) in games.as_array().ok_or("a list of games")?.iter().enumerate() {
        let start: Position = text(&game["start"])?.parse()?;
        let rows = game["moves"].as_array().ok_or("a list of moves")?;
        let mut moves: Vec<Move> = Vec::new();
        for (ply, row) in rows.iter().enumerate() {
            save("fen", &format!("{number}-{ply}"), text(&row["fen"])?.as_bytes())?;
            for (dialect, value) in row.as_object().ok_or("a row")? {
                if let (Some(spelling), false) = (value.as_str(), dialect == "fen") {
                    save(
                        "moves",
                        &format!("{number}-{ply}-{}", &dialect[..4.min(dialect.len())]),
                        spelling.as_bytes(),
                    )?;
                }
            }
            moves.push(text(&row["human"])?.parse()?);
        }
        let transcript = Transcript::new(start, &moves)?;
        for dialect in Dialect::ALL {
            if let Ok(written) = transcript.write(dialect) {
                save("transcript", &format!("{number}-{}", dialect.name()), written.as_bytes())?;
                if let Some(rest) = written.strip_prefix("(;FF[4]GM[18]") {
                    save("sgf", &format!("{number}"), rest.as_bytes())?;
                }
            }
        }
        let record = record(number as u32, start, moves)?;
        let folder = corpus.join("records");
        fs::create_dir_all(&folder)?;
        write_records(&RecordFolder(&folder), RecordName { first_game: number as u32 }, &[record])?;
    }
    let commented = "(;GM[18]C[a \\] b];B[djddgd]C[x](;W[addgad])(;W[addgdd]))";
    save("transcript", "variations", commented.as_bytes())?;
    save("sgf", "variations", commented.trim_start_matches("(;GM[18]").as_bytes())?;
    let two_games = "(;GM[18]EV[a]BR[5]RE[B+2];B[djddgd]LB[aa:x][bb:y];C[z]MA[cc])\n(;FF[4]WR[5];W[d1-d7/g7])";
    save("transcript", "collection", two_games.as_bytes())?;
    save("transcript", "plain", b"1\n5 0 3 2 6 5\n2\n-1 -1 -1 -1 -1 -1\n5 0 3 2 6 5\n0 5 4 5 3 4\n")?;
    for size in ["6", "10"] {
        let line = format!(
            "uci\nsetoption name Size value {size}\nsetoption name Hash value 16\nisready\nucinewgame\n\
             position startpos\ngo nodes 100\nposition startpos moves d1d7,d7g7\ngo movetime 50\nstop\ngo infinite\nquit\n"
        );
        save("uci", size, line.as_bytes())?;
    }
    let heard = "id name x\noption name Hash type spin default 16 min 1 max 64\nuciok\nreadyok\n\
        info depth 3 multipv 1 score cp 12 nodes 5 pv d1d7,d7g7 a7d4,d4a7\nbestmove d1d7,d7g7\n";
    save("uci", "heard", heard.as_bytes())?;
    let ladder = r#"{"conditions":{"size":6,"opening_plies":4,"visits":100,"time_ms":null,"seed":1},"players":["a","b","c"],"pairings":[{"a":0,"b":1,"pairs":[1,2,3],"forfeits":[0,1]}],"batch":{"a":0,"b":2,"left":8}}"#;
    save("ladder", "three", ladder.as_bytes())?;
    let spec = NetSpec { value_hidden: 16, ..NetSpec::with_trunk(1, 16, &[]) };
    let weights = Weights::untrained(spec, 1)?;
    let model = ModelFile { weights, calibration: None, history: BTreeMap::new() };
    save("model", "untrained", &model.to_bytes())
}

fn text(value: &Value) -> Result<&str, Box<dyn Error>> {
    Ok(value.as_str().ok_or("a text")?)
}

fn record(game: u32, start: Position, moves: Vec<Move>) -> Result<GameRecord, Box<dyn Error>> {
    let mut positions = vec![start];
    for &m in &moves {
        let next = positions[positions.len() - 1].play(m)?;
        positions.push(next);
    }
    let searched = SearchedPly {
        ply: 0,
        full: true,
        value: 0.5,
        improved_value: 0.5,
        proven: false,
        network_value: 0.25,
        surprise: 0.1,
        weight: 1.0,
        visited: vec![VisitedMove { mv: moves[0], mass: 0.5 }],
    };
    let outcome = Outcome::of(&positions, !positions[positions.len() - 1].side());
    let searched = vec![searched];
    Ok(GameRecord {
        generation: 1,
        game,
        seed: 7,
        model: [0; 32],
        start,
        opening: Opening { kind: OpeningKind::Policy, plies: 0 },
        moves,
        searched,
        evaluations: 1,
        visits: 1,
        outcome,
    })
}

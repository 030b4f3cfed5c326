use crate::players::{contestant, make};
use hippolyta_eval::{Ladder, LadderConditions, LadderError, LadderRow};
use hippolyta_play::Level;
use serde_json::{Value, json};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

const CONDITIONS: LadderConditions =
    LadderConditions { size: 6, opening_plies: 4, visits: None, time_ms: None, seed: 8 };

/// Plays between the levels until the ladder holds `pairs` pairs.
fn play(ladder: &mut Ladder, levels: &[Level], pairs: u64, threads: usize) {
    try_to_play(ladder, levels, pairs, threads).unwrap();
}

fn try_to_play(ladder: &mut Ladder, levels: &[Level], pairs: u64, threads: usize) -> Result<(), LadderError> {
    let makes: Vec<_> = levels.iter().map(|level| make(*level)).collect();
    let contestants: Vec<_> =
        levels.iter().zip(&makes).map(|(level, make)| contestant(level.name(), &**make)).collect();
    ladder.play(&contestants, pairs, threads, &|| false, &mut |_, _| {}, &mut |_| Ok(()))
}

fn new() -> Ladder {
    Ladder::new(CONDITIONS).unwrap()
}

fn table(ladder: &Ladder) -> Vec<LadderRow> {
    ladder.report("random").unwrap().players
}

#[test]
fn levels_are_ranked_in_their_order() {
    let mut ladder = new();
    play(&mut ladder, &[Level::Random, Level::Easy, Level::Medium], 96, 2);
    let table = table(&ladder);
    let names: Vec<&str> = table.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["medium", "easy", "random"]);
    let random = &table[2];
    assert_eq!((random.elo, random.elo_interval), (0.0, [0.0, 0.0]));
    assert!(table[1].elo_interval[0] > 50.0, "{table:?}");
    assert_eq!(table.iter().map(|row| row.games).sum::<u64>(), 2 * 192);
    assert!(table.iter().all(|row| row.games > 0 && row.forfeits == 0), "{table:?}");
    assert!(table[0].score > 0.5 && random.score < 0.5, "{table:?}");

    // Another anchor is another zero, and the same distances.
    let report = ladder.report("medium").unwrap();
    assert_eq!((report.games, report.anchor.as_str()), (192, "medium"));
    assert_eq!(report.pairings.iter().map(|row| row.pairs.games()).sum::<u64>(), 192);
    assert_eq!((report.players[0].name.as_str(), report.players[0].elo), ("medium", 0.0));
    assert!((report.players[2].elo + table[0].elo).abs() < 20.0, "{report:?} {table:?}");
    assert!(matches!(ladder.report("hard"), Err(LadderError::Anchor(name)) if name == "hard"));
}

#[test]
fn a_ladder_stopped_after_any_pair_goes_on_as_if_it_had_not_been() {
    let levels = [Level::Random, Level::Easy, Level::Medium];
    let mut whole = new();
    play(&mut whole, &levels, 40, 1);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.json");
    let mut parts = new();
    for (pairs, threads) in [(3, 2), (8, 1), (21, 3), (40, 2)] {
        play(&mut parts, &levels, pairs, threads);
        assert_eq!(parts.pairs(), pairs);
        parts.write(&path).unwrap();
        parts = Ladder::read(&path, CONDITIONS).unwrap();
    }
    assert_eq!(parts, whole);
    // There is nothing left to play.
    play(&mut parts, &levels, 40, 1);
    assert_eq!(parts, whole);

    // A newcomer plays until it is known about as well as the others.
    play(&mut parts, &[Level::Random, Level::Easy, Level::Medium, Level::Hard], 64, 2);
    let hard = table(&parts).into_iter().find(|row| row.name == "hard").unwrap();
    assert!(hard.games >= 16, "{hard:?}");
}

#[test]
fn an_interrupted_ladder_keeps_the_pairs_before() {
    let (random, easy) = (make(Level::Random), make(Level::Easy));
    let contestants = [contestant("random", &*random), contestant("easy", &*easy)];
    let (mut whole, mut ladder) = (new(), new());
    play(&mut whole, &[Level::Random, Level::Easy], 5, 1);
    let heard = AtomicU64::new(0);
    let mut listen = |ladder: &Ladder| {
        heard.store(ladder.pairs(), Ordering::Relaxed);
        Ok(())
    };
    ladder
        .play(&contestants, 30, 1, &|| heard.load(Ordering::Relaxed) == 5, &mut |_, _| {}, &mut listen)
        .unwrap();
    assert_eq!(ladder, whole);
}

#[test]
fn a_ladder_that_cannot_be_saved_stops() {
    let (random, easy) = (make(Level::Random), make(Level::Easy));
    let contestants = [contestant("random", &*random), contestant("easy", &*easy)];
    let mut ladder = new();
    let mut refuse =
        |_: &Ladder| Err(LadderError::File { path: "full".into(), reason: io::Error::other("no space") });
    let error = ladder.play(&contestants, 1000, 1, &|| false, &mut |_, _| {}, &mut refuse).unwrap_err();
    assert_eq!(error.to_string(), "ladder full: no space");
    assert_eq!(ladder.pairs(), 1);
}

#[test]
fn bad_ladders_are_refused() {
    assert_eq!(
        Ladder::new(LadderConditions { size: 7, ..CONDITIONS }).unwrap_err().to_string(),
        "a ladder needs a board of 6, 8 or 10 squares a side, got 7"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.json");
    assert!(Ladder::read(&path, CONDITIONS).unwrap_err().to_string().contains("ladder.json"));

    let mut ladder = new();
    let alone = try_to_play(&mut ladder, &[Level::Random], 1, 1).unwrap_err();
    assert_eq!(alone.to_string(), "a ladder needs at least two players, got 1");
    let twice = try_to_play(&mut ladder, &[Level::Random, Level::Random], 1, 1).unwrap_err();
    assert_eq!(twice.to_string(), "random stands on the ladder twice");
    play(&mut ladder, &[Level::Random, Level::Easy], 1, 1);
    ladder.write(&path).unwrap();
    let other = LadderConditions { visits: Some(64), ..CONDITIONS };
    let error = Ladder::read(&path, other).unwrap_err().to_string();
    let (saved, wanted) = ("with size 6, 4 opening plies, no limit, seed 8", "64 visits a move");
    assert!(error.contains("use another file") && error.contains(saved) && error.contains(wanted), "{error}");

    let saved: Value = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    let most = u64::MAX;
    for (place, value, words) in [
        ("/pairings/0/b", json!(7), "it has results of players 0 and 7, of 2 players from 0"),
        ("/pairings/0/pairs", json!([0, most, 1]), "18446744073709551615 pairs of one outcome"),
        ("/pairings/0/forfeits", json!([0, most]), "forfeited 18446744073709551615 of 2 games"),
        ("/batch/left", json!(0), "a turn has 0 pairs left"),
        ("/players/1", json!("random"), "it lists the player random twice"),
        ("/pairings", json!([saved["pairings"][0], saved["pairings"][0]]), "players 0 and 1 twice"),
    ] {
        let mut edited = saved.clone();
        *edited.pointer_mut(place).unwrap() = value;
        std::fs::write(&path, edited.to_string()).unwrap();
        let error = Ladder::read(&path, CONDITIONS).unwrap_err().to_string();
        assert!(error.contains("ladder.json") && error.contains(words), "{error}");
    }
}

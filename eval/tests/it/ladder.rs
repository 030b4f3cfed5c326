use crate::players::{contestant, make};
use hippolyta_eval::{Ladder, LadderConditions};
use hippolyta_play::Level;

const CONDITIONS: LadderConditions =
    LadderConditions { size: 6, opening_plies: 4, visits: None, time_ms: None, seed: 8 };

/// Plays `pairs` more pairs between the levels.
fn play(ladder: &mut Ladder, levels: &[Level], pairs: usize, threads: usize) {
    let makes: Vec<_> = levels.iter().map(|level| make(*level)).collect();
    let contestants: Vec<_> =
        levels.iter().zip(&makes).map(|(level, make)| contestant(level.name(), &**make)).collect();
    ladder.play(&contestants, pairs, threads, &|| false, &mut |_| {}).unwrap();
}

#[test]
fn levels_are_ranked_in_their_order() {
    let mut ladder = Ladder::new(CONDITIONS, "random").unwrap();
    play(&mut ladder, &[Level::Random, Level::Easy, Level::Medium], 96, 2);
    let table = ladder.table();
    let names: Vec<&str> = table.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["medium", "easy", "random"]);
    let random = &table[2];
    assert_eq!((random.elo, random.elo_interval), (0.0, [0.0, 0.0]));
    assert!(table[1].elo_interval[0] > 50.0, "{table:?}");
    assert_eq!(table.iter().map(|row| row.games).sum::<u64>(), 2 * 192);
    assert!(table.iter().all(|row| row.games > 0 && row.forfeits == 0), "{table:?}");
    assert!(table[0].score > 0.5 && random.score < 0.5, "{table:?}");
}

#[test]
fn saved_results_are_gone_on_with() {
    let levels = [Level::Random, Level::Easy];
    let mut whole = Ladder::new(CONDITIONS, "random").unwrap();
    play(&mut whole, &levels, 32, 1);

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.json");
    let mut parts = Ladder::new(CONDITIONS, "random").unwrap();
    play(&mut parts, &levels, 16, 2);
    parts.write(&path).unwrap();
    let mut parts = Ladder::read(&path, CONDITIONS).unwrap();
    play(&mut parts, &levels, 16, 3);
    assert_eq!(parts, whole);

    // A newcomer plays until it is known about as well as the others.
    play(&mut parts, &[Level::Random, Level::Easy, Level::Medium], 16, 2);
    let medium = parts.table().into_iter().find(|row| row.name == "medium").unwrap();
    assert!(medium.games >= 16, "{medium:?}");
}

#[test]
fn an_interrupted_ladder_keeps_whole_batches() {
    let (random, easy) = (make(Level::Random), make(Level::Easy));
    let contestants = [contestant("random", &*random), contestant("easy", &*easy)];
    let mut ladder = Ladder::new(CONDITIONS, "random").unwrap();
    let empty = ladder.clone();
    ladder.play(&contestants, 8, 2, &|| true, &mut |_| {}).unwrap();
    assert!(ladder.table().iter().all(|row| row.games == 0));
    assert_ne!(ladder, empty, "both players have entered");
}

#[test]
fn bad_ladders_are_refused() {
    assert_eq!(
        Ladder::new(LadderConditions { size: 7, ..CONDITIONS }, "random").unwrap_err().to_string(),
        "a ladder needs a board of 6, 8 or 10 squares a side, got 7"
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("ladder.json");
    assert!(Ladder::read(&path, CONDITIONS).unwrap_err().to_string().contains("ladder.json"));

    let mut ladder = Ladder::new(CONDITIONS, "random").unwrap();
    play(&mut ladder, &[Level::Random, Level::Easy], 1, 1);
    ladder.write(&path).unwrap();
    let other = LadderConditions { visits: Some(64), ..CONDITIONS };
    assert!(Ladder::read(&path, other).unwrap_err().to_string().contains("use another file"));

    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("\"b\": 1", "\"b\": 7")).unwrap();
    let error = Ladder::read(&path, CONDITIONS).unwrap_err();
    assert_eq!(error.to_string(), "the saved ladder has a pairing of players 0 and 7, of 2 players");
}

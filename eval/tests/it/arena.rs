use crate::players::{FREE, Fault, Faulty, Patient, contestant, make, openings};
use hippolyta_eval::{
    Contestant, EloModel, GameRules, Match, MatchReport, MatchResult, MatchScore, Opening, Sprt, SprtConfig,
    SprtVerdict, play_match,
};
use hippolyta_game::Side;
use hippolyta_play::{Level, LevelPlayer, Player};
use std::collections::HashSet;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

fn play(setup: &Match<'_>) -> MatchResult {
    play_match(setup, &|| false, &mut |_| {}).unwrap()
}

/// A match that nothing limits, on two threads.
fn free<'a>(a: Contestant<'a>, b: Contestant<'a>, openings: &'a [Opening]) -> Match<'a> {
    Match { a, b, openings, skip: 0, rules: FREE, sprt: None, seed: 1, threads: 2 }
}

/// Plays a match between levels.
fn levels(a: Level, b: Level, pairs: usize, sprt: Option<Sprt>, threads: usize) -> MatchResult {
    let (make_a, make_b, openings) = (make(a), make(b), openings(pairs));
    play(&Match {
        sprt,
        seed: 4,
        threads,
        ..free(contestant(a.name(), &*make_a), contestant(b.name(), &*make_b), &openings)
    })
}

fn test(elo1: f64) -> Sprt {
    let config = SprtConfig { model: EloModel::Normalized, elo0: 0.0, elo1, alpha: 0.05, beta: 0.05 };
    Sprt::new(config).unwrap()
}

#[test]
fn every_game_is_what_it_says() {
    let result = levels(Level::Easy, Level::Random, 20, None, 2);
    let openings = openings(20);
    assert_eq!(result.games.len(), 40);
    for (number, game) in result.games.iter().enumerate() {
        assert_eq!(game.pair, number / 2);
        assert_eq!(game.a, [Side::White, Side::Black][number % 2]);
        let opening = &openings[game.pair];
        assert_eq!(game.moves[..game.opening_plies], opening.moves);
        assert_eq!(game.values.len(), game.moves.len() - game.opening_plies);
        let end = game.moves.iter().fold(game.start, |position, m| position.play(*m).unwrap());
        assert_eq!((end.winner(), &game.forfeit), (Some(game.winner), &None));
    }
    let wins = result.games.iter().filter(|game| game.a_won()).count() as u64;
    let counts = result.score.counts;
    assert_eq!((counts.wins(), counts.pairs(), result.interrupted), (wins, 20, false));
    assert!(counts.score() > 0.8, "easy scores {} against random", counts.score());
    // No game is played twice.
    let distinct: HashSet<_> = result.games.iter().map(|game| game.moves.clone()).collect();
    assert_eq!(distinct.len(), 40);
}

#[test]
fn equals_score_a_half() {
    let counts = levels(Level::Random, Level::Random, 200, None, 2).score.counts;
    let [low, high] = counts.score_interval();
    assert!(low < 0.5 && 0.5 < high, "{counts:?}");
    assert!(counts.lost > 0 && counts.split > 0 && counts.won > 0, "{counts:?}");
}

#[test]
fn threads_change_nothing() {
    let one = levels(Level::Easy, Level::Random, 25, None, 1);
    for threads in [2, 3, 40] {
        assert_eq!(levels(Level::Easy, Level::Random, 25, None, threads), one);
    }
    assert_eq!(levels(Level::Easy, Level::Random, 25, None, 0), one);
}

#[test]
fn a_test_ends_the_match_at_the_same_pair_for_any_number_of_threads() {
    let one = levels(Level::Easy, Level::Random, 200, Some(test(100.0)), 1);
    let counts = one.score.counts;
    assert_eq!(one.score.sprt.unwrap().verdict, SprtVerdict::Passed);
    assert!(counts.pairs() < 100 && one.games.len() as u64 == counts.games() && !one.interrupted);
    assert_eq!(test(100.0).report(counts), one.score.sprt.unwrap());
    for threads in [2, 5] {
        assert_eq!(levels(Level::Easy, Level::Random, 200, Some(test(100.0)), threads), one);
    }
    let reversed = levels(Level::Random, Level::Easy, 200, Some(test(100.0)), 2);
    assert_eq!(reversed.score.sprt.unwrap().verdict, SprtVerdict::Failed);
}

#[test]
fn progress_comes_after_each_pair_in_order() {
    let (make_a, make_b, openings) = (make(Level::Random), make(Level::Random), openings(30));
    let setup = Match { threads: 3, ..free(contestant("a", &*make_a), contestant("b", &*make_b), &openings) };
    let mut heard: Vec<MatchScore> = Vec::new();
    let result = play_match(&setup, &|| false, &mut |progress| heard.push(*progress)).unwrap();
    let pairs: Vec<u64> = heard.iter().map(|progress| progress.counts.pairs()).collect();
    assert_eq!(pairs, (1..=30).collect::<Vec<_>>());
    assert!(heard.iter().all(|progress| progress.planned == 30));
    assert_eq!(heard.last(), Some(&result.score));
}

#[test]
fn forfeits_are_counted_and_end_nothing() {
    for (fault, word) in [
        (Fault::Illegal, "is not legal in"),
        (Fault::Ended, "has ended: exit status 1"),
        (Fault::Silent, "no answer within 5000 ms"),
    ] {
        let faulty = || Ok(Box::new(Faulty::new(fault)) as Box<dyn Player>);
        let (random, openings) = (make(Level::Random), openings(40));
        let setup = Match {
            seed: 2,
            ..free(contestant("random", &*random), contestant("faulty", &faulty), &openings)
        };
        let result = play(&setup);
        assert_eq!((result.score.counts.pairs(), result.games.len()), (40, 80));
        let forfeits: Vec<_> = result.games.iter().filter(|game| game.forfeit.is_some()).collect();
        assert!(forfeits.len() > 10 && forfeits.len() < 45, "{}", forfeits.len());
        for game in &forfeits {
            let forfeit = game.forfeit.as_ref().unwrap();
            assert!(game.a_won() && forfeit.contestant == 1);
            assert!(forfeit.reason.contains(word), "{}", forfeit.reason);
        }
        assert_eq!(result.score.forfeits, [0, forfeits.len() as u64]);
        assert_eq!(play(&Match { threads: 1, ..setup }), result);

        let swapped = play(&Match { a: setup.b, b: setup.a, ..setup });
        assert!(swapped.score.forfeits[0] > 0 && swapped.score.forfeits[1] == 0);
        assert!(swapped.games.iter().all(|game| game.forfeit.is_none() || !game.a_won()));
    }
}

#[test]
fn a_player_that_cannot_come_back_forfeits_the_rest() {
    let made = AtomicU32::new(0);
    let once = || {
        if made.fetch_add(1, Ordering::Relaxed) == 0 {
            Ok(Box::new(Faulty::new(Fault::Ended)) as Box<dyn Player>)
        } else {
            Err("no such program".into())
        }
    };
    let (random, openings) = (make(Level::Random), openings(20));
    let setup = Match {
        seed: 2,
        threads: 1,
        ..free(contestant("random", &*random), contestant("gone", &once), &openings)
    };
    let result = play(&setup);
    let last = result.games.last().unwrap();
    assert_eq!(last.forfeit.as_ref().unwrap().reason, "no such program");
    assert_eq!(result.score.counts.pairs(), 20);

    // A player that never comes is the caller's mistake.
    let error = play_match(&setup, &|| false, &mut |_| {}).unwrap_err();
    assert_eq!(error.to_string(), "cannot seat gone: no such program");
}

#[test]
fn an_interrupt_ends_the_match_with_the_pairs_counted() {
    let (make_a, make_b, openings) = (make(Level::Random), make(Level::Random), openings(500));
    let setup = free(contestant("a", &*make_a), contestant("b", &*make_b), &openings);
    let pairs = AtomicU32::new(0);
    let result = play_match(&setup, &|| pairs.load(Ordering::Relaxed) >= 10, &mut |_| {
        pairs.fetch_add(1, Ordering::Relaxed);
    })
    .unwrap();
    assert!(result.interrupted);
    let counted = result.score.counts.pairs();
    assert!((10..500).contains(&counted) && result.games.len() as u64 == 2 * counted, "{counted}");
}

#[test]
fn limits_reach_the_players() {
    let patient = || Ok(Box::new(Patient(LevelPlayer::new(Level::Random))) as Box<dyn Player>);
    let openings = openings(1);
    let time = Duration::from_millis(5);
    let setup = Match {
        rules: GameRules { visits: Some(7), time: Some(time), adjudicate: false },
        threads: 1,
        ..free(contestant("a", &patient), contestant("b", &patient), &openings)
    };
    let begin = Instant::now();
    let moves: usize = play(&setup).games.iter().map(|game| game.values.len()).sum();
    assert!(begin.elapsed() >= time * moves as u32);
}

#[test]
fn adjudicated_games_end_early_with_the_proven_winner() {
    let (make_a, make_b, openings) = (make(Level::Hard), make(Level::Hard), openings(3));
    let setup = Match {
        rules: GameRules { adjudicate: true, ..FREE },
        ..free(contestant("a", &*make_a), contestant("b", &*make_b), &openings)
    };
    for game in play(&setup).games {
        let mut positions = vec![game.start];
        for m in &game.moves {
            positions.push(positions[positions.len() - 1].play(*m).unwrap());
        }
        let (last, earlier) = positions.split_last().unwrap();
        assert_eq!(last.verdict(), Some(game.winner));
        assert!(earlier.iter().all(|position| position.verdict().is_none()));
    }
}

#[test]
fn the_report_has_the_promised_keys() {
    let result = levels(Level::Easy, Level::Random, 5, Some(test(35.0)), 2);
    let report = serde_json::to_value(MatchReport::new("easy", "random", 6, &result.score)).unwrap();
    let keys: HashSet<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    let promised = "a b size games wins_a wins_b pairs score_a elo elo_interval sprt forfeits_a forfeits_b";
    assert_eq!(keys, promised.split(' ').collect());
    assert_eq!((&report["games"], &report["size"]), (&10.into(), &6.into()));
    assert_eq!(report["pairs"].as_array().unwrap().len(), 3);
    assert_eq!(report["sprt"]["verdict"], "open");
    let keys: HashSet<&str> = report["sprt"].as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(keys, HashSet::from(["llr", "lower", "upper", "verdict"]));
    let without = levels(Level::Easy, Level::Random, 1, None, 1);
    assert!(serde_json::to_value(MatchReport::new("a", "b", 6, &without.score)).unwrap()["sprt"].is_null());
}

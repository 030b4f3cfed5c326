#![expect(clippy::float_cmp, reason = "weights are copied, and sums of whole numbers are exact")]

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::Ordering;

use hippolyta_game::Board;
use hippolyta_search::fakes::OpinionatedEvaluator;
use hippolyta_search::{Evaluation, Query, UniformEvaluator};

use super::*;
use crate::boards::{BoardShare, Boards};
use crate::record::{GameRecord, OpeningKind};
use crate::record_file::{RecordFolder, read_folder};
use crate::testing::{config, search_config};

const MODEL: ModelHash = [7; 32];

/// A generation in a folder of its own, with the answers of [`play`].
struct Played {
    folder: tempfile::TempDir,
    stats: GenerationStats,
}

impl Played {
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        files(self.folder.path())
    }

    fn records(&self) -> Vec<GameRecord> {
        read_folder(self.folder.path()).unwrap().flat_map(|file| file.unwrap().records).collect()
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(Result::unwrap);
    entries.map(|entry| (entry.file_name().into_string().unwrap(), fs::read(entry.path()).unwrap())).collect()
}

fn opinionated(_worker: usize) -> Box<dyn Evaluator + Send> {
    Box::new(OpinionatedEvaluator { seed: 1 })
}

/// Generation 2 of the run with seed 11.
fn job<'a>(
    config: &'a SelfplayConfig,
    search: &'a SearchConfig,
    files: &'a dyn RecordFiles,
    threads: usize,
    stop: &'a AtomicBool,
) -> Generation<'a> {
    let job = Generation::of_no_run(config, search, files, threads, stop);
    Generation { model: MODEL, run_seed: 11, generation: 2, ..job }
}

fn play_in(folder: &Path, config: &SelfplayConfig, threads: usize) -> Result<GenerationStats, SelfplayError> {
    let stop = AtomicBool::new(false);
    let search = search_config();
    let files = RecordFolder(folder);
    let job = job(config, &search, &files, threads, &stop);
    Ok(play_generation(&job, opinionated, |_| {})?.stats)
}

fn play(config: &SelfplayConfig, threads: usize) -> Played {
    let folder = tempfile::tempdir().unwrap();
    let stats = play_in(folder.path(), config, threads).unwrap();
    Played { folder, stats }
}

#[test]
fn leaves_whole_files_of_games_in_order() {
    let played = play(&config(), 1);
    let names: Vec<_> = played.files().into_keys().collect();
    assert_eq!(names, ["00000000.games", "00000004.games", "00000008.games"]);
    let records = played.records();
    assert_eq!(records.iter().map(|record| record.game).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    assert!(records.iter().all(|record| record.model == MODEL && record.generation == 2));
    let distinct: HashSet<_> = records.iter().map(|record| &record.moves).collect();
    assert_eq!(distinct.len(), 10, "no game is played twice");
}

#[test]
fn threads_and_games_in_flight_change_no_byte() {
    let alone = play(&config(), 1);
    for (threads, games_in_flight) in [(1, 3), (3, 1), (2, 100)] {
        let other = play(&SelfplayConfig { games_in_flight, ..config() }, threads);
        assert_eq!(other.files(), alone.files(), "{threads} threads, {games_in_flight} games in flight");
        assert_eq!(other.stats, alone.stats);
    }
}

#[test]
fn an_interrupted_run_ends_with_the_same_bytes() {
    let whole = play(&config(), 1);
    let all = whole.files();
    let again = play(&config(), 1);
    let path = |name: &str| again.folder.path().join(name);

    // Files that a kill has kept from being written.
    fs::remove_file(path("00000000.games")).unwrap();
    fs::remove_file(path("00000008.games")).unwrap();
    fs::write(path(".writing-abc"), "half a file").unwrap();
    assert_eq!(play_in(again.folder.path(), &config(), 2).unwrap(), whole.stats);
    fs::remove_file(path(".writing-abc")).unwrap();
    assert_eq!(again.files(), all);

    // A damaged and a shortened file.
    let mut bytes = all["00000004.games"].clone();
    bytes[100] ^= 1;
    fs::write(path("00000004.games"), bytes).unwrap();
    fs::write(path("00000008.games"), "").unwrap();
    assert_eq!(play_in(again.folder.path(), &config(), 1).unwrap(), whole.stats);
    assert_eq!(again.files(), all);

    // Nothing to do: no evaluator is asked, no file touched.
    assert_eq!(play_in(again.folder.path(), &config(), 1).unwrap(), whole.stats);
    assert_eq!(again.files(), all);
}

#[test]
fn stops_at_once_and_goes_on_later() {
    let whole = play(&config(), 1);
    let folder = tempfile::tempdir().unwrap();
    let (stop, search, config) = (AtomicBool::new(false), search_config(), config());
    let files_of = RecordFolder(folder.path());
    let job = job(&config, &search, &files_of, 2, &stop);
    let stopped = play_generation(&job, opinionated, |progress| {
        if progress.games == 5 {
            stop.store(true, Ordering::Relaxed);
        }
    });
    assert!(matches!(stopped, Err(SelfplayError::Interrupted)), "{stopped:?}");
    let left = files(folder.path());
    assert!(left.len() < 3 && left.iter().all(|(name, bytes)| whole.files()[name] == *bytes));
    stop.store(false, Ordering::Relaxed);

    let snapshots = Mutex::new(Vec::new());
    let played =
        play_generation(&job, opinionated, |progress| snapshots.lock().unwrap().push(*progress)).unwrap();
    // What a stage made is given, and is what lies in the files.
    let given: Vec<GameRecord> = played.files.into_iter().flat_map(|(_, records)| records).collect();
    assert_eq!(given, whole.records());
    let stats = played.stats;
    assert_eq!(stats, whole.stats);
    assert_eq!(files(folder.path()), whole.files());
    let snapshots = snapshots.into_inner().unwrap();
    assert_eq!((snapshots[0].all_games, snapshots[0].games), (10, 4 * left.len() as u64));
    let last = snapshots.iter().max_by_key(|progress| progress.plies).unwrap();
    let counted = (last.games, last.positions, last.evaluations, last.visits);
    assert_eq!(counted, (stats.games, stats.positions, stats.evaluations, stats.visits));
}

#[test]
fn refuses_files_of_another_run() {
    let played = play(&config(), 1);
    let folder = played.folder.path();
    let foreign = |found: Result<GenerationStats, SelfplayError>| match found {
        Err(SelfplayError::Foreign { what, .. }) => what,
        other => panic!("{other:?}"),
    };
    let (stop, search, config) = (AtomicBool::new(false), search_config(), config());
    let files_of = RecordFolder(folder);
    let job = job(&config, &search, &files_of, 1, &stop);
    let played = |job: &Generation<'_>| play_generation(job, opinionated, |_| {}).map(|played| played.stats);
    let seed = Generation { run_seed: 12, ..job };
    assert_eq!(foreign(played(&seed)), "the seed");
    let model = Generation { model: [8; 32], ..job };
    assert_eq!(foreign(played(&model)), "the network");
    let other = SelfplayConfig { games_per_file: 3, ..config.clone() };
    assert_eq!(foreign(play_in(folder, &other, 1)), "its first game");
    let next = Generation { generation: 3, ..job };
    assert_eq!(foreign(played(&next)), "the generation");
}

#[test]
fn records_say_what_was_searched() {
    let mut config = config();
    config.games = 40;
    config.decided_value = 0.3;
    let played = play(&config, 2);
    let records = played.records();
    let searched = || records.iter().flat_map(|record| &record.searched);
    let full = searched().filter(|search| search.full).count();
    let share = full as f64 / searched().count() as f64;
    assert!((share - config.full_share).abs() < 0.06, "{share}");
    for search in searched().filter(|search| search.weight == 1.0) {
        // A search that proves its root ends early.
        assert!(search.visited.len() <= if search.full { 8 } else { 3 });
    }
    // Openings are drawn without a search, and from 0 to 4 plies long.
    let openings: BTreeSet<_> =
        records.iter().map(|record| record.searched.first().map_or(0, |search| search.ply)).collect();
    assert_eq!(openings, (0..=4).collect());
    for record in &records {
        let first = record.searched.first().map_or(record.moves.len(), |search| search.ply.into());
        assert_eq!(first, usize::from(record.opening.plies));
        let plies: Vec<_> = record.searched.iter().map(|search| usize::from(search.ply)).collect();
        let first = plies.first().copied().unwrap_or(record.moves.len());
        assert_eq!(plies, (first..record.moves.len()).collect::<Vec<_>>());
        check_weights(record, &config);
    }
    assert!(searched().any(|search| search.weight == config.decided_weight));
    assert!(searched().all(|search| !search.proven || search.improved_value.abs() == 1.0));
    assert!(searched().any(|search| search.proven));
    assert!(searched().any(|search| search.improved_value != search.value));
    assert!(searched().any(|search| search.surprise > 0.0));

    let stats = played.stats;
    assert_eq!((stats.games, stats.positions), (40, full as u64));
    let plies: usize = records.iter().map(|record| record.moves.len()).sum();
    assert_eq!(stats.mean_plies, plies as f64 / 40.0);
    assert!(stats.ended_by_verdict > 0.2 && stats.mean_plies_saved > 0.0, "{stats:?}");
    assert_eq!(stats.evaluations, records.iter().map(|record| u64::from(record.evaluations)).sum::<u64>());
}

#[test]
fn a_share_of_the_games_begins_with_moves_drawn_from_all() {
    let mut config = SelfplayConfig { games: 60, uniform_value: 1.0, ..config() };
    let starts = |config: &SelfplayConfig| {
        let records = play(config, 2).records();
        let uniform: Vec<u16> = records
            .iter()
            .filter(|record| record.opening.kind == OpeningKind::Uniform)
            .map(|record| record.opening.plies)
            .collect();
        uniform
    };
    let some = starts(&config);
    assert!((6..=25).contains(&some.len()), "{some:?}");
    assert_eq!(some.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([2, 3]));
    config.uniform_share = 0.0;
    assert!(starts(&config).is_empty());
    // No start is open enough: after its attempts each game begins with none.
    (config.uniform_share, config.uniform_value) = (1.0, 0.0);
    assert_eq!(starts(&config), [0; 60]);
    // A few are. Their values are within the limit, and are drawn again until they are.
    config.uniform_value = 0.3;
    let records = play(&config, 1).records();
    let kept = records.iter().filter(|record| record.opening.plies > 0);
    let first = kept.filter_map(|record| record.searched.first());
    let values: Vec<f32> = first.map(|search| search.network_value.abs()).collect();
    assert!(values.len() > 30 && values.iter().all(|value| f64::from(*value) <= 0.3), "{values:?}");
}

/// The lower weight belongs to the plies after enough values in a row for one side, and to no others.
fn check_weights(record: &GameRecord, config: &SelfplayConfig) {
    let white: Vec<f32> =
        record.searched_positions().map(|(position, search)| position.side().signed(search.value)).collect();
    for (index, search) in record.searched.iter().enumerate() {
        let turns = config.decided_turns as usize;
        let last = &white[index.saturating_sub(turns)..index];
        let limit = config.decided_value as f32;
        let decided = last.len() == turns
            && (last.iter().all(|value| *value > limit) || last.iter().all(|value| *value < -limit));
        assert_eq!(search.weight, if decided { config.decided_weight } else { 1.0 });
        assert!(!decided || search.visited.len() <= config.decided_visits as usize);
    }
}

#[test]
fn without_verdicts_games_are_played_to_the_last_move() {
    let config = SelfplayConfig { end_by_verdict: false, games: 4, ..config() };
    let played = play(&config, 1);
    for record in played.records() {
        let last = record.positions().last().unwrap();
        assert_eq!(last.winner(), Some(record.outcome.winner));
    }
    assert_eq!((played.stats.ended_by_verdict, played.stats.mean_plies_saved), (0.0, 0.0));
}

#[test]
fn plays_several_boards_in_their_shares() {
    let mut config = config();
    config.boards = Boards(vec![BoardShare::always(Board::SIX, 3.0), BoardShare::always(Board::EIGHT, 1.0)]);
    config.games = 20;
    config.full_share = 0.0;
    let sizes: Vec<_> =
        play(&config, 2).records().iter().map(|record| record.start.board().files()).collect();
    let large = sizes.iter().map(|size| usize::from(*size == 8)).sum::<usize>();
    assert!((2..=9).contains(&large), "{sizes:?}");
}

#[test]
fn a_failing_evaluator_stops_all_workers() {
    struct Failing(u32);
    impl Evaluator for Failing {
        fn evaluate(&mut self, queries: &[Query<'_>], answers: &mut [Evaluation]) {
            assert!(self.0 > 0, "the device is gone");
            self.0 -= 1;
            UniformEvaluator.evaluate(queries, answers);
        }
    }
    let folder = tempfile::tempdir().unwrap();
    let (stop, search) = (AtomicBool::new(false), search_config());
    let config = SelfplayConfig { games: 100_000, ..config() };
    let job = Generation {
        config: &config,
        search: &search,
        model: MODEL,
        run_seed: 1,
        generation: 0,
        files: &RecordFolder(folder.path()),
        threads: 2,
        stop: &stop,
    };
    let make = |worker: usize| -> Box<dyn Evaluator + Send> {
        if worker == 0 { Box::new(Failing(50)) } else { Box::new(UniformEvaluator) }
    };
    let caught =
        std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play_generation(&job, make, |_| {})));
    assert!(caught.is_err());
}

#[test]
fn names_the_folder_that_cannot_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "").unwrap();
    let error = play_in(&path.join("games"), &config(), 1).unwrap_err();
    assert!(error.to_string().starts_with(&path.join("games").display().to_string()), "{error}");
    let wrong = SelfplayConfig { games: 0, ..config() };
    assert!(matches!(play_in(folder.path(), &wrong, 1), Err(SelfplayError::Config(_))));
}

//! Whole trainings of a tiny network.

use std::fs;

use hippolyta_game::Board;
use hippolyta_model::features::PLANES;
use hippolyta_selfplay::GameRecord;

use super::*;
use crate::testing::{config, record};

fn spec() -> NetSpec {
    NetSpec { value_hidden: 16, ..NetSpec::with_trunk(1, 16, &[0]) }
}

fn window(games: u64) -> ReplayWindow {
    let mut window = ReplayWindow::new(config().window);
    let board = |seed| if seed % 4 == 3 { Board::EIGHT } else { Board::SIX };
    let records: Vec<GameRecord> = (0..games).map(|seed| record(board(seed), seed)).collect();
    window.extend(&records);
    window
}

/// A configuration under which `steps` are due for `window`.
fn due(steps: u64, window: &ReplayWindow) -> TrainConfig {
    let batch = config().batch;
    TrainConfig { passes: (steps as f64 + 0.5) * batch as f64 / window.made() as f64, ..config() }
}

fn open(config: &TrainConfig, folder: &Path) -> Trainer {
    let (trainer, refused) = Trainer::open(config, &spec(), 11, folder).unwrap();
    assert_eq!(refused, []);
    trainer
}

fn go_on(_: &StepReport) -> ControlFlow<()> {
    ControlFlow::Continue(())
}

fn bits(weights: &Weights) -> Vec<u32> {
    weights.iter().flat_map(|(_, data)| data.iter().map(|x| x.to_bits())).collect()
}

#[test]
fn losses_fall_on_a_small_set() {
    let window = window(3);
    for precision in [TrainPrecision::F32, TrainPrecision::Bf16] {
        let folder = tempfile::tempdir().unwrap();
        let config = TrainConfig { precision, ..due(120, &window) };
        let mut trainer = open(&config, folder.path());
        let mut reports = Vec::new();
        let report = trainer
            .generation(&window, 0, 0.0, folder.path(), &mut |step| {
                reports.push(*step);
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!((report.steps, reports.len(), report.finished), (120, 120, true));
        let mean = |reports: &[StepReport], loss: fn(&Losses) -> f64| {
            reports.iter().map(|report| loss(&report.losses)).sum::<f64>() / reports.len() as f64
        };
        let falls = |what: &str, by: f64, loss: fn(&Losses) -> f64| {
            let (before, after) = (mean(&reports[..10], loss), mean(&reports[110..], loss));
            assert!(after < before - by, "{what} {precision:?}: {before} to {after}");
        };
        falls("policy", 0.02, |losses| losses.policy);
        falls("value", 0.05, |losses| losses.value);
        falls("owner", 0.04, |losses| losses.owner);
        falls("margin", 0.3, |losses| losses.margin);
        falls("total", 0.15, |losses| losses.total);
    }
}

#[test]
fn killed_and_resumed_gives_the_bytes_of_a_straight_run() {
    let window = window(8);
    let config = TrainConfig { checkpoint_steps: 10, ..due(20, &window) };
    let (straight, killed) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut trainer = open(&config, straight.path());
    let losses = trainer.generation(&window, 0, 0.3, straight.path(), &mut go_on).unwrap().losses;
    let expected = trainer.averaged().unwrap();

    // Killed in step 13: what is left is the checkpoint of step 10.
    let folder = killed.path();
    let result = std::panic::catch_unwind(|| {
        open(&config, folder).generation(&window, 0, 0.3, folder, &mut |report| {
            assert!(report.step < 13, "killed");
            ControlFlow::Continue(())
        })
    });
    assert!(result.is_err());
    let mut trainer = open(&config, folder);
    let progress = trainer.progress();
    assert_eq!((progress.step, progress.generations, progress.positions), (10, 0, window.made()));
    let report = trainer.generation(&window, 0, 0.3, folder, &mut go_on).unwrap();
    assert_eq!((report.steps, report.losses), (10, losses));
    assert_eq!(bits(&trainer.averaged().unwrap()), bits(&expected));
    let name = "g000001-s0000000020.checkpoint";
    assert_eq!(fs::read(straight.path().join(name)).unwrap(), fs::read(folder.join(name)).unwrap());

    // Once more after the end: nothing is due, and the network is the same.
    let mut trainer = open(&config, folder);
    let report = trainer.generation(&window, 0, 0.3, folder, &mut go_on).unwrap();
    assert_eq!((report.steps, report.losses), (0, losses));
    assert_eq!(bits(&trainer.averaged().unwrap()), bits(&expected));
}

#[test]
fn a_watcher_that_breaks_off_loses_nothing() {
    let window = window(8);
    let config = due(12, &window);
    let (straight, broken) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let mut trainer = open(&config, straight.path());
    trainer.generation(&window, 0, 0.0, straight.path(), &mut go_on).unwrap();
    let expected = bits(&trainer.averaged().unwrap());
    let report = open(&config, broken.path())
        .generation(&window, 0, 0.0, broken.path(), &mut |report| {
            if report.step == 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        })
        .unwrap();
    assert_eq!((report.steps, report.finished), (7, false));
    let mut trainer = open(&config, broken.path());
    assert_eq!((trainer.progress().step, trainer.progress().generations), (7, 0));
    trainer.generation(&window, 0, 0.0, broken.path(), &mut go_on).unwrap();
    assert_eq!(bits(&trainer.averaged().unwrap()), expected);
}

#[test]
fn a_trained_network_is_exported_with_its_ranges() {
    let window = window(8);
    let folder = tempfile::tempdir().unwrap();
    let mut trainer = open(&due(5, &window), folder.path());
    trainer.generation(&window, 0, 0.0, folder.path(), &mut go_on).unwrap();
    let history = BTreeMap::from([("generation".to_owned(), "0".to_owned())]);
    let model = trainer.export(&window.spread(20), &window.spread(30), history.clone()).unwrap();
    let calibration = model.calibration.as_ref().unwrap();
    assert_eq!((calibration.positions, &model.history), (20, &history));
    assert!(calibration.maxima.iter().all(|most| *most > 0.0), "{calibration:?}");
    assert_eq!(calibration.deviation.map(|deviation| deviation.positions), Some(30));
    assert_eq!(ModelFile::from_bytes(&model.to_bytes()).unwrap(), model);
    let error = trainer.export(&[], &[], history).unwrap_err().to_string();
    assert!(error.contains("calibration over 0 positions"), "{error}");
}

#[test]
fn threads_change_no_byte() {
    let window = window(40);
    let config = TrainConfig { batch: 300, ..due(3, &window) };
    let config = TrainConfig { passes: config.passes * 300.0 / due(3, &window).batch as f64, ..config };
    let trained = |threads| {
        let folder = tempfile::tempdir().unwrap();
        let mut trainer = open(&TrainConfig { threads, ..config.clone() }, folder.path());
        let report = trainer.generation(&window, 0, 0.0, folder.path(), &mut go_on).unwrap();
        assert_eq!(report.steps, 3);
        bits(&trainer.averaged().unwrap())
    };
    let one = trained(1);
    assert!((2..=3).all(|threads| trained(threads) == one));
}

#[test]
fn another_seed_is_another_training() {
    let window = window(8);
    let config = due(2, &window);
    let folder = tempfile::tempdir().unwrap();
    open(&config, folder.path()).generation(&window, 0, 0.0, folder.path(), &mut go_on).unwrap();
    let error = Trainer::open(&config, &spec(), 12, folder.path()).unwrap_err().to_string();
    assert!(error.contains("another seed"), "{error}");
    // Fewer or more threads are no other training.
    let threads = TrainConfig { threads: 2, ..config.clone() };
    assert_eq!(open(&threads, folder.path()).progress().step, 2);
    let faster = TrainConfig { passes: 9.0, ..config };
    assert!(Trainer::open(&faster, &spec(), 11, folder.path()).is_err());
}

#[test]
fn what_cannot_be_trained_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let window = window(8);
    let fault =
        |config: &TrainConfig| Trainer::open(config, &spec(), 1, folder.path()).unwrap_err().to_string();
    let device = TrainConfig { device: "gpu".to_owned(), ..config() };
    assert_eq!(fault(&device), "device = 'gpu' is unknown: expected cpu, cuda or cuda:N");
    assert!(fault(&TrainConfig { threads: 0, ..config() }).starts_with("threads = 0"));

    let mut wild = due(50, &window);
    wild.optimizer.learning_rate = 1e30;
    wild.optimizer.warmup_steps = 0;
    let mut trainer = open(&wild, folder.path());
    let error = trainer.generation(&window, 0, 0.0, folder.path(), &mut go_on).unwrap_err().to_string();
    assert!(error.contains("training has diverged"), "{error}");

    let mut weightless = record(Board::SIX, 1);
    weightless.searched.iter_mut().for_each(|search| search.weight = 0.0);
    let mut empty = ReplayWindow::new(config().window);
    empty.extend([&weightless]);
    let mut trainer = open(&config(), folder.path());
    let error = trainer.generation(&empty, 0, 0.0, folder.path(), &mut go_on).unwrap_err().to_string();
    assert!(error.starts_with("steps are due, but the window's"), "{error}");
}

/// Norms are trained on batches of one board and shipped with statistics over all boards.
#[test]
fn the_shipped_average_is_as_good_as_the_trained_network_on_every_board() {
    let folder = tempfile::tempdir().unwrap();
    let mut window = ReplayWindow::new(config().window);
    let games = |board| (0..6).map(move |seed| record(board, seed));
    window.extend(&Board::PLAYED.into_iter().flat_map(games).collect::<Vec<_>>());
    let mut trainer = open(&due(200, &window), folder.path());
    trainer.generation(&window, 0, 0.0, folder.path(), &mut go_on).unwrap();
    for board in Board::PLAYED {
        let mut own = ReplayWindow::new(config().window);
        own.extend(&games(board).collect::<Vec<_>>());
        let batch = Batch::new(&own.draw(1, 64), 0.5, 2);
        let (dim, weights) = (16, &config().loss);
        let shape = [64, board.area() as i64, PLANES as i64];
        let planes = Tensor::from_slice(&batch.planes).view(shape);
        let shipped = trainer.average.forward_frozen(&planes, board);
        let shipped = losses(&shipped, dim, &batch, weights, &trainer.pool).0;
        let trained = trainer.net.forward_training(&planes, board, Precision::F32);
        let trained = losses(&trained, dim, &batch, weights, &trainer.pool).0;
        assert!(shipped.total < trained.total + 0.1, "{board}: {shipped:?} and {trained:?}");
    }
}

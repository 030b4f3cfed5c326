//! Whole trainings of a tiny network.

use hippolyta_game::Board;
use hippolyta_model::Head;
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

fn new(config: &TrainConfig) -> Trainer {
    Trainer::new(config, &spec(), 11, None).unwrap()
}

/// A training that goes on from a checkpoint.
fn restored(config: &TrainConfig, checkpoint: &[u8]) -> Trainer {
    let mut trainer = new(config);
    trainer.restore(checkpoint).unwrap();
    trainer
}

/// A place for checkpoints, the newest last.
fn keep(kept: &mut Vec<Vec<u8>>) -> impl FnMut(&Trainer) -> Result<(), SaveError> {
    |trainer| {
        kept.push(trainer.checkpoint());
        Ok(())
    }
}

#[expect(clippy::unnecessary_wraps, reason = "a generation asks for this form")]
fn forget(_: &Trainer) -> Result<(), SaveError> {
    Ok(())
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
        let config = TrainConfig { precision, ..due(120, &window) };
        let mut reports = Vec::new();
        let mut watch = |step: &StepReport| {
            reports.push(*step);
            ControlFlow::Continue(())
        };
        let report = new(&config).generation(&window, 0, 0.0, &mut watch, &mut forget).unwrap();
        assert_eq!((report.steps, reports.len(), report.finished), (120, 120, true));
        let mean = |reports: &[StepReport], loss: fn(&Losses) -> f64| {
            reports.iter().map(|report| loss(&report.losses)).sum::<f64>() / reports.len() as f64
        };
        let falls = |what: &str, by: f64, loss: fn(&Losses) -> f64| {
            let (before, after) = (mean(&reports[..10], loss), mean(&reports[110..], loss));
            assert!(after < before - by, "{what} {precision:?}: {before} to {after}");
        };
        falls("policy", 0.02, |losses| losses.of(Head::Policy));
        falls("value", 0.05, |losses| losses.of(Head::Value));
        falls("owner", 0.04, |losses| losses.of(Head::Owner));
        falls("margin", 0.3, |losses| losses.of(Head::Margin));
        falls("total", 0.15, |losses| losses.total);
    }
}

#[test]
fn killed_and_resumed_gives_the_bytes_of_a_straight_run() {
    let window = window(8);
    let config = TrainConfig { checkpoint_steps: 10, ..due(20, &window) };
    let mut kept = Vec::new();
    let mut trainer = new(&config);
    let losses = trainer.generation(&window, 0, 0.3, &mut go_on, &mut keep(&mut kept)).unwrap().losses;
    let expected = trainer.averaged(&[]).unwrap();
    assert_eq!(kept.len(), 2);

    // Killed after step 10: what is left is its checkpoint.
    let mut trainer = restored(&config, &kept[0]);
    let progress = trainer.progress();
    assert_eq!((progress.step, progress.generations, progress.positions), (10, 0, window.made()));
    let mut again = Vec::new();
    let report = trainer.generation(&window, 0, 0.3, &mut go_on, &mut keep(&mut again)).unwrap();
    assert_eq!((report.steps, report.losses), (10, losses));
    assert_eq!(bits(&trainer.averaged(&[]).unwrap()), bits(&expected));
    assert_eq!(again, kept[1..]);

    // Once more after the end: nothing is due, and the network is the same.
    let mut trainer = restored(&config, &kept[1]);
    let report = trainer.generation(&window, 0, 0.3, &mut go_on, &mut forget).unwrap();
    assert_eq!((report.steps, report.losses), (0, losses));
    assert_eq!(bits(&trainer.averaged(&[]).unwrap()), bits(&expected));
}

#[test]
fn a_watcher_that_breaks_off_loses_nothing() {
    let window = window(8);
    let config = due(12, &window);
    let mut trainer = new(&config);
    trainer.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
    let expected = bits(&trainer.averaged(&[]).unwrap());
    let mut break_off = |report: &StepReport| {
        if report.step == 6 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let mut kept = Vec::new();
    let report = new(&config).generation(&window, 0, 0.0, &mut break_off, &mut keep(&mut kept)).unwrap();
    assert_eq!((report.steps, report.finished), (7, false));
    let mut trainer = restored(&config, &kept[0]);
    assert_eq!((trainer.progress().step, trainer.progress().generations), (7, 0));
    trainer.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
    assert_eq!(bits(&trainer.averaged(&[]).unwrap()), expected);
}

#[test]
fn a_trained_network_is_exported_with_its_ranges() {
    let window = window(8);
    let mut trainer = new(&due(5, &window));
    trainer.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
    let history = BTreeMap::from([("generation".to_owned(), "0".to_owned())]);
    let model = trainer.export(&window, history.clone()).unwrap();
    let calibration = model.calibration.as_ref().unwrap();
    let positions = window.len() as u64;
    assert_eq!((calibration.positions, &model.history), (positions, &history));
    assert!(calibration.maxima.iter().all(|most| *most > 0.0), "{calibration:?}");
    assert_eq!(calibration.deviation.map(|deviation| deviation.positions), Some(positions));
    assert_eq!(ModelFile::from_bytes(&model.to_bytes()).unwrap(), model);
    let empty = ReplayWindow::new(config().window);
    let error = trainer.export(&empty, history).unwrap_err().to_string();
    assert!(error.contains("calibration over 0 positions"), "{error}");
}

#[test]
fn threads_change_no_byte() {
    let window = window(40);
    let config = TrainConfig { batch: 300, ..due(3, &window) };
    let config = TrainConfig { passes: config.passes * 300.0 / due(3, &window).batch as f64, ..config };
    let trained = |threads| {
        let mut trainer = new(&TrainConfig { threads, ..config.clone() });
        let report = trainer.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
        assert_eq!(report.steps, 3);
        bits(&trainer.averaged(&[]).unwrap())
    };
    let one = trained(1);
    assert!((2..=3).all(|threads| trained(threads) == one));
}

#[test]
fn another_seed_is_another_training() {
    let window = window(8);
    let config = due(2, &window);
    let mut kept = Vec::new();
    new(&config).generation(&window, 0, 0.0, &mut go_on, &mut keep(&mut kept)).unwrap();
    let mut other = Trainer::new(&config, &spec(), 12, None).unwrap();
    let error = other.restore(&kept[0]).unwrap_err().to_string();
    assert!(error.contains("another seed"), "{error}");
    // Fewer or more threads are no other training.
    let threads = TrainConfig { threads: 2, ..config.clone() };
    assert_eq!(restored(&threads, &kept[0]).progress().step, 2);
    let faster = TrainConfig { passes: 9.0, ..config };
    let error = new(&faster).restore(&kept[0]).unwrap_err().to_string();
    assert!(error.contains("train.passes differs"), "{error}");
}

#[test]
fn a_training_can_begin_with_the_weights_of_another() {
    let window = window(8);
    let mut first = new(&due(5, &window));
    first.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
    let model = first.export(&window, BTreeMap::new()).unwrap();
    let second = Trainer::new(&config(), &spec(), 12, Some(&model)).unwrap();
    assert_eq!(second.progress().step, 0);
    // Norms are folded again, which rounds.
    for ((_, before), (_, after)) in model.weights.iter().zip(second.averaged(&[]).unwrap().iter()) {
        assert!(before.iter().zip(after).all(|(a, b)| (a - b).abs() <= 1e-4 * (1.0 + a.abs())));
    }
    let other = NetSpec { value_hidden: 32, ..spec() };
    assert!(matches!(Trainer::new(&config(), &other, 12, Some(&model)), Err(TrainError::OtherNetwork)));
    // Its checkpoints are those of a training that began so.
    let error = new(&config()).restore(&second.checkpoint()).unwrap_err().to_string();
    assert!(error.contains("another seed"), "{error}");
    let error =
        Trainer::new(&config(), &spec(), 12, None).unwrap().restore(&second.checkpoint()).unwrap_err();
    assert!(error.to_string().contains("other weights"), "{error}");
}

#[test]
fn what_cannot_be_trained_is_told() {
    let window = window(8);
    let fault = |config: &TrainConfig| Trainer::new(config, &spec(), 1, None).unwrap_err().to_string();
    let device = TrainConfig { device: "gpu".to_owned(), ..config() };
    assert_eq!(fault(&device), "device = 'gpu' is unknown: expected cpu, cuda or cuda:N");
    assert!(fault(&TrainConfig { threads: 0, ..config() }).starts_with("threads = 0"));

    let mut wild = due(50, &window);
    wild.optimizer.learning_rate = 1e30;
    wild.optimizer.warmup_steps = 0;
    let error = new(&wild).generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap_err().to_string();
    assert!(error.contains("training has diverged"), "{error}");

    let mut weightless = record(Board::SIX, 1);
    weightless.searched.iter_mut().for_each(|search| search.weight = 0.0);
    let mut empty = ReplayWindow::new(config().window);
    empty.extend([&weightless]);
    let error = new(&config()).generation(&empty, 0, 0.0, &mut go_on, &mut forget).unwrap_err().to_string();
    assert!(error.starts_with("steps are due, but the window's"), "{error}");

    let mut full = |_: &Trainer| Err("the disk is full".into());
    let error = new(&due(2, &window)).generation(&window, 0, 0.0, &mut go_on, &mut full).unwrap_err();
    assert_eq!(error.to_string(), "the disk is full");
}

/// Norms are trained on batches of one board and shipped with statistics over all boards.
#[test]
fn the_shipped_average_is_as_good_as_the_trained_network_on_every_board() {
    let mut window = ReplayWindow::new(config().window);
    let games = |board| (0..6).map(move |seed| record(board, seed));
    window.extend(&Board::PLAYED.into_iter().flat_map(games).collect::<Vec<_>>());
    let mut trainer = new(&due(200, &window));
    trainer.generation(&window, 0, 0.0, &mut go_on, &mut forget).unwrap();
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

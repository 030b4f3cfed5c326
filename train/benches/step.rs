//! Samples a second of the whole trainer, beside the trunk alone in bare libtorch, in one run.
//!
//! The trainer draws its samples, turns and writes their planes, computes all losses and takes the optimiser's step.
//! The yardstick computes nothing but the trunk's convolutions and norms, forwards and backwards, on planes that lie
//! ready, with libtorch's own threads over one whole batch: what a machine allows such a network at most.
//!
//! `cargo bench -p hippolyta-train --features torch` measures 6x64 at batch 256 on one thread and on two; nothing
//! else should be running.
#![expect(clippy::print_stdout, reason = "the table is what this program is for")]

use std::error::Error;
use std::ops::ControlFlow;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use hippolyta_game::Board;
use hippolyta_model::NetSpec;
use hippolyta_search::{SearchConfig, UniformEvaluator};
use hippolyta_selfplay::{Generation, RecordFolder, SelfplayConfig, play_generation};
use hippolyta_train::{ReplayWindow, StepReport, TrainConfig, TrainPrecision, Trainer};
use serde::Deserialize;
use tch::{Device, Kind, Tensor};

/// The constants are those that configurations have in common, but for what is measured.
const CONFIG: &str = include_str!("../../configs/base.toml");
/// How long each figure is measured, in all rounds.
const MEASURED: Duration = Duration::from_secs(4);
/// The trainer and the yardstick take turns, so that a machine that slows down does so for both.
const ROUNDS: u32 = 3;
const BATCH: usize = 256;

/// The parts of a run's configuration that are needed here.
#[derive(Deserialize)]
struct Config {
    selfplay: SelfplayConfig,
    search: SearchConfig,
    train: TrainConfig,
}

fn main() -> Result<(), Box<dyn Error>> {
    let config: Config = toml::from_str(CONFIG)?;
    println!("6x64, batch {BATCH}, samples a second\n");
    println!("board threads precision  trainer  bare trunk  ratio");
    for board in [Board::SIX, Board::TEN] {
        let side = board.files();
        let window = window(&config, board)?;
        for threads in [1, 2] {
            for precision in [TrainPrecision::F32, TrainPrecision::Bf16] {
                let train = TrainConfig { threads, precision, ..config.train.clone() };
                let [trainer, bare] = measure(train, &window, side)?;
                let name = if precision == TrainPrecision::F32 { "f32" } else { "bf16" };
                println!(
                    "{:>5} {threads:>7} {name:>9} {trainer:>8.0} {bare:>11.0} {:>6.2}",
                    format!("{side}x{side}"),
                    trainer / bare
                );
            }
        }
    }
    Ok(())
}

fn spec() -> NetSpec {
    NetSpec::with_trunk(6, 64, &[2, 4])
}

/// Positions to train on: games that are searched without a network.
fn window(config: &Config, board: Board) -> Result<ReplayWindow, Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let selfplay = SelfplayConfig { games: 100, ..config.selfplay.clone().on(board) };
    let (files, never) = (RecordFolder(folder.path()), AtomicBool::new(false));
    let job = Generation::of_no_run(&selfplay, &config.search, &files, 2, &never);
    let played = play_generation(&job, |_| Box::new(UniformEvaluator), |_| {})?;
    let mut window = ReplayWindow::new(config.train.window.clone());
    window.extend(played.files.iter().flat_map(|(_, records)| records));
    Ok(window)
}

/// Samples a second of the trainer and of the bare trunk: the best of the rounds, which take turns.
fn measure(config: TrainConfig, window: &ReplayWindow, side: u8) -> Result<[f64; 2], Box<dyn Error>> {
    // More steps than there will be time for.
    let config =
        TrainConfig { batch: BATCH, passes: 1e6, min_positions: 1, checkpoint_steps: 1 << 40, ..config };
    let mut trainer = Trainer::new(&config, &spec(), 1, None)?;
    let bare = Bare::new(side, config.precision);
    let mut best = [0.0_f64; 2];
    for _ in 0..ROUNDS {
        tch::set_num_threads(1);
        best[0] = best[0].max(trainer_rate(&mut trainer, window)?);
        tch::set_num_threads(i32::try_from(config.threads)?);
        best[1] = best[1].max(rate(|| bare.step()));
    }
    Ok(best)
}

fn trainer_rate(trainer: &mut Trainer, window: &ReplayWindow) -> Result<f64, Box<dyn Error>> {
    // The first step allocates.
    let (mut start, mut steps) = (Instant::now(), 0_u32);
    let mut seconds = 0.0;
    let mut watch = |_: &StepReport| {
        if steps == 0 {
            start = Instant::now();
        }
        steps += 1;
        seconds = start.elapsed().as_secs_f64();
        if start.elapsed() < MEASURED / ROUNDS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    };
    trainer.generation(window, 0, 0.0, &mut watch, &mut |_| Ok(()))?;
    Ok(f64::from(steps - 1) * BATCH as f64 / seconds)
}

fn rate(mut step: impl FnMut()) -> f64 {
    step();
    let (start, mut steps) = (Instant::now(), 0_u32);
    while start.elapsed() < MEASURED / ROUNDS {
        step();
        steps += 1;
    }
    f64::from(steps) * BATCH as f64 / start.elapsed().as_secs_f64()
}

/// The trunk of [`spec`] in bare libtorch, on one batch of noise in channels-last memory.
struct Bare {
    planes: Tensor,
    convolutions: Vec<Norm>,
    kind: Kind,
}

/// A 3x3 convolution and the norm after it.
struct Norm {
    weight: Tensor,
    gain: Tensor,
    bias: Tensor,
    mean: Tensor,
    variance: Tensor,
}

impl Bare {
    fn new(side: u8, precision: TrainPrecision) -> Bare {
        let spec = spec();
        let (inputs, channels) = (spec.planes() as i64, spec.channels as i64);
        let side = i64::from(side);
        let cpu = (Kind::Float, Device::Cpu);
        let norm = |inputs: i64| Norm {
            weight: (Tensor::randn([channels, inputs, 3, 3], cpu) * 0.05).set_requires_grad(true),
            gain: Tensor::ones([channels], cpu).set_requires_grad(true),
            bias: Tensor::zeros([channels], cpu).set_requires_grad(true),
            mean: Tensor::zeros([channels], cpu),
            variance: Tensor::ones([channels], cpu),
        };
        Bare {
            planes: Tensor::randn([BATCH as i64, side, side, inputs], cpu).permute([0, 3, 1, 2]),
            convolutions: (0..=2 * spec.blocks)
                .map(|i| norm(if i == 0 { inputs } else { channels }))
                .collect(),
            kind: if precision == TrainPrecision::Bf16 { Kind::BFloat16 } else { Kind::Float },
        }
    }

    /// A forward and a backward pass.
    fn step(&self) {
        let mut x = self.convolutions[0].apply(&self.planes.to_kind(self.kind)).relu();
        for block in self.convolutions[1..].chunks(2) {
            x = (block[1].apply(&block[0].apply(&x).relu()) + x).relu();
        }
        let parameters: Vec<&Tensor> =
            self.convolutions.iter().flat_map(|c| [&c.weight, &c.gain, &c.bias]).collect();
        Tensor::run_backward(&[x.sum(Kind::Float)], &parameters, false, false);
    }
}

impl Norm {
    fn apply(&self, x: &Tensor) -> Tensor {
        let weight = self.weight.to_kind(x.kind());
        let x = x.conv2d::<&Tensor>(&weight, None, 1, 1, 1, 1);
        let (gain, bias) = (Some(&self.gain), Some(&self.bias));
        x.batch_norm(gain, bias, Some(&self.mean), Some(&self.variance), true, 0.1, 1e-5, true)
    }
}

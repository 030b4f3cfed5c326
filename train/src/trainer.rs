//! The training loop.

use std::collections::BTreeMap;
use std::error::Error;
use std::ops::ControlFlow;
use std::time::Instant;

use hippolyta_game::{Board, Position};
use hippolyta_model::calibration::CalibrationError;
use hippolyta_model::features::Features;
use hippolyta_model::network::NetworkError;
use hippolyta_model::{Calibration, ModelFile, NetSpec, Weights, WeightsError};
use hippolyta_search::seed;
use hippolyta_torch::{DeviceError, Precision, TorchNet, device};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};
use tch::{Device, Kind, Tensor, no_grad};
use thiserror::Error;

use crate::batch::Batch;
use crate::checkpoint::{Checkpoint, CheckpointError, Identity, Progress, State, Summed};
use crate::config::{ConfigError, TrainConfig, TrainPrecision};
use crate::deviation::settled;
use crate::losses::{Losses, losses};
use crate::optimizer::Optimizer;
use crate::window::{ReplayWindow, Sample};

/// A network in training, with all that its next step depends on but the games.
///
/// On one CPU the same seed and games give the same bytes, also through checkpoints and with any number of threads.
/// CUDA adds up in no fixed order.
#[derive(Debug)]
pub struct Trainer {
    config: TrainConfig,
    identity: Identity,
    net: TorchNet,
    /// Copies of `net`, one for each shard of a batch.
    copies: Vec<TorchNet>,
    average: TorchNet,
    optimizer: Optimizer,
    progress: Progress,
    pool: ThreadPool,
}

/// Why a training does not begin or does not go on.
#[derive(Debug, Error)]
pub enum TrainError {
    /// A value of the configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The device is not there.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// The network cannot be made.
    #[error(transparent)]
    Weights(#[from] WeightsError),
    /// The activations cannot be measured.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// The network cannot be run in int8.
    #[error(transparent)]
    Network(#[from] NetworkError),
    /// The weights to begin with are of another network.
    #[error("the network to begin with is not the one that the configuration describes")]
    OtherNetwork,
    /// A checkpoint could not be kept.
    #[error(transparent)]
    Checkpoint(SaveError),
    /// The system gives no threads.
    #[error("threads: {0}")]
    Threads(#[from] ThreadPoolBuildError),
    /// Steps are due, but the window has no position with any weight.
    #[error("steps are due, but the window's {positions} positions have no weight to be drawn by")]
    EmptyWindow {
        /// Positions in the window.
        positions: usize,
    },
    /// A gradient or loss is no number any more.
    #[error(
        "step {step}: the gradient's norm is {norm}: training has diverged (is the learning rate too high?)"
    )]
    Diverged {
        /// The step that would have been taken.
        step: u64,
        /// The norm.
        norm: f64,
    },
}

/// Why a checkpoint could not be kept: the words of whoever keeps them.
pub type SaveError = Box<dyn Error + Send + Sync>;

/// One step, as told to whoever watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// The step, from 0.
    pub step: u64,
    /// Steps that this generation goes up to.
    pub until: u64,
    /// The batch's losses before the step.
    pub losses: Losses,
    /// The gradient's norm before clipping.
    pub gradient_norm: f64,
    /// The learning rate.
    pub rate: f64,
    /// Samples a second, this step's batch building included.
    pub samples_per_second: f64,
}

/// What a call of [`Trainer::generation`] did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GenerationReport {
    /// Steps taken by this call.
    pub steps: u64,
    /// Mean losses over all steps of the generation, those of interrupted calls included; `None` without a step.
    pub losses: Option<Losses>,
    /// Seconds that it took.
    pub seconds: f64,
    /// Samples a second over all of it; 0 without a step.
    pub samples_per_second: f64,
    /// Whether every step that is due has been taken; false when the watcher broke off.
    pub finished: bool,
}

/// On a CPU a batch is worked on in shards of at most this many samples, each by one thread from its planes to its
/// gradient, with norms of its own: the threads of libtorch's operators would wait for each other at every layer,
/// and collapse when anything else runs on their cores. The size is fixed, so that threads change no result.
const SHARD: usize = 128;

/// The positions over which a shipped network's norms are taken.
const NORM_POSITIONS: usize = 2048;
/// The positions that ranges of activations are taken over. They are of the boards so far; where a run comes to a
/// larger one, its first games there are played with these ranges.
const CALIBRATION_POSITIONS: usize = 512;
/// The positions on which int8 is compared with f32.
const CHECKED_POSITIONS: usize = 2000;

/// Distinguishes the draws of a step.
const DRAW: u64 = 0;
const SYMMETRY: u64 = 1;
/// Distinguishes the network's first weights from the steps' draws.
const WEIGHTS: u64 = u64::MAX;

impl Trainer {
    /// A training that has taken no step. It begins with the weights `init`, or with untrained ones. Sets libtorch to
    /// one thread an operator in this process.
    ///
    /// # Errors
    /// When the configuration or the device is refused, or `init` is of another network than `spec`.
    pub fn new(
        config: &TrainConfig,
        spec: &NetSpec,
        seed: u64,
        init: Option<&ModelFile>,
    ) -> Result<Trainer, TrainError> {
        config.validate()?;
        let device = device(&config.device)?;
        tch::set_num_threads(1);
        let pool = ThreadPoolBuilder::new()
            .num_threads(config.threads)
            .thread_name(|i| format!("shard-{i}"))
            .start_handler(|_| tch::set_num_threads(1))
            .build()?;
        let weights = match init {
            None => Weights::untrained(spec.clone(), seed::derive(seed, &[WEIGHTS]))
                .map_err(WeightsError::from)?,
            Some(model) if model.weights.spec() == spec => model.weights.clone(),
            Some(_) => return Err(TrainError::OtherNetwork),
        };
        let net = TorchNet::new(&weights, device);
        let shards = if device == Device::Cpu { config.batch.div_ceil(SHARD) } else { 1 };
        let init = init.map(ModelFile::hash);
        Ok(Trainer {
            config: config.clone(),
            identity: Identity { seed, spec: spec.clone(), init, config: decisive(config) },
            copies: (0..shards).map(|_| TorchNet::new(&weights, device)).collect(),
            average: TorchNet::new(&weights, device),
            optimizer: Optimizer::new(&config.optimizer, &net),
            net,
            progress: Progress::default(),
            pool,
        })
    }

    /// Goes on from a checkpoint.
    ///
    /// # Errors
    /// Why it cannot be used; nothing is changed then.
    pub fn restore(&mut self, checkpoint: &[u8]) -> Result<(), CheckpointError> {
        let checkpoint = Checkpoint::from_bytes(checkpoint, &self.identity)?;
        self.progress = checkpoint.progress;
        self.load(&checkpoint.state);
        Ok(())
    }

    /// All that [`Trainer::restore`] needs. The same state gives the same bytes.
    pub fn checkpoint(&self) -> Vec<u8> {
        let state = State {
            parameters: host(self.net.parameters()),
            statistics: host(self.net.statistics()),
            averaged_parameters: host(self.average.parameters()),
            averaged_statistics: host(self.average.statistics()),
            gradient_mean: host(&self.optimizer.mean),
            gradient_square: host(&self.optimizer.square),
        };
        Checkpoint { progress: self.progress, identity: self.identity.clone(), state }.to_bytes()
    }

    /// How far the training has come.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// Takes the steps that are due with the positions made so far (see [`TrainConfig::steps_due`]), has itself saved
    /// on the way and at the end (see [`Trainer::checkpoint`]), and counts `generation` (from 0) as trained.
    /// `run_progress` in [0, 1] is the part of the run's generations that is over; the learning rate follows it.
    ///
    /// `watch` sees each step, and may break off: the state is then saved, and the same call goes on from there.
    /// A generation that is already trained takes no step.
    ///
    /// # Errors
    /// When the window is empty though steps are due, the training diverges or `save` fails.
    pub fn generation(
        &mut self,
        window: &ReplayWindow,
        generation: u32,
        run_progress: f64,
        watch: &mut dyn FnMut(&StepReport) -> ControlFlow<()>,
        save: &mut dyn FnMut(&Trainer) -> Result<(), SaveError>,
    ) -> Result<GenerationReport, TrainError> {
        let start = Instant::now();
        let first = self.progress.step;
        let until = self.config.steps_due(window.made()).max(first);
        if until > first && !window.can_draw() {
            return Err(TrainError::EmptyWindow { positions: window.len() });
        }
        if self.progress.newest.generation != generation {
            self.progress.newest = Summed { generation, ..Summed::default() };
        }
        let mut finished = true;
        while self.progress.step < until {
            let report = self.step(window, until, run_progress)?;
            self.progress.newest.steps += 1;
            self.progress.newest.losses += report.losses;
            let broken_off = watch(&report).is_break();
            finished = !broken_off || self.progress.step == until;
            if !finished {
                break;
            }
            if self.progress.step.is_multiple_of(self.config.checkpoint_steps) && self.progress.step < until {
                save(self).map_err(TrainError::Checkpoint)?;
            }
        }
        let steps = self.progress.step - first;
        if finished {
            self.progress.generations = self.progress.generations.max(generation + 1);
        }
        save(self).map_err(TrainError::Checkpoint)?;
        let newest = self.progress.newest;
        let seconds = start.elapsed().as_secs_f64();
        Ok(GenerationReport {
            steps,
            losses: (newest.steps > 0).then(|| newest.losses.over(newest.steps)),
            seconds,
            samples_per_second: steps as f64 * self.config.batch as f64 / seconds,
            finished,
        })
    }

    /// One step on a batch drawn for it.
    fn step(
        &mut self,
        window: &ReplayWindow,
        until: u64,
        run_progress: f64,
    ) -> Result<StepReport, TrainError> {
        let start = Instant::now();
        let step = self.progress.step;
        let draw = |part| seed::derive(self.identity.seed, &[step, part]);
        let samples = window.draw(draw(DRAW), self.config.batch);
        let (losses, gradient) = self.gradient(&samples, draw(SYMMETRY));
        let rate = self.config.optimizer.rate(step, run_progress);
        let norm = self.optimizer.step(&self.config.optimizer, self.net.parameters(), &gradient, step, rate);
        if !norm.is_finite() {
            return Err(TrainError::Diverged { step, norm });
        }
        let early = (1 + step) as f64 / (10 + step) as f64;
        self.average.approach(&self.net, 1.0 - self.config.average_decay.min(early));
        self.progress.step += 1;
        self.progress.positions = window.made();
        let samples_per_second = self.config.batch as f64 / start.elapsed().as_secs_f64();
        Ok(StepReport { step, until, losses, gradient_norm: norm, rate, samples_per_second })
    }

    /// The losses of a batch, and their gradient: means over its shards, by their sizes. The norms' running
    /// statistics move on in the same way.
    fn gradient(&mut self, samples: &[Sample<'_>], symmetry: u64) -> (Losses, Tensor) {
        for copy in &mut self.copies {
            copy.load(self.net.parameters(), self.net.statistics());
        }
        let share = samples.len().div_ceil(self.copies.len());
        let (config, pool) = (&self.config, &self.pool);
        let parts: Vec<(f64, Losses, Tensor)> = pool.install(|| {
            let shards = self.copies.par_iter_mut().zip(samples.par_chunks(share)).enumerate();
            let part = |(index, (net, shard)): (usize, (&mut TorchNet, &[Sample<'_>]))| {
                let mut batch =
                    Batch::new(shard, config.loss.root_value, seed::derive(symmetry, &[index as u64]));
                if !config.open_owners {
                    batch.empty.fill(1.0);
                }
                let (losses, total) = shard_losses(net, &batch, config, pool);
                let gradient = Tensor::run_backward(&[total], &[net.parameters()], false, false).remove(0);
                (shard.len() as f64 / samples.len() as f64, losses, gradient)
            };
            shards.map(part).collect()
        });
        let mut losses = Losses::default();
        let mut gradient = self.net.parameters().zeros_like();
        let mut statistics = self.net.statistics().zeros_like();
        no_grad(|| {
            for ((weight, part, slope), copy) in parts.iter().zip(&self.copies) {
                losses += part.times(*weight);
                gradient += slope * *weight;
                statistics += copy.statistics() * *weight;
            }
        });
        self.net.load_statistics(&statistics);
        (losses, gradient)
    }

    /// The averaged weights, norms folded with their statistics over `positions`: the network to play with. Without a
    /// position the norms have the running statistics of the training.
    ///
    /// # Errors
    /// When a weight is not a finite number.
    pub fn averaged(&self, positions: &[Position]) -> Result<Weights, TrainError> {
        let mut net = self.average.copy();
        net.estimate_statistics(&norm_batches(positions, net.spec().planes(), self.net.device()));
        Ok(net.fold()?)
    }

    /// The positions over which the norms of an exported network are taken; none where they are not taken anew.
    pub fn norm_positions(&self, window: &ReplayWindow) -> Vec<Position> {
        let count = if self.config.estimated_norms { NORM_POSITIONS } else { 0 };
        window.spread_over_current_boards(count)
    }

    /// The file of [`Trainer::averaged`] over the boards of the window's newest generation, which the network is to
    /// play on: their batches have norms of their own. Its int8 ranges are taken over positions of the whole window,
    /// and compared with libtorch's f32 on others: activations of seven bits, which run fastest, or of eight if those
    /// are too far.
    ///
    /// # Errors
    /// When the window is empty, or a weight or activation is not a finite number.
    pub fn export(
        &self,
        window: &ReplayWindow,
        history: BTreeMap<String, String>,
    ) -> Result<ModelFile, TrainError> {
        let weights = self.averaged(&self.norm_positions(window))?;
        let ranges = Calibration::over(&weights, &window.spread(CALIBRATION_POSITIONS))?;
        let checked = window.spread(CHECKED_POSITIONS);
        let calibration = self.pool.install(|| settled(&weights, ranges, &checked))?;
        Ok(ModelFile { weights, calibration: Some(calibration), history })
    }

    fn load(&mut self, state: &State) {
        let tensor = |data: &[f32]| Tensor::from_slice(data).to_device(self.net.device());
        let mean = tensor(&state.gradient_mean);
        let square = tensor(&state.gradient_square);
        let (parameters, statistics) = (tensor(&state.parameters), tensor(&state.statistics));
        let averages = (tensor(&state.averaged_parameters), tensor(&state.averaged_statistics));
        self.net.load(&parameters, &statistics);
        self.average.load(&averages.0, &averages.1);
        self.optimizer.mean = mean;
        self.optimizer.square = square;
    }
}

/// The planes of the positions, in batches of one board and at most [`SHARD`] positions, as norms are trained.
fn norm_batches(positions: &[Position], planes: usize, device: Device) -> Vec<(Tensor, Board)> {
    let mut features = Features::default();
    let mut batches = Vec::new();
    for own in positions.chunk_by(|a, b| a.board() == b.board()) {
        for shard in own.chunks(SHARD) {
            let board = shard[0].board();
            let size = board.area() * planes;
            let mut numbers = vec![0.0; shard.len() * size];
            for (position, numbers) in shard.iter().zip(numbers.chunks_exact_mut(size)) {
                features.read(position);
                features.write_squares(numbers);
            }
            let shape = [shard.len() as i64, board.area() as i64, planes as i64];
            batches.push((Tensor::from_slice(&numbers).view(shape).to_device(device), board));
        }
    }
    batches
}

/// The losses of a shard, and the tensor whose gradient is its part of the step's.
fn shard_losses(net: &TorchNet, batch: &Batch, config: &TrainConfig, pool: &ThreadPool) -> (Losses, Tensor) {
    let precision = match config.precision {
        TrainPrecision::F32 => Precision::F32,
        TrainPrecision::Bf16 => Precision::Bf16,
    };
    let shape = [batch.len() as i64, batch.board.area() as i64, net.spec().planes() as i64];
    let planes = Tensor::from_slice(&batch.planes).view(shape).to_device(net.device());
    let heads = net.forward_training(&planes, batch.board, precision);
    losses(&heads, net.spec().policy_dim, batch, &config.loss, pool)
}

/// All that decides the result of a training; it may move to another device or number of threads.
fn decisive(config: &TrainConfig) -> serde_json::Value {
    let config = TrainConfig { device: String::new(), threads: 0, ..config.clone() };
    serde_json::to_value(config).expect("plain structs become JSON")
}

fn host(tensor: &Tensor) -> Vec<f32> {
    let tensor = tensor.detach().to_device(Device::Cpu).to_kind(Kind::Float).contiguous();
    let mut elements = vec![0.0; tensor.numel()];
    let length = elements.len();
    tensor.copy_data(&mut elements, length);
    elements
}

#[cfg(test)]
mod tests;

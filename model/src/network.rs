//! The network on the processor: one position at a time.

use hippolyta_search::math::tanh;
use thiserror::Error;

use crate::calibration::{Calibration, CalibrationError};
use crate::file::ModelFile;
use crate::heads::{Head, HeadInput, HeadOutput, Heads};
use crate::kernel::{CHUNK, Conv, Floats, Form, Isa, Kernels, Layer, Precision, Stream, Words, lifted_len};
use crate::policy::Policy;
use crate::quantisation::{Scale, Scales};
use crate::spec::{NetSpec, PLANES, SIDES};
use crate::weights::Weights;

/// Squares of the largest board.
const LARGEST_AREA: usize = *SIDES.end() * *SIDES.end();

/// A network ready to run. Shared between threads freely; each thread brings a [`Scratch`] and an [`Output`].
#[derive(Clone, Debug)]
pub struct Network {
    spec: NetSpec,
    isa: Isa,
    precision: Precision,
    kernels: Kernels,
    /// What a 1 in each input plane is stored as; 1 where nothing is quantised.
    plane_ones: Vec<f32>,
    stem: Layer,
    blocks: Vec<Block>,
    policy: Layer,
    hidden: Dense,
    /// All shipped heads but the policy.
    heads: Vec<(Head, HeadLayer)>,
}

#[derive(Clone, Debug)]
struct Block {
    conv1: Layer,
    pool: Option<Dense>,
    conv2: Layer,
}

/// The matrix of a head.
#[derive(Clone, Debug)]
enum HeadLayer {
    /// Over the hidden layer of the pooled board.
    Board(Dense),
    /// Over the trunk, square by square; the weights are `[out][channel]`.
    Squares { weights: Vec<f32>, bias: Vec<f32> },
}

/// A matrix as `[in][out]`, the outputs padded to a multiple of 16.
#[derive(Clone, Debug)]
struct Dense {
    weights: Floats,
    bias: Floats,
}

impl Dense {
    fn new(weights: &[f32], bias: &[f32]) -> Self {
        let (outputs, width) = (bias.len(), bias.len().next_multiple_of(CHUNK));
        let inputs = weights.len() / outputs;
        let mut packed = Floats::new(inputs * width);
        for (output, row) in weights.chunks_exact(inputs).enumerate() {
            for (input, &weight) in row.iter().enumerate() {
                packed[input * width + output] = weight;
            }
        }
        let mut padded = Floats::new(width);
        padded[..outputs].copy_from_slice(bias);
        Self { weights: packed, bias: padded }
    }
}

/// Why a network cannot be made ready to run.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum NetworkError {
    /// Int8 needs to know how large activations get.
    #[error("int8 needs calibrated ranges, and the model has none: calibrate it, or run it as bf16 or f32")]
    NotCalibrated,
    /// The ranges are not this network's.
    #[error(transparent)]
    Calibration(#[from] CalibrationError),
    /// This machine, or this program, lacks the instruction set for the precision.
    #[error("{isa:?} does not run {precision:?} here")]
    Unsupported {
        /// The instruction set asked for.
        isa: Isa,
        /// The precision asked for.
        precision: Precision,
    },
}

/// Buffers for one forward pass at a time, so that none allocates.
#[derive(Clone, Debug)]
pub struct Scratch {
    input: Words,
    /// The trunk as activations.
    trunk: Words,
    /// Between the two convolutions of a block.
    hidden: Words,
    /// What [`Form::Winograd`] makes of the trunk or of what is between.
    lifted: Words,
    /// The trunk in f32, as residuals are added up.
    stream: Floats,
    pooled: Vec<f32>,
    bias: Vec<f32>,
    value_hidden: Vec<f32>,
    padded: Vec<f32>,
}

/// What the network says of one position, for the side to move.
#[derive(Clone, Debug)]
pub struct Output {
    /// Scores of moves.
    pub policy: Policy,
    /// By head; empty for the policy.
    numbers: [Vec<f32>; Head::COUNT],
}

impl Output {
    /// Expected result in [-1, 1].
    ///
    /// # Panics
    /// Before the first forward pass.
    pub fn value(&self) -> f32 {
        self.head(Head::Value)[0]
    }

    /// The numbers of a head but the policy: `[width]`, or `[square][width]` by dense index (see [`Head::spec`]). Empty
    /// where the head was not asked for.
    pub fn head(&self, head: Head) -> &[f32] {
        &self.numbers[head as usize]
    }
}

impl Network {
    /// Makes a model ready, on the best instruction set that this machine has.
    ///
    /// # Errors
    /// When int8 is asked for and the model has no calibration.
    pub fn load(model: &ModelFile, precision: Precision) -> Result<Self, NetworkError> {
        Self::new(&model.weights, model.calibration.as_ref(), precision, Isa::best(precision))
    }

    /// Makes weights ready on a given instruction set.
    ///
    /// # Errors
    /// When int8 is asked for without a fitting calibration, or this machine lacks the instruction set.
    pub fn new(
        weights: &Weights,
        calibration: Option<&Calibration>,
        precision: Precision,
        isa: Isa,
    ) -> Result<Self, NetworkError> {
        let kernels = Kernels::new(isa, precision).ok_or(NetworkError::Unsupported { isa, precision })?;
        let spec = weights.spec().clone();
        let scales = match (precision, calibration) {
            (Precision::Int8, Some(calibration)) => {
                calibration.validate(&spec)?;
                Scales::new(calibration, weights)
            }
            (Precision::Int8, None) => return Err(NetworkError::NotCalibrated),
            _ => Scales::none(&spec),
        };
        let tensor = |name: &str| weights.tensor(name);
        let trunk = |name: &str, input, output: usize| {
            let bias = tensor(&format!("{name}.bias"));
            let weights = tensor(&format!("{name}.weight"));
            kernels.pack(kernels.form(input), weights, bias, (input, &scales.trunk[output]))
        };
        let dense =
            |name: &str| Dense::new(tensor(&format!("{name}.weight")), tensor(&format!("{name}.bias")));
        let blocks = (0..spec.blocks).map(|i| {
            let conv1 = trunk(&format!("blocks.{i}.conv1"), &scales.trunk[2 * i], 2 * i + 1);
            let pool = spec.pooled.contains(&i);
            let pool = pool.then(|| Dense::new(tensor(&format!("blocks.{i}.pool.weight")), &conv1.bias));
            let conv2 = trunk(&format!("blocks.{i}.conv2"), &scales.trunk[2 * i + 1], 2 * i + 2);
            Block { conv1, pool, conv2 }
        });
        Ok(Self {
            stem: trunk("stem", &scales.planes, 0),
            blocks: blocks.collect(),
            policy: policy_layer(weights, &kernels, &scales.trunk[2 * spec.blocks]),
            plane_ones: scales.planes.inverse.clone(),
            hidden: dense("value.hidden"),
            heads: head_layers(weights),
            spec,
            isa,
            precision,
            kernels,
        })
    }

    /// The network's shape.
    pub fn spec(&self) -> &NetSpec {
        &self.spec
    }

    /// The instruction set it runs on.
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// How it stores and multiplies numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// Operations of the convolutions for one position as this network computes them, a multiplication and an addition
    /// being two: [`NetSpec::operations`], or less where it has a form with fewer products.
    pub fn operations(&self, files: usize, ranks: usize) -> u64 {
        let blocks = self.blocks.iter().flat_map(|block| [&block.conv1, &block.conv2]);
        let layers = [&self.stem, &self.policy].into_iter().chain(blocks);
        let group = self.kernels.storage.group();
        2 * layers.map(|layer| layer.products(group, files, ranks) as u64).sum::<u64>()
    }

    /// Buffers for [`Network::forward`], large enough for every board.
    pub fn scratch(&self) -> Scratch {
        let channels = self.spec.channels;
        Scratch {
            input: Words::new(LARGEST_AREA * PLANES.next_multiple_of(CHUNK)),
            trunk: Words::new(LARGEST_AREA * channels),
            hidden: Words::new(LARGEST_AREA * channels),
            lifted: Words::new(self.lifted_len()),
            stream: Floats::new(LARGEST_AREA * channels),
            pooled: vec![0.0; self.spec.pool_width()],
            bias: vec![0.0; channels],
            value_hidden: vec![0.0; self.spec.value_hidden],
            padded: vec![0.0; self.widest_head()],
        }
    }

    /// The most numbers that a head gives for a board, padded.
    fn widest_head(&self) -> usize {
        let width = |(_, layer): &(Head, HeadLayer)| match layer {
            HeadLayer::Board(dense) => dense.bias.len(),
            HeadLayer::Squares { .. } => 0,
        };
        self.heads.iter().map(width).max().unwrap_or(0)
    }

    /// Words that [`Form::Winograd`] needs on the largest board, where a layer has it.
    fn lifted_len(&self) -> usize {
        let Some(Layer { form: Form::Winograd, words, .. }) = self.blocks.first().map(|block| &block.conv1)
        else {
            return 0;
        };
        lifted_len(words * SIDES.end(), *SIDES.end())
    }

    /// A place for results, reused from call to call.
    pub fn output(&self) -> Output {
        let policy = Policy::new(self.kernels, self.spec.policy_dim);
        let mut numbers = [const { Vec::new() }; Head::COUNT];
        for (head, layer) in &self.heads {
            let places = if matches!(layer, HeadLayer::Board(_)) { 1 } else { LARGEST_AREA };
            numbers[*head as usize].reserve(places * head.width(&self.spec));
        }
        Output { policy, numbers }
    }

    /// Evaluates one position. Allocates nothing; the results depend on the planes and the board alone.
    ///
    /// `planes` is `[square][plane]`, squares by dense index (`rank * files + file`), values in [0, 1].
    ///
    /// # Panics
    /// When a side of the board is outside 3..=10, or `planes` is not `files * ranks * PLANES` long; when
    /// `scratch` or `out` are of a network of another shape.
    pub fn forward(
        &self,
        scratch: &mut Scratch,
        planes: &[f32],
        files: usize,
        ranks: usize,
        heads: Heads,
        out: &mut Output,
    ) {
        self.forward_observed(scratch, planes, (files, ranks), heads, out, |_, _| ());
    }

    /// [`Network::forward`] that shows the activations of each convolution in the trunk, with the index that
    /// they have in a [`Calibration`].
    pub(crate) fn forward_observed(
        &self,
        scratch: &mut Scratch,
        planes: &[f32],
        board: (usize, usize),
        heads: Heads,
        out: &mut Output,
        mut observe: impl FnMut(usize, &[u32]),
    ) {
        let (files, ranks) = board;
        assert!(SIDES.contains(&files) && SIDES.contains(&ranks), "a board of {files} x {ranks}");
        assert_eq!(planes.len(), files * ranks * PLANES, "planes of a board of {files} x {ranks}");
        let Scratch { input, trunk, hidden, lifted, stream, pooled, bias, .. } = scratch;
        let kernels = &self.kernels;
        let seen = files * ranks * self.spec.channels / kernels.storage.group();
        kernels.encode(planes, &self.plane_ones, board, input);
        kernels.convolve(&mut Conv {
            layer: &self.stem,
            bias: &self.stem.bias,
            files,
            ranks,
            input,
            lifted: &mut [],
            relu: true,
            stream: Stream::Store,
            floats: stream,
            narrow: trunk,
        });
        observe(0, &trunk[..seen]);
        for (i, block) in self.blocks.iter().enumerate() {
            let conv1_bias = match &block.pool {
                Some(pool) => {
                    kernels.pool(stream, board, pooled);
                    bias.copy_from_slice(&pool.bias);
                    kernels.dense(&pool.weights, pooled, bias);
                    &*bias
                }
                None => &block.conv1.bias,
            };
            kernels.convolve(&mut Conv {
                layer: &block.conv1,
                bias: conv1_bias,
                files,
                ranks,
                input: trunk,
                lifted,
                relu: true,
                stream: Stream::Unused,
                floats: &mut [],
                narrow: hidden,
            });
            observe(2 * i + 1, &hidden[..seen]);
            kernels.convolve(&mut Conv {
                layer: &block.conv2,
                bias: &block.conv2.bias,
                files,
                ranks,
                input: hidden,
                lifted,
                relu: true,
                stream: Stream::Add,
                floats: stream,
                narrow: trunk,
            });
            observe(2 * i + 2, &trunk[..seen]);
        }
        kernels.convolve(&mut Conv {
            layer: &self.policy,
            bias: &self.policy.bias,
            files,
            ranks,
            input: trunk,
            lifted: &mut [],
            relu: false,
            stream: Stream::Store,
            floats: out.policy.maps_mut(),
            narrow: &mut [],
        });
        out.policy.finish(files, ranks);
        self.run_heads(scratch, board, heads, out);
    }

    /// Everything but the policy, from the stream.
    fn run_heads(&self, scratch: &mut Scratch, board: (usize, usize), heads: Heads, out: &mut Output) {
        let Scratch { stream, pooled, value_hidden, padded, .. } = scratch;
        self.kernels.pool(stream, board, pooled);
        value_hidden.copy_from_slice(&self.hidden.bias);
        self.kernels.dense(&self.hidden.weights, pooled, value_hidden);
        for x in value_hidden.iter_mut() {
            *x = if *x > 0.0 { *x } else { 0.0 };
        }
        for (head, layer) in &self.heads {
            let numbers = &mut out.numbers[*head as usize];
            numbers.clear();
            if *head != Head::Value && !heads.contain(*head) {
                continue;
            }
            match layer {
                HeadLayer::Board(dense) => {
                    let sums = &mut padded[..dense.bias.len()];
                    sums.copy_from_slice(&dense.bias);
                    self.kernels.dense(&dense.weights, value_hidden, sums);
                    numbers.extend_from_slice(&sums[..head.width(&self.spec)]);
                }
                HeadLayer::Squares { weights, bias } => square_sums(weights, bias, stream, board, numbers),
            }
            if matches!(head.spec().output, HeadOutput::Chances(_)) {
                for number in numbers.iter_mut() {
                    *number = tanh(*number);
                }
            }
        }
    }
}

/// Appends `[square][out]`: `bias` and `weights`, `[out][channel]`, times each square of the stream, channel after
/// channel.
fn square_sums(
    weights: &[f32],
    bias: &[f32],
    stream: &[f32],
    (files, ranks): (usize, usize),
    sums: &mut Vec<f32>,
) {
    let channels = weights.len() / bias.len();
    let chunks = channels / CHUNK;
    for square in 0..files * ranks {
        let (rank, file) = (square / files, square % files);
        for (row, &bias) in weights.chunks_exact(channels).zip(bias) {
            let mut sum = bias;
            for (chunk, weights) in row.chunks_exact(CHUNK).enumerate() {
                let at = ((rank * chunks + chunk) * files + file) * CHUNK;
                for (weight, x) in weights.iter().zip(&stream[at..at + CHUNK]) {
                    sum += weight * x;
                }
            }
            sums.push(sum);
        }
    }
}

/// All shipped heads but the policy, whose maps are a convolution.
fn head_layers(weights: &Weights) -> Vec<(Head, HeadLayer)> {
    let layer = |head: Head| {
        let spec = head.spec();
        let (matrix, bias) = (
            weights.tensor(&format!("{}.weight", spec.tensors)),
            weights.tensor(&format!("{}.bias", spec.tensors)),
        );
        match spec.input {
            HeadInput::Board => HeadLayer::Board(Dense::new(matrix, bias)),
            HeadInput::Squares => HeadLayer::Squares { weights: matrix.to_vec(), bias: bias.to_vec() },
        }
    };
    let others = Head::shipped().filter(|head| head.spec().output != HeadOutput::Moves);
    others.map(|head| (head, layer(head))).collect()
}

/// The policy's convolution, with the division by the root of the maps' channels taken into the queries.
fn policy_layer(weights: &Weights, kernels: &Kernels, input: &Scale) -> Layer {
    let dim = weights.spec().policy_dim;
    let factor = 1.0 / (dim as f32).sqrt();
    let of_output = |output: usize| if (output / dim).is_multiple_of(2) { factor } else { 1.0 };
    let channels = weights.spec().channels;
    let scaled = |tensor: &[f32], per_output: usize| -> Vec<f32> {
        tensor.iter().enumerate().map(|(i, weight)| weight * of_output(i / per_output)).collect()
    };
    let bias = scaled(weights.tensor("policy.bias"), 1);
    let weights = scaled(weights.tensor("policy.weight"), channels);
    kernels.pack(Form::Pointwise, &weights, &bias, (input, &Scale::none(6 * dim)))
}

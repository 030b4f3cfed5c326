//! The speed of a network: the core's peak, the bare network, whole evaluations, visits.

use std::hint::black_box;
use std::sync::Arc;

use hippolyta_game::{Board, Move, Position};
use hippolyta_model::features::PLANES;
use hippolyta_model::{
    Calibration, Heads, Isa, Network, NetworkEvaluator, Peak, Precision, TrunkBits, Weights,
};
use hippolyta_play::MATCH_CONFIG;
use hippolyta_search::{Evaluation, Evaluator as _, Mode, Plan, Query, Search, run};
use serde::Serialize;

use super::positions::undecided;
use super::turns::{ROUNDS, Subject, rate, take_turns, together};

/// Visits of a search whose speed is measured.
const VISITS: u32 = 400;

#[derive(Debug, Serialize)]
pub(super) struct Speeds {
    precision: Precision,
    isa: String,
    /// Operations a second, in units of 10^9, of one core in products on registers alone.
    pub(super) peak_int8_gops: f64,
    pub(super) peak_bf16_gops: f64,
    pub(super) peak_f32_gops: f64,
    /// The bare network, one thread, one position at a time.
    pub(super) net_evals_per_s: f64,
    /// The operations that the bare network does over those of the peak.
    pub(super) net_ratio_to_peak: f64,
    /// The operations that it would do product by product over those of the peak: above 1 where it needs fewer.
    pub(super) net_direct_ratio_to_peak: f64,
    /// Whole evaluations: features, network, policy of the legal moves.
    pub(super) evals_per_s: f64,
    pub(super) evals_ratio_to_net: f64,
    pub(super) evals_per_s_all: f64,
    /// Visits of PUCT searches of 400.
    pub(super) visits_per_s: f64,
    pub(super) visits_ratio_to_net: f64,
    pub(super) visits_ratio_to_evals: f64,
    pub(super) visits_per_s_all: f64,
    /// Visits of all threads over those of one.
    pub(super) visits_ratio_all_to_one: f64,
    /// Evaluations a visit: the other visits end where the rules decide.
    pub(super) evals_per_visit: f64,
    #[serde(flatten)]
    pub(super) libtorch: Option<Libtorch>,
}

/// The bare network in libtorch, f32 in channels-last memory, one thread: positions a second, and how many times as
/// many whole evaluations there are.
#[derive(Debug, Serialize)]
pub(super) struct Libtorch {
    pub(super) torch_evals_per_s_batch1: f64,
    pub(super) torch_evals_per_s_batch32: f64,
    pub(super) evals_ratio_to_torch_batch1: f64,
    pub(super) evals_ratio_to_torch_batch32: f64,
}

/// Int8 ranges of a network that nobody has trained. Its speed depends on the bits, not on the ranges.
pub(super) fn some_ranges(weights: &Weights) -> Calibration {
    Calibration {
        positions: 1,
        trunk_bits: TrunkBits::Seven,
        maxima: vec![4.0; 1 + 2 * weights.spec().blocks],
        channels: None,
        deviation: None,
    }
}

/// Measures a network on positions of a board with one thread and with `threads`.
pub(super) fn measure(weights: &Weights, board: Board, threads: usize) -> anyhow::Result<Speeds> {
    let isa = Isa::best(Precision::Int8);
    let network = Arc::new(Network::new(weights, Some(&some_ranges(weights)), Precision::Int8, isa)?);
    let positions = undecided(board, ROUNDS);
    let mut one = Worker::new(&network)?;
    let mut evaluating = Worker::some(&network, threads)?;
    let mut searching = Worker::some(&network, threads)?;
    let mut evaluating_alone = Worker::new(&network)?;
    let [int8, bf16, f32, net, evals, evals_all, visits, visits_all] = take_turns([
        peak(Precision::Int8),
        peak(Precision::Bf16),
        peak(Precision::F32),
        bare(&network, board),
        Box::new(|round| evaluating_alone.evaluations(&positions[round])),
        Box::new(|round| together(&mut evaluating, |worker| worker.evaluations(&positions[round]))),
        Box::new(|round| one.visits(&positions[round])),
        Box::new(|round| together(&mut searching, |worker| worker.visits(&positions[round]))),
    ]);
    let (files, ranks) = (board.files().into(), board.ranks().into());
    let [operations, direct] = [network.operations(files, ranks), network.spec().operations(files, ranks)];
    Ok(Speeds {
        precision: network.precision(),
        isa: format!("{isa:?}").to_lowercase(),
        peak_int8_gops: int8.typical() / 1e9,
        peak_bf16_gops: bf16.typical() / 1e9,
        peak_f32_gops: f32.typical() / 1e9,
        net_evals_per_s: net.typical(),
        net_ratio_to_peak: net.over(&int8) * operations as f64,
        net_direct_ratio_to_peak: net.over(&int8) * direct as f64,
        evals_per_s: evals.typical(),
        evals_ratio_to_net: evals.over(&net),
        evals_per_s_all: evals_all.typical(),
        visits_per_s: visits.typical(),
        visits_ratio_to_net: visits.over(&net),
        visits_ratio_to_evals: visits.over(&evals),
        visits_per_s_all: visits_all.typical(),
        visits_ratio_all_to_one: visits_all.over(&visits),
        evals_per_visit: f64::from(one.calls) / f64::from(one.visits),
        libtorch: libtorch(weights, &mut one, &positions),
    })
}

/// What a thread measures with.
struct Worker {
    evaluator: NetworkEvaluator,
    search: Search,
    moves: Vec<Move>,
    answer: [Evaluation; 1],
    /// Visits and evaluations of all searches so far.
    visits: u32,
    calls: u32,
}

impl Worker {
    fn new(network: &Arc<Network>) -> anyhow::Result<Worker> {
        Ok(Worker {
            evaluator: NetworkEvaluator::new(Arc::clone(network)),
            search: Search::new(MATCH_CONFIG)?,
            moves: Vec::new(),
            answer: [Evaluation::default()],
            visits: 0,
            calls: 0,
        })
    }

    fn some(network: &Arc<Network>, count: usize) -> anyhow::Result<Vec<Worker>> {
        (0..count).map(|_| Worker::new(network)).collect()
    }

    /// Whole evaluations of a position a second.
    fn evaluations(&mut self, position: &Position) -> f64 {
        position.moves(&mut self.moves);
        rate(|| {
            let query = Query { position: black_box(position), moves: &self.moves };
            self.evaluator.evaluate(&[query], &mut self.answer);
            1
        })
    }

    /// Visits a second of searches from a position.
    fn visits(&mut self, position: &Position) -> f64 {
        rate(|| {
            self.search.clear();
            self.search.begin(position, &Plan { visits: VISITS, mode: Mode::Puct });
            let result = run(&mut self.search, &mut self.evaluator);
            self.visits += result.visits;
            self.calls += result.network_calls;
            u64::from(result.visits)
        })
    }
}

/// Operations a second of one core in products alone, with the best instructions for a precision.
fn peak(precision: Precision) -> Subject<'static> {
    let peak = Peak::new(Isa::best(precision), precision).expect("the best instruction set is available");
    Box::new(move |_| rate(|| peak.run(10_000)))
}

/// Forward passes a second of the bare network.
fn bare(network: &Network, board: Board) -> Subject<'_> {
    let (mut scratch, mut out) = (network.scratch(), network.output());
    let planes: Vec<f32> = (0..board.area() * PLANES).map(|i| f32::from(u8::from(i * 7 % 5 == 0))).collect();
    let (files, ranks) = (usize::from(board.files()), usize::from(board.ranks()));
    Box::new(move |_| {
        rate(|| {
            network.forward(&mut scratch, black_box(&planes), files, ranks, Heads::default(), &mut out);
            black_box(out.value());
            1
        })
    })
}

/// The same network in libtorch, in turns with our whole evaluations of the same positions.
#[cfg(feature = "torch")]
#[expect(clippy::unnecessary_wraps, reason = "without libtorch there is none")]
fn libtorch(weights: &Weights, one: &mut Worker, positions: &[Position]) -> Option<Libtorch> {
    let device = hippolyta_torch::device("cpu").expect("every libtorch has the CPU");
    let evaluator = hippolyta_torch::TorchEvaluator::new(weights, device);
    let forward = |batch: usize| -> Subject<'_> {
        let pass = evaluator.bare_forward(&vec![&positions[0]; batch]);
        Box::new(move |_| {
            rate(|| {
                pass();
                batch as u64
            })
        })
    };
    let [evals, single, many] =
        take_turns([Box::new(|round| one.evaluations(&positions[round])), forward(1), forward(32)]);
    Some(Libtorch {
        torch_evals_per_s_batch1: single.typical(),
        torch_evals_per_s_batch32: many.typical(),
        evals_ratio_to_torch_batch1: evals.over(&single),
        evals_ratio_to_torch_batch32: evals.over(&many),
    })
}

#[cfg(not(feature = "torch"))]
fn libtorch(_: &Weights, _: &mut Worker, _: &[Position]) -> Option<Libtorch> {
    None
}

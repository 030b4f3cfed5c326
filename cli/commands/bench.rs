//! `bench`: how fast this machine is.

use std::hint::black_box;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use clap::Args;
use hippolyta_game::{Board, Position, perft};
use hippolyta_model::features::PLANES;
use hippolyta_model::{Heads, ModelFile, NetSpec, Network, NetworkEvaluator, Peak, Weights};
use hippolyta_play::MATCH_CONFIG;
use hippolyta_search::{Evaluation, Evaluator, Mode, Plan, Query, Search, run as run_search};
use serde::Serialize;

use crate::args::{parse_size, start};
use crate::evaluators::{calibrated, native_of, random_game};
use crate::output;

/// How long each figure is measured.
const MEASURED: Duration = Duration::from_millis(1500);
/// Visits of a search whose speed is measured.
const VISITS: u32 = 400;

/// Measure this machine: moves, evaluations and visits a second.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta bench --size 6 --net 4x48")]
pub(crate) struct Arguments {
    /// The board: 6, 8 or 10 squares a side.
    #[arg(long, value_name = "N", default_value = "10", value_parser = parse_size)]
    size: Board,
    /// The network: residual blocks x channels. Its weights are drawn at random, which costs the same time.
    #[arg(long, value_name = "BxC", default_value = "6x64", value_parser = parse_net)]
    net: NetSpec,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn parse_net(text: &str) -> Result<NetSpec, String> {
    let parse = || {
        let (blocks, channels) = text.split_once('x')?;
        Some((blocks.parse().ok()?, channels.parse().ok()?))
    };
    let (blocks, channels): (usize, usize) =
        parse().ok_or_else(|| "expected blocks x channels, as in 6x64".to_owned())?;
    let pooled = if blocks < 2 { vec![0] } else { vec![blocks / 3, 2 * blocks / 3] };
    let spec = NetSpec { blocks, channels, pooled, policy_dim: 16, value_hidden: 32, features: 1 };
    spec.validate().map_err(|error| error.to_string())?;
    Ok(spec)
}

#[derive(Serialize)]
struct Report {
    net: String,
    size: u8,
    precision: String,
    threads: usize,
    /// Milliseconds for all sequences of two moves from the start, one core.
    perft2_ms: f64,
    /// Of these sequences' last moves.
    moves_per_s: f64,
    /// Operations a second, in units of 10^9, of one core in the kernel's products alone.
    peak_gops: f64,
    /// The bare network, one core, one position at a time.
    net_evals_per_s: f64,
    /// The bare network's operations a second over the peak's.
    net_ratio_to_peak: f64,
    /// Whole evaluations: features, network, policy of the legal moves; one core, batch 1.
    evals_per_s: f64,
    /// Visits of a search of 400, one core.
    visits_per_s: f64,
    visits_ratio_to_net: f64,
    /// The same on all cores at once, one search each.
    visits_per_s_all: f64,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let board = arguments.size;
    let threads = thread::available_parallelism().context("the number of cores is unknown")?.get();
    let positions = random_game(board, 1);
    let weights = Weights::untrained(arguments.net.clone(), 1)?;
    let calibration = Some(calibrated(&weights, &positions)?);
    let network = native_of(&ModelFile { weights, calibration, history: [].into() })?;
    let (perft2_ms, moves) = perft2(board);
    let peak_gops = peak(&network);
    let net_evals_per_s = forward_passes(&network, board);
    let sides = (usize::from(board.files()), usize::from(board.ranks()));
    let net_gops = net_evals_per_s * network.spec().operations(sides.0, sides.1) as f64 / 1e9;
    let visits_per_s = visits(&network, &positions)?;
    let report = Report {
        net: format!("{}x{}", arguments.net.blocks, arguments.net.channels),
        size: board.files(),
        precision: format!("{:?}", network.precision()).to_lowercase(),
        threads,
        perft2_ms,
        moves_per_s: moves as f64 / perft2_ms * 1e3,
        peak_gops,
        net_evals_per_s,
        net_ratio_to_peak: net_gops / peak_gops,
        evals_per_s: evaluations(&network, &positions),
        visits_per_s,
        visits_ratio_to_net: visits_per_s / net_evals_per_s,
        visits_per_s_all: visits_on_all_cores(&network, &positions, threads)?,
    };
    if arguments.json { output::json(&report) } else { output::text(&words(&report)) }
}

fn words(report: &Report) -> String {
    let whole = |rate: f64| output::grouped(rate.round() as u64);
    format!(
        "network {net} in {precision} on {size}x{size}\n\
         perft 2            {perft:.2} ms ({moves} moves a second)\n\
         peak of a core     {peak:.0} billion operations a second\n\
         bare network       {bare} a second on one core, {ratio:.2} of the peak\n\
         evaluations        {evals} a second on one core\n\
         visits             {visits} a second on one core, {share:.2} of the bare network; {all} on {threads}\n",
        peak = report.peak_gops,
        bare = whole(report.net_evals_per_s),
        ratio = report.net_ratio_to_peak,
        share = report.visits_ratio_to_net,
        net = report.net,
        precision = report.precision,
        size = report.size,
        perft = report.perft2_ms,
        moves = whole(report.moves_per_s),
        evals = whole(report.evals_per_s),
        visits = whole(report.visits_per_s),
        all = whole(report.visits_per_s_all),
        threads = report.threads,
    )
}

/// Milliseconds of a perft of depth 2 from the start, the best of some, and its count.
fn perft2(board: Board) -> (f64, u64) {
    let start = start(board);
    let (mut best, mut count) = (f64::INFINITY, 0);
    let end = Instant::now() + MEASURED;
    while Instant::now() < end {
        let began = Instant::now();
        count = black_box(perft(black_box(&start), 2));
        best = best.min(began.elapsed().as_secs_f64() * 1e3);
    }
    (best, count)
}

/// Operations a second of one core, in units of 10^9, with the network's instructions.
fn peak(network: &Network) -> f64 {
    let peak = Peak::new(network.isa(), network.precision()).expect("the network runs on these instructions");
    rate(|| peak.run(10_000)) / 1e9
}

/// Forward passes a second of the bare network.
fn forward_passes(network: &Network, board: Board) -> f64 {
    let (mut scratch, mut out) = (network.scratch(), network.output());
    let planes: Vec<f32> = (0..board.area() * PLANES).map(|i| f32::from(u8::from(i * 7 % 5 == 0))).collect();
    let (files, ranks) = (usize::from(board.files()), usize::from(board.ranks()));
    rate(|| {
        network.forward(&mut scratch, black_box(&planes), files, ranks, Heads::default(), &mut out);
        black_box(out.value);
        1
    })
}

/// Evaluations a second over the positions of a game, one at a time.
fn evaluations(network: &Arc<Network>, positions: &[Position]) -> f64 {
    let mut evaluator = NetworkEvaluator::new(Arc::clone(network));
    let mut answer = [Evaluation::default()];
    let moves: Vec<Vec<_>> = positions
        .iter()
        .map(|position| {
            let mut moves = Vec::new();
            position.moves(&mut moves);
            moves
        })
        .collect();
    rate(|| {
        for (position, moves) in positions.iter().zip(&moves) {
            evaluator.evaluate(&[Query { position, moves }], &mut answer);
        }
        positions.len() as u64
    })
}

/// Visits a second of searches over the positions of a game.
fn visits(network: &Arc<Network>, positions: &[Position]) -> anyhow::Result<f64> {
    let mut evaluator = NetworkEvaluator::new(Arc::clone(network));
    let mut search = Search::new(MATCH_CONFIG)?;
    let mut next = positions.iter().cycle();
    Ok(rate(|| {
        let position = next.next().expect("a game has positions");
        search.clear();
        search.begin(position, &Plan { visits: VISITS, mode: Mode::Puct });
        u64::from(run_search(&mut search, &mut evaluator).visits)
    }))
}

fn visits_on_all_cores(
    network: &Arc<Network>,
    positions: &[Position],
    threads: usize,
) -> anyhow::Result<f64> {
    thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(|| visits(network, positions))).collect();
        workers.into_iter().map(|worker| worker.join().expect("a search does not panic")).sum()
    })
}

/// How many units of `work`, which says how many it did, are done in a second.
fn rate(mut work: impl FnMut() -> u64) -> f64 {
    // What is done first fills caches and buffers.
    work();
    let (began, mut units) = (Instant::now(), 0);
    while began.elapsed() < MEASURED {
        units += work();
    }
    units as f64 / began.elapsed().as_secs_f64()
}

//! `evaluate`: what a network says of positions, before any search.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use hippolyta_game::{Move, Position};
use hippolyta_model::features::{Features, PLANES};
use hippolyta_model::spec::MARGIN_LIMIT;
use hippolyta_model::{Head, Heads, ModelFile, NetworkEvaluator, Output, Precision, Product};
use hippolyta_run::evaluators::native_of;
use hippolyta_search::{Evaluation, Evaluator as _, Query};
use serde::Serialize;

use crate::failure::wrong_input;
use crate::output;
use crate::values::parse_fen;

/// How many moves the text shows.
const MOVES_SHOWN: usize = 8;

/// Show what a network says of positions: value, margin, owners, and the probability of each legal move.
#[derive(Debug, Args)]
#[command(
    after_help = "Example: hippolyta evaluate runs/quick/models/g000012.safetensors --fen \"1q2q1/q4q/6/6/Q4Q/1Q2Q1 w\"\n\
    Example: hippolyta evaluate net.safetensors --fens positions.txt --precision f32 --planes --tables --json"
)]
pub(crate) struct Arguments {
    /// The model file.
    model: PathBuf,
    #[command(flatten)]
    positions: Positions,
    /// How numbers are stored and multiplied; int8 needs a calibrated model. Without it as in play: int8 where the
    /// model is calibrated and stays near f32 by it, else bf16 or f32.
    #[arg(long, value_enum)]
    precision: Option<PrecisionName>,
    /// Print one JSON object; see docs/front-ends.md.
    #[arg(long)]
    json: bool,
    /// Add the input planes, [plane][square], to the JSON.
    #[arg(long, requires = "json")]
    planes: bool,
    /// Add the policy's three tables, [query square][key square], to the JSON.
    #[arg(long, requires = "json")]
    tables: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct Positions {
    /// The position.
    #[arg(long, value_parser = parse_fen)]
    fen: Option<Position>,
    /// A file of positions, a FEN a line; - is stdin. All are read before the first is evaluated.
    #[arg(long, value_name = "FILE")]
    fens: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PrecisionName {
    F32,
    Bf16,
    Int8,
}

impl PrecisionName {
    fn precision(self) -> Precision {
        match self {
            PrecisionName::F32 => Precision::F32,
            PrecisionName::Bf16 => Precision::Bf16,
            PrecisionName::Int8 => Precision::Int8,
        }
    }
}

/// All values are for the side to move; squares count from a1 by rank.
#[derive(Serialize)]
struct Entry {
    fen: String,
    value: f32,
    margin: f64,
    margin_logits: Vec<f32>,
    owner: Vec<f32>,
    moves: Vec<Scored>,
    #[serde(skip_serializing_if = "Option::is_none")]
    planes: Option<Vec<Vec<f32>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<Tables>,
}

#[derive(Serialize)]
struct Scored {
    r#move: String,
    logit: f32,
    probability: f64,
}

#[derive(Serialize)]
struct Tables {
    from_to: Vec<Vec<f32>>,
    to_arrow: Vec<Vec<f32>>,
    from_arrow: Vec<Vec<f32>>,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let positions = match (&arguments.positions.fen, &arguments.positions.fens) {
        (Some(position), _) => vec![*position],
        (None, Some(path)) => read_positions(path)?,
        (None, None) => unreachable!("the arguments' group asks for one of them"),
    };
    let model = ModelFile::read(&arguments.model).context("the model cannot be read")?;
    let precision = arguments.precision.map_or_else(|| model.precision(), PrecisionName::precision);
    let network = native_of(&model, precision)
        .with_context(|| format!("{} cannot be run", arguments.model.display()))?;
    let precision = format!("{:?}", network.precision()).to_lowercase();
    let mut evaluator = NetworkEvaluator::new(network);
    let mut entries = positions.iter().map(|position| entry(&mut evaluator, position, arguments));
    if arguments.json {
        return write_json(&model.hash(), &precision, entries);
    }
    let texts = entries.by_ref().zip(&positions).map(|(entry, position)| describe(position, entry));
    for (index, text) in texts.enumerate() {
        let blank = if index > 0 { "\n" } else { "" };
        output::text(&format!("{blank}{text}"))?;
    }
    Ok(())
}

/// Writes one JSON object, `{"hash":..,"precision":..,"positions":[..]}`, piece by piece: the moves of many positions
/// do not fit into memory.
fn write_json(hash: &str, precision: &str, entries: impl Iterator<Item = Entry>) -> anyhow::Result<()> {
    let head = serde_json::to_string(&serde_json::json!({ "hash": hash, "precision": precision }))?;
    let head = head.strip_suffix('}').expect("an object ends with a brace");
    output::piece(&format!("{head},\"positions\":["))?;
    for (index, entry) in entries.enumerate() {
        let comma = if index > 0 { "," } else { "" };
        output::piece(&format!("{comma}{}", serde_json::to_string(&entry)?))?;
    }
    output::text("]}")
}

/// The positions of a file, or of stdin for `-`.
fn read_positions(path: &Path) -> anyhow::Result<Vec<Position>> {
    let (name, input): (String, Box<dyn BufRead>) = if path == Path::new("-") {
        ("stdin".to_owned(), Box::new(io::stdin().lock()))
    } else {
        let name = path.display().to_string();
        let file = File::open(path).with_context(|| format!("cannot read {name}"))?;
        (name, Box::new(BufReader::new(file)))
    };
    let mut positions = Vec::new();
    for (line, number) in input.lines().zip(1..) {
        let line = line.with_context(|| format!("cannot read {name}, line {number}"))?;
        if !line.trim().is_empty() {
            let position = parse_fen(line.trim());
            let position =
                position.map_err(|error| wrong_input(format!("{name}, line {number}: {error}")))?;
            positions.push(position);
        }
    }
    if positions.is_empty() {
        return Err(wrong_input(format!("{name} holds no position")));
    }
    Ok(positions)
}

fn entry(evaluator: &mut NetworkEvaluator, position: &Position, arguments: &Arguments) -> Entry {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut answer = [Evaluation::default()];
    evaluator.evaluate(&[Query { position, moves: &moves }], &mut answer);
    let [answer] = answer;
    let out = evaluator.forward(position, Heads::of(&[Head::Owner, Head::Margin]));
    Entry {
        fen: position.to_string(),
        value: out.value(),
        margin: expected_margin(out.head(Head::Margin)),
        margin_logits: out.head(Head::Margin).to_vec(),
        owner: out.head(Head::Owner).to_vec(),
        moves: scored(&moves, &answer.logits),
        planes: arguments.planes.then(|| planes(position)),
        tables: arguments.tables.then(|| tables(out, position.board().area())),
    }
}

fn scored(moves: &[Move], logits: &[f32]) -> Vec<Scored> {
    let probabilities = softmax(logits);
    (moves.iter().zip(logits).zip(probabilities))
        .map(|((m, &logit), probability)| Scored { r#move: m.to_string(), logit, probability })
        .collect()
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f64> = logits.iter().map(|logit| f64::from(logit - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.iter().map(|share| share / sum).collect()
}

/// The mean of the margin's distribution.
fn expected_margin(logits: &[f32]) -> f64 {
    let margins = -MARGIN_LIMIT..=MARGIN_LIMIT;
    softmax(logits).iter().zip(margins).map(|(probability, margin)| probability * f64::from(margin)).sum()
}

fn planes(position: &Position) -> Vec<Vec<f32>> {
    let area = position.board().area();
    let mut features = Features::new();
    features.read(position);
    let mut planes = vec![0.0; PLANES * area];
    features.write_planes(&mut planes);
    planes.chunks(area).map(<[f32]>::to_vec).collect()
}

fn tables(out: &Output, area: usize) -> Tables {
    let policy = &out.policy;
    let table = |product| {
        let row = |query| {
            let mut row = vec![0.0; policy.row_len()];
            policy.row(product, query, &mut row);
            row.truncate(area);
            row
        };
        (0..area).map(row).collect()
    };
    Tables {
        from_to: table(Product::FromTo),
        to_arrow: table(Product::ToArrow),
        from_arrow: table(Product::FromArrow),
    }
}

/// For people: who stands better, and the most probable moves.
fn describe(position: &Position, mut entry: Entry) -> String {
    let side = position.side();
    let mut text = format!(
        "{}\nvalue {:+.3} for {side}, margin {:+.1} moves, {} legal moves\n",
        entry.fen,
        entry.value,
        entry.margin,
        entry.moves.len()
    );
    entry.moves.sort_by(|a, b| b.logit.partial_cmp(&a.logit).unwrap_or(Ordering::Equal));
    for Scored { r#move, probability, .. } in entry.moves.iter().take(MOVES_SHOWN) {
        writeln!(text, "  {move:<12} {:5.1} %", 100.0 * probability).expect("a string takes all");
    }
    text
}

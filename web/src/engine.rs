//! Players that think in steps, so that a worker can read its messages in between.

use std::sync::Arc;

use hippolyta_game::{Board, Position};
use hippolyta_model::spec::MARGIN_LIMIT;
use hippolyta_model::{Head, Heads, ModelFile, Network, NetworkEvaluator};
use hippolyta_play::{
    Choice, ClassicalPlayer, Level, LevelPlayer, MATCH_CONFIG, SearchPlayer, Stepped, Task, Thinker,
};
use hippolyta_search::{Evaluation, Evaluator as _, Query, SearchConfig};
use serde::Serialize;
use thiserror::Error;
use wasm_bindgen::prelude::*;

use crate::json;

/// Visits a move of a network that nothing limits.
const DEFAULT_VISITS: u32 = 400;
/// Memory of the classical player's table, in MiB.
const TABLE: usize = 8;

/// Someone who chooses moves: a level, the classical program, or a network with search.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmEngine {
    seat: Seat,
}

/// A player, and its network if it has one.
pub(crate) struct Seat {
    pub(crate) player: Box<dyn Thinker>,
    network: Option<Arc<Network>>,
}

/// Why there is no such player, or no such answer.
#[derive(Debug, Error)]
pub(crate) enum SeatError {
    #[error("'{0}' is not a level: expected random, easy, medium, hard, classical or insane")]
    Level(String),
    #[error("Insane plays with a network: give it a model")]
    NoModel,
    #[error("the model cannot be read: {0}")]
    Model(#[from] hippolyta_model::file::ModelError),
    #[error("the model cannot be run: {0}")]
    Network(#[from] hippolyta_model::network::NetworkError),
    #[error("the model's numbers are so large that it has no finite answer")]
    NotFinite,
    #[error(transparent)]
    Memory(#[from] hippolyta_play::NoMemory),
    #[error("{0} nodes is not a size for a search tree: {1}")]
    Nodes(u32, hippolyta_search::ConfigError),
}

#[derive(Serialize)]
struct ChoiceView {
    r#move: String,
    /// For the side to move; nothing when the move was drawn by lot.
    value: Option<f32>,
    lines: Vec<LineView>,
    visits: u64,
    depth: u32,
}

#[derive(Serialize)]
struct LineView {
    value: f32,
    moves: Vec<String>,
}

/// What a network says of a position before any search, for the side to move.
#[derive(Serialize)]
struct EvaluationView {
    value: f32,
    /// The mean of the margin's distribution, in moves.
    margin: f64,
    /// The final owner of each square from a1 along the ranks.
    owner: Vec<f32>,
    /// The most probable first.
    moves: Vec<ScoredMove>,
}

#[derive(Serialize)]
struct ScoredMove {
    r#move: String,
    probability: f64,
}

impl Seat {
    /// A player of a level; Insane needs the bytes of a model file, and `max_nodes` bounds its tree.
    pub(crate) fn take(level: &str, model: Option<&[u8]>, max_nodes: u32) -> Result<Seat, SeatError> {
        let player: Box<dyn Thinker> = match level {
            "insane" => return Seat::of_network(model.ok_or(SeatError::NoModel)?, max_nodes),
            "classical" => Box::new(ClassicalPlayer::with_memory(TABLE)?),
            _ => {
                Box::new(LevelPlayer::new(level.parse::<Level>().map_err(|error| SeatError::Level(error.0))?))
            }
        };
        Ok(Seat { player, network: None })
    }

    fn of_network(model: &[u8], max_nodes: u32) -> Result<Seat, SeatError> {
        let model = ModelFile::from_bytes(model)?;
        let network = Arc::new(Network::load(&model, model.precision())?);
        let start = Position::start(Board::SIX).expect("6x6 has a start");
        let (_, answer) = evaluate(&mut NetworkEvaluator::new(Arc::clone(&network)), &start);
        if !(answer.value.is_finite() && answer.logits.iter().all(|logit| logit.is_finite())) {
            return Err(SeatError::NotFinite);
        }
        let config = SearchConfig { max_nodes, ..MATCH_CONFIG };
        let evaluator = NetworkEvaluator::new(Arc::clone(&network));
        let player = SearchPlayer::new("insane", evaluator, config, DEFAULT_VISITS)
            .map_err(|error| SeatError::Nodes(max_nodes, error))?;
        Ok(Seat { player: Box::new(player), network: Some(network) })
    }
}

impl std::fmt::Debug for Seat {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Seat").field("player", &self.player.name()).finish_non_exhaustive()
    }
}

#[wasm_bindgen]
impl WasmEngine {
    /// A player of a level; Insane needs the bytes of a model file, and `max_nodes` bounds its tree.
    #[wasm_bindgen(constructor)]
    #[expect(clippy::needless_pass_by_value, reason = "bytes come out of JavaScript as a value")]
    pub fn new(level: &str, model: Option<Vec<u8>>, max_nodes: u32) -> Result<WasmEngine, JsError> {
        Ok(WasmEngine { seat: Seat::take(level, model.as_deref(), max_nodes)? })
    }

    /// Starts another game.
    #[wasm_bindgen(js_name = newGame)]
    pub fn new_game(&mut self, seed: u32) {
        self.seat.player.new_game(seed.into());
    }

    /// Begins to think about a position: with `visits`, without any limit when `endless`, else as long as the player
    /// likes.
    pub fn begin(
        &mut self,
        fen: &str,
        visits: Option<u32>,
        endless: bool,
        lines: usize,
    ) -> Result<(), JsError> {
        let position: Position = fen.trim().parse()?;
        let visits = visits.map(u64::from).or(endless.then_some(u64::MAX));
        Ok(self.seat.player.begin(&position, &Task { visits, lines, ..Task::DEFAULT })?)
    }

    /// Goes on for about so many visits: 0 when there is more to find, 1 when the answer is worth another look, 2 when
    /// all is done.
    pub fn step(&mut self, visits: u32) -> u32 {
        match self.seat.player.step(visits.into()) {
            Stepped::Thinking => 0,
            Stepped::News => 1,
            Stepped::Done => 2,
        }
    }

    /// The visits after which it is time to look at a clock.
    pub fn pace(&self) -> u32 {
        self.seat.player.pace().try_into().unwrap_or(u32::MAX)
    }

    /// What the player would choose now, as JSON; nothing before the first step.
    pub fn answer(&self) -> Option<String> {
        Some(json(&view(&self.seat.player.answer()?)))
    }

    /// Ends the thought.
    pub fn abandon(&mut self) {
        self.seat.player.abandon();
    }

    /// What the network says of a position before any search, as JSON.
    pub fn evaluate(&self, fen: &str) -> Result<String, JsError> {
        let network = self.seat.network.as_ref().ok_or(SeatError::NoModel)?;
        let position: Position = fen.trim().parse()?;
        let mut evaluator = NetworkEvaluator::new(Arc::clone(network));
        let (names, answer) = evaluate(&mut evaluator, &position);
        let mut moves: Vec<ScoredMove> = (names.into_iter().zip(softmax(&answer.logits)))
            .map(|(r#move, probability)| ScoredMove { r#move, probability })
            .collect();
        moves.sort_by(|a, b| b.probability.total_cmp(&a.probability));
        let output = evaluator.forward(&position, Heads::of(&[Head::Owner, Head::Margin]));
        let margins = (-MARGIN_LIMIT..=MARGIN_LIMIT).map(f64::from);
        let margin = softmax(output.head(Head::Margin))
            .into_iter()
            .zip(margins)
            .map(|(share, margin)| share * margin)
            .sum();
        Ok(json(&EvaluationView {
            value: output.value(),
            margin,
            owner: output.head(Head::Owner).to_vec(),
            moves,
        }))
    }
}

/// The legal moves as they are written, and the network's answer.
fn evaluate(evaluator: &mut NetworkEvaluator, position: &Position) -> (Vec<String>, Evaluation) {
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let mut answer = [Evaluation::default()];
    evaluator.evaluate(&[Query { position, moves: &moves }], &mut answer);
    let [answer] = answer;
    (moves.iter().map(ToString::to_string).collect(), answer)
}

fn softmax(logits: &[f32]) -> Vec<f64> {
    let most = logits.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let shares: Vec<f64> = logits.iter().map(|logit| f64::from(logit - most).exp()).collect();
    let sum: f64 = shares.iter().sum();
    shares.into_iter().map(|share| share / sum).collect()
}

fn view(choice: &Choice) -> ChoiceView {
    let lines = choice.lines.iter().map(|line| LineView {
        value: line.value,
        moves: line.moves.iter().map(ToString::to_string).collect(),
    });
    ChoiceView {
        r#move: choice.best.to_string(),
        value: choice.value(),
        lines: lines.collect(),
        visits: choice.visits,
        depth: choice.depth,
    }
}

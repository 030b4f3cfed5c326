//! UCI, a line at a time, for a worker that hears and says lines.

use std::time::Duration;

use hippolyta_play::protocol::{Order, Protocol as _, Setting, Think, Uci};
use hippolyta_play::{PlayerError, Stepped, Task, Thinker as _};
use serde::Serialize;
use wasm_bindgen::prelude::*;

use crate::engine::{Seat, SeatError};
use crate::json;

/// An engine that speaks UCI. Whoever holds it has the clock, and fetches the model that it asks for.
#[wasm_bindgen]
#[derive(Debug)]
pub struct WasmUci {
    protocol: Uci,
    level: String,
    model: Option<Vec<u8>>,
    /// The model that it was started with.
    first_model: Option<Vec<u8>>,
    max_nodes: u32,
    seat: Option<Seat>,
    seed: u64,
    /// Whether the next position is of a new game.
    begins: bool,
    thought: Option<Think>,
}

/// What the holder has to do, in this order: fetch a model, write lines, begin or stop to think, end.
#[derive(Default, Serialize)]
struct Orders {
    say: Vec<String>,
    /// The address of a model to fetch and hand in before anything else.
    model: Option<String>,
    think: Option<Thinking>,
    stop: bool,
    quit: bool,
}

#[derive(Serialize)]
struct Thinking {
    /// The most time to take.
    #[serde(rename = "timeMs")]
    time_ms: Option<f64>,
    /// Whether to wait for a stop even when nothing is left to find.
    infinite: bool,
}

#[wasm_bindgen]
impl WasmUci {
    /// An engine of a level, with a model for Insane.
    #[wasm_bindgen(constructor)]
    pub fn new(level: &str, model: Option<Vec<u8>>, max_nodes: u32) -> Result<WasmUci, JsError> {
        let seat = Seat::take(level, model.as_deref(), max_nodes)?;
        let name = concat!("Hippolyta ", env!("CARGO_PKG_VERSION"));
        let (seat, level) = (Some(seat), level.to_owned());
        let protocol = Uci::new(name, &level, None);
        let first_model = model.clone();
        Ok(WasmUci {
            protocol,
            level,
            model,
            first_model,
            max_nodes,
            seat,
            seed: 0,
            begins: true,
            thought: None,
        })
    }

    /// Takes a line, and gives orders as JSON.
    pub fn line(&mut self, line: &str) -> String {
        let orders = self.protocol.line(line);
        json(&self.follow(orders))
    }

    /// Takes the model that was asked for, or nothing to have none.
    #[wasm_bindgen(js_name = setModel)]
    pub fn set_model(&mut self, model: Option<Vec<u8>>) {
        (self.model, self.seat) = (model, None);
    }

    /// Begins the thought that was ordered. Gives orders instead when there is nobody to think.
    pub fn begin(&mut self) -> Option<String> {
        let trouble = self.try_begin().err()?.to_string();
        let orders = self.protocol.failed(&trouble);
        Some(json(&self.follow(orders)))
    }

    /// Goes on for some visits: 0 when there is more to find, 1 when there is news to tell, 2 when all is done.
    pub fn step(&mut self, visits: u32) -> u32 {
        match self.seat.as_mut().map(|seat| seat.player.step(visits.into())) {
            Some(Stepped::Thinking) => 0,
            Some(Stepped::News) => 1,
            Some(Stepped::Done) | None => 2,
        }
    }

    /// Tells what is found so far, `spent` ms after the beginning; at the `end` the thought is over.
    pub fn answer(&mut self, spent: f64, end: bool) -> String {
        let spent = Duration::from_secs_f64(spent.max(0.0) / 1000.0);
        let choice = self.seat.as_ref().and_then(|seat| seat.player.answer());
        let orders = match choice {
            Some(choice) if end => self.protocol.chosen(&choice, spent),
            Some(choice) => self.protocol.considered(&choice, spent),
            None => Vec::new(),
        };
        if end {
            self.thought = None;
        }
        json(&self.follow(orders))
    }
}

impl WasmUci {
    fn follow(&mut self, orders: Vec<Order>) -> Orders {
        let mut to_do = Orders::default();
        for order in orders {
            match order {
                Order::Say(line) | Order::Ready(line) => to_do.say.push(line),
                Order::NewGame => self.begins = true,
                Order::Set(setting) => to_do.model = self.set(setting).or(to_do.model),
                Order::Think(think) => {
                    let time_ms = think.time.map(|time| time.as_secs_f64() * 1000.0);
                    to_do.think = Some(Thinking { time_ms, infinite: think.infinite });
                    self.thought = Some(think);
                }
                Order::Stop => to_do.stop = true,
                Order::Quit => to_do.quit = true,
            }
        }
        to_do
    }

    /// Changes a setting, and names the model that is needed for it.
    fn set(&mut self, setting: Setting) -> Option<String> {
        match setting {
            Setting::Level(level) => (self.level, self.seat) = (level, None),
            Setting::ModelFile(file) if file.is_empty() => {
                (self.model, self.seat) = (self.first_model.clone(), None);
            }
            Setting::ModelFile(file) => return Some(file),
            Setting::Seed(seed) => (self.seed, self.begins) = (seed, true),
            // The memory is the page's, and fixed.
            Setting::Hash(_) => {}
        }
        None
    }

    fn try_begin(&mut self) -> Result<(), Trouble> {
        let Some(think) = &self.thought else { return Ok(()) };
        let mut seat = if let Some(seat) = self.seat.take() {
            seat
        } else {
            self.begins = true;
            Seat::take(&self.level, self.model.as_deref(), self.max_nodes)?
        };
        if std::mem::take(&mut self.begins) {
            seat.player.new_game(self.seed);
        }
        let endless = (think.time.is_some() || think.depth.is_some() || think.infinite).then_some(u64::MAX);
        let task = Task {
            visits: think.visits.or(endless),
            depth: think.depth,
            lines: think.lines,
            among: &think.among,
        };
        let begun = seat.player.begin(&think.position, &task);
        self.seat = Some(seat);
        Ok(begun?)
    }
}

/// Why a thought did not begin.
#[derive(Debug, thiserror::Error)]
enum Trouble {
    #[error(transparent)]
    Seat(#[from] SeatError),
    #[error(transparent)]
    Player(#[from] PlayerError),
}

//! UCI as graphical programs speak it to Fairy-Stockfish for Amazons.

#[path = "uci_tests.rs"]
mod tests;

use std::collections::VecDeque;
use std::time::Duration;

use hippolyta_game::{Board, Move, Position};
use hippolyta_search::math;

use super::go::Go;
use super::{Order, Protocol, Setting};
use crate::classical::ClassicalPlayer;
use crate::player::{Choice, Line};

/// The levels that can be asked for.
const LEVELS: [&str; 6] = ["random", "easy", "medium", "hard", "classical", "insane"];
const DEFAULT_HASH: usize = ClassicalPlayer::DEFAULT_MEMORY;
const MOST_HASH: usize = 65_536;
const MOST_LINES: usize = 64;
/// The most lines that wait for a `bestmove`.
const MOST_WAITING: usize = 1024;
/// The value of a string option that is not set.
const EMPTY: &str = "<empty>";

/// The engine's side of UCI.
///
/// `position startpos` means the board of the option `Size`, 10 until it is set. Scores are in hundredths of the
/// log-odds of a win. Lines that come while a move is chosen, and could change it, take effect in their order after the
/// `bestmove`.
///
/// ```
/// use hippolyta_play::protocol::{Order, Protocol, Uci};
///
/// let mut uci = Uci::new("Hippolyta 0.1.0", "hard", None);
/// assert_eq!(uci.line("isready"), [Order::Ready("readyok".to_owned())]);
/// uci.line("position startpos moves d1d7,d7g7");
/// let position = uci.position().expect("the position is legal");
/// assert_eq!(position.to_string(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b");
/// assert!(matches!(uci.line("go movetime 100")[..], [Order::Think(_)]));
/// ```
#[derive(Clone, Debug)]
pub struct Uci {
    name: String,
    level: String,
    model: Option<String>,
    board: Board,
    /// Nothing after a position that was refused.
    position: Option<Position>,
    lines: usize,
    thinking: bool,
    /// Whether the thought was told to stop.
    stopped: bool,
    /// Whether to end once the thought is answered.
    quitting: bool,
    /// Lines that take effect after the thought.
    waiting: VecDeque<String>,
}

impl Uci {
    /// An engine that calls itself `name` and plays `level`, if it is a network that of the file `model`, until it is
    /// told otherwise. The options advertise both, and their defaults bring both back.
    pub fn new(name: &str, level: &str, model: Option<&str>) -> Uci {
        let board = Board::TEN;
        Uci {
            name: name.to_owned(),
            level: level.to_owned(),
            model: model.map(str::to_owned),
            board,
            position: Position::start(board),
            lines: 1,
            thinking: false,
            stopped: false,
            quitting: false,
            waiting: VecDeque::new(),
        }
    }

    /// The position that the last `position` line set; nothing when it was refused.
    pub fn position(&self) -> Option<&Position> {
        self.position.as_ref()
    }

    fn introduce(&self) -> Vec<Order> {
        let own = (!LEVELS.contains(&self.level.as_str())).then_some(self.level.as_str());
        let levels: Vec<&str> = LEVELS.into_iter().chain(own).collect();
        let levels = levels.join(" var ");
        let (level, model) = (&self.level, self.model.as_deref().unwrap_or(EMPTY));
        [
            format!("id name {}", self.name),
            "id author the Hippolyta authors".to_owned(),
            format!("option name Level type combo default {level} var {levels}"),
            format!("option name ModelFile type string default {model}"),
            "option name Size type combo default 10 var 6 var 8 var 10".to_owned(),
            "option name Threads type spin default 1 min 1 max 1".to_owned(),
            format!("option name Hash type spin default {DEFAULT_HASH} min 1 max {MOST_HASH}"),
            format!("option name MultiPV type spin default 1 min 1 max {MOST_LINES}"),
            format!("option name Seed type spin default 0 min 0 max {}", i64::MAX),
            "option name UCI_Variant type combo default amazons var amazons".to_owned(),
            "uciok".to_owned(),
        ]
        .map(Order::Say)
        .into()
    }

    fn set_position(&mut self, words: &[&str]) -> Result<(), String> {
        // A position that is refused must not leave the one before in its place.
        self.position = None;
        let end = words.iter().position(|word| *word == "moves").unwrap_or(words.len());
        let start = match words[..end] {
            ["startpos"] => Position::start(self.board).expect("Size offers boards that have a start"),
            ["fen", ref fields @ ..] if !fields.is_empty() => {
                fields.join(" ").parse().map_err(|error| format!("{error}"))?
            }
            _ => return Err("expected position startpos|fen FEN [moves ...]".to_owned()),
        };
        let play = |position: Position, word: &&str| -> Result<Position, String> {
            let m: Move = word.parse().map_err(|error| format!("{error}"))?;
            position.play(m).map_err(|error| error.to_string())
        };
        self.position = Some(words.get(end + 1..).unwrap_or_default().iter().try_fold(start, play)?);
        Ok(())
    }

    /// Every `go` ends with one `bestmove`, whatever stands in its line.
    fn go(&mut self, words: &[&str]) -> Vec<Order> {
        let no_move = || Order::Say("bestmove (none)".to_owned());
        let Some(position) = self.position else {
            return vec![error("no position is set: the last one was refused"), no_move()];
        };
        let (go, errors) = Go::parse(words, &position);
        let mut orders: Vec<Order> = errors.iter().map(|text| error(text)).collect();
        if !position.has_move() || go.has_nothing_to_choose() {
            orders.push(no_move());
        } else {
            self.thinking = true;
            orders.push(Order::Think(go.think(position, self.lines)));
        }
        orders
    }

    /// The lines that a choice weighed, as many as are wanted.
    fn inform(&self, choice: &Choice, spent: Duration) -> Vec<Order> {
        let lines = choice.lines.iter().take(self.lines).zip(1..);
        lines.map(|(line, place)| Order::Say(info(choice, line, place, spent))).collect()
    }

    /// Takes what stands behind `setoption`.
    fn set_option(&mut self, text: &str) -> Result<Vec<Order>, String> {
        let Some((name, value)) = option_of(text) else {
            return Err("expected setoption name NAME value VALUE".to_owned());
        };
        let number = |least: u64, most: u64| {
            let parsed = value.parse().ok().filter(|number| (least..=most).contains(number));
            parsed
                .ok_or_else(|| format!("'{value}' is not a {name}: expected a number from {least} to {most}"))
        };
        let setting = match name.to_ascii_lowercase().as_str() {
            "level" => {
                let level = if value == self.level { value.to_owned() } else { value.to_ascii_lowercase() };
                if level != self.level && !LEVELS.contains(&level.as_str()) {
                    return Err(format!("'{value}' is not a Level: expected one of {}", LEVELS.join(", ")));
                }
                Setting::Level(level)
            }
            // The default is what the engine was started with, however its path is spelt here.
            "modelfile" if value == EMPTY || self.model.as_deref() == Some(value) => {
                Setting::ModelFile(String::new())
            }
            "modelfile" => Setting::ModelFile(value.to_owned()),
            // Every player thinks on one thread.
            "threads" => {
                number(1, 1)?;
                return Ok(Vec::new());
            }
            "hash" => Setting::Hash(number(1, MOST_HASH as u64)? as usize),
            "seed" => Setting::Seed(number(0, i64::MAX as u64)?),
            "multipv" => {
                self.lines = number(1, MOST_LINES as u64)? as usize;
                return Ok(Vec::new());
            }
            "size" => {
                self.board = match value {
                    "6" => Board::SIX,
                    "8" => Board::EIGHT,
                    "10" => Board::TEN,
                    _ => return Err(format!("'{value}' is not a Size: expected 6, 8 or 10")),
                };
                return Ok(Vec::new());
            }
            "uci_variant" if value == "amazons" => return Ok(Vec::new()),
            "uci_variant" => {
                return Err(format!("'{value}' is not a variant that is played here: expected amazons"));
            }
            _ => return Err(format!("there is no option '{name}'")),
        };
        Ok(vec![Order::Set(setting)])
    }
}

impl Uci {
    /// Whether a line may only take effect after the `bestmove` that is due, or after lines that wait for it.
    fn must_wait(&self, line: &str) -> bool {
        match line.split_whitespace().next() {
            Some("position" | "go" | "setoption" | "ucinewgame") => self.thinking,
            // A player that thinks is ready; one that is about to answer may have lines to take before it is.
            Some("isready") => self.thinking && self.stopped,
            _ => false,
        }
    }

    /// Takes a line that need not wait.
    fn take(&mut self, line: &str) -> Vec<Order> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["uci"] => Ok(self.introduce()),
            ["isready"] if self.thinking => Ok(vec![Order::Say("readyok".to_owned())]),
            ["isready"] => Ok(vec![Order::Ready("readyok".to_owned())]),
            ["stop" | "ponderhit"] => {
                self.stopped = self.thinking;
                Ok(if self.thinking { vec![Order::Stop] } else { Vec::new() })
            }
            [] | ["debug", ..] => Ok(Vec::new()),
            ["ucinewgame"] => Ok(vec![Order::NewGame]),
            ["position", ref rest @ ..] => self.set_position(rest).map(|()| Vec::new()),
            ["go", ref rest @ ..] => Ok(self.go(rest)),
            ["setoption", ..] => {
                let rest = line.trim_start().strip_prefix("setoption").expect("it is the first word");
                self.set_option(rest)
            }
            _ => Err(format!("'{}' is not a command that is known here", words.join(" "))),
        };
        answer.unwrap_or_else(|text| vec![error(&text)])
    }

    /// Ends a thought with its last orders, and takes the lines that waited for them.
    fn end_thought(&mut self, mut orders: Vec<Order>) -> Vec<Order> {
        (self.thinking, self.stopped) = (false, false);
        if self.quitting {
            orders.push(Order::Quit);
            return orders;
        }
        while self.waiting.front().is_some_and(|line| !self.must_wait(line)) {
            let line = self.waiting.pop_front().expect("a line waits");
            orders.extend(self.take(&line));
        }
        orders
    }
}

impl Protocol for Uci {
    fn line(&mut self, line: &str) -> Vec<Order> {
        let first = line.split_whitespace().next();
        if first == Some("quit") {
            self.waiting.clear();
            self.quitting = true;
            return vec![if self.thinking { Order::Stop } else { Order::Quit }];
        }
        let mut orders = Vec::new();
        if !self.waiting.is_empty() && matches!(first, Some("stop" | "ponderhit")) {
            // It ends the thought that runs, and also one that waits.
            orders = self.take(line);
        }
        let is_behind = !self.waiting.is_empty() && first != Some("uci") && first.is_some();
        if !self.must_wait(line) && !is_behind {
            return self.take(line);
        }
        if self.waiting.len() == MOST_WAITING {
            orders
                .push(error(&format!("{MOST_WAITING} lines wait for bestmove already: '{line}' is dropped")));
        } else {
            self.waiting.push_back(line.to_owned());
        }
        orders
    }

    fn chosen(&mut self, choice: &Choice, spent: Duration) -> Vec<Order> {
        if !self.thinking {
            return Vec::new();
        }
        let mut orders = self.inform(choice, spent);
        orders.push(Order::Say(format!("bestmove {}", spell(choice.best))));
        self.end_thought(orders)
    }

    fn considered(&mut self, choice: &Choice, spent: Duration) -> Vec<Order> {
        if self.thinking { self.inform(choice, spent) } else { Vec::new() }
    }

    fn failed(&mut self, reason: &str) -> Vec<Order> {
        if !self.thinking {
            return Vec::new();
        }
        self.end_thought(vec![error(reason), Order::Say("bestmove (none)".to_owned())])
    }
}

fn error(text: &str) -> Order {
    Order::Say(format!("info string error: {text}"))
}

/// The name and the value in what stands behind `setoption`. Spaces inside a value are its own.
fn option_of(text: &str) -> Option<(String, &str)> {
    let rest = text.trim_start().strip_prefix("name")?;
    if !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let is_value = |(at, _): &(usize, &str)| {
        let behind = &rest[at + "value".len()..];
        rest[..*at].ends_with(char::is_whitespace)
            && (behind.is_empty() || behind.starts_with(char::is_whitespace))
    };
    let (name, value) = match rest.match_indices("value").find(is_value) {
        Some((at, word)) => (&rest[..at], rest[at + word.len()..].trim()),
        None => (rest, ""),
    };
    Some((name.split_whitespace().collect::<Vec<_>>().join(" "), value))
}

/// A move as Fairy-Stockfish writes it: `d1d7,d7g7`.
pub(super) fn spell(m: Move) -> String {
    format!("{}{},{}{}", m.from, m.to, m.to, m.arrow)
}

/// A value in [-1, 1] in hundredths of the log-odds of a win.
fn score(value: f32) -> f32 {
    (200.0 * math::atanh(value.clamp(-0.9999, 0.9999))).round()
}

/// The value that a score in hundredths stands for.
pub(super) fn score_value(score: f32) -> f32 {
    math::tanh(score / 200.0).clamp(-0.9999, 0.9999)
}

fn info(choice: &Choice, line: &Line, place: usize, spent: Duration) -> String {
    let score = score(line.value);
    let millis = spent.as_millis();
    let rate = u128::from(choice.visits) * 1_000_000 / spent.as_micros().max(1);
    let moves = line.moves.iter().map(|m| spell(*m)).collect::<Vec<_>>().join(" ");
    format!(
        "info depth {} multipv {place} score cp {score} nodes {} nps {rate} time {millis} pv {moves}",
        choice.depth.max(1),
        choice.visits,
    )
}

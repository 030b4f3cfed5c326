//! UCI as graphical programs speak it to Fairy-Stockfish for Amazons.

use std::time::Duration;

use hippolyta_game::{Board, Move, Position};
use hippolyta_search::math;

use super::{Order, Protocol, Setting, Think};
use crate::classical::ClassicalPlayer;
use crate::player::{Choice, Line};

/// Time kept back from each limit for the way to the other side.
const MARGIN: Duration = Duration::from_millis(5);
/// The levels that can be asked for.
const LEVELS: [&str; 6] = ["random", "easy", "medium", "hard", "classical", "insane"];
const DEFAULT_HASH: usize = ClassicalPlayer::DEFAULT_MEMORY;
const MOST_HASH: usize = 65_536;
const MOST_LINES: usize = 64;

/// The engine's side of UCI.
///
/// `position startpos` means the board of the option `Size`, 10 until it is set. Scores are in hundredths of the
/// log-odds of a win.
///
/// ```
/// use hippolyta_play::protocol::{Order, Protocol, Uci};
///
/// let mut uci = Uci::new("Hippolyta 0.1.0", "hard");
/// assert_eq!(uci.line("isready"), [Order::Ready("readyok".to_owned())]);
/// uci.line("position startpos moves d1d7,d7g7");
/// assert_eq!(uci.position().to_string(), "3q2q3/10/10/q2Q2*2q/10/10/Q8Q/10/10/6Q3 b");
/// assert!(matches!(uci.line("go movetime 100")[..], [Order::Think(_)]));
/// ```
#[derive(Clone, Debug)]
pub struct Uci {
    name: String,
    level: String,
    board: Board,
    position: Position,
    lines: usize,
    thinking: bool,
}

impl Uci {
    /// An engine that calls itself `name` and plays `level` until it is told otherwise.
    pub fn new(name: &str, level: &str) -> Uci {
        let board = Board::TEN;
        let position = Position::start(board).expect("10x10 has a start");
        Uci { name: name.to_owned(), level: level.to_owned(), board, position, lines: 1, thinking: false }
    }

    /// The position that the last `position` line set.
    pub fn position(&self) -> &Position {
        &self.position
    }

    fn introduce(&self) -> Vec<Order> {
        let level = if LEVELS.contains(&self.level.as_str()) { self.level.as_str() } else { "insane" };
        let levels = LEVELS.map(|level| format!(" var {level}")).concat();
        [
            format!("id name {}", self.name),
            "id author the Hippolyta authors".to_owned(),
            format!("option name Level type combo default {level}{levels}"),
            "option name ModelFile type string default <empty>".to_owned(),
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
        self.position = words.get(end + 1..).unwrap_or_default().iter().try_fold(start, play)?;
        Ok(())
    }

    fn go(&mut self, words: &[&str]) -> Result<Vec<Order>, String> {
        let mut budget = Budget::default();
        let mut words = words.iter();
        while let Some(&word) = words.next() {
            if word == "infinite" || word == "ponder" {
                budget.infinite = true;
                continue;
            }
            let place = match word {
                "movetime" => &mut budget.movetime,
                "nodes" => &mut budget.nodes,
                "wtime" => &mut budget.left[0],
                "btime" => &mut budget.left[1],
                "winc" => &mut budget.increment[0],
                "binc" => &mut budget.increment[1],
                "movestogo" => &mut budget.moves_to_go,
                _ => return Err(format!("'{word}' is no limit that go knows")),
            };
            let number = words.next().ok_or_else(|| format!("'{word}' needs a number"))?;
            // Clocks of some programs run below zero.
            let parsed: i64 = number.parse().map_err(|_| format!("'{number}' is no number for '{word}'"))?;
            *place = Some(parsed.max(0) as u64);
        }
        if !self.position.has_move() {
            return Ok(vec![Order::Say("bestmove (none)".to_owned())]);
        }
        self.thinking = true;
        Ok(vec![Order::Think(budget.think(self.position, self.lines))])
    }

    /// The lines that a choice weighed, as many as are wanted.
    fn inform(&self, choice: &Choice, spent: Duration) -> Vec<Order> {
        let lines = choice.lines.iter().take(self.lines).zip(1..);
        lines.map(|(line, place)| Order::Say(info(choice, line, place, spent))).collect()
    }

    fn set_option(&mut self, words: &[&str]) -> Result<Vec<Order>, String> {
        let ["name", rest @ ..] = words else {
            return Err("expected setoption name NAME value VALUE".to_owned());
        };
        let end = rest.iter().position(|word| *word == "value").unwrap_or(rest.len());
        let name = rest[..end].join(" ");
        let value = rest.get(end + 1..).unwrap_or_default().join(" ");
        let number = |least: u64, most: u64| {
            let parsed = value.parse().ok().filter(|number| (least..=most).contains(number));
            parsed.ok_or_else(|| format!("'{value}' is no {name}: expected a number from {least} to {most}"))
        };
        let setting = match name.to_ascii_lowercase().as_str() {
            "level" => {
                let level = value.to_ascii_lowercase();
                if !LEVELS.contains(&level.as_str()) {
                    return Err(format!("'{value}' is no Level: expected one of {}", LEVELS.join(", ")));
                }
                Setting::Level(level)
            }
            "modelfile" if value == "<empty>" => Setting::ModelFile(String::new()),
            "modelfile" => Setting::ModelFile(value),
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
                self.board = match value.as_str() {
                    "6" => Board::SIX,
                    "8" => Board::EIGHT,
                    "10" => Board::TEN,
                    _ => return Err(format!("'{value}' is no Size: expected 6, 8 or 10")),
                };
                return Ok(Vec::new());
            }
            "uci_variant" if value == "amazons" => return Ok(Vec::new()),
            "uci_variant" => {
                return Err(format!("'{value}' is no variant that is played here: expected amazons"));
            }
            _ => return Err(format!("there is no option '{name}'")),
        };
        Ok(vec![Order::Set(setting)])
    }
}

impl Protocol for Uci {
    fn line(&mut self, line: &str) -> Vec<Order> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            ["uci"] => Ok(self.introduce()),
            // A player that thinks is ready, and is not to be waited for.
            ["isready"] if self.thinking => Ok(vec![Order::Say("readyok".to_owned())]),
            ["isready"] => Ok(vec![Order::Ready("readyok".to_owned())]),
            ["stop" | "ponderhit"] => Ok(if self.thinking { vec![Order::Stop] } else { Vec::new() }),
            ["quit"] => Ok(if self.thinking { vec![Order::Stop, Order::Quit] } else { vec![Order::Quit] }),
            [] | ["debug", ..] => Ok(Vec::new()),
            ["position" | "go" | "setoption" | "ucinewgame", ..] if self.thinking => {
                Err(format!("'{}' has to wait for bestmove", words[0]))
            }
            ["ucinewgame"] => Ok(vec![Order::NewGame]),
            ["position", ref rest @ ..] => self.set_position(rest).map(|()| Vec::new()),
            ["go", ref rest @ ..] => self.go(rest),
            ["setoption", ref rest @ ..] => self.set_option(rest),
            _ => Err(format!("'{}' is no command that is known here", words.join(" "))),
        };
        answer.unwrap_or_else(|error| vec![Order::Say(format!("info string error: {error}"))])
    }

    fn chosen(&mut self, choice: &Choice, spent: Duration) -> Vec<Order> {
        if !std::mem::take(&mut self.thinking) {
            return Vec::new();
        }
        let mut orders = self.inform(choice, spent);
        orders.push(Order::Say(format!("bestmove {}", spell(choice.best))));
        orders
    }

    fn considered(&mut self, choice: &Choice, spent: Duration) -> Vec<Order> {
        if self.thinking { self.inform(choice, spent) } else { Vec::new() }
    }

    fn failed(&mut self, reason: &str) -> Vec<Order> {
        if !std::mem::take(&mut self.thinking) {
            return Vec::new();
        }
        let error = format!("info string error: {reason}");
        [error, "bestmove (none)".to_owned()].map(Order::Say).into()
    }
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

/// The limits of a `go` line, as they stand there.
#[derive(Default)]
struct Budget {
    movetime: Option<u64>,
    nodes: Option<u64>,
    left: [Option<u64>; 2],
    increment: [Option<u64>; 2],
    moves_to_go: Option<u64>,
    infinite: bool,
}

impl Budget {
    fn think(&self, position: Position, lines: usize) -> Think {
        let side = position.side().index();
        let fixed = self.movetime.map(|millis| Duration::from_millis(millis).saturating_sub(MARGIN));
        let shared = self.left[side].map(|left| {
            let left = Duration::from_millis(left).saturating_sub(MARGIN);
            // A game is mostly decided by the time that half of the empty squares are gone, a quarter of them by
            // each side.
            let moves =
                self.moves_to_go.unwrap_or_else(|| u64::from(position.empty().count()) / 4 + 2).max(1);
            let share = left / u32::try_from(moves).unwrap_or(u32::MAX);
            let gain = Duration::from_millis(self.increment[side].unwrap_or(0)).saturating_sub(MARGIN);
            (share + gain).min(left)
        });
        let time = if self.infinite { None } else { fixed.into_iter().chain(shared).min() };
        Think { position, visits: self.nodes, time, infinite: self.infinite, lines }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::testing::{facts, say};

    fn uci() -> Uci {
        Uci::new("Hippolyta", "hard")
    }

    fn think(orders: &[Order]) -> &Think {
        match orders {
            [Order::Think(think)] => think,
            other => panic!("expected one Think, got {other:?}"),
        }
    }

    #[test]
    fn positions_follow_the_moves_of_known_games() {
        for game in facts() {
            let mut uci = uci();
            let mut line = format!("position fen {} moves", game.start);
            for step in game.steps {
                line = format!("{line} {}", step.fairy);
                assert_eq!(uci.line(&line), []);
                assert_eq!(uci.position(), &step.position);
                assert_eq!(spell(step.m), step.fairy);
            }
        }
    }

    #[test]
    fn a_transcript() {
        let mut uci = uci();
        assert_eq!(uci.line("uci").last(), Some(&Order::Say("uciok".to_owned())));
        assert_eq!(uci.line("ucinewgame"), [Order::NewGame]);
        assert_eq!(uci.line("setoption name Size value 6"), []);
        assert_eq!(
            uci.line("setoption name Level value Medium"),
            [Order::Set(Setting::Level("medium".into()))]
        );
        assert_eq!(
            uci.line("setoption name ModelFile value a b.safetensors"),
            [Order::Set(Setting::ModelFile("a b.safetensors".into()))]
        );
        assert_eq!(uci.line("position startpos"), []);
        let orders = uci.line("go nodes 500");
        assert_eq!((think(&orders).visits, think(&orders).time), (Some(500), None));
        assert_eq!(uci.line("go infinite"), say("info string error: 'go' has to wait for bestmove"));
        assert_eq!(uci.line("isready"), say("readyok"));
        assert_eq!(uci.line("stop"), [Order::Stop]);
        let best: Move = "b1-b4/d4".parse().expect("a move");
        let lines = vec![Line { value: 0.5, moves: vec![best] }];
        let choice = Choice { best, lines, visits: 500, depth: 3 };
        let spent = Duration::from_millis(250);
        let expected = [
            "info depth 3 multipv 1 score cp 110 nodes 500 nps 2000 time 250 pv b1b4,b4d4",
            "bestmove b1b4,b4d4",
        ];
        assert_eq!(uci.considered(&choice, spent), say(expected[0]));
        assert_eq!(uci.chosen(&choice, spent), expected.map(|line| Order::Say(line.to_owned())));
        assert_eq!(uci.chosen(&choice, spent), [], "nobody asked");
        assert_eq!(uci.considered(&choice, spent), [], "nobody asked");
        assert_eq!(uci.line("stop"), []);
        assert_eq!(uci.line("quit"), [Order::Quit]);
    }

    #[test]
    fn as_many_lines_are_said_as_are_wanted() {
        let mut uci = uci();
        for (line, orders) in [
            ("setoption name MultiPV value 2", vec![]),
            ("setoption name Threads value 1", vec![]),
            ("setoption name Hash value 16", vec![Order::Set(Setting::Hash(16))]),
        ] {
            assert_eq!(uci.line(line), orders);
        }
        assert_eq!(think(&uci.line("go infinite")).lines, 2);
        let line = |text: &str, value: f32| Line { value, moves: vec![text.parse().expect("a move")] };
        let lines = vec![line("d1-d7/g7", 0.1), line("d1-d6/d7", 0.0), line("d1-d5/d7", -1.0)];
        let choice = Choice { best: lines[0].moves[0], lines, visits: 1, depth: 0 };
        let orders = uci.chosen(&choice, Duration::from_millis(1));
        let expected = [
            "info depth 1 multipv 1 score cp 20 nodes 1 nps 1000 time 1 pv d1d7,d7g7",
            "info depth 1 multipv 2 score cp 0 nodes 1 nps 1000 time 1 pv d1d6,d6d7",
            "bestmove d1d7,d7g7",
        ];
        assert_eq!(orders, expected.map(|line| Order::Say(line.to_owned())));
    }

    #[test]
    fn clocks_are_shared_out() {
        let at = |line: &str| {
            let mut uci = uci();
            think(&uci.line(line)).time
        };
        assert_eq!(at("go movetime 100"), Some(Duration::from_millis(95)));
        // 92 squares are empty: 25 moves.
        assert_eq!(at("go wtime 60005 btime 1 winc 1005 binc 9"), Some(Duration::from_millis(2400 + 1000)));
        assert_eq!(at("go wtime 1005 movestogo 1"), Some(Duration::from_secs(1)));
        assert_eq!(at("go wtime -20 btime 100"), Some(Duration::ZERO));
        assert_eq!(at("go infinite"), None);
    }

    #[test]
    fn a_thought_without_a_choice_is_answered() {
        let mut uci = uci();
        assert_eq!(uci.failed("no luck"), [], "nobody asked");
        uci.line("go nodes 1");
        let answer = [say("info string error: no luck"), say("bestmove (none)")].concat();
        assert_eq!(uci.failed("no luck"), answer);
        assert!(matches!(uci.line("go nodes 1")[..], [Order::Think(_)]));
    }

    #[test]
    fn a_lost_position_has_no_best_move() {
        let mut uci = uci();
        uci.line("position fen Q*4/**4/6/6/6/5q w");
        assert_eq!(uci.line("go nodes 1"), say("bestmove (none)"));
    }

    #[test]
    fn bad_lines_are_answered_and_change_nothing() {
        let mut uci = uci();
        let before = *uci.position();
        for line in [
            "position",
            "position fen",
            "position fen 3q w",
            "position startpos moves a1a1,a1a1",
            "position startpos moves d1d7",
            "go movetime",
            "go movetime x",
            "go depth 3",
            "setoption",
            "setoption name Threads value 0",
            "setoption name Threads value 2",
            "setoption name Hash value 0",
            "setoption name MultiPV value many",
            "go wtime",
            "go mate 3",
            "setoption name Level value god",
            "setoption name Size value 7",
            "setoption name Colour value red",
            "hello",
        ] {
            let orders = uci.line(line);
            assert!(
                matches!(&orders[..], [Order::Say(text)] if text.starts_with("info string error: ")),
                "{line}: {orders:?}"
            );
            assert_eq!(uci.position(), &before);
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(lines in proptest::collection::vec("(position |go |setoption |startpos |fen |moves |name |value |wtime |[a-j0-9/,*qQ ]{0,12}|\\PC{0,8}){0,6}", 0..6)) {
            let mut uci = uci();
            for line in lines {
                uci.line(&line);
            }
        }
    }
}

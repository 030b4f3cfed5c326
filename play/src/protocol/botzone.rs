//! Botzone's protocol for its Amazons game on 8x8: JSON or plain numbers, one turn or kept alive.
//!
//! A move is six numbers x0 y0 x1 y1 x2 y2 from 0 to 7, x the file and y the rank from the first mover's edge, so
//! that Botzone's top is the bottom here. Six times -1 is no move: the first request to the first mover, and the
//! answer where there is nothing to play.

use std::time::Duration;

use hippolyta_game::{Board, Move, Position, notation};
use serde::{Deserialize, Serialize};

use super::{Order, Protocol, Think};
use crate::player::Choice;

/// The line that asks Botzone to keep the program running.
const KEEP_RUNNING: &str = ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<";
/// Botzone's limits of 2 s for the first turn and 1 s for the others, less what starting and answering may take.
const FIRST_TURN: Duration = Duration::from_millis(1800);
const LATER_TURN: Duration = Duration::from_millis(850);

/// The bot's side of Botzone. The first line tells JSON from plain numbers.
#[derive(Clone, Debug)]
pub struct Botzone {
    keep_alive: bool,
    state: State,
    plain: bool,
    thinking: Option<Position>,
}

#[derive(Clone, Debug)]
enum State {
    /// No turn is known.
    Fresh,
    /// A plain turn has begun: these many lines of moves are in and so many are still to come.
    Reading(Vec<Numbers>, usize),
    /// The bot was kept alive, here after its own move.
    Waiting(Position),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Numbers {
    x0: i32,
    y0: i32,
    x1: i32,
    y1: i32,
    x2: i32,
    y2: i32,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Input {
    Whole {
        requests: Vec<Numbers>,
        #[serde(default)]
        responses: Vec<Numbers>,
    },
    Next(Numbers),
}

#[derive(Serialize)]
struct Output<'a> {
    response: Numbers,
    #[serde(skip_serializing_if = "Option::is_none")]
    debug: Option<&'a str>,
}

impl Numbers {
    const NONE: Numbers = Numbers { x0: -1, y0: -1, x1: -1, y1: -1, x2: -1, y2: -1 };

    fn new(all: [i32; 6]) -> Numbers {
        let [x0, y0, x1, y1, x2, y2] = all;
        Numbers { x0, y0, x1, y1, x2, y2 }
    }

    fn all(self) -> [i32; 6] {
        [self.x0, self.y0, self.x1, self.y1, self.x2, self.y2]
    }

    fn of(m: Move) -> Numbers {
        Numbers::new(notation::move_to_numbers(m))
    }

    fn to_move(self) -> Result<Move, String> {
        let outside = |number: &&i32| !(0..8).contains(*number);
        if let Some(number) = self.all().iter().find(outside) {
            return Err(format!("{number} in '{}' is not from 0 to 7", self.plain()));
        }
        Ok(notation::move_from_numbers(self.all()).expect("all numbers are on the board"))
    }

    fn plain(self) -> String {
        self.all().map(|number| number.to_string()).join(" ")
    }

    fn from_plain(line: &str) -> Result<Numbers, String> {
        let numbers: Result<Vec<i32>, _> = line.split_whitespace().map(str::parse).collect();
        let all = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        all.map(Numbers::new).ok_or_else(|| format!("'{line}' is not six numbers"))
    }
}

impl Botzone {
    /// A bot that asks to be kept running after its first move, or one that ends after it.
    pub fn new(keep_alive: bool) -> Botzone {
        Botzone { keep_alive, state: State::Fresh, plain: false, thinking: None }
    }

    fn take(&mut self, line: &str) -> Result<Vec<Order>, String> {
        if line.starts_with('{') {
            self.plain = false;
            let input = serde_json::from_str(line).map_err(|_| format!("'{line}' is no turn of Botzone"))?;
            return match (input, &self.state) {
                (Input::Whole { requests, responses }, _) => self.begin(&requests, &responses),
                (Input::Next(next), State::Waiting(position)) => self.go_on(*position, next),
                (Input::Next(next), _) => self.begin(&[next], &[]),
            };
        }
        self.plain = true;
        match &mut self.state {
            State::Waiting(position) => {
                let position = *position;
                self.go_on(position, Numbers::from_plain(line)?)
            }
            State::Fresh => {
                // An 8x8 game has at most 48 plies.
                let turn: Option<usize> = line.parse().ok().filter(|turn| (1..=25).contains(turn));
                let turn =
                    turn.ok_or_else(|| format!("'{line}' is no turn: expected a number from 1 to 25"))?;
                self.state = State::Reading(Vec::new(), 2 * turn - 1);
                Ok(Vec::new())
            }
            State::Reading(moves, left) => {
                moves.push(Numbers::from_plain(line)?);
                *left -= 1;
                if *left > 0 {
                    return Ok(Vec::new());
                }
                let moves = std::mem::take(moves);
                let every_second = |from: usize| moves[from..].iter().copied().step_by(2).collect::<Vec<_>>();
                self.begin(&every_second(0), &every_second(1))
            }
        }
    }

    /// Takes a whole history: requests are the opponent's moves, responses the bot's own.
    fn begin(&mut self, requests: &[Numbers], responses: &[Numbers]) -> Result<Vec<Order>, String> {
        self.state = State::Fresh;
        if requests.len() != responses.len() + 1 {
            let (asked, answered) = (requests.len(), responses.len());
            return Err(format!("{asked} requests do not go with {answered} responses"));
        }
        let start = Position::start(Board::EIGHT).expect("8x8 has a start");
        let pairs = requests.iter().zip(responses).flat_map(|(request, response)| [*request, *response]);
        let history = pairs.chain(requests.last().copied());
        let skipped = usize::from(requests[0] == Numbers::NONE);
        let position = history.skip(skipped).try_fold(start, play)?;
        let time = if responses.is_empty() { FIRST_TURN } else { LATER_TURN };
        let mut orders = vec![Order::NewGame];
        orders.extend(self.think(position, time));
        Ok(orders)
    }

    fn go_on(&mut self, position: Position, request: Numbers) -> Result<Vec<Order>, String> {
        let position = play(position, request)?;
        Ok(self.think(position, LATER_TURN))
    }

    fn think(&mut self, position: Position, time: Duration) -> Vec<Order> {
        if !position.has_move() {
            return self.answer(Numbers::NONE, Some("the game is over"));
        }
        self.thinking = Some(position);
        vec![Order::Think(Think::for_time(position, time))]
    }

    fn answer(&self, response: Numbers, debug: Option<&str>) -> Vec<Order> {
        let mut orders = Vec::new();
        if self.plain {
            orders.push(Order::Say(response.plain()));
            orders.extend(debug.map(|debug| Order::Say(debug.to_owned())));
        } else {
            let output = Output { response, debug };
            orders.push(Order::Say(serde_json::to_string(&output).expect("numbers and texts are JSON")));
        }
        orders.push(if self.keep_alive { Order::Say(KEEP_RUNNING.to_owned()) } else { Order::Quit });
        orders
    }
}

fn play(position: Position, numbers: Numbers) -> Result<Position, String> {
    position.play(numbers.to_move()?).map_err(|error| error.to_string())
}

impl Protocol for Botzone {
    /// A line that cannot be taken is answered by no move with the reason in the debug field, and the game before it
    /// stands.
    fn line(&mut self, line: &str) -> Vec<Order> {
        let line = line.trim();
        if line.is_empty() {
            return Vec::new();
        }
        if self.thinking.is_some() {
            return self.answer(Numbers::NONE, Some("a turn came before the last one was answered"));
        }
        self.take(line).unwrap_or_else(|error| self.answer(Numbers::NONE, Some(&error)))
    }

    fn chosen(&mut self, choice: &Choice, _spent: Duration) -> Vec<Order> {
        let Some(position) = self.thinking.take() else { return Vec::new() };
        self.state = State::Waiting(position.play_unchecked(choice.best));
        self.answer(Numbers::of(choice.best), None)
    }

    fn failed(&mut self, reason: &str) -> Vec<Order> {
        if self.thinking.take().is_none() {
            return Vec::new();
        }
        self.state = State::Fresh;
        self.answer(Numbers::NONE, Some(reason))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::testing::{facts, say};

    const ASK_FIRST: &str =
        r#"{"requests":[{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1}],"responses":[]}"#;

    fn choice(text: &str) -> Choice {
        Choice::unweighed(text.parse().expect("a move"))
    }

    fn thinks_of(orders: &[Order]) -> (Position, Duration) {
        match orders {
            [Order::Think(think)] | [Order::NewGame, Order::Think(think)] => {
                (think.position, think.time.expect("Botzone limits time"))
            }
            other => panic!("expected to think, got {other:?}"),
        }
    }

    #[test]
    fn numbers_of_the_known_game() {
        for game in facts().iter().filter(|game| game.size == 8) {
            for step in &game.steps {
                assert_eq!(Numbers::of(step.m).plain(), step.botzone);
                assert_eq!(Numbers::from_plain(&step.botzone).and_then(Numbers::to_move), Ok(step.m));
            }
        }
    }

    #[test]
    fn json_one_turn_as_first_and_second_mover() {
        let game = facts().into_iter().find(|game| game.size == 8).expect("a game on 8x8");
        let mut bot = Botzone::new(false);
        let start: Position = game.start.parse().expect("a position");
        assert_eq!(thinks_of(&bot.line(ASK_FIRST)), (start, FIRST_TURN));
        let said = r#"{"response":{"x0":5,"y0":0,"x1":3,"y1":2,"x2":6,"y2":5}}"#;
        assert_eq!(bot.chosen(&choice("f1-d3/g6"), Duration::ZERO), [say(said), [Order::Quit]].concat());

        let json = |step: usize| serde_json::to_string(&Numbers::of(game.steps[step].m)).expect("JSON");
        let line = format!(r#"{{"requests":[{},{}],"responses":[{}],"data":""}}"#, json(0), json(2), json(1));
        assert_eq!(thinks_of(&Botzone::new(false).line(&line)), (game.steps[2].position, LATER_TURN));
    }

    #[test]
    fn plain_and_kept_alive() {
        let game = facts().into_iter().find(|game| game.size == 8).expect("a game on 8x8");
        let numbers = |step: usize| game.steps[step].botzone.as_str();
        let mut bot = Botzone::new(true);
        assert_eq!(bot.line("1"), []);
        assert_eq!(thinks_of(&bot.line(numbers(0))), (game.steps[0].position, FIRST_TURN));
        let said = [say(numbers(1)), say(KEEP_RUNNING)].concat();
        assert_eq!(bot.chosen(&choice("a6-e6/d5"), Duration::ZERO), said);
        assert_eq!(thinks_of(&bot.line(numbers(2))), (game.steps[2].position, LATER_TURN));

        let mut again = Botzone::new(false);
        assert_eq!(again.line("2"), []);
        assert_eq!(again.line(numbers(0)), []);
        assert_eq!(again.line(numbers(1)), []);
        assert_eq!(thinks_of(&again.line(numbers(2))), (game.steps[2].position, LATER_TURN));
    }

    #[test]
    fn json_kept_alive_takes_one_request_a_line() {
        let game = facts().into_iter().find(|game| game.size == 8).expect("a game on 8x8");
        let mut bot = Botzone::new(true);
        bot.line(ASK_FIRST);
        let orders = bot.chosen(&Choice::unweighed(game.steps[0].m), Duration::ZERO);
        assert_eq!(orders.last(), Some(&Order::Say(KEEP_RUNNING.to_owned())));
        let next = serde_json::to_string(&Numbers::of(game.steps[1].m)).expect("JSON");
        assert_eq!(thinks_of(&bot.line(&next)).0, game.steps[1].position);
    }

    #[test]
    fn a_thought_without_a_choice_is_answered() {
        let mut bot = Botzone::new(false);
        assert_eq!(bot.failed("no luck"), [], "nobody asked");
        bot.line(ASK_FIRST);
        let said = r#"{"response":{"x0":-1,"y0":-1,"x1":-1,"y1":-1,"x2":-1,"y2":-1},"debug":"no luck"}"#;
        assert_eq!(bot.failed("no luck"), [say(said), [Order::Quit]].concat());
    }

    #[test]
    fn bad_lines_are_answered() {
        for line in [
            "{",
            "{}",
            r#"{"requests":[]}"#,
            r#"{"requests":[{"x0":9,"y0":0,"x1":0,"y1":0,"x2":0,"y2":0}]}"#,
            r#"{"requests":[{"x0":0,"y0":0,"x1":0,"y1":0,"x2":0,"y2":0}]}"#,
        ] {
            let orders = Botzone::new(false).line(line);
            let [Order::Say(said), Order::Quit] = &orders[..] else { panic!("{line}: {orders:?}") };
            assert!(said.starts_with(r#"{"response":{"x0":-1,"#) && said.contains("debug"), "{said}");
        }
        let none = Numbers::NONE.plain();
        for lines in [&["x"][..], &["0"], &["99999999999"], &["1", "1 2 3"], &["1", "0 0 0 0 0 0"]] {
            let mut bot = Botzone::new(true);
            let orders: Vec<Order> = lines.iter().flat_map(|line| bot.line(line)).collect();
            assert_eq!(orders.first(), Some(&Order::Say(none.clone())), "{lines:?}");
        }
    }

    proptest! {
        #[test]
        fn no_line_panics(lines in proptest::collection::vec("[0-9 -]{0,20}|\\{\"requests\":\\[.{0,20}|\\PC{0,12}|1|2", 0..6), keep: bool) {
            let mut bot = Botzone::new(keep);
            for line in lines {
                bot.line(&line);
            }
        }
    }
}

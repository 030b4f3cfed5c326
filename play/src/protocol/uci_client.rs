//! The other side of UCI: what to say to an engine that plays Amazons, and what its lines mean.

use std::time::Duration;

use hippolyta_game::{Move, Position};

use super::uci::{score_value, spell};
use crate::player::{Choice, Limits, Line};
use crate::search_player::move_between;

/// The variant's name among Fairy-Stockfish's.
const VARIANT: &str = "amazons";
/// What an engine may think when nothing limits it.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// What a line of an engine says, as far as whoever plays with it has to act.
#[derive(Clone, Debug, PartialEq)]
pub enum Heard {
    /// Nothing that needs an answer.
    Nothing,
    /// The engine has introduced itself: say [`UciClient::set_up`].
    Introduced,
    /// The engine is ready.
    Ready,
    /// The move of the thought that was asked for, as the engine wrote it: not yet known to be legal.
    Chosen(Choice),
    /// The thought ended with something that is no move.
    NoMove(String),
}

/// The client's side of UCI, without IO: begins with [`UciClient::GREETING`], hears every line of the engine, and
/// says what stands in between.
///
/// ```
/// use hippolyta_game::{Board, Position};
/// use hippolyta_play::Limits;
/// use hippolyta_play::protocol::{Heard, UciClient};
///
/// let mut client = UciClient::new();
/// assert_eq!(client.hear("uciok"), Heard::Introduced);
/// assert!(client.set_up()?.is_empty());
/// assert_eq!(client.new_game(7), ["ucinewgame", "isready"]);
/// assert_eq!(client.hear("readyok"), Heard::Ready);
/// let start = Position::start(Board::TEN).expect("10x10 has a start");
/// let [position, go] = client.ask(&start, &Limits::visits(100));
/// assert_eq!(position, "position fen 3q2q3/10/10/q8q/10/10/Q8Q/10/10/3Q2Q3 w - - 0 1");
/// assert_eq!(go, "go nodes 100");
/// assert!(matches!(client.hear("bestmove d1d7,d7g7"), Heard::Chosen(_)));
/// # Ok::<(), String>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct UciClient {
    /// The variants on offer, if the engine knows more than one game.
    variants: Option<Vec<String>>,
    /// The least and the most that the option Seed takes, if there is one.
    seeds: Option<(u64, u64)>,
    /// Where the game began, as far as it was shown here, and the moves since.
    start: Option<Position>,
    moves: Vec<Move>,
    /// The position after them.
    position: Option<Position>,
    /// The best line so far of the thought that was asked for, and what it took.
    line: Option<Line>,
    visits: u64,
    depth: u32,
    /// What the engine last said in words.
    remark: String,
}

impl UciClient {
    /// What to say first.
    pub const GREETING: &'static str = "uci";

    /// A client that has heard nothing.
    pub fn new() -> UciClient {
        UciClient::default()
    }

    /// Takes a line of the engine.
    pub fn hear(&mut self, line: &str) -> Heard {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["uciok"] => return Heard::Introduced,
            ["readyok"] => return Heard::Ready,
            ["option", "name", "UCI_Variant", ref rest @ ..] => {
                let names = rest.windows(2).filter(|pair| pair[0] == "var").map(|pair| pair[1].to_owned());
                self.variants = Some(names.collect());
            }
            ["option", "name", "Seed", "type", "spin", ref rest @ ..] => {
                self.seeds =
                    number(rest, "min").zip(number(rest, "max")).filter(|(least, most)| least < most);
            }
            ["info", "string", ref rest @ ..] => self.remark = rest.join(" "),
            ["info", ref rest @ ..] => self.inform(rest),
            ["bestmove", text, ..] => return self.choice(text),
            ["bestmove"] => return Heard::NoMove(line.to_owned()),
            _ => {}
        }
        Heard::Nothing
    }

    /// What to say to an engine that has introduced itself, before the first game.
    ///
    /// # Errors
    /// When it plays other games only.
    pub fn set_up(&self) -> Result<Vec<String>, String> {
        let Some(variants) = &self.variants else { return Ok(Vec::new()) };
        if variants.iter().any(|name| name == VARIANT) {
            Ok(vec![format!("setoption name UCI_Variant value {VARIANT}")])
        } else {
            Err(format!("it does not play {VARIANT}: its UCI_Variant offers {}", variants.join(", ")))
        }
    }

    /// What to say before a game. The seed goes to engines with an option Seed, as ours.
    pub fn new_game(&mut self, seed: u64) -> Vec<String> {
        (self.start, self.position) = (None, None);
        self.moves.clear();
        let mut lines = Vec::new();
        if let Some((least, most)) = self.seeds {
            let seed = least + seed % (most - least).saturating_add(1);
            lines.push(format!("setoption name Seed value {seed}"));
        }
        lines.extend(["ucinewgame".to_owned(), "isready".to_owned()]);
        lines
    }

    /// Asks for a move: the position, as the moves since the first one that was shown here, and the limits. When only
    /// [`Limits::stop`] limits the thought it is endless, and ends with `stop`.
    pub fn ask(&mut self, position: &Position, limits: &Limits<'_>) -> [String; 2] {
        self.follow(position);
        (self.line, self.visits, self.depth) = (None, 0, 0);
        self.remark.clear();
        let start = self.start.expect("the position was followed");
        let mut line = format!("position fen {start} - - 0 {}", start.arrows().count() / 2 + 1);
        for (place, m) in self.moves.iter().enumerate() {
            line.push_str(if place == 0 { " moves " } else { " " });
            line.push_str(&spell(*m));
        }
        let nodes = limits.visits.map(|visits| format!(" nodes {visits}")).unwrap_or_default();
        let time = match limits.time {
            Some(time) => format!(" movetime {}", time.as_millis().max(1)),
            None if limits.is_none() && limits.depth.is_none() => {
                format!(" movetime {}", DEFAULT_TIME.as_millis())
            }
            None if limits.visits.is_none() && limits.depth.is_none() => " infinite".to_owned(),
            None => String::new(),
        };
        let depth = limits.depth.map(|depth| format!(" depth {depth}")).unwrap_or_default();
        let mut go = format!("go{nodes}{depth}{time}");
        for (place, m) in limits.among.iter().enumerate() {
            go.push_str(if place == 0 { " searchmoves " } else { " " });
            go.push_str(&spell(*m));
        }
        [line, go]
    }

    /// Adds the moves that lead to `position`, or begins anew from there.
    fn follow(&mut self, position: &Position) {
        if self.position == Some(*position) {
            return;
        }
        if let Some(m) = self.position.and_then(|before| move_between(&before, position)) {
            self.moves.push(m);
        } else {
            self.start = Some(*position);
            self.moves.clear();
        }
        self.position = Some(*position);
    }

    /// Takes a line about the thought. Only the best of several counts.
    fn inform(&mut self, words: &[&str]) {
        self.visits = number(words, "nodes").unwrap_or(self.visits);
        if number(words, "multipv").is_some_and(|place| place > 1) {
            return;
        }
        if let Some(depth) = number(words, "depth") {
            self.depth = u32::try_from(depth).unwrap_or(u32::MAX);
        }
        let Some(value) = value(words) else { return };
        let moves = words.iter().skip_while(|word| **word != "pv").skip(1);
        let moves: Vec<Move> = moves.map_while(|word| word.parse().ok()).collect();
        self.line = (!moves.is_empty()).then_some(Line { value, moves });
    }

    fn choice(&mut self, text: &str) -> Heard {
        let Ok(best) = text.parse::<Move>() else {
            let remark = if self.remark.is_empty() { String::new() } else { format!(" ({})", self.remark) };
            return Heard::NoMove(format!("bestmove {text}{remark}"));
        };
        if let Some(position) = self.position.filter(|position| position.is_legal(best)) {
            self.moves.push(best);
            self.position = Some(position.play_unchecked(best));
        }
        let line = self.line.take().filter(|line| line.moves[0] == best);
        let lines = line.into_iter().collect();
        Heard::Chosen(Choice { best, lines, visits: self.visits, depth: self.depth })
    }
}

/// The number that stands behind a word.
fn number(words: &[&str], name: &str) -> Option<u64> {
    behind(words, name)?.parse().ok()
}

fn behind<'a>(words: &[&'a str], name: &str) -> Option<&'a str> {
    words.get(words.iter().position(|word| *word == name)? + 1).copied()
}

/// The value that a score stands for: exactly 1 or -1 for a mate.
fn value(words: &[&str]) -> Option<f32> {
    if let Some(cp) = behind(words, "cp") {
        return Some(score_value(cp.parse().ok()?));
    }
    let mate = behind(words, "mate")?.parse::<i64>().ok()?;
    Some(if mate > 0 { 1.0 } else { -1.0 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::testing::facts;

    #[test]
    fn an_engine_of_many_games_is_told_which() {
        let mut client = UciClient::new();
        client.hear("option name Threads type spin default 1 min 1 max 512");
        client.hear("option name UCI_Variant type combo default chess var 3check var amazons var ataxx");
        assert_eq!(client.set_up(), Ok(vec!["setoption name UCI_Variant value amazons".to_owned()]));
        client.hear("option name UCI_Variant type combo default chess var chess var amazon");
        let error = client.set_up().expect_err("an engine without amazons");
        assert!(error.ends_with("its UCI_Variant offers chess, amazon"), "{error}");
    }

    #[test]
    fn a_seed_is_given_where_it_is_taken() {
        let mut client = UciClient::new();
        client.hear("option name Seed type spin default 0 min 0 max 9");
        assert_eq!(client.new_game(123), ["setoption name Seed value 3", "ucinewgame", "isready"]);
        client.hear("option name Seed type spin default 0 min 0 max 18446744073709551615");
        assert_eq!(client.new_game(5)[0], "setoption name Seed value 5");
    }

    /// Every known game is shown as its first position and the moves since, whoever of the two is asked.
    #[test]
    fn positions_are_shown_as_moves() {
        for game in facts() {
            for asked in 0..2 {
                let mut client = UciClient::new();
                let mut position: Position = game.start.parse().expect("a start");
                let mut expected = None;
                for (ply, step) in game.steps.iter().enumerate() {
                    if ply % 2 == asked {
                        let [line, _] = client.ask(&position, &Limits::NONE);
                        let shown: &mut String = expected.get_or_insert_with(|| line.clone());
                        assert_eq!(&line, shown);
                        client.hear(&format!("bestmove {} ponder a1a2,a2a3", step.fairy));
                    }
                    if let Some(shown) = &mut expected {
                        shown.push_str(if shown.contains(" moves ") { " " } else { " moves " });
                        shown.push_str(&step.fairy);
                    }
                    position = step.position;
                }
            }
        }
    }

    #[test]
    fn limits_become_words() {
        let position = Position::start(hippolyta_game::Board::SIX).expect("a start");
        let go = |limits: &Limits<'_>| UciClient::new().ask(&position, limits)[1].clone();
        let time = Some(Duration::from_millis(250));
        assert_eq!(go(&Limits::NONE), "go movetime 1000");
        assert_eq!(go(&Limits::until(&|| false)), "go infinite");
        assert_eq!(go(&Limits { stop: Some(&|| false), time, ..Limits::NONE }), "go movetime 250");
        assert_eq!(go(&Limits { stop: Some(&|| false), ..Limits::visits(9) }), "go nodes 9");
        let among = ["a2-a3/a2", "b1-b2/b1"].map(|text| text.parse().expect("a move"));
        let limits = Limits { depth: Some(4), among: &among, ..Limits::NONE };
        assert_eq!(go(&limits), "go depth 4 searchmoves a2a3,a3a2 b1b2,b2b1");
    }

    #[test]
    fn what_was_thought_comes_with_the_move() {
        let mut client = UciClient::new();
        let position = Position::start(hippolyta_game::Board::TEN).expect("a start");
        client.ask(&position, &Limits::NONE);
        client.hear("info depth 3 multipv 1 score cp 110 nodes 500 nps 2000 time 250 pv d1d7,d7g7 a7a8,a8a9");
        client.hear("info depth 3 multipv 2 score cp 90 nodes 510 pv d1d6,d6d7");
        client.hear("info depth 4 currmove d1d2,d2d1 currmovenumber 1");
        let Heard::Chosen(choice) = client.hear("bestmove d1d7,d7g7 ponder a7a8,a8a9") else {
            panic!("a move was chosen")
        };
        assert_eq!((choice.best.to_string().as_str(), choice.visits, choice.depth), ("d1-d7/g7", 510, 4));
        assert_eq!(choice.lines[0].moves.len(), 2);
        assert!((choice.value().expect("a value") - 0.5).abs() < 0.01, "{choice:?}");
        client.ask(&position, &Limits::NONE);
        client.hear("info depth 9 score mate -3 pv d1d7,d7g7");
        let Heard::Chosen(choice) = client.hear("bestmove d1d7,d7g7") else { panic!("a move was chosen") };
        assert_eq!(choice.value(), Some(-1.0));
    }

    #[test]
    fn what_is_no_move_is_told_with_the_last_remark() {
        let mut client = UciClient::new();
        client.hear("info string error: no such model");
        let none = Heard::NoMove("bestmove (none) (error: no such model)".to_owned());
        assert_eq!(client.hear("bestmove (none)"), none);
        assert_eq!(client.hear("bestmove"), Heard::NoMove("bestmove".to_owned()));
    }

    proptest! {
        #[test]
        fn no_line_panics(lines in proptest::collection::vec("(info |option |name |Seed |type |spin |min |max |var |bestmove |pv |score |cp |mate |depth |UCI_Variant |[a-j0-9,/-]{0,12} |\\PC{0,8}){0,8}", 0..8)) {
            let mut client = UciClient::new();
            let position = Position::start(hippolyta_game::Board::TEN).expect("a start");
            for line in lines {
                client.ask(&position, &Limits::NONE);
                client.hear(&line);
                client.new_game(u64::MAX);
            }
        }
    }
}

//! The protocol of the SAU Game Platform (Shenyang Aerospace University) for Amazons on 10x10.
//!
//! Squares are two capital letters, columns from the left and rows from the top. The platform calls the first player
//! black.

use std::time::Duration;

use hippolyta_game::{Board, Move, Position, Side, notation};

use super::{Order, Protocol, Think};
use crate::player::Choice;

/// The engine's side of the protocol.
#[derive(Clone, Debug)]
pub struct Sau {
    name: String,
    time: Duration,
    game: Option<Game>,
}

#[derive(Clone, Copy, Debug)]
struct Game {
    position: Position,
    own: Side,
}

impl Game {
    fn thinks(&self) -> bool {
        self.position.side() == self.own && self.position.has_move()
    }
}

impl Sau {
    /// An engine that calls itself `name` and takes at most `time` a move.
    pub fn new(name: &str, time: Duration) -> Sau {
        Sau { name: name.to_owned(), time, game: None }
    }

    fn begin(&mut self, colour: &str) -> Result<Vec<Order>, String> {
        let own = match colour {
            "black" => Side::White,
            "white" => Side::Black,
            _ => return Err(format!("'{colour}' is no colour: expected black or white")),
        };
        let mut orders = self.stop();
        orders.push(Order::NewGame);
        let position = Position::start(Board::TEN).expect("10x10 has a start");
        self.game = Some(Game { position, own });
        orders.extend(self.think(position));
        Ok(orders)
    }

    fn opponent_moves(&mut self, text: &str) -> Result<Vec<Order>, String> {
        let game = self.game.as_mut().ok_or("there is no game")?;
        if game.position.side() == game.own {
            return Err(format!("'{text}' came when it was not the opponent's turn"));
        }
        game.position = game.position.play(read(text)?).map_err(|error| error.to_string())?;
        let position = game.position;
        Ok(self.think(position))
    }

    /// The order to think, when it is the engine's turn.
    fn think(&self, position: Position) -> Vec<Order> {
        let think = || Order::Think(Think::for_time(position, self.time));
        self.game.filter(Game::thinks).map(|_| think()).into_iter().collect()
    }

    /// Ends the game, and the thinking in it.
    fn stop(&mut self) -> Vec<Order> {
        self.game.take().filter(Game::thinks).map(|_| Order::Stop).into_iter().collect()
    }
}

impl Protocol for Sau {
    fn line(&mut self, line: &str) -> Vec<Order> {
        let words: Vec<&str> = line.split_whitespace().collect();
        let answer = match words[..] {
            // What the platform answers to an error of ours needs no reply.
            [] | ["error", ..] => Ok(Vec::new()),
            ["name?"] => Ok(vec![Order::Say(format!("name {}", self.name))]),
            ["new", colour] => self.begin(colour),
            ["move", text] => self.opponent_moves(text),
            ["end", ..] => Ok(self.stop()),
            ["quit"] => {
                let mut orders = self.stop();
                orders.push(Order::Quit);
                Ok(orders)
            }
            _ => Err(format!("'{}' is no command", words.join(" "))),
        };
        answer.unwrap_or_else(|error| vec![Order::Say(format!("error {error}"))])
    }

    fn chosen(&mut self, choice: &Choice, _spent: Duration) -> Vec<Order> {
        match &mut self.game {
            // A choice from a game that has ended since would not be legal here, save by chance.
            Some(game) if game.thinks() && game.position.is_legal(choice.best) => {
                game.position = game.position.play_unchecked(choice.best);
                vec![Order::Say(format!("move {}", spell(choice.best)))]
            }
            _ => Vec::new(),
        }
    }

    /// Ends the game: there is nothing else to say to the platform.
    fn failed(&mut self, reason: &str) -> Vec<Order> {
        match self.game.take_if(|game| game.thinks()) {
            Some(_) => vec![Order::Say(format!("error {reason}"))],
            None => Vec::new(),
        }
    }
}

fn spell(m: Move) -> String {
    notation::move_to_letters(Board::TEN, m).to_ascii_uppercase()
}

fn read(text: &str) -> Result<Move, String> {
    let is_upper_case = text.bytes().all(|byte| byte.is_ascii_uppercase());
    let found = is_upper_case.then(|| notation::move_from_letters(Board::TEN, text)).flatten();
    found.ok_or_else(|| format!("'{text}' is no move: expected six letters from A to J"))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::protocol::testing::{facts, say};

    fn sau() -> Sau {
        Sau::new("Hippolyta", Duration::from_secs(5))
    }

    #[test]
    fn known_games_from_both_sides() {
        for game in facts().iter().filter(|game| game.size == 10) {
            for (colour, own_turn) in [("black", 0), ("white", 1)] {
                let mut sau = sau();
                let mut orders = sau.line(&format!("new {colour}"));
                assert_eq!(orders.remove(0), Order::NewGame);
                for (ply, step) in game.steps.iter().enumerate() {
                    if ply % 2 == own_turn {
                        assert!(matches!(orders[..], [Order::Think(_)]), "{orders:?}");
                        orders = sau.chosen(&Choice::unweighed(step.m), Duration::ZERO);
                        assert_eq!(orders, say(&step.sau));
                    } else {
                        orders = sau.line(&step.sau);
                    }
                    assert_eq!(sau.game.map(|game| game.position), Some(step.position));
                }
            }
        }
    }

    #[test]
    fn a_transcript() {
        let mut sau = sau();
        assert_eq!(sau.line("name?"), say("name Hippolyta"));
        assert_eq!(sau.line("move DJDDGD"), say("error there is no game"));
        assert_eq!(sau.line("new red"), say("error 'red' is no colour: expected black or white"));
        assert_eq!(sau.line("new white"), [Order::NewGame]);
        assert_eq!(
            sau.line("move DJDDGK"),
            say("error 'DJDDGK' is no move: expected six letters from A to J")
        );
        assert!(matches!(&sau.line("move AAAAAA")[..], [Order::Say(text)] if text.contains("is not legal")));
        assert!(matches!(sau.line("move DJDDGD")[..], [Order::Think(_)]));
        assert!(
            matches!(&sau.line("move DJDDGD")[..], [Order::Say(text)] if text.contains("not the opponent's turn"))
        );
        assert_eq!(sau.line("end black"), [Order::Stop]);
        let late = Choice::unweighed("a7-d4/a7".parse().expect("a move"));
        assert_eq!(sau.chosen(&late, Duration::ZERO), [], "the game has ended");
        assert_eq!(sau.line("error"), []);
        sau.line("new black");
        assert_eq!(sau.failed("no luck"), say("error no luck"));
        assert_eq!(sau.failed("no luck"), [], "nobody asked");
        assert_eq!(sau.line("quit"), [Order::Quit]);
        assert_eq!(sau.line("what"), say("error 'what' is no command"));
    }

    proptest! {
        #[test]
        fn no_line_panics(lines in proptest::collection::vec("(new black|new white|move |[A-K]{0,7}|end|\\PC{0,8}){0,3}", 0..8)) {
            let mut sau = sau();
            for line in lines {
                sau.line(&line);
            }
        }
    }
}

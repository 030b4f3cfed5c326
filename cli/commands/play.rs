//! `play`: a game in the terminal.

use std::io::{self, BufRead, IsTerminal as _};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use anyhow::Context as _;
use clap::{Args, ValueEnum};
use hippolyta_game::{Board, Move, Position, Side};
use hippolyta_play::{Limits, Player, Session};

use crate::board_view::drawn;
use crate::output;
use crate::players::PlayerName;
use crate::values::{MOST_MILLIS, parse_size, start, whole};

/// Play a game in the terminal.
#[derive(Debug, Args)]
#[command(
    after_help = "A move is from-to/arrow, as in b1-b3/d3. 'undo' takes back your last move, 'quit' leaves.\n\
    Example: hippolyta play --size 6 --level medium"
)]
pub(crate) struct Arguments {
    /// The board: 6, 8 or 10 squares a side.
    #[arg(long, value_name = "N", default_value = "6", value_parser = parse_size)]
    size: Board,
    /// The opponent: random, easy, medium, hard, insane (the network that comes with the program), classical, a model
    /// file, or uci:COMMAND, a UCI engine that plays Amazons.
    #[arg(long, value_name = "L", default_value = "medium")]
    level: PlayerName,
    /// The side you play; White begins.
    #[arg(long, value_enum, default_value_t = Colour::White)]
    side: Colour,
    /// How long the opponent may think of a move, if it is one that thinks.
    #[arg(long, value_name = "T", default_value_t = 1000,
        value_parser = whole(1..=MOST_MILLIS))]
    time_ms: u64,
    /// Decides what the opponent leaves to chance; another for each game unless it is given.
    #[arg(long, value_name = "S", value_parser = whole(0..=u64::MAX))]
    seed: Option<u64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Colour {
    White,
    Black,
}

/// What the person typed.
enum Entry {
    Move(Move),
    Undo,
    Quit,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let person = match arguments.side {
        Colour::White => Side::White,
        Colour::Black => Side::Black,
    };
    let seed = arguments.seed.unwrap_or_else(|| {
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
    });
    let mut opponent = arguments.level.resolve()?.seat()?;
    opponent.new_game(seed);
    let mut input = io::stdin().lock();
    let mut session = Session::new(start(arguments.size), None);
    loop {
        let position = *session.position();
        if let Some(outcome) = session.outcome() {
            let words = if outcome.winner == person { "You win." } else { "You lose." };
            return output::text(&format!("{}\n{} has no move. {words}", drawn(&position), !outcome.winner));
        }
        if position.side() == person {
            output::text(&drawn(&position))?;
            match entry(&mut input, &position)? {
                Entry::Move(m) => session.play(m)?,
                Entry::Undo if session.moves().len() >= 2 => {
                    // The opponent's answer and the move before it.
                    session.undo();
                    session.undo();
                }
                Entry::Undo => output::text("There is nothing to take back.")?,
                Entry::Quit => return Ok(()),
            }
        } else {
            session.play(answer(opponent.as_mut(), &position, arguments)?)?;
        }
    }
}

/// The opponent's move.
fn answer(opponent: &mut dyn Player, position: &Position, arguments: &Arguments) -> anyhow::Result<Move> {
    let time = Duration::from_millis(arguments.time_ms);
    let end = Instant::now() + time;
    let stop = || Instant::now() >= end;
    let limits = Limits { stop: Some(&stop), time: Some(time), ..Limits::NONE };
    let choice = opponent.choose(position, &limits).context("the opponent does not move")?;
    let value = choice.value().map_or_else(String::new, |value| format!(" (it expects {value:+.2})"));
    output::text(&format!("{} plays {}{value}", arguments.level, choice.best))?;
    Ok(choice.best)
}

/// Asks until there is an answer that makes sense.
fn entry(input: &mut impl BufRead, position: &Position) -> anyhow::Result<Entry> {
    loop {
        if io::stdin().is_terminal() {
            output::prompt(format_args!("{} to move: ", position.side()));
        }
        let mut line = Vec::new();
        if input.read_until(b'\n', &mut line).context("stdin cannot be read")? == 0 {
            return Ok(Entry::Quit);
        }
        match String::from_utf8_lossy(&line).trim() {
            "" => {}
            "undo" => return Ok(Entry::Undo),
            "quit" => return Ok(Entry::Quit),
            text => match text.parse::<Move>() {
                Ok(m) => match position.play(m) {
                    Ok(_) => return Ok(Entry::Move(m)),
                    Err(illegal) => {
                        output::note(format_args!("{m} is not legal here: {}.", illegal.reason()));
                    }
                },
                Err(error) => output::note(format_args!("{error}; 'undo' takes back, 'quit' leaves.")),
            },
        }
    }
}

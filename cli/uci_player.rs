//! A UCI engine, in a process of its own, as a player.

use std::fmt;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use hippolyta_game::Position;
use hippolyta_play::protocol::{Heard, UciClient};
use hippolyta_play::{Choice, Limits, Player, PlayerError};

use crate::interrupt;
use crate::process::{LONGEST_LINE, Process, Silence};

/// How long an answer may take beyond the time that was given for it.
const GRACE: Duration = Duration::from_secs(10);
/// How long any other answer may take.
const PATIENCE: Duration = Duration::from_mins(1);
/// The most lines before an answer.
const MOST_LINES: u32 = 100_000;
/// How often a wait looks up.
const TICK: Duration = Duration::from_millis(5);

/// A UCI engine that plays Amazons. When it hangs, ends, floods or babbles, [`Player::choose`] fails; then the player
/// is of no more use, and dropping it kills the process.
pub(crate) struct UciPlayer {
    name: String,
    process: Process,
    client: UciClient,
    ceiling: Option<Duration>,
    /// The seed of a game that the engine has not been told of.
    new_game: Option<u64>,
}

impl fmt::Debug for UciPlayer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UciPlayer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl UciPlayer {
    /// Starts the engine and lets it introduce itself. No answer of it may take longer than `ceiling`; unless that is
    /// given, 10 s more than the time it has for a move, and a minute where there is none.
    ///
    /// # Errors
    /// When the program does not start, or is no UCI engine for Amazons.
    pub(crate) fn start(
        name: &str,
        words: &[String],
        ceiling: Option<Duration>,
    ) -> anyhow::Result<UciPlayer> {
        let process = Process::start(words).with_context(|| format!("{name} does not start"))?;
        let name = name.to_owned();
        let mut player = UciPlayer { name, process, client: UciClient::new(), ceiling, new_game: Some(0) };
        player.say(UciClient::GREETING)?;
        player.wait_for(&Limits::NONE, |heard| *heard == Heard::Introduced)?;
        let lines = player.client.set_up().map_err(|reason| anyhow!("{}: {reason}", player.name))?;
        lines.iter().try_for_each(|line| player.say(line))?;
        Ok(player)
    }

    fn say(&mut self, line: &str) -> Result<(), PlayerError> {
        self.process.say(line).map_err(|_| self.ended())
    }

    fn ended(&mut self) -> PlayerError {
        PlayerError::Ended { name: self.name.clone(), reason: self.process.post_mortem() }
    }

    fn flood(&self, what: String) -> PlayerError {
        PlayerError::Flood { name: self.name.clone(), what }
    }

    /// Waits for a line that says what is wanted, and tells the engine to stop when the limits do.
    fn wait_for(
        &mut self,
        limits: &Limits<'_>,
        wanted: impl Fn(&Heard) -> bool,
    ) -> Result<Heard, PlayerError> {
        let ceiling = self.ceiling.unwrap_or_else(|| limits.time.map_or(PATIENCE, |time| time + GRACE));
        let is_endless = limits.stop.is_some() && limits.visits.is_none() && limits.time.is_none();
        let (mut since, mut stopped, mut lines) = (Instant::now(), false, 0);
        loop {
            match self.process.hear(TICK) {
                Ok(line) => {
                    let heard = self.client.hear(&line);
                    if wanted(&heard) {
                        return Ok(heard);
                    }
                    lines += 1;
                    if lines > MOST_LINES {
                        return Err(self.flood(format!("more than {MOST_LINES} lines before an answer")));
                    }
                }
                Err(Silence::Pause) => {}
                Err(Silence::Ended) => return Err(self.ended()),
                Err(Silence::TooLong) => {
                    return Err(self.flood(format!("a line of more than {LONGEST_LINE} bytes")));
                }
            }
            if interrupt::asked() {
                let reason = "it was interrupted".to_owned();
                return Err(PlayerError::Ended { name: self.name.clone(), reason });
            }
            if !stopped && limits.must_stop() {
                self.say("stop")?;
                stopped = true;
                if is_endless {
                    since = Instant::now();
                }
            }
            if (stopped || !is_endless) && since.elapsed() >= ceiling {
                return Err(PlayerError::Silent { name: self.name.clone(), after: ceiling });
            }
        }
    }
}

impl Player for UciPlayer {
    fn name(&self) -> &str {
        &self.name
    }

    fn new_game(&mut self, seed: u64) {
        self.new_game = Some(seed);
    }

    fn choose(&mut self, position: &Position, limits: &Limits<'_>) -> Result<Choice, PlayerError> {
        if !position.has_move() {
            return Err(PlayerError::NoMove(*position));
        }
        if let Some(seed) = self.new_game.take() {
            for line in self.client.new_game(seed) {
                self.say(&line)?;
            }
            self.wait_for(&Limits::NONE, |heard| *heard == Heard::Ready)?;
        }
        for line in self.client.ask(position, limits) {
            self.say(&line)?;
        }
        match self.wait_for(limits, |heard| matches!(heard, Heard::Chosen(_) | Heard::NoMove(_)))? {
            Heard::Chosen(choice) => Ok(choice),
            Heard::NoMove(answer) => Err(PlayerError::Garbled { name: self.name.clone(), answer }),
            other => unreachable!("{other:?} was not waited for"),
        }
    }
}

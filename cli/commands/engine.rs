//! `engine`: plays for another program over a line protocol.
//!
//! Three threads: this one thinks, so that a player need not move between threads; one reads stdin, so that `stop`
//! reaches a search; one runs the protocol between them and writes stdout.

use std::io::{self, BufRead as _, Read as _};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use clap::{Args, ValueEnum};
use hippolyta_play::protocol::{Botzone, Order, Protocol, Sau, Setting, Think, Uci};
use hippolyta_play::{Choice, ClassicalPlayer, Limits, Player};
use hippolyta_search::seed::derive;

use crate::failure::{one_line, wrong_input};
use crate::memory;
use crate::output;
use crate::players::{PlayerName, Seatable};
use crate::values::NO_THREAD;

/// How long to think where nothing says it: as 'play' does.
const UNLIMITED: Duration = Duration::from_secs(1);
/// SAU's protocol says nothing of time; this keeps a game within minutes.
const SAU_MOVE: Duration = Duration::from_secs(5);
/// Longer lines are taken as several.
const LONGEST_LINE: u64 = 1 << 20;
/// Lines read ahead of the protocol.
const LINES_AHEAD: usize = 64;
const NAME: &str = concat!("Hippolyta ", env!("CARGO_PKG_VERSION"));

/// Play for another program, over stdin and stdout.
///
/// Without --level and --model the classical player plays. UCI's options change both. The level insane
/// plays the network that is set, or else the network that comes with the program.
#[derive(Debug, Args)]
#[command(after_help = "Example: hippolyta engine --protocol uci --level hard")]
pub(crate) struct Arguments {
    /// How the other program speaks.
    #[arg(long, value_enum)]
    protocol: Language,
    /// Who plays: random, easy, medium, hard, insane, classical, a model file, or uci:COMMAND, a UCI engine that plays
    /// Amazons.
    #[arg(long, value_name = "L", conflicts_with = "model")]
    level: Option<PlayerName>,
    /// The network that plays.
    #[arg(long, value_name = "FILE")]
    model: Option<PathBuf>,
    /// End after one turn, as Botzone wants it of programs that it does not keep running; only for botzone.
    #[arg(long)]
    once: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Language {
    Uci,
    Botzone,
    Sau,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    if arguments.once && arguments.protocol != Language::Botzone {
        return Err(wrong_input("--once is only for --protocol botzone"));
    }
    let (level, model) = match &arguments.level {
        Some(PlayerName::Model(path)) => (None, Some(path.clone())),
        level => (level.clone(), arguments.model.clone()),
    };
    let memory = ClassicalPlayer::DEFAULT_MEMORY;
    let first_model = model.clone();
    let mut seat = Seat { level, model, first_model, memory, player: None, seed: 0, games: 0, begins: true };
    seat.sit()?;
    let protocol: Box<dyn Protocol + Send> = match arguments.protocol {
        Language::Uci => {
            let model = seat.model.as_ref().map(|path| path.display().to_string());
            let level = if model.is_some() { PlayerName::Insane } else { seat.who() };
            Box::new(Uci::new(NAME, &level.to_string(), model.as_deref()))
        }
        Language::Botzone => Box::new(Botzone::new(!arguments.once)),
        Language::Sau => Box::new(Sau::new(NAME, SAU_MOVE)),
    };
    let (events, inbox) = mpsc::sync_channel(LINES_AHEAD);
    let (jobs, work) = mpsc::channel();
    let lines = events.clone();
    // Nobody waits for this one: it may sit in a read that never ends.
    thread::Builder::new().spawn(move || read(&lines)).context(NO_THREAD)?;
    let desk = Desk { protocol, jobs, thinking: None, thoughts: 0, preparing: 0, input_ended: false };
    let desk = thread::Builder::new().spawn(move || desk.serve(&inbox)).context(NO_THREAD)?;
    for job in work {
        seat.work(job, &events);
    }
    desk.join().expect("the protocol does not panic")
}

/// What reaches the thread of the protocol.
enum Event {
    Line(String),
    /// Stdin ended, or failed.
    End(io::Result<()>),
    /// The player is at hand, or will not be for this reason; the line is to be written.
    Ready {
        line: String,
        trouble: Option<String>,
    },
    /// A setting that could not take effect, and why.
    Trouble(String),
    /// What a thought has come to so far.
    Considered(Answer),
    Answer(Answer),
}

/// What came of a thought.
struct Answer {
    /// The thought's [`Thinking::number`].
    number: u64,
    choice: Result<Choice, String>,
    spent: Duration,
}

/// What reaches the thread of the player.
enum Job {
    NewGame,
    Set(Setting),
    /// Take the seat before there is a clock running, then let this line be written.
    Prepare(String),
    Think {
        think: Think,
        number: u64,
        begun: Instant,
        stop: Arc<AtomicBool>,
    },
}

/// Reads stdin to its end, or until nobody listens.
fn read(events: &SyncSender<Event>) {
    let mut input = io::stdin().lock();
    loop {
        let mut line = Vec::new();
        let event = match input.by_ref().take(LONGEST_LINE).read_until(b'\n', &mut line) {
            Ok(0) => Event::End(Ok(())),
            Ok(_) => Event::Line(String::from_utf8_lossy(&line).trim_end_matches(['\n', '\r']).to_owned()),
            Err(error) => Event::End(Err(error)),
        };
        let is_end = matches!(event, Event::End(_));
        if events.send(event).is_err() || is_end {
            return;
        }
    }
}

/// Where lines and answers come together.
struct Desk {
    protocol: Box<dyn Protocol + Send>,
    jobs: Sender<Job>,
    thinking: Option<Thinking>,
    /// Thoughts so far.
    thoughts: u64,
    /// Lines that wait for the player to be at hand.
    preparing: u64,
    input_ended: bool,
}

/// A thought whose answer the protocol has not had.
struct Thinking {
    number: u64,
    stop: Arc<AtomicBool>,
    infinite: bool,
    /// The answer of an infinite thought that came to its end before it was stopped.
    held: Option<Answer>,
}

impl Desk {
    /// Serves until the protocol or the input ends, and leaves no thought running.
    fn serve(mut self, inbox: &Receiver<Event>) -> anyhow::Result<()> {
        let result = self.listen(inbox);
        if let Some(thinking) = &self.thinking {
            thinking.stop.store(true, Ordering::Relaxed);
        }
        result
    }

    fn listen(&mut self, inbox: &Receiver<Event>) -> anyhow::Result<()> {
        // At the end of the input a thought with a limit is still answered.
        while !(self.input_ended && self.thinking.is_none() && self.preparing == 0) {
            let Ok(event) = inbox.recv() else { return Ok(()) };
            let flow = match event {
                Event::Line(line) => {
                    let orders = self.protocol.line(&line);
                    self.follow(orders)?
                }
                Event::End(end) => {
                    end.context("stdin cannot be read")?;
                    self.input_ended = true;
                    let endless = self.thinking.as_ref().is_some_and(|thinking| thinking.infinite);
                    if endless { self.stop()? } else { ControlFlow::Continue(()) }
                }
                Event::Ready { line, trouble } => {
                    self.preparing -= 1;
                    if let Some(trouble) = trouble {
                        output::text(&format!("info string error: {trouble}"))?;
                    }
                    output::text(&line)?;
                    ControlFlow::Continue(())
                }
                Event::Trouble(trouble) => {
                    output::text(&format!("info string error: {trouble}"))?;
                    ControlFlow::Continue(())
                }
                Event::Considered(answer) => self.tell(&answer)?,
                Event::Answer(answer) => self.take(answer)?,
            };
            if flow.is_break() {
                break;
            }
        }
        Ok(())
    }

    fn follow(&mut self, orders: Vec<Order>) -> anyhow::Result<ControlFlow<()>> {
        for order in orders {
            match order {
                Order::Say(line) => output::text(&line)?,
                Order::Ready(line) => {
                    self.preparing += 1;
                    self.send(Job::Prepare(line));
                }
                Order::NewGame => self.send(Job::NewGame),
                Order::Set(setting) => self.send(Job::Set(setting)),
                Order::Think(think) => self.think(think),
                Order::Stop => {
                    if self.stop()?.is_break() {
                        return Ok(ControlFlow::Break(()));
                    }
                }
                Order::Quit => return Ok(ControlFlow::Break(())),
            }
        }
        Ok(ControlFlow::Continue(()))
    }

    fn think(&mut self, think: Think) {
        self.thoughts += 1;
        let (number, stop, infinite) = (self.thoughts, Arc::new(AtomicBool::new(false)), think.infinite);
        // Nobody is left to stop what waited for its turn until the input had ended.
        stop.store(infinite && self.input_ended, Ordering::Relaxed);
        self.thinking = Some(Thinking { number, stop: Arc::clone(&stop), infinite, held: None });
        self.send(Job::Think { think, number, begun: Instant::now(), stop });
    }

    fn send(&self, job: Job) {
        self.jobs.send(job).expect("the player's thread works until this one ends");
    }

    fn stop(&mut self) -> anyhow::Result<ControlFlow<()>> {
        let Some(thinking) = &mut self.thinking else { return Ok(ControlFlow::Continue(())) };
        thinking.stop.store(true, Ordering::Relaxed);
        match thinking.held.take() {
            Some(answer) => self.take(answer),
            None => Ok(ControlFlow::Continue(())),
        }
    }

    /// Hands on what a thought has come to so far, unless it has been answered.
    fn tell(&mut self, answer: &Answer) -> anyhow::Result<ControlFlow<()>> {
        let is_now = self.thinking.as_ref().is_some_and(|thinking| thinking.number == answer.number);
        let orders = match &answer.choice {
            Ok(choice) if is_now => self.protocol.considered(choice, answer.spent),
            _ => Vec::new(),
        };
        self.follow(orders)
    }

    /// Hands an answer to the protocol, unless it comes from an earlier thought or has to be held back.
    fn take(&mut self, answer: Answer) -> anyhow::Result<ControlFlow<()>> {
        let Some(thinking) = self.thinking.as_mut().filter(|thinking| thinking.number == answer.number)
        else {
            return Ok(ControlFlow::Continue(()));
        };
        if thinking.infinite && answer.choice.is_ok() && !thinking.stop.load(Ordering::Relaxed) {
            thinking.held = Some(answer);
            return Ok(ControlFlow::Continue(()));
        }
        self.thinking = None;
        let orders = match answer.choice {
            Ok(choice) => self.protocol.chosen(&choice, answer.spent),
            Err(reason) => self.protocol.failed(&reason),
        };
        self.follow(orders)
    }
}

/// Who plays, and the player once there is need of it.
struct Seat {
    level: Option<PlayerName>,
    model: Option<PathBuf>,
    /// The model that the engine was started with.
    first_model: Option<PathBuf>,
    /// For the classical player's table, in MiB.
    memory: usize,
    player: Option<Box<dyn Player>>,
    seed: u64,
    /// Games since the seed was set.
    games: u64,
    /// Whether the next position is of a new game.
    begins: bool,
}

impl Seat {
    fn who(&self) -> PlayerName {
        match (&self.level, &self.model) {
            (None | Some(PlayerName::Insane), Some(path)) => PlayerName::Model(path.clone()),
            (Some(level), _) => level.clone(),
            (None, None) => PlayerName::Classical,
        }
    }

    /// Takes the seat with who plays now.
    fn sit(&mut self) -> anyhow::Result<()> {
        let player = match self.who().resolve()? {
            Seatable::Classical => Box::new(ClassicalPlayer::with_memory(self.memory)?),
            other => other.seat()?,
        };
        self.player = Some(player);
        self.begins = true;
        Ok(())
    }

    fn work(&mut self, job: Job, events: &SyncSender<Event>) {
        match job {
            Job::NewGame => self.begins = true,
            Job::Set(setting) => {
                if let Err(error) = self.set(setting) {
                    let _ = events.send(Event::Trouble(one_line(&error)));
                }
            }
            Job::Prepare(line) => {
                let sat = if self.player.is_none() { self.sit() } else { Ok(()) };
                let trouble = sat.err().map(|error| one_line(&error));
                // Once the protocol has ended nobody waits.
                let _ = events.send(Event::Ready { line, trouble });
            }
            Job::Think { think, number, begun, stop } => {
                let listen = |choice: &Choice| {
                    let considered = Answer { number, choice: Ok(choice.clone()), spent: begun.elapsed() };
                    // A reader that is slow misses some, and holds no search up.
                    let _ = events.try_send(Event::Considered(considered));
                };
                let choice = self.choose(&think, begun, &stop, &listen).map_err(|error| one_line(&error));
                // Once the protocol has ended nobody wants the answer.
                let _ = events.send(Event::Answer(Answer { number, choice, spent: begun.elapsed() }));
            }
        }
    }

    fn set(&mut self, setting: Setting) -> anyhow::Result<()> {
        match setting {
            Setting::Level(level) => {
                self.level = Some(level.parse().map_err(wrong_input)?);
                self.player = None;
            }
            Setting::ModelFile(file) => {
                self.model =
                    if file.is_empty() { self.first_model.clone() } else { Some(PathBuf::from(file)) };
                self.player = None;
            }
            Setting::Seed(seed) => (self.seed, self.games) = (seed, 0),
            Setting::Hash(mib) => {
                if let Some(most) = memory::of_machine()
                    && mib as u64 > most
                {
                    bail!("Hash {mib}: this machine has {most} MiB of memory; the table stays as it was");
                }
                let classical = ClassicalPlayer::with_memory(mib).context("the table stays as it was")?;
                self.memory = mib;
                // A player of another kind has no table.
                if self.who() == PlayerName::Classical {
                    self.player = Some(Box::new(classical));
                    self.begins = true;
                }
            }
        }
        Ok(())
    }

    fn choose(
        &mut self,
        think: &Think,
        begun: Instant,
        stop: &AtomicBool,
        listen: &dyn Fn(&Choice),
    ) -> anyhow::Result<Choice> {
        if self.player.is_none() {
            self.sit()?;
        }
        let player = self.player.as_mut().expect("someone sat down");
        if self.begins {
            player.new_game(derive(self.seed, &[self.games]));
            self.games += 1;
            self.begins = false;
        }
        let unlimited = think.visits.is_none() && think.depth.is_none() && !think.infinite;
        let time = think.time.or_else(|| unlimited.then_some(UNLIMITED));
        // A time past what the clock can count to is none.
        let end = time.and_then(|time| begun.checked_add(time));
        let stop = || stop.load(Ordering::Relaxed) || end.is_some_and(|end| Instant::now() >= end);
        let limits = Limits {
            visits: think.visits,
            stop: Some(&stop),
            time,
            lines: think.lines,
            listen: Some(listen),
            depth: think.depth,
            among: &think.among,
        };
        let choice = player.choose(&think.position, &limits);
        if choice.is_err() {
            // The program behind it may be gone.
            self.player = None;
        }
        Ok(choice?)
    }
}

//! `engine` at the other end of pipes, and the games that `arena` writes down.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use hippolyta_game::notation::{move_from_letters, move_from_numbers};
use hippolyta_game::{Board, Move, Position};
use hippolyta_model::{ModelFile, NetSpec, Weights};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::binary::{finish, hippolyta};

/// Longer than any answer takes on a busy machine.
const PATIENCE: Duration = Duration::from_mins(1);

/// A running engine.
struct Engine {
    child: Child,
    input: Option<ChildStdin>,
    output: Receiver<String>,
}

impl Engine {
    fn start(arguments: &str) -> Engine {
        Engine::of(&mut hippolyta(&format!("engine --protocol {arguments}")))
    }

    fn of(command: &mut Command) -> Engine {
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary starts");
        let input = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().expect("stdout is piped")).lines();
        let (sender, output) = mpsc::channel();
        let listen = move || lines.map_while(Result::ok).try_for_each(|line| sender.send(line));
        thread::Builder::new().spawn(listen).expect("a thread for the output");
        Engine { child, input, output }
    }

    fn say(&mut self, bytes: impl AsRef<[u8]>) {
        let input = self.input.as_mut().expect("stdin is open");
        input.write_all(bytes.as_ref()).and_then(|()| input.write_all(b"\n")).expect("the engine reads");
    }

    /// The first line that starts with `start`, if it comes in time.
    fn hear_for(&self, time: Duration, start: &str) -> Option<String> {
        let end = Instant::now() + time;
        let left = || end.saturating_duration_since(Instant::now());
        std::iter::from_fn(|| self.output.recv_timeout(left()).ok()).find(|line| line.starts_with(start))
    }

    #[track_caller]
    fn hear(&self) -> String {
        self.output.recv_timeout(PATIENCE).expect("the engine answers")
    }

    /// The first line that starts with `start`, and all before it.
    #[track_caller]
    fn hear_until(&self, start: &str) -> (String, Vec<String>) {
        let mut before = Vec::new();
        loop {
            let line = self.hear();
            if line.starts_with(start) {
                return (line, before);
            }
            before.push(line);
        }
    }

    /// Waits for the end, up to which nothing more was said but what a running search tells.
    #[track_caller]
    fn ends(mut self) {
        let rest = loop {
            match self.output.recv_timeout(PATIENCE) {
                Ok(line) if line.starts_with("info ") => {}
                rest => break rest,
            }
        };
        assert_eq!(rest, Err(mpsc::RecvTimeoutError::Disconnected));
        assert_eq!(self.child.wait().expect("a child").code(), Some(0));
    }
}

/// The position after Fairy-Stockfish's spelling of a move, which must be legal.
#[track_caller]
fn after(position: &Position, best: &str) -> Position {
    let m: Move = best.strip_prefix("bestmove ").expect("a best move").parse().expect("a move");
    position.play(m).expect("a legal move")
}

#[test]
fn uci_plays_and_is_stopped() {
    let mut engine = Engine::start("uci");
    engine.say("uci");
    let (_, introduction) = engine.hear_until("uciok");
    assert!(
        introduction.iter().any(|line| line.starts_with("option name Level type combo default classical"))
    );
    engine.say("setoption name Size value 6");
    engine.say("setoption name Level value hard");
    engine.say("setoption name Seed value 7");
    engine.say("ucinewgame");
    engine.say("position startpos");
    engine.say("go nodes 50");
    let start = Position::start(Board::SIX).unwrap();
    let (first, _) = engine.hear_until("bestmove");
    let position = after(&start, &first);

    engine.say("setoption name Level value classical");
    engine.say(format!("position fen {position}"));
    engine.say("go infinite");
    engine.say("isready");
    // The search speaks while it runs, before the answer to isready or after it.
    let (_, mut told) = engine.hear_until("readyok");
    if !told.iter().any(|line| line.starts_with("info depth 2")) {
        let (second, before) = engine.hear_until("info depth 2");
        told.extend(before);
        told.push(second);
    }
    assert!(told.iter().all(|line| line.starts_with("info depth ")), "{told:?}");
    assert_eq!(engine.hear_for(Duration::from_millis(200), "bestmove"), None, "nothing before stop");
    engine.say("stop");
    let (best, before) = engine.hear_until("bestmove");
    after(&position, &best);
    assert!(before.iter().all(|line| line.starts_with("info depth ")), "{before:?}");

    // A player that answers at once is held back too.
    engine.say("setoption name Level value easy");
    engine.say("go infinite");
    assert!(engine.output.recv_timeout(Duration::from_millis(200)).is_err(), "nothing before stop");
    engine.say("stop");
    after(&position, &engine.hear_until("bestmove").0);

    engine.say("go wtime 500 btime 500 winc 0 binc 0");
    after(&position, &engine.hear_until("bestmove").0);
    engine.say("setoption name Level value classical");
    engine.say("go infinite");
    engine.say("quit");
    // The move that is due still comes.
    engine.hear_until("bestmove");
    engine.ends();
}

/// An untrained network in a file.
fn model(folder: &TempDir) -> PathBuf {
    let spec = NetSpec::with_trunk(6, 64, &[2, 4]);
    let weights = Weights::untrained(spec, 1).unwrap();
    let path = folder.path().join("untrained.safetensors");
    ModelFile { weights, calibration: None, history: [].into() }.write(&path).unwrap();
    path
}

/// As programs write it that do not wait for a `bestmove` before they go on.
#[test]
fn uci_takes_what_comes_behind_a_stop() {
    let mut engine = Engine::start("uci");
    engine.say("go infinite");
    thread::sleep(Duration::from_millis(50));
    engine.say("stop\nposition startpos moves d1d7,d7g7\ngo movetime 100");
    let start = Position::start(Board::TEN).unwrap();
    after(&start, &engine.hear_until("bestmove").0);
    let second = start.play("d1-d7/g7".parse().unwrap()).unwrap();
    after(&second, &engine.hear_until("bestmove").0);
    // What waits when the input ends is still answered.
    engine.say("go infinite\nstop\ngo infinite");
    engine.input = None;
    for _ in 0..2 {
        after(&second, &engine.hear_until("bestmove").0);
    }
    engine.ends();
}

#[test]
fn uci_ends_every_go_with_a_move() {
    let mut engine = Engine::start("uci");
    engine.say("setoption name Size value 6\nposition startpos");
    let start = Position::start(Board::SIX).unwrap();
    for go in ["depth 2", "mate 1", "movetime 50 searchmoves b1b3,b3b2", "movetime 20.0", "movetime 20 x 1"] {
        engine.say(format!("go {go}"));
        let best = engine.hear_until("bestmove").0;
        after(&start, &best);
        assert!(!go.contains("searchmoves") || best == "bestmove b1b3,b3b2", "{best}");
    }
    engine.say("position startpos moves a1a1,a1a1\ngo movetime 20");
    assert_eq!(engine.hear_until("bestmove").0, "bestmove (none)");
    engine.say("position startpos\ngo movetime 20");
    after(&start, &engine.hear_until("bestmove").0);
    engine.say("quit");
    engine.ends();
}

#[test]
fn a_table_beyond_memory_is_refused() {
    let mut engine = Engine::start("uci");
    engine.say("setoption name Hash value 65536\nisready");
    let (_, before) = engine.hear_until("readyok");
    assert!(before.iter().all(|line| line.contains("info string error: Hash 65536")), "{before:?}");
    engine.say("go nodes 1000");
    after(&Position::start(Board::TEN).unwrap(), &engine.hear_until("bestmove").0);
    engine.say("quit");
    engine.ends();
}

/// A program that sets every option to the default that was advertised changes nothing.
#[test]
fn uci_defaults_are_what_plays() {
    let folder = tempfile::tempdir().unwrap();
    let path = model(&folder);
    let best_of = |settings: &[&str]| {
        let mut engine = Engine::start(&format!("uci --model {}", path.display()));
        engine.say("uci");
        let (_, said) = engine.hear_until("uciok");
        let default = format!("option name ModelFile type string default {}", path.display());
        assert!(said.contains(&default), "{said:?}");
        for setting in settings {
            engine.say(format!("setoption name {setting}"));
        }
        engine.say("go nodes 30");
        let (_, info) = engine.hear_until("bestmove");
        let pv = info.last().and_then(|line| line.split_once(" pv ")).map(|(_, pv)| pv.to_owned());
        engine.say("quit");
        engine.ends();
        pv.expect("a line of moves")
    };
    let expected = best_of(&[]);
    let own = format!("ModelFile value {}", path.display());
    for settings in [&["ModelFile value <empty>"][..], &["ModelFile value"], &["Level value insane", &own]] {
        assert_eq!(best_of(settings), expected, "{settings:?}");
    }
}

#[test]
fn a_player_of_a_match_can_have_limits_of_its_own() {
    let arena = |players: &str| {
        finish(&mut hippolyta(&format!("arena {players} --size 6 --games 2 --visits 900 --json --threads 1")))
    };
    let report = arena("classical@300 classical").json();
    assert_eq!(report["a"], json!("classical@300"));
    arena("classical@soon classical").refuses("'soon' is not a limit");
}

#[test]
fn uci_gives_several_lines() {
    let folder = tempfile::tempdir().unwrap();
    let position: Position = "1q3q/6/q4*/Q1*1q1/1*4/Q3QQ w".parse().unwrap();
    let network = format!("ModelFile value {}", model(&folder).display());
    for (option, go) in [("Level value classical", "go nodes 20000"), (&network, "go nodes 300")] {
        let mut engine = Engine::start("uci");
        engine.say(format!("setoption name {option}"));
        engine.say("setoption name Hash value 2");
        engine.say("setoption name MultiPV value 3");
        engine.say(format!("position fen {position}"));
        engine.say(go);
        let (best, before) = engine.hear_until("bestmove");
        let last = &before[before.len() - 3..];
        let mut firsts = Vec::new();
        for (line, place) in last.iter().zip(1..) {
            let (figures, line) = line.split_once(" pv ").expect("a line of moves");
            let names: Vec<&str> = figures.split(' ').filter(|word| word.parse::<i64>().is_err()).collect();
            assert_eq!(
                names,
                ["info", "depth", "multipv", "score", "cp", "nodes", "nps", "time"],
                "{figures}"
            );
            assert!(figures.contains(&format!("multipv {place} ")), "{figures}");
            line.split(' ').fold(position, |position, m| after(&position, &format!("bestmove {m}")));
            assert!(place > 1 || line.contains(' '), "more than one move: {line}");
            firsts.push(line.split(' ').next().expect("a move").to_owned());
        }
        assert_eq!(best, format!("bestmove {}", firsts[0]));
        firsts.sort();
        firsts.dedup();
        assert_eq!(firsts.len(), 3, "{last:?}");
    }
}

/// Games of the engine with itself, as a program at the other end of the pipe sees them.
#[test]
#[ignore = "a measurement, for a quiet machine and a release build; about 2 minutes"]
#[expect(clippy::print_stdout, reason = "a measurement for people")]
fn how_long_moves_take_at_100_ms() {
    let folder = tempfile::tempdir().unwrap();
    let network = format!("uci --model {}", model(&folder).display());
    for (arguments, board) in
        [("uci", Board::TEN), ("uci", Board::SIX), (&network, Board::TEN), (&network, Board::SIX)]
    {
        let mut engine = Engine::start(arguments);
        let start = Position::start(board).unwrap();
        let mut position = start;
        let mut times = Vec::new();
        while times.len() < 200 {
            if position == start {
                engine.say(format!("setoption name Seed value {}\nucinewgame\nisready", times.len()));
                engine.hear_until("readyok");
            }
            engine.say(format!("position fen {position}"));
            let begun = Instant::now();
            engine.say("go movetime 100");
            let (best, _) = engine.hear_until("bestmove");
            times.push((begun.elapsed().as_secs_f64() * 1e3, times.len()));
            position = after(&position, &best);
            if !position.has_move() {
                position = start;
            }
        }
        times.sort_by(|a, b| b.partial_cmp(a).expect("times are numbers"));
        let who = if arguments == "uci" { "classical" } else { "a network of 6x64" };
        println!("{who} on {board}: longest (ms, move) {:.1?}, median {:.1}", &times[..5], times[100].0);
    }
}

#[test]
fn uci_answers_what_it_cannot_take() {
    let mut engine = Engine::start("uci --level random");
    let is_error = |answer: &str| answer.starts_with("info string error: ");
    for line in [&b"garbage"[..], b"\xff\xfe", b"setoption name Level value god", b"position fen 3q w"] {
        engine.say(line);
        let answer = engine.hear();
        assert!(is_error(&answer), "{answer}");
    }
    // The refused position is not the one before.
    engine.say("go depth 1");
    let error = engine.hear();
    assert!(is_error(&error), "{error}");
    assert_eq!(engine.hear(), "bestmove (none)");
    engine.say("position startpos");
    engine.say("go depth x");
    let error = engine.hear();
    assert!(is_error(&error), "{error}");
    after(&Position::start(Board::TEN).unwrap(), &engine.hear());
    engine.say("setoption name ModelFile value no-such-file.safetensors");
    engine.say("setoption name Level value insane");
    engine.say("go nodes 1");
    let error = engine.hear();
    assert!(is_error(&error) && error.contains("no-such-file"), "{error}");
    assert_eq!(engine.hear(), "bestmove (none)");
    engine.say("setoption name Level value random");
    // At the end of the input what was asked is still answered.
    engine.say("go movetime 50");
    engine.input = None;
    after(&Position::start(Board::TEN).unwrap(), &engine.hear());
    engine.ends();
}

#[test]
fn an_endless_thought_ends_with_the_input() {
    let mut engine = Engine::start("uci");
    engine.say("go infinite");
    engine.input = None;
    after(&Position::start(Board::TEN).unwrap(), &engine.hear_until("bestmove").0);
    engine.ends();
}

#[test]
fn insane_needs_no_file_and_no_run() {
    let empty = tempfile::tempdir().unwrap();
    for (size, board) in [(6, Board::SIX), (8, Board::EIGHT), (10, Board::TEN)] {
        let mut command = hippolyta("engine --protocol uci --level insane");
        let mut engine = Engine::of(command.current_dir(empty.path()));
        engine.say(format!("setoption name Size value {size}\nposition startpos\ngo nodes 16"));
        let (best, _) = engine.hear_until("bestmove");
        after(&Position::start(board).unwrap(), &best);
        engine.say("quit");
        engine.ends();
    }
}

#[test]
fn botzone_kept_running_and_once() {
    let numbers = |answer: &str| -> [i32; 6] {
        let answer: Value = serde_json::from_str(answer).expect("an answer is JSON");
        ["x0", "y0", "x1", "y1", "x2", "y2"]
            .map(|name| answer["response"][name].as_i64().expect("a number").try_into().expect("a small one"))
    };
    let none = json!({"x0": -1, "y0": -1, "x1": -1, "y1": -1, "x2": -1, "y2": -1});
    let first = json!({"requests": [none], "responses": []}).to_string();
    let start = Position::start(Board::EIGHT).unwrap();

    let mut bot = Engine::start("botzone --level medium");
    bot.say(&first);
    let own = move_from_numbers(numbers(&bot.hear())).expect("numbers on the board");
    let position = start.play(own).expect("a legal move");
    assert_eq!(bot.hear(), ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
    bot.say(r#"{"x0":9,"y0":0,"x1":0,"y1":0,"x2":0,"y2":0}"#);
    assert_eq!(numbers(&bot.hear()), [-1; 6], "no such square");
    assert_eq!(bot.hear(), ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
    let mut moves = Vec::new();
    position.moves(&mut moves);
    let [x0, y0, x1, y1, x2, y2] = hippolyta_game::notation::move_to_numbers(moves[0]);
    bot.say(json!({"x0": x0, "y0": y0, "x1": x1, "y1": y1, "x2": x2, "y2": y2}).to_string());
    let own = move_from_numbers(numbers(&bot.hear())).expect("numbers on the board");
    assert!(position.play_unchecked(moves[0]).is_legal(own));
    assert_eq!(bot.hear(), ">>>BOTZONE_REQUEST_KEEP_RUNNING<<<");
    bot.input = None;
    bot.ends();

    let mut bot = Engine::start("botzone --once");
    bot.say(&first);
    bot.input = None;
    assert!(start.is_legal(move_from_numbers(numbers(&bot.hear())).expect("numbers on the board")));
    bot.ends();
}

#[test]
fn sau_plays_both_colours() {
    let start = Position::start(Board::TEN).unwrap();
    let read = |line: String| {
        let letters = line.strip_prefix("move ").expect("a move").to_owned();
        move_from_letters(Board::TEN, &letters).expect("six letters")
    };
    let mut engine = Engine::start("sau --level medium");
    engine.say("name?");
    assert!(engine.hear().starts_with("name Hippolyta "));
    engine.say("what");
    assert_eq!(engine.hear(), "error 'what' is no command");
    engine.say("new black");
    assert!(start.is_legal(read(engine.hear())), "black begins");
    engine.say("end");
    engine.say("new white");
    engine.say("move DJDDGD");
    let position = start.play("d1-d7/g7".parse().unwrap()).unwrap();
    assert!(position.is_legal(read(engine.hear())));
    engine.say("quit");
    engine.ends();
}

#[test]
fn wrong_arguments_are_refused() {
    for (arguments, words) in [
        ("engine", "--protocol"),
        ("engine --protocol uci --once", "only for --protocol botzone"),
        ("engine --protocol uci --level hard --model x", "cannot be used with"),
        ("engine --protocol morse", "morse"),
        ("arena hard easy --size 6 --games 2 --sgf no-such-folder/games.sgf", "a folder that exists"),
    ] {
        let finished = finish(&mut hippolyta(arguments));
        assert_eq!(finished.code, Some(2), "{arguments}: {}", finished.stderr);
        assert!(finished.stderr.contains(words), "{arguments}: {}", finished.stderr);
    }
    finish(&mut hippolyta("engine --protocol uci --model no-such-file")).fails(1, &["no-such-file"]);
}

#[test]
fn the_games_of_a_match_are_written_and_read_again() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.sgf");
    let report =
        finish(hippolyta("arena hard random --size 6 --games 4 --seed 3 --json --sgf").arg(&path)).json();
    let collection = fs::read_to_string(&path).unwrap();
    let games: Vec<&str> = collection.split_inclusive(")\n").collect();
    assert_eq!((games.len(), &report["games"]), (4, &4.into()));
    let mut wins = 0;
    for (number, game) in games.into_iter().enumerate() {
        let one = folder.path().join("one.sgf");
        fs::write(&one, game).unwrap();
        let text = finish(hippolyta("convert --to text").arg(&one));
        assert_eq!(text.code, Some(0), "{}", text.stderr);
        assert!(text.stdout.contains("value "), "{}", text.stdout);
        // A, hard, begins in every first game of a pair; SGF calls the first player black.
        let (a, b) = if number % 2 == 0 { ("B", "W") } else { ("W", "B") };
        assert!(game.contains(&format!("P{a}[hard]")) && game.contains(&format!("P{b}[random]")), "{game}");
        wins += usize::from(game.contains(&format!("RE[{a}+]")));
        // Written back, nothing is lost.
        let copy = folder.path().join("one.txt");
        fs::write(&copy, text.stdout).unwrap();
        assert_eq!(finish(hippolyta("convert --to sgf").arg(&copy)).stdout, game);
    }
    assert_eq!(report["wins_a"], wins);
    // All of them go through another format and back at once.
    let text = finish(hippolyta("convert --to text").arg(&path));
    let copy = folder.path().join("all.txt");
    fs::write(&copy, text.stdout).unwrap();
    assert_eq!(finish(hippolyta("convert --to sgf").arg(&copy)).stdout, collection);
    fs::write(&path, collection.strip_suffix(")\n").unwrap()).unwrap();
    finish(hippolyta("convert --to text").arg(&path)).fails(1, &["game 4", "the game has no end"]);
}

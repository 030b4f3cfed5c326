//! `arena`: a match between two players.

use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;
use hippolyta_eval::{
    Contestant, EloModel, Match, MatchReport, MatchScore, Openings, PlayedGame, Sprt, SprtConfig,
    SprtVerdict, play_match,
};
use hippolyta_game::Side;
use hippolyta_game::notation::{Dialect, Transcript};

use crate::interrupt::{self, Interrupted};
use crate::match_arguments::MatchArguments;
use crate::odds::{Entrant, ODDS_HELP};
use crate::output;
use crate::progress::Progress;
use crate::values::{parse_file, parse_games};

/// Chances of a wrong verdict of a test, either way.
const ERROR_RATE: f64 = 0.05;

/// Let two players play a match: distinct openings, each played twice with colours swapped.
#[derive(Debug, Args)]
#[command(
    after_help = format!("A PLAYER is random, easy, medium, hard, insane (the network that comes with the program), classical, a model \
    file, or uci:COMMAND: a UCI engine that plays Amazons, in a process for each thread. {ODDS_HELP}\n\
    Example: hippolyta arena runs/quick/models/g000012.safetensors hard --size 6 --games 400 --visits 64\n\
    Example: hippolyta arena classical 'uci:./fairy-stockfish' --size 10 --games 40 --time-ms 200\n\
    Example: hippolyta arena insane@100ms classical@1s --size 10 --games 40")
)]
pub(crate) struct Arguments {
    /// The player whose score is counted.
    a: Entrant,
    /// Its opponent.
    b: Entrant,
    /// Games to play, an even number.
    #[arg(long, value_name = "G", value_parser = parse_games)]
    games: u64,
    #[command(flatten)]
    terms: MatchArguments,
    /// End the match as soon as this test decides: is A at least E0, or at least E1 Elo stronger?
    #[arg(long, value_name = "E0,E1", value_parser = parse_sprt, allow_hyphen_values = true)]
    sprt: Option<Sprt>,
    /// Write all games to this file, with what the players expected as comments.
    #[arg(long, value_name = "FILE", value_parser = parse_file)]
    sgf: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let parse = || {
        let (elo0, elo1) = text.split_once(',')?;
        Some((elo0.trim().parse().ok()?, elo1.trim().parse().ok()?))
    };
    let (elo0, elo1) = parse().ok_or_else(|| "expected two numbers, as in 0,35".to_owned())?;
    let config = SprtConfig { model: EloModel::Logistic, elo0, elo1, alpha: ERROR_RATE, beta: ERROR_RATE };
    Sprt::new(config).map_err(|error| error.to_string())
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let terms = &arguments.terms;
    let players = [arguments.a.resolve(terms.ceiling())?, arguments.b.resolve(terms.ceiling())?];
    let names = [arguments.a.to_string(), arguments.b.to_string()];
    let makers = players.each_ref().map(|player| move || player.seat_boxed());
    let pairs = usize::try_from(arguments.games / 2)?;
    let task = Progress::new().task("arena", "games", arguments.games);
    let openings = Openings::new(terms.size, terms.openings_plies, terms.seed)?
        .take_watched(pairs, &mut |drawn| task.wait_for_openings(drawn, pairs))?;
    let setup = Match {
        a: Contestant { name: &names[0], make: &makers[0] },
        b: Contestant { name: &names[1], make: &makers[1] },
        openings: &openings,
        skip: 0,
        rules: terms.rules(),
        sprt: arguments.sprt,
        seed: terms.seed,
        threads: terms.threads()?,
    };
    interrupt::watch()?;
    let mut listen = |score: &MatchScore| {
        task.set(score.counts.games(), || {
            let [low, high] = score.counts.elo_interval();
            format!("score {:.3}, Elo {low:.0} to {high:.0}", score.counts.score())
        });
    };
    let result = play_match(&setup, &interrupt::asked, &mut listen)?;
    drop(task);
    let report = MatchReport::new(&names[0], &names[1], terms.size.files(), &result.score);
    if arguments.json {
        output::json(&report)?;
    } else {
        output::text(&words(&report))?;
    }
    if let Some(path) = &arguments.sgf {
        write_games(path, &result.games, &names)
            .with_context(|| format!("{} cannot be written", path.display()))?;
    }
    if result.interrupted {
        let played = output::grouped(report.games);
        return Err(
            Interrupted(format!("interrupted: the result above is of the {played} games so far")).into()
        );
    }
    Ok(())
}

/// Writes the games of a match between A and B as one SGF collection.
fn write_games(path: &Path, games: &[PlayedGame], names: &[String; 2]) -> anyhow::Result<()> {
    let mut collection = String::new();
    for game in games {
        collection.push_str(&transcript(game, names)?.write(Dialect::Sgf)?);
    }
    Ok(hippolyta_files::write_atomic::<io::Error>(path, |out| out.write_all(collection.as_bytes()))?)
}

/// A game with all that is known of it: what each player expected stands with its move.
fn transcript(game: &PlayedGame, [a, b]: &[String; 2]) -> anyhow::Result<Transcript> {
    let mut transcript = Transcript::new(game.start, &game.moves)?;
    transcript.players = if game.a == Side::White { [a, b] } else { [b, a] }.map(Clone::clone);
    transcript.winner = Some(game.winner);
    let plies = game.opening_plies;
    transcript.comment = format!(
        "Opening {} of the match: the first {plies} plies are drawn by lot. Values are for the side that moves, \
         from -1 to 1.",
        game.pair + 1
    );
    if let Some(forfeit) = &game.forfeit {
        let loser = if forfeit.contestant == 0 { a } else { b };
        write!(transcript.comment, " {loser} forfeits: {}.", forfeit.reason).expect("a string takes all");
    }
    for (ply, value) in transcript.line[plies..].iter_mut().zip(&game.values) {
        ply.comment = value.map_or_else(String::new, |value| format!("value {value:+.3}"));
    }
    Ok(transcript)
}

/// The report for people.
fn words(report: &MatchReport) -> String {
    let [low, high] = report.elo_interval;
    let [lost, split, won]: [u64; 3] = report.pairs.into();
    let mut lines = vec![
        format!(
            "{} against {} on {size}x{size}: {} of {} games, score {:.3}",
            report.a,
            report.b,
            report.wins_a,
            report.games,
            report.score_a,
            size = report.size
        ),
        format!("Elo {:+.0} (95 % interval {low:+.0} to {high:+.0})", report.elo),
        format!("pairs lost {lost}, split {split}, won {won}"),
    ];
    if let Some(sprt) = &report.sprt {
        let verdict = match sprt.verdict {
            SprtVerdict::Passed => "A is stronger",
            SprtVerdict::Failed => "A is not stronger",
            SprtVerdict::Open => "undecided",
        };
        lines.push(format!("test: {verdict}, llr {:.2} in [{:.2}, {:.2}]", sprt.llr, sprt.lower, sprt.upper));
    }
    if report.forfeits_a + report.forfeits_b > 0 {
        lines.push(format!("forfeits: {} by A, {} by B", report.forfeits_a, report.forfeits_b));
    }
    lines.join("\n")
}

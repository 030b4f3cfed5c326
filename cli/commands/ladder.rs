//! `ladder`: ratings of any number of players.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::bail;
use clap::Args;
use hippolyta_eval::{Contestant, Ladder, LadderConditions, LadderError, LadderReport};

use crate::failure::wrong_input;
use crate::interrupt::{self, Interrupted};
use crate::lock;
use crate::match_arguments::MatchArguments;
use crate::odds::{Entrant, ODDS_HELP};
use crate::output;
use crate::progress::Progress;
use crate::values::{parse_file, parse_games};

/// Games for each player where nobody says how many.
const GAMES_A_PLAYER: u64 = 100;
/// The player that is rated 0 where it plays and nobody says who is.
const USUAL_ANCHOR: &str = "hard";

/// Rate any number of players by games between those of them that tell most.
#[derive(Debug, Args)]
#[command(after_help = format!("A PLAYER is random, easy, medium, hard, insane (the network that comes with the program), \
    classical, a model file, or uci:COMMAND: a UCI engine that plays Amazons, in a process for each thread. {ODDS_HELP}\n\
    The same command goes on with the results in FILE, with more games or other players if you like; one that was \
    killed loses the games in play alone. FILE.lock is held by the command at work.\n\
    Example: hippolyta ladder --size 6 easy medium hard classical --games 400 --visits 2000 --results results.json"))]
pub(crate) struct Arguments {
    /// The players, at least two.
    #[arg(value_name = "PLAYER", required = true, num_args = 2..)]
    players: Vec<Entrant>,
    /// Games in all, those in FILE included, an even number (100 for each player unless given).
    #[arg(long, value_name = "G", value_parser = parse_games)]
    games: Option<u64>,
    #[command(flatten)]
    terms: MatchArguments,
    /// The player that is rated 0 (hard, or where it does not play the first).
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Keep all results in this file, and go on with those that are there.
    #[arg(long, value_name = "FILE", value_parser = parse_file)]
    results: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> anyhow::Result<()> {
    let _lock = arguments.results.as_deref().map(lock_of).transpose()?;
    let mut ladder = open(arguments)?;
    let mut names: Vec<String> = Vec::new();
    let mut players = Vec::new();
    for player in &arguments.players {
        names.push(name_of(player, names.iter().chain(ladder.players())));
        players.push(player.resolve(arguments.terms.ceiling())?);
    }
    let anchor = &anchor(arguments, &names, &ladder)?;
    let makers: Vec<_> = players.iter().map(|player| move || player.seat_boxed()).collect();
    let contestants: Vec<Contestant<'_>> =
        names.iter().zip(&makers).map(|(name, make)| Contestant { name, make }).collect();
    let games = arguments.games.unwrap_or(GAMES_A_PLAYER * names.len() as u64);
    interrupt::watch()?;
    let task = Progress::new().task("ladder", "games", games);
    let mut draw = |drawn, all| task.wait_for_openings(drawn, all);
    let mut save = |ladder: &Ladder| {
        task.set(2 * ladder.pairs(), || known_to(ladder, anchor));
        arguments.results.as_ref().map_or(Ok(()), |path| ladder.write(path))
    };
    // Shows what was played before, and finds out whether the file can be written.
    save(&ladder)?;
    ladder
        .play(&contestants, games / 2, arguments.terms.threads()?, &interrupt::asked, &mut draw, &mut save)
        .map_err(input_or_failure)?;
    drop(task);
    let report = ladder.report(anchor)?;
    if arguments.json {
        output::json(&report)?;
    } else {
        output::text(&words(&report))?;
    }
    if report.games < games {
        let played = output::grouped(report.games);
        let saved = if arguments.results.is_some() { ": the same command goes on" } else { "" };
        bail!(Interrupted(format!("interrupted: the ratings above are by the {played} games so far{saved}")));
    }
    Ok(())
}

/// Takes a file of results for this process alone. What is locked is another file beside it, as the results
/// themselves are replaced again and again.
fn lock_of(results: &Path) -> anyhow::Result<File> {
    let mut name = results.as_os_str().to_owned();
    name.push(".lock");
    lock::take(Path::new(&name), results)
}

/// The name of a player: of a model file, the one that is `known` for the same file, however it is spelled.
fn name_of<'a>(player: &Entrant, mut known: impl Iterator<Item = &'a String>) -> String {
    let is_it = |name: &&String| name.parse().is_ok_and(|known: Entrant| player.is_same(&known));
    known.find(is_it).cloned().unwrap_or_else(|| player.to_string())
}

/// The ladder to go on with, or a new one.
fn open(arguments: &Arguments) -> anyhow::Result<Ladder> {
    let terms = &arguments.terms;
    let conditions = LadderConditions {
        size: terms.size.files(),
        opening_plies: terms.openings_plies,
        visits: terms.visits,
        time_ms: terms.time_ms,
        seed: terms.seed,
    };
    match &arguments.results {
        Some(path) if path.exists() => Ladder::read(path, conditions),
        _ => Ladder::new(conditions),
    }
    .map_err(input_or_failure)
}

/// Who is rated 0: one of the players, or one that the ladder knows from before.
fn anchor(arguments: &Arguments, names: &[String], ladder: &Ladder) -> anyhow::Result<String> {
    let Some(anchor) = &arguments.anchor else {
        let usual = names.iter().find(|name| *name == USUAL_ANCHOR);
        return Ok(usual.unwrap_or(&names[0]).clone());
    };
    let known = || names.iter().chain(ladder.players());
    // What names no player now may have been one.
    let anchor = match anchor.parse::<Entrant>() {
        Ok(player) => name_of(&player, known()),
        Err(_) => anchor.clone(),
    };
    if known().any(|name| *name == anchor) {
        Ok(anchor)
    } else {
        Err(input_or_failure(LadderError::Anchor(anchor)))
    }
}

/// Whether it was the person who was wrong.
fn input_or_failure(error: LadderError) -> anyhow::Error {
    match error {
        LadderError::Anchor(_)
        | LadderError::Conditions { .. }
        | LadderError::Players(_)
        | LadderError::Twice(_) => wrong_input(error.to_string()),
        failure => failure.into(),
    }
}

/// How well the ratings are known, for the line of progress.
fn known_to(ladder: &Ladder, anchor: &str) -> String {
    let Ok(report) = ladder.report(anchor) else { return String::new() };
    let widths = report.players.iter().map(|row| row.elo_interval[1] - row.elo);
    format!("ratings known to ±{:.0} Elo or better", widths.fold(0.0, f64::max))
}

/// The table for people.
fn words(report: &LadderReport) -> String {
    let width =
        report.players.iter().map(|row| row.name.chars().count()).max().unwrap_or(0).max("player".len());
    let mut lines = vec![format!(
        "{:<width$}  {:>7}  {:^16}  {:>6}  {:>5}",
        "player", "rating", "95 % interval", "games", "score"
    )];
    for row in &report.players {
        let [low, high] = row.elo_interval;
        let interval =
            if row.name == report.anchor { String::new() } else { format!("{low:+.0} to {high:+.0}") };
        let forfeits = if row.forfeits > 0 { format!("  {} forfeited", row.forfeits) } else { String::new() };
        lines.push(format!(
            "{:<width$}  {:>+7.0}  {interval:^16}  {:>6}  {:>5.3}{forfeits}",
            row.name, row.elo, row.games, row.score
        ));
    }
    let size = report.conditions.size;
    lines.push(format!(
        "{} games on {size}x{size}; {} is 0 Elo",
        output::grouped(report.games),
        report.anchor
    ));
    lines.join("\n")
}

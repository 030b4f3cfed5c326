//! The values that command lines give: boards, numbers, files, positions.

use std::fmt::Display;
use std::io;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Mutex;
use std::thread;

use anyhow::{Context as _, anyhow};
use hippolyta_eval::MOST_GAMES;
use hippolyta_game::{Board, Position};

/// Threads of a command beside those that were asked for.
const SPARE_THREADS: usize = 4;
/// What is wrong where a thread does not start.
pub(crate) const NO_THREAD: &str = "the system does not let this process start a thread: raise the limit on processes ('ulimit -u') or on memory \
     ('ulimit -v')";
/// The most milliseconds that a wait can be given: a day.
pub(crate) const MOST_MILLIS: u64 = 24 * 60 * 60 * 1000;

/// A board that people play on, by the length of its side.
pub(crate) fn parse_size(text: &str) -> Result<Board, String> {
    text.parse().ok().and_then(Board::played).ok_or_else(|| "boards are 6, 8 or 10 squares a side".to_owned())
}

/// A parser of whole numbers in a range.
pub(crate) fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: FromStr + Display + PartialOrd + Clone,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        number.ok_or_else(|| format!("expected a whole number from {} to {}", range.start(), range.end()))
    }
}

/// A number of games that pairs add up to.
pub(crate) fn parse_games(text: &str) -> Result<u64, String> {
    let fits = |games: &u64| (2..=MOST_GAMES).contains(games) && games.is_multiple_of(2);
    let games = text.parse().ok().filter(fits);
    games.ok_or_else(|| format!("games come in pairs: an even number from 2 to {MOST_GAMES}"))
}

/// A file that can be written after long work.
pub(crate) fn parse_file(text: &str) -> Result<PathBuf, String> {
    let path = PathBuf::from(text);
    let folder = path.parent().is_some_and(|folder| folder.as_os_str().is_empty() || folder.is_dir());
    if folder && !path.is_dir() && !text.ends_with('/') {
        Ok(path)
    } else {
        Err("expected a file in a folder that exists".to_owned())
    }
}

/// The number of threads that was asked for, or of cores.
///
/// # Errors
/// When the number of cores is unknown, or the system does not let this process start so many threads.
pub(crate) fn threads(asked: Option<usize>) -> anyhow::Result<usize> {
    let threads = match asked {
        Some(threads) => threads,
        None => {
            thread::available_parallelism().context("the number of cores is unknown: give --threads")?.get()
        }
    };
    check_threads(threads)?;
    Ok(threads)
}

/// Starts as many threads as a command is about to, and a few more for its signals and programs, and ends them again.
/// What needs threads may then take it for granted that there are some.
///
/// # Errors
/// When the system refuses one of them.
pub(crate) fn check_threads(threads: usize) -> anyhow::Result<()> {
    let gate = Mutex::new(());
    let started = thread::scope(|scope| {
        let closed = gate.lock();
        let mut waiting = Vec::new();
        let started = (0..threads + SPARE_THREADS).try_for_each(|_| {
            let wait = || drop(gate.lock());
            waiting.push(thread::Builder::new().spawn_scoped(scope, wait)?);
            Ok(())
        });
        drop(closed);
        for thread in waiting {
            thread.join().expect("a thread that only waits does not panic");
        }
        started
    });
    started.map_err(|error: io::Error| {
        anyhow!(
            "the system does not let this process start {threads} threads ({error}): ask for fewer, or raise the \
             limit on processes ('ulimit -u') or on memory ('ulimit -v')"
        )
    })
}

/// A position by its FEN, which in a file may stand behind a byte order mark.
pub(crate) fn parse_fen(text: &str) -> Result<Position, String> {
    text.trim_start_matches('\u{feff}').parse().map_err(|error: hippolyta_game::FenError| error.to_string())
}

/// The start position of a board out of [`parse_size`].
pub(crate) fn start(board: Board) -> Position {
    Position::start(board).expect("only boards with a start position are accepted")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn threads_are_tried_before_they_are_needed() {
        check_threads(3).unwrap();
        assert_eq!(threads(Some(2)).unwrap(), 2);
    }
}

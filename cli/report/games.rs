//! Games of self-play to look at: a few of some generations, from the first to the newest.

use std::path::Path;

use anyhow::Context as _;
use hippolyta_selfplay::{GameRecord, read_records, record_files};
use serde::Serialize;

/// So many generations, spread evenly over the run,
const GENERATIONS: usize = 8;
/// and so many games of each board in each of them.
const GAMES_OF_A_BOARD: usize = 3;

/// Games to replay.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Samples {
    /// In the order in which they were played.
    games: Vec<SampleGame>,
    /// Games in the files looked at that cannot be read.
    damaged: usize,
}

#[derive(Debug, Serialize)]
struct SampleGame {
    generation: u32,
    /// Its index in the generation.
    game: u32,
    /// The position before the first move, as FEN.
    start: String,
    /// In our notation, as in `a4-b5/b1`.
    moves: Vec<String>,
    /// The search's value for White before each move, in [-1, 1]; `None` where the move was drawn without a search.
    white_values: Vec<Option<f32>>,
    /// `white` or `black`.
    winner: String,
    /// Moves that the loser would have needed more.
    margin: i16,
    /// Whether the game ended before a side had no move, by a verdict on the territory.
    by_verdict: bool,
}

/// Chooses games from the record files of a folder.
///
/// # Errors
/// When the folder or a chosen file cannot be read.
pub(crate) fn samples(folder: &Path) -> anyhow::Result<Samples> {
    let unread = || format!("{} cannot be read", folder.display());
    // The first file of each generation stands for it.
    let mut files = record_files(folder).with_context(unread)?;
    files.dedup_by_key(|(name, _)| name.generation);
    let mut samples = Samples::default();
    for index in spread(files.len(), GENERATIONS) {
        let path = &files[index].1;
        let file = read_records(path).with_context(|| format!("{} cannot be read", path.display()))?;
        samples.damaged += file.bad.len();
        let mut boards = Vec::new();
        for record in file.records {
            let board = record.start.board();
            if boards.iter().filter(|taken| **taken == board).count() < GAMES_OF_A_BOARD {
                boards.push(board);
                samples.games.push(SampleGame::of(&record));
            }
        }
    }
    Ok(samples)
}

/// At most `most` of the indices below `count`, evenly spread, the first and the last among them.
fn spread(count: usize, most: usize) -> Vec<usize> {
    if count <= most {
        return (0..count).collect();
    }
    (0..most).map(|k| k * (count - 1) / (most - 1)).collect()
}

impl SampleGame {
    fn of(record: &GameRecord) -> SampleGame {
        let mut white_values = vec![None; record.moves.len()];
        for (position, search) in record.searched_positions() {
            white_values[usize::from(search.ply)] = Some(position.side().signed(search.value));
        }
        let last = record.positions().last().expect("a game has a position");
        let outcome = &record.outcome;
        SampleGame {
            generation: record.generation,
            game: record.game,
            start: record.start.to_string(),
            moves: record.moves.iter().map(ToString::to_string).collect(),
            white_values,
            winner: outcome.winner.to_string(),
            margin: outcome.margin(outcome.winner),
            by_verdict: last.has_move(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_are_spread_from_first_to_last() {
        assert!(spread(0, 8).is_empty());
        assert_eq!(spread(3, 8), [0, 1, 2]);
        assert_eq!(spread(24, 8), [0, 3, 6, 9, 13, 16, 19, 23]);
    }
}

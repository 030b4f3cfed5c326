//! Games of self-play to look at: a few of some generations, from the first to the newest.

use hippolyta_run::manifest::Manifest;
use hippolyta_run::{History, RunStore, keys};
use hippolyta_selfplay::{GameRecord, parse_records};
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

/// Chooses games from a run's record files.
///
/// # Errors
/// When the store cannot be read.
pub(crate) fn samples(store: &dyn RunStore, history: &History) -> anyhow::Result<Samples> {
    // The first file of each generation stands for it; that of the generation that is played now is not in a manifest.
    let first = |manifest: &Manifest| manifest.records.first().map(|record| record.file.key.clone());
    let mut files: Vec<String> = history.manifests().iter().filter_map(first).collect();
    let playing = format!("{}{}/", keys::GAMES, keys::name_of(history.generations() + 1));
    files.extend(store.list(&playing)?.into_iter().next().map(|entry| entry.key));
    let mut samples = Samples::default();
    for index in spread(files.len(), GENERATIONS) {
        let Some(bytes) = store.get(&files[index])? else { continue };
        let file = parse_records(&bytes, &store.path(&files[index]));
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

//! The transposition table: positions that the search has met, with their best moves and what earlier iterations found.

use std::collections::{HashMap, TryReserveError};

use hippolyta_game::{Move, Position};

/// The most candidates of a position.
pub(crate) const KEPT: usize = 24;
/// What a position takes in a map at most: its key, its entry and the map's own byte.
const BYTES_A_POSITION: usize = size_of::<(u64, Entry)>() + 1;
/// The least positions that a map has place for.
const LEAST_BUCKETS: usize = 64;

/// A move and its value for the side that makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Candidate {
    pub(crate) value: i32,
    pub(crate) m: Move,
}

/// What a value of an earlier search says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    AtLeast,
    Exactly,
    AtMost,
}

/// What an earlier search found.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    pub(crate) depth: u32,
    pub(crate) bound: Bound,
    pub(crate) value: i32,
    pub(crate) best: Move,
}

/// What is known of a position. A search holds a copy: the table may forget the position while it is below it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    candidates: [Candidate; KEPT],
    count: u8,
    /// Whether the position has moves that are no candidates.
    pub(crate) narrowed: bool,
    pub(crate) found: Option<Found>,
}

impl Entry {
    /// A position with 1 to [`KEPT`] candidates, the best first; `narrowed` when it has other moves too.
    pub(crate) fn new(best: &[Candidate], narrowed: bool) -> Entry {
        let mut candidates = [best[0]; KEPT];
        candidates[..best.len()].copy_from_slice(best);
        Entry { candidates, count: best.len() as u8, narrowed, found: None }
    }

    pub(crate) fn candidates(&self) -> &[Candidate] {
        &self.candidates[..usize::from(self.count)]
    }

    /// The move that is best by all that is known.
    fn best(&self) -> Move {
        self.found.map_or(self.candidates[0].m, |found| found.best)
    }
}

/// The table of positions, of a fixed size. Once half of it is full, the other half is forgotten and filled anew;
/// positions that the search comes upon in the full half move over. So those that were used last stay.
#[derive(Clone, Debug)]
pub(crate) struct TranspositionTable {
    young: HashMap<u64, Entry>,
    old: HashMap<u64, Entry>,
    /// Positions that each half holds.
    room: usize,
}

impl TranspositionTable {
    /// An empty table that takes at most about so many bytes.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub(crate) fn new(bytes: usize) -> Result<TranspositionTable, TryReserveError> {
        // A map has a power of two of buckets, of which it fills seven in eight.
        let buckets = 1 << (bytes / 2 / BYTES_A_POSITION).max(LEAST_BUCKETS).ilog2();
        let room = buckets / 8 * 7;
        let (mut young, mut old) = (HashMap::new(), HashMap::new());
        young.try_reserve(room)?;
        old.try_reserve(room)?;
        Ok(TranspositionTable { young, old, room })
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.young.clear();
        self.old.clear();
    }

    pub(crate) fn find(&mut self, position: &Position) -> Option<Entry> {
        if let Some(entry) = self.young.get(&position.hash()) {
            return Some(*entry);
        }
        let entry = *self.old.get(&position.hash())?;
        self.put(position, entry);
        Some(entry)
    }

    /// Remembers a position, or what is new of it.
    pub(crate) fn put(&mut self, position: &Position, entry: Entry) {
        if self.young.len() >= self.room && !self.young.contains_key(&position.hash()) {
            std::mem::swap(&mut self.young, &mut self.old);
            self.young.clear();
        }
        self.young.insert(position.hash(), entry);
    }

    /// The line that begins with `first`, as far as the table knows it.
    pub(crate) fn principal_variation(&self, position: &Position, first: Move) -> Vec<Move> {
        let mut line = vec![first];
        let mut position = position.play_unchecked(first);
        while let Some(entry) = self.young.get(&position.hash()).or_else(|| self.old.get(&position.hash())) {
            let best = entry.best();
            if !position.is_legal(best) {
                break;
            }
            line.push(best);
            position = position.play_unchecked(best);
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use hippolyta_game::Board;

    use super::*;
    use crate::testing::wander;

    fn entry(position: &Position, value: i32) -> Entry {
        let mut moves = Vec::new();
        position.moves(&mut moves);
        Entry::new(&[Candidate { value, m: moves[0] }], true)
    }

    #[test]
    fn what_was_used_last_stays() {
        let mut table = TranspositionTable::new(0).expect("there is memory");
        let positions: Vec<Position> =
            (0..3 * table.room as u64).map(|seed| wander(Board::TEN, seed, 5)).collect();
        let value = |found: Option<Entry>| found.map(|entry| entry.candidates()[0].value);
        for (number, position) in positions.iter().enumerate() {
            table.put(position, entry(position, number as i32));
            assert_eq!(value(table.find(&positions[0])), Some(0), "it was asked for every time");
            assert_eq!(value(table.find(position)), Some(number as i32));
            assert!(table.young.len() <= table.room && table.old.len() <= table.room);
        }
        assert_eq!(value(table.find(&positions[1])), None, "it was not");
    }

    #[test]
    fn the_size_is_kept() {
        for bytes in [1 << 16, 1 << 20, 5_000_000] {
            let table = TranspositionTable::new(bytes).expect("there is memory");
            // No half ever holds more than fits without another allocation.
            assert!([&table.young, &table.old].iter().all(|half| half.capacity() == table.room));
            assert!(2 * (table.room / 7 * 8) * BYTES_A_POSITION <= bytes);
        }
    }
}

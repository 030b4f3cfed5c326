//! A transposition table of bounded memory.

use super::SolveError;

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: u64,
    /// Nodes below this state when it was stored; 0 for a free entry.
    work: u32,
    wins: bool,
}

const WAYS: usize = 4;

/// Entries in one cache line.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
struct Set([Entry; WAYS]);

const FREE: Set = Set([Entry { key: 0, work: 0, wins: false }; WAYS]);

/// States and whether the side to move wins them.
#[derive(Clone, Debug)]
pub(super) struct ProofTable {
    sets: Vec<Set>,
    /// Entries in use.
    used: usize,
}

impl ProofTable {
    /// A table of at most `bytes` bytes, but of one set at least.
    pub(super) fn new(bytes: usize) -> Result<ProofTable, SolveError> {
        let len = 1 << (bytes / size_of::<Set>()).max(1).ilog2();
        let mut sets = Vec::new();
        sets.try_reserve_exact(len).map_err(|_| SolveError { table_bytes: bytes })?;
        sets.resize(len, FREE);
        Ok(ProofTable { sets, used: 0 })
    }

    pub(super) fn clear(&mut self) {
        self.sets.fill(FREE);
        self.used = 0;
    }

    /// The share of the entries that are in use.
    pub(super) fn filled(&self) -> f64 {
        self.used as f64 / (self.sets.len() * WAYS) as f64
    }

    fn set(&self, hash: u128) -> usize {
        hash as usize & (self.sets.len() - 1)
    }

    pub(super) fn get(&self, hash: u128) -> Option<bool> {
        let key = (hash >> 64) as u64;
        let entry = self.sets[self.set(hash)].0.iter().find(|entry| entry.key == key && entry.work > 0)?;
        Some(entry.wins)
    }

    /// Stores what is known of a state in place of the entry of its set that cost the least work.
    pub(super) fn put(&mut self, hash: u128, wins: bool, work: u64) {
        let set = self.set(hash);
        let entry = self.sets[set].0.iter_mut().min_by_key(|entry| entry.work).expect("a set has ways");
        self.used += usize::from(entry.work == 0);
        let work = work.clamp(1, u64::from(u32::MAX)) as u32;
        *entry = Entry { key: (hash >> 64) as u64, work, wins };
    }
}

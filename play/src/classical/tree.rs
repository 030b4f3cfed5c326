//! Positions that the search has met: their best moves and what earlier iterations found.

use std::collections::HashMap;

use hippolyta_game::{Move, Position};

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

#[derive(Clone, Copy, Debug)]
struct Node {
    start: u32,
    count: u32,
    narrowed: bool,
    found: Option<Found>,
}

/// A place in a [`Tree`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place(usize);

/// The table of positions. It holds what its capacity allows and starts anew when that is passed between two moves.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    places: HashMap<u64, Place>,
    nodes: Vec<Node>,
    candidates: Vec<Candidate>,
}

/// Candidates after which [`Tree::tidy`] forgets all: some 12 MiB.
const CAPACITY: usize = 1 << 20;

impl Tree {
    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.places.clear();
        self.nodes.clear();
        self.candidates.clear();
    }

    /// Forgets everything when there is too much.
    pub(crate) fn tidy(&mut self) {
        if self.candidates.len() > CAPACITY {
            self.clear();
        }
    }

    pub(crate) fn is_full(&self) -> bool {
        self.candidates.len() > 4 * CAPACITY
    }

    pub(crate) fn find(&self, position: &Position) -> Option<Place> {
        self.places.get(&position.hash()).copied()
    }

    /// Adds a position with at least one candidate; `narrowed` when it has other moves too.
    pub(crate) fn add(&mut self, position: &Position, candidates: &[Candidate], narrowed: bool) -> Place {
        let place = Place(self.nodes.len());
        let (start, count) = (self.candidates.len() as u32, candidates.len() as u32);
        self.nodes.push(Node { start, count, narrowed, found: None });
        self.candidates.extend_from_slice(candidates);
        self.places.insert(position.hash(), place);
        place
    }

    pub(crate) fn candidates(&self, place: Place) -> &[Candidate] {
        let Node { start, count, .. } = self.nodes[place.0];
        &self.candidates[start as usize..][..count as usize]
    }

    /// Whether the position has moves that are no candidates.
    pub(crate) fn is_narrowed(&self, place: Place) -> bool {
        self.nodes[place.0].narrowed
    }

    pub(crate) fn found(&self, place: Place) -> Option<Found> {
        self.nodes[place.0].found
    }

    pub(crate) fn record(&mut self, place: Place, found: Found) {
        self.nodes[place.0].found = Some(found);
    }
}

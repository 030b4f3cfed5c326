//! One move tried: the searches that its value takes.

use hippolyta_game::Position;

/// A position to be searched for its side to move, at most `depth` plies and one evaluation deep. Values from `alpha`
/// to `beta` are wanted exactly.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Call {
    pub(crate) position: Position,
    pub(crate) depth: u32,
    pub(crate) alpha: i32,
    pub(crate) beta: i32,
}

/// The trial of a move: the first of a position is searched with the whole window at once. A later one is first tried
/// with no width of window, and less deep the later it comes; only one that seems better is searched again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Trial {
    /// The position after the move.
    next: Position,
    /// The depth of the search above.
    depth: u32,
    alpha: i32,
    beta: i32,
    reduced: u32,
    pass: Pass,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Less deep, no width.
    Reduced,
    /// The whole depth, no width.
    Narrow,
    /// The whole depth and window.
    Whole,
}

impl Trial {
    /// A trial of the `late`-th move (0 for the first) of a position that is searched to `depth`, which is at least 2.
    pub(crate) fn new(next: Position, depth: u32, (alpha, beta): (i32, i32), late: usize) -> Trial {
        let less = match late {
            0..=2 => 0,
            3..=7 => 1,
            _ => 2,
        };
        let reduced = (depth - 1).saturating_sub(less).max(1);
        let pass = if late == 0 { Pass::Whole } else { Pass::Reduced };
        Trial { next, depth, alpha, beta, reduced, pass }
    }

    /// Whether the opponent has no answer, so that nothing need be searched.
    pub(crate) fn is_won(&self) -> bool {
        !self.next.has_move()
    }

    /// The search to make now.
    pub(crate) fn call(&self) -> Call {
        let (depth, high) = match self.pass {
            Pass::Reduced => (self.reduced, self.alpha + 1),
            Pass::Narrow => (self.depth - 1, self.alpha + 1),
            Pass::Whole => (self.depth - 1, self.beta),
        };
        Call { position: self.next, depth, alpha: -high, beta: -self.alpha }
    }

    /// Takes what the search found, for the side that moved, and gives the value of the move; `None` when it has to be
    /// searched again.
    pub(crate) fn take(&mut self, value: i32) -> Option<i32> {
        let is_better = value > self.alpha;
        self.pass = match self.pass {
            Pass::Reduced if is_better && self.reduced < self.depth - 1 => Pass::Narrow,
            Pass::Reduced | Pass::Narrow if is_better && value < self.beta => Pass::Whole,
            _ => return Some(value),
        };
        None
    }
}

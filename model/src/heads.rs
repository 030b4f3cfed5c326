//! The network's heads, each described once.
//!
//! [`Head::spec`] says what a head is called, what it reads, what its numbers mean and whether it is shipped. The
//! network's tensors, inference and its oracle, libtorch, ONNX, losses and metrics walk over [`Head::ALL`] and read the
//! description. A head that is not shipped exists in training alone: no model file, inference or export knows it.
//!
//! To add a head, add a variant and its description here, its target in `train/src/batch.rs`, and the weight of its
//! loss in the configuration.

use crate::spec::{MARGIN_BINS, NetSpec, TensorSpec};

/// A head of the network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Head {
    /// Scores of moves.
    Policy,
    /// The expected result.
    Value,
    /// The distribution of the final margin.
    Margin,
    /// The final owner of each square.
    Owner,
}

/// What there is to know about a head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeadSpec {
    /// Its name in losses, metrics, configurations and exports.
    pub name: &'static str,
    /// What the names of its tensors begin with.
    pub tensors: &'static str,
    /// What it reads.
    pub input: HeadInput,
    /// What its numbers are.
    pub output: HeadOutput,
    /// Whether models hold it and players compute it. A head that is not shipped helps training alone.
    pub shipped: bool,
    /// What its numbers mean, for readers of an export.
    pub doc: &'static str,
}

/// What a head's matrix is applied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadInput {
    /// The trunk, square by square.
    Squares,
    /// The hidden layer over the pooled board, once for each position.
    Board,
}

/// What a head's numbers are, and the loss that follows from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeadOutput {
    /// Six maps of [`NetSpec::policy_dim`] channels whose three products score moves. The loss is the cross-entropy
    /// over the legal moves.
    Moves,
    /// So many numbers in [-1, 1], by tanh. The loss reads `x` as the chance `(1 + x) / 2`: binary cross-entropy.
    Chances(usize),
    /// The logits of so many exclusive classes. The loss is their cross-entropy.
    Classes(usize),
}

impl Head {
    /// Number of heads.
    pub const COUNT: usize = Head::ALL.len();

    /// Every head in the order of its tensors: those that are shipped first, so that a head for training alone changes
    /// no model.
    pub const ALL: [Head; 4] = [Head::Policy, Head::Value, Head::Margin, Head::Owner];

    /// The head's description.
    pub const fn spec(self) -> HeadSpec {
        match self {
            Head::Policy => HeadSpec {
                name: "policy",
                tensors: "policy",
                input: HeadInput::Squares,
                output: HeadOutput::Moves,
                shipped: true,
                doc: "a part of a move's logit; squares are rank * files + file",
            },
            Head::Value => HeadSpec {
                name: "value",
                tensors: "value.out",
                input: HeadInput::Board,
                output: HeadOutput::Chances(1),
                shipped: true,
                doc: "expected result for the side to move, in [-1, 1]",
            },
            Head::Margin => HeadSpec {
                name: "margin",
                tensors: "margin",
                input: HeadInput::Board,
                output: HeadOutput::Classes(MARGIN_BINS),
                shipped: true,
                doc: "logits of the final margin in moves, -32 to 32, the side to move's",
            },
            Head::Owner => HeadSpec {
                name: "owner",
                tensors: "owner",
                input: HeadInput::Squares,
                output: HeadOutput::Chances(1),
                shipped: true,
                doc: "final owner of each square, in [-1, 1], 1 being the side to move",
            },
        }
    }

    /// The heads that models hold.
    pub fn shipped() -> impl Iterator<Item = Head> {
        Head::ALL.into_iter().filter(|head| head.spec().shipped)
    }

    /// The heads that exist in training alone.
    pub fn training_only() -> impl Iterator<Item = Head> {
        Head::ALL.into_iter().filter(|head| !head.spec().shipped)
    }

    /// The head of this name.
    pub fn named(name: &str) -> Option<Head> {
        Head::ALL.into_iter().find(|head| head.name() == name)
    }

    /// [`HeadSpec::name`].
    pub const fn name(self) -> &'static str {
        self.spec().name
    }

    /// Numbers that the head gives for a square, or for a position.
    pub fn width(self, net: &NetSpec) -> usize {
        match self.spec().output {
            HeadOutput::Moves => 6 * net.policy_dim,
            HeadOutput::Chances(width) | HeadOutput::Classes(width) => width,
        }
    }

    /// Its matrix, `[width, inputs]`, and its bias.
    pub(crate) fn tensors(self, net: &NetSpec) -> [TensorSpec; 2] {
        let (HeadSpec { tensors, input, .. }, width) = (self.spec(), self.width(net));
        let inputs = match input {
            HeadInput::Squares => net.channels,
            HeadInput::Board => net.value_hidden,
        };
        [
            TensorSpec::new(format!("{tensors}.weight"), &[width, inputs]),
            TensorSpec::new(format!("{tensors}.bias"), &[width]),
        ]
    }
}

/// Which heads to compute besides policy and value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Heads([bool; Head::COUNT]);

impl Heads {
    /// All of them.
    pub const ALL: Heads = Heads([true; Head::COUNT]);

    /// These.
    pub fn of(heads: &[Head]) -> Heads {
        let mut wanted = Heads::default();
        for head in heads {
            wanted.0[*head as usize] = true;
        }
        wanted
    }

    /// Whether a head is among them.
    pub fn contain(self, head: Head) -> bool {
        self.0[head as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_are_listed_once_and_shipped_ones_first() {
        for (index, head) in Head::ALL.into_iter().enumerate() {
            assert_eq!(head as usize, index, "{head:?}");
            assert_eq!(Head::named(head.name()), Some(head));
        }
        let shipped = Head::ALL.map(|head| head.spec().shipped);
        assert!(shipped.is_sorted_by(|before, after| before >= after), "{shipped:?}");
        assert_eq!(Head::shipped().chain(Head::training_only()).count(), Head::COUNT);
        assert_eq!(Head::named("polcy"), None);
    }

    #[test]
    fn heads_are_computed_as_asked() {
        let wanted = Heads::of(&[Head::Owner]);
        assert_eq!(Head::ALL.map(|head| wanted.contain(head)), Head::ALL.map(|head| head == Head::Owner));
        assert_eq!(Heads::of(&Head::ALL), Heads::ALL);
    }
}

//! One training run: its configuration, its files, its stages and the loop that chains them.
//!
//! - [`config`] reads a run's configuration: `configs/base.toml` holds every key, the other files name it and what
//!   differs.
//! - [`RunStore`] is the one way to a run's files, by [`keys`]; [`LocalStore`] is a directory.
//! - [`manifest`] is what a generation made; [`History`] is all that a run made. What is read is checked against them.
//! - A [`Run`] is worked on: [`train`] is the loop, [`Run::one_stage`] does one stage, [`finish`] ends a run.
//! - `replay`, with the feature `torch`, learns again from a run's games.
//! - [`inspect`] looks for damage and says what the next `train` will do about it.
//!
//! Everything a run has to say goes to an [`Observer`]; an [`AtomicBool`](std::sync::atomic::AtomicBool) stops it at
//! the next safe point.

mod bounds;
pub mod config;
mod error;
pub mod evaluators;
mod finish;
mod gate;
mod history;
mod inspect;
pub mod keys;
mod learn;
pub mod manifest;
mod observer;
mod play;
mod rating;
#[cfg(feature = "torch")]
mod replay;
mod row;
pub mod sealed;
pub mod seats;
mod snapshot;
mod standings;
mod store;
mod tensorboard;
mod timing;
mod train;
mod work;

pub use bounds::Bounds;
pub use config::{ConfigFault, EvaluatorKind, RunConfig};
pub use error::{Damage, Fault, NEEDS_LIBTORCH, RunError, quoted};
pub use finish::finish;
pub use history::{EndReports, History};
pub use inspect::{Finding, inspect};
pub use observer::{Observer, Silent, Task};
pub use play::Played;
pub use rating::RatingReport;
#[cfg(feature = "torch")]
pub use replay::{ReplayRow, Unseen, replay};
pub use row::Row;
pub use snapshot::Snapshot;
pub use store::{Entry, LocalStore, Put, RunStore, StoreError};
pub use timing::{Clock, Timing, seconds_of_work};
pub use train::{Stage, StageDone, stage_due, train};
pub use work::{Run, Tools, board_names};

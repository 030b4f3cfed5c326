//! Whoever watches a run. What a run has to say goes through here; it prints nothing.

use crate::row::Row;

/// Watches a run. Any thread may call it.
pub trait Observer: Sync {
    /// A piece of work begins, of `total` units such as `games`.
    fn task(&self, name: &str, unit: &'static str, total: u64) -> Box<dyn Task + '_>;

    /// Something that people should know, in a sentence without its full stop.
    fn tell(&self, notice: &str);

    /// A generation is over, or the run's end gave its last one another row.
    fn finished(&self, row: &Row);
}

/// A piece of work that is watched until it is dropped.
pub trait Task: Sync {
    /// So many units are done; `note` says something about them, if it is to be shown.
    fn set(&self, done: u64, note: &dyn Fn() -> String);

    /// The work waits for openings: so many of so many are drawn.
    fn wait_for_openings(&self, drawn: usize, all: usize);
}

/// An observer that sees nothing, for tests and programs that show nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn task(&self, _: &str, _: &'static str, _: u64) -> Box<dyn Task + '_> {
        Box::new(Silent)
    }

    fn tell(&self, _: &str) {}

    fn finished(&self, _: &Row) {}
}

impl Task for Silent {
    fn set(&self, _: u64, _: &dyn Fn() -> String) {}

    fn wait_for_openings(&self, _: usize, _: usize) {}
}

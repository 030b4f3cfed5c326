//! Where a run's files lie, by key.
//!
//! A key is a relative path with `/` between its parts, such as `models/g000012.safetensors`; [`keys`](crate::keys) has
//! all of them. Files appear whole or not at all. What a run made is put once and never changed; only views, which can
//! be made anew, are replaced.

mod local;

use std::fmt;
use std::io;
use std::path::PathBuf;

use thiserror::Error;

pub use local::LocalStore;

/// A file of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its key.
    pub key: String,
    /// Its length in bytes.
    pub size: u64,
}

/// What came of [`RunStore::put_new`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// The file was put.
    New,
    /// There was a file of this key already; it is as it was.
    Exists,
}

/// What a store could not do.
#[derive(Debug, Error)]
#[error("{} cannot be {action}: {source}", path.display())]
pub struct StoreError {
    /// The file, as people know it.
    pub path: PathBuf,
    /// What was tried: `read`, `written`, ...
    pub action: &'static str,
    /// Why not.
    pub source: io::Error,
}

/// The files of a run: the only thing that its stages share.
///
/// All calls are synchronous. A store can be used from any thread, and several processes may use it at once: of those
/// that put one key, exactly one gets [`Put::New`].
pub trait RunStore: fmt::Debug + Send + Sync {
    /// The content of a file; `None` where there is none.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError>;

    /// The files whose keys begin with `prefix`, in the order of their keys. Unfinished files are not there.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn list(&self, prefix: &str) -> Result<Vec<Entry>, StoreError>;

    /// Puts a file, unless there is one of this key.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn put_new(&self, key: &str, bytes: &[u8]) -> Result<Put, StoreError>;

    /// Puts a file in the place of the one that is there, if any: for views alone.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn replace(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError>;

    /// Removes a file, if it is there: for old checkpoints, and for damaged files that will be made again.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn remove(&self, key: &str) -> Result<(), StoreError>;

    /// How people know a file: a path, or an address.
    fn path(&self, key: &str) -> PathBuf;

    /// A file on this machine with the content of a key, for programs that want a path; `None` where there is no such
    /// key. It may be a copy, and is only to be read.
    ///
    /// # Errors
    /// When the store cannot be read, or no copy can be made.
    fn local_file(&self, key: &str) -> Result<Option<PathBuf>, StoreError>;

    /// A folder on this machine for views that a library writes by itself, such as `tensorboard`; `None` where the
    /// store keeps no such views.
    fn local_folder(&self, key: &str) -> Option<PathBuf>;
}

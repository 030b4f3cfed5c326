//! A run in a directory of this machine.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use hippolyta_files::{TEMPORARY, create_atomic, write_atomic};

use super::{Entry, Put, RunStore, StoreError};

/// A directory, in which keys are relative paths.
#[derive(Clone, Debug)]
pub struct LocalStore {
    root: PathBuf,
}

impl LocalStore {
    /// The run in the directory `root`, which need not exist: it is made when something is put.
    pub fn new(root: impl Into<PathBuf>) -> LocalStore {
        LocalStore { root: root.into() }
    }

    /// The directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Removes what killed processes left unfinished. Only for whoever works on the run alone.
    ///
    /// # Errors
    /// When the directory cannot be read or written.
    pub fn sweep(&self) -> Result<(), StoreError> {
        walk(&self.root, &mut |path, _| {
            let name = path.file_name().unwrap_or_default();
            if name.to_string_lossy().starts_with(TEMPORARY) { fs::remove_file(path) } else { Ok(()) }
        })
        .map_err(self.failed("", "tidied"))
    }

    fn failed(&self, key: &str, action: &'static str) -> impl FnOnce(io::Error) -> StoreError {
        let path = self.path(key);
        move |source| StoreError { path, action, source }
    }

    /// The path of a key, whose folder is made.
    fn prepared(&self, key: &str) -> io::Result<PathBuf> {
        let path = self.root.join(key);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)?;
        }
        Ok(path)
    }
}

impl RunStore for LocalStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        let path = self.root.join(key);
        // To read a pipe would wait for whoever writes to it.
        if fs::metadata(&path).is_ok_and(|found| !found.is_file()) {
            return Err(self.failed(key, "read")(io::Error::other("it is not a file")));
        }
        match fs::read(path) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.failed(key, "read")(error)),
        }
    }

    fn list(&self, prefix: &str) -> Result<Vec<Entry>, StoreError> {
        let folder = self.root.join(prefix.rsplit_once('/').map_or("", |(folder, _)| folder));
        let mut entries = Vec::new();
        let mut enter = |path: &Path, size: u64| {
            let parts = path.strip_prefix(&self.root).unwrap_or(path).components();
            let parts: Vec<_> = parts.map(|part| part.as_os_str().to_string_lossy()).collect();
            let key = parts.join("/");
            let is_unfinished = parts.last().is_some_and(|name| name.starts_with(TEMPORARY));
            if key.starts_with(prefix) && !is_unfinished {
                entries.push(Entry { key, size });
            }
            Ok(())
        };
        walk(&folder, &mut enter).map_err(self.failed(prefix, "listed"))?;
        entries.sort_unstable_by(|a, b| a.key.cmp(&b.key));
        Ok(entries)
    }

    fn put_new(&self, key: &str, bytes: &[u8]) -> Result<Put, StoreError> {
        let put = self.prepared(key).and_then(|path| create_atomic(&path, |out| out.write_all(bytes)));
        match put {
            Ok(true) => Ok(Put::New),
            Ok(false) => Ok(Put::Exists),
            Err(error) => Err(self.failed(key, "written")(error)),
        }
    }

    fn replace(&self, key: &str, bytes: &[u8]) -> Result<(), StoreError> {
        let write = |path: PathBuf| write_atomic(&path, |out| out.write_all(bytes));
        self.prepared(key).and_then(write).map_err(self.failed(key, "written"))
    }

    fn remove(&self, key: &str) -> Result<(), StoreError> {
        match fs::remove_file(self.root.join(key)) {
            Err(error) if !is_missing(&error) => Err(self.failed(key, "removed")(error)),
            _ => Ok(()),
        }
    }

    fn path(&self, key: &str) -> PathBuf {
        if key.is_empty() { self.root.clone() } else { self.root.join(key) }
    }

    fn local_file(&self, key: &str) -> Result<Option<PathBuf>, StoreError> {
        let path = self.root.join(key);
        match fs::metadata(&path) {
            Ok(_) => Ok(Some(path)),
            Err(error) if is_missing(&error) => Ok(None),
            Err(error) => Err(self.failed(key, "read")(error)),
        }
    }

    fn local_folder(&self, key: &str) -> Option<PathBuf> {
        Some(self.root.join(key))
    }
}

fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// Calls `see` with each file below `folder` and its size. A folder that is not there has none.
fn walk(folder: &Path, see: &mut dyn FnMut(&Path, u64) -> io::Result<()>) -> io::Result<()> {
    let entries = match fs::read_dir(folder) {
        Err(error) if is_missing(&error) => return Ok(()),
        entries => entries?,
    };
    for entry in entries {
        let entry = entry?;
        let known = match entry.metadata() {
            // Another process may have removed it since.
            Err(error) if is_missing(&error) => continue,
            known => known?,
        };
        if known.is_dir() {
            walk(&entry.path(), see)?;
        } else if known.is_file() {
            see(&entry.path(), known.len())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn files_are_put_once_and_listed_by_prefix() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path().join("run"));
        assert_eq!(store.list("").unwrap(), []);
        assert_eq!(store.get("a/b").unwrap(), None);
        assert_eq!(store.put_new("a/b", b"one").unwrap(), Put::New);
        assert_eq!(store.put_new("a/b", b"two").unwrap(), Put::Exists);
        assert_eq!(store.get("a/b").unwrap().as_deref(), Some(&b"one"[..]));
        store.replace("a/c.json", b"view").unwrap();
        store.replace("a/c.json", b"other view").unwrap();
        store.put_new("ab", b"").unwrap();
        let keys = |prefix: &str| -> Vec<(String, u64)> {
            store.list(prefix).unwrap().into_iter().map(|entry| (entry.key, entry.size)).collect()
        };
        let [b, c, ab] = [("a/b", 3), ("a/c.json", 10), ("ab", 0)].map(|(key, size)| (key.to_owned(), size));
        assert_eq!(keys(""), [b.clone(), c.clone(), ab.clone()]);
        assert_eq!(keys("a/"), [b, c.clone()]);
        assert_eq!(keys("a/c"), [c]);
        assert_eq!(keys("none/"), []);
        assert_eq!(store.local_file("ab").unwrap(), Some(folder.path().join("run/ab")));
        store.remove("ab").unwrap();
        store.remove("ab").unwrap();
        assert_eq!(store.local_file("ab").unwrap(), None);
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let made = std::process::Command::new("mkfifo").arg(folder.path().join("metrics.jsonl")).status();
        assert!(made.unwrap().success());
        let error = LocalStore::new(folder.path()).get("metrics.jsonl").unwrap_err().to_string();
        assert!(error.ends_with("metrics.jsonl cannot be read: it is not a file"), "{error}");
    }

    #[test]
    fn of_many_who_put_a_key_one_does() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path());
        for key in ["1", "2", "3"] {
            let puts: Vec<Put> = thread::scope(|scope| {
                let put = |byte: u8| {
                    let store = &store;
                    scope.spawn(move || store.put_new(key, &[byte; 100]).unwrap())
                };
                let threads: Vec<_> = (0..8).map(put).collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            assert_eq!(puts.iter().filter(|put| **put == Put::New).count(), 1);
            assert_eq!(store.get(key).unwrap().unwrap().len(), 100);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 3, "nothing else is left");
    }

    #[test]
    fn unfinished_files_are_passed_over_and_swept() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path());
        store.put_new("games/x", b"whole").unwrap();
        let half = folder.path().join("games").join(format!("{TEMPORARY}abc"));
        fs::write(&half, "half").unwrap();
        assert_eq!(store.list("games/").unwrap().len(), 1);
        store.sweep().unwrap();
        assert!(!half.exists());
        assert_eq!(store.list("games/").unwrap().len(), 1);
    }

    #[test]
    fn what_cannot_be_done_names_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = LocalStore::new(folder.path());
        store.put_new("a", b"").unwrap();
        let error = store.put_new("a/b", b"").unwrap_err().to_string();
        assert!(
            error.starts_with(&format!("{} cannot be written", folder.path().join("a/b").display())),
            "{error}"
        );
    }
}

//! The run directory: the only thing that the stages of a run share.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use hippolyta_files::TEMPORARY;

use crate::lock;

/// Folders of a run.
const FOLDERS: [&str; 7] =
    ["games", "checkpoints", "candidates", "models", "gates", "ratings", "tensorboard"];

/// A run directory. One that was taken, and not only looked at, this process alone may write as long as this lives.
#[derive(Debug)]
pub(crate) struct RunDirectory {
    root: PathBuf,
    _lock: Option<File>,
}

impl RunDirectory {
    /// Looks at a run without writing; another process may be at work on it.
    ///
    /// # Errors
    /// When it is no run directory.
    pub(crate) fn look(root: &Path) -> anyhow::Result<RunDirectory> {
        let run = RunDirectory { root: root.to_owned(), _lock: None };
        if !run.config().is_file() {
            bail!(
                "{} is no run directory: it has no config.toml ('hippolyta train CONFIG' starts a run)",
                root.display()
            );
        }
        Ok(run)
    }

    /// Takes a run directory over, making it where it does not exist: locks it and sweeps what killed processes left.
    ///
    /// # Errors
    /// When another process is at work on it, or the file system refuses.
    pub(crate) fn take(root: &Path) -> anyhow::Result<RunDirectory> {
        fs::create_dir_all(root).with_context(|| format!("{} cannot be written", root.display()))?;
        let lock = lock::take(&root.join("lock"), root)?;
        let run = RunDirectory { root: root.to_owned(), _lock: Some(lock) };
        for folder in FOLDERS {
            fs::create_dir_all(root.join(folder)).with_context(|| format!("{folder}/ cannot be made"))?;
            sweep(&root.join(folder))?;
        }
        sweep(root)?;
        Ok(run)
    }

    /// Whether another process is at work on the run.
    pub(crate) fn is_taken(&self) -> bool {
        lock::is_held(&self.root.join("lock"))
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// The configuration, frozen at the start.
    pub(crate) fn config(&self) -> PathBuf {
        self.root.join("config.toml")
    }

    /// The record files.
    pub(crate) fn games(&self) -> PathBuf {
        self.root.join("games")
    }

    /// Everything of the trainer; the newest two.
    #[cfg(feature = "torch")]
    pub(crate) fn checkpoints(&self) -> PathBuf {
        self.root.join("checkpoints")
    }

    /// The network that training gave in a generation.
    pub(crate) fn candidate(&self, generation: u32) -> PathBuf {
        self.root.join("candidates").join(format!("{}.safetensors", name_of(generation)))
    }

    /// The champion since a generation, if it changed then.
    pub(crate) fn model(&self, generation: u32) -> PathBuf {
        self.root.join("models").join(format!("{}.safetensors", name_of(generation)))
    }

    /// The report of a generation's gate.
    pub(crate) fn gate(&self, generation: u32) -> PathBuf {
        self.root.join("gates").join(format!("{}.json", name_of(generation)))
    }

    /// The report of the matches that rate a generation's champion.
    pub(crate) fn rating(&self, generation: u32) -> PathBuf {
        self.root.join("ratings").join(format!("{}.json", name_of(generation)))
    }

    /// A row for each generation.
    pub(crate) fn metrics(&self) -> PathBuf {
        self.root.join("metrics.jsonl")
    }

    /// How long each stage took.
    pub(crate) fn timings(&self) -> PathBuf {
        self.root.join("timings.jsonl")
    }

    /// How long the run has been worked on.
    pub(crate) fn clock(&self) -> PathBuf {
        self.root.join("clock.json")
    }

    /// Ratings from a ladder, if somebody put them there.
    pub(crate) fn ladder(&self) -> PathBuf {
        self.root.join("ladder.json")
    }

    /// The page about the run.
    pub(crate) fn report(&self) -> PathBuf {
        self.root.join("report.html")
    }

    /// The event files.
    #[cfg(feature = "torch")]
    pub(crate) fn tensorboard(&self) -> PathBuf {
        self.root.join("tensorboard")
    }

    /// The generations of which `models/` holds one, ascending.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn models(&self) -> anyhow::Result<Vec<u32>> {
        numbered(&self.root.join("models"), ".safetensors")
    }

    /// The newest model of a generation before `generation`: the champion that plays in it.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub(crate) fn champion_before(&self, generation: u32) -> anyhow::Result<Option<u32>> {
        Ok(self.models()?.into_iter().rfind(|&model| model < generation))
    }
}

/// The name of a generation's network.
pub(crate) fn name_of(generation: u32) -> String {
    format!("g{generation:06}")
}

/// Removes a file of a run, if it is there.
///
/// # Errors
/// When the file system refuses.
pub(crate) fn remove(path: &Path) -> anyhow::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("{} cannot be removed", path.display()))
        }
        _ => Ok(()),
    }
}

/// The numbers of the files `g000012SUFFIX` in a folder, ascending; none where the folder is not there yet.
fn numbered(folder: &Path, suffix: &str) -> anyhow::Result<Vec<u32>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error).with_context(|| format!("{} cannot be read", folder.display())),
    };
    let mut numbers = Vec::new();
    for entry in entries {
        let name = entry?.file_name();
        let number: Option<u32> =
            name.to_str().and_then(|name| name.strip_prefix('g')?.strip_suffix(suffix)?.parse().ok());
        numbers.extend(number);
    }
    numbers.sort_unstable();
    Ok(numbers)
}

/// Removes the temporary files of killed processes.
fn sweep(folder: &Path) -> anyhow::Result<()> {
    let swept = || -> io::Result<()> {
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
                fs::remove_file(entry.path())?;
            }
        }
        Ok(())
    };
    swept().with_context(|| format!("{} cannot be tidied", folder.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_process_is_refused_and_left_overs_are_swept() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("run");
        fs::create_dir_all(root.join("games")).unwrap();
        fs::write(root.join("games/.writing-abc"), "half").unwrap();
        let run = RunDirectory::take(&root).unwrap();
        assert_eq!(fs::read_dir(run.games()).unwrap().count(), 0);
        let error = RunDirectory::take(&root).unwrap_err().to_string();
        assert!(error.contains("another process"), "{error}");
        drop(run);
        RunDirectory::take(&root).unwrap();
    }

    #[test]
    fn the_champion_is_the_newest_model_before_the_generation() {
        let folder = tempfile::tempdir().unwrap();
        let run = RunDirectory::take(folder.path()).unwrap();
        assert_eq!(run.champion_before(1).unwrap(), None);
        for generation in [0, 3, 11] {
            fs::write(run.model(generation), "").unwrap();
        }
        for (generation, champion) in [(1, 0), (3, 0), (4, 3), (11, 3), (12, 11)] {
            assert_eq!(run.champion_before(generation).unwrap(), Some(champion));
        }
    }
}

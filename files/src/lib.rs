//! Files that appear whole or not at all.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use serde::Serialize;
use tempfile::NamedTempFile;

/// The temporary names of [`write_atomic`] begin with this; a process that is killed may leave such a file.
pub const TEMPORARY: &str = ".writing-";

/// Writes `path` so that a reader, or a machine that loses power, sees either the old file or the complete
/// new one: `write` fills a file of a temporary name in the same folder, which is synced, renamed over
/// `path`, and the folder synced.
///
/// # Errors
/// What `write` returns, or what the file system says; `path` is then untouched and the temporary file gone.
pub fn write_atomic<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(), E> {
    let (file, folder) = written(path, write)?;
    file.persist(path).map_err(|error| error.error)?;
    sync_folder(folder)?;
    Ok(())
}

/// [`write_atomic`], unless `path` is there already: then it stays as it is, and the answer is `false`. Of several
/// processes that create one path, exactly one gets `true`.
///
/// # Errors
/// As [`write_atomic`].
pub fn create_atomic<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<bool, E> {
    if path.try_exists()? {
        return Ok(false);
    }
    let (file, folder) = written(path, write)?;
    match file.persist_noclobber(path) {
        Ok(_) => {
            sync_folder(folder)?;
            Ok(true)
        }
        Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
        Err(error) => Err(error.error.into()),
    }
}

/// A file of a temporary name beside `path`, with all its content on disk, and their folder.
fn written<E: From<io::Error>>(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> Result<(), E>,
) -> Result<(NamedTempFile, &Path), E> {
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMPORARY);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As an ordinary file would get them: the process's umask still applies.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let file = builder.tempfile_in(folder)?;
    let mut buffered = BufWriter::new(file);
    write(&mut buffered)?;
    let file = buffered.into_inner().map_err(io::IntoInnerError::into_error)?;
    file.as_file().sync_all()?;
    Ok((file, folder))
}

/// Writes `value` as JSON for people and programs, with [`write_atomic`].
///
/// # Errors
/// What the file system says, or that the value is none that JSON has.
pub fn write_json(path: &Path, value: &impl Serialize) -> io::Result<()> {
    write_atomic(path, |out| {
        serde_json::to_writer_pretty(&mut *out, value)?;
        out.write_all(b"\n")
    })
}

/// Writes a line of JSON for each value, with [`write_atomic`].
///
/// # Errors
/// As [`write_json`].
pub fn write_json_lines<T: Serialize>(path: &Path, values: impl IntoIterator<Item = T>) -> io::Result<()> {
    write_atomic(path, |out| {
        for value in values {
            serde_json::to_writer(&mut *out, &value)?;
            out.write_all(b"\n")?;
        }
        Ok(())
    })
}

/// Makes a rename in `folder` last through a loss of power.
#[cfg(unix)]
fn sync_folder(folder: &Path) -> io::Result<()> {
    std::fs::File::open(folder)?.sync_all()
}

/// Elsewhere a folder cannot be opened as a file, and the rename itself is all there is.
#[cfg(not(unix))]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere it can fail")]
fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replaces_the_whole_file_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomic(&path, |out| out.write_all(b"old and long")).unwrap();
        write_atomic(&path, |out| out.write_all(b"new")).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_is_there_is_not_created_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let create = |text: &'static str| create_atomic(&path, |out| out.write_all(text.as_bytes()));
        assert!(create("one").unwrap());
        assert!(!create("two").unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"one");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn values_are_json_a_line_each_or_laid_out() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_json(&path, &[1, 2]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[\n  1,\n  2\n]\n");
        write_json_lines(&path, [[1, 2], [3, 4]]).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "[1,2]\n[3,4]\n");
    }

    #[test]
    fn a_failed_write_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        write_atomic(&path, |out| out.write_all(b"old")).unwrap();
        let failed = write_atomic(&path, |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("stop"))
        });
        assert_eq!(failed.unwrap_err().to_string(), "stop");
        assert_eq!(std::fs::read(&path).unwrap(), b"old");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}

//! Lock files: one process at a time.

use std::fs::{File, TryLockError};
use std::path::Path;

use anyhow::{Context as _, bail};

/// Takes the lock of `guarded`, the file `lock`, which is made where it does not exist and stays. It is held until the
/// file that is given is dropped, or this process ends in whatever way.
///
/// # Errors
/// When another process holds it, or the file system refuses.
pub(crate) fn take(lock: &Path, guarded: &Path) -> anyhow::Result<File> {
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .with_context(|| format!("{} cannot be written", lock.display()))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another process is at work on {}: wait for it or stop it", guarded.display())
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", lock.display()))
        }
    }
}

/// Whether another process holds the lock.
pub(crate) fn is_held(lock: &Path) -> bool {
    let file = File::options().write(true).open(lock);
    file.is_ok_and(|file| matches!(file.try_lock(), Err(TryLockError::WouldBlock)))
}

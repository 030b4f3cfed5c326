//! Lock files: one process at a time.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};

/// How often a lock is tried before it is held for taken.
const TRIES: u32 = 10;
/// The pause between two tries: whoever only asks is done long before the last.
const PAUSE: Duration = Duration::from_millis(10);

/// Takes the lock of `guarded`, the file `lock`, which is made where it does not exist and stays. It is held until the
/// file that is given is dropped, or this process ends in whatever way.
///
/// # Errors
/// When another process holds it, or the file system refuses.
pub(crate) fn take(lock: &Path, guarded: &Path) -> anyhow::Result<File> {
    refuse_special(lock)?;
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(lock)
        .with_context(|| format!("{} cannot be written", lock.display()))?;
    match try_lock(&file, &mut || thread::sleep(PAUSE)) {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            bail!("another process is at work on {}: wait for it or stop it", guarded.display())
        }
        Err(TryLockError::Error(error)) => {
            Err(error).with_context(|| format!("{} cannot be locked", lock.display()))
        }
    }
}

/// Whether another process holds the lock; `None` where that cannot be found out. Asking takes it for an instant,
/// shared with whoever else asks; [`take`] waits that out. The file is opened for reading: whoever may only look can
/// ask, and NFS gives a shared lock to a reader alone.
pub(crate) fn is_held(lock: &Path) -> Option<bool> {
    refuse_special(lock).ok()?;
    let file = match File::open(lock) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Some(false),
        file => file.ok()?,
    };
    match file.try_lock_shared() {
        Ok(()) => Some(false),
        Err(TryLockError::WouldBlock) => Some(true),
        Err(TryLockError::Error(_)) => None,
    }
}

/// Refuses what is there and not a file: to open a pipe waits for whoever opens its other end.
fn refuse_special(lock: &Path) -> anyhow::Result<()> {
    match fs::metadata(lock) {
        Ok(found) if !found.is_file() => {
            bail!("{} is not a file that can be locked: remove it", lock.display())
        }
        _ => Ok(()),
    }
}

/// [`File::try_lock`], a few times with pauses while another process holds the lock: it may only be asking.
fn try_lock(file: &File, pause: &mut dyn FnMut()) -> Result<(), TryLockError> {
    for _ in 1..TRIES {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => pause(),
            done => return done,
        }
    }
    file.try_lock()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use nix::sys::stat::Mode;
    use nix::unistd::mkfifo;

    use super::*;

    #[test]
    fn a_pipe_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        mkfifo(&lock, Mode::S_IRUSR | Mode::S_IWUSR).unwrap();
        assert_eq!(is_held(&lock), None);
        let error = take(&lock, folder.path()).unwrap_err().to_string();
        assert!(error.contains("lock is not a file"), "{error}");
    }

    #[test]
    fn whoever_asks_is_not_at_work() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        assert_eq!(is_held(&lock), Some(false));
        let held = take(&lock, folder.path()).unwrap();
        assert_eq!(is_held(&lock), Some(true));
        // Whoever may only read can ask too.
        fs::set_permissions(&lock, fs::Permissions::from_mode(0o444)).unwrap();
        assert_eq!(is_held(&lock), Some(true));
        drop(held);
        // As another process that asks, caught in the act.
        let asks = File::open(&lock).unwrap();
        asks.try_lock_shared().unwrap();
        assert_eq!(is_held(&lock), Some(false));
        let error = take(&lock, folder.path()).unwrap_err().to_string();
        assert!(error.contains("another process"), "{error}");
    }

    #[test]
    fn whoever_asks_is_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let lock = folder.path().join("lock");
        let file = File::create(&lock).unwrap();
        let mut asks = Some(File::open(&lock).unwrap());
        asks.as_ref().unwrap().try_lock_shared().unwrap();
        try_lock(&file, &mut || drop(asks.take())).unwrap();
        assert!(asks.is_none());
    }
}

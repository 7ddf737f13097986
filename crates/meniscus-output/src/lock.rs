//! One process at a time writes to a folder.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::Write;
use std::path::Path;

use crate::OutputError;

const NAME: &str = ".lock";

/// The right to write to a folder, given back when dropped or when the process ends in whatever way.
///
/// The system's own file lock decides, because it cannot outlive its process; the file says which process it is.
/// The file stays when the lock is given back: removing it would let two others lock two different files.
#[derive(Debug)]
pub(crate) struct FolderLock {
    file: File,
}

impl FolderLock {
    /// Takes the lock of the folder at `place`; `named` is the folder in messages.
    pub(crate) fn take(place: &Path, named: &Path) -> Result<Self, OutputError> {
        let path = place.join(NAME);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create(true).truncate(false);
        let mut file = options.open(&path).map_err(OutputError::io("lock", named))?;
        let free = match file.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            // Some network file systems know no locks: then the process in the file, if it still runs, decides.
            Err(TryLockError::Error(_)) => !holder(place).is_some_and(is_running),
        };
        if !free {
            return Err(OutputError::Locked { path: named.to_path_buf(), pid: holder(place) });
        }
        file.set_len(0)
            .and_then(|()| writeln!(file, "{}", std::process::id()))
            .map_err(OutputError::io("lock", named))?;
        Ok(Self { file })
    }

    /// Whether some process holds the lock of a folder; asks without taking it.
    pub(crate) fn is_held(place: &Path) -> bool {
        let Ok(file) = File::open(place.join(NAME)) else { return false };
        match file.try_lock_shared() {
            Ok(()) => false,
            Err(TryLockError::WouldBlock) => true,
            Err(TryLockError::Error(_)) => holder(place).is_some_and(is_running),
        }
    }
}

impl Drop for FolderLock {
    fn drop(&mut self) {
        // An empty file says that nobody writes; where that fails the lock is given back all the same.
        let _ = self.file.set_len(0);
        let _ = self.file.unlock();
    }
}

/// The process named in a folder's lock.
fn holder(place: &Path) -> Option<u32> {
    fs::read_to_string(place.join(NAME)).ok()?.trim().parse().ok()
}

/// Whether a process exists; where that is not known, it is taken to run.
fn is_running(pid: u32) -> bool {
    let processes = Path::new("/proc");
    !processes.join("self").exists() || processes.join(pid.to_string()).exists()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_has_one_writer() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!FolderLock::is_held(dir.path()));
        let lock = FolderLock::take(dir.path(), dir.path()).unwrap();
        assert!(FolderLock::is_held(dir.path()));
        let error = FolderLock::take(dir.path(), dir.path()).unwrap_err();
        let own = std::process::id();
        assert!(matches!(error, OutputError::Locked { pid: Some(pid), .. } if pid == own), "{error}");
        drop(lock);
        assert!(!FolderLock::is_held(dir.path()));
        FolderLock::take(dir.path(), dir.path()).unwrap();
    }

    #[test]
    fn the_lock_of_a_dead_process_is_no_obstacle() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(NAME), "4294967290\n").unwrap();
        FolderLock::take(dir.path(), dir.path()).unwrap();
    }
}

//! Files that are either absent or complete.
//!
//! The bytes go to a temporary file in the same folder, are forced to disk, and the file is renamed into place. A
//! process killed at any moment leaves at most a file whose name starts with [`TEMP_PREFIX`]; [`sweep`] removes those.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use crate::OutputError;

/// How the names of unfinished files begin.
pub const TEMP_PREFIX: &str = ".tmp-";

/// Writes a file through `fill`, under its name only once it is complete and on disk.
///
/// # Errors
/// [`OutputError::Io`] with the path and the system's reason; the temporary file is removed and an older file of
/// the same name stays as it was.
pub fn write_with(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
) -> Result<(), OutputError> {
    let folder = folder_of(path);
    let mut temp = temp_builder().tempfile_in(&folder).map_err(OutputError::io("write", path))?;
    let mut buffer = BufWriter::with_capacity(1 << 18, temp.as_file_mut());
    let filled = fill(&mut buffer).and_then(|()| buffer.flush());
    // Dropping an unflushed BufWriter would try to write again; on a full disk that is pointless but harmless.
    drop(buffer);
    filled.and_then(|()| temp.as_file().sync_all()).map_err(OutputError::io("write", path))?;
    temp.persist(path).map_err(|failure| OutputError::io("put into place", path)(failure.error))?;
    sync_folder(&folder)
}

/// Writes `bytes` as a file, under its name only once it is complete and on disk.
///
/// # Errors
/// As [`write_with`].
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    write_with(path, |out| out.write_all(bytes))
}

/// Removes the unfinished files that a killed process left in a folder and returns how many there were.
///
/// # Errors
/// [`OutputError::Io`] when the folder cannot be listed or a leftover cannot be removed.
pub fn sweep(folder: &Path) -> Result<usize, OutputError> {
    let mut removed = 0;
    for name in names_in(folder)? {
        let path = folder.join(&name);
        if name.starts_with(TEMP_PREFIX) && !path.is_dir() {
            remove(&path)?;
            removed += 1;
        }
    }
    Ok(removed)
}

/// Forces a folder's entries to disk, so that a rename survives a power failure.
///
/// # Errors
/// [`OutputError::Io`] when the folder cannot be opened or synchronised.
pub fn sync_folder(folder: &Path) -> Result<(), OutputError> {
    // Only Unix lets a folder be opened and synchronised like a file.
    if cfg!(unix) {
        File::open(folder)
            .and_then(|file| file.sync_all())
            .map_err(OutputError::io("synchronise", folder))?;
    }
    Ok(())
}

/// The names in a folder that are valid Unicode, sorted; ours always are.
pub(crate) fn names_in(folder: &Path) -> Result<Vec<String>, OutputError> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder).map_err(OutputError::io("list", folder))? {
        let entry = entry.map_err(OutputError::io("list", folder))?;
        names.extend(entry.file_name().into_string());
    }
    names.sort_unstable();
    Ok(names)
}

/// Removes a file; one that is already gone is as good as removed.
pub(crate) fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OutputError::io("remove", path)(error)),
        _ => Ok(()),
    }
}

/// The folder a path lies in; a bare name lies in the current one.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// Temporary files as everybody's files are: the system's mask decides who may read them.
fn temp_builder() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(TEMP_PREFIX);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(fs::Permissions::from_mode(0o666));
    }
    builder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write(&path, b"first").unwrap();
        write(&path, b"second").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"second");
        assert_eq!(names_in(dir.path()).unwrap(), ["a.txt"]);
    }

    #[test]
    fn a_failure_keeps_the_old_file_and_leaves_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.txt");
        write(&path, b"first").unwrap();
        let full = || io::Error::from(io::ErrorKind::StorageFull);
        let error = write_with(&path, |out| out.write_all(b"half").and(Err(full()))).unwrap_err();
        assert!(error.to_string().contains("a.txt"), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"first");
        assert_eq!(names_in(dir.path()).unwrap(), ["a.txt"]);
    }

    #[test]
    fn a_vanished_folder_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("gone").join("a.txt");
        let error = write(&path, b"x").unwrap_err();
        assert!(error.to_string().contains("gone"), "{error}");
    }

    #[test]
    fn leftovers_are_swept() {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join(".tmp-abc"), b"half").unwrap();
        fs::write(dir.path().join("kept"), b"whole").unwrap();
        assert_eq!(sweep(dir.path()).unwrap(), 1);
        assert_eq!(names_in(dir.path()).unwrap(), ["kept"]);
    }
}

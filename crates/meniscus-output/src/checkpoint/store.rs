use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::{Checkpoint, codec};
use crate::{OutputError, atomic};

/// The newest checkpoint that is whole, and what had to be passed over to find it.
#[derive(Debug, Clone, Default)]
pub struct LatestCheckpoint {
    /// The checkpoint, if there is any.
    pub checkpoint: Option<Checkpoint>,
    /// Newer files that could not be used, newest first, and why: warnings to show.
    pub skipped: Vec<OutputError>,
}

/// The name of a step's checkpoint inside the run's folder.
#[must_use]
pub fn file_name(step: u64) -> String {
    format!("checkpoints/step_{step:012}.ckpt")
}

/// Writes a checkpoint into the run's folder `run`, atomically, then removes older ones beyond the newest `keep`;
/// returns the file's path.
///
/// The one just written always stays.
///
/// # Errors
/// [`OutputError::Checkpoint`] for a payload too large to be read back, else [`OutputError::Io`].
pub fn write(run: &Path, checkpoint: &Checkpoint, keep: usize) -> Result<PathBuf, OutputError> {
    let path = run.join(file_name(checkpoint.step));
    let folder = atomic::folder_of(&path);
    fs::create_dir_all(&folder).map_err(OutputError::io("create", &folder))?;
    let packed = codec::Packed::new(checkpoint)
        .map_err(|source| OutputError::Checkpoint { path: path.clone(), source })?;
    atomic::write_with(&path, |out| packed.write(out))?;
    let older = steps_in(run)?.into_iter().filter(|&step| step < checkpoint.step).rev();
    for step in older.skip(keep.saturating_sub(1)) {
        atomic::remove(&run.join(file_name(step)))?;
    }
    Ok(path)
}

/// Reads one checkpoint.
///
/// # Errors
/// [`OutputError::Checkpoint`] for a file that is damaged or not a checkpoint, [`OutputError::Io`] for one that
/// cannot be read.
pub fn load(path: &Path) -> Result<Checkpoint, OutputError> {
    let unusable = |source| OutputError::Checkpoint { path: path.to_path_buf(), source };
    let bytes = fs::metadata(path).map_err(OutputError::io("read", path))?.len();
    // What does not compress grows by less than a part in a thousand, so no checkpoint of ours is longer.
    if bytes > codec::MAX_PAYLOAD_BYTES / 1000 * 1001 {
        return Err(unusable(codec::CheckpointError::TooLarge { bytes }));
    }
    let bytes = fs::read(path).map_err(OutputError::io("read", path))?;
    codec::decode(&bytes).map_err(unusable)
}

/// Reads the newest checkpoint of the run's folder `run` that is whole, passing over damaged ones.
///
/// # Errors
/// [`OutputError::Io`] when the folder exists and cannot be listed.
pub fn load_latest(run: &Path) -> Result<LatestCheckpoint, OutputError> {
    let mut latest = LatestCheckpoint::default();
    for step in steps_in(run)?.into_iter().rev() {
        match load(&run.join(file_name(step))) {
            Ok(checkpoint) => {
                latest.checkpoint = Some(checkpoint);
                break;
            }
            Err(error) => latest.skipped.push(error),
        }
    }
    Ok(latest)
}

/// The steps of the run's folder `run` that have a checkpoint, ascending.
///
/// # Errors
/// [`OutputError::Io`] when the folder exists and cannot be listed.
pub fn steps_in(run: &Path) -> Result<Vec<u64>, OutputError> {
    let folder = run.join("checkpoints");
    let names = match atomic::names_in(&folder) {
        Err(OutputError::Io { source, .. }) if source.kind() == ErrorKind::NotFound => Vec::new(),
        names => names?,
    };
    let mut steps: Vec<u64> = names.iter().filter_map(|name| step_of(name)).collect();
    steps.sort_unstable();
    Ok(steps)
}

fn step_of(name: &str) -> Option<u64> {
    let step = name.strip_prefix("step_")?.strip_suffix(".ckpt")?.parse().ok()?;
    // Only the exact name we would give: "+1" and "1" parse as well.
    file_name(step).ends_with(&format!("/{name}")).then_some(step)
}

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use meniscus_surface::SurfaceError;

use crate::checkpoint::CheckpointError;

/// Why something could not be written or read back. Every variant names the path.
///
/// Errors are cloned when the writing thread reports one failure at more than one call.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum OutputError {
    /// The operating system refused: disk full, folder vanished, no permission.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: "write", "open".
        action: &'static str,
        /// The file or folder it was tried on.
        path: PathBuf,
        /// The system's reason.
        source: Arc<io::Error>,
    },
    /// The folder of a new run exists and is not empty.
    #[error("the folder {} already holds files; choose another one, or allow overwriting", path.display())]
    FolderInUse {
        /// The folder.
        path: PathBuf,
    },
    /// The folder does not look like one that a run made.
    #[error("{} is not the folder of a run: {reason}", path.display())]
    NotARunFolder {
        /// The folder.
        path: PathBuf,
        /// What is missing or wrong.
        reason: String,
    },
    /// Another process is writing to the folder.
    #[error("the folder {} is being written by another run{}", path.display(), process(*pid))]
    Locked {
        /// The folder.
        path: PathBuf,
        /// The process that holds the lock, where known.
        pid: Option<u32>,
    },
    /// A checkpoint cannot be used.
    #[error("checkpoint {}: {source}", path.display())]
    Checkpoint {
        /// The checkpoint's file.
        path: PathBuf,
        /// What is wrong with it.
        source: CheckpointError,
    },
    /// The series on disk belongs to another scene or another version.
    #[error("{} cannot be continued: its columns are not those of this scene", path.display())]
    SeriesColumns {
        /// The series' file.
        path: PathBuf,
    },
    /// A row has other columns than the header.
    #[error("{}: the row of step {step} does not have the columns that the header names", path.display())]
    SeriesRow {
        /// The series' file.
        path: PathBuf,
        /// The step of the row.
        step: u64,
    },
    /// The columns of a frame differ in length.
    #[error("{}: the frame's column `{column}` holds {found} values for {expected} particles", path.display())]
    UnevenFrame {
        /// The frame's file.
        path: PathBuf,
        /// The column that differs.
        column: &'static str,
        /// Particles, counted by position `[1]`.
        expected: usize,
        /// Values in the column `[1]`.
        found: usize,
    },
    /// The extension of a mesh file names no format that can be written.
    #[error("{} has no extension of a format that can be written; end the name in .obj, .ply or .stl", path.display())]
    MeshFormat {
        /// The mesh file.
        path: PathBuf,
    },
    /// The extension of a surface's file names no format that can be written.
    #[error("{} has no extension of a format for surfaces; end the name in .ply, .obj or .vtp", path.display())]
    SurfaceFormat {
        /// The file.
        path: PathBuf,
    },
    /// The extension of an animation's file names no format that can be written.
    #[error("{} has no extension of a format for animations; end the name in .gif, .apng or .mp4", path.display())]
    AnimationFormat {
        /// The file.
        path: PathBuf,
    },
    /// The surface of a frame cannot be found.
    #[error("{}: {source}", path.display())]
    Surface {
        /// The file of the surface.
        path: PathBuf,
        /// Why.
        source: SurfaceError,
    },
    /// The writing thread ended without saying why.
    #[error("the thread that writes {} ended unexpectedly", path.display())]
    ThreadDied {
        /// The folder it wrote to.
        path: PathBuf,
    },
}

fn process(pid: Option<u32>) -> String {
    pid.map(|pid| format!(" (process {pid})")).unwrap_or_default()
}

impl OutputError {
    /// Builds the closure that `map_err` wants: an i/o error becomes one that names action and path.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Io { action, path: path.to_path_buf(), source: Arc::new(source) }
    }

    /// The failure of the system behind it, if it is one.
    #[must_use]
    pub fn io_kind(&self) -> Option<io::ErrorKind> {
        if let Self::Io { source, .. } = self { Some(source.kind()) } else { None }
    }

    /// Whether the cause is the folder or the file that was asked for and not what happened while using it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        matches!(
            self,
            Self::FolderInUse { .. }
                | Self::NotARunFolder { .. }
                | Self::Locked { .. }
                | Self::SeriesColumns { .. }
                | Self::MeshFormat { .. }
                | Self::AnimationFormat { .. }
        )
    }
}

use crate::import::ImportError;
use meniscus_core::SimulationError;
use meniscus_coupling::SetupError;
use meniscus_geometry::{GeometryError, MeshError};
use meniscus_output::OutputError;
use meniscus_scene::{MethodError, SceneError};
use std::path::PathBuf;

/// Why a run could not begin, go on or end.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene has mistakes.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A method was asked for that does not exist.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// A mesh file is wrong.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The scene cannot be simulated, or a saved state is not one of it.
    #[error(transparent)]
    Setup(#[from] SetupError),
    /// A mesh or a request about it makes no sense.
    #[error(transparent)]
    Geometry(#[from] GeometryError),
    /// Something could not be written or read.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A step failed.
    #[error(transparent)]
    Simulation(#[from] SimulationError),
    /// A step failed, and the state before it could not be saved either.
    #[error("{cause}; and the state before it could not be saved: {saving}")]
    Unsaved {
        /// What ended the run.
        cause: Box<RunError>,
        /// Why the state could not be saved.
        saving: Box<RunError>,
    },
    /// A scene of another program cannot be imported.
    #[error("{}: {source}", path.display())]
    Import {
        /// Its file.
        path: PathBuf,
        /// Why.
        source: ImportError,
    },
    /// What a folder holds cannot be shown in the way that was asked for.
    #[error("{}: {reason}", path.display())]
    Show {
        /// The folder, or the file that was wanted.
        path: PathBuf,
        /// Why, and what may help.
        reason: String,
    },
    /// The gallery has no such scene.
    #[error(
        "the gallery has no scene or paper {name:?}; `meniscus list` names them, such as becker-2009/vessel"
    )]
    UnknownExhibit {
        /// What was asked for.
        name: String,
    },
    /// A folder cannot be resumed although it is that of a run.
    #[error("{} cannot be resumed: {reason}", path.display())]
    Resume {
        /// The folder.
        path: PathBuf,
        /// What does not fit, and what may help.
        reason: String,
    },
}

impl RunError {
    /// The failure of the system behind it, if it is one of reading or writing.
    #[must_use]
    pub fn io_kind(&self) -> Option<std::io::ErrorKind> {
        match self {
            Self::Output(OutputError::Io { source, .. }) => Some(source.kind()),
            Self::Unsaved { saving, .. } => saving.io_kind(),
            _ => None,
        }
    }

    /// Whether the cause is what was asked for (a scene, a mesh, a folder) and not what happened while doing it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Scene(_)
            | Self::Method(_)
            | Self::Mesh(_)
            | Self::Setup(_)
            | Self::Geometry(_)
            | Self::Show { .. }
            | Self::Import { .. }
            | Self::UnknownExhibit { .. }
            | Self::Resume { .. } => true,
            Self::Simulation(_) | Self::Unsaved { .. } => false,
            Self::Output(error) => matches!(
                error,
                OutputError::FolderInUse { .. }
                    | OutputError::NotARunFolder { .. }
                    | OutputError::Locked { .. }
                    | OutputError::SeriesColumns { .. }
                    | OutputError::MeshFormat { .. }
                    | OutputError::AnimationFormat { .. }
            ),
        }
    }
}

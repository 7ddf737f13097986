use crate::memory::MemoryShortage;
use meniscus_core::{OutOfMemory, SimulationError};
use meniscus_coupling::SetupError;
use meniscus_geometry::MeshError;
use meniscus_output::OutputError;
use meniscus_scene::SceneError;
use std::path::PathBuf;

/// Why a run could not begin, go on or end.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The scene has mistakes.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A mesh file is wrong.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// The run would need more memory than it can have.
    #[error(transparent)]
    Shortage(#[from] Box<MemoryShortage>),
    /// There was no memory for something.
    #[error("{0}; use a larger spacing, or allow the program more memory")]
    NoMemory(#[from] OutOfMemory),
    /// The scene cannot be simulated, or a saved state is not one of it.
    #[error(transparent)]
    Setup(#[from] SetupError),
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
    /// Whether the cause is what was asked for (a scene, a mesh, a folder) and not what happened while doing it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Scene(_) | Self::Mesh(_) | Self::Shortage(_) | Self::Setup(_) | Self::Resume { .. } => true,
            Self::Simulation(_) | Self::NoMemory(_) | Self::Unsaved { .. } => false,
            Self::Output(error) => error.is_bad_input(),
        }
    }

    /// What could not be written or read, if that is the cause.
    #[must_use]
    pub fn output(&self) -> Option<&OutputError> {
        match self {
            Self::Output(error) => Some(error),
            Self::Unsaved { saving, .. } => saving.output(),
            _ => None,
        }
    }
}

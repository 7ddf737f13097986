//! Why a command failed.

use meniscus::core::SimulationError;
use meniscus::coupling::SetupError;
use meniscus::geometry::GeometryError;
use meniscus::output::OutputError;
use meniscus::run::{ReplayError, RunError};
use meniscus::scene::import::ImportError;
use meniscus::scene::{MethodError, SceneError};
use meniscus::view::ViewError;
use std::path::PathBuf;

/// Why a command failed: what went wrong in a library, or what was asked for and cannot be.
#[derive(Debug, thiserror::Error)]
pub enum CommandError {
    /// A run could not begin, go on or end.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The folder of a run cannot be shown.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// A run cannot be shown in the browser.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The scene has mistakes.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// A method was asked for that does not exist.
    #[error(transparent)]
    Method(#[from] MethodError),
    /// The scene cannot be simulated.
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
}

impl CommandError {
    /// Whether the cause is what was asked for (a scene, a mesh, a folder) and not what happened while doing it.
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Run(error) => error.is_bad_input(),
            Self::Replay(error) | Self::View(ViewError::Replay(error)) => error.is_bad_input(),
            Self::Output(error) => error.is_bad_input(),
            Self::Simulation(_) => false,
            _ => true,
        }
    }

    /// The mistakes in the scene, if they are the cause.
    pub fn scene(&self) -> Option<&SceneError> {
        match self {
            Self::Scene(error)
            | Self::Run(RunError::Scene(error))
            | Self::Replay(ReplayError::Scene(error))
            | Self::View(ViewError::Replay(ReplayError::Scene(error))) => Some(error),
            _ => None,
        }
    }

    /// What could not be written or read, if that is the cause.
    pub fn output(&self) -> Option<&OutputError> {
        match self {
            Self::Run(error) => error.output(),
            Self::Output(error)
            | Self::Replay(ReplayError::Output(error))
            | Self::View(ViewError::Replay(ReplayError::Output(error))) => Some(error),
            _ => None,
        }
    }
}

use meniscus_output::OutputError;
use meniscus_scene::SceneError;
use std::path::PathBuf;

/// Why the folder of a run cannot be shown.
#[derive(Debug, Clone, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The scene of the run, or what was to be changed of it, has mistakes.
    #[error(transparent)]
    Scene(#[from] SceneError),
    /// Something could not be read or written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// A key was to be changed without which the run would have been another one.
    #[error(
        "{}: `{change}` would be another simulation; only keys of `camera` and `light` can be set",
        path.display()
    )]
    OtherSimulation {
        /// The folder.
        path: PathBuf,
        /// The key and its value.
        change: String,
    },
}

impl ReplayError {
    /// Whether the cause is what was asked for (a folder, a key) and not what happened while doing it.
    #[must_use]
    pub fn is_bad_input(&self) -> bool {
        match self {
            Self::Scene(_) | Self::OtherSimulation { .. } => true,
            Self::Output(error) => error.is_bad_input(),
        }
    }
}

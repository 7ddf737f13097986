use meniscus_run::ReplayError;
use std::io;
use std::path::PathBuf;

/// Why a run cannot be shown in the browser.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ViewError {
    /// The folder cannot be opened.
    #[error(transparent)]
    Replay(#[from] ReplayError),
    /// The page cannot be served at that port.
    #[error("{}: port {port} cannot be used ({source}); choose another one", path.display())]
    Port {
        /// The folder that was to be shown.
        path: PathBuf,
        /// The port.
        port: u16,
        /// The system's reason.
        source: io::Error,
    },
}

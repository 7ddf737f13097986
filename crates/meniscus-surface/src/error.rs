/// Why a surface could not be found.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SurfaceError {
    /// A parameter makes no sense.
    #[error("the {name} of a surface must be positive and finite, not {value}")]
    Parameter {
        /// Which one.
        name: &'static str,
        /// What it was.
        value: String,
    },
    /// The particles are so far apart, or so many, that no grid covers them.
    #[error("no surface around these particles: {reason}")]
    Grid {
        /// What went wrong.
        reason: String,
    },
}

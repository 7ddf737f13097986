use crate::{BodyId, Phase};

/// What a failed step was about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Subject {
    /// The fluid particle with this id.
    Particle(u64),
    /// A body of the scene.
    Body(BodyId),
    /// The simulation as a whole.
    Whole,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Particle(id) => write!(f, "fluid particle {id}"),
            Self::Body(id) => write!(f, "body {}", id.0),
            Self::Whole => f.write_str("the simulation"),
        }
    }
}

/// Why a step could not be completed. Positions and velocities are still those before the step when this is returned.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[error("{subject}: {reason} (phase {phase}, step {step}, t = {time:.6} s)")]
pub struct SimulationError {
    /// The phase that noticed.
    pub phase: Phase,
    /// Number of the step that failed, counted from 1.
    pub step: u64,
    /// Simulated time at the start of that step `[s]`.
    pub time: f64,
    /// Who is at fault.
    pub subject: Subject,
    /// What went wrong and what may help.
    pub reason: String,
}

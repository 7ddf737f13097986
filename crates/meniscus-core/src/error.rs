use crate::{BodyId, Phase};

/// What a failed step was about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Subject {
    /// The fluid particle with this id.
    Particle(u64),
    /// A body of the scene.
    Body {
        /// Which one.
        id: BodyId,
        /// Its name in the scene.
        name: String,
    },
    /// The simulation as a whole.
    Whole,
}

impl std::fmt::Display for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Particle(id) => write!(f, "fluid particle {id}"),
            Self::Body { name, .. } => write!(f, "body `{name}`"),
            Self::Whole => f.write_str("the simulation"),
        }
    }
}

/// What kind of failure ended a step, for programs that decide by it.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum Failure {
    /// A pressure solve was given up above its tolerance, and the scene does not accept that.
    NotConverged {
        /// Sweeps done.
        sweeps: u32,
        /// Mean relative density error that was left `[1]`.
        residual: f64,
        /// What was asked for `[1]`.
        tolerance: f64,
    },
    /// Velocity or density jumped, and the step cannot be made shorter.
    Shock,
    /// A position or a velocity is not a finite number.
    NotFinite,
    /// Fluid left the space in which positions can be told apart.
    OutOfReach,
    /// The solids' engine gave up.
    Solids,
    /// Energy has come from nowhere.
    Runaway {
        /// How much more there is than sources explain `[J]`.
        excess: f64,
        /// How much may be there unexplained `[J]`.
        scale: f64,
    },
    /// Fluid as a whole is compressed as no liquid is.
    Crushed {
        /// Mean compression `[1]`.
        mean: f64,
    },
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
    /// What kind of failure it is.
    pub failure: Failure,
    /// What went wrong and what may help.
    pub reason: String,
}

/// Why a saved state cannot be used, or a state not be saved.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the saved state does not fit: {0}; resume with the scene that it was saved from")]
pub struct StateError(pub String);

//! What a run tells while it goes on, once each.

use serde::{Deserialize, Serialize};

/// What a notice is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Sign {
    /// Fluid has left the world.
    FluidLeft,
    /// A body has left the world.
    BodyLeft,
    /// Steps are much shorter than was to be expected.
    ShortSteps,
    /// Solves end above their tolerance.
    Unconverged,
    /// A particle is compressed as splashes do not compress it.
    Compressed,
    /// The fluid as a whole is compressed.
    LosesVolume,
}

impl Sign {
    /// Whether it is nothing to worry about: something that the scene may well mean.
    #[must_use]
    pub fn is_harmless(self) -> bool {
        matches!(self, Self::FluidLeft | Self::BodyLeft | Self::ShortSteps)
    }
}

/// Something that a run tells while it goes on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Notice {
    /// What it is about.
    pub sign: Sign,
    /// The step after which it was seen.
    pub step: u64,
    /// The time of that `[s]`.
    pub time: f64,
    /// What was seen, where, and what it means.
    pub text: String,
    /// What may be done about it; empty if nothing has to be.
    pub help: String,
}

use std::time::{Duration, Instant};

/// The seven phases of a step, in their order.
///
/// The same names appear in timers, errors, the summary and the documentation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// How long the step may be.
    ChooseDt,
    /// Sources, drains and everything that is known without neighbours.
    Predict,
    /// Neighbours, boundary rows, densities: who touches whom.
    Contact,
    /// Forces and pressure sweeps: who pushes whom.
    Couple,
    /// Velocities and positions take their new values.
    Commit,
    /// Every number is finite, or the step is an error.
    Check,
    /// Series, frames, checkpoints; reads state, never changes it.
    Observe,
}

impl Phase {
    /// All phases in the order of the step.
    pub const ALL: [Self; 7] = [
        Self::ChooseDt,
        Self::Predict,
        Self::Contact,
        Self::Couple,
        Self::Commit,
        Self::Check,
        Self::Observe,
    ];

    /// The phase's name as it appears in files and messages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::ChooseDt => "choose_dt",
            Self::Predict => "predict",
            Self::Contact => "contact",
            Self::Couple => "couple",
            Self::Commit => "commit",
            Self::Check => "check",
            Self::Observe => "observe",
        }
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Wall time spent in each phase since the start of the process.
#[derive(Debug, Clone, Default)]
pub struct PhaseTimers {
    spent: [Duration; 7],
}

impl PhaseTimers {
    /// Adds the wall time since `start` to `phase`.
    pub fn add_since(&mut self, phase: Phase, start: Instant) {
        self.spent[phase as usize] += start.elapsed();
    }

    /// Wall time of a phase so far `[s]`.
    #[must_use]
    pub fn seconds(&self, phase: Phase) -> f64 {
        self.spent[phase as usize].as_secs_f64()
    }
}

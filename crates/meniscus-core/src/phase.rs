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

/// A part of a step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct StepPart {
    /// The phase it belongs to.
    pub phase: Phase,
    /// What the driver calls.
    pub call: &'static str,
    /// What happens, in a sentence.
    pub what: &'static str,
}

/// The parts of a step in their order. `docs/step.md` shows them as a table, and a test of the driver that it calls them like this.
pub const STEP: [StepPart; 13] = {
    const fn part(phase: Phase, call: &'static str, what: &'static str) -> StepPart {
        StepPart { phase, call, what }
    }
    [
        part(Phase::ChooseDt, "Fluid::step_limit", "The length of the step."),
        part(
            Phase::Predict,
            "SolidEngine::predict",
            "Where solids will be, as far as is known before anything meets.",
        ),
        part(Phase::Predict, "Fluid::begin", "Sources and drains; notes what undoing takes."),
        part(Phase::Predict, "Solids::begin_response", "Solids get ready to say what they make of impulses."),
        part(
            Phase::Contact,
            "Fluid::find_contacts",
            "Neighbours, boundary rows, densities: who touches whom.",
        ),
        part(
            Phase::Couple,
            "Fluid::exchange (divergence)",
            "Pressures that take compression out of the velocities.",
        ),
        part(Phase::Couple, "Fluid::apply_forces", "Gravity, viscosity, friction, adhesion."),
        part(
            Phase::Couple,
            "Fluid::exchange (density)",
            "Pressures that make the density at the end of the step right.",
        ),
        part(
            Phase::Commit,
            "Fluid::integrate",
            "New velocities and positions, stopped at solids, beside the old ones.",
        ),
        part(Phase::Commit, "SolidEngine::advance", "Solids receive all impulses of the step and move."),
        part(
            Phase::Commit,
            "Fluid::project",
            "Fluid makes way for solids that ended elsewhere than was foreseen.",
        ),
        part(
            Phase::Check,
            "Fluid::check",
            "The new state is finite and no leap, and no energy has come from nowhere, or the step is undone.",
        ),
        part(Phase::Check, "Fluid::accept", "The new state replaces the old one."),
    ]
};

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

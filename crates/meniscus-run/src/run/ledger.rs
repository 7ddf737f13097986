//! What a run has cost so far, over all processes that worked on it.

use super::mesh_files::MeshFile;
use meniscus_core::{Phase, PhaseTimers};
use meniscus_output::{Notice, PhaseSeconds, cpu_seconds};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a checkpoint holds besides the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    /// The first frame not yet written.
    pub next_frame: u32,
    /// The mesh files that the scene was built from.
    pub meshes: Vec<MeshFile>,
    /// What it has told.
    pub notices: Vec<Notice>,
    /// What it has cost.
    pub costs: Costs,
}

/// What a simulation has cost.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Costs {
    /// Wall time `[s]`.
    pub wall_s: f64,
    /// Processor time, where the system tells `[s]`.
    pub cpu_s: Option<f64>,
    /// Wall time before first steps `[s]`.
    pub setup_s: f64,
    /// Wall time in each phase `[s]`.
    pub phase_seconds: PhaseSeconds,
}

impl RunRecord {
    /// The record of a run that has not cost anything yet.
    pub fn at_start(meshes: Vec<MeshFile>) -> Self {
        Self { meshes, costs: Costs { cpu_s: Some(0.0), ..Costs::default() }, ..Self::default() }
    }
}

/// When the work on a run began. A process may work on several, one after the other.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WallClock {
    start: Instant,
    /// Processor time of the process at that moment `[s]`.
    cpu_s: Option<f64>,
}

impl WallClock {
    pub fn start() -> Self {
        Self { start: Instant::now(), cpu_s: cpu_seconds() }
    }

    fn wall_seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }

    /// Processor time since then, where the system tells `[s]`.
    fn cpu_seconds(&self) -> Option<f64> {
        cpu_seconds().zip(self.cpu_s).map(|(now, before)| now - before)
    }
}

/// The costs of this process on top of those of earlier ones.
#[derive(Debug)]
pub(crate) struct Ledger {
    earlier: RunRecord,
    clock: WallClock,
    setup_s: f64,
}

impl Ledger {
    /// Begins to count; `clock` has run since the process began its work on the run.
    pub fn new(earlier: RunRecord, clock: WallClock) -> Self {
        Self { earlier, setup_s: clock.wall_seconds(), clock }
    }

    /// All costs up to now.
    pub fn record(&self, timers: &PhaseTimers, next_frame: u32, notices: &[Notice]) -> RunRecord {
        let meshes = self.earlier.meshes.clone();
        RunRecord { next_frame, meshes, notices: notices.to_vec(), costs: self.costs(timers) }
    }

    /// The same without what a checkpoint needs.
    pub fn costs(&self, timers: &PhaseTimers) -> Costs {
        let earlier = &self.earlier.costs;
        Costs {
            wall_s: earlier.wall_s + self.clock.wall_seconds(),
            // Where an earlier process could not tell, the sum would be of something else.
            cpu_s: self.clock.cpu_seconds().zip(earlier.cpu_s).map(|(now, before)| now + before),
            setup_s: earlier.setup_s + self.setup_s,
            phase_seconds: sum(&earlier.phase_seconds, timers),
        }
    }
}

fn sum(earlier: &PhaseSeconds, timers: &PhaseTimers) -> PhaseSeconds {
    PhaseSeconds {
        choose_dt: earlier.choose_dt + timers.seconds(Phase::ChooseDt),
        predict: earlier.predict + timers.seconds(Phase::Predict),
        contact: earlier.contact + timers.seconds(Phase::Contact),
        couple: earlier.couple + timers.seconds(Phase::Couple),
        commit: earlier.commit + timers.seconds(Phase::Commit),
        check: earlier.check + timers.seconds(Phase::Check),
        observe: earlier.observe + timers.seconds(Phase::Observe),
    }
}

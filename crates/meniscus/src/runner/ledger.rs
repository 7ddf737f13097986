//! What a run has cost so far, over all processes that worked on it.

use meniscus_core::{DVec3, Phase, PhaseTimers, StateHash};
use meniscus_coupling::Setup;
use meniscus_geometry::Shape;
use meniscus_output::{PhaseSeconds, cpu_seconds};
use serde::{Deserialize, Serialize};
use std::time::Instant;

/// What a checkpoint holds besides the state.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRecord {
    /// The first frame not yet written.
    pub next_frame: u32,
    /// Fingerprint of the boundary particles: they are made from meshes, which may have changed.
    pub samples_hash: u128,
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
    pub fn at_start(setup: &Setup) -> Self {
        Self { samples_hash: samples_hash(setup), cpu_s: Some(0.0), ..Self::default() }
    }
}

/// The costs of this process on top of those of earlier ones.
#[derive(Debug)]
pub(crate) struct Ledger {
    earlier: RunRecord,
    start: Instant,
    setup_s: f64,
}

impl Ledger {
    /// Begins to count; `start` is when the process began its work.
    pub fn new(earlier: RunRecord, start: Instant) -> Self {
        Self { earlier, start, setup_s: start.elapsed().as_secs_f64() }
    }

    /// All costs up to now.
    pub fn record(&self, timers: &PhaseTimers, next_frame: u32) -> RunRecord {
        let earlier = &self.earlier;
        RunRecord {
            next_frame,
            samples_hash: earlier.samples_hash,
            wall_s: earlier.wall_s + self.start.elapsed().as_secs_f64(),
            // Where an earlier process could not tell, the sum would be of something else.
            cpu_s: cpu_seconds().zip(earlier.cpu_s).map(|(now, before)| now + before),
            setup_s: earlier.setup_s + self.setup_s,
            phase_seconds: sum(&earlier.phase_seconds, timers),
        }
    }
}

fn sum(earlier: &PhaseSeconds, timers: &PhaseTimers) -> PhaseSeconds {
    PhaseSeconds {
        choose_dt: earlier.choose_dt + timers.seconds(Phase::ChooseDt),
        predict: earlier.predict + timers.seconds(Phase::Predict),
        wet: earlier.wet + timers.seconds(Phase::Wet),
        couple: earlier.couple + timers.seconds(Phase::Couple),
        commit: earlier.commit + timers.seconds(Phase::Commit),
        check: earlier.check + timers.seconds(Phase::Check),
        observe: earlier.observe + timers.seconds(Phase::Observe),
    }
}

/// The fingerprint of all boundary particles and, where bodies move freely, of their meshes.
pub(crate) fn samples_hash(setup: &Setup) -> u128 {
    let mut bytes = Vec::new();
    for samples in &setup.samples {
        bytes.extend(samples.body.0.to_le_bytes());
        bytes.extend(samples.volume_factor.to_le_bytes());
        bytes.extend(samples.position.iter().flat_map(DVec3::to_array).flat_map(f64::to_le_bytes));
    }
    for body in setup.bodies.iter().filter(|_| setup.solids.is_some()) {
        if let Shape::Mesh(mesh) = &body.solid.shape {
            let vertex = mesh.mesh().vertex.iter().flat_map(DVec3::to_array);
            // The whole mesh would be as good, but copies have the same one over and over.
            bytes.extend(
                StateHash::of_bytes(&vertex.flat_map(f64::to_le_bytes).collect::<Vec<_>>()).0.to_le_bytes(),
            );
        }
    }
    StateHash::of_bytes(&bytes).0
}

use crate::Wrench;
use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A solid of the scene, by its position in the scene's list of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub u32);

/// A point where fluid may touch a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterfacePoint {
    /// The solid it belongs to.
    pub body: BodyId,
    /// Where it is `[m]`.
    pub position: DVec3,
    /// How the solid moves there `[m/s]`.
    pub velocity: DVec3,
}

/// The hub between fluids and solids: the points they share, and what was exchanged there.
///
/// Fluids write impulses, solids answer with velocities; neither names the other's types.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// All points, those of one body side by side.
    pub point: Vec<InterfacePoint>,
    /// Per body, the sum of what its points received in the current step.
    pub load: Vec<Wrench>,
    /// What each chunk of particles adds, chunk after chunk: kept so that steps allocate nothing.
    partial: Vec<Wrench>,
}

impl Interface {
    /// An interface for `bodies` bodies with no points yet.
    #[must_use]
    pub fn new(bodies: usize) -> Self {
        Self { point: Vec::new(), load: vec![Wrench::default(); bodies], partial: Vec::new() }
    }

    /// Adds what `fill(chunk, points, loads by body)` finds, for `chunks` chunks of fluid. They are summed on their own and joined in
    /// order, so that the result does not depend on the threads.
    pub fn add_by_chunk(
        &mut self,
        chunks: usize,
        fill: impl Fn(usize, &[InterfacePoint], &mut [Wrench]) + Sync,
    ) {
        let Self { point, load, partial } = self;
        if load.is_empty() {
            return;
        }
        partial.clear();
        partial.resize(chunks * load.len(), Wrench::default());
        let parts = partial.par_chunks_mut(load.len()).enumerate();
        parts.for_each(|(chunk, loads)| fill(chunk, point, loads));
        for part in partial.chunks(load.len()) {
            for (total, part) in load.iter_mut().zip(part) {
                *total += *part;
            }
        }
    }

    /// Forgets the impulses of the previous step.
    pub fn begin_step(&mut self) {
        self.load.fill(Wrench::default());
    }
}

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

/// What the fluid did to one body during a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyLoad {
    /// Impulse on the solid `[N s]`.
    pub impulse: DVec3,
    /// Angular impulse on the solid about the origin of the scene `[N m s]`.
    pub angular_impulse: DVec3,
}

impl BodyLoad {
    /// Adds an impulse `[N s]` that acts at `position` `[m]`.
    pub fn push(&mut self, position: DVec3, impulse: DVec3) {
        self.impulse += impulse;
        self.angular_impulse += position.cross(impulse);
    }
}

impl std::ops::AddAssign for BodyLoad {
    fn add_assign(&mut self, other: Self) {
        self.impulse += other.impulse;
        self.angular_impulse += other.angular_impulse;
    }
}

/// The hub between fluids and solids: the points they share, and what was exchanged there.
///
/// Fluids write impulses, solids answer with velocities; neither names the other's types.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// All points, those of one body side by side.
    pub point: Vec<InterfacePoint>,
    /// Per body, the sum of what its points received in the current step.
    pub load: Vec<BodyLoad>,
    /// What each chunk of particles adds, chunk after chunk: kept so that steps allocate nothing.
    partial: Vec<BodyLoad>,
}

impl Interface {
    /// An interface for `bodies` bodies with no points yet.
    #[must_use]
    pub fn new(bodies: usize) -> Self {
        Self { point: Vec::new(), load: vec![BodyLoad::default(); bodies], partial: Vec::new() }
    }

    /// Adds what `fill(chunk, points, loads by body)` finds, for `chunks` chunks of fluid. They are summed on their own and joined in
    /// order, so that the result does not depend on the threads.
    pub fn add_by_chunk(
        &mut self,
        chunks: usize,
        fill: impl Fn(usize, &[InterfacePoint], &mut [BodyLoad]) + Sync,
    ) {
        let Self { point, load, partial } = self;
        if load.is_empty() {
            return;
        }
        partial.clear();
        partial.resize(chunks * load.len(), BodyLoad::default());
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
        self.load.fill(BodyLoad::default());
    }
}

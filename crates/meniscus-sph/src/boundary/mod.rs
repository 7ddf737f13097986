//! How a fluid particle feels a wall: boundary methods as producers of rows.
//!
//! A method writes, for each fluid particle, a short row of samples: V W, V ∇W and the interface point that stands
//! behind them. Pressure solvers, viscosity and friction read rows, and mostly only their sums; they cannot know which
//! method wrote them.

mod contact;
mod volume_particles;

pub use contact::Contact;
pub use volume_particles::{BodySamples, VolumeParticles, flat_wall_volume_factor, layer_depths};

use crate::grid::CellGrid;
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyLoad, Interface, InterfacePoint};
use rayon::prelude::*;

/// One entry of a boundary row.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoundarySample {
    /// V ∇W at the fluid particle `[1/m]`.
    pub gradient: [f32; 3],
    /// V W at the fluid particle `[1]`.
    pub value: f32,
    /// The interface point behind it.
    pub point: u32,
}

/// What a boundary row adds up to: all that a pressure sweep needs.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoundarySum {
    /// Σ_k V ∇W `[1/m]`.
    pub gradient: Vec3,
    /// Σ_k V W, the boundary's share of the density in units of the rest density `[1]`.
    pub density: f32,
    /// Σ_k V v_k · ∇W: how fast moving walls change the density `[1/s]`.
    pub flux: f32,
    /// Σ_k V ∇W g·(x_k − x_i): the part of the walls' answer that is the weight of the fluid between particle and wall
    /// `[m/s²]`.
    pub weight: Vec3,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct BoundaryChunk {
    pub sample: Vec<BoundarySample>,
    pub end: Vec<u32>,
    pub candidate: crate::search::Candidates,
}

/// The boundary rows of all fluid particles, in the same chunks as the fluid rows.
#[derive(Debug, Clone, Default)]
pub struct BoundaryRows {
    pub(crate) chunk: Vec<BoundaryChunk>,
    /// Each row's sum.
    pub sum: Vec<BoundarySum>,
}

/// The fluid as a boundary method sees it.
#[derive(Clone, Copy)]
pub struct FluidCells<'a> {
    /// The grid that the fluid is sorted by.
    pub grid: &'a CellGrid,
    /// Fixed-point positions in cell order.
    pub packed: &'a [[i32; 4]],
}

/// A way in which solids act on the fluid.
pub trait BoundaryMethod: Send + Sync {
    /// Number of boundary particles, for the summary; zero for methods without them.
    fn particles(&self) -> usize;

    /// The boundary's share of the density of a particle whose centre touches a flat wall `[1]`.
    fn surface_density(&self) -> f32;

    /// Follows the interface and the fluid's fixed-point frame: called before rows are written.
    fn follow(&mut self, frame: &crate::fixed::FixedFrame, interface: &Interface);

    /// Writes the rows of all fluid particles; `gravity` is in `[m/s²]`.
    fn write_rows(
        &self,
        fluid: FluidCells<'_>,
        interface: &Interface,
        gravity: DVec3,
        rows: &mut BoundaryRows,
    );
}

impl BoundaryRows {
    /// Empty rows for `particles` particles.
    pub fn clear(&mut self, particles: usize) {
        self.chunk.clear();
        self.sum.clear();
        self.sum.resize(particles, BoundarySum::default());
    }

    /// The row of particle `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[BoundarySample] {
        let Some(chunk) = self.chunk.get(i / CHUNK) else { return &[] };
        let local = i % CHUNK;
        let start = if local == 0 { 0 } else { chunk.end[local - 1] };
        &chunk.sample[start as usize..chunk.end[local] as usize]
    }

    /// Adds to the interface's loads the impulse that each sample receives: `impulse(i, sample, point)` in `[N s]`.
    ///
    /// Chunks are summed on their own and joined in order, so the result does not depend on the threads.
    pub fn load_interface(
        &self,
        interface: &mut Interface,
        impulse: impl Fn(usize, &BoundarySample, &InterfacePoint) -> DVec3 + Sync,
    ) {
        let Interface { point, load } = interface;
        let partial: Vec<Vec<BodyLoad>> = (0..self.chunk.len())
            .into_par_iter()
            .map(|c| {
                let mut loads = vec![BodyLoad::default(); load.len()];
                if self.chunk[c].sample.is_empty() {
                    return loads;
                }
                for i in c * CHUNK..c * CHUNK + self.chunk[c].end.len() {
                    for sample in self.row(i) {
                        let point = &point[sample.point as usize];
                        loads[point.body.0 as usize].push(point.position, impulse(i, sample, point));
                    }
                }
                loads
            })
            .collect();
        for chunk in partial {
            for (total, part) in load.iter_mut().zip(chunk) {
                *total += part;
            }
        }
    }
}

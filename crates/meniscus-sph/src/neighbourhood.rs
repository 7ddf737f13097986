//! What is known once neighbours are found: rows, boundary rows, densities.
//!
//! All of it is scratch: it is rebuilt in each step's phase `neighbourhood` and never saved.

use crate::boundary::{Boundary, BoundaryRows, BoundarySum, FluidCells};
use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::Kernel;
use crate::particles::{Particles, SpareColumns, permute};
use crate::rows::{NeighbourRows, RowSum};
use glam::{DVec3, Vec3};
use meniscus_core::{InterfacePoints, SolidMotion, reduce};
use rayon::prelude::*;

/// k of \[Wang2017\] Eq. 10: a wall answers a particle with the particle's own pressure, and both
/// sides of the pair count `[1]`.
pub const WALL_PRESSURE: f32 = 2.0;

/// The material and its resolution: what every formula needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FluidParams {
    /// Distance of particles at rest `[m]`.
    pub spacing: f64,
    /// Rest density ρ0 `[kg/m^d]`.
    pub rest_density: f64,
    /// The smoothing kernel.
    pub kernel: Kernel,
}

impl FluidParams {
    /// The rest volume V of a particle `[m^d]`.
    #[must_use]
    pub fn volume(&self) -> f64 {
        self.kernel.dimension.cell_volume(self.spacing)
    }

    /// The volume by which a particle weighs in sums over kernels `[m^d]`: that of a lattice at rest gives exactly the rest
    /// density. With the rest volume itself the lattice would start with a few tenths of a percent of compression or
    /// tension, depending on kernel and support, and with a burst.
    #[must_use]
    pub fn kernel_volume(&self) -> f64 {
        self.volume() / self.kernel.lattice_density(self.spacing)
    }

    /// The mass of a particle `[kg]`.
    #[must_use]
    pub fn mass(&self) -> f64 {
        self.rest_density * self.volume()
    }
}

/// What surrounds the fluid.
pub struct Surroundings<'a> {
    /// How it feels the bodies.
    pub boundary: &'a mut Boundary,
    /// How the bodies move.
    pub bodies: &'a [SolidMotion],
    /// Where it meets them.
    pub points: &'a mut InterfacePoints,
    /// Gravity `[m/s²]`.
    pub gravity: DVec3,
}

/// The neighbourhood of every fluid particle at the start of a step.
#[derive(Default)]
pub struct Neighbourhood {
    /// Fixed-point positions; the fourth column is unused.
    pub packed: Vec<[i32; 4]>,
    /// Metres per unit of `packed` `[m]`.
    pub unit: f64,
    /// Fluid neighbours.
    pub rows: NeighbourRows,
    /// What each fluid row adds up to.
    pub sum: Vec<RowSum>,
    /// Boundary neighbours.
    pub boundary: BoundaryRows,
    /// ρ / ρ0 `[1]`.
    pub density: Vec<f32>,
    /// S + k push `[1/m]`, where S = Σ_j V ∇W of the fluid, push is the boundary's and k = [`WALL_PRESSURE`]: what a
    /// particle's own pressure acts through. The fourth column is the diagonal of the pressure equation,
    /// |S + k push|² + Σ_j |V ∇W|² `[1/m²]`.
    pub gradient: Vec<[f32; 4]>,
    /// Whom walls act on: most particles need not look at the boundary's sums.
    near_wall: Vec<bool>,
    grid: CellGrid,
    order: Vec<u32>,
    spare: SpareColumns,
    /// Fixed-point positions before they were sorted.
    packed_before: Vec<[i32; 4]>,
    /// How many times boundary rows were written, and with them all that a solve depends on.
    version: u64,
    /// What `order`, `rows` and `sum` were made for, beside those positions.
    arranged: Option<(FluidParams, FixedFrame)>,
}

impl Neighbourhood {
    /// Brings the particles into cell order and finds all neighbours.
    pub fn rebuild(
        &mut self,
        params: &FluidParams,
        frame: &FixedFrame,
        particles: &mut Particles,
        around: &mut Surroundings<'_>,
    ) {
        self.arrange(params, frame, &particles.position);
        particles.permute(&self.order, &mut self.spare);
        self.surround(frame, &particles.position, around);
    }

    /// Finds the neighbours of particles at these places without moving them in memory: what is known of row n belongs to
    /// particle `order()[n]`.
    pub fn look_at(
        &mut self,
        params: &FluidParams,
        frame: &FixedFrame,
        position: &[DVec3],
        around: &mut Surroundings<'_>,
    ) {
        self.arrange(params, frame, position);
        let mut sorted = Vec::new();
        let places = self.order.par_iter().with_min_len(4096).map(|&i| position[i as usize]);
        places.collect_into_vec(&mut sorted);
        self.surround(frame, &sorted, around);
    }

    /// The order of the cells, and the fluid's rows in it. All of it follows from the fixed-point positions; where these are as
    /// they were last time, after a look between two steps or when a step begins again, it is there already.
    fn arrange(&mut self, params: &FluidParams, frame: &FixedFrame, position: &[DVec3]) {
        if self.is_arranged(params, frame, position) {
            return;
        }
        self.arranged = Some((*params, *frame));
        self.unit = frame.unit();
        self.encode(frame, position);
        self.grid.sort(frame, params.kernel.dimension, &self.packed, &mut self.order);
        permute(&mut self.packed, &mut self.packed_before, &self.order);
        self.rows.build(
            &self.grid,
            self.unit,
            &self.packed,
            &params.kernel,
            params.kernel_volume(),
            &mut self.sum,
        );
    }

    fn is_arranged(&self, params: &FluidParams, frame: &FixedFrame, position: &[DVec3]) -> bool {
        let same = |(&x, packed): (&DVec3, &[i32; 4])| frame.encode(x) == packed[..3];
        self.arranged == Some((*params, *frame))
            && self.packed_before.len() == position.len()
            && position.par_iter().zip(&self.packed_before).with_min_len(4096).all(same)
    }

    /// Rows of the boundary, for particles in the order of the cells, and all that follows from both.
    fn surround(&mut self, frame: &FixedFrame, position: &[DVec3], around: &mut Surroundings<'_>) {
        let fluid = FluidCells { grid: &self.grid, packed: &self.packed, position };
        around.boundary.write_rows(
            frame,
            fluid,
            around.bodies,
            around.gravity,
            around.points,
            &mut self.boundary,
        );
        self.version += 1;
        self.join_sums();
    }

    /// Another number for each time that it was rebuilt.
    #[must_use]
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The grid's low corner and log2 of the edge of its cells `[units]`.
    pub(crate) fn cells(&self) -> ([i32; 3], u32) {
        (self.grid.low(), self.grid.cell_bits())
    }

    fn encode(&mut self, frame: &FixedFrame, position: &[DVec3]) {
        position
            .par_iter()
            .with_min_len(4096)
            .map(|&x| {
                let [x, y, z] = frame.encode(x);
                [x, y, z, 0]
            })
            .collect_into_vec(&mut self.packed);
    }

    fn join_sums(&mut self) {
        let n = self.sum.len();
        self.density.resize(n, 0.0);
        self.gradient.resize(n, [0.0; 4]);
        self.near_wall.resize(n, false);
        let joined = self.density.par_iter_mut().zip(&mut self.gradient).zip(&mut self.near_wall);
        joined.zip(&self.sum).zip(&self.boundary.sum).with_min_len(4096).for_each(
            |((((density, gradient), near_wall), fluid), wall)| {
                let inner = Vec3::from(fluid.gradient);
                let acting = inner + wall.mirror();
                // D_i of the pressure equation: −∂/∂P_i of the density rate, see `pressure/system.rs`.
                let diagonal = acting.length_squared() + fluid.gradient_squared;
                // [Wang2017] Eq. 9 over ρ0.
                *density = fluid.density + wall.density;
                *gradient = [acting.x, acting.y, acting.z, diagonal];
                *near_wall = *wall != BoundarySum::default();
            },
        );
    }

    /// What walls do to particle `i`, if there are any.
    #[inline(always)]
    #[must_use]
    pub fn wall(&self, i: usize) -> Option<&BoundarySum> {
        self.near_wall[i].then(|| &self.boundary.sum[i])
    }

    /// Whether a particle has neither neighbours nor walls in reach.
    #[must_use]
    pub fn is_alone(&self, i: usize) -> bool {
        !self.near_wall[i] && self.rows.neighbours(i).next().is_none()
    }

    /// Particles in the cells around a place, in the order of the cells: all that were within the support radius of it when these were
    /// found, and others.
    pub(crate) fn candidates(&self, frame: &FixedFrame, x: DVec3) -> impl Iterator<Item = usize> + '_ {
        let [x, y, z] = frame.encode(x);
        self.grid.block(self.grid.cell_of([x, y, z, 0])).into_ranges().flatten()
    }

    /// How [`Neighbourhood::rebuild`] sorted the particles: row n was row `order[n]` before.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Mean and largest compression, (ρ/ρ0 − 1) where positive `[1]`.
    #[must_use]
    pub fn density_error(&self) -> (f64, f64) {
        let n = self.density.len();
        let excess = |i: usize| f64::from((self.density[i] - 1.0).max(0.0));
        let add = |(sum, max): (f64, f64), x: f64| (sum + x, max.max(x));
        let join = |a: (f64, f64), b: (f64, f64)| (a.0 + b.0, a.1.max(b.1));
        let chunk = |range: std::ops::Range<usize>| range.map(excess).fold((0.0, 0.0), add);
        let (sum, max) = reduce::by_chunk(n, (0.0, 0.0), chunk, join);
        (sum / n.max(1) as f64, max)
    }
}

//! How a fluid particle feels a wall: boundary methods as producers of rows.
//!
//! A method writes, for each fluid particle, a short row of samples: V W, V ∇W and the interface point that stands
//! behind them. Pressure solvers, viscosity and friction read rows, and mostly only their sums; they cannot know which
//! method wrote them. Methods that correct velocities and positions instead read the same rows
//! ([`ForcingContacts`]).
//!
//! A folder or file a method: `particles` are bodies as samples, which answer with pressure or are held off by contacts
//! (`forcing`) or repulsion (`penalty`); `map` are bodies whose share of the density is tabulated. `rows` joins what they
//! write. [`approach`] and `tangential_completion` add what rows alone leave undone.

pub mod approach;
mod forcing;
mod map;
mod particles;
mod penalty;
mod rows;
mod tangential_completion;

pub use approach::ApproachLimit;
pub use forcing::{ContactWalls, ForcingContacts, ForcingFluid, ForcingParams, ForcingUpdate, StepEnd};
pub use map::{BodyField, BodyMap, FlatMap, MapKind, MappedBodies, RoundMap};
pub use particles::{
    BodySamples, BoundaryTreatment, Extent, SampleGeometry, SampledBodies, edge_volume_correction,
    flat_wall_volume_factor, layer_depths, missing_density, missing_gradient, round_wall_volume_factor,
    sheet_volume_factor,
};
pub use penalty::{Penalties, PenaltyParams};
pub use rows::{Boundary, BoundaryRows};
pub use tangential_completion::{TangentialCompletion, WallView};

use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::Kernel;
use crate::neighbourhood::WALL_PRESSURE;
use glam::{DVec3, Vec3};
use meniscus_core::{InterfacePoint, InterfacePoints, SolidMotion};

/// One entry of a boundary row.
#[derive(Debug, Clone, Copy, Default)]
pub struct BoundarySample {
    /// Through which pressure and friction act, see [`BoundarySum::push`]; zero for a body that answers neither and only
    /// fills up the density, and of one that is touched and not felt what pressure does along faces that end `[1/m]`.
    pub push: [f32; 3],
    /// V W at the fluid particle `[1]`.
    pub value: f32,
    /// The interface point behind it.
    pub point: u32,
}

/// What a boundary row adds up to: all that a pressure sweep needs.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BoundarySum {
    /// The gradient of `density`: Σ_k V ∇W for samples `[1/m]`. Whoever asks where walls are needs it; pressure does not.
    pub gradient: Vec3,
    /// What the particle's pressure acts through, k P at a time, and its velocity, k v at a time: Σ_k V ∇W for samples `[1/m]`.
    pub push: Vec3,
    /// Σ_k V W, the boundary's share of the density in units of the rest density `[1]`.
    pub density: f32,
    /// The share of the density of bodies that answer pressure, in units of their share at a flat wall's surface: at 1 a
    /// particle touches `[1]`.
    pub contact_ratio: f32,
    /// k Σ_k v_k · push: how fast moving walls change the density, see [`BoundarySum::mirror`] `[1/s]`.
    pub flux: f32,
    /// Σ_k push g·(x_k − x_i): the part of the walls' answer that is the weight of the fluid between particle and wall
    /// `[m/s²]`.
    pub hydrostatic: Vec3,
}

impl BoundarySum {
    /// k Σ_k push: all that a wall is to pressure solves, which see a mirror in it `[1/m]`.
    ///
    /// Behind the wall the particle's own pressure goes on, and its velocity as the wall would throw it back: −k P times the push is what it
    /// is accelerated by, k (v − v_k) · push what its density changes by. So either is the other's transpose (ADR 33).
    #[inline(always)]
    #[must_use]
    pub fn mirror(&self) -> Vec3 {
        WALL_PRESSURE * self.push
    }

    /// The speed at which a particle with velocity `v` `[m/s]` comes nearer to the walls `[m/s]`; not a number if they are nowhere.
    #[inline(always)]
    #[must_use]
    pub fn approach(&self, v: Vec3) -> f32 {
        let mirror = self.mirror();
        (v.dot(mirror) - self.flux) / mirror.length()
    }

    /// How much of `weight` acts on a particle with pressure P `[m²/s²]`: all of it in a fluid, but never more than the pressure
    /// itself exerts, so that a wall's answer begins at zero `[1]`.
    #[must_use]
    pub fn hydrostatic_share(&self, pressure: f32) -> f32 {
        // Most particles touch no wall, and roots take time.
        if self.hydrostatic == Vec3::ZERO {
            return 1.0;
        }
        let (exerted, weight) = (pressure * self.push.length(), self.hydrostatic.length());
        if exerted >= weight { 1.0 } else { (exerted / weight).max(0.0) }
    }
}

impl std::ops::AddAssign for BoundarySum {
    fn add_assign(&mut self, other: Self) {
        self.gradient += other.gradient;
        self.push += other.push;
        self.density += other.density;
        self.contact_ratio += other.contact_ratio;
        self.flux += other.flux;
        self.hydrostatic += other.hydrostatic;
    }
}

/// The rows of up to [`CHUNK`](meniscus_core::reduce::CHUNK) particles.
#[derive(Debug, Clone, Default)]
pub struct BoundaryChunk {
    pub(crate) sample: Vec<BoundarySample>,
    /// Where each row ends in `sample`.
    pub(crate) end: Vec<u32>,
    /// Points that exist for this step only; a sample refers to them by its number here plus [`BoundaryChunk::TRANSIENT`].
    pub(crate) point: Vec<InterfacePoint>,
    pub(crate) candidate: crate::search::Candidates,
    /// Maps that may reach the chunk.
    pub(crate) near: Vec<usize>,
    /// Samples of bodies that are touched in the row that is being written.
    pub(crate) faces: Vec<particles::FaceSample>,
}

impl BoundaryChunk {
    /// Marks a sample's point as one of its own chunk.
    pub(crate) const TRANSIENT: u32 = 1 << 31;

    pub(crate) fn clear(&mut self) {
        self.sample.clear();
        self.end.clear();
        self.point.clear();
    }
}

/// The fluid as a boundary method sees it.
#[derive(Clone, Copy)]
pub struct FluidCells<'a> {
    /// The grid that the fluid is sorted by.
    pub grid: &'a CellGrid,
    /// Fixed-point positions in cell order.
    pub packed: &'a [[i32; 4]],
    /// Positions in cell order `[m]`.
    pub position: &'a [DVec3],
}

/// The walls as a boundary method sees them while it writes rows.
#[derive(Clone, Copy)]
pub struct Walls<'a> {
    /// The points that last.
    pub points: &'a InterfacePoints,
    /// Gravity `[m/s²]`.
    pub gravity: DVec3,
}

/// How a body acts on fluid, as those who read rows need to know it: its boundary method says so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WallTraits {
    /// The gradient of a sample's density in units of its push, for those who ask where the wall is `[1]`.
    pub gradient_over_push: f32,
    /// Whether the approach of single particles is limited by the body's share of their density, and friction and viscous drag act
    /// by its samples. Where not, contacts do all that.
    pub(in crate::boundary) is_felt: bool,
    /// Of a smooth wall, which has one sample a particle: how far behind its surface the sample is `[m]`.
    pub(in crate::boundary) smooth_depth: Option<f32>,
    /// Whether the body receives reactions where the particle is, and not at the sample.
    pub reacts_at_particle: bool,
}

impl Default for WallTraits {
    fn default() -> Self {
        Self { gradient_over_push: 1.0, is_felt: true, smooth_depth: None, reacts_at_particle: false }
    }
}

impl WallTraits {
    /// Through what friction and viscosity of the wall act, per sample: its push, or nothing where contacts do all that `[1/m]`.
    #[must_use]
    pub fn tangential_push(&self, sample: &BoundarySample) -> Vec3 {
        if self.is_felt { Vec3::from(sample.push) } else { Vec3::ZERO }
    }

    /// How far a particle is from the wall's surface if its one sample is at this `lever` `[m]`: what a shear is taken over. Walls of many
    /// samples shear by pairs, and are infinitely far `[m]`.
    #[must_use]
    pub fn shear_distance(&self, lever: Vec3) -> f32 {
        self.smooth_depth.map_or(f32::INFINITY, |depth| lever.length() - depth)
    }

    /// −V ∇W · r of one sample that is `away` from the particle `[1]`. Walls that answer no
    /// pressure have no push, but complete neighbourhoods all the same.
    #[must_use]
    pub fn virial(&self, sample: &BoundarySample, away: DVec3, kernel: &Kernel) -> f32 {
        if self.smooth_depth.is_some() {
            // A smooth wall pushes along its normal only. Along it, ∫ −x ∂W/∂x is by parts ∫ W, the wall's share of the density.
            let along = (kernel.dimension.count() - 1) as f32;
            return along * sample.value - away.as_vec3().dot(Vec3::from(sample.push));
        }
        let r = away.length();
        let value = kernel.value(r);
        if value <= 0.0 { 0.0 } else { sample.value * (-r * kernel.derivative(r) / value) as f32 }
    }
}

/// A way in which solids act on the fluid.
pub trait BoundaryMethod: Send + Sync {
    /// Number of boundary particles, for the summary; zero for methods without them.
    fn particles(&self) -> usize;

    /// Follows the bodies and the fluid's fixed-point frame: called before rows are written.
    fn follow(&mut self, frame: &FixedFrame, bodies: &[SolidMotion], points: &mut InterfacePoints);

    /// By how much the boundary's share of the density of a particle at `x` `[m]`, moving at `v` `[m/s]`, exceeds after `dt` `[s]`
    /// what the rates of its `row`, whose points are `points`'s, predict `[1]`. Zero for methods that know no better.
    fn advance(
        &self,
        _x: DVec3,
        _v: Vec3,
        _dt: f64,
        _row: &[BoundarySample],
        _interface: &InterfacePoints,
    ) -> f32 {
        0.0
    }

    /// Says how its bodies act; `traits` has an entry for each body of the scene.
    fn describe(&self, traits: &mut [WallTraits]);

    /// How bodies that are touched, not felt, look at the end of the step: for each lasting point how it touches, and by
    /// body how it answers. `None` if there are no such bodies.
    fn sample_geometries(&self) -> Option<(&[SampleGeometry], &[BoundaryTreatment])> {
        None
    }

    /// Writes the rows of the particles from `first` on, one for each of `sums`.
    fn write_chunk(
        &self,
        fluid: FluidCells<'_>,
        walls: Walls<'_>,
        first: usize,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    );
}

//! The rows of all particles, whoever wrote them.

use super::{
    BoundaryChunk, BoundaryMethod, BoundarySample, BoundarySum, BoundaryTreatment, FluidCells,
    SampleGeometry, WallTraits, Walls,
};
use crate::fixed::FixedFrame;
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, Interface, InterfacePoint, InterfacePoints, SolidMotion};
use rayon::prelude::*;

/// All boundary methods of a scene.
#[derive(Default)]
pub struct Boundary {
    methods: Vec<Box<dyn BoundaryMethod>>,
    /// By body.
    traits: Vec<WallTraits>,
}

impl Boundary {
    /// The methods of a scene with this many bodies.
    #[must_use]
    pub fn new(methods: Vec<Box<dyn BoundaryMethod>>, bodies: usize) -> Self {
        let mut traits = vec![WallTraits::default(); bodies];
        for method in &methods {
            method.describe(&mut traits);
        }
        Self { methods, traits }
    }

    /// Number of boundary particles.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.methods.iter().map(|m| m.particles()).sum()
    }

    /// How bodies that are touched look at the end of the step; see [`BoundaryMethod::sample_geometries`].
    #[must_use]
    pub fn sample_geometries(&self) -> Option<(&[SampleGeometry], &[BoundaryTreatment])> {
        self.methods.iter().find_map(|m| m.sample_geometries())
    }

    /// Looks where particles that move at `velocity` `[m/s]` will be at the end of a step of `dt` `[s]`, and notes by how much
    /// their boundary density will differ from what their rows predict.
    pub fn advance(
        &self,
        position: &[DVec3],
        velocity: &[[f32; 4]],
        dt: f64,
        points: &InterfacePoints,
        rows: &mut BoundaryRows,
    ) {
        let mut surplus = std::mem::take(&mut rows.surplus);
        surplus.clear();
        surplus.resize(position.len(), 0.0);
        let particles = position.par_iter().zip(velocity).enumerate().with_min_len(1024);
        particles.zip(&mut surplus).for_each(|((i, (&x, v)), surplus)| {
            let row = rows.row(i);
            if !row.is_empty() {
                let v = Vec3::from_slice(v);
                *surplus = self.methods.iter().map(|m| m.advance(x, v, dt, row, points)).sum();
            }
        });
        rows.surplus = surplus;
    }

    /// Follows bodies and frame and writes the rows of all particles; `gravity` is in `[m/s²]`.
    pub fn write_rows(
        &mut self,
        frame: &FixedFrame,
        fluid: FluidCells<'_>,
        bodies: &[SolidMotion],
        gravity: DVec3,
        points: &mut InterfacePoints,
        rows: &mut BoundaryRows,
    ) {
        points.keep_persistent();
        for method in &mut self.methods {
            method.follow(frame, bodies, points);
        }
        let particles = fluid.packed.len();
        let Some((first, others)) = self.methods.split_first() else { return rows.clear(particles) };
        rows.sum.resize(particles, BoundarySum::default());
        rows.chunk.resize_with(particles.div_ceil(CHUNK), BoundaryChunk::default);
        rows.spare.resize_with(if others.is_empty() { 0 } else { rows.chunk.len() }, Spare::default);
        let walls = Walls { points, gravity };
        let chunks = rows.chunk.par_iter_mut().zip(rows.sum.par_chunks_mut(CHUNK)).enumerate();
        if others.is_empty() {
            chunks.for_each(|(c, (chunk, sums))| first.write_chunk(fluid, walls, c * CHUNK, chunk, sums));
        } else {
            chunks.zip(&mut rows.spare).for_each(|((c, (chunk, sums)), spare)| {
                first.write_chunk(fluid, walls, c * CHUNK, chunk, sums);
                for method in others {
                    spare.sum.resize(sums.len(), BoundarySum::default());
                    method.write_chunk(fluid, walls, c * CHUNK, &mut spare.chunk, &mut spare.sum);
                    spare.join(chunk, sums);
                }
            });
        }
        rows.traits.clone_from(&self.traits);
        rows.place_transient_points(points);
    }
}

/// Where a second method writes before its rows are joined to the first one's.
#[derive(Debug, Clone, Default)]
struct Spare {
    chunk: BoundaryChunk,
    sum: Vec<BoundarySum>,
    joined: Vec<BoundarySample>,
}

impl Spare {
    fn join(&mut self, chunk: &mut BoundaryChunk, sums: &mut [BoundarySum]) {
        if self.chunk.sample.is_empty() {
            return;
        }
        let fresh = chunk.point.len() as u32;
        chunk.point.append(&mut self.chunk.point);
        self.joined.clear();
        let (mut a, mut b) = (0, 0);
        for (end, &other_end) in chunk.end.iter_mut().zip(&self.chunk.end) {
            self.joined.extend_from_slice(&chunk.sample[a..*end as usize]);
            self.joined.extend(self.chunk.sample[b..other_end as usize].iter().map(|&sample| {
                let moved = if sample.point & BoundaryChunk::TRANSIENT == 0 { 0 } else { fresh };
                BoundarySample { point: sample.point + moved, ..sample }
            }));
            (a, b) = (*end as usize, other_end as usize);
            *end = self.joined.len() as u32;
        }
        std::mem::swap(&mut chunk.sample, &mut self.joined);
        for (sum, other) in sums.iter_mut().zip(&self.sum) {
            *sum += *other;
        }
    }
}

/// The boundary rows of all fluid particles, in the same chunks as the fluid rows.
#[derive(Debug, Clone, Default)]
pub struct BoundaryRows {
    chunk: Vec<BoundaryChunk>,
    spare: Vec<Spare>,
    /// By body.
    traits: Vec<WallTraits>,
    /// Each row's sum.
    pub sum: Vec<BoundarySum>,
    /// By how much each particle's share of the density will exceed what its sum predicts at the end of the step; see
    /// [`Boundary::advance`] `[1]`.
    pub surplus: Vec<f32>,
}

impl BoundaryRows {
    /// No rows.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            chunk: Vec::new(),
            spare: Vec::new(),
            traits: Vec::new(),
            sum: Vec::new(),
            surplus: Vec::new(),
        }
    }

    /// Empty rows for `particles` particles.
    pub fn clear(&mut self, particles: usize) {
        self.chunk.clear();
        self.sum.clear();
        self.sum.resize(particles, BoundarySum::default());
    }

    /// Moves the points that exist for this step only into the points, chunk after chunk.
    fn place_transient_points(&mut self, points: &mut InterfacePoints) {
        for chunk in self.chunk.iter_mut().filter(|chunk| !chunk.point.is_empty()) {
            let first = points.len() as u32;
            chunk.point.iter().for_each(|point| points.push(point));
            for sample in &mut chunk.sample {
                if sample.point & BoundaryChunk::TRANSIENT != 0 {
                    sample.point = first + (sample.point & !BoundaryChunk::TRANSIENT);
                }
            }
        }
    }

    /// How a body acts on fluid.
    #[inline(always)]
    #[must_use]
    pub fn traits(&self, body: BodyId) -> &WallTraits {
        &self.traits[body.index()]
    }

    /// Where a body receives what a particle at `x` exerts through one of its points `[m]`.
    #[must_use]
    pub fn reaction_place(&self, point: &InterfacePoint, x: DVec3) -> DVec3 {
        if self.traits(point.body).reacts_at_particle { x } else { point.position }
    }

    /// The row of particle `i`.
    #[must_use]
    pub fn row(&self, i: usize) -> &[BoundarySample] {
        let Some(chunk) = self.chunk.get(i / CHUNK) else { return &[] };
        let local = i % CHUNK;
        let start = if local == 0 { 0 } else { chunk.end[local - 1] };
        &chunk.sample[start as usize..chunk.end[local] as usize]
    }

    /// Adds to the interface's loads the impulse that each sample of particle i, at `position` `[m]`, receives: `impulse(i)(sample, point)` in
    /// `[N s]`.
    pub fn load_interface<I: Fn(&BoundarySample, &InterfacePoint) -> DVec3>(
        &self,
        points: &InterfacePoints,
        interface: &mut Interface,
        position: &[DVec3],
        impulse: impl Fn(usize) -> I + Sync,
    ) {
        self.load(points, interface, impulse, |i, point| self.reaction_place(point, position[i]));
    }

    /// The same for impulses that do not point along the line between particle and point. A particle does not spin, so the body
    /// receives them where the particle is, at `position` `[m]`: what one gains the other loses, in angular momentum too.
    pub fn load_at_particles(
        &self,
        points: &InterfacePoints,
        interface: &mut Interface,
        position: &[DVec3],
        impulse: impl Fn(usize, &BoundarySample, &InterfacePoint) -> DVec3 + Sync,
    ) {
        let impulse = &impulse;
        let of_particle =
            |i: usize| move |sample: &BoundarySample, point: &InterfacePoint| impulse(i, sample, point);
        self.load(points, interface, of_particle, |i, _| position[i]);
    }

    fn load<I: Fn(&BoundarySample, &InterfacePoint) -> DVec3>(
        &self,
        points: &InterfacePoints,
        interface: &mut Interface,
        impulse: impl Fn(usize) -> I + Sync,
        place: impl Fn(usize, &InterfacePoint) -> DVec3 + Sync,
    ) {
        interface.add_by_chunk(self.chunk.len(), points, |c, loads| {
            let BoundaryChunk { sample, end, .. } = &self.chunk[c];
            if sample.is_empty() {
                return;
            }
            let mut start = 0;
            for (i, &end) in (c * CHUNK..).zip(end) {
                let row = &sample[start as usize..end as usize];
                start = end;
                if row.is_empty() {
                    continue;
                }
                let impulse = impulse(i);
                for sample in row {
                    let k = sample.point as usize;
                    let point = points.get(k);
                    loads.push(k, place(i, &point), impulse(sample, &point));
                }
            }
        });
    }
}

//! The rows of all particles, whoever wrote them.

use super::{
    BodyMotion, BoundaryChunk, BoundaryMethod, BoundarySample, BoundarySum, FluidCells, Response, Touch,
    Walls,
};
use crate::fixed::FixedFrame;
use crate::wet::WALL_PRESSURE;
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, Interface, InterfacePoint};
use rayon::prelude::*;

/// All boundary methods of a scene.
#[derive(Default)]
pub struct Boundary {
    methods: Vec<Box<dyn BoundaryMethod>>,
    /// Interface points that last from step to step.
    lasting: usize,
}

impl Boundary {
    /// The methods, which have added their lasting points to the interface.
    #[must_use]
    pub fn new(methods: Vec<Box<dyn BoundaryMethod>>, interface: &Interface) -> Self {
        Self { methods, lasting: interface.point.len() }
    }

    /// Number of interface points that last from step to step; those behind them are of smooth walls and of this step.
    #[must_use]
    pub fn lasting(&self) -> usize {
        self.lasting
    }

    /// Number of boundary particles.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.methods.iter().map(|m| m.particles()).sum()
    }

    /// How bodies that are touched look at the end of the step; see [`BoundaryMethod::touches`].
    #[must_use]
    pub fn touches(&self) -> Option<(&[Touch], &[Response])> {
        self.methods.iter().find_map(|m| m.touches())
    }

    /// Looks where particles that move at `velocity` `[m/s]` will be at the end of a step of `dt` `[s]`, and notes by how much
    /// their boundary density will differ from what their rows predict.
    pub fn advance(
        &self,
        position: &[DVec3],
        velocity: &[[f32; 4]],
        dt: f64,
        interface: &Interface,
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
                *surplus = self.methods.iter().map(|m| m.advance(x, v, dt, row, interface)).sum();
            }
        });
        rows.surplus = surplus;
    }

    /// Follows bodies and frame and writes the rows of all particles; `gravity` is in `[m/s²]`.
    pub fn write_rows(
        &mut self,
        frame: &FixedFrame,
        fluid: FluidCells<'_>,
        bodies: &[BodyMotion],
        gravity: DVec3,
        interface: &mut Interface,
        rows: &mut BoundaryRows,
    ) {
        interface.point.truncate(self.lasting);
        for method in &mut self.methods {
            method.follow(frame, bodies, interface);
        }
        let particles = fluid.packed.len();
        let Some((first, others)) = self.methods.split_first() else { return rows.clear(particles) };
        rows.sum.resize(particles, BoundarySum::default());
        rows.chunk.resize_with(particles.div_ceil(CHUNK), BoundaryChunk::default);
        rows.spare.resize_with(if others.is_empty() { 0 } else { rows.chunk.len() }, Spare::default);
        let walls = Walls { interface, gravity };
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
        rows.lasting = self.lasting as u32;
        let response = self.touches().map_or(&[][..], |(_, response)| response);
        rows.touched.clear();
        rows.touched.extend(response.iter().map(|response| matches!(response, Response::Forcing(_))));
        rows.place_fresh_points(interface);
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
                let moved = if sample.point & BoundaryChunk::FRESH == 0 { 0 } else { fresh };
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
    lasting: u32,
    /// By body: whether it holds fluid off by contacts.
    touched: Vec<bool>,
    /// Each row's sum.
    pub sum: Vec<BoundarySum>,
    /// By how much each particle's share of the density will exceed what its sum predicts at the end of the step; see
    /// [`Boundary::advance`] `[1]`.
    pub surplus: Vec<f32>,
}

impl BoundaryRows {
    /// Empty rows for `particles` particles.
    pub fn clear(&mut self, particles: usize) {
        self.chunk.clear();
        self.sum.clear();
        self.sum.resize(particles, BoundarySum::default());
    }

    /// Moves the points that exist for this step only into the interface, chunk after chunk.
    fn place_fresh_points(&mut self, interface: &mut Interface) {
        for chunk in self.chunk.iter_mut().filter(|chunk| !chunk.point.is_empty()) {
            let first = interface.point.len() as u32;
            interface.point.extend_from_slice(&chunk.point);
            for sample in &mut chunk.sample {
                if sample.point & BoundaryChunk::FRESH != 0 {
                    sample.point = first + (sample.point & !BoundaryChunk::FRESH);
                }
            }
        }
    }

    /// The gradient of a sample's density in units of its push `[1]`: what smooth walls, whose points are of this step only, have in
    /// place of k; see [`BoundarySum::push`].
    #[must_use]
    pub fn rise(&self, sample: &BoundarySample) -> f32 {
        if sample.point < self.lasting { 1.0 } else { WALL_PRESSURE }
    }

    /// Whether a body holds fluid off by contacts. Pushes of its samples act along its faces and not along the lines between samples and particle, so that the body
    /// receives them where the particle is, as it does contacts; they say nothing of where the wall is.
    #[must_use]
    pub fn is_touched(&self, body: BodyId) -> bool {
        self.touched.get(body.0 as usize).is_some_and(|touched| *touched)
    }

    /// Where a body receives what a particle at `x` exerts through one of its points `[m]`.
    #[must_use]
    pub fn place(&self, point: &InterfacePoint, x: DVec3) -> DVec3 {
        if self.is_touched(point.body) { x } else { point.position }
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
        interface: &mut Interface,
        position: &[DVec3],
        impulse: impl Fn(usize) -> I + Sync,
    ) {
        self.load(interface, impulse, |i, point| self.place(point, position[i]));
    }

    /// The same for impulses that do not point along the line between particle and point. A particle does not spin, so the body
    /// receives them where the particle is, at `position` `[m]`: what one gains the other loses, in angular momentum too.
    pub fn load_at_particles(
        &self,
        interface: &mut Interface,
        position: &[DVec3],
        impulse: impl Fn(usize, &BoundarySample, &InterfacePoint) -> DVec3 + Sync,
    ) {
        let impulse = &impulse;
        let of_particle =
            |i: usize| move |sample: &BoundarySample, point: &InterfacePoint| impulse(i, sample, point);
        self.load(interface, of_particle, |i, _| position[i]);
    }

    fn load<I: Fn(&BoundarySample, &InterfacePoint) -> DVec3>(
        &self,
        interface: &mut Interface,
        impulse: impl Fn(usize) -> I + Sync,
        place: impl Fn(usize, &InterfacePoint) -> DVec3 + Sync,
    ) {
        interface.add_by_chunk(self.chunk.len(), |c, point, loads| {
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
                    let point = &point[sample.point as usize];
                    loads[point.body.0 as usize].push(place(i, point), impulse(sample, point));
                }
            }
        });
    }
}

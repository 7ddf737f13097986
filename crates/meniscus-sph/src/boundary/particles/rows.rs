//! Rows of bodies that are represented by samples.

use super::calibration::{CONTACT_HEIGHT, FlatWall};
use super::edge_pressure::{FaceSample, keep_along};
use super::samples::volumes;
use super::{BodySamples, BoundaryTreatment, SampleGeometry};
use crate::boundary::{
    BoundaryChunk, BoundaryMethod, BoundarySample, BoundarySum, FluidCells, WallTraits, Walls,
};
use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::{CubicSpline, Kernel, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{F16, fma};
use crate::neighbourhood::WALL_PRESSURE;
use crate::search::{Coordinates, PairKernel, Search, WIDEST};
use fearless_simd::{Level, Simd, SimdBase, dispatch};
use glam::{DQuat, DVec3, Vec3};
use meniscus_core::{Anchor, BodyId, InterfacePoint, InterfacePoints, Pose, SolidMotion};
use rayon::prelude::*;

/// What the rows need to know of a body.
#[derive(Debug, Clone, Copy, Default)]
struct BodyTraits {
    answers_pressure: bool,
    /// Whether it holds fluid off by contacts.
    uses_contacts: bool,
    /// The largest V W / V of a sample: that at the distance of fluid at rest, where it may come nearer `[1/m^d]`.
    most: f32,
    /// The same for samples that count as if they were behind a sheet `[1/m^d]`.
    most_behind: f32,
    /// 1 / share of the density at a flat wall's surface `[1]`.
    contact_ratio: f32,
}

/// All bodies that are represented by samples.
pub struct SampledBodies {
    kernel: Kernel,
    /// Distance of the samples `[m]`.
    spacing: f64,
    /// By body.
    traits: Vec<BodyTraits>,
    /// Which bodies were there when the samples were last sorted.
    present: Vec<bool>,
    /// Whether no body moved when the points' velocities were written.
    still: bool,
    /// Where the bodies were when the samples were last sorted.
    pose: Vec<Pose>,
    /// V_b of each point `[m^d]`.
    volume: Vec<f64>,
    frame: Option<FixedFrame>,
    grid: CellGrid,
    /// Points in cell order.
    order: Vec<u32>,
    /// Fixed-point positions in cell order; the fourth column holds the bits of V_b.
    packed: Vec<[i32; 4]>,
    coordinates: Coordinates,
    encoded: Vec<[i32; 4]>,
    /// By body.
    treatment: Vec<BoundaryTreatment>,
    /// How each point touches, in its body's frame; empty if no body is touched.
    local_geometry: Vec<SampleGeometry>,
    /// The same in the scene's frame at the end of the step.
    geometry: Vec<SampleGeometry>,
}

impl SampledBodies {
    /// Adds the samples of all bodies to the points and weighs them; `spacing` is the samples' distance `[m]`, `rest`
    /// where the bodies are when their samples are where they were given.
    #[must_use]
    pub fn new(
        kernel: Kernel,
        spacing: f64,
        bodies: &[BodySamples],
        rest: &[Pose],
        points: &mut InterfacePoints,
    ) -> Self {
        let mut traits = vec![BodyTraits::default(); rest.len()];
        let (mut factor, mut position) = (Vec::new(), Vec::new());
        let mut treatment = vec![BoundaryTreatment::Pressure; rest.len()];
        let mut geometry = Vec::new();
        for body in bodies {
            let index = body.body.0 as usize;
            let surface = FlatWall::new(&kernel, spacing, body.first_depth).density(CONTACT_HEIGHT)
                * body.volume_factor;
            // Nothing but its own force holds fluid off a wall of penalties. What comes nearer than fluid at rest, as in a wedge, must
            // not be compressed by that: its pressure would drive all but the wall away.
            // ADR 15.
            let (nearest, behind) = if matches!(body.treatment, BoundaryTreatment::Penalty(_)) {
                ((0.5 + body.first_depth) * spacing, spacing)
            } else {
                (0.0, 0.0)
            };
            traits[index] = BodyTraits {
                answers_pressure: body.treatment == BoundaryTreatment::Pressure,
                uses_contacts: matches!(body.treatment, BoundaryTreatment::DirectForcing(_)),
                most: kernel.value(nearest) as f32,
                most_behind: kernel.value(behind) as f32,
                contact_ratio: if surface > 0.0 { (1.0 / surface) as f32 } else { 0.0 },
            };
            treatment[index] = body.treatment;
            let missing = body.position.len().saturating_sub(body.geometry.len());
            geometry.extend(body.geometry.iter().take(body.position.len()));
            geometry.extend(std::iter::repeat_n(SampleGeometry::Interior, missing));
            let edge_correction = body.edge_correction.iter().copied().chain(std::iter::repeat(1.0));
            factor.extend(edge_correction.take(body.position.len()).map(|even| even * body.volume_factor));
            position.extend_from_slice(&body.position);
            for (k, &position) in body.position.iter().enumerate() {
                let anchor = body.anchor.get(k).copied();
                let anchor = anchor.unwrap_or_else(|| Anchor::Frame(rest[index].to_local(position)));
                points.fix(body.body, anchor, position);
            }
        }
        Self {
            kernel,
            spacing,
            traits,
            pose: rest.to_vec(),
            volume: volumes(&kernel, &position, &factor),
            present: Vec::new(),
            still: false,
            frame: None,
            grid: CellGrid::default(),
            order: Vec::new(),
            packed: Vec::new(),
            coordinates: Coordinates::default(),
            encoded: Vec::new(),
            local_geometry: if treatment.iter().all(|r| *r == BoundaryTreatment::Pressure) {
                Vec::new()
            } else {
                geometry
            },
            geometry: Vec::new(),
            treatment,
        }
    }

    fn sort(&mut self, frame: &FixedFrame, points: &InterfacePoints) {
        let present = |point: &u32| self.present[points.body[*point as usize].index()];
        let here: Vec<u32> = (0..points.len() as u32).filter(present).collect();
        here.par_iter()
            .with_min_len(4096)
            .map(|&point| {
                let [x, y, z] = frame.encode(points.get(point as usize).position);
                [x, y, z, (self.volume[point as usize] as f32).to_bits() as i32]
            })
            .collect_into_vec(&mut self.encoded);
        self.grid.sort(frame, self.kernel.dimension, &self.encoded, &mut self.order);
        let encoded = &self.encoded;
        self.order.par_iter().map(|&n| encoded[n as usize]).collect_into_vec(&mut self.packed);
        self.coordinates.set(&self.packed);
        self.order.par_iter_mut().with_min_len(4096).for_each(|n| *n = here[*n as usize]);
        self.frame = Some(*frame);
    }
}

impl BoundaryMethod for SampledBodies {
    fn particles(&self) -> usize {
        self.volume.len()
    }

    fn follow(&mut self, frame: &FixedFrame, bodies: &[SolidMotion], points: &mut InterfacePoints) {
        let pose = &self.pose;
        let moved = |body: usize| bodies[body].rigid().is_none_or(|motion| motion.start.pose != pose[body]);
        let any_moved = (0..bodies.len().min(pose.len())).any(moved);
        // At first for all, so that a position depends on the pose alone and not on the way there.
        let anew = self.frame.is_none();
        let still = bodies.iter().all(SolidMotion::is_still);
        if anew || !(still && self.still) {
            let InterfacePoints { body, position, velocity, anchor } = points;
            let columns = body.par_iter().zip(position).zip(velocity).zip(anchor).with_min_len(4096);
            columns.for_each(|(((body, position), velocity), anchor)| {
                match (&bodies[body.index()], &*anchor) {
                    (SolidMotion::Rigid(motion), Anchor::Frame(local)) => {
                        if anew || moved(body.index()) {
                            *position = motion.start.pose.to_world(*local);
                        }
                        *velocity = motion.velocity_of(*position);
                    }
                    (SolidMotion::Deforming(motion), anchor) => {
                        *position = anchor.interpolate(&motion.surface.position).unwrap_or(*position);
                        *velocity = anchor.interpolate(&motion.surface.velocity).unwrap_or(*velocity);
                    }
                    (SolidMotion::Rigid(_), Anchor::Nodes { .. }) => {}
                }
            });
        }
        self.still = still;
        let rotation = |body: &BodyId| match bodies[body.index()].rigid() {
            Some(motion) => motion.end.pose.rotation,
            None => DQuat::IDENTITY,
        };
        let sample_geometries = self.local_geometry.par_iter().zip(&points.body).with_min_len(4096);
        sample_geometries
            .map(|(geometry, body)| geometry.turned(rotation(body)))
            .collect_into_vec(&mut self.geometry);
        for (pose, body) in self.pose.iter_mut().zip(bodies) {
            *pose = body.rigid().map_or(Pose::IDENTITY, |motion| motion.start.pose);
        }
        let changed = !self.present.iter().copied().eq(bodies.iter().map(SolidMotion::is_present));
        if changed {
            self.present = bodies.iter().map(SolidMotion::is_present).collect();
        }
        if self.frame.as_ref() != Some(frame) || changed || any_moved {
            self.sort(frame, points);
        }
    }

    fn describe(&self, traits: &mut [WallTraits]) {
        for (traits, own) in traits.iter_mut().zip(&self.traits) {
            if own.uses_contacts {
                // Its pushes act along its faces and not along the lines between samples and particle, so that it receives them
                // where the particle is, as it does contacts; they say nothing of where the wall is.
                *traits = WallTraits { is_felt: false, reacts_at_particle: true, ..WallTraits::default() };
            }
        }
    }

    fn sample_geometries(&self) -> Option<(&[SampleGeometry], &[BoundaryTreatment])> {
        (!self.geometry.is_empty()).then_some((&self.geometry, &self.treatment))
    }

    fn write_chunk(
        &self,
        fluid: FluidCells<'_>,
        walls: Walls<'_>,
        first: usize,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        match self.kernel.kind {
            KernelKind::CubicSpline => self.write_with::<CubicSpline>(fluid, walls, first, chunk, sums),
            KernelKind::WendlandC2 => self.write_with::<WendlandC2>(fluid, walls, first, chunk, sums),
        }
    }
}

impl SampledBodies {
    fn write_with<K: KernelShape>(
        &self,
        fluid: FluidCells<'_>,
        walls: Walls<'_>,
        first: usize,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        chunk.clear();
        let Some(frame) = self.frame else {
            sums.fill(BoundarySum::default());
            chunk.end.resize(sums.len(), 0);
            return;
        };
        let unit = frame.unit();
        let support = self.kernel.support_radius / unit;
        let writer = RowWriter::<K> {
            fluid,
            search: Search {
                grid: &self.grid,
                coordinates: &self.coordinates,
                support_squared: (support * support) as f32,
            },
            pair: PairKernel::new(&self.kernel, unit, 1.0),
            packed: &self.packed,
            order: &self.order,
            traits: &self.traits,
            points: walls.points,
            gravity: (walls.gravity * unit).as_vec3(),
            unit,
            kernel: &self.kernel,
            spacing: self.spacing,
            geometry: &self.geometry,
        };
        dispatch!(Level::new(), simd => writer.write_chunk(simd, first, chunk, sums));
    }
}

struct RowWriter<'a, K> {
    fluid: FluidCells<'a>,
    search: Search<'a>,
    pair: PairKernel<K>,
    packed: &'a [[i32; 4]],
    order: &'a [u32],
    traits: &'a [BodyTraits],
    points: &'a InterfacePoints,
    /// Gravity times metres per unit `[m²/s²]`.
    gravity: Vec3,
    /// Metres per unit `[m]`.
    unit: f64,
    kernel: &'a Kernel,
    /// Distance of samples `[m]`.
    spacing: f64,
    /// By lasting point; empty if no body is touched.
    geometry: &'a [SampleGeometry],
}

impl<K: KernelShape> RowWriter<'_, K> {
    #[inline(always)]
    fn write_chunk<S: Simd>(
        &self,
        simd: S,
        first: usize,
        chunk: &mut BoundaryChunk,
        sums: &mut [BoundarySum],
    ) {
        let FluidCells { grid, packed, .. } = self.fluid;
        let last = first + sums.len();
        let mut i = first;
        while i < last {
            let cell = grid.cell_of(packed[i]);
            let same = packed[i..last].iter().take_while(|p| grid.cell_of(**p) == cell).count();
            let candidates = self.search.collect(simd, cell, &packed[i..i + same], &mut chunk.candidate);
            for particle in i..i + same {
                let here = packed[particle];
                let hits = match candidates {
                    0 => 0,
                    _ => self.search.filter(simd, cell, here, u32::MAX, 0, &mut chunk.candidate),
                };
                sums[particle - first] = self.write_row(simd, hits, chunk);
            }
            i += same;
        }
    }

    #[inline(always)]
    fn write_row<S: Simd>(&self, simd: S, hits: usize, chunk: &mut BoundaryChunk) -> BoundarySum {
        let mut total = BoundarySum::default();
        chunk.faces.clear();
        for done in (0..hits).step_by(WIDEST) {
            let Some((offset, index)) = chunk.candidate.hits(simd, done) else { break };
            let (value, gradient) = self.pair.eval(simd, offset);
            let depth: [f32; WIDEST] = self.fall(simd, offset).into();
            let place: [[f32; WIDEST]; 3] = [offset[0].into(), offset[1].into(), offset[2].into()];
            let value: [f32; WIDEST] = value.into();
            let gradient: [[f32; WIDEST]; 3] = [gradient[0].into(), gradient[1].into(), gradient[2].into()];
            for lane in 0..WIDEST.min(hits - done) {
                let sample = index[lane] as usize;
                let (point, volume) = (self.order[sample], f32::from_bits(self.packed[sample][3] as u32));
                let InterfacePoint { body, velocity, .. } = self.points.get(point as usize);
                let BodyTraits { answers_pressure, uses_contacts, most, most_behind, contact_ratio } =
                    self.traits[body.0 as usize];
                let mut value = volume * value[lane].min(most);
                let gradient = volume * Vec3::new(gradient[0][lane], gradient[1][lane], gradient[2][lane]);
                if let Some(&geometry) = self.geometry.get(point as usize).filter(|_| !answers_pressure) {
                    let away = self.unit * Vec3::from(place.map(|axis| axis[lane])).as_dvec3();
                    match geometry {
                        SampleGeometry::Sheet { normal, front, back, .. } if front + back <= 0.0 => {
                            value = volume * self.behind_sheet(away, normal).min(most_behind);
                        }
                        _ if uses_contacts => {
                            chunk.faces.push(FaceSample::new(
                                chunk.sample.len(),
                                gradient,
                                depth[lane],
                                away,
                                geometry,
                            ));
                        }
                        _ => {}
                    }
                }
                // [Akinci2013] Sec. 2.1: Σ_k Ψ_b W over ρ0.
                total.density += value;
                let gradient = if answers_pressure { gradient } else { Vec3::ZERO };
                if answers_pressure {
                    total.flux += WALL_PRESSURE * velocity.as_vec3().dot(gradient);
                    total.gradient += gradient;
                    total.push += gradient;
                    total.contact_ratio += contact_ratio * value;
                    // ADR 2: Σ_k V_b ∇W g·(x_k − x_i).
                    total.hydrostatic += gradient * depth[lane];
                }
                chunk.sample.push(BoundarySample { push: gradient.into(), value, point });
            }
        }
        self.write_edge_pressure(chunk, &mut total);
        chunk.end.push(chunk.sample.len() as u32);
        total
    }
}

impl<K> RowWriter<'_, K> {
    /// W of a sample of a sheet without thickness, as if it were behind the sheet as those of solids are below their surface: on the sheet
    /// itself it would fill up the second layer of fluid, which lacks nothing `[1/m^d]`.
    fn behind_sheet(&self, away: DVec3, normal: DVec3) -> f32 {
        let side = normal * away.dot(normal).signum();
        self.kernel.value((away + 0.5 * self.spacing * side).length()) as f32
    }

    /// Lets bodies that are touched push along faces that end beside the particle.
    fn write_edge_pressure(&self, chunk: &mut BoundaryChunk, total: &mut BoundarySum) {
        let BoundaryChunk { sample, faces, .. } = chunk;
        if faces.is_empty() {
            return;
        }
        // ADR 25.
        keep_along(faces, self.spacing);
        for &FaceSample { sample: k, gradient, fall, .. } in &*faces {
            sample[k].push = gradient.into();
            let velocity = self.points.velocity[sample[k].point as usize].as_vec3();
            total.flux += WALL_PRESSURE * velocity.dot(gradient);
            total.gradient += gradient;
            total.push += gradient;
            total.hydrostatic += fall * gradient;
        }
    }

    /// g · (x_k − x_i) for sixteen samples `[m²/s²]`.
    #[inline(always)]
    fn fall<S: Simd>(&self, simd: S, [x, y, z]: [F16<S>; 3]) -> F16<S> {
        let down = -self.gravity;
        let [gx, gy, gz] = down.to_array().map(|g| F16::splat(simd, g));
        fma(gx, x, fma(gy, y, gz * z))
    }
}

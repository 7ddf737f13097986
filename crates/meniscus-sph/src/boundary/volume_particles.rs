//! Volume-weighted boundary particles (\[Akinci2013\] Sec. 2.1, after \[Akinci2012\]).
//!
//! | here | paper |
//! | --- | --- |
//! | `volume` V_b | V_b = 1 / δ_b = 1 / Σ_k W_ik (Eq. 1) |
//! | V_b W, V_b ∇W | Ψ_b(ρ0) W / ρ0, Ψ_b(ρ0) ∇W / ρ0 |
//!
//! Departures:
//! * Eq. 1 makes a single layer of samples stand for all the solid behind it, and overestimates it: a fluid lattice that
//!   starts half a spacing from the wall sees a density above the rest density, and is pushed away until the
//!   surplus is gone. `volume_factor` scales V_b so that a flat wall completes the lattice exactly
//!   ([`flat_wall_volume_factor`]); together with samples that sit half a spacing inside the solid, the water ends where
//!   the solid is drawn. A factor of 1 is the paper's formula.

use super::{BoundaryChunk, BoundaryMethod, BoundaryRows, BoundarySample, BoundarySum, FluidCells};
use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::{CubicSpline, Kernel, KernelKind, KernelShape, WendlandC2};
use crate::lanes::{F8, LANES, fma, offsets, splat};
use crate::search::{PairKernel, Search};
use fearless_simd::{Level, Simd, dispatch};
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, Dimension, Interface, InterfacePoint};
use rayon::prelude::*;

/// Contact begins this much above the drawn surface, in spacings: close enough that fluid at rest in a corner, where three
/// walls add up, does not feel it.
const CONTACT_HEIGHT: f64 = 0.1;

/// The samples of one body.
#[derive(Debug, Clone)]
pub struct BodySamples {
    /// Whose they are.
    pub body: BodyId,
    /// Where they are `[m]`.
    pub position: Vec<DVec3>,
    /// Scale of the volumes of Eq. 1 `[1]`.
    pub volume_factor: f64,
    /// Depth of the first layer of samples below the drawn surface, in spacings `[1]`.
    pub first_depth: f64,
}

/// Boundary particles of all bodies that use this method.
pub struct VolumeParticles {
    kernel: Kernel,
    /// V_b of each interface point `[m^d]`.
    volume: Vec<f64>,
    surface_density: f64,
    frame: Option<FixedFrame>,
    grid: CellGrid,
    /// Interface points in cell order.
    order: Vec<u32>,
    /// Fixed-point positions in cell order; the fourth column holds the bits of V_b.
    packed: Vec<[i32; 4]>,
}

impl VolumeParticles {
    /// Adds the samples of all bodies to the interface and weighs them; `spacing` is the samples' distance `[m]`.
    #[must_use]
    pub fn new(kernel: Kernel, spacing: f64, bodies: &[BodySamples], interface: &mut Interface) -> Self {
        let flat = |body: &BodySamples| {
            FlatWall::new(&kernel, spacing, body.first_depth).density(CONTACT_HEIGHT) * body.volume_factor
        };
        let mut method = Self {
            kernel,
            volume: Vec::new(),
            surface_density: bodies.iter().map(flat).fold(0.0, f64::max),
            frame: None,
            grid: CellGrid::default(),
            order: Vec::new(),
            packed: Vec::new(),
        };
        let mut factor = Vec::new();
        for body in bodies {
            interface.point.extend(body.position.iter().map(|&position| InterfacePoint {
                body: body.body,
                position,
                velocity: DVec3::ZERO,
            }));
            factor.extend(std::iter::repeat_n(body.volume_factor, body.position.len()));
        }
        method.weigh(interface, &factor);
        method
    }

    /// \[Akinci2013\] Eq. 1 in double precision, times each sample's factor.
    fn weigh(&mut self, interface: &Interface, factor: &[f64]) {
        let position: Vec<DVec3> = interface.point.iter().map(|p| p.position).collect();
        self.volume = vec![0.0; position.len()];
        let Some(frame) = frame_around(&position, self.kernel.support_radius) else { return };
        self.sort(&frame, &position);
        let Self { grid, packed, order, kernel, .. } = self;
        let inverse: Vec<f64> = (0..packed.len())
            .into_par_iter()
            .map(|n| {
                let here = position[order[n] as usize];
                let mut density = 0.0;
                grid.visit_block(grid.cell_of(packed[n]), |run| {
                    density +=
                        run.map(|m| kernel.value(here.distance(position[order[m] as usize]))).sum::<f64>();
                });
                density
            })
            .collect();
        for (n, &point) in self.order.iter().enumerate() {
            self.volume[point as usize] = factor[point as usize] / inverse[n];
        }
        // The table above has no volumes yet: it must not be taken for a current one.
        self.frame = None;
    }

    fn sort(&mut self, frame: &FixedFrame, position: &[DVec3]) {
        let encoded: Vec<[i32; 4]> = position
            .par_iter()
            .zip(&self.volume)
            .map(|(&x, &volume)| {
                let [x, y, z] = frame.encode(x);
                [x, y, z, (volume as f32).to_bits() as i32]
            })
            .collect();
        self.grid.sort(frame, self.kernel.dimension, &encoded, &mut self.order);
        self.packed = self.order.iter().map(|&point| encoded[point as usize]).collect();
        self.frame = Some(*frame);
    }
}

fn frame_around(position: &[DVec3], cell: f64) -> Option<FixedFrame> {
    let first = *position.first()?;
    let (min, max) = position.iter().fold((first, first), |(a, b), &x| (a.min(x), b.max(x)));
    FixedFrame::covering(min, max, cell)
}

impl BoundaryMethod for VolumeParticles {
    fn particles(&self) -> usize {
        self.volume.len()
    }

    fn surface_density(&self) -> f32 {
        self.surface_density as f32
    }

    fn follow(&mut self, frame: &FixedFrame, interface: &Interface) {
        if self.frame.as_ref() != Some(frame) {
            let position: Vec<DVec3> = interface.point.iter().map(|p| p.position).collect();
            self.sort(frame, &position);
        }
    }

    fn write_rows(
        &self,
        fluid: FluidCells<'_>,
        interface: &Interface,
        gravity: DVec3,
        rows: &mut BoundaryRows,
    ) {
        match self.kernel.kind {
            KernelKind::CubicSpline => self.write_with::<CubicSpline>(fluid, interface, gravity, rows),
            KernelKind::WendlandC2 => self.write_with::<WendlandC2>(fluid, interface, gravity, rows),
        }
    }
}

impl VolumeParticles {
    fn write_with<K: KernelShape>(
        &self,
        fluid: FluidCells<'_>,
        interface: &Interface,
        gravity: DVec3,
        rows: &mut BoundaryRows,
    ) {
        let particles = fluid.packed.len();
        rows.sum.resize(particles, BoundarySum::default());
        rows.chunk.resize_with(particles.div_ceil(CHUNK), BoundaryChunk::default);
        let Some(frame) = self.frame else { return rows.clear(particles) };
        let unit = frame.unit();
        let support = self.kernel.support_radius / unit;
        let writer = RowWriter::<K> {
            fluid,
            search: Search {
                grid: &self.grid,
                packed: &self.packed,
                support_squared: (support * support) as f32,
            },
            pair: PairKernel::new(&self.kernel, unit, 1.0),
            order: &self.order,
            interface,
            gravity: (gravity * unit).as_vec3(),
        };
        let level = Level::new();
        rows.chunk.par_iter_mut().zip(rows.sum.par_chunks_mut(CHUNK)).enumerate().for_each(
            |(c, (chunk, sums))| {
                dispatch!(level, simd => writer.write_chunk(simd, c * CHUNK, chunk, sums));
            },
        );
    }
}

struct RowWriter<'a, K> {
    fluid: FluidCells<'a>,
    search: Search<'a>,
    pair: PairKernel<K>,
    order: &'a [u32],
    interface: &'a Interface,
    /// Gravity times metres per unit `[m²/s²]`.
    gravity: Vec3,
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
        chunk.sample.clear();
        chunk.end.clear();
        let FluidCells { grid, packed } = self.fluid;
        let last = first + sums.len();
        let mut i = first;
        while i < last {
            let cell = grid.cell_of(packed[i]);
            let same = packed[i..last].iter().take_while(|p| grid.cell_of(**p) == cell).count();
            let candidates = self.search.collect(cell, &mut chunk.candidate);
            for particle in i..i + same {
                let here = packed[particle];
                let hits = match candidates {
                    0 => 0,
                    _ => self.search.filter(simd, cell, here, u32::MAX, &mut chunk.candidate),
                };
                sums[particle - first] = self.write_row(simd, here, hits, chunk);
            }
            i += same;
        }
    }

    #[inline(always)]
    fn write_row<S: Simd>(
        &self,
        simd: S,
        here: [i32; 4],
        hits: usize,
        chunk: &mut BoundaryChunk,
    ) -> BoundarySum {
        let mut total = BoundarySum::default();
        let padded = hits.next_multiple_of(LANES);
        chunk.candidate.hit[hits..padded].fill(0);
        for (n, index) in chunk.candidate.hit.as_chunks::<LANES>().0[..padded / LANES].iter().enumerate() {
            let (offset, volume) = offsets(simd, here, self.search.packed, index);
            let (value, gradient) = self.pair.eval(simd, offset);
            let depth: [f32; LANES] = self.fall(simd, offset).into();
            let value: [f32; LANES] = (value * volume).into();
            let [gx, gy, gz] = gradient;
            let gradient: [[f32; LANES]; 3] =
                [(gx * volume).into(), (gy * volume).into(), (gz * volume).into()];
            for lane in 0..LANES.min(hits - n * LANES) {
                let point = self.order[index[lane] as usize];
                let gradient = [gradient[0][lane], gradient[1][lane], gradient[2][lane]];
                chunk.sample.push(BoundarySample { gradient, value: value[lane], point });
                let velocity = self.interface.point[point as usize].velocity.as_vec3();
                total.density += value[lane];
                let gradient = Vec3::from(gradient);
                total.flux += velocity.dot(gradient);
                total.gradient += gradient;
                total.weight += gradient * depth[lane];
            }
        }
        chunk.end.push(chunk.sample.len() as u32);
        total
    }
}

impl<K> RowWriter<'_, K> {
    /// g · (x_k − x_i) for eight samples `[m²/s²]`.
    #[inline(always)]
    fn fall<S: Simd>(&self, simd: S, [x, y, z]: [F8<S>; 3]) -> F8<S> {
        let down = -self.gravity;
        fma(splat(simd, down.x), x, fma(splat(simd, down.y), y, splat(simd, down.z) * z))
    }
}

/// How deep inside the solid the layers of samples sit that a fluid needs, in spacings: the first at `first`, the others one
/// spacing behind each other, as far as a particle half a spacing above the solid can feel.
#[must_use]
pub fn layer_depths(kernel: &Kernel, spacing: f64, first: f64) -> Vec<f64> {
    let reach = kernel.support_radius / spacing - 0.5;
    let behind = (1..).map(|n| first + f64::from(n)).take_while(|depth| *depth < reach - 1e-9);
    std::iter::once(first).chain(behind).collect()
}

/// The factor on Eq. 1's volumes with which flat layers of samples (see [`layer_depths`]) give a fluid lattice that starts
/// half a spacing above the solid exactly the density that the missing half lattice would give.
#[must_use]
pub fn flat_wall_volume_factor(kernel: &Kernel, spacing: f64, first: f64) -> f64 {
    let wall = FlatWall::new(kernel, spacing, first);
    let reach = (kernel.support_radius / spacing).ceil() as i32;
    let missing: f64 = (1..=reach).map(|n| kernel.layer(f64::from(n), spacing)).sum();
    let cell = kernel.dimension.cell_volume(spacing) / kernel.lattice_density(spacing);
    let present = wall.density(0.5);
    if present > 0.0 { missing * cell / present } else { 1.0 }
}

/// An infinite flat wall of sample layers, each a square lattice.
struct FlatWall<'a> {
    kernel: &'a Kernel,
    spacing: f64,
    /// In spacings.
    depths: Vec<f64>,
}

impl<'a> FlatWall<'a> {
    fn new(kernel: &'a Kernel, spacing: f64, first: f64) -> Self {
        Self { kernel, spacing, depths: layer_depths(kernel, spacing, first) }
    }

    fn layer(&self, height: f64) -> f64 {
        self.kernel.layer(height, self.spacing)
    }

    /// Σ V_b W with the volumes of Eq. 1 at a height above the surface, in spacings `[1]`.
    fn density(&self, height: f64) -> f64 {
        let number_density =
            |depth: f64| self.depths.iter().map(|other| self.layer(depth - other)).sum::<f64>();
        self.depths.iter().map(|&depth| self.layer(height + depth) / number_density(depth)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wall_has_as_many_layers_as_the_fluid_can_feel() {
        let layers = |support| {
            let kernel =
                Kernel { kind: KernelKind::WendlandC2, support_radius: support, dimension: Dimension::Three };
            layer_depths(&kernel, 1.0, 0.5)
        };
        assert_eq!(layers(2.0), [0.5]);
        assert_eq!(layers(2.6), [0.5, 1.5]);
        assert_eq!(layers(3.0), [0.5, 1.5]);
        assert_eq!(layers(4.0), [0.5, 1.5, 2.5]);
    }

    #[test]
    fn a_lattice_behind_the_wall_needs_a_factor_near_its_own_number_density() {
        // Samples that continue the fluid's lattice have its volume, so the factor undoes Eq. 1.
        let kernel =
            Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0, dimension: Dimension::Three };
        let plane: f64 = (-2..=2)
            .flat_map(|a| (-2..=2).map(move |b| f64::from(a * a + b * b).sqrt()))
            .map(|r| kernel.value(r))
            .sum();
        let lattice = kernel.lattice_density(1.0);
        assert!((flat_wall_volume_factor(&kernel, 1.0, 0.5) - plane / lattice).abs() < 1e-12);
    }
}

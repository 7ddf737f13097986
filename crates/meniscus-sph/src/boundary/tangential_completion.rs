//! What the fluid beside walls lacks that push along their normals only.
//!
//! Between fluid particles a pressure gradient acts through all neighbours: a = −C ∇P, where C = −Σ_j V ∇W_ij (x_i − x_j)ᵀ is the
//! unit matrix if there is fluid all around. Beside a wall of direct forcing or penalties those neighbours are missing that would be behind it. Their push away
//! from the wall is the contact's; along the wall nothing takes their place, so that the first layer carries a fifth less than its share of the weight above it,
//! hangs on its neighbours, and the pressure of a whole tank is too high by a share that falls with its width.
//!
//! A sample stands for the fluid that is missing. Its part of C along its wall, with t the distance along it, is
//!
//! M_k = −V W' t tᵀ / r,
//!
//! and what it lacks is −M_k ∇P. The gradient is the one that the neighbours show: their pair forces are −(1 − M) ∇P with M = Σ_k M_k. It is not taken from
//! gravity, so that fluid in free fall, or on its way down a ramp, is not held back.
//!
//! Containers only: their walls end at a floor or in the air. A wall of a solid ends in the fluid, where its end would lack as much the other way: what
//! fluid beside it lacks and what it gets too much at the edge cancel out, and to mend one of them alone would pull the body down.
//!
//! The body receives the reaction where the particle is, as it does for contacts.

use super::{BoundaryRows, BoundarySample, BoundaryTreatment, SampleGeometry};
use crate::kernel::Kernel;
use glam::{DMat3, DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{BodyId, InterfacePoints, Loads};
use rayon::prelude::*;

/// The largest part of a neighbourhood that walls stand for `[1]`: with more of them, as in a narrow gap, what is left of the fluid says
/// little of a gradient.
const MAX_WALL_SHARE: f64 = 0.4;

/// One particle beside one body.
#[derive(Debug, Clone, Copy)]
struct NearWallParticle {
    /// The particle within its chunk.
    local: u32,
    body: BodyId,
    /// Where the particle is `[m]`.
    particle: DVec3,
    /// M of the body's samples `[1]`.
    moment: DMat3,
    /// What the body lacks, in the last acceleration `[m/s²]`.
    missing_acceleration: DVec3,
}

/// The walls as this module sees them.
#[derive(Clone, Copy)]
pub struct WallView<'a> {
    /// The rows of the boundary.
    pub rows: &'a BoundaryRows,
    /// The points behind them.
    pub points: &'a InterfacePoints,
    /// How each lasting point touches.
    pub geometry: &'a [SampleGeometry],
    /// By body: how it answers.
    pub treatment: &'a [BoundaryTreatment],
    /// By body: whether it is a container.
    pub container: &'a [bool],
    /// The fluid's kernel.
    pub kernel: &'a Kernel,
    /// Distance of particles at rest `[m]`.
    pub spacing: f64,
}

/// All particles beside walls that push along their normals only.
#[derive(Debug, Clone, Default)]
pub struct TangentialCompletion {
    chunk: Vec<Vec<NearWallParticle>>,
}

impl TangentialCompletion {
    /// Finds those of the particles at `position` `[m]`.
    pub fn find(&mut self, walls: WallView<'_>, position: &[DVec3]) {
        self.chunk.resize_with(position.len().div_ceil(CHUNK), Vec::new);
        self.chunk.par_iter_mut().zip(position.par_chunks(CHUNK)).enumerate().for_each(
            |(c, (found, position))| {
                found.clear();
                for (local, &x) in position.iter().enumerate() {
                    let first = found.len();
                    walls.find(c * CHUNK + local, local, x, found);
                    limit(&mut found[first..]);
                }
            },
        );
    }

    /// Adds what walls lack to accelerations by pressure `[m/s²]`.
    pub fn complete(&mut self, acceleration: &mut [[f32; 4]]) {
        let chunks = self.chunk.par_iter_mut().zip(acceleration.par_chunks_mut(CHUNK));
        chunks.for_each(|(found, acceleration)| {
            for beside in found.chunk_by_mut(|a, b| a.local == b.local) {
                let acceleration = &mut acceleration[beside[0].local as usize];
                let shown = Vec3::from_slice(&acceleration[..]).as_dvec3();
                let missing = beside.iter().map(|b| b.moment).fold(DMat3::ZERO, |sum, moment| sum + moment);
                // −∇P.
                // ADR 16: the pair forces are −(1 − M) ∇P.
                let gradient = (DMat3::IDENTITY - missing).inverse() * shown;
                for beside in beside {
                    beside.missing_acceleration = beside.moment * gradient;
                }
                let [x, y, z] = (shown + missing * gradient).as_vec3().to_array();
                *acceleration = [x, y, z, 0.0];
            }
        });
    }

    /// Hands the walls the reaction to the last call of [`TangentialCompletion::complete`] within `dt` `[s]`; `mass` is a particle's `[kg]`.
    pub fn load(&self, loads: &mut Loads, dt: f64, mass: f64) {
        for beside in self.chunk.iter().flatten() {
            loads.push(beside.body, None, beside.particle, -mass * dt * beside.missing_acceleration);
        }
    }
}

impl WallView<'_> {
    /// Adds an entry for each body that the particle at `x` `[m]` is beside.
    fn find(&self, i: usize, local: usize, x: DVec3, found: &mut Vec<NearWallParticle>) {
        let first = found.len();
        let row = self.rows.row(i);
        for sample in row {
            let Some((body, moment)) = self.moment(row, sample, x) else { continue };
            if let Some(beside) = found[first..].iter_mut().find(|beside| beside.body == body) {
                beside.moment += moment;
            } else {
                let missing_acceleration = DVec3::ZERO;
                found.push(NearWallParticle {
                    local: local as u32,
                    body,
                    particle: x,
                    moment,
                    missing_acceleration,
                });
            }
        }
    }

    /// The body of a sample and its M_k `[1]`; nothing if it lacks nothing.
    fn moment(&self, row: &[BoundarySample], sample: &BoundarySample, x: DVec3) -> Option<(BodyId, DMat3)> {
        let geometry = *self.geometry.get(sample.point as usize)?;
        let point = &self.points.get(sample.point as usize);
        let body = point.body.0 as usize;
        if self.treatment[body] == BoundaryTreatment::Pressure || !self.container[body] {
            return None;
        }
        let mut away = x - point.position;
        let normal =
            geometry.facing(away, away).map(|(normal, _)| normal).or_else(|| self.nearest_normal(row, x))?;
        if let SampleGeometry::Sheet { front, back, .. } = geometry
            && front + back <= 0.0
        {
            // Where its share of the density comes from.
            away += 0.5 * self.spacing * normal;
        }
        let (r, along) = (away.length(), away - away.dot(normal) * normal);
        let value = self.kernel.value(r);
        if value <= 0.0 || r <= 0.0 {
            return None;
        }
        // ADR 16: M_k = −V W' t tᵀ / r.
        let strength = -f64::from(sample.value) * self.kernel.derivative(r) / (value * r);
        Some((point.body, strength * outer(along)))
    }

    /// The normal of the nearest sample that touches: deeper ones are behind it.
    fn nearest_normal(&self, row: &[BoundarySample], x: DVec3) -> Option<DVec3> {
        let touching = row.iter().filter_map(|sample| {
            let away = x - self.points.get(sample.point as usize).position;
            let (normal, _) = self.geometry.get(sample.point as usize)?.facing(away, away)?;
            Some((away.length_squared(), normal))
        });
        touching.min_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, normal)| normal)
    }
}

fn outer(v: DVec3) -> DMat3 {
    DMat3::from_cols(v.x * v, v.y * v, v.z * v)
}

/// Keeps the walls of one particle from standing for more than [`MAX_WALL_SHARE`] of its neighbourhood in any direction.
fn limit(found: &mut [NearWallParticle]) {
    let missing = found.iter().fold(DMat3::ZERO, |sum, beside| sum + beside.moment);
    // No eigenvalue is larger than the largest sum over a row.
    let largest = missing.to_cols_array_2d().map(|column| column.iter().map(|m| m.abs()).sum::<f64>());
    let largest = largest.into_iter().fold(0.0, f64::max);
    if largest > MAX_WALL_SHARE {
        for beside in found {
            beside.moment *= MAX_WALL_SHARE / largest;
        }
    }
}

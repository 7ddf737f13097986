//! Repelling boundary particles (\[Monaghan2005\], its section on boundaries), the peer of direct forcing.
//!
//! | here | paper |
//! | --- | --- |
//! | `height` | y, along the sample's normal |
//! | `aside` | x, along the surface |
//! | `stiffness` | 0.02 c_s² |
//!
//! Departures: the samples fill up the fluid's density as those of direct forcing do, or the lowest layer would lack a tenth of
//! its pressure; the range of the force, the paper's 2h, is 0.8 spacings ([`RANGE`]), so that water at rest ends about half a spacing from the
//! surface and not one and a half; behind the surface it is as strong as a twentieth of the range ([`BEHIND`]) before it; it is integrated implicitly, and a
//! pressure solve sees it between the halves of each sweep: nothing else holds the fluid off the wall, so pressures
//! found without it drive the fluid into the wall.

use super::{BoundaryRows, BoundaryTreatment, SampleGeometry};
use glam::{DVec3, Vec3};
use meniscus_core::reduce::CHUNK;
use meniscus_core::{InterfacePoints, Loads};
use rayon::prelude::*;

/// The range of the force, in spacings `[1]`.
///
/// With a stiffness of 0.02 c_s² and c_s ten times the speed of a fall through the water's depth, water at rest is held half a spacing from a
/// floor, where its samples complete a lattice, and up to 0.7 spacings from upper parts of side walls.
const RANGE: f64 = 0.8;

/// A particle behind the surface is led out by the force at this share of the range before it `[1]`.
const BEHIND: f64 = 0.05;

/// How strongly a body repels fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PenaltyParams {
    /// Force per mass times distance, 0.02 c_s² in the paper `[m²/s²]`.
    pub stiffness: f64,
}

/// A fluid particle within the range of a sample.
#[derive(Debug, Clone, Copy)]
struct Near {
    /// The particle within its chunk.
    local: u32,
    /// The sample.
    point: u32,
    /// Where the particle is `[m]`.
    particle: DVec3,
    normal: DVec3,
    /// y `[m]`.
    height: f64,
    /// 1 − x / spacing `[1]`.
    across: f64,
    /// The wall's velocity along the normal `[m/s]`.
    wall: f64,
    params: PenaltyParams,
    /// What the sample adds to the particle's velocity along the normal `[m/s]`.
    kick: f64,
}

/// The repulsion of all particles by bodies that answer with penalties.
#[derive(Debug, Clone, Default)]
pub struct Penalties {
    chunk: Vec<Vec<Near>>,
    spacing: f64,
}

impl Penalties {
    /// Finds the particles at `position` `[m]` that are within range; `geometry` is of lasting points, `treatment` of bodies, `spacing`
    /// that of particles at rest `[m]`.
    pub fn find(
        &mut self,
        rows: &BoundaryRows,
        position: &[DVec3],
        points: &InterfacePoints,
        (geometry, treatment): (&[SampleGeometry], &[BoundaryTreatment]),
        spacing: f64,
    ) {
        self.chunk.clear();
        self.spacing = spacing;
        if !treatment.iter().any(|r| matches!(r, BoundaryTreatment::Penalty(_))) {
            return;
        }
        self.chunk.resize_with(position.len().div_ceil(CHUNK), Vec::new);
        self.chunk.par_iter_mut().zip(position.par_chunks(CHUNK)).enumerate().for_each(
            |(c, (found, position))| {
                for (local, &x) in position.iter().enumerate() {
                    for sample in rows.row(c * CHUNK + local) {
                        let point = &points.get(sample.point as usize);
                        let (BoundaryTreatment::Penalty(params), Some(&geometry)) =
                            (treatment[point.body.0 as usize], geometry.get(sample.point as usize))
                        else {
                            continue;
                        };
                        let Some((normal, height, across)) = within(geometry, x, point.position, spacing)
                        else {
                            continue;
                        };
                        let wall = point.velocity.dot(normal);
                        let (local, point) = (local as u32, sample.point);
                        found.push(Near {
                            local,
                            point,
                            particle: x,
                            normal,
                            height,
                            across,
                            wall,
                            params,
                            kick: 0.0,
                        });
                    }
                }
            },
        );
    }

    /// Adds the repulsion to accelerations `[m/s²]` by which particles at `velocity` `[m/s]` would move within `dt` `[s]`.
    pub fn repel(&mut self, velocity: &[[f32; 4]], dt: f64, acceleration: &mut [[f32; 4]]) {
        let spacing = self.spacing;
        let chunks = self.chunk.par_iter_mut().zip(velocity.par_chunks(CHUNK));
        chunks.zip(acceleration.par_chunks_mut(CHUNK)).for_each(|((near, velocity), acceleration)| {
            for near in near.chunk_by_mut(|a, b| a.local == b.local) {
                let i = near[0].local as usize;
                let before = Vec3::from_slice(&acceleration[i]).as_dvec3();
                let end = Vec3::from_slice(&velocity[i]).as_dvec3() + dt * before;
                let mut kick = DVec3::ZERO;
                for near in near {
                    let speed = end.dot(near.normal) - near.wall;
                    near.kick = near.across * near.params.kick(near.height, speed, spacing, dt);
                    kick += near.kick * near.normal;
                }
                let [x, y, z] = (before + kick / dt).as_vec3().to_array();
                acceleration[i] = [x, y, z, 0.0];
            }
        });
    }

    /// Hands the walls what the last call of [`Penalties::repel`] gave the fluid; `mass` is a particle's `[kg]`.
    pub fn load(&self, points: &InterfacePoints, loads: &mut Loads, mass: f64) {
        for near in self.chunk.iter().flatten() {
            let k = near.point as usize;
            let impulse = -mass * near.kick * near.normal;
            loads.push(points.body[k], points.anchor(k), near.particle, impulse);
        }
    }
}

/// Normal, y and 1 − x / spacing of a particle at `x` `[m]` within the range of a sample.
fn within(geometry: SampleGeometry, x: DVec3, sample: DVec3, spacing: f64) -> Option<(DVec3, f64, f64)> {
    let away = x - sample;
    let (normal, place) = geometry.facing(away, away)?;
    let height = (away - place).dot(normal);
    let aside = (away - away.dot(normal) * normal).length();
    let across = 1.0 - aside / spacing;
    // Pressure may bring a particle nearer within the step.
    (across > 0.0 && height <= 2.0 * spacing).then_some((normal, height, across))
}

impl PenaltyParams {
    /// What a sample straight below adds within `dt` `[s]` to the velocity of a fluid particle at a height `[m]` above the surface that
    /// without it would move away at `speed` `[m/s]`; `spacing` is both's distance at rest `[m]`.
    ///
    /// The force is that at the height where the particle will be at the end of the step: a stiff force in a long step
    /// would throw it back faster than it came.
    #[must_use]
    pub fn kick(&self, height: f64, speed: f64, spacing: f64, dt: f64) -> f64 {
        let range = RANGE * spacing;
        let least = if height > 0.0 { 0.0 } else { BEHIND * range };
        let force = |height: f64| 0.5 * self.stiffness * profile(height, least, 0.5 * range);
        // The kick u for which u = dt force(height + dt (speed + u)). The force falls with the height, so that there is one,
        // found by halving.
        // ADR 14.
        let lacking = |u: f64| dt * force(height + dt * (speed + u)) - u;
        // Nothing is pushed beyond the range.
        let most = (range - height) / dt - speed;
        if most <= 0.0 || lacking(0.0) <= 0.0 {
            return 0.0;
        }
        let (mut low, mut high) = (0.0, most);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            (low, high) = if lacking(middle) > 0.0 { (middle, high) } else { (low, middle) };
        }
        low
    }
}

/// Γ(y) / 0.02 c_s²: the gradient of a kernel over the distance, which does not sink near the surface. Below the height `least` it no
/// longer grows; if that is zero, it grows without end towards the surface, so that no speed carries a particle through `[1/m]`.
fn profile(height: f64, least: f64, h: f64) -> f64 {
    // Γ of [Monaghan2005]; without end towards the surface since ADR 15.
    let q = height / h;
    let shape = match q {
        q if q < 2.0 / 3.0 => 2.0 / 3.0,
        q if q < 1.0 => 2.0 * q - 1.5 * q * q,
        q if q < 2.0 => 0.5 * (2.0 - q) * (2.0 - q),
        _ => 0.0,
    };
    shape / height.max(least)
}

#[cfg(test)]
mod tests {
    use super::super::Extent;
    use super::*;

    #[test]
    fn the_force_is_repulsive_falls_with_the_distance_and_ends() {
        let params = PenaltyParams { stiffness: 2.0 };
        let geometry = SampleGeometry::Face { normal: DVec3::Y, offset: 0.05, extent: Extent::default() };
        let force = |y: f64, x: f64| {
            let found = within(geometry, DVec3::new(x, y + 0.05, 0.0), DVec3::ZERO, 0.1);
            found.map_or(0.0, |(_, height, across)| across * params.kick(height, 0.0, 0.1, 1e-6))
        };
        let mut last = f64::INFINITY;
        for n in 1..20 {
            let f = force(0.005 * RANGE * f64::from(n), 0.0);
            assert!(f > 0.0 && f <= last, "{n}: {f}");
            last = f;
        }
        assert!(force(0.1 * RANGE, 0.0) <= 0.0);
        assert!(force(0.02, 0.1) <= 0.0);
        assert!(force(-0.01, 0.0) > 0.0, "a particle that has come in is driven out");
    }

    #[test]
    fn the_force_is_that_at_the_end_of_the_step() {
        let params = PenaltyParams { stiffness: 100.0 };
        for (height, speed) in [(0.001, -2.0), (0.01, -2.0), (0.03, -2.0), (0.06, 0.5), (0.09, -1.0)] {
            let dt = 0.01;
            let kick = params.kick(height, speed, 0.1, dt);
            let end = height + dt * (speed + kick);
            let force = 0.5 * params.stiffness * profile(end, 0.0, 0.05 * RANGE);
            assert!((kick / dt - force).abs() < 1e-6 * force.max(1.0), "{height}: {kick} {force}");
            assert!(end <= 0.1 * RANGE + 1e-12 || kick == 0.0, "{height}: thrown to {end}");
        }
    }

    #[test]
    fn no_speed_carries_a_particle_through_the_surface() {
        let params = PenaltyParams { stiffness: 2.0 };
        for (height, speed) in [(0.05, -1e2), (0.01, -1e3), (1e-6, -1e3), (1e-9, 0.0)] {
            let end = height + 1e-3 * (speed + params.kick(height, speed, 0.1, 1e-3));
            assert!(end > 0.0 && end <= 0.1, "{height} {speed}: {end}");
        }
    }

    #[test]
    fn a_particle_leaves_no_faster_than_it_came() {
        let params = PenaltyParams { stiffness: 100.0 };
        for dt in [1e-4, 1e-3, 5e-3] {
            let (mut height, mut speed) = (0.2, -2.0);
            for _ in 0..(0.5 / dt) as u32 {
                speed += params.kick(height, speed, 0.1, dt);
                height += dt * speed;
            }
            assert!(speed > 0.0 && speed <= 2.0, "{dt}: {speed}");
        }
    }

    #[test]
    fn along_a_row_of_samples_the_force_is_even() {
        let params = PenaltyParams { stiffness: 2.0 };
        let geometry = SampleGeometry::Face { normal: DVec3::Y, offset: 0.0, extent: Extent::default() };
        let total = |x: f64| -> f64 {
            let here = DVec3::new(x, 0.04, 0.0);
            (-5..=5)
                .filter_map(|n| within(geometry, here, DVec3::X * 0.1 * f64::from(n), 0.1))
                .map(|(_, height, across)| across * params.kick(height, 0.0, 0.1, 1e-6))
                .sum()
        };
        for n in 0..10 {
            assert!((total(0.01 * f64::from(n)) / total(0.0) - 1.0).abs() < 1e-12);
        }
    }
}

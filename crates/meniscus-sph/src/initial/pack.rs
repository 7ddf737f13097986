//! Fluid in which bodies float starts packed at random, as it comes to rest.
//!
//! A lattice gives way under pressure: within the first second its particles move by half a spacing, and what floats among them goes along, by as much. Fluid that has
//! given way once is packed without order and stays as it is. So before the first step particles are shaken, less and less, under a uniform pressure,
//! which prefers no direction: x_i += ½ β spacing² a_i + kick, with the accelerations a_i by P_i = 1 + K (ρ_i / ρ0 − 1).
//!
//! Particles at the free surface stay where they are and hold the others down. Kicks depend on the particle and the sweep alone.

use super::fit::Walls;
use crate::fluid::SphFluid;
use crate::pressure::accelerations;
use glam::{DVec3, Vec3};
use meniscus_core::{Dimension, Solids, StepContext};
use meniscus_geometry::mix;
use rayon::prelude::*;

/// Sweeps `[1]`.
const PACK_SWEEPS: u32 = 250;
/// Sweeps in which particles are kicked `[1]`.
const KICKS: u32 = 150;
/// The first kicks along each axis at most, in spacings; they fade `[1]`.
const KICK: f64 = 0.1;
/// β `[1]`.
const PACK_STRIDE: f64 = 0.1;
/// K: sweeps are stable as long as K β is about 1 `[1]`.
const STIFFNESS: f32 = 10.0;
/// Particles with more than this share of the rest density are not at the surface, however hard a wall squeezes them `[1]`.
const INTERIOR_DENSITY: f32 = 0.95;
/// The farthest that a sweep moves a particle, in spacings `[1]`.
const PACK_MAX_SHIFT: f64 = 0.2;

/// What sweeps of the packing keep.
struct Packing<'a> {
    walls: &'a Walls,
    /// By particle.
    is_surface: Vec<bool>,
    /// By particle: a bound for the distance to the nearest wall `[m]`.
    clearance: Vec<f64>,
    /// In the order of rows.
    pressure: Vec<f32>,
    /// In the order of rows.
    acceleration: Vec<[f32; 4]>,
}

impl SphFluid {
    /// Takes the order of its lattice from the fluid.
    pub(crate) fn pack(&mut self, step: &StepContext, solids: &dyn Solids, walls: &Walls) {
        self.rebuild_for_observation(step, solids);
        let (position, neighbourhood) = (&self.state.particles.position, &self.neighbourhood);
        let mut is_surface = vec![false; position.len()];
        for (row, &i) in neighbourhood.order().iter().enumerate() {
            let x = position[i as usize];
            is_surface[i as usize] =
                neighbourhood.density[row] < INTERIOR_DENSITY && walls.is_surface(neighbourhood, row, x);
        }
        let clearance = vec![0.0; position.len()];
        let mut packing =
            Packing { walls, is_surface, clearance, pressure: Vec::new(), acceleration: Vec::new() };
        for sweep in 0..PACK_SWEEPS {
            self.pack_once(step, solids, sweep, &mut packing);
        }
    }

    fn pack_once(&mut self, step: &StepContext, solids: &dyn Solids, sweep: u32, packing: &mut Packing<'_>) {
        self.rebuild_for_observation(step, solids);
        let Packing { walls, is_surface, clearance, pressure, acceleration } = packing;
        let (neighbourhood, position, dimension) =
            (&self.neighbourhood, &self.state.particles.position, self.setup.dimension);
        pressure.clear();
        pressure.extend(neighbourhood.order().iter().zip(&neighbourhood.density).map(|(&i, &density)| {
            if is_surface[i as usize] { 1.0 } else { (1.0 + STIFFNESS * (density - 1.0)).max(0.0) }
        }));
        accelerations(neighbourhood, pressure, acceleration);
        let stride = 0.5 * PACK_STRIDE * walls.spacing * walls.spacing;
        let amplitude = KICK * walls.spacing * (1.0 - f64::from(sweep) / f64::from(KICKS)).max(0.0);
        let moved: Vec<(usize, DVec3, f64)> = (0..position.len())
            .into_par_iter()
            .with_min_len(256)
            .filter(|&row| !is_surface[neighbourhood.order()[row] as usize])
            .map(|row| {
                let i = neighbourhood.order()[row] as usize;
                let pushed = stride * Vec3::from_slice(&acceleration[row]).as_dvec3();
                let way = pushed + amplitude * kick(i, sweep, dimension);
                let way = way.clamp_length_max(PACK_MAX_SHIFT * walls.spacing);
                let (x, bound) = walls.keep_off(position[i], way, clearance[i]);
                (i, x, bound)
            })
            .collect();
        for (i, x, bound) in moved {
            (self.state.particles.position[i], clearance[i]) = (x, bound);
        }
    }
}

/// Three numbers in [−1, 1) for particle `i` in a sweep; the third is zero in the plane.
fn kick(i: usize, sweep: u32, dimension: Dimension) -> DVec3 {
    let number = |axis: u64| {
        let state = (i as u64) << 32 | u64::from(sweep) << 2 | axis;
        // Spread by the golden ratio first, as mixing alone leaves nothing as nothing.
        mix(state.wrapping_mul(0x9E37_79B9_7F4A_7C15)) as i64 as f64 / i64::MAX as f64
    };
    let across = if dimension == Dimension::Two { 0.0 } else { number(2) };
    DVec3::new(number(0), number(1), across)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kicks_have_no_mean_and_no_preferred_axis() {
        let kicks: Vec<DVec3> = (0..4000).map(|n| kick(n, 7, Dimension::Three)).collect();
        let mean = kicks.iter().sum::<DVec3>() / 4000.0;
        let square = kicks.iter().map(|k| *k * *k).sum::<DVec3>() / 4000.0;
        assert!(mean.abs().max_element() < 0.04, "{mean}");
        assert!((square - 1.0 / 3.0).abs().max_element() < 0.02, "{square}");
        assert!(kick(3, 1, Dimension::Two).z.abs() < f64::EPSILON);
    }
}

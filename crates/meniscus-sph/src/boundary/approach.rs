//! Contact: what keeps single particles out of walls.
//!
//! Pressure acts on compressed fluid. A drop that flies alone is not compressed until it is deep inside a wall, because the
//! wall's share of its density must make up for all the neighbours it lacks. So after the pressure solve the approach to
//! a wall is limited: within one step the boundary's share of a particle's density may rise to the share at the wall's
//! surface, and no farther. In fluid at rest the share is well below that, and nothing happens.
//!
//! It needs rows only, so that it works with every boundary method. Each body limits the approach to itself: between two bodies that
//! come together the gradients of both cancel, and what divides by their sum would throw them apart.

use super::{BoundaryRows, BoundarySample, BoundarySum};
use crate::neighbourhood::WALL_PRESSURE;
use glam::Vec3;
use meniscus_core::{BodyId, InterfacePoints};

/// A wall whose share of the density is less steep than this, times that share over the one at contact, has no direction `[1/m]`.
const MIN_STEEPNESS: f32 = 1e-3;

/// The limit of approach for one step.
#[derive(Debug, Clone, Copy)]
pub struct ApproachLimit {
    /// Length of the step `[s]`.
    pub dt: f32,
}

impl ApproachLimit {
    /// How much faster than allowed a particle with velocity `v` `[m/s]` approaches the wall, and the direction to the wall;
    /// `None` if it may go on.
    #[must_use]
    pub fn excess(&self, v: Vec3, wall: &BoundarySum) -> Option<(f32, Vec3)> {
        if wall.contact_ratio <= 0.0 {
            return None;
        }
        let length = wall.gradient.length();
        let surface_density = wall.density / wall.contact_ratio;
        // Far from walls, and at places where walls on all sides cancel, there is no direction to speak of.
        if length * surface_density <= MIN_STEEPNESS * wall.density
            || length == 0.0
            || wall.push == Vec3::ZERO
        {
            return None;
        }
        let approach = wall.approach(v);
        // ADR 2: the share may rise to that at the surface within the step.
        let allowed = ((surface_density - wall.density) / (self.dt * length)).max(0.0);
        (approach > allowed).then(|| (approach - allowed, wall.push.normalize()))
    }

    /// Finds what each of the bodies in the row of particle `i` adds up to.
    pub fn find_bodies(
        rows: &BoundaryRows,
        points: &InterfacePoints,
        i: usize,
        bodies: &mut Vec<(BodyId, BoundarySum)>,
    ) {
        bodies.clear();
        let mut answering = 0.0;
        for sample in rows.row(i).iter().filter(|sample| Vec3::from(sample.push) != Vec3::ZERO) {
            let point = &points.get(sample.point as usize);
            let traits = rows.traits(point.body);
            if !traits.is_felt {
                continue;
            }
            let n = bodies.iter().position(|(body, _)| *body == point.body).unwrap_or_else(|| {
                bodies.push((point.body, BoundarySum::default()));
                bodies.len() - 1
            });
            let push = Vec3::from(sample.push);
            let sum = &mut bodies[n].1;
            sum.push += push;
            sum.gradient += traits.gradient_over_push * push;
            sum.density += sample.value;
            sum.flux += WALL_PRESSURE * point.velocity.as_vec3().dot(push);
            answering += sample.value;
        }
        for (_, sum) in bodies {
            sum.contact_ratio = rows.sum[i].contact_ratio * sum.density / answering;
        }
    }

    /// The share of one sample in stopping a particle: Σ over the row is the direction to the wall.
    #[must_use]
    pub fn share(sample: &BoundarySample, wall: &BoundarySum) -> Vec3 {
        Vec3::from(sample.push) / wall.push.length()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_approach_is_limited() {
        let contact = ApproachLimit { dt: 0.01 };
        let gradient = Vec3::new(0.0, -20.0, 0.0);
        let push = gradient;
        let wall = BoundarySum { gradient, push, density: 0.4, contact_ratio: 0.8, ..BoundarySum::default() };
        // The share may rise by 0.1 in 0.01 s at 20 / m: 0.5 m/s.
        let (excess, direction) = contact.excess(Vec3::new(3.0, -0.8, 0.0), &wall).unwrap();
        assert!((excess - 0.3).abs() < 1e-6);
        assert_eq!(direction, Vec3::NEG_Y);
        assert!(contact.excess(Vec3::new(3.0, -0.4, 0.0), &wall).is_none());
        assert!(contact.excess(Vec3::new(3.0, 9.0, 0.0), &wall).is_none());
    }
}

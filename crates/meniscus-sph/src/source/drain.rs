use crate::particles::Particles;
use glam::DVec3;

/// A volume that removes the fluid particles in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Drain {
    /// An axis-aligned box.
    Box {
        /// Low corner `[m]`.
        min: DVec3,
        /// High corner `[m]`.
        max: DVec3,
    },
    /// A ball.
    Sphere {
        /// Centre `[m]`.
        center: DVec3,
        /// Radius `[m]`.
        radius: f64,
    },
}

impl Drain {
    /// Whether a point lies in the drain.
    #[must_use]
    pub fn contains(&self, x: DVec3) -> bool {
        match *self {
            Self::Box { min, max } => x.cmpge(min).all() && x.cmple(max).all(),
            Self::Sphere { center, radius } => x.distance_squared(center) <= radius * radius,
        }
    }
}

/// Removes all particles that lie in one of the drains; returns how many.
pub fn drain(particles: &mut Particles, drains: &[Drain]) -> usize {
    remove(particles, |x| drains.iter().any(|drain| drain.contains(x)))
}

/// Removes all particles at places that `goes` names; returns how many.
pub(crate) fn remove(particles: &mut Particles, goes: impl Fn(DVec3) -> bool) -> usize {
    let keep: Vec<bool> = particles.position.iter().map(|&x| !goes(x)).collect();
    let removed = keep.iter().filter(|keep| !**keep).count();
    if removed > 0 {
        particles.retain(|i| keep[i]);
    }
    removed
}

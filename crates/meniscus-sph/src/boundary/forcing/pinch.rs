//! Particles between two contacts: fluid that is caught in a gap which is narrower than a particle.
//!
//! Contacts take out whatever pressure does to such a particle across the gap. Two things follow. What a dynamic body does to
//! it must go through to the wall behind it, or the body comes down through it. And walls that are nearer than they should be are no
//! compression of the fluid: no pressure of the fluid could take it back.

use super::ForcingUpdate;
use super::constraint::ContactConstraint;
use glam::DVec3;
use meniscus_core::Twist;

/// Walls face each other where the cosine between their normals is below this `[1]`.
const FACING: f64 = -0.5;

/// The wall behind a particle that another one presses.
#[derive(Debug, Clone, Copy)]
pub(super) struct Behind {
    /// Its place among the particle's limits.
    place: usize,
    /// How fast the two close on each other, seen from the one that presses `[m/s]`.
    pub closing: f64,
}

/// What holds a particle with these `limits` from behind when `limit`, one of them and of a dynamic body, presses it;
/// dynamic bodies change their motion by `twist`.
pub(super) fn behind(
    limits: &[ContactConstraint],
    limit: &ContactConstraint,
    twist: &[Twist],
) -> Option<Behind> {
    // Most particles touch one plane.
    if limits.len() < 2 || limit.slot.is_none() || limit.params.update == ForcingUpdate::Local {
        return None;
    }
    let cosine = |other: &ContactConstraint| other.normal.dot(limit.normal);
    let firm = limits.iter().enumerate().filter(|(_, other)| other.slot.is_none());
    let (place, other) = firm.min_by(|a, b| cosine(a.1).total_cmp(&cosine(b.1)))?;
    let min_normal_velocity = limit.min_normal_velocity + limit.recoil(twist).dot(limit.normal);
    (cosine(other) < FACING)
        .then(|| Behind { place, closing: min_normal_velocity - cosine(other) * other.min_normal_velocity })
}

/// Lets what bodies press go through the particle to the wall behind it: as much as one contact with all of the body behind it would bear. The
/// particle itself gains nothing.
pub(super) fn pass_on(limits: &mut [ContactConstraint], twist: &[Twist]) {
    for limit in limits.iter_mut() {
        limit.through = DVec3::ZERO;
    }
    if limits.len() < 2 || twist.is_empty() {
        return;
    }
    for k in 0..limits.len() {
        let limit = limits[k];
        let Some(behind) = behind(limits, &limit, twist).filter(|behind| behind.closing > 0.0) else {
            continue;
        };
        // ADR 21: as one contact that is as heavy as the body.
        let passed = limit.effective_mass * behind.closing * limit.normal;
        limits[k].through += passed;
        limits[behind.place].through -= passed;
    }
}

/// Whether a particle at `x` `[m]` is in a gap narrower than its diameter; `found` are all planes that it is near to, `radius` is its own `[m]`.
pub(super) fn is_pinched(found: &[(f64, ContactConstraint)], x: DVec3, radius: f64) -> bool {
    let Some((_, first)) = found.first() else { return false };
    // Most particles touch one face, or two that meet: no two of their normals can face each other.
    if found.iter().all(|(_, limit)| limit.normal.dot(first.normal) >= -FACING) {
        return false;
    }
    let height = |limit: &ContactConstraint| (x - limit.contact).dot(limit.normal);
    // What is deeper is the other side of the same body.
    let near = || found.iter().map(|(_, limit)| limit).filter(|limit| height(limit) > -radius);
    let faces = |a: &ContactConstraint, b: &ContactConstraint| a.normal.dot(b.normal) < FACING;
    near().any(|a| near().any(|b| faces(a, b) && height(a) + height(b) < 2.0 * radius))
}

#[cfg(test)]
mod tests {
    use super::super::ForcingParams;
    use super::*;
    use meniscus_core::BodyId;

    const RADIUS: f64 = 0.01;

    /// A wall at the height `y` `[m]` that faces `normal`, and has to be left with `min_normal_velocity` `[m/s]`.
    fn wall(normal: DVec3, y: f64, min_normal_velocity: f64, slot: Option<u32>) -> ContactConstraint {
        let params = ForcingParams { slip: 1.0, restitution: 0.0, update: ForcingUpdate::Global };
        ContactConstraint {
            local: 0,
            point: 0,
            body: BodyId(0),
            normal,
            min_normal_velocity,
            wall: DVec3::ZERO,
            contact: DVec3::new(0.0, y, 0.0),
            particle: DVec3::ZERO,
            params,
            push: 0.0,
            through: DVec3::ZERO,
            pressed: false,
            off: 0.0,
            slot,
            arm: DVec3::ZERO,
            effective_mass: 100.0,
            share: 1.0,
            kept: 1.0,
        }
    }

    fn floor() -> ContactConstraint {
        wall(DVec3::Y, 0.0, 0.0, None)
    }

    #[test]
    fn what_a_body_presses_arrives_at_the_floor() {
        let tilted = DVec3::new(0.1, -1.0, 0.0).normalize();
        let mut limits = [floor(), wall(tilted, 0.018, 0.3, Some(0))];
        pass_on(&mut limits, &[Twist::default()]);
        assert!((limits[1].through - 30.0 * tilted).length() < 1e-9, "{}", limits[1].through);
        assert_eq!(limits[0].through + limits[1].through, DVec3::ZERO);
        // One that gives way as fast as it comes presses nothing.
        let away = Twist { linear: -0.3 * tilted, ..Twist::default() };
        pass_on(&mut limits, &[away]);
        assert!(limits[1].through.length() < 1e-9, "{}", limits[1].through);
    }

    #[test]
    fn a_body_presses_nothing_that_has_room() {
        let mut limits = [floor(), wall(-DVec3::Y, 0.03, -0.5, Some(0))];
        pass_on(&mut limits, &[Twist::default()]);
        assert_eq!(limits[1].through, DVec3::ZERO);
        // Nor what only stands beside it.
        let mut limits = [floor(), wall(DVec3::X, 0.0, 0.3, Some(0))];
        pass_on(&mut limits, &[Twist::default()]);
        assert_eq!(limits[1].through, DVec3::ZERO);
    }

    #[test]
    fn a_particle_is_pinched_between_two_faces_only() {
        let at = |y: f64| DVec3::new(0.0, y, 0.0);
        let roof = |y: f64| (0.0, wall(-DVec3::Y, y, 0.0, None));
        let found = [(0.0, floor()), roof(0.015)];
        assert!(is_pinched(&found, at(0.01), RADIUS));
        assert!(!is_pinched(&[found[0]], at(0.01), RADIUS));
        assert!(!is_pinched(&[found[0], roof(0.025)], at(0.01), RADIUS));
        // The floor's own lower side.
        assert!(!is_pinched(&[found[0], roof(-0.03)], at(0.01), RADIUS));
        // A corner of the tank.
        assert!(!is_pinched(&[found[0], (0.0, wall(DVec3::X, 0.0, 0.0, None))], at(0.01), RADIUS));
    }
}

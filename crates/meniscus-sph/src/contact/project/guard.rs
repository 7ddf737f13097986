//! What keeps a particle out of closed bodies: their drawn surfaces, whatever their boundary method is.

use super::{SURFACE_OFFSET, State};
use crate::contact::lost;
use glam::DVec3;
use meniscus_core::{BodyId, Dimension, Pose, RigidMotion, Wrench};
use meniscus_geometry::{Aabb, Shape, Side, Solid};

/// How many times the bodies around a particle are asked in turn: enough for a corner of three walls `[1]`.
const MAX_PASSES: usize = 3;

/// Most steps along a particle's path `[1]`.
const MAX_TRACE_STEPS: usize = 48;

/// A body that fluid must not enter, where it is at the end of the step as far as is known.
pub(crate) struct Closed {
    solid: Solid,
    motion: RigidMotion,
    /// Around its matter, if that has an end.
    bounds: Option<Aabb>,
}

/// What keeps particles out of closed bodies.
#[derive(Clone, Copy)]
pub(super) struct PenetrationGuard<'a> {
    /// By body, if fluid must not enter it.
    pub(super) closed: &'a [Option<Closed>],
    pub(super) dimension: Dimension,
    /// Of the fluid `[m]`.
    pub(super) spacing: f64,
    /// Of a particle `[kg]`.
    pub(super) mass: f64,
}

impl PenetrationGuard<'_> {
    /// How a particle ends that started at `start` `[m]` and would end as `free`; nothing if none of the bodies near it stops it.
    /// What it gives to whom is added to `load`.
    pub(super) fn catch(
        &self,
        near: &[BodyId],
        start: DVec3,
        free: State,
        load: &mut Vec<(BodyId, Wrench)>,
    ) -> Option<State> {
        let near = || {
            let body = |&id: &BodyId| Some((id, self.closed.get(id.0 as usize)?.as_ref()?));
            near.iter().filter_map(body)
        };
        let (mut end, mut stopped_by) = (free, None);
        for pass in 0..MAX_PASSES {
            let mut moved = false;
            for (id, body) in near() {
                let way = if pass == 0 { Some(body.carried(start)) } else { None };
                let Some((place, normal)) = self.surface(&body.solid, way, end.0) else { continue };
                // ADR 15: onto the surface, without the velocity into it.
                let wall = body.motion.end.velocity_at(place);
                let v = end.1 - (end.1 - wall).dot(normal).min(0.0) * normal;
                let after = (place + SURFACE_OFFSET * self.spacing * normal, v);
                load.push((id, lost(end, after, self.mass)));
                (end, moved, stopped_by) = (after, true, Some(id));
            }
            if !moved {
                break;
            }
        }
        let id = stopped_by?;
        let inside = |x: DVec3| near().any(|(_, body)| body.solid.signed_distance(x, self.dimension) < 0.0);
        if inside(end.0) && !inside(start) {
            // Between bodies that leave no room in front of it a particle stays where it was.
            let stays = (start, DVec3::ZERO);
            load.push((id, lost(end, stays, self.mass)));
            end = stays;
        }
        Some(end)
    }

    /// The place of the surface, and its normal, to which a particle at `x` is to be put that started at `start` `[m]`; nothing if it
    /// neither is inside nor has passed through.
    fn surface(&self, solid: &Solid, start: Option<DVec3>, x: DVec3) -> Option<(DVec3, DVec3)> {
        let distance = |x: DVec3| solid.signed_distance(x, self.dimension);
        let here = distance(x);
        let normal = |x: DVec3| solid.normal(x, 1e-4 * self.spacing, self.dimension);
        let hit = start
            // A distance changes no faster than one moves.
            .filter(|start| here < (x - *start).length())
            .and_then(|start| sphere_trace(distance, start, x, SURFACE_OFFSET * self.spacing))
            .map(|place| (place, normal(place)));
        let out = solid.way_out(x, self.dimension).map(|out| (x + out, out.normalize_or_zero()));
        match (hit, out) {
            // The nearest way out may be on the other side of a thin wall.
            (Some((_, front)), Some((_, normal))) if front.dot(normal) < 0.0 => hit,
            (_, Some(_)) => out,
            (hit, None) => hit,
        }
    }
}

impl Closed {
    pub(super) fn new(solid: Solid, motion: RigidMotion) -> Self {
        let ends = solid.side == Side::Solid && !matches!(solid.shape, Shape::Plane { .. });
        let bounds = ends.then(|| solid.bounds());
        Self { solid, motion, bounds }
    }

    /// Where it is.
    pub(super) fn pose(&self) -> Pose {
        self.solid.pose
    }

    /// The shortest way out for a particle that is in it `[m]`.
    pub(super) fn way_out(&self, x: DVec3, dimension: Dimension) -> Option<DVec3> {
        self.solid.way_out(x, dimension)
    }

    /// Signed distance of its surface from `x` `[m]`.
    pub(super) fn distance(&self, x: DVec3, dimension: Dimension) -> f64 {
        self.solid.signed_distance(x, dimension)
    }

    /// Whether a place may be inside of its matter, as far as its bounds tell.
    pub(super) fn is_around(&self, x: DVec3) -> bool {
        self.bounds.is_some_and(|bounds| bounds.contains(x))
    }

    /// Where the place of the body that was at `x` when the step began is at its end `[m]`.
    fn carried(&self, x: DVec3) -> DVec3 {
        let RigidMotion { start, end, .. } = self.motion;
        if start.pose == end.pose { x } else { end.pose.to_world(start.pose.to_local(x)) }
    }
}

/// The last place in front of matter on the way between two places, if it leads from outside into it.
fn sphere_trace(distance: impl Fn(DVec3) -> f64, from: DVec3, to: DVec3, step: f64) -> Option<DVec3> {
    let (way, length) = ((to - from).normalize_or_zero(), (to - from).length());
    let mut travelled = 0.0;
    let mut ahead = distance(from);
    if ahead < 0.0 {
        return None;
    }
    for _ in 0..MAX_TRACE_STEPS {
        let before = travelled;
        travelled += ahead.max(step);
        if travelled >= length {
            return (distance(to) < 0.0).then_some(from + before * way);
        }
        ahead = distance(from + travelled * way);
        if ahead < 0.0 {
            return Some(from + before * way);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_geometry::{Kinematics, OpenFaces};

    fn body(size: DVec3, pose: Pose, side: Side, velocity: DVec3) -> Closed {
        let shape = Shape::Box { size, open: OpenFaces::NONE };
        let dt = 0.01;
        let start = Kinematics { velocity, ..Kinematics::at_rest(pose) };
        let mut end = start;
        end.pose.translation += dt * velocity;
        let solid = Solid { shape, pose: end.pose, side };
        Closed::new(solid, RigidMotion { end, dt, ..RigidMotion::paused(start) })
    }

    fn guard(closed: &[Option<Closed>]) -> PenetrationGuard<'_> {
        PenetrationGuard { closed, dimension: Dimension::Three, spacing: 0.1, mass: 2.0 }
    }

    fn at(translation: DVec3) -> Pose {
        Pose { translation, ..Pose::IDENTITY }
    }

    #[test]
    fn a_fast_particle_does_not_pass_a_thin_plate() {
        let plate = [Some(body(DVec3::new(2.0, 0.02, 2.0), Pose::IDENTITY, Side::Solid, DVec3::ZERO))];
        let down = DVec3::new(3.0, -40.0, 0.0);
        // Beyond it, and inside but nearer to its other side.
        for end in [DVec3::new(0.03, -0.3, 0.0), DVec3::new(0.03, -0.008, 0.0)] {
            let start = DVec3::new(0.0, 0.05, 0.0);
            let mut load = Vec::new();
            let (x, v) = guard(&plate).catch(&[BodyId(0)], start, (end, down), &mut load).unwrap();
            assert!(x.y > 0.01 && x.y < 0.01001, "{x}");
            assert!((v - DVec3::new(3.0, 0.0, 0.0)).length() < 1e-9, "{v}");
            assert!((load[0].1.impulse - DVec3::new(0.0, -80.0, 0.0)).length() < 1e-9);
        }
        let beside = DVec3::new(0.0, 0.011, 0.0);
        let start = DVec3::new(0.0, 0.05, 0.0);
        assert!(guard(&plate).catch(&[BodyId(0)], start, (beside, down), &mut Vec::new()).is_none());
    }

    #[test]
    fn a_plate_that_moves_takes_a_particle_along() {
        // It moves by more than its thickness past the particle, which stands still.
        let up = DVec3::Y * 10.0;
        let plate = [Some(body(DVec3::new(2.0, 0.02, 2.0), Pose::IDENTITY, Side::Solid, up))];
        let x = DVec3::new(0.0, 0.03, 0.0);
        let (x, v) = guard(&plate).catch(&[BodyId(0)], x, (x, DVec3::ZERO), &mut Vec::new()).unwrap();
        assert!(x.y > 0.11 && x.y < 0.11001, "{x}");
        assert!((v - up).length() < 1e-9, "{v}");
    }

    #[test]
    fn in_a_wedge_it_is_outside_of_both() {
        let turned = Pose { rotation: glam::DQuat::from_rotation_z(0.5), translation: DVec3::Y * 0.6 };
        let closed = [
            Some(body(DVec3::new(9.0, 1.0, 9.0), at(DVec3::Y * -0.5), Side::Solid, DVec3::ZERO)),
            Some(body(DVec3::ONE, turned, Side::Solid, DVec3::ZERO)),
        ];
        let start = DVec3::new(-0.3, 0.02, 0.0);
        for end in [DVec3::new(0.2, -0.05, 0.0), DVec3::new(0.1, 0.1, 0.0), DVec3::new(0.4, 0.01, 0.0)] {
            let near = [BodyId(0), BodyId(1)];
            let projected = guard(&closed).catch(&near, start, (end, DVec3::X * 5.0), &mut Vec::new());
            let (x, _) = projected.unwrap_or((end, DVec3::ZERO));
            for body in closed.iter().flatten() {
                assert!(body.solid.signed_distance(x, Dimension::Three) >= 0.0, "{end}: {x}");
            }
        }
    }

    #[test]
    fn rounding_puts_nobody_behind_the_surface() {
        let turned =
            Pose { rotation: glam::DQuat::from_rotation_z(0.7), translation: DVec3::new(9.0, 3.0, 1.0) };
        let closed = [Some(body(DVec3::ONE, turned, Side::Container, DVec3::ZERO))];
        for n in 0..200 {
            let aside = 0.004 * f64::from(n) - 0.4;
            let end = turned.to_world(DVec3::new(0.51, aside, -aside));
            let free = (end, DVec3::ZERO);
            let (x, _) =
                guard(&closed).catch(&[BodyId(0)], turned.translation, free, &mut Vec::new()).unwrap();
            let solid = &closed[0].as_ref().unwrap().solid;
            assert!(solid.signed_distance(x, Dimension::Three) >= 0.0, "{n}");
        }
    }
}

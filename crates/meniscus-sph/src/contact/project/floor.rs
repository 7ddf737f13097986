//! Fluid that was pushed into the floor of an open tank comes back when there is room.
//!
//! A body that stands on the floor leaves a gap that is narrower than a particle. What gets in there is put out of the body by the
//! shortest way, and that may lead through the floor. Closed tanks are asked before a particle is moved; open ones are not, because fluid may leave
//! them, and because what is held between floor and body throws the body up. So the particle waits in the floor and is lifted
//! out of it as soon as no body is above.
//!
//! In a gap that is too narrow, one that is hardly in the floor is put back onto it. That changes its place only: with its
//! velocity the floor would hold it against the body.

use super::guard::PenetrationGuard;
use super::{SURFACE_OFFSET, State};
use crate::contact::lost;
use glam::DVec3;
use meniscus_core::{BodyId, RigidMotion, Wrench};
use meniscus_geometry::Solid;

/// Particles that are deeper than this have left, in spacings `[1]`.
const MAX_DEPTH: f64 = 1.0;

/// How far bodies must be from the place on the floor, in spacings: less is no room for a particle, and the body would be thrown up `[1]`.
const MIN_GAP: f64 = 1.0;

/// How deep a particle may be that is put back although there is no such room, in spacings: what it gains of density by that is
/// nothing to throw a body with. With a tenth, blocks were thrown `[1]`.
const SHALLOW: f64 = 0.02;

/// How far a particle is lifted in a step at most, in spacings: the fluid above must make way for it `[1]`.
const MAX_LIFT: f64 = 0.1;

/// An open tank, where it is at the end of the step.
pub(crate) struct Floor {
    pub(crate) body: BodyId,
    pub(crate) solid: Solid,
    pub(crate) motion: RigidMotion,
}

/// What particles need to know to come back.
#[derive(Clone, Copy)]
pub(crate) struct Lift<'a> {
    pub(super) guard: PenetrationGuard<'a>,
    pub(super) floors: &'a [Floor],
    /// Against gravity.
    pub(super) up: DVec3,
}

impl Lift<'_> {
    /// How a particle ends that would end as `free`, and what the tank receives; nothing if it is not in a floor, or has to wait.
    pub(super) fn apply(&self, free: State) -> Option<(State, (BodyId, Wrench))> {
        let PenetrationGuard { closed, dimension, spacing, mass } = self.guard;
        self.floors.iter().find_map(|floor| {
            let way = floor.solid.way_to_floor(free.0, self.up).filter(|way| *way < MAX_DEPTH * spacing)?;
            let place = free.0 + way * self.up;
            let gaps = closed.iter().flatten().map(|body| body.distance(place, dimension));
            let gap = gaps.fold(f64::INFINITY, f64::min) / spacing;
            let sinks = if gap >= MIN_GAP {
                (free.1 - floor.motion.end.velocity_at(place)).dot(self.up).min(0.0)
            } else if gap > SURFACE_OFFSET && way < SHALLOW * spacing {
                0.0
            } else {
                return None;
            };
            let rise = (way + SURFACE_OFFSET * spacing).min(MAX_LIFT * spacing);
            let end = (free.0 + rise * self.up, free.1 - sinks * self.up);
            Some((end, (floor.body, lost(free, end, mass))))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::guard::Closed;
    use super::*;
    use meniscus_core::Dimension;
    use meniscus_geometry::{Kinematics, OpenFaces, Pose, Shape, Side};

    fn solid(size: DVec3, y: f64, open: OpenFaces, side: Side) -> (Solid, RigidMotion) {
        let pose = Pose { translation: DVec3::Y * y, ..Pose::IDENTITY };
        let motion = RigidMotion::paused(Kinematics::at_rest(pose));
        (Solid { shape: Shape::Box { size, open }, pose, side }, motion)
    }

    #[test]
    fn a_particle_comes_out_of_the_floor_where_no_body_stands() {
        let open = OpenFaces::new([false, false, false, true, false, false]);
        let (tank, motion) = solid(DVec3::splat(2.0), 1.0, open, Side::Container);
        let floors = [Floor { body: BodyId(0), solid: tank, motion }];
        // Stands on the floor, two millimetres above it.
        let (block, motion) = solid(DVec3::splat(0.4), 0.202, OpenFaces::NONE, Side::Solid);
        let closed = [None, Some(Closed::new(block, motion))];
        let guard =
            PenetrationGuard { closed: &closed, dimension: Dimension::Three, spacing: 0.1, mass: 2.0 };
        let lift = Lift { guard, floors: &floors, up: DVec3::Y };
        let down = DVec3::new(0.3, -1.0, 0.0);
        let end = |x: f64, y: f64| lift.apply((DVec3::new(x, y, 0.0), down));

        let ((x, v), (body, load)) = end(0.5, -0.004).unwrap();
        assert!(x.y > 0.0 && x.y < 1e-6, "{x}");
        assert!((v - DVec3::X * 0.3).length() < 1e-12, "{v}");
        assert!(body == BodyId(0) && (load.impulse - 2.0 * DVec3::NEG_Y).length() < 1e-12);
        // Deeper ones need more than a step.
        let ((x, _), _) = end(0.5, -0.04).unwrap();
        assert!((x.y + 0.03).abs() < 1e-9, "{x}");
        // Hardly in the floor, below and beside the block, it comes back as fast as it was.
        for x in [0.0, 0.28] {
            let ((place, v), (_, load)) = end(x, -0.001).unwrap();
            assert!(place.y > 0.0 && place.y < 1e-6 && v == down, "{place} {v}");
            assert!(load.impulse == DVec3::ZERO);
        }
        // Below the block, beside it, in the tank, and fallen out of it.
        for (x, y) in [(0.0, -0.004), (0.28, -0.004), (0.5, 0.01), (0.5, -0.3)] {
            assert!(end(x, y).is_none(), "{x} {y}");
        }
    }
}

//! The last resort of non-penetration: no particle ends a step in closed matter, or beyond it.
//!
//! Pressure, contacts and repulsion act through rows, which feel convex edges late, add up wrongly in wedges between two
//! bodies, and end after the support radius. So at the end of a step the way of each particle that comes near closed matter is
//! compared with the drawn surface itself, whatever the boundary method is.

use super::floor::{Floor, Lift};
use super::lost;
use crate::fluid::{Scratch, SphFluid};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension, Exchange, Pose, RigidMotion, StepContext, Wrench, reduce};
use meniscus_geometry::{Aabb, Shape, Side, Solid};

/// Particles that end nearer to a point of their row than this may be inside, in spacings: samples half a spacing deep on a square
/// lattice leave at most 0.87 `[1]`.
const NEAR: f64 = 0.95;

/// How far before the surface a particle is put, in spacings: enough that rounding does not put it behind `[1]`.
pub(crate) const SURFACE_OFFSET: f64 = 1e-6;

/// How many times the bodies around a particle are asked in turn: enough for a corner of three walls.
const PASSES: usize = 3;

/// For how many there is room from the start.
const FEW: usize = 8;

/// Most steps along a particle's way.
const MARCH: usize = 48;

/// A body that fluid must not enter, where it is at the end of the step.
pub(crate) struct Closed {
    solid: Solid,
    motion: RigidMotion,
    /// Around its matter, if that has an end.
    bounds: Option<Aabb>,
    /// Whether it ended the step elsewhere than was foreseen.
    pub(crate) moved_since_prediction: bool,
}

/// Where a particle is `[m]` and how it moves `[m/s]`.
pub(crate) type State = (DVec3, DVec3);

/// Particles that were stopped and how they end, and what bodies receive in turn.
#[derive(Default)]
pub(crate) struct Projected {
    pub(crate) end: Vec<(usize, State)>,
    load: Vec<(BodyId, Wrench)>,
    /// Bodies near the particle that is looked at.
    near: Vec<BodyId>,
}

impl SphFluid {
    /// Puts particles that would end inside of closed matter, or that would pass through it, onto its surface and takes their inward
    /// velocity.
    pub(crate) fn project_out_of_solids(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { setup, neighbourhood, scratch, points, state, .. } = self;
        let interface = &mut *exchange.interface;
        let Scratch { position, velocity, closed, floors, projected, .. } = scratch;
        // Deformable solids have no frame that their geometry could be in.
        let placed = || {
            let motions = setup.walls.iter().zip(&interface.motion);
            motions.map(|(wall, motion)| Some((wall.solid.as_ref()?, *motion.rigid()?)))
        };
        closed.clear();
        closed.extend(placed().map(|placed| {
            let (solid, motion) = placed?;
            let closed = motion.present && solid.is_closed();
            closed.then(|| Closed::new(solid.at(motion.end.pose), motion))
        }));
        if closed.iter().all(Option::is_none) {
            return;
        }
        let guard = PenetrationGuard {
            closed,
            dimension: setup.dimension,
            spacing: setup.fluid.spacing,
            mass: setup.fluid.mass(),
        };
        floors.clear();
        floors.extend((0..).zip(placed()).filter_map(|(n, placed)| {
            let (solid, motion) = placed?;
            let is_open = motion.present && solid.side == Side::Container && !solid.is_closed();
            is_open.then(|| Floor { body: BodyId(n), solid: solid.at(motion.end.pose), motion })
        }));
        let PenetrationGuard { dimension, spacing, mass, .. } = guard;
        let up = (-step.gravity).normalize_or_zero();
        let lift = Lift { closed, floors, up, dimension, spacing, mass };
        let reach = (NEAR * guard.spacing).powi(2);
        let start = &state.particles.position;
        let catch = |i: usize, Projected { end, load, near }: &mut Projected| {
            near.clear();
            for sample in neighbourhood.boundary.row(i) {
                let point = points.get(sample.point as usize);
                let there = point.position + step.dt * point.velocity;
                if near.last() != Some(&point.body) && (position[i] - there).length_squared() < reach {
                    near.push(point.body);
                }
            }
            if !neighbourhood.boundary.row(i).is_empty() {
                // Parts that are thinner than a spacing may have no point near enough.
                let around = |k: &usize| closed[*k].as_ref().is_some_and(|body| body.is_around(position[i]));
                near.extend((0..closed.len()).filter(around).map(|k| BodyId(k as u32)));
            }
            // Who moves this far may come from where rows feel nothing.
            if (position[i] - start[i]).length_squared() > reach {
                near.extend((0..closed.len() as u32).map(BodyId));
            }
            if near.is_empty() {
                return;
            }
            near.sort_unstable();
            near.dedup();
            let free = (position[i], velocity[i]);
            let stopped = guard.catch(near, start[i], free, load);
            let lifted = lift.apply(stopped.unwrap_or(free)).map(|(end, given)| {
                load.push(given);
                end
            });
            end.extend(lifted.or(stopped).map(|end| (i, end)));
        };
        reduce::gather(projected, position.len(), |range, projected| {
            let Projected { end, load, near } = &mut *projected;
            end.clear();
            load.clear();
            near.clear();
            // For all groups at once, and not when each has its first.
            end.reserve(FEW);
            load.reserve(FEW);
            near.reserve(FEW);
            range.for_each(|i| catch(i, projected));
        });
        for Projected { end, load, .. } in projected {
            for &(i, end) in end.iter() {
                (position[i], velocity[i]) = end;
            }
            for (body, load) in load.iter() {
                interface.load.wrench[body.index()] += *load;
            }
        }
    }
}

/// What keeps particles out of closed bodies.
struct PenetrationGuard<'a> {
    closed: &'a [Option<Closed>],
    dimension: Dimension,
    spacing: f64,
    mass: f64,
}

impl PenetrationGuard<'_> {
    /// How a particle ends that started at `start` `[m]` and would end as `free`; nothing if none of the bodies near it stops it.
    /// What it gives to whom is added to `load`.
    fn catch(
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
        for pass in 0..PASSES {
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
    pub(crate) fn new(solid: Solid, motion: RigidMotion) -> Self {
        let ends = solid.side == Side::Solid && !matches!(solid.shape, Shape::Plane { .. });
        let bounds = ends.then(|| solid.bounds());
        Self { solid, motion, bounds, moved_since_prediction: false }
    }

    /// Where it is.
    pub(crate) fn pose(&self) -> Pose {
        self.solid.pose
    }

    /// The shortest way out for a particle that is in it `[m]`.
    pub(crate) fn way_out(&self, x: DVec3, dimension: Dimension) -> Option<DVec3> {
        self.solid.way_out(x, dimension)
    }

    /// Signed distance of its surface from `x` `[m]`.
    pub(crate) fn distance(&self, x: DVec3, dimension: Dimension) -> f64 {
        self.solid.signed_distance(x, dimension)
    }

    /// Whether a place may be inside of its matter, as far as its bounds tell.
    pub(crate) fn is_around(&self, x: DVec3) -> bool {
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
    for _ in 0..MARCH {
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

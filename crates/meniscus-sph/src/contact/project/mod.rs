//! The last resort of non-penetration: no particle ends a step in closed matter, or beyond it.
//!
//! Pressure, contacts and repulsion act through rows, which feel convex edges late, add up wrongly in wedges between two
//! bodies, and end after the support radius. So the path of each particle that comes near closed matter is compared with the drawn surface
//! itself, whatever the boundary method is ([`guard`]), and what is in the floor of an open tank comes back when there is room
//! ([`floor`]). Solids receive what particles lose, and so this comes before they move.
//!
//! Then a body may meet the ground or another body, and end elsewhere than the fluid was told. What it has run over is put onto its
//! surface. That changes places only: no velocity, so that nothing is owed to the body. One pass after solids have moved, in place of these
//! two, was tried: ADR 27.

mod floor;
mod guard;

use crate::fluid::{Scratch, SphFluid};
use floor::{Floor, Lift};
use glam::DVec3;
use guard::{Closed, PenetrationGuard};
use meniscus_core::{BodyId, Exchange, Pose, RigidMotion, SolidMotion, StepContext, Wrench, reduce};
use meniscus_geometry::{Side, Solid};

/// Particles that end nearer to a point of their row than this may be inside, in spacings: samples half a spacing deep on a square
/// lattice leave at most 0.87 `[1]`.
const NEAR: f64 = 0.95;

/// How far before the surface a particle is put, in spacings: enough that rounding does not put it behind `[1]`.
const SURFACE_OFFSET: f64 = 1e-6;

/// A body that ends no farther than this from where it was foreseen is where the fluid expects it, in spacings `[1]`.
const FORESEEN: f64 = 1e-6;

/// For how many projected particles a group has room from the start `[1]`.
const INITIAL_ROOM: usize = 8;

/// Where a particle is `[m]` and how it moves `[m/s]`.
type State = (DVec3, DVec3);

/// What projection keeps from step to step, to allocate nothing, and from before solids move until after.
#[derive(Default)]
pub(crate) struct Projection {
    /// Bodies that no particle may be in, if they are such.
    closed: Vec<Option<Closed>>,
    /// Open tanks.
    floors: Vec<Floor>,
    /// Closed bodies that ended elsewhere than was foreseen.
    strayed: Vec<usize>,
    projected: Vec<Projected>,
}

/// Particles that were stopped and how they end, and what bodies receive in turn.
#[derive(Default)]
struct Projected {
    end: Vec<(usize, State)>,
    load: Vec<(BodyId, Wrench)>,
    /// Bodies near the particle that is looked at.
    near: Vec<BodyId>,
}

impl Projected {
    fn clear(&mut self) {
        let Self { end, load, near } = self;
        end.clear();
        load.clear();
        near.clear();
        // For all groups at once, and not when each has its first.
        end.reserve(INITIAL_ROOM);
        load.reserve(INITIAL_ROOM);
        near.reserve(INITIAL_ROOM);
    }
}

/// A solid with its motion and how far it reaches from the origin of its frame `[m]`; nothing for one without a frame.
type Placed<'a> = Option<(&'a Solid, &'a RigidMotion, f64)>;

impl Projection {
    /// Finds closed bodies and open tanks where they will be; tells whether there is any closed body.
    fn place<'a>(&mut self, bodies: impl Iterator<Item = Placed<'a>>) -> bool {
        let Self { closed, floors, .. } = self;
        closed.clear();
        floors.clear();
        for (body, placed) in (0..).map(BodyId).zip(bodies) {
            let present = placed.filter(|(_, motion, _)| motion.present);
            let there = present.map(|(solid, motion, _)| (solid.at(motion.end.pose), *motion));
            let is_closed = there.as_ref().is_some_and(|(solid, _)| solid.is_closed());
            if let Some((solid, motion)) = &there
                && solid.side == Side::Container
                && !is_closed
            {
                floors.push(Floor { body, solid: solid.clone(), motion: *motion });
            }
            closed.push(there.filter(|_| is_closed).map(|(solid, motion)| Closed::new(solid, motion)));
        }
        closed.iter().any(Option::is_some)
    }

    /// Finds the closed bodies that are not where they were placed.
    fn replace_strayed<'a>(&mut self, bodies: impl Iterator<Item = Placed<'a>>, spacing: f64) {
        self.strayed.clear();
        for (k, (closed, placed)) in self.closed.iter_mut().zip(bodies).enumerate() {
            let (Some(foreseen), Some((solid, motion, radius))) = (&mut *closed, placed) else { continue };
            if farthest(foreseen.pose(), motion.end.pose, radius) > FORESEEN * spacing {
                *foreseen = Closed::new(solid.at(motion.end.pose), *motion);
                self.strayed.push(k);
            }
        }
    }
}

impl SphFluid {
    /// Puts particles that would end inside of closed matter, or that would pass through it, onto its surface and takes their inward
    /// velocity.
    pub(crate) fn stop_at_solids(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        let Self { setup, neighbourhood, scratch, points, state, radius, .. } = self;
        let interface = &mut *exchange.interface;
        let Scratch { position, velocity, projection, .. } = scratch;
        if !projection.place(placed(setup.solids(), &interface.motion, radius)) {
            return;
        }
        let Projection { closed, floors, projected, .. } = projection;
        let (dimension, spacing, mass) = (setup.dimension, setup.fluid.spacing, setup.fluid.mass());
        let guard = PenetrationGuard { closed, dimension, spacing, mass };
        let lift = Lift { guard, floors, up: (-step.gravity).normalize_or_zero() };
        let reach = (NEAR * spacing).powi(2);
        let start = &state.particles.position;
        let find_near = |i: usize, near: &mut Vec<BodyId>| {
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
            near.sort_unstable();
            near.dedup();
        };
        reduce::gather(projected, position.len(), |range, projected| {
            projected.clear();
            let Projected { end, load, near } = projected;
            for i in range {
                find_near(i, near);
                if near.is_empty() {
                    continue;
                }
                let free = (position[i], velocity[i]);
                let stopped = guard.catch(near, start[i], free, load);
                let lifted = lift.apply(stopped.unwrap_or(free)).map(|(end, given)| {
                    load.push(given);
                    end
                });
                end.extend(lifted.or(stopped).map(|end| (i, end)));
            }
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

    /// Puts particles out of bodies that were carried into them by what the bodies met.
    pub(crate) fn make_way_for_solids(&mut self, exchange: &Exchange<'_>) {
        let Self { setup, scratch, radius, .. } = self;
        let Scratch { position, projection, .. } = scratch;
        let (dimension, spacing) = (setup.dimension, setup.fluid.spacing);
        projection.replace_strayed(placed(setup.solids(), &exchange.interface.motion, radius), spacing);
        let Projection { closed, strayed, projected, .. } = projection;
        if strayed.is_empty() {
            return;
        }
        let out = |x: DVec3| {
            let mut bodies =
                strayed.iter().filter_map(|&k| closed[k].as_ref()).filter(|body| body.is_around(x));
            let way = bodies.find_map(|body| body.way_out(x, dimension))?;
            let place = x + way + SURFACE_OFFSET * spacing * way.normalize_or_zero();
            // Between two bodies there may be no better place.
            let is_free = closed.iter().flatten().all(|body| body.distance(place, dimension) >= 0.0);
            is_free.then_some(place)
        };
        reduce::gather(projected, position.len(), |range, Projected { end, .. }| {
            end.clear();
            end.extend(range.filter_map(|i| Some((i, (out(position[i])?, DVec3::ZERO)))));
        });
        for &(i, (place, _)) in projected.iter().flat_map(|projected| &projected.end) {
            position[i] = place;
        }
    }
}

/// Solids with their motions, as far as they have frames: deformable ones do not.
fn placed<'a>(
    solids: impl Iterator<Item = Option<&'a Solid>>,
    motion: &'a [SolidMotion],
    radius: &'a [f64],
) -> impl Iterator<Item = Placed<'a>> {
    solids.zip(motion).zip(radius).map(|((solid, motion), r)| Some((solid?, motion.rigid()?, *r)))
}

/// How far any place of a body of this `radius` `[m]` is in one pose from where it is in another `[m]`, at most.
fn farthest(a: Pose, b: Pose, radius: f64) -> f64 {
    a.translation.distance(b.translation) + radius * a.rotation.angle_between(b.rotation)
}

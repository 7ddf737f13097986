//! Bodies that are free to move, within a fluid step.
//!
//! The step's impulses on a body add up as the step goes on. What they have changed of its motion so far, the fluid must
//! see at once: in the sweeps by [`FreeBodies`], between the parts of the step by the velocities of the interface's
//! points. The engine gets all impulses together at the end and has the last word.
//!
//! What other bodies, floors and joints do to a body during the step is known only then. It is foreseen: a push that was
//! there in the last two steps is expected to last, by the smaller of the two. An impact is not foreseen that way, and a
//! support that gives way is believed in for one step; both come out as an error in density of the next step, which
//! its solve corrects.

use crate::simulation::Simulation;
use crate::solids::moved;
use crate::world::World;
use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, BodyLoad};
use meniscus_geometry::Kinematics;
use meniscus_solid::{Response, Solids};
use meniscus_sph::boundary::{
    AnswerStep, Completion, ForcingContacts, FreeBodies, FreeBody, Penalties, Twist,
};
use meniscus_sph::pressure::{Partners, Stage};
use serde::{Deserialize, Serialize};

/// Accelerations of a body that neither gravity nor fluid explains, in the last step and the one before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Support {
    /// Of the centre of mass `[m/s²]`.
    linear: [DVec3; 2],
    /// Of the rotation `[rad/s²]`.
    angular: [DVec3; 2],
}

impl Support {
    /// What is expected to last.
    fn lasting(&self) -> (DVec3, DVec3) {
        (smaller(self.linear), smaller(self.angular))
    }

    fn observe(&mut self, linear: DVec3, angular: DVec3) {
        self.linear = [linear, self.linear[0]];
        self.angular = [angular, self.angular[0]];
    }
}

/// The shorter of two vectors, or none if they disagree about the direction.
fn smaller([a, b]: [DVec3; 2]) -> DVec3 {
    match a.dot(b) {
        dot if dot <= 0.0 => DVec3::ZERO,
        _ if a.length_squared() <= b.length_squared() => a,
        _ => b,
    }
}

/// What a step knows of the bodies that are free to move.
#[derive(Default)]
pub(crate) struct Free {
    pub(crate) bodies: FreeBodies,
    /// How much of their motion's change the interface shows, one for each.
    shown: Vec<Twist>,
    /// Whether gravity has acted in this step.
    falling: bool,
}

/// Who takes part in a pressure solve.
pub(crate) struct StepPartners<'a> {
    pub completion: &'a mut Completion,
    pub contacts: &'a mut ForcingContacts,
    /// In the stage in which forces act.
    pub penalties: Option<&'a mut Penalties>,
    pub velocity: &'a [[f32; 4]],
    pub free: &'a mut FreeBodies,
    pub step: AnswerStep<'a>,
}

impl Partners for StepPartners<'_> {
    fn constrain(&mut self, acceleration: &mut [[f32; 4]]) {
        let AnswerStep { mass, dt, .. } = self.step;
        self.completion.complete(acceleration);
        if let Some(penalties) = &mut self.penalties {
            penalties.repel(self.velocity, dt, acceleration);
        }
        self.contacts.constrain(self.velocity, dt, acceleration, self.free, mass);
    }

    fn answer(&mut self, stage: Stage, pressure: &[f32]) -> &[f32] {
        self.free.density_change(stage, pressure, self.step)
    }
}

impl Simulation {
    /// Finds the bodies that are free to move and the particles that feel them.
    pub(crate) fn find_free_bodies(&mut self) {
        let Self { setup, world, solids, free, wet, interface, .. } = self;
        let (Some(solids), Some(solid_setup)) = (solids, &setup.solids) else { return };
        let bodies = solid_setup.free(solids.engine.as_ref()).map(|(k, mass)| {
            let centre = world.bodies[k].pose.to_world(mass.centre);
            free_body(solids.engine.as_ref(), BodyId(k as u32), centre)
        });
        free.bodies.find(bodies, &wet.boundary, interface, &world.particles.position, setup.gravity);
        free.bodies.stiffen(meniscus_sph::wet::WALL_PRESSURE, setup.fluid.mass(), &mut wet.gradient);
        free.shown.clear();
        free.shown.resize(free.bodies.bodies().len(), Twist::default());
        free.falling = false;
    }

    /// Lets bodies fall as they would without fluid.
    pub(crate) fn drop_free_bodies(&mut self) {
        self.free.falling = true;
        self.show_free_bodies();
    }

    /// Shows the fluid how bodies move under the impulses so far.
    pub(crate) fn show_free_bodies(&mut self) {
        let Self { setup, world, free, wet, interface, bodies, contacts, report, .. } = self;
        let dt = report.dt;
        if free.shown.is_empty() {
            return;
        }
        let mut change = Vec::with_capacity(free.shown.len());
        for (body, shown) in free.bodies.bodies().iter().zip(&mut free.shown) {
            let k = body.body.0 as usize;
            let mut twist = body.answer(&interface.load[k]);
            if free.falling {
                let (linear, angular) = world.support[k].lasting();
                twist.velocity += dt * (setup.gravity + linear);
                twist.spin += dt * angular;
            }
            change.push(Twist { velocity: twist.velocity - shown.velocity, spin: twist.spin - shown.spin });
            *shown = twist;
            let start = &world.bodies[k];
            bodies[k].end = moved(&turned(start, &twist, body.centre), dt);
        }
        for point in &mut interface.point {
            if let Some(n) = free.bodies.slot(point.body) {
                let Twist { velocity, spin } = change[n];
                point.velocity += velocity + spin.cross(point.position - free.bodies.bodies()[n].centre);
            }
        }
        free.bodies.change_flux(&change, &mut wet.boundary);
        contacts.move_walls(&change);
    }

    /// Notes what the step has shown of the forces that are not the fluid's.
    pub(crate) fn observe_support(&mut self, dt: f64) {
        let Self { setup, world, free, interface, bodies, .. } = self;
        let World { support, bodies: before, .. } = world;
        for body in free.bodies.bodies() {
            let k = body.body.0 as usize;
            let (start, end) = (&before[k], &bodies[k].end);
            let mass_centre = start.pose.to_local(body.centre);
            let velocity = |now: &Kinematics| now.velocity_at(now.pose.to_world(mass_centre));
            let expected = body.answer(&interface.load[k]);
            let linear = (velocity(end) - velocity(start) - expected.velocity) / dt - setup.gravity;
            let angular = (end.angular_velocity - start.angular_velocity - expected.spin) / dt;
            support[k].observe(linear, angular);
        }
    }
}

/// How a body answers, as its engine says.
fn free_body(engine: &dyn Solids, body: BodyId, centre: DVec3) -> FreeBody {
    let columns = |load: &dyn Fn(DVec3) -> BodyLoad, part: fn(Response) -> DVec3| {
        let column = |axis: DVec3| part(engine.response(body, load(axis)));
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    };
    let push = |axis: DVec3| BodyLoad { impulse: axis, angular_impulse: centre.cross(axis) };
    let turn = |axis: DVec3| BodyLoad { impulse: DVec3::ZERO, angular_impulse: axis };
    FreeBody {
        body,
        centre,
        linear: columns(&push, |r| r.velocity),
        angular: columns(&turn, |r| r.angular_velocity),
        lever: columns(&turn, |r| r.velocity),
    }
}

/// A motion after a change, given for the centre of mass.
fn turned(now: &Kinematics, change: &Twist, centre: DVec3) -> Kinematics {
    let arm = now.pose.translation - centre;
    Kinematics {
        velocity: now.velocity + change.velocity + change.spin.cross(arm),
        angular_velocity: now.angular_velocity + change.spin,
        ..*now
    }
}

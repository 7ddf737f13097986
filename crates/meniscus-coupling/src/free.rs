//! Bodies that are free to move, within a fluid step.
//!
//! The step's impulses on a body add up as the step goes on. What they have changed of its motion so far, the fluid must
//! see at once: in the sweeps by [`FreeBodies`], between the parts of the step by the velocities of the interface's
//! points. The engine gets all impulses together at the end and has the last word.
//!
//! What other bodies, floors and joints do to a body during the step, an engine that looks ahead says as often as it is asked
//! ([`foresight`](crate::foresight)). With another one it is guessed: a push that was there in the last two steps is expected to last, by the smaller of
//! the two. An impact is not guessed that way, and a support that gives way is believed in for one step; both come out
//! as an error in density of the next step, which its solve corrects.

use crate::foresight::{Asked, Foresight};
use crate::simulation::Simulation;
use crate::solids::moved;
use crate::world::World;
use glam::DVec3;
use meniscus_core::{BodyId, Twist, Wrench};
use meniscus_geometry::Kinematics;
use meniscus_solid::Solids;
use meniscus_sph::boundary::{
    AnswerStep, Completion, ForcingContacts, FreeBodies, FreeBody, Oracle, Penalties,
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
    /// What the engine foresees, if it does.
    pub(crate) foresight: Option<Foresight>,
}

/// Who takes part in a pressure solve.
pub(crate) struct StepPartners<'a> {
    pub completion: &'a mut Completion,
    pub contacts: &'a mut ForcingContacts,
    /// In the stage in which forces act.
    pub penalties: Option<&'a mut Penalties>,
    pub velocity: &'a [[f32; 4]],
    pub free: &'a mut FreeBodies,
    /// The engine of the bodies, if it looks ahead.
    pub engine: Option<Asked<'a>>,
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
        let oracle = self.engine.as_mut().map(|asked| asked as &mut dyn Oracle);
        self.free.density_change(stage, pressure, self.step, oracle)
    }
}

impl Simulation {
    /// Finds the bodies that are free to move and the particles that feel them.
    pub(crate) fn find_free_bodies(&mut self) {
        let Self { setup, world, solids, free, wet, interface, report, .. } = self;
        let (Some(solids), Some(solid_setup)) = (solids, &setup.solids) else { return };
        free.foresight = Foresight::begin(free.foresight.take(), solids.engine.as_mut(), report.dt);
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
        let Self { setup, world, free, wet, interface, bodies, contacts, report, solids, .. } = self;
        let dt = report.dt;
        if free.shown.is_empty() {
            return;
        }
        if let (Some(foresight), Some(solids)) = (&mut free.foresight, solids) {
            foresight.update(solids.engine.as_mut(), &interface.load);
        }
        let mut change = Vec::with_capacity(free.shown.len());
        for (body, shown) in free.bodies.bodies().iter().zip(&mut free.shown) {
            let k = body.body.0 as usize;
            let (load, support) = (&interface.load[k], free.falling.then_some(&world.support[k]));
            let twist = free.foresight.as_ref().map_or_else(
                || guessed(body, load, support, setup.gravity, dt),
                |foresight| foresight.twist(k, free.falling),
            );
            change.push(twist - *shown);
            *shown = twist;
            let start = &world.bodies[k];
            bodies[k].end = moved(&turned(start, &twist, body.centre), dt);
        }
        for point in &mut interface.point {
            if let Some(n) = free.bodies.slot(point.body) {
                point.velocity += change[n].at(point.position - free.bodies.bodies()[n].centre);
            }
        }
        free.bodies.change_flux(&change, &mut wet.boundary);
        contacts.move_walls(&change);
    }

    /// Notes what the step has shown of the forces that are not the fluid's, where they must be guessed.
    pub(crate) fn observe_support(&mut self, dt: f64) {
        let Self { setup, world, free, interface, bodies, .. } = self;
        if free.foresight.is_some() {
            return;
        }
        let World { support, bodies: before, .. } = world;
        for body in free.bodies.bodies() {
            let k = body.body.0 as usize;
            let (start, end) = (&before[k], &bodies[k].end);
            let mass_centre = start.pose.to_local(body.centre);
            let velocity = |now: &Kinematics| now.velocity_at(now.pose.to_world(mass_centre));
            let expected = body.answer(&interface.load[k]);
            let linear = (velocity(end) - velocity(start) - expected.linear) / dt - setup.gravity;
            let angular = (end.angular_velocity - start.angular_velocity - expected.angular) / dt;
            support[k].observe(linear, angular);
        }
    }
}

/// How a body answers by itself, as its engine says.
fn free_body(engine: &dyn Solids, body: BodyId, centre: DVec3) -> FreeBody {
    FreeBody { body, centre, mobility: engine.mobility(body) }
}

/// How a body moves under a load in a step of length `dt` `[s]` if it is left alone with what lasts of its support; without that, before it
/// falls.
fn guessed(body: &FreeBody, load: &Wrench, support: Option<&Support>, gravity: DVec3, dt: f64) -> Twist {
    let mut twist = body.answer(load);
    if let Some((linear, angular)) = support.map(Support::lasting) {
        twist.linear += dt * (gravity + linear);
        twist.angular += dt * angular;
    }
    twist
}

/// A motion after a change, given for the centre of mass.
fn turned(now: &Kinematics, change: &Twist, centre: DVec3) -> Kinematics {
    let arm = now.pose.translation - centre;
    Kinematics {
        velocity: now.velocity + change.at(arm),
        angular_velocity: now.angular_velocity + change.angular,
        ..*now
    }
}

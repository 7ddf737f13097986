//! Rigid bodies as solids that fluids meet: what they receive and answer are six numbers a body.

use glam::DVec3;
use meniscus_core::{
    BodyId, Carrier, Kinematics, Loads, MotionChange, RigidMotion, SolidEngine, SolidError, SolidMotion,
    SolidReport, SolidRow, Solids, StepContext, Wrench,
};

use super::{BodyParams, RigidEngine};
use crate::script::PrescribedMotion;

/// The bodies of an engine.
pub struct RigidSolids {
    engine: Box<dyn RigidEngine>,
    body: Vec<BodyParams>,
    /// Time at which prescribed motions are now `[s]`.
    time: f64,
    /// The same before the last step `[s]`.
    before: f64,
}

impl RigidSolids {
    /// An engine with the bodies that it was made of.
    #[must_use]
    pub fn new(engine: Box<dyn RigidEngine>, body: Vec<BodyParams>) -> Self {
        Self { engine, body, time: 0.0, before: 0.0 }
    }

    /// Where a body is and how it moves.
    fn now(&self, body: BodyId) -> Kinematics {
        let params = &self.body[body.index()];
        if params.is_dynamic() { self.engine.kinematics(body) } else { prescribed(params, self.time) }
    }

    fn ids(&self) -> impl Iterator<Item = BodyId> {
        (0..self.body.len() as u32).map(BodyId)
    }
}

/// What is prescribed for a body at a time `[s]`, whether it follows it then or not.
fn prescribed(body: &BodyParams, time: f64) -> Kinematics {
    let lead = body.schedule.kinematic.as_ref().map(|kinematic| &kinematic.motion);
    body.prescribed_motion(time).or(lead).unwrap_or(&PrescribedMotion::Still).at(&body.pose, time)
}

impl Solids for RigidSolids {
    fn count(&self) -> usize {
        self.body.len()
    }

    fn kinematics(&self, body: BodyId) -> Option<Kinematics> {
        Some(self.now(body))
    }

    fn is_present(&self, body: BodyId) -> bool {
        self.engine.is_present(body)
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        for (body, motion) in self.ids().zip(motion) {
            let present = self.engine.is_present(body);
            *motion = SolidMotion::Rigid(RigidMotion { present, ..RigidMotion::paused(self.now(body)) });
        }
    }

    fn carriers(&self, body: BodyId, list: &mut Vec<Carrier>) {
        if let Some(mass) = self.engine.matter(body) {
            let centre = self.now(body).pose.to_world(mass.centre);
            list.push(Carrier { body, node: None, centre, mobility: self.engine.mobility(body) });
        }
    }

    fn begin_response(&mut self, dt: f64) {
        self.engine.begin_response(dt);
    }

    fn respond(&mut self, loads: &Loads, change: &mut MotionChange) {
        self.engine.respond(&loads.wrench, &mut change.twist);
    }
}

impl SolidEngine for RigidSolids {
    fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]) {
        for (body, motion) in self.ids().zip(motion) {
            let start = self.now(body);
            let (present, dynamic) = (self.engine.is_present(body), self.engine.matter(body).is_some());
            let drifts = dynamic || !present;
            let params = &self.body[body.index()];
            let end = if drifts { start.after(step.dt) } else { prescribed(params, step.end) };
            *motion = SolidMotion::Rigid(RigidMotion { start, end, dt: step.dt, present, dynamic });
        }
    }

    fn advance(&mut self, step: &StepContext, loads: &Loads) -> Result<SolidReport, SolidError> {
        for (k, load) in (0..).zip(&loads.wrench) {
            let body = BodyId(k);
            if *load != Wrench::default() && self.body[body.index()].is_dynamic() {
                self.engine.apply(body, *load);
            }
        }
        self.engine.mark()?;
        let report = self.engine.advance(step.dt)?;
        (self.before, self.time) = (self.time, step.end);
        Ok(report)
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        self.time = self.before;
        self.engine.undo()
    }

    fn row(&self, gravity: DVec3) -> SolidRow {
        let mut row = SolidRow::default();
        for body in self.ids() {
            let Some(mass) = self.engine.matter(body) else { continue };
            let now = self.now(body);
            let centre = now.pose.to_world(mass.centre);
            let momentum = mass.mass * now.velocity_at(centre);
            let turn = now.pose.rotation;
            let spin = turn * (mass.inertia * (turn.conjugate() * now.angular_velocity));
            row.kinetic_energy +=
                0.5 * (momentum.dot(now.velocity_at(centre)) + spin.dot(now.angular_velocity));
            row.potential_energy -= mass.mass * gravity.dot(centre);
            row.momentum += momentum;
            row.angular_momentum += centre.cross(momentum) + spin;
        }
        row
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), SolidError> {
        bytes.extend(self.engine.save()?);
        Ok(())
    }

    fn restore(&mut self, time: f64, bytes: &[u8]) -> Result<(), SolidError> {
        self.engine.restore(bytes)?;
        self.time = time;
        Ok(())
    }
}

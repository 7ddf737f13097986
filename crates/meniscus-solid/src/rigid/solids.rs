//! Rigid bodies as solids that fluids meet: what they receive and answer are six numbers a body.

use glam::DVec3;
use meniscus_core::{
    Balance, BodyId, Carrier, Kinematics, Loads, MotionChange, RigidMotion, SolidEngine, SolidError,
    SolidMotion, SolidReport, SolidRow, Solids, StepContext, Wrench,
};

use super::company::companies;
use super::energy::{BodyEnergy, Motors, MovedBy, balance};
use super::{BodyParams, RigidEngine};
use crate::JointParams;
use crate::script::PrescribedMotion;

/// The bodies of an engine.
pub struct RigidSolids {
    engine: Box<dyn RigidEngine>,
    body: Vec<BodyParams>,
    /// Time at which prescribed motions are now `[s]`.
    time: f64,
    /// The same before the last step `[s]`.
    before: f64,
    /// Bodies that joints hold together, which leave the world together.
    company: Vec<Vec<BodyId>>,
    motors: Motors,
    /// What dynamic bodies had before the last step.
    energy: Vec<Option<BodyEnergy>>,
    balance: Balance,
}

impl RigidSolids {
    /// An engine with the bodies and joints that it was made of.
    #[must_use]
    pub fn new(engine: Box<dyn RigidEngine>, body: Vec<BodyParams>, joints: &[JointParams]) -> Self {
        Self {
            engine,
            company: companies(&body, joints),
            motors: Motors::of(joints, &body),
            energy: Vec::with_capacity(body.len()),
            balance: Balance::default(),
            body,
            time: 0.0,
            before: 0.0,
        }
    }

    /// Where a body is and how it moves.
    fn now(&self, body: BodyId) -> Kinematics {
        let params = &self.body[body.index()];
        if params.is_dynamic() { self.engine.kinematics(body) } else { prescribed(params, self.time) }
    }

    /// What a body has of energy; nothing if forces do not move it now.
    fn energy(&self, body: BodyId, gravity: DVec3) -> Option<BodyEnergy> {
        let mass = self.engine.matter(body)?;
        Some(BodyEnergy::new(&mass, &self.now(body), gravity))
    }

    /// Notes what all bodies have of energy.
    fn note_energies(&mut self, gravity: DVec3) {
        let mut energy = std::mem::take(&mut self.energy);
        energy.clear();
        energy.extend(self.ids().map(|body| self.energy(body, gravity)));
        self.energy = energy;
    }

    /// The fastest that any point of a scripted body moves `[m/s]`.
    fn scripted_speed(&self) -> f64 {
        let speed = |body: BodyId| {
            let params = &self.body[body.index()];
            if params.prescribed_motion(self.time).is_none() || !self.engine.is_present(body) {
                return 0.0;
            }
            let now = self.now(body);
            now.velocity.length() + now.angular_velocity.length() * params.reach()
        };
        self.ids().map(speed).fold(0.0, f64::max)
    }

    /// Removes bodies that have left the world of the step: those that are joined only together.
    fn let_go(&mut self, step: &StepContext) {
        let Self { engine, body, company, .. } = self;
        for company in company {
            let is_outside = |id: &BodyId| {
                let bounds = body[id.index()].shape.bounds;
                let centre = engine.pose(*id).to_world(bounds.centre());
                engine.matter(*id).is_some() && step.world.has_lost(centre, 0.5 * bounds.size().length())
            };
            // Most are inside, and one look tells.
            if company.iter().all(is_outside) {
                for id in company.iter() {
                    engine.remove(*id);
                }
            }
        }
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

    fn has_left(&self, body: BodyId) -> bool {
        self.engine.is_removed(body)
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
        let scripted = self.scripted_speed();
        self.note_energies(step.gravity);
        self.engine.mark()?;
        let report = self.engine.advance(step.dt)?;
        (self.before, self.time) = (self.time, step.end);
        let scripted = scripted.max(self.scripted_speed());
        let moved_by = MovedBy { scripted, motors: self.motors, dt: step.dt };
        let changes = self.ids().zip(&self.energy).filter_map(|(body, before)| {
            let after = self.energy(body, step.gravity)?;
            Some(((*before)?, after))
        });
        self.balance = balance(changes, step.dt * step.gravity, moved_by);
        if step.world.is_bounded() {
            self.let_go(step);
        }
        Ok(report)
    }

    fn balance(&self) -> Option<Balance> {
        Some(self.balance)
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        self.time = self.before;
        self.engine.undo()
    }

    fn row(&self, gravity: DVec3) -> SolidRow {
        let mut row = SolidRow::default();
        for body in self.ids().filter_map(|body| self.energy(body, gravity)) {
            row.kinetic_energy += body.kinetic;
            row.potential_energy += body.potential;
            row.momentum += body.momentum;
            row.angular_momentum += body.centre.cross(body.momentum) + body.spin;
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

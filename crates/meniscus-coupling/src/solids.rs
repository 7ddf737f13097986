//! Bodies that forces and contacts move: which engine, and how a step drives it.
//!
//! The engine is behind [`Solids`]. A step foresees where bodies go, lets the fluid meet them there, hands the fluid's
//! impulses to the engine and advances it; the engine divides the step as it needs to.

use crate::setup::SetupError;
use crate::simulation::Simulation;
use glam::{DQuat, DVec3};
use meniscus_core::{BodyFrame, BodyId, Failure, Phase, SimulationError, SolidRow, Subject, Wrench};
use meniscus_geometry::{Kinematics, MassProperties, Pose};
use meniscus_solid::{BodyParams, JointParams, RigidBodies, RigidParams, SolidError, SolidReport, Solids};
use meniscus_sph::boundary::BodyMotion;

/// An engine for bodies that move freely.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SolidEngine {
    /// Ours.
    Meniscus,
    /// Rapier, if the program was built with the feature `rapier`.
    Rapier,
}

/// Bodies that move freely, those they meet, and the engine that moves them.
#[derive(Debug, Clone)]
pub struct SolidSetup {
    /// The engine.
    pub engine: SolidEngine,
    /// How our engine simulates; Rapier takes gravity and dimension from it.
    pub params: RigidParams,
    /// One for each body of the scene, in its order.
    pub bodies: Vec<BodyParams>,
    /// Joints between them.
    pub joints: Vec<JointParams>,
}

impl SolidSetup {
    /// The engine with all bodies where they start.
    ///
    /// # Errors
    /// If the engine refuses a body or a joint, or the program was built without it.
    pub fn build(&self) -> Result<Box<dyn Solids>, SolidError> {
        match self.engine {
            SolidEngine::Meniscus => {
                Ok(Box::new(RigidBodies::new(self.params, self.bodies.clone(), &self.joints)?))
            }
            SolidEngine::Rapier => self.rapier(),
        }
    }

    #[cfg(feature = "rapier")]
    fn rapier(&self) -> Result<Box<dyn Solids>, SolidError> {
        use meniscus_solid::rapier::{RapierBodies, RapierParams};
        let RigidParams { gravity, dimension, .. } = self.params;
        let params = RapierParams { gravity, dimension, ..RapierParams::default() };
        Ok(Box::new(RapierBodies::new(params, self.bodies.clone(), &self.joints)?))
    }

    #[cfg(not(feature = "rapier"))]
    #[expect(clippy::unused_self, reason = "the same call with and without the feature")]
    fn rapier(&self) -> Result<Box<dyn Solids>, SolidError> {
        Err(SolidError::EngineMissing { engine: "Rapier", feature: "rapier" })
    }

    /// Bodies that move freely at this time of their engine, with their matter.
    pub(crate) fn free(&self, engine: &dyn Solids) -> impl Iterator<Item = (usize, MassProperties)> {
        (0..self.bodies.len()).filter_map(|k| Some((k, engine.matter(BodyId(k as u32))?)))
    }
}

/// The engine and what it last reported.
pub(crate) struct Moving {
    pub(crate) engine: Box<dyn Solids>,
    pub(crate) report: SolidReport,
}

impl Moving {
    /// The engine of a setup, with a saved state if there is one.
    pub(crate) fn new(setup: Option<&SolidSetup>, saved: Option<&[u8]>) -> Result<Option<Self>, SetupError> {
        let Some(setup) = setup else { return Ok(None) };
        let mut engine = setup.build()?;
        if let Some(bytes) = saved {
            engine.restore(bytes)?;
        }
        Ok(Some(Self { engine, report: SolidReport::default() }))
    }
}

impl Simulation {
    /// Where all bodies are now, and how they move.
    pub(crate) fn start_bodies(&mut self) {
        let Self { setup, world, solids, .. } = self;
        let Some(moving) = solids else { return };
        for (k, now) in world.bodies.iter_mut().enumerate() {
            if setup.is_dynamic(k) {
                *now = moving.engine.kinematics(BodyId(k as u32));
            }
        }
    }

    /// Where bodies will be at the end of the step, as far as is known before anything meets anything: known motions
    /// exactly, others by their velocities.
    pub(crate) fn foresee_bodies(&mut self, dt: f64, end: f64) {
        let Self { setup, world, bodies, solids, .. } = self;
        let engine = solids.as_ref().map(|moving| moving.engine.as_ref());
        let foresee = |(k, (body, &start)): (usize, (&crate::Body, &Kinematics))| {
            let id = BodyId(k as u32);
            let free = engine.is_some_and(|engine| engine.matter(id).is_some());
            let present = engine.is_none_or(|engine| engine.is_present(id));
            let end = if free || !present { moved(&start, dt) } else { body.at(end) };
            BodyMotion { start, end, dt, present, free }
        };
        bodies.clear();
        bodies.extend(setup.bodies.iter().zip(&world.bodies).enumerate().map(foresee));
    }

    /// Hands the fluid's impulses to the solids and advances them. If that fails, they are as before.
    pub(crate) fn advance_solids(&mut self, dt: f64) -> Result<(), SimulationError> {
        let Self { setup, interface, solids, bodies, .. } = self;
        let Some(moving) = solids else { return Ok(()) };
        for (k, load) in interface.load.iter().enumerate() {
            if *load != Wrench::default() && setup.is_dynamic(k) {
                moving.engine.apply(BodyId(k as u32), *load);
            }
        }
        match moving.engine.advance(dt) {
            Ok(report) => moving.report = report,
            Err(error) => {
                let subject = match &error {
                    SolidError::NotFinite { body } | SolidError::TooFast { body, .. } => {
                        let name = setup.bodies.get(body.0 as usize).map(|body| body.name.clone());
                        Subject::Body { id: *body, name: name.unwrap_or_default() }
                    }
                    _ => Subject::Whole,
                };
                return Err(self.error(Phase::Commit, subject, Failure::Solids, error.to_string()));
            }
        }
        for (k, motion) in bodies.iter_mut().enumerate() {
            if setup.is_dynamic(k) {
                motion.end = moving.engine.kinematics(BodyId(k as u32));
            }
        }
        Ok(())
    }

    /// What the solids did in the last step.
    pub(crate) fn solid_row(&self) -> Option<SolidRow> {
        let (setup, moving) = (self.setup.solids.as_ref()?, self.solids.as_ref()?);
        let gravity = self.setup.gravity;
        let mut row = SolidRow {
            contacts: moving.report.points,
            penetration: moving.report.deepest,
            substeps: moving.report.substeps,
            ..SolidRow::default()
        };
        for (k, mass) in setup.free(moving.engine.as_ref()) {
            let now = &self.world.bodies[k];
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
        Some(row)
    }

    /// Where all bodies are, with the number of the mesh of each; nothing if none moves freely.
    #[must_use]
    pub fn body_frame(&self, index: u32, mesh: &[u32]) -> Option<BodyFrame> {
        self.solids.as_ref()?;
        let bodies = &self.world.bodies;
        Some(BodyFrame {
            index,
            step: self.world.step,
            time: self.world.time,
            present: (0..bodies.len()).map(|k| self.is_present(k)).collect(),
            mesh: mesh.to_vec(),
            position: bodies.iter().map(|b| b.pose.translation).collect(),
            rotation: bodies.iter().map(|b| b.pose.rotation).collect(),
            velocity: bodies.iter().map(|b| b.velocity).collect(),
            angular_velocity: bodies.iter().map(|b| b.angular_velocity).collect(),
        })
    }

    /// Whether a body is there at this time: before it enters it is not.
    #[must_use]
    pub fn is_present(&self, body: usize) -> bool {
        self.solids.as_ref().is_none_or(|moving| moving.engine.is_present(BodyId(body as u32)))
    }

    /// What the solids' engine last reported; nothing if no body moves freely.
    #[must_use]
    pub fn solid_report(&self) -> Option<&SolidReport> {
        self.solids.as_ref().map(|s| &s.report)
    }
}

/// Where something will be after `dt` `[s]` if its velocities stay.
pub(crate) fn moved(now: &Kinematics, dt: f64) -> Kinematics {
    let turn = DQuat::from_scaled_axis(dt * now.angular_velocity);
    let pose = Pose {
        translation: now.pose.translation + dt * now.velocity,
        rotation: if now.angular_velocity == DVec3::ZERO {
            now.pose.rotation
        } else {
            (turn * now.pose.rotation).normalize()
        },
    };
    Kinematics { pose, ..*now }
}

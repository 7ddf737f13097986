//! Bodies that follow a script, or stand still, where nothing in the scene needs an engine.

use meniscus_core::{
    Balance, BodyId, Kinematics, Loads, Pose, RigidMotion, SolidEngine, SolidError, SolidMotion, SolidReport,
    Solids, StepContext,
};

use super::PrescribedMotion;

/// Bodies with motions from their poses at rest.
#[derive(Debug, Clone)]
pub struct ScriptedBodies {
    body: Vec<(PrescribedMotion, Pose)>,
    /// `[s]`
    time: f64,
    /// Before the last step `[s]`.
    before: f64,
}

impl ScriptedBodies {
    /// One body for each motion and pose at rest.
    #[must_use]
    pub fn new(body: Vec<(PrescribedMotion, Pose)>) -> Self {
        Self { body, time: 0.0, before: 0.0 }
    }

    fn at(&self, body: usize, time: f64) -> Kinematics {
        let (motion, rest) = &self.body[body];
        motion.at(rest, time)
    }
}

impl Solids for ScriptedBodies {
    fn count(&self) -> usize {
        self.body.len()
    }

    fn kinematics(&self, body: BodyId) -> Option<Kinematics> {
        Some(self.at(body.index(), self.time))
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        for (k, motion) in motion.iter_mut().enumerate() {
            *motion = SolidMotion::paused(self.at(k, self.time));
        }
    }
}

impl SolidEngine for ScriptedBodies {
    fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]) {
        for (k, motion) in motion.iter_mut().enumerate() {
            let (start, end) = (self.at(k, self.time), self.at(k, step.end));
            let (dt, present, dynamic) = (step.dt, true, false);
            *motion = SolidMotion::Rigid(RigidMotion { start, end, dt, present, dynamic });
        }
    }

    fn advance(&mut self, step: &StepContext, _loads: &Loads) -> Result<SolidReport, SolidError> {
        (self.before, self.time) = (self.time, step.end);
        Ok(SolidReport::default())
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        self.time = self.before;
        Ok(())
    }

    /// They have no energy of their own.
    fn balance(&self) -> Option<Balance> {
        Some(Balance::default())
    }

    fn save(&self, _bytes: &mut Vec<u8>) -> Result<(), SolidError> {
        Ok(())
    }

    fn restore(&mut self, time: f64, _bytes: &[u8]) -> Result<(), SolidError> {
        self.time = time;
        Ok(())
    }
}

//! The seam behind which solids live.
//!
//! Whoever couples solids to something else knows only this: how they will move in a step, how they take impulses and how they
//! answer them, and that time passes. Rigid bodies of several engines, bodies that follow a script and deformable ones are
//! behind it; several engines may live in one scene, each with bodies of its own.

use crate::{
    Balance, BodyId, Carrier, DeformationRow, Kinematics, Loading, Loads, MotionChange, SolidError,
    SolidMotion, SolidRow, StepContext,
};
use glam::DVec3;

/// What happened while solids were advanced.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolidReport {
    /// Into how many substeps the step was divided `[1]`.
    pub substeps: u32,
    /// Pairs of bodies that touched in the last substep `[1]`.
    pub pairs: u32,
    /// Points at which they touched `[1]`.
    pub points: u32,
    /// Bounces in all substeps `[1]`.
    pub bounces: u32,
    /// Most sweeps that an island needed in the last substep `[1]`.
    pub sweeps: u32,
    /// The deepest overlap at the beginning of the last substep `[m]`.
    pub deepest: f64,
}

impl SolidReport {
    /// Joins the reports of two engines.
    #[must_use]
    pub fn join(self, other: Self) -> Self {
        Self {
            substeps: self.substeps.max(other.substeps),
            pairs: self.pairs + other.pairs,
            points: self.points + other.points,
            bounces: self.bounces + other.bounces,
            sweeps: self.sweeps.max(other.sweeps),
            deepest: self.deepest.max(other.deepest),
        }
    }
}

/// Solids, numbered from 0, as fluids see them: how they take impulses, and how they answer.
pub trait Solids: Send {
    /// How many there are.
    fn count(&self) -> usize;

    /// How a body takes impulses.
    fn loading(&self, _body: BodyId) -> Loading {
        Loading::Wrench
    }

    /// Where the frame of a rigid body is and how it moves; nothing for a body without one.
    fn kinematics(&self, body: BodyId) -> Option<Kinematics>;

    /// The fastest that any part of a body without a frame moves `[m/s]`.
    fn speed(&self, _body: BodyId) -> f64 {
        0.0
    }

    /// Whether a body is there at this time: before it enters, and after it has left the world, nothing meets it.
    fn is_present(&self, _body: BodyId) -> bool {
        true
    }

    /// Whether a body has left the world.
    fn has_left(&self, _body: BodyId) -> bool {
        false
    }

    /// How each body is now, as a motion that stands still: for those who look on between two steps.
    fn pause(&self, motion: &mut [SolidMotion]);

    /// What of a body answers impulses now; nothing is added if forces do not move it.
    fn carriers(&self, _body: BodyId, _list: &mut Vec<Carrier>) {}

    /// Prepares for [`Solids::respond`] in a step of length `dt` `[s]` that begins now.
    fn begin_response(&mut self, _dt: f64) {}

    /// How motions would change in that step under all forces, loads, and what touches or joins the bodies. `change` comes
    /// with zeros. The same question may get a slightly better answer the next time.
    fn respond(&mut self, _loads: &Loads, _change: &mut MotionChange) {}
}

/// An engine that moves solids.
pub trait SolidEngine: Solids {
    /// How each body will move in a step, as far as is known before anything meets anything: prescribed motions exactly, others
    /// by their velocities.
    fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]);

    /// Advances all bodies to the end of a step under gravity and loads, spread evenly over it. Bodies that have left the step's
    /// world by then are there no more.
    ///
    /// # Errors
    /// If a body is too fast to be followed, or numbers are no longer finite. The bodies are then as before.
    fn advance(&mut self, step: &StepContext, loads: &Loads) -> Result<SolidReport, SolidError>;

    /// Goes back to before the last [`SolidEngine::advance`], which succeeded, because something else in the step failed.
    ///
    /// # Errors
    /// If the state of before cannot be had any more.
    fn undo(&mut self) -> Result<(), SolidError>;

    /// What the last [`SolidEngine::advance`] has made of the energy of dynamic bodies; nothing if the engine does not keep count.
    fn balance(&self) -> Option<Balance> {
        None
    }

    /// What dynamic bodies have of energies and momenta, with potential energies in the field `gravity` `[m/s²]`.
    fn row(&self, _gravity: DVec3) -> SolidRow {
        SolidRow::default()
    }

    /// How bodies are deformed; nothing if none can be.
    fn deformation(&self) -> Option<DeformationRow> {
        None
    }

    /// Appends all that a restart needs; equal states give equal bytes.
    ///
    /// # Errors
    /// If the state cannot be written as bytes.
    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), SolidError>;

    /// Continues at `time` `[s]` from bytes that [`SolidEngine::save`] gave for the same bodies.
    ///
    /// # Errors
    /// If the bytes are damaged or belong to other bodies. The state is then as before.
    fn restore(&mut self, time: f64, bytes: &[u8]) -> Result<(), SolidError>;
}

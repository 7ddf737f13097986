//! The seam between engines of rigid bodies: [`RigidBodies`](crate::RigidBodies) is one, Rapier another.
//!
//! It speaks of bodies, poses and six numbers a body. To whoever couples solids with fluids an engine is a set of
//! [`Solids`](meniscus_core::Solids), by way of [`RigidSolids`](crate::RigidSolids).

use meniscus_core::{BodyId, Mobility, SolidError, SolidReport, Twist, Wrench};
use meniscus_geometry::{MassProperties, Pose};

use crate::script::Kinematics;

/// An engine of rigid bodies that move under loads.
pub trait RigidEngine: Send {
    /// How many bodies there are, those that nothing moves included.
    fn count(&self) -> usize;

    /// Simulated time `[s]`.
    fn time(&self) -> f64;

    /// Where the frame of a body's shape is and how it moves; the velocity is that of the frame's origin. A body that does not
    /// exist stands at the origin, one that has not entered yet stands still.
    fn kinematics(&self, body: BodyId) -> Kinematics;

    /// The matter of a body in its own frame at this time; nothing if forces do not move it now.
    fn matter(&self, body: BodyId) -> Option<MassProperties>;

    /// Whether a body is there at this time: before it enters, and after it was removed, nothing meets it.
    fn is_present(&self, body: BodyId) -> bool;

    /// Takes a body out for good: from now on it is not present and nothing moves it, and its joints hold nothing. An
    /// [`RigidEngine::undo`] brings it back if it was removed after the last advance.
    fn remove(&mut self, body: BodyId);

    /// Whether a body was removed.
    fn is_removed(&self, body: BodyId) -> bool;

    /// Adds an impulse `[N s]` and an angular impulse about the scene's origin `[N m s]` which the body will receive during
    /// the next [`RigidEngine::advance`], evenly spread over it. Bodies that nothing moves ignore it.
    fn apply(&mut self, body: BodyId, load: Wrench);

    /// How the motion of a body would change by impulses if it received them now and nothing else. An engine that knows what
    /// joints make of it says so.
    fn mobility(&self, body: BodyId) -> Mobility;

    /// How the motion of a body would change if it received `load` now and nothing else.
    fn response(&self, body: BodyId, load: Wrench) -> Twist {
        let Some(mass) = self.matter(body) else { return Twist::default() };
        let centre = self.pose(body).to_world(mass.centre);
        self.mobility(body).respond(load.impulse, load.about(centre))
    }

    /// Prepares for [`RigidEngine::respond`] in a step of length `dt` `[s]` that begins now.
    fn begin_response(&mut self, dt: f64);

    /// How the motion of every body would change in the step that began, under gravity, `loads` (one for each body) and
    /// what touches or joins them. The same question may get a slightly better answer the next time.
    fn respond(&mut self, loads: &[Wrench], result: &mut Vec<Twist>);

    /// Advances all bodies by `dt` `[s]` under gravity and the loads that were applied. After an error they are as before,
    /// without the loads.
    ///
    /// # Errors
    /// If `dt` makes no sense, a body is too fast to be followed, or numbers are no longer finite.
    fn advance(&mut self, dt: f64) -> Result<SolidReport, SolidError>;

    /// Called before an [`RigidEngine::advance`] that may be undone, for engines that do not remember by themselves.
    ///
    /// # Errors
    /// If the state cannot be kept.
    fn mark(&mut self) -> Result<(), SolidError> {
        Ok(())
    }

    /// Goes back to before the last [`RigidEngine::advance`] that was marked.
    ///
    /// # Errors
    /// If there was none.
    fn undo(&mut self) -> Result<(), SolidError>;

    /// All that a restart needs, as bytes; equal states give equal bytes.
    ///
    /// # Errors
    /// If the state cannot be written as bytes.
    fn save(&self) -> Result<Vec<u8>, SolidError>;

    /// Continues from bytes that [`RigidEngine::save`] gave for the same bodies.
    ///
    /// # Errors
    /// If the bytes are damaged or belong to other bodies. The state is then as before.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SolidError>;

    /// Where the frame of a body's shape is.
    fn pose(&self, body: BodyId) -> Pose {
        self.kinematics(body).pose
    }
}

/// An engine was asked to go back, and has made no step.
pub(crate) fn nothing_to_undo() -> SolidError {
    SolidError::State("there is no step to undo".into())
}

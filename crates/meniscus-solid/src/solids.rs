//! The seam behind which solids live.
//!
//! A driver that couples solids to something else knows only this: where bodies are, what they feel, how they answer,
//! and that time passes. [`RigidBodies`](crate::RigidBodies) is one engine behind it; others are as good.

use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, Mobility, Twist, Wrench};
use meniscus_geometry::{MassProperties, Pose};

use crate::SolidError;
use crate::script::Kinematics;

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

/// A set of solids that move under loads.
pub trait Solids: Send {
    /// How many bodies there are, those that nothing moves included.
    fn count(&self) -> usize;

    /// Simulated time `[s]`.
    fn time(&self) -> f64;

    /// Where the frame of a body's shape is and how it moves; the velocity is that of the frame's origin. A body that does not
    /// exist stands at the origin, one that has not entered yet stands still.
    fn kinematics(&self, body: BodyId) -> Kinematics;

    /// The matter of a body in its own frame at this time; nothing if forces do not move it now.
    fn matter(&self, body: BodyId) -> Option<MassProperties>;

    /// Whether a body is there at this time: before it enters nothing meets it.
    fn is_present(&self, body: BodyId) -> bool;

    /// Adds an impulse `[N s]` and an angular impulse about the scene's origin `[N m s]` which the body will receive during
    /// the next [`Solids::advance`], evenly spread over it. Bodies that nothing moves ignore it.
    fn apply(&mut self, body: BodyId, load: Wrench);

    /// How the motion of a body would change if it received `load` now and nothing else, in proportion to the load: for drivers that look for
    /// the loads and the motion together. An engine that knows what joints make of it says so.
    fn response(&self, body: BodyId, load: Wrench) -> Twist;

    /// The same for all loads.
    fn mobility(&self, body: BodyId) -> Mobility {
        let Some(matter) = self.matter(body) else { return Mobility::default() };
        let centre = self.pose(body).to_world(matter.centre);
        let push = |impulse: DVec3| {
            self.response(body, Wrench { impulse, angular_impulse: centre.cross(impulse) }).linear
        };
        let turn =
            |angular_impulse: DVec3| self.response(body, Wrench { impulse: DVec3::ZERO, angular_impulse });
        let turned = DVec3::AXES.map(turn);
        Mobility {
            linear: DMat3::from_cols(push(DVec3::X), push(DVec3::Y), push(DVec3::Z)),
            angular: DMat3::from_cols(turned[0].angular, turned[1].angular, turned[2].angular),
            lever: DMat3::from_cols(turned[0].linear, turned[1].linear, turned[2].linear),
        }
    }

    /// Prepares for [`Solids::motions`] in a step of length `dt` `[s]` that begins now; whether this engine answers that question.
    fn foresee(&mut self, dt: f64) -> bool {
        let _ = dt;
        false
    }

    /// How the motion of every body would change in the step that was foreseen, under gravity, `loads` (one for each body, or none) and what
    /// touches or joins them. The same question may get a slightly better answer the next time.
    fn motions(&mut self, loads: &[Wrench], result: &mut Vec<Twist>) {
        let _ = loads;
        result.clear();
    }

    /// Advances all bodies by `dt` `[s]` under gravity and the loads that were applied. After an error they are as before,
    /// without the loads.
    ///
    /// # Errors
    /// If `dt` makes no sense, a body is too fast to be followed, or numbers are no longer finite.
    fn advance(&mut self, dt: f64) -> Result<SolidReport, SolidError>;

    /// All that a restart needs, as bytes; equal states give equal bytes.
    ///
    /// # Errors
    /// If the state cannot be written as bytes.
    fn save(&self) -> Result<Vec<u8>, SolidError>;

    /// Continues from bytes that [`Solids::save`] gave for the same bodies.
    ///
    /// # Errors
    /// If the bytes are damaged or belong to other bodies. The state is then as before.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), SolidError>;

    /// Where the frame of a body's shape is.
    fn pose(&self, body: BodyId) -> Pose {
        self.kinematics(body).pose
    }
}

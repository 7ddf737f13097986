//! How a solid moves in a step.

use crate::Kinematics;
use glam::DVec3;

/// The motion of one solid over a step.
#[derive(Debug, Clone, PartialEq)]
pub enum SolidMotion {
    /// Of a frame in which the solid stands still.
    Rigid(RigidMotion),
    /// Of a surface whose nodes move by themselves.
    Deforming(DeformingMotion),
}

impl SolidMotion {
    /// A rigid body that stays as it is.
    #[must_use]
    pub fn paused(now: Kinematics) -> Self {
        Self::Rigid(RigidMotion::paused(now))
    }

    /// The motion of its frame: what maps and analytic shapes need.
    #[must_use]
    pub fn rigid(&self) -> Option<&RigidMotion> {
        match self {
            Self::Rigid(motion) => Some(motion),
            Self::Deforming(_) => None,
        }
    }

    /// Whether the solid is there: one that is not touches nothing.
    #[must_use]
    pub fn is_present(&self) -> bool {
        match self {
            Self::Rigid(motion) => motion.present,
            Self::Deforming(motion) => motion.present,
        }
    }

    /// Whether it rests for all of the step, whatever happens.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.rigid().is_some_and(RigidMotion::is_still)
    }
}

/// The motion of one rigid body over a step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RigidMotion {
    /// At its start.
    pub start: Kinematics,
    /// At its end.
    pub end: Kinematics,
    /// Its length `[s]`.
    pub dt: f64,
    /// Whether the body is there: one that is not touches nothing.
    pub present: bool,
    /// Whether forces move it, so that the step may yet find another end for it.
    pub dynamic: bool,
}

impl RigidMotion {
    /// A body that stays as it is.
    #[must_use]
    pub fn paused(now: Kinematics) -> Self {
        Self { start: now, end: now, dt: 0.0, present: true, dynamic: true }
    }

    /// Whether the body rests for all of the step, whatever happens.
    #[must_use]
    pub fn is_still(&self) -> bool {
        let Kinematics { velocity, angular_velocity, .. } = self.start;
        !self.dynamic && self.start == self.end && velocity == DVec3::ZERO && angular_velocity == DVec3::ZERO
    }

    /// The mean velocity over the step of the point that starts at `x` `[m/s]`.
    ///
    /// Not the velocity at the start: a wall that turns must be where the fluid was told it would be.
    #[must_use]
    pub fn velocity_of(&self, x: DVec3) -> DVec3 {
        if self.dt > 0.0 && self.start.pose != self.end.pose {
            (self.end.pose.to_world(self.start.pose.to_local(x)) - x) / self.dt
        } else {
            self.start.velocity_at(x)
        }
    }
}

/// The motion of one deformable body over a step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeformingMotion {
    /// Its surface.
    pub surface: MovingSurface,
    /// Length of the step `[s]`.
    pub dt: f64,
    /// Whether the body is there.
    pub present: bool,
}

/// A surface of triangles that moves.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MovingSurface {
    /// Where its nodes are at the start of the step `[m]`.
    pub position: Vec<DVec3>,
    /// How they move, on average over the step `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Its triangles, counter-clockwise for a viewer outside.
    pub triangle: Vec<[u32; 3]>,
    /// Its thickness; zero for the skin of a volume `[m]`.
    pub thickness: f64,
}

//! Motions, loads and mobilities of rigid bodies: the six coordinates that whoever pushes a body and whoever moves it share.

mod contact_system;
mod links;

pub use contact_system::{BodyContactRow, ReducedSystem};
pub use links::{Answering, CarrierLinks, PointRow};

use glam::{DMat3, DVec3};
use std::ops::{Add, AddAssign, Sub};

/// A velocity of a rigid body, or a change of it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Twist {
    /// Of the centre of mass `[m/s]`.
    pub linear: DVec3,
    /// Angular velocity `[rad/s]`.
    pub angular: DVec3,
}

impl Twist {
    /// The velocity of the point at `arm` `[m]` from the centre `[m/s]`.
    #[inline]
    #[must_use]
    pub fn at(&self, arm: DVec3) -> DVec3 {
        self.linear + self.angular.cross(arm)
    }
}

impl Add for Twist {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { linear: self.linear + other.linear, angular: self.angular + other.angular }
    }
}

impl Sub for Twist {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

/// An impulse on a rigid body and its moment about the origin of the scene: a wrench, integrated over a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Wrench {
    /// Impulse `[N s]`.
    pub impulse: DVec3,
    /// Angular impulse about the origin of the scene `[N m s]`.
    pub angular_impulse: DVec3,
}

impl Wrench {
    /// Adds an impulse `[N s]` that acts at `position` `[m]`.
    pub fn push(&mut self, position: DVec3, impulse: DVec3) {
        self.impulse += impulse;
        self.angular_impulse += position.cross(impulse);
    }

    /// The angular impulse about `centre` `[m]` instead `[N m s]`.
    #[must_use]
    pub fn about(&self, centre: DVec3) -> DVec3 {
        self.angular_impulse - centre.cross(self.impulse)
    }
}

impl AddAssign for Wrench {
    fn add_assign(&mut self, other: Self) {
        self.impulse += other.impulse;
        self.angular_impulse += other.angular_impulse;
    }
}

/// How the motion of a rigid body changes by impulses: the inverse of its mass and inertia, joints included where they are known.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Mobility {
    /// Change of the velocity of its centre of mass by an impulse there `[1/kg]`.
    pub linear: DMat3,
    /// Change of its angular velocity by an angular impulse about the centre `[1/(kg m²)]`.
    pub angular: DMat3,
    /// Change of velocity by such an angular impulse, and transposed of angular velocity by an impulse: zero unless something holds the
    /// body elsewhere than at its centre `[1/(kg m)]`.
    pub lever: DMat3,
}

impl Mobility {
    /// The change of motion by an impulse `[N s]` and an angular impulse about the centre `[N m s]`.
    #[must_use]
    pub fn respond(&self, impulse: DVec3, angular_impulse: DVec3) -> Twist {
        Twist {
            linear: self.linear * impulse + self.lever * angular_impulse,
            angular: self.angular * angular_impulse + self.lever.transpose() * impulse,
        }
    }

    /// How far the body gives way to an impulse at its centre, along the axis on which it does most `[1/kg]`.
    #[must_use]
    pub fn largest(&self) -> f64 {
        self.linear.x_axis.x.max(self.linear.y_axis.y).max(self.linear.z_axis.z)
    }
}

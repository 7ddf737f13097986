//! Bodies: what they are, and how they move.

use std::sync::Arc;

use glam::{DMat3, DQuat, DVec3};
use meniscus_core::{Dimension, Twist};
use meniscus_geometry::{MassProperties, Pose};
use serde::{Deserialize, Serialize};

use crate::SolidError;
use crate::rigid::collider::ColliderShape;
use crate::schedule::Schedule;
use crate::script::{Kinematics, PrescribedMotion};

/// What a body does on its own.
#[derive(Debug, Clone, PartialEq)]
pub enum BodyType {
    /// Forces and contacts move it.
    Dynamic(MassProperties),
    /// It stands still.
    Static,
    /// It follows a prescribed motion; nothing else moves it.
    Scripted(PrescribedMotion),
}

/// How the surface of a body behaves.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct SurfaceMaterial {
    /// Share of the approach speed with which bodies part again; of two bodies the smaller counts `[1]`.
    pub restitution: f64,
    /// Coefficient of static and sliding friction; of two bodies the larger counts `[1]`.
    pub friction: f64,
    /// Rolling friction: the lever of the force that resists rolling; of two bodies the larger counts `[m]`.
    pub rolling: f64,
    /// Spinning friction: the lever of the force that resists spinning about the normal; of two bodies the larger
    /// counts `[m]`.
    pub spinning: f64,
}

impl Default for SurfaceMaterial {
    fn default() -> Self {
        Self { restitution: 0.0, friction: 0.5, rolling: 0.0, spinning: 0.0 }
    }
}

/// A body as it is described.
#[derive(Debug, Clone)]
pub struct BodyParams {
    /// What errors call it; if empty, its number.
    pub name: String,
    /// The shape with which it meets others.
    pub shape: Arc<ColliderShape>,
    /// What it does on its own.
    pub kind: BodyType,
    /// Where it starts; for a scripted body, its pose at rest.
    pub pose: Pose,
    /// Velocity of its centre of mass at the start, if it is dynamic `[m/s]`.
    pub velocity: DVec3,
    /// Angular velocity at the start, if it is dynamic `[rad/s]`.
    pub angular_velocity: DVec3,
    /// Its surface.
    pub material: SurfaceMaterial,
    /// What changes about it with time.
    pub schedule: Schedule,
}

impl BodyParams {
    /// A dynamic body at rest.
    #[must_use]
    pub fn dynamic(shape: Arc<ColliderShape>, mass: MassProperties, pose: Pose) -> Self {
        Self::new(shape, BodyType::Dynamic(mass), pose)
    }

    /// A static body.
    #[must_use]
    pub fn fixed(shape: Arc<ColliderShape>, pose: Pose) -> Self {
        Self::new(shape, BodyType::Static, pose)
    }

    /// A scripted body.
    #[must_use]
    pub fn scripted(shape: Arc<ColliderShape>, motion: PrescribedMotion, pose: Pose) -> Self {
        Self::new(shape, BodyType::Scripted(motion), pose)
    }

    /// What errors call the body with this index.
    pub(crate) fn label(&self, index: usize) -> String {
        if self.name.is_empty() { format!("body {index}") } else { format!("body \"{}\"", self.name) }
    }

    /// The same body with another surface.
    #[must_use]
    pub fn with_material(self, material: SurfaceMaterial) -> Self {
        Self { material, ..self }
    }

    /// The same body with what changes about it with time.
    #[must_use]
    pub fn scheduled(self, schedule: Schedule) -> Self {
        Self { schedule, ..self }
    }

    /// The same body with a velocity `[m/s]` and an angular velocity `[rad/s]` at the start.
    #[must_use]
    pub fn moving(self, velocity: DVec3, angular_velocity: DVec3) -> Self {
        Self { velocity, angular_velocity, ..self }
    }

    fn new(shape: Arc<ColliderShape>, kind: BodyType, pose: Pose) -> Self {
        let (velocity, angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
        let (material, schedule) = (SurfaceMaterial::default(), Schedule::default());
        Self { name: String::new(), shape, kind, pose, velocity, angular_velocity, material, schedule }
    }

    /// Its centre of mass in its own frame; the origin if it has no mass `[m]`.
    #[must_use]
    pub fn centre(&self) -> DVec3 {
        match &self.kind {
            BodyType::Dynamic(mass) => mass.centre,
            BodyType::Static | BodyType::Scripted(_) => DVec3::ZERO,
        }
    }

    /// How far it reaches from the origin of its frame; zero if it has no end `[m]`.
    #[must_use]
    pub fn reach(&self) -> f64 {
        let bounds = self.shape.bounds;
        let reach = bounds.min.abs().max(bounds.max.abs()).length();
        if reach.is_finite() { reach } else { 0.0 }
    }

    /// Whether forces and contacts move it, at some time at least.
    #[must_use]
    pub fn is_dynamic(&self) -> bool {
        matches!(self.kind, BodyType::Dynamic(_))
    }

    /// The motion that it follows at a time `[s]`, if it is kinematic then.
    #[must_use]
    pub fn prescribed_motion(&self, time: f64) -> Option<&PrescribedMotion> {
        match &self.kind {
            BodyType::Dynamic(_) => self.schedule.prescribed_motion(time),
            BodyType::Scripted(motion) => Some(motion),
            BodyType::Static => None,
        }
    }

    /// What a motion says of its state at a time `[s]`.
    pub(crate) fn follow(&self, motion: &PrescribedMotion, time: f64) -> BodyState {
        let now = motion.at(&self.pose, time);
        let position = now.pose.to_world(self.centre());
        let Kinematics { angular_velocity, .. } = now;
        BodyState {
            position,
            rotation: now.pose.rotation,
            velocity: now.velocity_at(position),
            angular_velocity,
        }
    }

    /// Its mass properties at a time `[s]` if it is dynamic then.
    #[must_use]
    pub fn mass_properties(&self, time: f64) -> Option<MassProperties> {
        let BodyType::Dynamic(given) = &self.kind else { return None };
        if !self.schedule.is_present(time) || self.schedule.prescribed_motion(time).is_some() {
            return None;
        }
        let Some(over_time) = &self.schedule.mass else { return Some(*given) };
        let mass = over_time.at(time);
        Some(MassProperties { mass, inertia: given.inertia * (mass / given.mass), ..*given })
    }

    /// Refuses what cannot be simulated.
    pub(crate) fn check(&self, place: &str, dimension: Dimension) -> Result<(), SolidError> {
        let Pose { translation, rotation } = self.pose;
        if !(translation.is_finite() && rotation.is_finite() && rotation.is_normalized()) {
            let what = format!("the pose {:?}", self.pose);
            return Err(SolidError::invalid(place, what, "finite coordinates and a rotation of unit length"));
        }
        if !(self.velocity.is_finite() && self.angular_velocity.is_finite()) {
            let what = format!("velocity {} or angular velocity {}", self.velocity, self.angular_velocity);
            return Err(SolidError::invalid(place, what, "finite numbers"));
        }
        let m = self.material;
        let share = (0.0..=1.0).contains(&m.restitution);
        if !(share && [m.friction, m.rolling, m.spinning].iter().all(|c| c.is_finite() && *c >= 0.0)) {
            let allowed = "a restitution from 0 to 1 and frictions that are zero or positive";
            return Err(SolidError::invalid(place, format!("{m:?}"), allowed));
        }
        self.schedule.check(place)?;
        match &self.kind {
            BodyType::Dynamic(_) if self.shape.is_wall() => {
                Err(SolidError::invalid(place, "a wall that is dynamic", "walls that are static or scripted"))
            }
            BodyType::Dynamic(mass) => check_mass(mass, place, dimension),
            BodyType::Scripted(motion) => motion.check(place),
            BodyType::Static => Ok(()),
        }
    }

    /// The state it starts in.
    pub(crate) fn start(&self, dimension: Dimension) -> BodyState {
        if let Some(motion) = self.prescribed_motion(0.0) {
            return self.follow(motion, 0.0);
        }
        let mut state = BodyState {
            position: self.pose.to_world(self.centre()),
            rotation: self.pose.rotation,
            velocity: self.velocity,
            angular_velocity: self.angular_velocity,
        };
        match &self.kind {
            BodyType::Dynamic(_) => {
                if dimension == Dimension::Two {
                    state.velocity.z = 0.0;
                    state.angular_velocity = DVec3::Z * state.angular_velocity.z;
                }
            }
            BodyType::Static | BodyType::Scripted(_) => {
                (state.velocity, state.angular_velocity) = (DVec3::ZERO, DVec3::ZERO);
            }
        }
        state
    }
}

/// Refuses mass properties that no body could have. `place` says where it was given.
fn check_mass(given: &MassProperties, place: &str, dimension: Dimension) -> Result<(), SolidError> {
    let mass = given.mass;
    if !(mass.is_finite() && mass > 0.0 && mass.recip().is_finite()) {
        let allowed = "a positive, finite mass; make the body static or scripted if it should not move";
        return Err(SolidError::invalid(place, format!("a mass of {mass} kg"), allowed));
    }
    if !given.centre.is_finite() {
        let what = format!("centre = {} m", given.centre);
        return Err(SolidError::invalid(place, what, "finite coordinates"));
    }
    let i = given.inertia;
    let scale = i.x_axis.x.abs() + i.y_axis.y.abs() + i.z_axis.z.abs();
    let symmetric = (i - i.transpose()).abs().to_cols_array().iter().all(|e| *e <= 1e-9 * scale);
    let positive = match dimension {
        Dimension::Two => i.z_axis.z > 0.0,
        // Leading minors, with room for rounding: a plate has one moment that is the sum of the others.
        Dimension::Three => {
            i.x_axis.x > 0.0
                && i.x_axis.x * i.y_axis.y - i.x_axis.y * i.x_axis.y > 0.0
                && i.determinant() > 1e-15 * scale.powi(3)
        }
    };
    let invertible = dimension == Dimension::Two || i.inverse().is_finite();
    if i.is_finite() && symmetric && positive && invertible {
        Ok(())
    } else {
        let allowed = "a symmetric tensor with positive moments; a mesh without volume has none";
        Err(SolidError::invalid(place, format!("inertia = {i} kg m^2"), allowed))
    }
}

/// Where a body is and how it moves: all of it that a restart needs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct BodyState {
    /// Where its centre of mass is (the origin of its frame if it has no mass) `[m]`.
    pub position: DVec3,
    /// How its own frame is turned; of unit length.
    pub rotation: DQuat,
    /// Velocity of its centre of mass `[m/s]`.
    pub velocity: DVec3,
    /// Angular velocity `[rad/s]`.
    pub angular_velocity: DVec3,
}

impl BodyState {
    /// How the point of the body at `x` `[m]` moves `[m/s]`.
    #[must_use]
    pub fn velocity_at(&self, x: DVec3) -> DVec3 {
        self.velocity + self.angular_velocity.cross(x - self.position)
    }

    /// Where the frame of its shape is, whose centre of mass is at `centre` `[m]` in it.
    #[must_use]
    pub fn pose(&self, centre: DVec3) -> Pose {
        Pose { translation: self.position - self.rotation * centre, rotation: self.rotation }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.position.is_finite()
            && self.rotation.is_finite()
            && self.velocity.is_finite()
            && self.angular_velocity.is_finite()
    }
}

/// How easily a body is moved, in the axes of the scene; all zero if it is not dynamic.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct InverseMass {
    /// Inverse mass along each axis: none along z in the plane `[1/kg]`.
    pub mass: DVec3,
    /// Inverse inertia tensor `[1/(kg m^2)]`.
    pub inertia: DMat3,
}

impl InverseMass {
    pub const NONE: Self = Self { mass: DVec3::ZERO, inertia: DMat3::ZERO };

    /// That of a dynamic body with the given rotation; `inverse` is its inverse inertia in its own frame.
    pub fn new(mass: &MassProperties, inverse: &DMat3, rotation: DQuat, dimension: Dimension) -> Self {
        let per_mass = mass.mass.recip();
        match dimension {
            // The plane: no motion along z, and no rotation but about z.
            Dimension::Two => Self {
                mass: DVec3::new(per_mass, per_mass, 0.0),
                inertia: DMat3::from_diagonal(DVec3::Z * mass.inertia.z_axis.z.recip()),
            },
            Dimension::Three => {
                let turn = DMat3::from_quat(rotation);
                Self { mass: DVec3::splat(per_mass), inertia: turn * *inverse * turn.transpose() }
            }
        }
    }

    pub fn is_none(&self) -> bool {
        self.mass.x == 0.0
    }

    /// Adds to a motion what an impulse `j` `[N s]` at `r` `[m]` from the centre does.
    #[inline]
    pub fn push(&self, twist: &mut Twist, r: DVec3, j: DVec3) {
        // [Guendelman2006] Eqs. 2.3 and 2.4
        twist.linear += self.mass * j;
        twist.angular += self.inertia * r.cross(j);
    }

    /// The matrix K of a point at `r` `[m]` from the centre: an impulse there changes its velocity by K j `[1/kg]`.
    pub fn at(&self, r: DVec3) -> DMat3 {
        // [Guendelman2006] Eq. 2.5: K = δ/m + r*ᵀ I⁻¹ r*
        let column = |e: DVec3| self.mass * e + (self.inertia * r.cross(e)).cross(r);
        DMat3::from_cols(column(DVec3::X), column(DVec3::Y), column(DVec3::Z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impossible_matter_is_refused() {
        let check = |m: MassProperties| check_mass(&m, "body 0", Dimension::Three);
        assert!(check(MassProperties::ball(1.0, 1.0)).is_ok());
        for mass in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-320] {
            assert!(check(MassProperties::ball(mass, 1.0)).is_err(), "{mass}");
        }
        let error = check(MassProperties::cuboid(1.0, DVec3::ZERO)).unwrap_err().to_string();
        assert!(error.contains("mesh without volume"), "{error}");
        assert!(check(MassProperties { centre: DVec3::NAN, ..MassProperties::ball(1.0, 1.0) }).is_err());
    }
}

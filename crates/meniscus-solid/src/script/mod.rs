//! Motions that are known in advance: pose and velocity at any time.
//!
//! A [`PrescribedMotion`] is usable alone. It says where something with a given pose at rest is at time t, and how fast every
//! point of it moves then. The velocities are the exact derivatives of the poses, so that a wall neither leaks nor
//! pumps because the two disagree. Solids that follow one are not moved by anything else.
//!
//! **Departures**: none; there is no paper behind it. Rotations between keyframes are the cumulative cubic curves of
//! \[Kim1995\], see [`Keyframes`].

mod keyframes;
mod solids;

use std::f64::consts::TAU;

use glam::{DQuat, DVec3};
pub use meniscus_geometry::Kinematics;
use meniscus_geometry::Pose;
use serde::{Deserialize, Serialize};

use crate::SolidError;
pub use keyframes::{Keyframes, PoseKeyframe};
pub use solids::ScriptedBodies;

/// A motion that is prescribed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum PrescribedMotion {
    /// It stands still.
    Still,
    /// It moves at a constant velocity without turning.
    Linear {
        /// The velocity `[m/s]`.
        velocity: DVec3,
    },
    /// It turns at a constant rate about an axis of the scene.
    Spin {
        /// A point of the axis `[m]`.
        point: DVec3,
        /// Direction of the axis; its length does not matter.
        axis: DVec3,
        /// Rate, positive counter-clockwise for a viewer at whom the axis points `[rad/s]`.
        rate: f64,
    },
    /// It swings back and forth around its pose at rest.
    Oscillation {
        /// Largest displacement, and its direction `[m]`.
        amplitude: DVec3,
        /// Swings per second `[1/s]`.
        frequency: f64,
        /// Phase at time zero; zero starts in the middle, moving along `amplitude` `[rad]`.
        phase: f64,
    },
    /// It rocks back and forth about an axis of the scene.
    Rocking {
        /// A point of the axis `[m]`.
        point: DVec3,
        /// Direction of the axis; its length does not matter.
        axis: DVec3,
        /// Largest angle `[rad]`.
        amplitude: f64,
        /// Swings per second `[1/s]`.
        frequency: f64,
        /// Phase at time zero; zero starts in the middle, turning counter-clockwise `[rad]`.
        phase: f64,
    },
    /// It passes smoothly through given poses. Its pose at rest does not matter.
    Keyframes(Keyframes),
}

impl PrescribedMotion {
    /// Refuses numbers from which no pose can be computed. `place` says where the motion was given.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a number is not finite or an axis has no direction.
    pub fn check(&self, place: &str) -> Result<(), SolidError> {
        let axis_allowed = "a direction of non-zero, finite length";
        match self {
            Self::Still | Self::Keyframes(_) => Ok(()),
            Self::Linear { velocity } => finite(place, "velocity", &velocity.to_array()),
            Self::Spin { point, axis, rate } => {
                finite(place, "point", &point.to_array())?;
                finite(place, "rate", &[*rate])?;
                direction(*axis)
                    .map(drop)
                    .ok_or_else(|| SolidError::invalid(place, format!("axis = {axis}"), axis_allowed))
            }
            Self::Oscillation { amplitude, frequency, phase } => {
                finite(place, "amplitude", &amplitude.to_array())?;
                finite(place, "frequency or phase", &[*frequency, *phase])
            }
            Self::Rocking { point, axis, amplitude, frequency, phase } => {
                finite(place, "point", &point.to_array())?;
                finite(place, "amplitude, frequency or phase", &[*amplitude, *frequency, *phase])?;
                direction(*axis)
                    .map(drop)
                    .ok_or_else(|| SolidError::invalid(place, format!("axis = {axis}"), axis_allowed))
            }
        }
    }

    /// Pose and velocity at time `t` `[s]` of something whose pose at rest is `rest`.
    #[must_use]
    pub fn at(&self, rest: &Pose, t: f64) -> Kinematics {
        match self {
            Self::Still => Kinematics::at_rest(*rest),
            Self::Linear { velocity } => Kinematics {
                pose: Pose { translation: rest.translation + t * *velocity, ..*rest },
                velocity: *velocity,
                angular_velocity: DVec3::ZERO,
            },
            Self::Spin { point, axis, rate } => about(rest, *point, *axis, rate * t, *rate),
            Self::Oscillation { amplitude, frequency, phase } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * t + phase).sin_cos();
                Kinematics {
                    pose: Pose { translation: rest.translation + sin * *amplitude, ..*rest },
                    velocity: omega * cos * *amplitude,
                    angular_velocity: DVec3::ZERO,
                }
            }
            Self::Rocking { point, axis, amplitude, frequency, phase } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * t + phase).sin_cos();
                about(rest, *point, *axis, amplitude * sin, amplitude * omega * cos)
            }
            Self::Keyframes(frames) => frames.at(t),
        }
    }
}

/// `rest` turned by `angle` `[rad]` about an axis of the scene, while the angle grows at `rate` `[rad/s]`.
fn about(rest: &Pose, point: DVec3, axis: DVec3, angle: f64, rate: f64) -> Kinematics {
    let axis = direction(axis).unwrap_or(DVec3::Y);
    let turn = DQuat::from_axis_angle(axis, angle.rem_euclid(TAU));
    let translation = point + turn * (rest.translation - point);
    let angular_velocity = rate * axis;
    Kinematics {
        pose: Pose { translation, rotation: (turn * rest.rotation).normalize() },
        velocity: angular_velocity.cross(translation - point),
        angular_velocity,
    }
}

/// A vector of unit length along `axis`, if it has a direction.
fn direction(axis: DVec3) -> Option<DVec3> {
    axis.try_normalize().filter(|a| a.is_finite())
}

fn finite(place: &str, name: &str, values: &[f64]) -> Result<(), SolidError> {
    match values.iter().find(|v| !v.is_finite()) {
        None => Ok(()),
        Some(v) => Err(SolidError::invalid(place, format!("{name} with the value {v}"), "finite numbers")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest() -> Pose {
        Pose {
            translation: DVec3::new(1.0, 2.0, -0.5),
            rotation: DQuat::from_axis_angle(DVec3::new(2.0, 1.0, 2.0) / 3.0, 0.4),
        }
    }

    fn motions() -> Vec<PrescribedMotion> {
        let frame = |time, x: f64, angle| PoseKeyframe {
            time,
            position: DVec3::new(x, x * x, 1.0 - x),
            rotation: DQuat::from_axis_angle(DVec3::new(1.0, x, 0.3).normalize(), angle),
        };
        let frames =
            vec![frame(0.0, 0.0, 0.1), frame(0.7, 1.0, 1.5), frame(1.1, 1.5, 2.9), frame(2.0, -1.0, 0.2)];
        let point = DVec3::new(0.3, 0.1, 0.0);
        let axis = DVec3::new(1.0, 2.0, -2.0);
        vec![
            PrescribedMotion::Still,
            PrescribedMotion::Linear { velocity: DVec3::new(0.1, -2.0, 3.0) },
            PrescribedMotion::Spin { point, axis, rate: -3.0 },
            PrescribedMotion::Oscillation { amplitude: DVec3::X, frequency: 0.7, phase: 0.4 },
            PrescribedMotion::Rocking { point, axis, amplitude: 0.3, frequency: 1.2, phase: 0.0 },
            PrescribedMotion::Keyframes(Keyframes::new(frames.clone(), false).unwrap()),
            PrescribedMotion::Keyframes(Keyframes::new(frames, true).unwrap()),
        ]
    }

    #[test]
    fn velocities_are_the_derivatives_of_poses() {
        let (rest, dt) = (rest(), 1e-5);
        let body_point = DVec3::new(0.4, -0.3, 0.8);
        for motion in motions() {
            for k in 0..200 {
                let t = -0.5 + 0.0203 * f64::from(k);
                let x = |t: f64| motion.at(&rest, t).pose.to_world(body_point);
                let by_difference = (x(t + dt) - x(t - dt)) / (2.0 * dt);
                let now = motion.at(&rest, t);
                let error = (now.velocity_at(now.pose.to_world(body_point)) - by_difference).length();
                // Central differences of curves whose third derivatives jump at keyframes.
                assert!(error < 2e-4, "{motion:?} at {t}: {error}");
                assert!(now.pose.rotation.is_normalized());
            }
        }
    }

    #[test]
    fn a_full_turn_comes_back() {
        let spin = PrescribedMotion::Spin { point: DVec3::ONE, axis: DVec3::Z, rate: TAU / 3.0 };
        let back = spin.at(&rest(), 3.0).pose;
        assert!(back.translation.abs_diff_eq(rest().translation, 1e-12));
        assert!(back.rotation.dot(rest().rotation).abs() > 1.0 - 1e-12);
    }

    #[test]
    fn motions_without_meaning_are_refused() {
        let axis = PrescribedMotion::Spin { point: DVec3::ZERO, axis: DVec3::ZERO, rate: 1.0 };
        assert!(axis.check("body 3").unwrap_err().to_string().starts_with("body 3: axis = [0, 0, 0]"));
        assert!(PrescribedMotion::Linear { velocity: DVec3::NAN }.check("x").is_err());
        for motion in motions() {
            motion.check("x").unwrap();
        }
    }
}

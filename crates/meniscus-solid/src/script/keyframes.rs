//! Smooth motion through given poses.
//!
//! Positions are piecewise cubic with slopes that do not overshoot: axis by axis, a slope is zero where neighbouring
//! keyframes turn around or stand still, and at most three times the smaller of the two chords (\[Fritsch1980\]).
//! Rotations are cumulative cubic curves of unit quaternions (\[Kim1995\]),
//!
//! ```text
//! q(s) = q_a exp(θ₁ b₁(s)) exp(θ₂ b₂(s)) exp(θ₃ b₃(s)),
//! ```
//!
//! with b₁ = 1 − (1 − s)³, b₂ = 3 s² − 2 s³, b₃ = s³. Since each factor turns about a fixed axis, the angular
//! velocity is a sum of three vectors and exact.

use glam::{DQuat, DVec3};
use meniscus_geometry::Pose;
use serde::{Deserialize, Serialize};

use super::Kinematics;
use crate::SolidError;

/// A pose at a time.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct PoseKeyframe {
    /// When `[s]`.
    pub time: f64,
    /// Where the origin of the local frame is then `[m]`.
    pub position: DVec3,
    /// How the local axes are turned then; of unit length.
    pub rotation: DQuat,
}

/// Poses with velocities at which they are passed, in order of time.
///
/// Before the first and after the last keyframe everything stands still, and it starts and stops smoothly there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "Given", into = "Given")]
pub struct Keyframes {
    frame: Vec<PoseKeyframe>,
    /// Velocity at each keyframe `[m/s]`.
    velocity: Vec<DVec3>,
    /// Angular velocity at each keyframe `[rad/s]`.
    angular_velocity: Vec<DVec3>,
    loops: bool,
}

/// What a [`Keyframes`] is made from; the rest of it is derived.
#[derive(Serialize, Deserialize)]
struct Given {
    frame: Vec<PoseKeyframe>,
    loops: bool,
}

impl TryFrom<Given> for Keyframes {
    type Error = SolidError;

    fn try_from(given: Given) -> Result<Self, SolidError> {
        Self::new(given.frame, given.loops)
    }
}

impl From<Keyframes> for Given {
    fn from(frames: Keyframes) -> Self {
        Self { frame: frames.frame, loops: frames.loops }
    }
}

impl Keyframes {
    /// A motion through `frame`; with `loops`, over and over again, where the pose of the last keyframe is taken to be
    /// that of the first.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if there is no keyframe (or, with `loops`, only one), times do not increase, or a number
    /// is not finite.
    pub fn new(mut frame: Vec<PoseKeyframe>, loops: bool) -> Result<Self, SolidError> {
        check(&frame, loops)?;
        if loops && let [first, .., last] = &mut frame[..] {
            (last.position, last.rotation) = (first.position, first.rotation);
        }
        for f in &mut frame {
            f.rotation = f.rotation.normalize();
        }
        let chords: Vec<(f64, DVec3, DVec3)> = frame.windows(2).map(chord).collect();
        let mut velocity = vec![DVec3::ZERO; frame.len()];
        let mut angular_velocity = velocity.clone();
        for (k, pair) in chords.windows(2).enumerate() {
            let [before, after] = [pair[0], pair[1]];
            velocity[k + 1] = slope(before.0, before.1, after.0, after.1);
            angular_velocity[k + 1] = slope(before.0, before.2, after.0, after.2);
        }
        if loops && let (Some(before), Some(after)) = (chords.last(), chords.first()) {
            let end = frame.len() - 1;
            velocity[0] = slope(before.0, before.1, after.0, after.1);
            angular_velocity[0] = slope(before.0, before.2, after.0, after.2);
            (velocity[end], angular_velocity[end]) = (velocity[0], angular_velocity[0]);
        }
        Ok(Self { frame, velocity, angular_velocity, loops })
    }

    /// Pose and velocity at time `t` `[s]`.
    #[must_use]
    pub fn at(&self, t: f64) -> Kinematics {
        let (Some(first), Some(last)) = (self.frame.first(), self.frame.last()) else {
            return Kinematics::at_rest(Pose::IDENTITY);
        };
        let t = if self.loops { first.time + (t - first.time).rem_euclid(last.time - first.time) } else { t };
        if t < first.time || t >= last.time {
            let f = if t < first.time { first } else { last };
            return Kinematics::at_rest(Pose { translation: f.position, rotation: f.rotation });
        }
        // The last keyframe at or before t; there is one after it.
        let k = self.frame.partition_point(|f| f.time <= t) - 1;
        self.between(k, t)
    }

    /// On the segment that begins with keyframe `k`.
    fn between(&self, k: usize, t: f64) -> Kinematics {
        let (a, b) = (&self.frame[k], &self.frame[k + 1]);
        let h = b.time - a.time;
        let s = (t - a.time) / h;
        let r = 1.0 - s;
        // Cumulative Bernstein polynomials and their derivatives in time.
        let b_cumulative = [1.0 - r * r * r, s * s * (3.0 - 2.0 * s), s * s * s];
        let b_rate = [3.0 * r * r / h, 6.0 * s * r / h, 3.0 * s * s / h];
        let (va, vb) = (self.velocity[k], self.velocity[k + 1]);
        let step = [va * h / 3.0, b.position - a.position - (va + vb) * h / 3.0, vb * h / 3.0];
        let position = (0..3).fold(a.position, |x, c| x + b_cumulative[c] * step[c]);
        let velocity = (0..3).fold(DVec3::ZERO, |v, c| v + b_rate[c] * step[c]);
        let mut rotation = a.rotation;
        let mut angular_velocity = DVec3::ZERO;
        for (c, theta) in self.turns(k, h).into_iter().enumerate() {
            angular_velocity += rotation * theta * b_rate[c];
            rotation *= DQuat::from_scaled_axis(theta * b_cumulative[c]);
        }
        Kinematics {
            pose: Pose { translation: position, rotation: rotation.normalize() },
            velocity,
            angular_velocity,
        }
    }

    /// The three turns of a segment, each in the frame that the earlier ones lead to `[rad]`.
    fn turns(&self, k: usize, h: f64) -> [DVec3; 3] {
        let (qa, qb) = (self.frame[k].rotation, self.frame[k + 1].rotation);
        let first = qa.conjugate() * self.angular_velocity[k] * (h / 3.0);
        let third = qb.conjugate() * self.angular_velocity[k + 1] * (h / 3.0);
        let to_middle = qa * DQuat::from_scaled_axis(first);
        let from_middle = qb * DQuat::from_scaled_axis(-third);
        [first, turn_between(to_middle, from_middle), third]
    }
}

/// The shortest turn from `a` to `b` in the frame of `a` `[rad]`.
fn turn_between(a: DQuat, b: DQuat) -> DVec3 {
    let q = a.conjugate() * b;
    if q.w < 0.0 { (-q).to_scaled_axis() } else { q.to_scaled_axis() }
}

/// Duration, mean velocity and mean angular velocity (in the scene's axes) between two keyframes.
fn chord(pair: &[PoseKeyframe]) -> (f64, DVec3, DVec3) {
    let [a, b] = [&pair[0], &pair[1]];
    let h = b.time - a.time;
    (h, (b.position - a.position) / h, a.rotation * turn_between(a.rotation, b.rotation) / h)
}

/// The slope at a keyframe between chords of durations `h0`, `h1` `[s]` and slopes `d0`, `d1`, axis by axis.
fn slope(h0: f64, d0: DVec3, h1: f64, d1: DVec3) -> DVec3 {
    // The parabola through three points has this slope in the middle one.
    let parabola = (h1 * d0 + h0 * d1) / (h0 + h1);
    let limit = 3.0 * d0.abs().min(d1.abs());
    let limited = parabola.clamp(-limit, limit);
    DVec3::select((d0 * d1).cmpgt(DVec3::ZERO), limited, DVec3::ZERO)
}

fn check(frame: &[PoseKeyframe], loops: bool) -> Result<(), SolidError> {
    let invalid = |what: String, allowed| Err(SolidError::invalid("keyframes", what, allowed));
    if frame.len() < 1 + usize::from(loops) {
        return invalid(format!("a list of {}", frame.len()), "one keyframe at least, two if they loop");
    }
    for (k, f) in frame.iter().enumerate() {
        if !(f.time.is_finite() && f.position.is_finite() && f.rotation.is_finite()) {
            return invalid(format!("keyframe {}: {f:?}", k + 1), "finite numbers");
        }
        if f.rotation.length_squared() < 1e-12 {
            return invalid(
                format!("keyframe {}: rotation {}", k + 1, f.rotation),
                "a quaternion of unit length",
            );
        }
    }
    match frame.windows(2).position(|p| p[1].time - p[0].time < 1e-9) {
        None => Ok(()),
        Some(k) => invalid(
            format!("keyframe {} at {} s after one at {} s", k + 2, frame[k + 1].time, frame[k].time),
            "times that increase by a nanosecond at least",
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(time: f64, x: f64, angle: f64) -> PoseKeyframe {
        PoseKeyframe { time, position: DVec3::X * x, rotation: DQuat::from_rotation_z(angle) }
    }

    #[test]
    fn keyframes_are_passed_and_their_ends_held() {
        let frames = vec![at(1.0, 0.0, 0.0), at(2.0, 1.0, 1.0), at(4.0, 3.0, 2.5)];
        let motion = Keyframes::new(frames.clone(), false).unwrap();
        for f in &frames {
            let now = motion.at(f.time);
            assert!(now.pose.translation.abs_diff_eq(f.position, 1e-13));
            assert!(now.pose.rotation.dot(f.rotation).abs() > 1.0 - 1e-13);
        }
        assert!(motion.at(2.0).velocity.x > 0.9 && motion.at(2.0).angular_velocity.z > 0.7);
        for (t, f) in [(-3.0, frames[0]), (9.0, frames[2])] {
            let now = motion.at(t);
            assert_eq!((now.velocity, now.pose.translation), (DVec3::ZERO, f.position));
        }
    }

    #[test]
    fn nothing_overshoots_where_it_waits_or_turns() {
        let frames = [0.0, 1.0, 1.0, 0.2, 0.9].iter().enumerate();
        let frames: Vec<_> = frames.map(|(k, &x)| at(k as f64, x, 2.0 * x)).collect();
        let motion = Keyframes::new(frames, false).unwrap();
        for k in 0..=400 {
            let t = f64::from(k) * 0.01;
            let now = motion.at(t);
            assert!((-1e-12..=1.0 + 1e-12).contains(&now.pose.translation.x));
            if (1.0..=2.0).contains(&t) {
                assert!(now.velocity.length() + now.angular_velocity.length() < 1e-12);
            }
        }
    }

    #[test]
    fn a_loop_has_no_seam() {
        let frames = (0..=4).map(|k| {
            let angle = f64::from(k) * std::f64::consts::FRAC_PI_2;
            PoseKeyframe {
                time: f64::from(k),
                position: DVec3::new(angle.cos(), angle.sin(), 0.0),
                rotation: DQuat::from_rotation_z(angle),
            }
        });
        let motion = Keyframes::new(frames.collect(), true).unwrap();
        let (before, after) = (motion.at(4.0 - 1e-9), motion.at(4.0 + 1e-9));
        assert!(before.velocity.abs_diff_eq(after.velocity, 1e-6) && before.velocity.length() > 1.0);
        assert!(before.angular_velocity.abs_diff_eq(DVec3::Z * std::f64::consts::FRAC_PI_2, 1e-6));
        assert!(motion.at(1.5 + 400.0).pose.translation.abs_diff_eq(motion.at(1.5).pose.translation, 1e-9));
    }

    #[test]
    fn bad_lists_are_refused() {
        assert!(Keyframes::new(vec![], false).is_err());
        assert!(Keyframes::new(vec![at(0.0, 0.0, 0.0)], true).is_err());
        let error = Keyframes::new(vec![at(0.0, 0.0, 0.0), at(0.0, 1.0, 0.0)], false).unwrap_err();
        assert!(error.to_string().contains("keyframe 2 at 0 s"), "{error}");
        assert!(Keyframes::new(vec![at(f64::NAN, 0.0, 0.0)], false).is_err());
        let zero = PoseKeyframe { rotation: DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..at(0.0, 0.0, 0.0) };
        assert!(Keyframes::new(vec![zero], false).is_err());
    }
}

//! Prescribed motions.

use super::mesh::rotation;
use super::problem::BuildProblem;
use crate::model::{self, KeyframeMotion, OscillationMotion, RockingMotion, SpinMotion};
use glam::DVec3;
use meniscus_solid::SolidError;
use meniscus_solid::script::{Keyframes, PoseKeyframe, PrescribedMotion};

/// A motion of something at `position` `[m]`, written at `key`; none if nothing is given.
pub(crate) fn build(
    given: Option<&model::MotionSpec>,
    position: DVec3,
    key: &str,
) -> Result<PrescribedMotion, BuildProblem> {
    let Some(given) = given else { return Ok(PrescribedMotion::Still) };
    let about = |point: Option<model::Vec3>| point.map_or(position, DVec3::from);
    let motion = match given {
        model::MotionSpec::Linear(linear) => PrescribedMotion::Linear { velocity: linear.velocity.into() },
        model::MotionSpec::Spin(SpinMotion { point, axis, rate }) => {
            PrescribedMotion::Spin { point: about(*point), axis: DVec3::from(*axis), rate: rate.to_radians() }
        }
        model::MotionSpec::Oscillation(OscillationMotion { amplitude, frequency, phase }) => {
            PrescribedMotion::Oscillation {
                amplitude: DVec3::from(*amplitude),
                frequency: *frequency,
                phase: phase.to_radians(),
            }
        }
        model::MotionSpec::Rocking(RockingMotion { point, axis, amplitude, frequency, phase }) => {
            PrescribedMotion::Rocking {
                point: about(*point),
                axis: DVec3::from(*axis),
                amplitude: amplitude.to_radians(),
                frequency: *frequency,
                phase: phase.to_radians(),
            }
        }
        model::MotionSpec::Keyframes(KeyframeMotion { frames, repeats }) => {
            let frames = frames.iter().map(|frame| PoseKeyframe {
                time: frame.time,
                position: frame.position.into(),
                rotation: rotation(frame.rotation.as_ref()),
            });
            Keyframes::new(frames.collect(), *repeats)
                .map(PrescribedMotion::Keyframes)
                .map_err(|error| problem(&error, &format!("{key}.frame")))?
        }
    };
    motion.check("motion").map_err(|error| problem(&error, key))?;
    Ok(motion)
}

fn problem(error: &SolidError, key: &str) -> BuildProblem {
    let (message, help) = match error {
        SolidError::Invalid { what, allowed, .. } => (what.clone(), format!("allowed: {allowed}")),
        other => (other.to_string(), String::new()),
    };
    BuildProblem {
        key: key.to_owned(),
        message: format!("{message} makes no sense"),
        label: "this motion cannot be followed".to_owned(),
        help,
    }
}

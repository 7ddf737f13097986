use glam::DVec3;
use meniscus_coupling::Body;
use meniscus_sph::boundary::BodySamples;
use meniscus_sph::source::EmitterParams;

/// How much faster than the fastest motion sound must be, so that densities stay within one percent `[1]`.
const SOUND_PER_SPEED: f64 = 10.0;

/// The speed of a fluid that has no reason to move `[m/s]`: positive, so that nothing is divided by zero.
const SLOWEST: f64 = 0.01;

/// Ten times the fastest motion to be expected `[m/s]`: that of a fall from the highest fluid to the lowest solid or
/// fluid, or the fastest that the scene itself gives.
#[must_use]
pub fn reference_sound_speed(
    gravity: DVec3,
    initial: &[(DVec3, DVec3)],
    emitters: &[EmitterParams],
    bodies: &[Body],
    samples: &[BodySamples],
) -> f64 {
    let given = initial.iter().map(|(_, v)| v.length()).chain(emitters.iter().map(|e| e.speed));
    let fall = (2.0 * gravity.length() * height(gravity, initial, emitters, bodies, samples)).sqrt();
    SOUND_PER_SPEED * given.fold(fall.max(SLOWEST), f64::max)
}

/// How far fluid can fall `[m]`.
fn height(
    gravity: DVec3,
    initial: &[(DVec3, DVec3)],
    emitters: &[EmitterParams],
    bodies: &[Body],
    samples: &[BodySamples],
) -> f64 {
    let down = gravity.normalize_or_zero();
    let fluid = || initial.iter().map(|(x, _)| *x).chain(emitters.iter().map(|e| e.position));
    let solid = samples.iter().flat_map(|s| s.position.iter().copied());
    // What has no samples, because it is a map, is at least within its box.
    let sampled = |n: usize| samples.iter().any(|s| s.body.0 as usize == n && !s.position.is_empty());
    let unsampled = bodies.iter().enumerate().filter(|(n, _)| !sampled(*n));
    let lowest_corner = |(_, body): (usize, &Body)| {
        let bounds = body.solid.bounds();
        bounds.centre() + 0.5 * bounds.size() * down.signum()
    };
    let solid = solid.chain(unsampled.map(lowest_corner));
    let highest = fluid().map(|x| x.dot(down)).fold(f64::INFINITY, f64::min);
    let lowest = fluid().chain(solid).map(|x| x.dot(down)).fold(f64::NEG_INFINITY, f64::max);
    let height = lowest - highest;
    if height.is_finite() { height.max(0.0) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_geometry::{Pose, Shape, Side, Solid};

    #[test]
    fn a_fall_of_one_metre_gives_ten_times_its_speed() {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let initial = [(DVec3::Y, DVec3::ZERO), (DVec3::ZERO, DVec3::ZERO)];
        let speed = reference_sound_speed(gravity, &initial, &[], &[], &[]);
        assert!((speed - 10.0 * (2.0 * 9.81_f64).sqrt()).abs() < 1e-12);
        let moving = [(DVec3::Y, DVec3::X * 7.0)];
        assert!((reference_sound_speed(gravity, &moving, &[], &[], &[]) - 70.0).abs() < 1e-12);
        assert!(reference_sound_speed(DVec3::ZERO, &[], &[], &[], &[]) > 0.0);
    }

    #[test]
    fn a_body_without_samples_is_fallen_upon_too() {
        let gravity = DVec3::new(0.0, -9.81, 0.0);
        let initial = [(DVec3::Y, DVec3::ZERO)];
        let pose = Pose { translation: DVec3::NEG_Y * 0.5, ..Pose::default() };
        let solid = Solid { shape: Shape::Sphere { radius: 0.5 }, pose, side: Side::Solid };
        let speed = reference_sound_speed(gravity, &initial, &[], &[Body::fixed("ball", solid)], &[]);
        assert!((speed - 10.0 * (4.0 * 9.81_f64).sqrt()).abs() < 1e-12);
    }
}

//! Repeated bodies, one by one.

use crate::build::rotation;
use crate::model::{BodySpec, Repeat, Scene};
use glam::{DQuat, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::Pose;
use std::f64::consts::TAU;

/// The most copies of one body that have columns of their own in the series `[1]`.
const MOST_IN_SERIES: u64 = 16;

/// One body of the simulation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Placed {
    /// The entry of the scene that it comes from.
    pub source: usize,
    /// Its name.
    pub name: String,
    /// Where it starts.
    pub pose: Pose,
    /// Whether the series has columns of its own for it.
    pub in_series: bool,
}

/// All bodies in the order of the scene.
pub(crate) fn expand(scene: &Scene) -> Vec<Placed> {
    let mut all = Vec::new();
    for (source, body) in scene.bodies.iter().enumerate() {
        let first = Pose { translation: body.position.into(), rotation: rotation(body.rotation.as_ref()) };
        match &body.repeat {
            None => all.push(Placed { source, name: body.name.clone(), pose: first, in_series: true }),
            Some(repeat) => all.extend((0..repeat.copies()).map(|k| Placed {
                source,
                name: copy_name(body, k),
                pose: copy_pose(repeat, &first, k, scene.dimension),
                in_series: repeat.copies() <= MOST_IN_SERIES,
            })),
        }
    }
    all
}

/// The name of a copy.
pub(crate) fn copy_name(body: &BodySpec, copy: u64) -> String {
    format!("{}-{copy}", body.name)
}

/// The place of a copy: its point of the grid, moved and turned at random.
fn copy_pose(repeat: &Repeat, first: &Pose, copy: u64, dimension: Dimension) -> Pose {
    let [nx, ny, _] = repeat.count.map(|n| u64::from(n.max(1)));
    let at = DVec3::new((copy % nx) as f64, (copy / nx % ny) as f64, (copy / (nx * ny)) as f64);
    let mut random = Random::new(u64::from(repeat.seed), copy);
    let shift = DVec3::new(random.signed(), random.signed(), random.signed()) * DVec3::from(repeat.jitter);
    // A direction of the sphere: its height is evenly spread.
    let (height, around) = (random.signed(), TAU * random.unit());
    let across = (1.0 - height * height).max(0.0).sqrt();
    let axis = match dimension {
        Dimension::Two => DVec3::Z * height.signum(),
        Dimension::Three => DVec3::new(across * around.cos(), height, across * around.sin()),
    };
    let tilt = DQuat::from_axis_angle(axis, repeat.tilt.to_radians() * random.unit());
    Pose {
        translation: first.translation + at * DVec3::from(repeat.step) + shift,
        rotation: (tilt * first.rotation).normalize(),
    }
}

/// Numbers that depend on the seed and the copy alone: splitmix64.
struct Random(u64);

impl Random {
    fn new(seed: u64, copy: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ copy.wrapping_mul(0xd1b5_4a32_d192_ed03))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From 0 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// From −1 to 1.
    fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repeat(tilt: f64, jitter: f64) -> Repeat {
        Repeat { count: [3, 2, 4], step: [1.0, 2.0, -0.5], jitter: [jitter; 3], tilt, seed: 7 }
    }

    #[test]
    fn copies_stand_on_a_grid() {
        let first = Pose::at(DVec3::new(10.0, 0.0, 0.0));
        let at = |k| copy_pose(&repeat(0.0, 0.0), &first, k, Dimension::Three);
        assert_eq!(at(0), first);
        assert_eq!(at(4).translation, DVec3::new(11.0, 2.0, 0.0));
        assert_eq!(at(23).translation, DVec3::new(12.0, 2.0, -1.5));
    }

    #[test]
    fn random_places_stay_within_their_bounds_and_depend_on_the_seed() {
        let (mut farthest, mut steepest) = (0.0_f64, 0.0_f64);
        for k in 0..24 {
            let plain = copy_pose(&repeat(0.0, 0.0), &Pose::IDENTITY, k, Dimension::Three);
            let shaken = copy_pose(&repeat(20.0, 0.1), &Pose::IDENTITY, k, Dimension::Three);
            let other =
                copy_pose(&Repeat { seed: 8, ..repeat(20.0, 0.1) }, &Pose::IDENTITY, k, Dimension::Three);
            assert_ne!(shaken, other);
            farthest = farthest.max((shaken.translation - plain.translation).abs().max_element());
            steepest = steepest.max(shaken.rotation.angle_between(DQuat::IDENTITY).to_degrees());
            let flat = copy_pose(&repeat(20.0, 0.0), &Pose::IDENTITY, k, Dimension::Two);
            assert!((flat.rotation * DVec3::Z - DVec3::Z).length() < 1e-12);
        }
        assert!((0.05..=0.1).contains(&farthest) && (10.0..=20.0).contains(&steepest));
    }
}

//! How far the face of a sample reaches.
//!
//! Samples stand for the face around them. Between the samples of a flat lattice no place is farther from the nearest one than
//! 0.71 spacings, so [`NEAR_EXTENT`] would do. Two places are farther: above a convex face, where what is a spacing apart below the surface is more above it, and in
//! a valley, where the first sample of a face may be a whole spacing from the other face. There a face must be felt as far as [`FAR_EXTENT`], or
//! particles sink in between samples until one of them finds them inside. Beyond a rim it must not: a small body would push
//! far more water than is in its way. So each sample knows in which directions its face goes on.

use glam::{DQuat, DVec3};

/// A sample is felt this far aside in any direction, in spacings `[1]`.
const NEAR_EXTENT: f64 = 0.8;

/// A sample is felt this far aside where its face goes on, in spacings `[1]`.
const FAR_EXTENT: f64 = 1.15;

/// A face goes on where the surface is this near to its plane, in spacings: a ball of two spacings falls off by 0.31 at [`FAR_EXTENT`], and as much
/// is felt beyond a rim of a lattice, whose last samples are half a spacing from it `[1]`.
const FALLS_OFF: f64 = 0.35;

/// In how many directions a sample looks `[1]`.
const DIRECTIONS: usize = 8;

/// In which directions the face of a sample goes on.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Extent {
    /// The first direction, a unit vector along the face.
    along: DVec3,
    /// One bit for each direction, counted around the normal.
    goes_on: u8,
}

impl Extent {
    /// Of the face of this unit `normal` around a sample, with the `distance` `[m]` of the surface from a place on the face's plane that
    /// is so far aside `[m]`; `spacing` is the samples' distance `[m]`.
    #[must_use]
    pub fn of(normal: DVec3, spacing: f64, distance: impl Fn(DVec3) -> f64) -> Self {
        // In the plane one of the directions must lie in it.
        let along = DVec3::Z.cross(normal).try_normalize().unwrap_or(DVec3::X);
        let across = normal.cross(along);
        let goes_on = (0..DIRECTIONS).fold(0, |bits, n| {
            let (sin, cos) = (std::f64::consts::TAU * n as f64 / DIRECTIONS as f64).sin_cos();
            // ADR 17.
            let way = FAR_EXTENT * spacing * (cos * along + sin * across);
            bits | u8::from(distance(way).abs() < FALLS_OFF * spacing) << n
        });
        Self { along, goes_on }
    }

    /// The same after a rotation of the body.
    #[must_use]
    pub fn turned(self, rotation: DQuat) -> Self {
        Self { along: rotation * self.along, ..self }
    }

    /// Whether the face of this `normal` is felt so far `aside` `[m]`.
    pub(super) fn covers(self, normal: DVec3, aside: DVec3, spacing: f64) -> bool {
        let far = aside.length() / spacing;
        far <= NEAR_EXTENT || (far <= FAR_EXTENT && self.goes_on >> self.direction(normal, aside) & 1 == 1)
    }

    /// The direction that is nearest to `aside`.
    fn direction(self, normal: DVec3, aside: DVec3) -> usize {
        let angle = aside.dot(normal.cross(self.along)).atan2(aside.dot(self.along));
        let turn = (angle / std::f64::consts::TAU * DIRECTIONS as f64).round();
        turn.rem_euclid(DIRECTIONS as f64) as usize % DIRECTIONS
    }
}

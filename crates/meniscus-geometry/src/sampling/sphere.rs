use std::f64::consts::{PI, TAU};

use glam::DVec3;

use crate::GeometryError;
use crate::error::allow_count;

/// A Fibonacci lattice with one point per spacing² on a sphere about the origin; the centre if there is no radius.
pub(super) fn surface(radius: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    if radius <= 0.0 {
        return Ok(vec![DVec3::ZERO]);
    }
    let count = (4.0 * PI * (radius / spacing).powi(2)).round().max(1.0);
    allow_count(count)?;
    // Successive points turn by the golden angle, the turn that is worst approximated by fractions of a circle.
    let golden_angle = PI * (3.0 - 5f64.sqrt());
    Ok((0..count as usize)
        .map(|i| {
            let y = 1.0 - (2.0 * i as f64 + 1.0) / count;
            let ring = (1.0 - y * y).sqrt();
            let (sin, cos) = (golden_angle * i as f64).sin_cos();
            // Normalised, because the rounding of y is felt near the poles.
            DVec3::new(ring * cos, y, ring * sin).normalize() * radius
        })
        .collect())
}

/// Evenly spaced points on a circle about the origin in the plane z = 0; the centre if there is no radius.
pub(super) fn circle(radius: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    if radius <= 0.0 {
        return Ok(vec![DVec3::ZERO]);
    }
    let count = ring_count(radius, spacing);
    allow_count(count)?;
    Ok(ring(radius, count).map(|[x, y]| DVec3::new(x, y, 0.0)).collect())
}

/// How many points about `spacing` apart a ring has, at least three.
pub(super) fn ring_count(radius: f64, spacing: f64) -> f64 {
    (TAU * radius / spacing).round().max(3.0)
}

/// The points of a ring in its plane.
pub(super) fn ring(radius: f64, count: f64) -> impl Iterator<Item = [f64; 2]> {
    (0..count as usize).map(move |i| {
        let (sin, cos) = (TAU * i as f64 / count).sin_cos();
        [radius * cos, radius * sin]
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::tests::neighbour_distances;

    #[test]
    fn one_point_per_spacing_squared() {
        for radius in [0.15, 0.5, 2.0] {
            let points = surface(radius, 0.1).unwrap();
            assert!((points.len() as f64 * 0.01 / (4.0 * PI * radius * radius) - 1.0).abs() < 0.02);
            let (min, max) = neighbour_distances(&points);
            assert!(min > 0.08 && max < 0.12, "{radius} {min} {max}");
            let circle = circle(radius, 0.1).unwrap();
            let (min, max) = neighbour_distances(&circle);
            assert!(min > 0.08 && max < 0.12, "{radius} {min} {max}");
        }
    }
}

//! The seven-point rule: the places of a quadrature on every triangle, which is cut into four until it is small.
//!
//! The peer with which \[Akinci2013\] Sec. 2.6 compares its scanlines. A triangle cut `n` times has 4^n · 7 samples.
//!
//! **Departures.** \[Akinci2013\] says neither where the seven places are nor what is compared with the threshold. Here
//! they are those of Radon's quadrature of degree five, all inside of the triangle, and a triangle is cut while its
//! longest edge is longer than the threshold.

use glam::DVec3;
use rayon::prelude::*;

use super::anchor::{MeshAnchor, SurfaceSamples};
use super::edges;
use crate::error::{allow_count, require_positive};
use crate::{GeometryError, TriangleMesh};

/// Samples of the seven-point rule: every triangle is cut into four until no edge is longer than `threshold` `[m]`,
/// which is chosen relative to the smoothing length.
///
/// # Errors
/// If the threshold is not positive, an index or coordinate of the mesh makes no sense, or there would be more than
/// [`MAX_POINTS`](crate::MAX_POINTS) samples.
pub fn seven_point(mesh: &TriangleMesh, threshold: f64) -> Result<SurfaceSamples, GeometryError> {
    require_positive("threshold", threshold)?;
    edges::check(mesh)?;
    let levels: Vec<u32> = mesh.corners().map(|corner| levels(corner, threshold)).collect();
    allow_count(levels.iter().map(|&n| 7.0 * 4_f64.powi(n as i32)).sum())?;
    let anchors = levels.into_par_iter().enumerate().flat_map_iter(|(t, n)| {
        let whole = [DVec3::X, DVec3::Y, DVec3::Z];
        let mut anchors = Vec::with_capacity(7 << (2 * n));
        cut(whole, n, &mut |corner| {
            anchors.extend(places(corner).map(|w| MeshAnchor::inside(t as u32, w.to_array())));
        });
        anchors
    });
    Ok(SurfaceSamples::at(anchors.collect(), mesh))
}

/// How often a triangle must be cut: each time its edges halve. Many cuts saturate; they are refused.
fn levels([a, b, c]: [DVec3; 3], threshold: f64) -> u32 {
    let longest = a.distance(b).max(b.distance(c)).max(c.distance(a));
    (longest / threshold - 1e-9).log2().ceil().clamp(0.0, 60.0) as u32
}

/// Visits the smallest triangles, in barycentric coordinates.
fn cut([a, b, c]: [DVec3; 3], levels: u32, visit: &mut impl FnMut([DVec3; 3])) {
    if levels == 0 {
        return visit([a, b, c]);
    }
    let (p, q, r) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
    for part in [[a, p, r], [p, b, q], [r, q, c], [p, q, r]] {
        cut(part, levels - 1, visit);
    }
}

/// The centre, and three places each near the corners and near the middles of the edges.
fn places([a, b, c]: [DVec3; 3]) -> impl Iterator<Item = DVec3> {
    let root = 15_f64.sqrt();
    let orbit = move |w: f64| {
        let at = move |x: DVec3, y: DVec3, z: DVec3| w * (x + y) + (1.0 - 2.0 * w) * z;
        [at(a, b, c), at(b, c, a), at(c, a, b)]
    };
    let centre = [(a + b + c) / 3.0];
    centre.into_iter().chain(orbit((6.0 - root) / 21.0)).chain(orbit((6.0 + root) / 21.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::cube;

    #[test]
    fn each_cut_makes_four_times_the_samples() {
        let mesh = cube(1.0);
        for (threshold, cuts) in [(2.0, 0), (1.0, 1), (0.5, 2), (0.2, 3)] {
            assert_eq!(seven_point(&mesh, threshold).unwrap().len(), 84 << (2 * cuts), "{threshold}");
        }
    }

    #[test]
    fn the_places_integrate_polynomials_of_degree_five() {
        let weight = |i: usize| match i {
            0 => 9.0 / 40.0,
            1..=3 => (155.0 - 15_f64.sqrt()) / 1200.0,
            _ => (155.0 + 15_f64.sqrt()) / 1200.0,
        };
        let triangle = [DVec3::ZERO, DVec3::X, DVec3::Y];
        let all = || places(triangle).enumerate();
        let sum: f64 = all().map(|(i, x)| weight(i) * 0.5 * x.x.powi(3) * x.y.powi(2)).sum();
        // ∫ x³ y² = 3! 2! / 7!.
        assert!((sum - 12.0 / 5040.0).abs() < 1e-15, "{sum}");
    }

    #[test]
    fn absurd_thresholds_are_errors() {
        for threshold in [1e-12, 1e-300] {
            assert!(matches!(seven_point(&cube(1.0), threshold), Err(GeometryError::TooMany { .. })));
        }
        assert!(seven_point(&cube(1.0), f64::NAN).is_err());
    }
}

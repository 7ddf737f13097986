//! Meshes of the sizes that \[Akinci2013\] samples.

use glam::DVec3;
use meniscus_geometry::TriangleMesh;
use std::f64::consts::TAU;

/// A closed mesh of 2160 triangles, about 1 m long: a bumpy ring of 30 by 36 squares, each cut in two. Its edges are of
/// very different length, as those of modelled bodies are.
#[must_use]
pub fn bumpy_ring() -> TriangleMesh {
    const AROUND: u32 = 36;
    const ACROSS: u32 = 30;
    let vertex = (0..AROUND * ACROSS).map(|i| {
        let (u, v) = (
            TAU * f64::from(i % AROUND) / f64::from(AROUND),
            TAU * f64::from(i / AROUND) / f64::from(ACROSS),
        );
        let radius = 0.15 * (1.0 + 0.25 * (3.0 * u).sin() + 0.15 * (2.0 * v + u).cos());
        let ring = 0.35 + radius * v.cos();
        DVec3::new(ring * u.cos(), radius * v.sin() * (1.0 + 0.3 * u.cos()), 0.8 * ring * u.sin())
    });
    let square = |i: u32| {
        let (a, b) = (i % AROUND, i / AROUND);
        let at = |a: u32, b: u32| (b % ACROSS) * AROUND + a % AROUND;
        let [p, q, r, s] = [at(a, b), at(a + 1, b), at(a + 1, b + 1), at(a, b + 1)];
        [[p, r, q], [p, s, r]]
    };
    TriangleMesh { vertex: vertex.collect(), triangle: (0..AROUND * ACROSS).flat_map(square).collect() }
}

/// The area of a mesh `[m²]`.
#[must_use]
pub fn area(mesh: &TriangleMesh) -> f64 {
    mesh.corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum()
}

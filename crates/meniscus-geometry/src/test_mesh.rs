//! Meshes for the tests of this crate.

use std::collections::HashMap;

use glam::DVec3;

use crate::TriangleMesh;

/// A cube of this edge length about the origin.
pub(crate) fn cube(edge: f64) -> TriangleMesh {
    let corner = |i: u32| DVec3::from_array([0, 1, 2].map(|b| edge * (f64::from(i >> b & 1) - 0.5)));
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriangleMesh {
        vertex: (0..8).map(corner).collect(),
        triangle: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// A sphere of radius 1: an octahedron whose triangles are quartered `levels` times.
pub(crate) fn sphere(levels: u32) -> TriangleMesh {
    let mut vertex = vec![DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
    let mut triangle: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..levels {
        let mut middle = HashMap::new();
        let mut between = |a: u32, b: u32, vertex: &mut Vec<DVec3>| {
            *middle.entry((a.min(b), a.max(b))).or_insert_with(|| {
                vertex.push((vertex[a as usize] + vertex[b as usize]).normalize());
                vertex.len() as u32 - 1
            })
        };
        let mut finer = Vec::with_capacity(4 * triangle.len());
        for [a, b, c] in triangle {
            let (p, q, r) =
                (between(a, b, &mut vertex), between(b, c, &mut vertex), between(c, a, &mut vertex));
            finer.extend([[a, p, r], [p, b, q], [r, q, c], [p, q, r]]);
        }
        triangle = finer;
    }
    TriangleMesh { vertex, triangle }
}

/// A band of `n` quads that is twisted half a turn before its ends meet.
pub(crate) fn moebius(n: u32) -> TriangleMesh {
    let at = |i: u32, side: f64| {
        let u = f64::from(i) / f64::from(n) * std::f64::consts::TAU;
        let r = 1.0 + 0.3 * side * (0.5 * u).cos();
        DVec3::new(r * u.cos(), 0.3 * side * (0.5 * u).sin(), r * u.sin())
    };
    let quad = |i: u32| {
        // After half a turn, what was above is below.
        let [c, d] = if i + 1 < n { [2 * i + 3, 2 * i + 2] } else { [0, 1] };
        [[2 * i, 2 * i + 1, c], [2 * i, c, d]]
    };
    TriangleMesh {
        vertex: (0..n).flat_map(|i| [at(i, -1.0), at(i, 1.0)]).collect(),
        triangle: (0..n).flat_map(quad).collect(),
    }
}

/// Several meshes as one.
pub(crate) fn together(parts: &[TriangleMesh]) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for part in parts {
        let base = all.vertex.len() as u32;
        all.vertex.extend(&part.vertex);
        all.triangle.extend(part.triangle.iter().map(|t| t.map(|v| v + base)));
    }
    all
}

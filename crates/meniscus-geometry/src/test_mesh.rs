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

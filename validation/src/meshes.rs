//! Meshes to ask for signs and distances.

use glam::{DVec2, DVec3};
use meniscus_geometry::TriangleMesh;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// A box with faces of `n` × `n` squares, about the origin.
#[must_use]
pub fn tessellated_box(size: DVec3, n: u32) -> TriangleMesh {
    let mut mesh = TriangleMesh::default();
    for axis in 0..3 {
        for upper in [false, true] {
            let base = mesh.vertex.len() as u32;
            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
            for k in 0..(n + 1) * (n + 1) {
                let mut x = DVec3::ZERO;
                x[axis] = if upper { 0.5 } else { -0.5 };
                x[u] = f64::from(k % (n + 1)) / f64::from(n) - 0.5;
                x[v] = f64::from(k / (n + 1)) / f64::from(n) - 0.5;
                mesh.vertex.push(x * size);
            }
            for k in 0..n * n {
                let a = base + k % n + (n + 1) * (k / n);
                let (b, c, d) = (a + 1, a + n + 2, a + n + 1);
                let two = if upper { [[a, b, c], [a, c, d]] } else { [[a, c, b], [a, d, c]] };
                mesh.triangle.extend(two);
            }
        }
    }
    mesh
}

/// A surface over a grid of `n` × `m` that closes in both directions.
fn closed_grid(n: u32, m: u32, place: impl Fn(DVec2) -> DVec3) -> TriangleMesh {
    let at = |i: u32, j: u32| i % n + n * (j % m);
    let vertex = (0..n * m)
        .map(|k| place(DVec2::new(f64::from(k % n) / f64::from(n), f64::from(k / n) / f64::from(m)) * TAU))
        .collect();
    let mut triangle = Vec::new();
    for (i, j) in (0..m).flat_map(|j| (0..n).map(move |i| (i, j))) {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        triangle.extend([[a, b, c], [a, c, d]]);
    }
    TriangleMesh { vertex, triangle }
}

/// Each triangle cut into four at the middles of its sides.
#[must_use]
pub fn quartered(mesh: &TriangleMesh) -> TriangleMesh {
    let mut out = TriangleMesh { vertex: mesh.vertex.clone(), triangle: Vec::new() };
    let mut middle = HashMap::new();
    for &[a, b, c] in &mesh.triangle {
        let [d, e, f] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
            *middle.entry([from.min(to), from.max(to)]).or_insert_with(|| {
                out.vertex.push(mesh.vertex[from as usize].midpoint(mesh.vertex[to as usize]));
                out.vertex.len() as u32 - 1
            })
        });
        out.triangle.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
    }
    out
}

/// A ring; `wave` makes it bumpy.
#[must_use]
pub fn torus(n: u32, wave: f64) -> TriangleMesh {
    closed_grid(2 * n, n, |p| {
        let tube = 0.35 * (1.0 + wave * (5.0 * p.x).sin() * (3.0 * p.y).cos());
        let out = 1.0 + tube * p.y.cos();
        DVec3::new(out * p.x.cos(), out * p.x.sin(), tube * p.y.sin())
    })
}

/// A ball: a box whose vertices are moved onto the sphere; `spikes` pushes some of them in and out.
#[must_use]
pub fn ball(n: u32, spikes: f64) -> TriangleMesh {
    let mut mesh = tessellated_box(DVec3::splat(2.0), n);
    for v in &mut mesh.vertex {
        let d = v.normalize();
        let bump = (9.0 * d.x).sin() * (7.0 * d.y).cos() * (8.0 * d.z).sin();
        *v = d * (1.0 + spikes * bump);
    }
    mesh
}

/// Boxes that touch: the second in a vertex of the first, the third in an edge.
#[must_use]
pub fn touching(n: u32) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for offset in [DVec3::ZERO, DVec3::ONE, DVec3::new(-1.0, -1.0, 0.0)] {
        let mut one = tessellated_box(DVec3::ONE, n);
        one.translate(offset);
        let base = all.vertex.len() as u32;
        all.vertex.extend(one.vertex);
        all.triangle.extend(one.triangle.iter().map(|t| t.map(|v| v + base)));
    }
    all
}

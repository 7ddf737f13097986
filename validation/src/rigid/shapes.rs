//! Nonconvex bodies made in code.

use std::f64::consts::TAU;
use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use meniscus_geometry::{MeshShape, SignedDistance, TriangleMesh};
use meniscus_solid::shape::GridField;
use meniscus_solid::{MassParams, MeshBody, Shape};

/// A nonconvex body with what is needed to simulate and to measure it.
#[derive(Clone)]
pub struct Nonconvex {
    /// The shape, with convex parts for engines that need them.
    pub shape: Arc<Shape>,
    /// Its matter.
    pub mass: MassParams,
    /// Points spread over its surface, finer than its mesh `[m]`.
    pub surface: Vec<DVec3>,
    /// Its distance on a grid finer than the one it is simulated with.
    pub fine: Arc<GridField>,
}

/// Triangles of a tube along a closed or open row of rings with `sides` corners each; open ends are closed by fans.
fn tube(rings: &[Vec<DVec3>], closed: bool) -> TriangleMesh {
    let sides = rings.first().map_or(0, Vec::len);
    let mut vertex: Vec<DVec3> = rings.iter().flatten().copied().collect();
    let mut triangle = Vec::new();
    let at = |ring: usize, side: usize| ((ring % rings.len()) * sides + side % sides) as u32;
    for r in 0..rings.len() - usize::from(!closed) {
        for s in 0..sides {
            let [a, b, c, d] = [at(r, s), at(r + 1, s), at(r + 1, s + 1), at(r, s + 1)];
            triangle.extend([[a, b, c], [a, c, d]]);
        }
    }
    if !closed {
        for (ring, flip) in [(0, true), (rings.len() - 1, false)] {
            let middle = vertex.len() as u32;
            vertex.push(rings[ring].iter().sum::<DVec3>() / sides as f64);
            for s in 0..sides {
                let (a, b) = (at(ring, s), at(ring, s + 1));
                triangle.push(if flip { [middle, a, b] } else { [middle, b, a] });
            }
        }
    }
    let mut mesh = TriangleMesh { vertex, triangle };
    if mesh.volume() < 0.0 {
        mesh.flip();
    }
    mesh
}

/// Points of all triangles on lattices of `n` intervals.
fn spread(mesh: &TriangleMesh, n: u32) -> Vec<DVec3> {
    let mut points = Vec::new();
    for [a, b, c] in mesh.corners() {
        for i in 0..=n {
            points.extend((0..=n - i).map(|j| {
                a + (b - a) * (f64::from(i) / f64::from(n)) + (c - a) * (f64::from(j) / f64::from(n))
            }));
        }
    }
    points
}

fn finish(
    mesh: TriangleMesh,
    mass: MassParams,
    cell: f64,
    parts: Vec<Vec<DVec3>>,
    fineness: u32,
) -> Result<Nonconvex> {
    let exact = MeshShape::new(mesh)?;
    exact.require_closed()?;
    let surface = spread(exact.mesh(), fineness);
    let fine = Arc::new(GridField::sample(&exact, 0.5 * cell)?);
    let field: Arc<dyn SignedDistance> = Arc::new(GridField::sample(&exact, cell)?);
    let mesh = Arc::new(exact.mesh().clone());
    let shape = Shape::mesh(mesh, MeshBody::Volume(field))?.with_convex_parts(parts);
    Ok(Nonconvex { shape, mass, surface, fine })
}

/// Distance from the axis of the ring to the middle of its tube `[m]`.
pub const RING: f64 = 2.0;
/// Radius of the ring's tube `[m]`.
pub const TUBE: f64 = 0.5;

/// The ring of the thesis' example: 320 triangles.
///
/// # Errors
/// If its distance cannot be sampled.
pub fn ring(mass: f64) -> Result<Nonconvex> {
    let (segments, sides) = (20_u32, 8_u32);
    let section = |k: u32| -> Vec<DVec3> {
        let around = TAU * f64::from(k) / f64::from(segments);
        let corner = |s: u32| {
            let angle = TAU * (f64::from(s) + 0.5) / f64::from(sides);
            let r = RING + TUBE * angle.cos();
            DVec3::new(r * around.cos(), TUBE * angle.sin(), r * around.sin())
        };
        (0..sides).map(corner).collect()
    };
    let rings: Vec<Vec<DVec3>> = (0..segments).map(section).collect();
    let parts = (0..segments).map(|k| [section(k), section((k + 1) % segments)].concat()).collect();
    finish(tube(&rings, true), MassParams::torus(mass, RING, TUBE), 0.1, parts, 4)
}

/// A bone: a bent shaft with thick knobs at its ends, thousands of triangles.
///
/// # Errors
/// If its distance cannot be sampled.
pub fn bone(density: f64) -> Result<Nonconvex> {
    let (segments, sides) = (96_u32, 32_u32);
    let section = |k: u32| -> (DVec3, f64) {
        let t = 2.0 * f64::from(k) / f64::from(segments) - 1.0;
        let knob = |at: f64, width: f64| (-((t - at) / width).powi(2)).exp();
        let radius = 0.16 + 0.2 * (knob(-0.86, 0.14) + knob(0.86, 0.14)) - 0.08 * knob(0.0, 0.4);
        // Rounded off towards the ends, so that they are not flat discs.
        let end = (1.0 - t.abs().powi(16)).max(0.02).sqrt();
        (DVec3::new(1.6 * t, 0.25 * (1.0 - t * t), 0.08 * (3.0 * t).sin()), radius * end)
    };
    let ring = |k: u32| -> Vec<DVec3> {
        let (centre, radius) = section(k);
        let corner = |s: u32| {
            let angle = TAU * f64::from(s) / f64::from(sides);
            // Two condyles: the section is pinched.
            let r = radius * (1.0 + 0.25 * (2.0 * angle).cos());
            centre + DVec3::new(0.0, r * angle.cos(), r * angle.sin())
        };
        (0..sides).map(corner).collect()
    };
    let rings: Vec<Vec<DVec3>> = (0..=segments).map(ring).collect();
    let parts = (0..segments / 8).map(|k| [ring(8 * k), ring(8 * k + 4), ring(8 * k + 8)].concat()).collect();
    let mesh = tube(&rings, false);
    let (centre, mass) = matter(&mesh, density);
    let mut mesh = mesh;
    mesh.translate(-centre);
    let parts: Vec<Vec<DVec3>> = parts;
    let parts = parts.into_iter().map(|p| p.into_iter().map(|x| x - centre).collect()).collect();
    finish(mesh, mass, 0.05, parts, 1)
}

/// Centre of mass `[m]` and matter about it of a closed mesh of homogeneous density `[kg/m^3]`.
fn matter(mesh: &TriangleMesh, density: f64) -> (DVec3, MassParams) {
    let (mut volume, mut first) = (0.0, DVec3::ZERO);
    let mut second = glam::DMat3::ZERO;
    for [a, b, c] in mesh.corners() {
        // Tetrahedra with the origin: ∫ x = V (a + b + c) / 4, ∫ x xᵀ = V (Σ p pᵀ + s sᵀ) / 20 with s = a + b + c.
        let v = a.dot(b.cross(c)) / 6.0;
        let s = a + b + c;
        volume += v;
        first += v * s / 4.0;
        for p in [a, b, c, s] {
            second += glam::DMat3::from_cols(p * p.x, p * p.y, p * p.z) * (v / 20.0);
        }
    }
    let centre = first / volume;
    let c = glam::DMat3::from_cols(centre * centre.x, centre * centre.y, centre * centre.z) * volume;
    let m = second - c;
    let trace = m.x_axis.x + m.y_axis.y + m.z_axis.z;
    let inertia = (glam::DMat3::from_diagonal(DVec3::splat(trace)) - m) * density;
    (centre, MassParams { mass: density * volume, centre: DVec3::ZERO, inertia })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_the_triangles_of_the_thesis_and_closed_forms_hold() {
        let ring = ring(10.0).unwrap();
        assert!(ring.surface.len() == 320 * 15);
        let bone = bone(500.0).unwrap();
        assert!(bone.surface.len() > 3 * 5000, "thousands of triangles");
        assert!(bone.mass.mass > 10.0 && bone.mass.inertia.determinant() > 0.0);
        let cube = TriangleMesh {
            vertex: (0..8)
                .map(|k| DVec3::new(f64::from(k & 1), f64::from(k >> 1 & 1), f64::from(k >> 2)))
                .collect(),
            triangle: [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]]
                .iter()
                .flat_map(|f: &[u32; 4]| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]])
                .collect(),
        };
        let (centre, mass) = matter(&cube, 3.0);
        assert!(centre.abs_diff_eq(DVec3::splat(0.5), 1e-12));
        assert!(mass.inertia.abs_diff_eq(MassParams::cuboid(3.0, DVec3::ONE).inertia, 1e-12));
    }
}

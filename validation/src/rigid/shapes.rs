//! Nonconvex bodies made in code.

use std::f64::consts::TAU;
use std::sync::Arc;

use anyhow::Result;
use glam::DVec3;
use meniscus_geometry::{MassProperties, MeshShape, SignedDistance, TriangleMesh, UniformField};
use meniscus_solid::{ColliderShape, MeshCollider};

/// A nonconvex body with what is needed to simulate and to measure it.
#[derive(Clone)]
pub struct Nonconvex {
    /// The shape, with convex parts for engines that need them.
    pub shape: Arc<ColliderShape>,
    /// Its matter.
    pub mass: MassProperties,
    /// Points spread over its surface, finer than its mesh `[m]`.
    pub surface: Vec<DVec3>,
    /// Its distance on a grid finer than the one it is simulated with.
    pub fine: Arc<UniformField>,
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
    mass: MassProperties,
    cell: f64,
    parts: Vec<Vec<DVec3>>,
    fineness: u32,
) -> Result<Nonconvex> {
    let exact = MeshShape::new(mesh)?;
    exact.require_closed()?;
    let surface = spread(exact.mesh(), fineness);
    let fine = Arc::new(UniformField::of_distance(&exact, 0.5 * cell)?);
    let field: Arc<dyn SignedDistance> = Arc::new(UniformField::of_distance(&exact, cell)?);
    let mesh = Arc::new(exact.mesh().clone());
    let shape = ColliderShape::mesh(mesh, MeshCollider::Volume(field))?.with_convex_parts(parts);
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
    finish(tube(&rings, true), MassProperties::torus(mass, RING, TUBE), 0.1, parts, 4)
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
    let mut mesh = tube(&rings, false);
    let mass = MassProperties::of_mesh(&MeshShape::new(mesh.clone())?, density)?;
    let centre = mass.centre;
    let mass = MassProperties { centre: DVec3::ZERO, ..mass };
    mesh.translate(-centre);
    let parts: Vec<Vec<DVec3>> = parts;
    let parts = parts.into_iter().map(|p| p.into_iter().map(|x| x - centre).collect()).collect();
    finish(mesh, mass, 0.05, parts, 1)
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
    }
}

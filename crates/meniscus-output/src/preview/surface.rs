//! Bodies as shaded triangles.

use std::sync::Arc;

use glam::{DQuat, DVec3, Vec2, Vec3};
use rayon::prelude::*;

use super::camera::Camera;
use super::colour::srgb;

/// The mesh of a body, shared by its copies.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertices in the frame of the body `[m]`.
    pub vertex: Vec<DVec3>,
    /// Triangles, counter-clockwise seen from outside. Those with numbers out of range are left out.
    pub triangle: Vec<[u32; 3]>,
}

/// A body to be drawn.
#[derive(Debug, Clone, PartialEq)]
pub struct Surface {
    /// Its mesh.
    pub mesh: Arc<SurfaceMesh>,
    /// Where it is `[m]`.
    pub position: DVec3,
    /// How it is turned.
    pub rotation: DQuat,
    /// Which of a few colours it has; 0 is the grey of what stands still.
    pub tint: u32,
    /// A factor on the light, to tell neighbours of the same colour apart; about 1 `[1]`.
    pub light: f32,
    /// Whether it is shaded as a smooth surface instead of flat triangles.
    pub smooth: bool,
}

/// Grey, then colours that differ in hue and not much in lightness.
const TINTS: [u32; 7] = [0xB9_C0C6, 0xD9_6B3C, 0x3E_8FB0, 0xE0_B23E, 0x6C_A35E, 0xA8_6CA8, 0xC9_4F62];

/// The colour of a [`Surface::tint`] in linear light.
#[must_use]
pub fn tint_colour(tint: u32) -> Vec3 {
    srgb(TINTS[tint as usize % TINTS.len()])
}

/// A triangle as the picture sees it.
pub(crate) struct Facet {
    /// Corners in samples.
    pub(crate) at: [Vec2; 3],
    /// One over the depths of the corners `[1/m]`.
    pub(crate) nearness: [f32; 3],
    pub(crate) colour: Vec3,
}

/// What of the surfaces faces the eye.
pub(crate) fn facets(camera: &Camera, surfaces: &[Surface], planar: bool) -> Vec<Facet> {
    surfaces.par_iter().flat_map_iter(|surface| seen(camera, surface, planar)).collect()
}

fn seen<'a>(camera: &Camera, surface: &'a Surface, planar: bool) -> impl Iterator<Item = Facet> + use<'a> {
    let place = |x: &DVec3| surface.rotation * *x + surface.position;
    let world: Vec<DVec3> = surface.mesh.vertex.iter().map(place).collect();
    let on_screen: Vec<_> = world.iter().map(|x| camera.see(*x)).collect();
    let tint = tint_colour(surface.tint);
    let lamp = camera.lamp();
    surface.mesh.triangle.iter().filter_map(move |t| {
        let [a, b, c] = t.map(|v| on_screen.get(v as usize).copied().flatten());
        let corners = [a?, b?, c?];
        let at = corners.map(|s| s.at.as_vec2());
        // Seen from outside, corners run clockwise on a screen whose y points down.
        if (at[1] - at[0]).perp_dot(at[2] - at[0]) >= 0.0 {
            return None;
        }
        let [x, y, z] = t.map(|v| world[v as usize]);
        let normal = (y - x).cross(z - x).normalize_or_zero();
        let light =
            if planar { 0.9 } else { 0.34 + 0.2 * (0.5 + 0.5 * normal.y) + 0.6 * normal.dot(lamp).max(0.0) };
        let nearness = corners.map(|s| (1.0 / s.depth) as f32);
        Some(Facet { at, nearness, colour: tint * (light as f32 * surface.light) })
    })
}

impl Facet {
    /// Least and largest row of its samples.
    pub(crate) fn rows(&self) -> (f32, f32) {
        let y = self.at.map(|p| p.y);
        (y[0].min(y[1]).min(y[2]), y[0].max(y[1]).max(y[2]))
    }

    /// Calls `put` with column, row and depth `[m]` of every sample that it covers in a canvas of this size whose first
    /// row is `top`.
    pub(crate) fn cover(
        &self,
        [width, height]: [usize; 2],
        top: usize,
        mut put: impl FnMut(usize, usize, f32),
    ) {
        let shift = Vec2::new(0.5, 0.5 + top as f32);
        let [a, b, c] = self.at.map(|p| p - shift);
        let area = (b - a).perp_dot(c - a);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let span = |low: f32, high: f32, limit: usize| {
            let first = low.ceil().max(0.0) as usize;
            first..((high.floor() + 1.0).max(0.0) as usize).min(limit)
        };
        for y in span(low.y, high.y, height) {
            for x in span(low.x, high.x, width) {
                let p = Vec2::new(x as f32, y as f32);
                let weight = [(c - b).perp_dot(p - b), (a - c).perp_dot(p - c), (b - a).perp_dot(p - a)];
                // The area is negative, and so are the weights inside.
                if weight.iter().all(|w| *w <= 0.0) {
                    // One over the depth is linear on the screen.
                    let nearness: f32 = (0..3).map(|k| weight[k] / area * self.nearness[k]).sum();
                    put(x, y, 1.0 / nearness);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_facet_covers_half_of_its_square_and_neighbours_leave_no_gap() {
        let facet =
            |at: [[f32; 2]; 3]| Facet { at: at.map(Vec2::from), nearness: [0.5; 3], colour: Vec3::ONE };
        let halves =
            [facet([[0.0, 0.0], [0.0, 16.0], [16.0, 16.0]]), facet([[0.0, 0.0], [16.0, 16.0], [16.0, 0.0]])];
        let mut covered = vec![0; 256];
        for half in &halves {
            for band in [0, 8] {
                half.cover([16, 8], band, |x, y, depth| {
                    assert!((depth - 2.0).abs() < 1e-6);
                    covered[(band + y) * 16 + x] += 1;
                });
            }
        }
        assert!(covered.iter().all(|n| *n >= 1));
        assert_eq!(halves[0].rows(), (0.0, 16.0));
    }
}

//! Single drops as a camera sees them.
//!
//! A particle on its own is a ball, and all such balls are of one size: a picture of spray is one of glass beads. In a
//! photograph they are streaks, because the shutter is open for a while. So drops of few particles are drawn out along their
//! velocity by the way they make in that time, at the same volume; drops at rest stay round. What is exported as a surface
//! is not touched.

use glam::{DVec3, Vec3};
use meniscus_surface::FluidSurface;

/// How long the shutter is open: half the time of a picture of 25 a second `[s]`.
const EXPOSURE: f64 = 0.02;
/// Drops are at most so many times longer than round ones would be, and come near to it only at high speed `[1]`.
const LONGEST: f64 = 4.0;
/// Drops of so many particles, and larger ones, keep their shape; smaller ones do so in part `[1]`.
const LARGE: f64 = 8.0;

/// Draws out the drops of few particles in a surface of particles at this distance `[m]`.
pub(crate) fn draw_out(surface: &mut FluidSurface, spacing: f64) {
    let count = surface.vertex.len();
    if surface.velocity.len() != count || surface.normal.len() != count || spacing.is_nan() || spacing <= 0.0
    {
        return;
    }
    let part = parts(count, &surface.triangle);
    let mut drops = vec![Drop::default(); count];
    for (v, root) in part.iter().enumerate() {
        drops[*root].add_vertex(surface.vertex[v], surface.velocity[v]);
    }
    for t in surface.triangle.iter().filter(|t| t.iter().all(|v| (*v as usize) < count)) {
        let [a, b, c] = t.map(|v| surface.vertex[v as usize]);
        let drop = &mut drops[part[t[0] as usize]];
        let from = drop.middle();
        drop.volume += (a - from).cross(b - from).dot(c - from) / 6.0;
    }
    let shapes: Vec<Option<Shape>> = drops.iter().map(|drop| drop.shape(spacing)).collect();
    for (v, root) in part.iter().enumerate() {
        if let Some(shape) = &shapes[*root] {
            surface.vertex[v] = shape.place(surface.vertex[v]);
            surface.normal[v] = shape.normal(surface.normal[v]);
        }
    }
}

/// For each vertex the first vertex of the closed part that it belongs to.
fn parts(count: usize, triangle: &[[u32; 3]]) -> Vec<usize> {
    let mut part: Vec<usize> = (0..count).collect();
    let first = |part: &mut [usize], mut v: usize| {
        while part[v] != v {
            part[v] = part[part[v]];
            v = part[v];
        }
        v
    };
    for t in triangle.iter().filter(|t| t.iter().all(|v| (*v as usize) < count)) {
        for k in 1..3 {
            let (a, b) = (first(&mut part, t[0] as usize), first(&mut part, t[k] as usize));
            part[a.max(b)] = a.min(b);
        }
    }
    (0..count).map(|v| first(&mut part, v)).collect()
}

/// What is known of a part of the surface.
#[derive(Debug, Clone, Copy, Default)]
struct Drop {
    vertices: f64,
    /// Sum of the places of its vertices `[m]`.
    places: DVec3,
    /// Sum of their velocities `[m/s]`.
    velocities: DVec3,
    /// `[m^3]`
    volume: f64,
}

impl Drop {
    fn add_vertex(&mut self, place: DVec3, velocity: Vec3) {
        self.vertices += 1.0;
        self.places += place;
        self.velocities += velocity.as_dvec3();
    }

    fn middle(&self) -> DVec3 {
        self.places / self.vertices
    }

    /// How it is drawn; nothing for those that stay as they are.
    fn shape(&self, spacing: f64) -> Option<Shape> {
        let particles = self.volume / spacing.powi(3);
        if !(particles > 0.0 && particles < LARGE) {
            return None;
        }
        let velocity = self.velocities / self.vertices;
        let along = velocity.try_normalize()?;
        let diameter = (6.0 / std::f64::consts::PI * self.volume).cbrt();
        // Beyond any drop that is drawn out as far as it can be; infinity would be no shape.
        let way = (velocity.length() * EXPOSURE / diameter).min(1e9);
        let most = LONGEST - 1.0;
        let ratio = 1.0 + most * way / (way + most);
        // Drops that merge shall not snap into another shape.
        let share = ((LARGE - particles) / (LARGE - 1.0)).min(1.0);
        let ratio = ratio.powf(share);
        Some(Shape {
            middle: self.middle(),
            along,
            stretch: ratio.powf(2.0 / 3.0),
            shrink: ratio.powf(-1.0 / 3.0),
        })
    }
}

/// A drop that is drawn out along a direction and thinner across it, so that its volume stays.
struct Shape {
    middle: DVec3,
    along: DVec3,
    stretch: f64,
    shrink: f64,
}

impl Shape {
    fn scaled(&self, x: DVec3, along: f64, across: f64) -> DVec3 {
        let part = self.along * x.dot(self.along);
        part * along + (x - part) * across
    }

    fn place(&self, x: DVec3) -> DVec3 {
        self.middle + self.scaled(x - self.middle, self.stretch, self.shrink)
    }

    /// Normals turn the other way round.
    fn normal(&self, n: Vec3) -> Vec3 {
        self.scaled(n.as_dvec3(), self.stretch.recip(), self.shrink.recip()).normalize_or(DVec3::Y).as_vec3()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Octahedra with a volume of so many cubic metres, each with a velocity.
    fn drops(all: &[(DVec3, f64, Vec3)]) -> FluidSurface {
        let mut surface = FluidSurface::default();
        for &(at, volume, velocity) in all {
            let first = surface.vertex.len() as u32;
            // An octahedron of radius r has 4/3 r³.
            let radius = (0.75 * volume).cbrt();
            let axes = [DVec3::X, DVec3::NEG_X, DVec3::Y, DVec3::NEG_Y, DVec3::Z, DVec3::NEG_Z];
            surface.vertex.extend(axes.map(|axis| at + axis * radius));
            surface.normal.extend(axes.map(DVec3::as_vec3));
            surface.velocity.extend([velocity; 6]);
            let faces =
                [[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
            surface.triangle.extend(faces.map(|face: [u32; 3]| face.map(|v| v + first)));
        }
        surface
    }

    fn extent(surface: &FluidSurface, drop: usize) -> DVec3 {
        let part = &surface.vertex[6 * drop..6 * drop + 6];
        let low = part.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        part.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max) - low
    }

    #[test]
    fn small_drops_are_drawn_out_along_their_way_and_keep_their_volume() {
        let fast = Vec3::X * 100.0;
        let mut surface = drops(&[
            (DVec3::ZERO, 1.0, fast),
            (DVec3::X * 9.0, 1.0, 4.0 * fast),
            (DVec3::X * 18.0, 1.0, Vec3::ZERO),
            (DVec3::X * 27.0, 4.0, fast),
            (DVec3::X * 50.0, 9.0, fast),
        ]);
        let before = surface.clone();
        draw_out(&mut surface, 1.0);
        assert!((surface.volume() - before.volume()).abs() < 1e-9 * before.volume());
        let ratio = |drop| extent(&surface, drop).x / extent(&surface, drop).y;
        assert!(ratio(0) > 1.3 && ratio(1) > ratio(0) && ratio(1) < LONGEST, "{} {}", ratio(0), ratio(1));
        assert!(ratio(3) > 1.1 && ratio(3) < ratio(0), "{}", ratio(3));
        // Those at rest and large ones stay.
        for drop in [2, 4] {
            let part = 6 * drop..6 * drop + 6;
            assert_eq!(surface.vertex[part.clone()], before.vertex[part]);
        }
        assert!(surface.normal.iter().all(|n| n.is_normalized()));
    }

    #[test]
    fn odd_surfaces_are_left_alone() {
        let mut odd = drops(&[(DVec3::ZERO, 1.0, Vec3::X)]);
        odd.triangle.push([0, 1, 99]);
        draw_out(&mut odd, 1.0);
        let mut still = FluidSurface { velocity: Vec::new(), ..drops(&[(DVec3::ZERO, 1.0, Vec3::X)]) };
        let before = still.clone();
        draw_out(&mut still, 1.0);
        assert_eq!(still, before);
    }
}

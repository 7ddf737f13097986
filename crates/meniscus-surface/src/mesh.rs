//! The mesh of a surface and what can be measured on it.

use glam::{DVec3, Vec3};

/// A closed surface, triangles counter-clockwise seen from outside.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct FluidSurface {
    /// Vertices `[m]`.
    pub vertex: Vec<DVec3>,
    /// Unit normals of the vertices, out of the fluid `[1]`.
    pub normal: Vec<Vec3>,
    /// Velocity of the fluid at the vertices `[m/s]`.
    pub velocity: Vec<Vec3>,
    /// Numbers of the vertices of each triangle.
    pub triangle: Vec<[u32; 3]>,
}

impl FluidSurface {
    /// The volume that it encloses `[m^3]`.
    #[must_use]
    pub fn volume(&self) -> f64 {
        // Tetrahedra to a point nearby, which loses fewer digits than the origin.
        let from = self.vertex.first().copied().unwrap_or_default();
        let part = |t: &[u32; 3]| {
            let [a, b, c] = t.map(|v| self.vertex[v as usize] - from);
            a.cross(b).dot(c) / 6.0
        };
        self.triangle.iter().map(part).sum()
    }

    /// Its area `[m^2]`.
    #[must_use]
    pub fn area(&self) -> f64 {
        self.triangle.iter().map(|t| 0.5 * self.facing(t).length()).sum()
    }

    /// The normal of a triangle, twice its area long `[m^2]`.
    fn facing(&self, triangle: &[u32; 3]) -> DVec3 {
        let [a, b, c] = triangle.map(|v| self.vertex[v as usize]);
        (b - a).cross(c - a)
    }

    /// Computes the normals of the vertices: means of the triangles around them, weighted by area.
    pub(crate) fn find_normals(&mut self) {
        let mut sum = vec![DVec3::ZERO; self.vertex.len()];
        for t in &self.triangle {
            let facing = self.facing(t);
            for v in t {
                sum[*v as usize] += facing;
            }
        }
        self.normal = sum.iter().map(|n| n.normalize_or(DVec3::Y).as_vec3()).collect();
    }

    /// Moves all vertices along their normals until the surface encloses this volume `[m^3]`, but none by more than
    /// `limit` `[m]`.
    pub(crate) fn enclose(&mut self, volume: f64, limit: f64) {
        let mut moved = 0.0;
        // A step is exact for a plane; curved surfaces want a second one.
        for _ in 0..3 {
            let step = (volume - self.volume()) / self.area();
            let step = (moved + step).clamp(-limit, limit) - moved;
            if !step.is_finite() {
                return;
            }
            moved += step;
            for (x, normal) in self.vertex.iter_mut().zip(&self.normal) {
                *x += normal.as_dvec3() * step;
            }
            self.find_normals();
        }
    }
}

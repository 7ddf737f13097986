//! Samples that know their place on the mesh, so that they can follow it.

use glam::DVec3;
use rayon::prelude::*;

use crate::TriangleMesh;

/// What part of a mesh a sample belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Feature {
    /// A corner, shared by the triangles around it.
    Vertex,
    /// An edge, shared by the triangles at both of its sides.
    Edge,
    /// The inside of one triangle.
    #[default]
    Interior,
}

/// The place of a sample on a mesh. It stays while the mesh deforms (\[Akinci2013\] Sec. 2.2).
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MeshAnchor {
    /// Weights of the triangle's corners, which sum to one; zero for corners that a vertex or edge does not touch
    /// `[1]`.
    pub barycentric: [f64; 3],
    /// The triangle; for shared vertices and edges the first one around them.
    pub triangle: u32,
    /// What it lies on.
    pub feature: Feature,
}

impl MeshAnchor {
    /// A place in a triangle.
    #[must_use]
    pub fn inside(triangle: u32, barycentric: [f64; 3]) -> Self {
        Self { barycentric, triangle, feature: Feature::Interior }
    }

    /// Where it is on a mesh with these vertices `[m]`; nothing if the triangle or a vertex does not exist.
    #[must_use]
    pub fn place(&self, vertex: &[DVec3], triangle: &[[u32; 3]]) -> Option<DVec3> {
        let [a, b, c] = *triangle.get(self.triangle as usize)?;
        let [u, v, w] = self.barycentric;
        Some(*vertex.get(a as usize)? * u + *vertex.get(b as usize)? * v + *vertex.get(c as usize)? * w)
    }
}

/// Samples of a surface or volume.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct SurfaceSamples {
    /// Where they are `[m]`.
    pub position: Vec<DVec3>,
    /// Where each lies on the mesh; none at all for samples that left their triangles (relaxed ones), lie inside
    /// of a volume or on the outline of a section.
    pub anchor: Vec<MeshAnchor>,
}

impl SurfaceSamples {
    /// Samples at these places of a mesh; anchors outside of it are left out.
    #[must_use]
    pub fn at(anchor: Vec<MeshAnchor>, mesh: &TriangleMesh) -> Self {
        let place = |a: &MeshAnchor| a.place(&mesh.vertex, &mesh.triangle);
        let position: Vec<DVec3> = anchor.par_iter().filter_map(place).collect();
        if position.len() == anchor.len() {
            return Self { position, anchor };
        }
        let anchor = anchor.into_iter().filter(|a| place(a).is_some()).collect();
        Self { position, anchor }
    }

    /// How many there are `[1]`.
    #[must_use]
    pub fn len(&self) -> usize {
        self.position.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.position.is_empty()
    }

    /// The unit normal of each sample's triangle, outwards if the mesh is turned right `[1]`; empty without anchors.
    #[must_use]
    pub fn normals(&self, mesh: &TriangleMesh) -> Vec<DVec3> {
        let normal = |a: &MeshAnchor| {
            let corner = |k: usize| {
                let v = mesh.triangle.get(a.triangle as usize)?[k];
                mesh.vertex.get(v as usize).copied()
            };
            let (Some(a), Some(b), Some(c)) = (corner(0), corner(1), corner(2)) else { return DVec3::ZERO };
            (b - a).cross(c - a).normalize_or_zero()
        };
        self.anchor.par_iter().map(normal).collect()
    }

    /// Hands a force on each sample `[N]` to the corners of its triangle, weighted as its place is
    /// (\[Akinci2013\] Sec. 2.2), and adds them to `on_vertex` `[N]`. Forces and torques keep their sums.
    pub fn distribute(&self, force: &[DVec3], mesh: &TriangleMesh, on_vertex: &mut [DVec3]) {
        // One after the other: neighbours share vertices, and the order of a sum decides its bits.
        for (anchor, force) in self.anchor.iter().zip(force) {
            let Some(corner) = mesh.triangle.get(anchor.triangle as usize) else { continue };
            for (&v, weight) in corner.iter().zip(anchor.barycentric) {
                if let Some(sum) = on_vertex.get_mut(v as usize) {
                    *sum += *force * weight;
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::test_mesh::cube;

    #[test]
    fn forces_and_torques_keep_their_sums() {
        let mesh = cube(1.0);
        let anchor = (0..12).map(|t| MeshAnchor::inside(t, [0.2, 0.3, 0.5])).collect();
        let samples = SurfaceSamples::at(anchor, &mesh);
        let force: Vec<DVec3> =
            (0..12).map(|i| DVec3::new(f64::from(i).sin(), f64::from(i).cos(), 0.3)).collect();
        let mut on_vertex = vec![DVec3::ZERO; 8];
        samples.distribute(&force, &mesh, &mut on_vertex);
        let total: DVec3 = force.iter().sum();
        assert!(on_vertex.iter().sum::<DVec3>().abs_diff_eq(total, 1e-12));
        let torque: DVec3 = samples.position.iter().zip(&force).map(|(x, f)| x.cross(*f)).sum();
        let received: DVec3 = mesh.vertex.iter().zip(&on_vertex).map(|(x, f)| x.cross(*f)).sum();
        assert!(received.abs_diff_eq(torque, 1e-12));
    }

    #[test]
    fn anchors_outside_of_the_mesh_are_left_out() {
        let anchor = vec![MeshAnchor::inside(99, [1.0, 0.0, 0.0]), MeshAnchor::inside(0, [1.0, 0.0, 0.0])];
        let samples = SurfaceSamples::at(anchor, &cube(1.0));
        assert_eq!((samples.len(), samples.anchor.len()), (1, 1));
    }
}

//! Where samples may be while they are relaxed.

use glam::DVec3;

use super::outline::Outline;
use crate::{Aabb, MeshShape};

/// A place for samples: a surface, a volume, an outline or a rectangle.
pub trait SampleDomain: Sync {
    /// The place of the domain nearest to `x` for sample `i`, as far as it is known `[m]`.
    fn settle(&self, i: usize, x: DVec3) -> DVec3;
}

/// The surface of a mesh.
#[derive(Debug, Clone, Copy)]
pub struct OnSurface<'a>(
    /// The mesh.
    pub &'a MeshShape,
);

impl SampleDomain for OnSurface<'_> {
    fn settle(&self, _: usize, x: DVec3) -> DVec3 {
        self.0.closest_point(x)
    }
}

/// The inside of a closed mesh with its surface. The first samples stay on the surface, the others at or inside of it
/// (\[Wang2017\] Alg. 1, line 7).
#[derive(Debug, Clone, Copy)]
pub struct InVolume<'a> {
    /// The mesh, closed.
    pub mesh: &'a MeshShape,
    /// How many samples, from the first on, stay on the surface `[1]`.
    pub on_surface: usize,
}

impl SampleDomain for InVolume<'_> {
    fn settle(&self, i: usize, x: DVec3) -> DVec3 {
        if i < self.on_surface || self.mesh.signed_distance(x) > 0.0 { self.mesh.closest_point(x) } else { x }
    }
}

/// The outline of a section with the plane z = 0; with `mesh`, its inside as well.
#[derive(Debug, Clone, Copy)]
pub(super) struct InSection<'a> {
    pub outline: &'a Outline,
    pub mesh: Option<&'a MeshShape>,
    pub on_outline: usize,
}

impl SampleDomain for InSection<'_> {
    fn settle(&self, i: usize, x: DVec3) -> DVec3 {
        let x = x.with_z(0.0);
        let is_inside = i >= self.on_outline && self.mesh.is_some_and(|m| m.signed_distance(x) <= 0.0);
        if is_inside { x } else { self.outline.closest_point(x) }
    }
}

/// A box along the axes; without depth it is a rectangle in a plane.
impl SampleDomain for Aabb {
    fn settle(&self, _: usize, x: DVec3) -> DVec3 {
        x.max(self.min).min(self.max)
    }
}

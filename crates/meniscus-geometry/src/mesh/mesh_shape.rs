//! A checked mesh with fast closest-point and inside queries.
//!
//! Distances come from parry's bounding volume hierarchy, the sign from angle-weighted pseudo-normals
//! (\[Baerentzen2005\], inside parry). A triangle mesh is mended first: vertices at the very same place are merged,
//! triangles without area and repeated triangles are dropped, and the others are turned so that they face away from
//! the matter. [`MeshReport`] says what was done.

use glam::DVec3;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::{TriMesh, TriMeshFlags};

use super::clean::Seams;
use crate::mesh::MeshReport;
use crate::{MeshError, TriangleMesh};

/// The largest coordinate a mesh may have `[m]`. Beyond it lie forgotten units, and squares that lose all digits.
pub const MAX_COORDINATE: f64 = 1e6;

/// A triangle mesh that has been checked and cleaned and can be asked for distances.
#[derive(Clone)]
pub struct MeshShape {
    mesh: TriangleMesh,
    query: TriMesh,
    seams: Seams,
    report: MeshReport,
}

impl std::fmt::Debug for MeshShape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let counts = (self.mesh.vertex.len(), self.mesh.triangle.len());
        write!(f, "MeshShape({} vertices, {} triangles)", counts.0, counts.1)
    }
}

impl MeshShape {
    /// Checks and mends a mesh and prepares it for queries. A mesh with holes is accepted; see
    /// [`MeshShape::require_closed`]. Where components overlap, inside is what the nearest triangle says, and the
    /// surfaces within the other remain; [`MeshShape::report`] warns of it.
    ///
    /// # Errors
    /// If there are no triangles with an area, if an index is out of range, or if a coordinate is not finite or
    /// beyond [`MAX_COORDINATE`].
    pub fn new(mut mesh: TriangleMesh) -> Result<Self, MeshError> {
        let (report, seams) = MeshReport::mend(&mut mesh)?;
        // Without ORIENTED nothing would ever be inside.
        let query = TriMesh::with_flags(mesh.vertex.clone(), mesh.triangle.clone(), TriMeshFlags::ORIENTED)
            .map_err(|_| {
            MeshError::new(
                "the mesh has no triangle with an area",
                "give at least one triangle that is not degenerate",
            )
        })?;
        Ok(Self { mesh, query, seams, report })
    }

    /// The cleaned mesh.
    #[must_use]
    pub fn mesh(&self) -> &TriangleMesh {
        &self.mesh
    }

    /// What the mesh is like, what was mended and what is wrong with it.
    #[must_use]
    pub fn report(&self) -> &MeshReport {
        &self.report
    }

    /// Whether the mesh encloses a volume: every edge is used as often in one direction as in the other.
    #[must_use]
    pub fn is_watertight(&self) -> bool {
        self.seams.is_closed()
    }

    /// For uses that need an inside.
    ///
    /// # Errors
    /// If the mesh is not watertight: how many edges are open or badly turned, and where the first one is.
    pub fn require_closed(&self) -> Result<(), MeshError> {
        let Some([a, b]) = self.seams.first else { return Ok(()) };
        let place = format!("the first from ({}, {}, {}) to ({}, {}, {})", a.x, a.y, a.z, b.x, b.y, b.z);
        Err(if self.seams.open > 0 {
            MeshError::new(
                format!("the mesh is not closed: {} open edges, {place}", self.seams.open),
                "close the holes; vertices that should be the same must have exactly the same coordinates",
            )
        } else {
            MeshError::new(
                format!(
                    "the mesh has {} edges whose triangles are turned opposite ways, {place}",
                    self.seams.turned
                ),
                "make all triangles counter-clockwise seen from outside",
            )
        })
    }

    /// Distance from `x` to the surface, negative inside `[m]`. With holes, the sign is that of the nearest
    /// triangle's side.
    #[must_use]
    pub fn signed_distance(&self, x: DVec3) -> f64 {
        let projection = self.query.project_local_point(x, false);
        let distance = projection.point.distance(x);
        if projection.is_inside { -distance } else { distance }
    }

    /// The point of the surface nearest to `x` `[m]`.
    #[must_use]
    pub fn closest_point(&self, x: DVec3) -> DVec3 {
        self.query.project_local_point(x, false).point
    }

    /// The tree of triangles, for queries.
    pub(crate) fn tri_mesh(&self) -> &TriMesh {
        &self.query
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_mesh::{self, cube, sphere};

    #[test]
    fn a_fine_sphere_measures_like_the_analytic_one() {
        let shape = MeshShape::new(sphere(4)).unwrap();
        assert!(shape.is_watertight());
        shape.require_closed().unwrap();
        for i in 0..500 {
            let t = f64::from(i);
            let x = DVec3::new((t * 0.37).sin(), (t * 0.73).sin(), (t * 1.19).cos()) * 1.3;
            // Chords of edges of 1/16 of a right angle sag by less than 0.005.
            assert!((shape.signed_distance(x) - (x.length() - 1.0)).abs() < 0.005);
            let nearest = shape.closest_point(x);
            assert!((nearest.length() - 1.0).abs() < 0.005);
        }
    }

    #[test]
    fn an_inside_out_mesh_is_turned() {
        let mut mesh = cube(2.0);
        mesh.flip();
        let shape = MeshShape::new(mesh).unwrap();
        assert!((shape.mesh().volume() - 8.0).abs() < 1e-12);
        assert!((shape.signed_distance(DVec3::ZERO) + 1.0).abs() < 1e-12);
        assert!((shape.signed_distance(DVec3::splat(2.0)) - 3f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn unshared_vertices_and_useless_triangles_are_cleaned() {
        let soup = cube(1.0);
        let vertex: Vec<DVec3> = soup.corners().flatten().chain([DVec3::splat(9.0)]).collect();
        let mut triangle: Vec<[u32; 3]> = (0..12).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
        triangle.push([0, 0, 1]);
        // A whisker: its far end must not remain.
        triangle.push([36, 36, 1]);
        triangle.push([1, 2, 0]);
        let shape = MeshShape::new(TriangleMesh { vertex, triangle }).unwrap();
        assert_eq!((shape.mesh().vertex.len(), shape.mesh().triangle.len()), (8, 12));
        assert!(shape.is_watertight());
    }

    #[test]
    fn holes_are_counted_and_placed() {
        let mut holed = cube(1.0);
        holed.triangle.remove(0);
        let shape = MeshShape::new(holed).unwrap();
        assert!(!shape.is_watertight());
        let error = shape.require_closed().unwrap_err().to_string();
        assert!(error.starts_with("the mesh is not closed: 3 open edges, the first from ("), "{error}");
        // A band that is twisted once has no sides.
        let error = MeshShape::new(test_mesh::moebius(12)).unwrap().require_closed().unwrap_err().to_string();
        assert!(error.starts_with("the mesh is not closed: 24 open edges"), "{error}");
    }

    #[test]
    fn bad_meshes_are_refused_with_a_reason() {
        let refused = |vertex: Vec<DVec3>, triangle: Vec<[u32; 3]>| {
            MeshShape::new(TriangleMesh { vertex, triangle }).unwrap_err().to_string()
        };
        let good = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
        assert!(refused(good.clone(), vec![]).contains("no triangles"));
        assert!(refused(good, vec![[0, 1, 3]]).contains("there are 3 vertices"));
        assert!(refused(vec![DVec3::ZERO, DVec3::X, DVec3::NAN], vec![[0, 1, 2]]).contains("vertex 3"));
        assert!(
            refused(vec![DVec3::ZERO, DVec3::X, DVec3::Y * 2e6], vec![[0, 1, 2]]).contains("scale the mesh")
        );
        assert!(
            refused(vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], vec![[0, 1, 2]]).contains("with an area")
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn random_soups_never_panic(
            // Few distinct places, so that shared edges, folds and degenerate triangles are common.
            places in proptest::collection::vec((0..4i8, 0..4i8, 0..4i8), 1..30),
            extreme in proptest::option::of((any::<f64>(), any::<f64>(), any::<f64>())),
            triangle in proptest::collection::vec(proptest::array::uniform3(0..32u32), 0..80),
        ) {
            let place = |&(x, y, z): &(i8, i8, i8)| DVec3::new(x.into(), y.into(), z.into());
            let mut vertex: Vec<DVec3> = places.iter().map(place).collect();
            vertex.extend(extreme.map(DVec3::from));
            if let Ok(shape) = MeshShape::new(TriangleMesh { vertex, triangle }) {
                prop_assert!(shape.signed_distance(DVec3::new(0.3, 1.1, 2.2)).is_finite());
                prop_assert!(shape.closest_point(DVec3::splat(1e3)).is_finite());
                let _ = shape.require_closed();
            }
        }
    }
}

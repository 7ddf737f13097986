//! The form of a body: a distance that others are looked up in, and points that are looked up in others.
//!
//! \[Guendelman2006\] Sec. 2.3: each body has both, in its own frame. A body without a distance is a thin shell, which
//! meets bodies that have one but no other shell (Sec. 2.14); one without points is a wall.

mod field;
mod grid;
pub(crate) mod samples;

use std::f64::consts::TAU;
use std::sync::Arc;

use glam::DVec3;
use meniscus_geometry::{Aabb, SignedDistance, TriangleMesh};

use crate::SolidError;
pub use field::{BoxField, CapsuleField, CylinderField, HalfSpaceField, InvertedField, SphereField};
pub use grid::GridField;
use samples::Samples;

/// Radius by which edges are rounded, as a share of the half thickness of the body `[1]`.
const ROUNDING: f64 = 0.02;
/// Corners of the polygon that stands for a cylinder's rim `[1]`.
const RIM: u32 = 32;
/// What an edge may hide before it is sampled, as a share of the half thickness `[1]`.
const EDGE_TOLERANCE: f64 = 0.01;

/// What a shape was made from, for engines that have shapes of their own.
#[derive(Debug, Clone)]
pub enum Form {
    /// A box along the axes.
    Box {
        /// Half of its edge lengths `[m]`.
        half: DVec3,
    },
    /// A ball.
    Sphere {
        /// Its radius `[m]`.
        radius: f64,
    },
    /// A cylinder along y.
    Cylinder {
        /// Its radius `[m]`.
        radius: f64,
        /// Half of its height `[m]`.
        half_height: f64,
    },
    /// A capsule along y.
    Capsule {
        /// Its radius `[m]`.
        radius: f64,
        /// Half of the distance between the centres of its caps `[m]`.
        half_height: f64,
    },
    /// The half space below y = 0.
    HalfSpace,
    /// A triangle mesh.
    Mesh(Arc<TriangleMesh>),
    /// A distance alone.
    Field,
}

/// The form of a body in its own frame. Bodies of the same form share it.
#[derive(Clone)]
pub struct Shape {
    form: Form,
    pub(crate) field: Option<Arc<dyn SignedDistance>>,
    pub(crate) samples: Samples,
    /// Around field and samples; infinite for walls.
    pub(crate) bounds: Aabb,
    /// Convex pieces that it consists of, for engines that need them `[m]`.
    #[cfg_attr(
        not(feature = "rapier"),
        expect(dead_code, reason = "an engine for convex bodies reads them")
    )]
    pub(crate) parts: Vec<Vec<DVec3>>,
    /// How deep the deepest point inside is, infinite for walls and zero for shells `[m]`.
    pub(crate) half_thickness: f64,
}

impl std::fmt::Debug for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Shape({}, {} points)", name(&self.form), self.samples.vertex.len())
    }
}

fn name(form: &Form) -> &'static str {
    match form {
        Form::Box { .. } => "box",
        Form::Sphere { .. } => "sphere",
        Form::Cylinder { .. } => "cylinder",
        Form::Capsule { .. } => "capsule",
        Form::HalfSpace => "half space",
        Form::Mesh(_) => "mesh",
        Form::Field => "field",
    }
}

impl Shape {
    /// A box with edges `size` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if an edge is not positive and finite.
    pub fn cuboid(size: DVec3) -> Result<Arc<Self>, SolidError> {
        require("box", &size.to_array())?;
        let half = 0.5 * size;
        let thickness = half.min_element();
        let samples = Samples::of_mesh(&cuboid_mesh(half), ROUNDING * thickness, true, 0.0);
        Ok(Self::volumetric(Form::Box { half }, Arc::new(BoxField { half }), samples, thickness))
    }

    /// A ball of radius `radius` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the radius is not positive and finite.
    pub fn sphere(radius: f64) -> Result<Arc<Self>, SolidError> {
        require("sphere", &[radius])?;
        let samples = Samples::new(vec![DVec3::ZERO], vec![], radius);
        Ok(Self::volumetric(Form::Sphere { radius }, Arc::new(SphereField { radius }), samples, radius))
    }

    /// A cylinder along y with `radius` and `height` `[m]`. As a distance it is exact; its points lie on polygons, so it
    /// rolls on its own a little unevenly.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a length is not positive and finite.
    pub fn cylinder(radius: f64, height: f64) -> Result<Arc<Self>, SolidError> {
        require("cylinder", &[radius, height])?;
        let half_height = 0.5 * height;
        let thickness = radius.min(half_height);
        let samples = rim_samples(radius, half_height, ROUNDING * thickness);
        let field = CylinderField { radius, half_height };
        Ok(Self::volumetric(Form::Cylinder { radius, half_height }, Arc::new(field), samples, thickness))
    }

    /// A capsule along y with `radius` and, between the centres of its caps, `height` `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if a length is not positive and finite.
    pub fn capsule(radius: f64, height: f64) -> Result<Arc<Self>, SolidError> {
        require("capsule", &[radius, height])?;
        let half_height = 0.5 * height;
        let ends = vec![DVec3::Y * half_height, DVec3::Y * -half_height];
        let samples = Samples::new(ends, vec![[0, 1]], radius);
        let field = CapsuleField { radius, half_height };
        Ok(Self::volumetric(Form::Capsule { radius, half_height }, Arc::new(field), samples, radius))
    }

    /// The half space below y = 0, as a wall.
    #[must_use]
    pub fn half_space() -> Arc<Self> {
        Self::wall(Form::HalfSpace, Arc::new(HalfSpaceField))
    }

    /// Everything outside of `room`, as a wall.
    #[must_use]
    pub fn container(room: Arc<dyn SignedDistance>) -> Arc<Self> {
        Self::wall(Form::Field, Arc::new(InvertedField(room)))
    }

    /// A closed mesh with its distance. Without one the mesh is a shell of the given half thickness `[m]`.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] if the mesh has no vertices, its distance has no inside, or the thickness is not positive
    /// and finite.
    pub fn mesh(mesh: Arc<TriangleMesh>, body: MeshBody) -> Result<Arc<Self>, SolidError> {
        let complete = mesh.corners().count() == mesh.triangle.len();
        if mesh.vertex.is_empty() || !complete || mesh.vertex.iter().any(|v| !v.is_finite()) {
            let what = format!("{} vertices and {} triangles", mesh.vertex.len(), mesh.triangle.len());
            return Err(SolidError::invalid("mesh", what, "finite vertices and triangles between them"));
        }
        match body {
            MeshBody::Volume(field) => {
                let thickness = deepest(field.as_ref());
                if !(thickness > 0.0 && thickness.is_finite()) {
                    let what = format!("a depth of {thickness} m inside of it");
                    return Err(SolidError::invalid("mesh", what, "a distance that is negative somewhere"));
                }
                let samples = Samples::of_mesh(&mesh, ROUNDING * thickness, true, EDGE_TOLERANCE * thickness);
                Ok(Self::volumetric(Form::Mesh(mesh), field, samples, thickness))
            }
            MeshBody::Shell { half_thickness } => {
                require("shell", &[half_thickness])?;
                let samples = Samples::of_mesh(&mesh, half_thickness, false, EDGE_TOLERANCE * half_thickness);
                let bounds = samples.bounds();
                let form = Form::Mesh(mesh);
                Ok(Arc::new(Self {
                    form,
                    field: None,
                    samples,
                    bounds,
                    parts: Vec::new(),
                    half_thickness: 0.0,
                }))
            }
        }
    }

    /// What it was made from.
    #[must_use]
    pub fn form(&self) -> &Form {
        &self.form
    }

    /// The same shape with the corners of convex pieces `[m]` whose union it is, for engines that cannot use a distance.
    #[must_use]
    pub fn with_convex_parts(&self, parts: Vec<Vec<DVec3>>) -> Arc<Self> {
        Arc::new(Self { parts, ..self.clone() })
    }

    /// Its distance, unless it is a shell.
    #[must_use]
    pub fn field(&self) -> Option<&Arc<dyn SignedDistance>> {
        self.field.as_ref()
    }

    fn volumetric(
        form: Form,
        field: Arc<dyn SignedDistance>,
        samples: Samples,
        half_thickness: f64,
    ) -> Arc<Self> {
        let bounds = field.bounds().join(samples.bounds());
        Arc::new(Self { form, field: Some(field), samples, bounds, parts: Vec::new(), half_thickness })
    }

    fn wall(form: Form, field: Arc<dyn SignedDistance>) -> Arc<Self> {
        let bounds = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        let samples = Samples::default();
        Arc::new(Self {
            form,
            field: Some(field),
            samples,
            bounds,
            parts: Vec::new(),
            half_thickness: f64::INFINITY,
        })
    }

    /// Whether it is everywhere, so that no box is around it.
    pub(crate) fn is_wall(&self) -> bool {
        !self.bounds.size().is_finite()
    }
}

/// What a mesh is the surface of.
#[derive(Clone)]
pub enum MeshBody {
    /// A volume with this distance.
    Volume(Arc<dyn SignedDistance>),
    /// A thin shell.
    Shell {
        /// Half of its thickness `[m]`.
        half_thickness: f64,
    },
}

fn require(name: &str, lengths: &[f64]) -> Result<(), SolidError> {
    match lengths.iter().find(|l| !(l.is_finite() && **l > 0.0)) {
        None => Ok(()),
        Some(l) => Err(SolidError::invalid(name, format!("a length of {l} m"), "positive, finite lengths")),
    }
}

/// How deep inside of a surface one can be, by trying a lattice of points `[m]`.
fn deepest(field: &dyn SignedDistance) -> f64 {
    const POINTS: u32 = 24;
    let bounds = field.bounds();
    let cell = bounds.size() / f64::from(POINTS);
    let at = |k: u32| {
        let index =
            DVec3::new(f64::from(k % POINTS), f64::from(k / POINTS % POINTS), f64::from(k / POINTS / POINTS));
        -field.distance(bounds.min + (index + 0.5) * cell)
    };
    (0..POINTS.pow(3)).map(at).fold(0.0, f64::max)
}

/// Rims and side lines of a cylinder, drawn in by `rounding` `[m]`.
fn rim_samples(radius: f64, half_height: f64, rounding: f64) -> Samples {
    let (r, h) = (radius - rounding, half_height - rounding);
    let corner = |k: u32, y: f64| {
        let angle = TAU * f64::from(k) / f64::from(RIM);
        DVec3::new(r * angle.cos(), y, r * angle.sin())
    };
    let vertex = (0..RIM).map(|k| corner(k, h)).chain((0..RIM).map(|k| corner(k, -h))).collect();
    let next = |k: u32| (k + 1) % RIM;
    let edges = (0..RIM).flat_map(|k| [[k, next(k)], [RIM + k, RIM + next(k)], [k, RIM + k]]).collect();
    Samples::new(vertex, edges, rounding)
}

/// The mesh of a box with half edges `half` `[m]`.
pub(crate) fn cuboid_mesh(half: DVec3) -> TriangleMesh {
    let sign = |bit: u32| if bit == 0 { -1.0 } else { 1.0 };
    let vertex = (0..8).map(|k| half * DVec3::new(sign(k & 1), sign(k & 2), sign(k & 4))).collect();
    let faces: [[u32; 4]; 6] =
        [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangle = faces.iter().flat_map(|f| [[f[0], f[1], f[2]], [f[0], f[2], f[3]]]).collect();
    TriangleMesh { vertex, triangle }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mesh_cube_is_like_a_box() {
        let mesh = Arc::new(cuboid_mesh(DVec3::splat(0.5)));
        assert!((mesh.volume() - 1.0).abs() < 1e-12);
        let field = Arc::new(BoxField { half: DVec3::splat(0.5) });
        let shape = Shape::mesh(mesh, MeshBody::Volume(field)).unwrap();
        let cube = Shape::cuboid(DVec3::ONE).unwrap();
        assert_eq!(shape.samples.item, cube.samples.item);
        assert!((shape.half_thickness - 0.5).abs() < 0.03);
    }

    #[test]
    fn sizes_without_sense_are_refused() {
        assert!(Shape::cuboid(DVec3::new(1.0, 0.0, 1.0)).is_err());
        assert!(Shape::sphere(f64::NAN).is_err());
        assert!(Shape::cylinder(1.0, -1.0).is_err());
        assert!(Shape::capsule(f64::INFINITY, 1.0).is_err());
        let flat = Arc::new(TriangleMesh {
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            triangle: vec![[0, 1, 2]],
        });
        let nothing = Arc::new(SphereField { radius: -1.0 });
        assert!(Shape::mesh(flat.clone(), MeshBody::Volume(nothing)).is_err());
        assert!(Shape::mesh(flat.clone(), MeshBody::Shell { half_thickness: 0.0 }).is_err());
        assert!(Shape::mesh(flat, MeshBody::Shell { half_thickness: 0.01 }).is_ok());
        let broken = Arc::new(TriangleMesh { vertex: vec![DVec3::ZERO], triangle: vec![[0, 1, 2]] });
        assert!(Shape::mesh(broken, MeshBody::Shell { half_thickness: 0.01 }).is_err());
    }
}

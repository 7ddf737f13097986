//! Mesh files: read, scaled, checked.

use super::problem::BuildProblem;
use crate::model::{BodySpec, ScaleSpec, Scene};
use crate::particle_count::in_millions;
use glam::{DQuat, DVec3};
use meniscus_geometry::{GeometryError, MeshError, MeshShape, TriangleMesh};
use std::path::Path;
use std::sync::Arc;

/// The most boundary particles on one mesh `[1]`; analytic shapes are counted before they are built.
const MAX_SAMPLES: f64 = 50e6;

/// Reads a mesh and multiplies it; `key` is that of its path.
pub(crate) fn load(path: &Path, scale: &ScaleSpec, key: &str) -> Result<Arc<MeshShape>, BuildProblem> {
    let fail = |error| mesh_problem(&error, path, key);
    let mut mesh = TriangleMesh::read(path).map_err(fail)?;
    mesh.scale(DVec3::from(scale.factors()));
    Ok(Arc::new(MeshShape::new(mesh).map_err(fail)?))
}

/// Refuses meshes with holes where an inside is needed.
pub(crate) fn require_closed(mesh: &MeshShape, path: &Path, key: &str) -> Result<(), BuildProblem> {
    mesh.require_closed().map_err(|error| mesh_problem(&error, path, key))
}

/// Refuses meshes whose surface would take more boundary particles, or cells of a map, than memory should be spent on.
pub(crate) fn require_samples(
    mesh: &MeshShape,
    scene: &Scene,
    body: &BodySpec,
    key: &str,
) -> Result<(), BuildProblem> {
    let spacing = if scene.fluid.is_absent() { f64::INFINITY } else { scene.fluid.spacing };
    let area: f64 = mesh.mesh().corners().map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum();
    let count = area / (spacing * spacing);
    if count <= MAX_SAMPLES {
        return Ok(());
    }
    // A cell of a map is a spacing wide.
    let what =
        if body.boundary.is_map() { "cells of its map along its surface" } else { "boundary particles" };
    Err(BuildProblem {
        key: key.to_owned(),
        message: format!("the mesh would have about {} million {what}", in_millions(count)),
        label: "too large for `fluid.spacing`".to_owned(),
        help: "scale the mesh down (its file may not be in metres), or use a larger `fluid.spacing`"
            .to_owned(),
    })
}

/// A turn about an axis by an angle in degrees; none for an axis without length.
pub(crate) fn rotation(rotation: Option<&crate::model::Rotation>) -> DQuat {
    rotation.map_or(DQuat::IDENTITY, |r| {
        DVec3::from(r.axis)
            .try_normalize()
            .map_or(DQuat::IDENTITY, |axis| DQuat::from_axis_angle(axis, r.angle.to_radians()))
    })
}

fn mesh_problem(error: &MeshError, path: &Path, key: &str) -> BuildProblem {
    let file = path.file_name().unwrap_or_default().to_string_lossy();
    let place = error.place().map_or_else(|| format!("{file}: "), |place| format!("{file}, {place}: "));
    let text = error.text.as_ref().map(|text| format!(" `{text}`")).unwrap_or_default();
    BuildProblem {
        key: key.to_owned(),
        message: format!("{place}{}{text}", error.problem),
        label: "this mesh cannot be used".to_owned(),
        help: error.remedy.to_string(),
    }
}

/// What was to be made of a shape.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Purpose {
    /// Fluid inside of it.
    Fluid,
    /// Boundary particles on its surface.
    Samples,
    /// A density or volume map around it.
    Map,
    /// The map of a flat wall, which all bodies share.
    FlatMap,
    /// The shape itself.
    Shape,
    /// Tetrahedra inside of it.
    Tetrahedra,
}

impl Purpose {
    /// What cannot be done, and what may help.
    fn label_and_help(self) -> (&'static str, &'static str) {
        match self {
            Self::Fluid => {
                ("cannot be filled with fluid", "check its sizes, its `scale` and `fluid.spacing`")
            }
            Self::Samples => (
                "its surface takes no boundary particles",
                "check its sizes, its `scale` and `fluid.spacing`",
            ),
            Self::Map => (
                "no map can be made of this body",
                "check its sizes, its `scale` and `fluid.spacing`, or choose `boundary.method = \"volume-particles\"`",
            ),
            Self::FlatMap => ("no maps can be made with this kernel", "choose another `boundary.method`"),
            Self::Shape => ("this shape cannot be made", "check its sizes"),
            Self::Tetrahedra => {
                ("cannot be filled with tetrahedra", "choose a smaller `edge`, or mend the mesh")
            }
        }
    }
}

/// A refusal of the geometry at a key.
pub(crate) fn geometry_problem(error: &GeometryError, key: &str, purpose: Purpose) -> BuildProblem {
    let (label, help) = purpose.label_and_help();
    BuildProblem {
        key: key.to_owned(),
        message: error.to_string(),
        label: label.to_owned(),
        help: help.to_owned(),
    }
}

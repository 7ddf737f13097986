//! `shape`: a built-in shape as a mesh file.

use crate::cli::ShapeArgs;
use crate::error::CommandError;
use crate::terminal::say;
use meniscus::geometry::GeometryError;
use meniscus::geometry::shape::builtin;
use meniscus::output::write_mesh;
use std::path::Path;

/// Writes a built-in shape and tells how large it is.
pub fn shape(args: &ShapeArgs) -> Result<(), CommandError> {
    let unknown = || GeometryError::from(super::mesh::unknown(Path::new(&args.name)));
    let mesh = builtin::by_name(&args.name).ok_or_else(unknown)??;
    write_mesh(&args.out, &mesh.vertex, &mesh.triangle)?;
    let size = mesh.bounds().size();
    let [x, y, z] = [size.x, size.y, size.z];
    say(&format!("{} triangles, {x:.3} × {y:.3} × {z:.3} m", mesh.triangle.len()));
    Ok(())
}

//! Surfaces of the fluid as PLY, OBJ or VTP, with normals and, except for OBJ, velocities for motion blur.

use std::path::Path;

use glam::Vec3;
use meniscus_surface::FluidSurface;

use crate::mesh::{self, VertexColumn};
use crate::vtk_read::VtkFile;
use crate::vtu::{self, Array, Head, Place};
use crate::{OutputError, frame};

/// Writes a surface of the moment `time` `[s]`, after `step` steps, atomically, in the format that the extension names.
///
/// # Errors
/// [`OutputError::SurfaceFormat`] if the extension is another one, [`OutputError::Io`] when the file cannot be written.
pub fn write(path: &Path, surface: &FluidSurface, time: f64, step: u64) -> Result<(), OutputError> {
    let columns = [
        VertexColumn { names: ["nx", "ny", "nz"], value: &surface.normal },
        VertexColumn { names: ["vx", "vy", "vz"], value: &surface.velocity },
    ];
    match path.extension().and_then(|e| e.to_str()) {
        Some("ply" | "obj") => mesh::write_with_columns(path, &surface.vertex, &columns, &surface.triangle),
        Some("vtp") => write_vtp(path, surface, time, step),
        _ => Err(OutputError::SurfaceFormat { path: path.to_path_buf() }),
    }
}

fn write_vtp(path: &Path, surface: &FluidSurface, time: f64, step: u64) -> Result<(), OutputError> {
    let vectors =
        |v: &[Vec3]| v.iter().flat_map(Vec3::to_array).flat_map(f32::to_le_bytes).collect::<Vec<u8>>();
    let corners: Vec<u8> =
        surface.triangle.iter().flatten().flat_map(|v| i64::from(*v).to_le_bytes()).collect();
    let ends: Vec<u8> = (1..=surface.triangle.len() as i64).flat_map(|k| (3 * k).to_le_bytes()).collect();
    let arrays = [
        Array::new(Place::Points, "Points", "Float64", 3, &frame::bytes_of_points(&surface.vertex)),
        Array::new(Place::Cells, "connectivity", "Int64", 1, &corners),
        Array::new(Place::Cells, "offsets", "Int64", 1, &ends),
        Array::new(Place::PointData, "Normals", "Float32", 3, &vectors(&surface.normal)),
        Array::new(Place::PointData, "velocity", "Float32", 3, &vectors(&surface.velocity)),
    ];
    let head = Head {
        count: surface.vertex.len(),
        time,
        step,
        active: "Vectors=\"velocity\" Normals=\"Normals\"",
        triangles: Some(surface.triangle.len()),
    };
    vtu::write_file(path, "PolyData", &head, &arrays)
}

/// Reads a VTP that [`write()`] has written.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be read or is another one.
pub fn read(path: &Path) -> Result<FluidSurface, OutputError> {
    let file = VtkFile::open(path)?;
    let index = file.bytes_of("connectivity")?;
    let index: Vec<u32> =
        index.chunks_exact(8).map(|b| b.try_into().map_or(0, u64::from_le_bytes) as u32).collect();
    let surface = FluidSurface {
        vertex: file.points("Points")?,
        normal: file.vectors("Normals")?,
        velocity: file.vectors("velocity")?,
        triangle: index.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    };
    let vertices = surface.vertex.len();
    let even = surface.normal.len() == vertices && surface.velocity.len() == vertices;
    let sound = surface.triangle.iter().flatten().all(|v| (*v as usize) < vertices);
    if even && sound { Ok(surface) } else { Err(file.damaged("it is no surface")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    fn tetrahedron() -> FluidSurface {
        FluidSurface {
            vertex: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z / 3.0],
            normal: vec![Vec3::Y; 4],
            velocity: vec![Vec3::new(0.1, -2.0, 3.0); 4],
            triangle: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
        }
    }

    #[test]
    fn a_surface_comes_back_and_damage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("surface_000003.vtp");
        write(&path, &tetrahedron(), 0.5, 7).unwrap();
        assert_eq!(read(&path).unwrap(), tetrahedron());
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 300, bytes.len() / 2, bytes.len() - 60] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "{cut}");
        }
        let wrong = FluidSurface { triangle: vec![[0, 1, 9]], ..tetrahedron() };
        write(&path, &wrong, 0.5, 7).unwrap();
        assert!(read(&path).is_err());
    }

    #[test]
    fn every_format_is_written_and_others_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let written = |name: &str| {
            let path = dir.path().join(name);
            write(&path, &tetrahedron(), 0.5, 7).unwrap();
            std::fs::read(path).unwrap()
        };
        let ply = written("a.ply");
        let end = ply.windows(11).position(|w| w == b"end_header\n").unwrap() + 11;
        assert_eq!(ply.len() - end, 4 * 9 * 4 + 4 * 13);
        let obj = String::from_utf8(written("a.obj")).unwrap();
        assert!(obj.contains("vn 0 1 0\n") && obj.contains("f 1//1 3//3 2//2\n"), "{obj}");
        assert!(write(&dir.path().join("a.stl"), &tetrahedron(), 0.5, 7).is_err());
    }
}

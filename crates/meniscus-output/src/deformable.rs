//! Deformable bodies of a moment as VTP, PLY or OBJ, with normals and velocities; VTP also tells which body a node belongs to.

use std::path::Path;

use glam::{DVec3, Vec3};
use meniscus_core::DeformingFrame;
use meniscus_surface::FluidSurface;

use crate::vtk_read::VtkFile;
use crate::vtu::{self, Array, Head, Place};
use crate::{OutputError, frame, surface};

/// Writes a frame, atomically, in the format that the extension names.
///
/// # Errors
/// [`OutputError::SurfaceFormat`] if the extension is another one, [`OutputError::UnevenFrame`] for columns of different length, else
/// [`OutputError::Io`].
pub fn write(path: &Path, bodies: &DeformingFrame) -> Result<(), OutputError> {
    let expected = bodies.position.len();
    let columns = [("body", bodies.body.len()), ("velocity", bodies.velocity.len())];
    if let Some((column, found)) = columns.into_iter().find(|&(_, found)| found != expected) {
        return Err(OutputError::UnevenFrame { path: path.to_path_buf(), column, expected, found });
    }
    let normal = normals(bodies);
    if path.extension().is_none_or(|extension| extension != "vtp") {
        let surface = FluidSurface {
            vertex: bodies.position.clone(),
            normal: normal.iter().map(|n| n.as_vec3()).collect(),
            velocity: bodies.velocity.iter().map(|v| v.as_vec3()).collect(),
            triangle: bodies.triangle.clone(),
        };
        return surface::write(path, &surface, bodies.time, bodies.step);
    }
    let triangles = bodies.triangle.len();
    let corners: Vec<u8> =
        bodies.triangle.iter().flatten().flat_map(|v| i64::from(*v).to_le_bytes()).collect();
    let ends: Vec<u8> = (1..=triangles as i64).flat_map(|k| (3 * k).to_le_bytes()).collect();
    let body: Vec<u8> = bodies.body.iter().flat_map(|body| body.to_le_bytes()).collect();
    let arrays = [
        Array::new(Place::Points, "Points", "Float64", 3, &frame::bytes_of_points(&bodies.position)),
        Array::new(Place::Cells, "connectivity", "Int64", 1, &corners),
        Array::new(Place::Cells, "offsets", "Int64", 1, &ends),
        Array::new(Place::PointData, "Normals", "Float32", 3, &frame::bytes_of_vectors(&normal)),
        Array::new(Place::PointData, "velocity", "Float32", 3, &frame::bytes_of_vectors(&bodies.velocity)),
        Array::new(Place::PointData, "body", "UInt32", 1, &body),
    ];
    let head = Head {
        count: expected,
        time: bodies.time,
        step: bodies.step,
        active: "Vectors=\"velocity\" Normals=\"Normals\"",
        triangles: Some(triangles),
    };
    vtu::write_file(path, "PolyData", &head, &arrays)
}

/// The mean normal at each node, by the areas around it.
fn normals(bodies: &DeformingFrame) -> Vec<DVec3> {
    let mut sum = vec![DVec3::ZERO; bodies.position.len()];
    for t in &bodies.triangle {
        let place = |v: u32| bodies.position.get(v as usize).copied().unwrap_or_default();
        let [a, b, c] = t.map(place);
        let area = (b - a).cross(c - a);
        for v in t {
            if let Some(sum) = sum.get_mut(*v as usize) {
                *sum += area;
            }
        }
    }
    sum.iter().map(|n| n.normalize_or_zero()).collect()
}

/// Reads a VTP that [`write()`] has written.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be read or is another one.
pub fn read(path: &Path) -> Result<DeformingFrame, OutputError> {
    let file = VtkFile::open(path)?;
    let index = file.bytes_of("connectivity")?;
    let index: Vec<u32> =
        index.chunks_exact(8).map(|b| b.try_into().map_or(0, u64::from_le_bytes) as u32).collect();
    let body = file.bytes_of("body")?;
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let bodies = DeformingFrame {
        index: frame::index_of(&name).unwrap_or_default(),
        step: file.number("Step").unwrap_or_default() as u64,
        time: file.number("TimeValue").unwrap_or_default(),
        body: body.chunks_exact(4).map(|b| b.try_into().map_or(0, u32::from_le_bytes)).collect(),
        position: file.points("Points")?,
        velocity: file.vectors("velocity")?.into_iter().map(Vec3::as_dvec3).collect(),
        triangle: index.chunks_exact(3).map(|t| [t[0], t[1], t[2]]).collect(),
    };
    let nodes = bodies.position.len();
    let even = bodies.body.len() == nodes && bodies.velocity.len() == nodes && bodies.body.is_sorted();
    let sound = bodies.triangle.iter().flatten().all(|v| (*v as usize) < nodes);
    if even && sound { Ok(bodies) } else { Err(file.damaged("it is no frame of deformable bodies")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_bodies() -> DeformingFrame {
        DeformingFrame {
            index: 3,
            step: 7,
            time: 0.25,
            body: vec![0, 0, 0, 1, 1, 1],
            position: (0..6).map(|k| DVec3::new(f64::from(k) / 3.0, f64::from(k * k), -1.0)).collect(),
            velocity: vec![DVec3::new(0.5, 2.0, -1.0); 6],
            triangle: vec![[0, 1, 2], [3, 4, 5]],
        }
    }

    #[test]
    fn frames_come_back_and_damage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("deformable_000003.vtp");
        write(&path, &two_bodies()).unwrap();
        assert_eq!(read(&path).unwrap(), two_bodies());
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 300, bytes.len() / 2, bytes.len() - 60] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "{cut}");
        }
        let wrong = DeformingFrame { triangle: vec![[0, 1, 9]], ..two_bodies() };
        write(&path, &wrong).unwrap();
        assert!(read(&path).is_err());
        assert!(write(&path, &DeformingFrame { body: vec![], ..two_bodies() }).is_err());
        for extension in ["ply", "obj"] {
            write(&path.with_extension(extension), &two_bodies()).unwrap();
        }
        assert!(write(&path.with_extension("stl"), &two_bodies()).is_err());
    }
}

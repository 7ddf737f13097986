//! Where bodies are, as VTU: one point for each, with its rotation as a quaternion.
//!
//! ParaView shows them with the representation *3D Glyphs*, or the filter *Glyph With Custom Source*, oriented by the
//! array `rotation` and with the mesh of a body as the source.

use std::path::Path;

use glam::{DQuat, DVec3};
use meniscus_core::BodyFrame;

use crate::glb::{BodyPlace, BodyPlaces};
use crate::vtk_block::Known;
use crate::vtk_read::VtkFile;
use crate::vtu::{self, Array, Head, Place};
use crate::{OutputError, frame};

/// Writes a frame of bodies, atomically.
///
/// # Errors
/// [`OutputError::UnevenFrame`] for columns of different length, else [`OutputError::Io`].
pub fn write(path: &Path, bodies: &BodyFrame) -> Result<(), OutputError> {
    let expected = bodies.position.len();
    let columns = [
        ("present", bodies.present.len()),
        ("mesh", bodies.mesh.len()),
        ("rotation", bodies.rotation.len()),
        ("velocity", bodies.velocity.len()),
        ("angular_velocity", bodies.angular_velocity.len()),
    ];
    if let Some((column, found)) = columns.into_iter().find(|&(_, found)| found != expected) {
        return Err(OutputError::UnevenFrame { path: path.to_path_buf(), column, expected, found });
    }
    // VTK has w first.
    let turns: Vec<u8> =
        bodies.rotation.iter().flat_map(|q| [q.w, q.x, q.y, q.z]).flat_map(f64::to_le_bytes).collect();
    let meshes: Vec<u8> = bodies.mesh.iter().copied().flat_map(u32::to_le_bytes).collect();
    let present: Vec<u8> = bodies.present.iter().copied().map(u8::from).collect();
    let (velocity, spin) =
        (frame::bytes_of_vectors(&bodies.velocity), frame::bytes_of_vectors(&bodies.angular_velocity));
    let mut arrays = vtu::vertices(&bodies.position, &mut Known::default());
    arrays.extend([
        Array::new(Place::PointData, "rotation", "Float64", 4, &turns),
        Array::new(Place::PointData, "velocity", "Float32", 3, &velocity),
        Array::new(Place::PointData, "angular_velocity", "Float32", 3, &spin),
        Array::new(Place::PointData, "mesh", "UInt32", 1, &meshes),
        Array::new(Place::PointData, "present", "UInt8", 1, &present),
    ]);
    let head = Head {
        count: expected,
        time: bodies.time,
        step: bodies.step,
        active: "Vectors=\"velocity\"",
        triangles: None,
    };
    vtu::write_arrays(path, &head, &arrays)
}

/// Reads where the bodies of a frame are that [`write()`] has written.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be read or is another one.
pub fn read(path: &Path) -> Result<BodyPlaces, OutputError> {
    let file = VtkFile::open(path)?;
    let (at, turn) = (file.points("Points")?, file.doubles("rotation")?);
    let present = file.bytes_of("present")?;
    if at.len() != turn.len() / 4 || at.len() != present.len() {
        return Err(file.damaged("its arrays differ in length"));
    }
    let columns = at.into_iter().zip(turn.chunks_exact(4)).zip(present);
    let place = |((position, q), present): ((DVec3, &[f64]), u8)| BodyPlace {
        position,
        rotation: DQuat::from_xyzw(q[1], q[2], q[3], q[0]),
        present: present != 0,
    };
    Ok(columns.map(place).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_to_the_last_bit_and_damage_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("bodies_000000.vtu");
        let count = 3000;
        let bodies = BodyFrame {
            present: (0..count).map(|k| k % 7 != 0).collect(),
            mesh: vec![1; count],
            position: (0..count).map(|k| DVec3::new(k as f64 / 3.0, -1.0, 1e-9)).collect(),
            rotation: (0..count).map(|k| DQuat::from_rotation_x(k as f64)).collect(),
            velocity: vec![DVec3::X; count],
            angular_velocity: vec![DVec3::Y; count],
            ..BodyFrame::default()
        };
        write(&path, &bodies).unwrap();
        let back = read(&path).unwrap();
        assert!(back.iter().map(|p| p.position).eq(bodies.position.iter().copied()));
        assert!(back.iter().map(|p| p.rotation).eq(bodies.rotation.iter().copied()));
        assert!(back.iter().map(|p| p.present).eq(bodies.present.iter().copied()));
        let bytes = std::fs::read(&path).unwrap();
        for cut in [0, 100, 900, bytes.len() / 2] {
            std::fs::write(&path, &bytes[..cut]).unwrap();
            assert!(read(&path).is_err(), "{cut}");
        }
        assert!(write(&path, &BodyFrame { mesh: vec![], ..bodies }).is_err());
    }
}

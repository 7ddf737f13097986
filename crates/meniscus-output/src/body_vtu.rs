//! Where bodies are, as VTU: one point for each, with its rotation as a quaternion.
//!
//! ParaView shows them with the representation *3D Glyphs*, or the filter *Glyph With Custom Source*, oriented by the
//! array `rotation` and with the mesh of a body as the source.

use std::io::Read;
use std::path::Path;

use flate2::read::ZlibDecoder;
use glam::{DQuat, DVec3};
use meniscus_core::BodyFrame;

use crate::glb::{BodyPlace, Places};
use crate::vtu::{self, Array, Head, Place};
use crate::{OutputError, frame};

/// The most bytes that one array of a frame may have when it is read back `[byte]`.
const MAX_ARRAY: usize = 1 << 30;

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
    let mut arrays = vtu::vertices(&bodies.position);
    arrays.extend([
        Array::new(Place::PointData, "rotation", "Float64", 4, &turns),
        Array::new(Place::PointData, "velocity", "Float32", 3, &velocity),
        Array::new(Place::PointData, "angular_velocity", "Float32", 3, &spin),
        Array::new(Place::PointData, "mesh", "UInt32", 1, &meshes),
        Array::new(Place::PointData, "present", "UInt8", 1, &present),
    ]);
    let head = Head { count: expected, time: bodies.time, step: bodies.step, active: "Vectors=\"velocity\"" };
    vtu::write_arrays(path, &head, &arrays)
}

/// Reads where the bodies of a frame are that [`write()`] has written.
///
/// # Errors
/// [`OutputError::Io`] when the file cannot be read or is another one.
pub fn read(path: &Path) -> Result<Places, OutputError> {
    let bytes = std::fs::read(path).map_err(OutputError::io("read", path))?;
    let found = places(&bytes);
    found.ok_or_else(|| {
        let what = std::io::Error::new(std::io::ErrorKind::InvalidData, "it is no frame of bodies");
        OutputError::io("read", path)(what)
    })
}

fn places(bytes: &[u8]) -> Option<Places> {
    const MARK: &[u8] = b"<AppendedData encoding=\"raw\">\n   _";
    let split = bytes.windows(MARK.len()).position(|w| w == MARK)?;
    let header = std::str::from_utf8(&bytes[..split]).ok()?;
    let data = bytes.get(split + MARK.len()..)?;
    let at = numbers(&array(header, data, "Points")?);
    let turn = numbers(&array(header, data, "rotation")?);
    let present = array(header, data, "present")?;
    (at.len() / 3 == turn.len() / 4 && at.len() / 3 == present.len()).then_some(())?;
    let columns = at.chunks_exact(3).zip(turn.chunks_exact(4)).zip(present);
    let place = |((x, q), present): ((&[f64], &[f64]), u8)| BodyPlace {
        position: DVec3::from_slice(x),
        rotation: DQuat::from_xyzw(q[1], q[2], q[3], q[0]),
        present: present != 0,
    };
    Some(columns.map(place).collect())
}

/// The bytes of the array of that name.
fn array(header: &str, data: &[u8], name: &str) -> Option<Vec<u8>> {
    let (_, rest) = header.split_once(&format!("Name=\"{name}\""))?;
    let (_, rest) = rest.split_once("offset=\"")?;
    let start: usize = rest.split_once('"')?.0.parse().ok()?;
    let word = |k: usize| {
        let from = start.checked_add(8 * k)?;
        Some(u64::from_le_bytes(data.get(from..from.checked_add(8)?)?.try_into().ok()?) as usize)
    };
    let blocks = word(0)?;
    let mut place = start.checked_add(24)?.checked_add(blocks.checked_mul(8)?)?;
    let mut all = Vec::new();
    for block in 0..blocks {
        let end = place.checked_add(word(3 + block)?)?;
        let packed = data.get(place..end)?;
        ZlibDecoder::new(packed).take((MAX_ARRAY - all.len()) as u64).read_to_end(&mut all).ok()?;
        place = end;
    }
    Some(all)
}

fn numbers(bytes: &[u8]) -> Vec<f64> {
    let value = |b: &[u8]| b.try_into().map_or(0.0, f64::from_le_bytes);
    bytes.chunks_exact(8).map(value).collect()
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

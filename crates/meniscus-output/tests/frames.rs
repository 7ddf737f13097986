//! What is in a frame's file is what was in the frame.

mod support;

use std::fs;

use meniscus_core::{DVec3, ParticleFrame};
use meniscus_output::{OutputError, ply, vtu};
use support::{frame, read_vtu};

fn bytes<T, const N: usize>(values: impl IntoIterator<Item = T>, to_bytes: impl Fn(T) -> [u8; N]) -> Vec<u8> {
    values.into_iter().flat_map(to_bytes).collect()
}

#[test]
fn a_vtu_frame_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.vtu");
    // None, one, exactly one block of 64-bit numbers, and several blocks of everything.
    for count in [0, 1, 32_768, 70_001] {
        let written = frame(3, count);
        vtu::write(&path, &written).unwrap();
        let file = fs::read(&path).unwrap();
        let arrays = read_vtu(&file);
        let floats = |values: &[f32]| bytes(values.iter().copied(), f32::to_le_bytes);
        let velocity = written.velocity.iter().flat_map(|v| v.as_vec3().to_array());
        let position = written.position.iter().flat_map(DVec3::to_array);
        assert_eq!(arrays["Points"], bytes(position, f64::to_le_bytes));
        assert_eq!(arrays["velocity"], bytes(velocity, f32::to_le_bytes));
        assert_eq!(arrays["density"], floats(&written.density));
        assert_eq!(arrays["pressure"], floats(&written.pressure));
        assert_eq!(arrays["id"], bytes(written.id.iter().copied(), u64::to_le_bytes));
        assert_eq!(arrays["connectivity"], bytes(0..count as i64, i64::to_le_bytes));
        assert_eq!(arrays["offsets"], bytes(1..=count as i64, i64::to_le_bytes));
        assert_eq!(arrays["types"], vec![1; count]);
        let head = String::from_utf8_lossy(&file[..600]).into_owned();
        assert!(head.contains(">0.30000000000000004</DataArray>"), "{head}");
    }
}

#[allow(clippy::float_cmp, reason = "what is written is what is read, bit for bit")]
#[test]
fn a_ply_frame_reads_back() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("a.ply");
    let written = frame(0, 100);
    ply::write(&path, &written).unwrap();
    let file = fs::read(&path).unwrap();
    let end = b"end_header\n";
    let start = file.windows(end.len()).position(|window| window == end).unwrap() + end.len();
    let header = std::str::from_utf8(&file[..start]).unwrap();
    assert!(header.starts_with("ply\nformat binary_little_endian 1.0\n"));
    assert!(header.contains("element vertex 100\nproperty double x\n"));
    for (i, vertex) in file[start..].chunks(52).enumerate() {
        let double = |at: usize| f64::from_le_bytes(vertex[at..at + 8].try_into().unwrap());
        let float = |at: usize| f32::from_le_bytes(vertex[at..at + 4].try_into().unwrap());
        assert_eq!([double(0), double(8), double(16)], written.position[i].to_array());
        assert_eq!([float(24), float(28), float(32)], written.velocity[i].as_vec3().to_array());
        assert_eq!([float(36), float(40)], [written.density[i], written.pressure[i]]);
        assert_eq!(double(44) as u64, written.id[i]);
    }
    assert_eq!(file.len() - start, 100 * 52);
}

#[test]
fn uneven_columns_are_refused_and_nothing_is_written() {
    let dir = tempfile::tempdir().unwrap();
    let uneven = ParticleFrame { pressure: vec![0.0; 3], ..frame(0, 4) };
    for path in [dir.path().join("a.vtu"), dir.path().join("a.ply")] {
        let written =
            if path.ends_with("a.vtu") { vtu::write(&path, &uneven) } else { ply::write(&path, &uneven) };
        assert!(matches!(
            written,
            Err(OutputError::UnevenFrame { column: "pressure", expected: 4, found: 3, .. })
        ));
        assert!(!path.exists());
    }
}

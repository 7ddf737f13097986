use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::test_mesh::cube;

const TEXT: &str = "ply\r\nformat ascii 1.0\r\ncomment a square and a pentagon's worth of oddities\r\n\
    element material 1\r\nproperty list uchar float shine\r\nproperty int id\r\n\
    element face 2\r\nproperty uchar red\r\nproperty list uchar int vertex_indices\r\n\
    element vertex 5\r\nproperty float nx\r\nproperty float z\r\nproperty double y\r\nproperty float x\r\n\
    element nothing 4000000000\r\nend_header\r\n2 0.5 0.25 7\r\n255 4 0 1 2 3\r\n0 3 2 1 4\r\n\
    nan 0 0 0\r\n0 0 0 1\r\n0 0 1 1\r\n0 0 1 0\r\n0 5 6 7\r\n";

/// A cube as a binary file with columns nobody asked for.
fn binary(big: bool) -> Vec<u8> {
    let mesh = cube(2.0);
    let order = if big { "big" } else { "little" };
    let mut bytes = format!(
        "ply\nformat binary_{order}_endian 1.0\nelement vertex 8\nproperty double x\nproperty uchar c\n\
         property float y\nproperty float32 z\nproperty list uint short l\nelement face 12\n\
         property list uint8 uint16 vertex_index\nelement edge 1\nproperty int8 a\nend_header\n"
    )
    .into_bytes();
    let mut push = |little: &[u8]| {
        let mut word = little.to_vec();
        if big {
            word.reverse();
        }
        bytes.extend(word);
    };
    for v in &mesh.vertex {
        push(&v.x.to_le_bytes());
        push(&[200]);
        push(&(v.y as f32).to_le_bytes());
        push(&(v.z as f32).to_le_bytes());
        push(&1u32.to_le_bytes());
        push(&(-3i16).to_le_bytes());
    }
    for t in &mesh.triangle {
        push(&[3]);
        for i in t {
            push(&(*i as u16).to_le_bytes());
        }
    }
    push(&[0xff]);
    bytes
}

fn error(text: &str) -> MeshError {
    read(text.as_bytes()).unwrap_err()
}

#[test]
fn columns_may_come_in_any_order_and_type() {
    let mesh = read(TEXT.as_bytes()).unwrap();
    assert_eq!(mesh.triangle, [[0, 1, 2], [0, 2, 3], [2, 1, 4]]);
    assert_eq!(mesh.vertex[1], DVec3::X);
    assert_eq!(mesh.vertex[4], DVec3::new(7.0, 6.0, 5.0));
}

#[test]
fn both_byte_orders_give_the_same_cube() {
    for big in [false, true] {
        assert_eq!(read(&binary(big)).unwrap(), cube(2.0));
    }
}

#[test]
fn the_wrong_byte_order_is_an_error() {
    for (big, right, wrong) in [(false, "little", "big"), (true, "big", "little")] {
        let bytes = binary(big);
        let split = bytes.windows(10).position(|w| w == b"end_header").unwrap();
        let header = String::from_utf8_lossy(&bytes[..split]).replace(right, wrong);
        assert!(read(&[header.as_bytes(), &bytes[split..]].concat()).is_err());
    }
}

#[test]
fn triangle_strips_are_unrolled() {
    let mesh = read(
        b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n0 0 0 1 0 0 0 1 0 1 1 0\n\
        8 0 1 2 3 -1 2 1 0\n",
    )
    .unwrap();
    assert_eq!(mesh.triangle, [[0, 1, 2], [2, 1, 3], [2, 1, 0]]);
}

#[test]
fn every_truncation_is_an_error_with_a_place() {
    for bytes in [binary(false), binary(true), TEXT.trim_end().as_bytes().to_vec()] {
        // Without the last digit of a text its number would only be another one.
        for length in 0..bytes.len() {
            let result = read(&bytes[..length]);
            assert!(result.is_err_and(|e| e.place().is_some()), "{length} of {}", bytes.len());
        }
    }
}

#[test]
fn announced_elements_that_are_missing_cost_nothing() {
    for count in ["10000000", "4000000000", "18446744073709551615"] {
        for format in ["ascii", "binary_little_endian", "binary_big_endian"] {
            for element in ["vertex", "face", "other"] {
                let file = format!(
                    "ply\nformat {format} 1.0\nelement {element} {count}\nproperty float x\nproperty float y\n\
                     property float z\nproperty list uchar int vertex_indices\nend_header\n1 2 3 3 0 1 2 "
                );
                let problem = error(&file).problem;
                assert!(problem.starts_with(&format!("{count} of `{element}` are announced")), "{problem}");
            }
        }
    }
    // A list may lie, too.
    let list = "ply\nformat binary_little_endian 1.0\nelement face 1\nproperty list uint int vertex_indices\n\
                end_header\n\u{7f}\u{7f}\u{7f}\u{7f}";
    assert!(error(list).problem.starts_with("the file ends before"));
}

#[test]
fn mistakes_are_placed() {
    let vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    for (body, place, problem) in [
        ("hello\n", "line 1, column 1", "not a PLY file"),
        ("ply\nformat ascii 1.0\nproperty float x\n", "line 3, column 1", "a property before"),
        ("ply\nformat text 1.0\n", "line 2, column 8", "unknown format"),
        ("ply\nelement vertex -1\n", "line 2, column 16", "not a count"),
        ("ply\nelement vertex 1\nproperty half x\n", "line 3, column 10", "unknown type"),
        ("ply\nelement face 1\nproperty list float int x\n", "line 3, column 15", "a list cannot"),
        ("ply\nend_header\n", "line 2, column 1", "the header does not name a format"),
        ("ply\nformat ascii 1.0\nVend_header\n1 2 inf\n", "line 8, column 5", "a coordinate is not finite"),
        ("ply\nformat ascii 1.0\nVend_header\n1 two 3\n", "line 8, column 3", "not a number"),
        (
            "ply\nformat ascii 1.0\nVelement face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n3 0 0 1\n",
            "line 11, column 7",
            "there is no vertex 1",
        ),
        (
            "ply\nformat ascii 1.0\nVelement face 1\nproperty list uchar int vertex_indices\nend_header\n1 2 3\n2 0 0 1\n",
            "line 11, column 1",
            "a face with 2 vertices",
        ),
    ] {
        let error = error(&body.replace('V', vertex));
        assert_eq!(error.place().as_deref(), Some(place), "{error}");
        assert!(error.problem.starts_with(problem), "{error}");
    }
    let without = "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nend_header\n1\n";
    assert_eq!(&*error(without).problem, "the vertices have no coordinates");
}

proptest! {
    #[test]
    fn mutated_files_never_panic(
        edits in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12),
        kind in 0..3,
    ) {
        let mut bytes = if kind == 0 { TEXT.as_bytes().to_vec() } else { binary(kind == 1) };
        for (at, byte) in edits {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        if let Ok(mesh) = read(&bytes) {
            prop_assert!(mesh.triangle.iter().flatten().all(|i| (*i as usize) < mesh.vertex.len()));
            let _ = crate::MeshShape::new(mesh);
        }
    }
}

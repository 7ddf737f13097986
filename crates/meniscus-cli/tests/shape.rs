//! Built-in shapes as arguments of commands and as files.

mod support;

use meniscus::geometry::shape::builtin;
use meniscus::geometry::{MeshShape, TriangleMesh};
use std::fs;
use support::{call, succeed, text};

#[test]
fn what_is_written_can_be_read_back() {
    let dir = tempfile::tempdir().unwrap();
    for name in builtin::NAMES {
        let shape = builtin::by_name(name).unwrap().unwrap();
        for extension in ["obj", "ply", "stl"] {
            let file = format!("{name}.{extension}");
            let said = succeed(dir.path(), &["shape", name, "-o", &file]);
            assert!(said.starts_with(&format!("{} triangles", shape.triangle.len())), "{said}");
            let mesh = TriangleMesh::read(&dir.path().join(&file)).unwrap();
            assert_eq!(mesh.triangle.len(), shape.triangle.len(), "{file}");
            if extension == "obj" {
                assert_eq!(mesh, shape, "{file}");
            }
            // Single precision, and vertices of STL that must find each other again.
            assert!((mesh.volume() - shape.volume()).abs() < 1e-6 * shape.bounds().size().length(), "{file}");
            let watertight = MeshShape::new(mesh).unwrap().is_watertight();
            assert_eq!(watertight, name != "plane", "{file}");
        }
    }
}

#[test]
fn names_of_shapes_stand_for_meshes_unless_a_file_has_that_name() {
    let dir = tempfile::tempdir().unwrap();
    let duck = succeed(dir.path(), &["info", "duck"]);
    assert!(duck.contains("2160"), "{duck}");
    let samples = succeed(dir.path(), &["sample", "duck", "--spacing", "0.02"]);
    assert!(samples.starts_with("samples"), "{samples}");
    // A file that says what it is needs no extension.
    succeed(dir.path(), &["shape", "box", "-o", "box.ply"]);
    fs::rename(dir.path().join("box.ply"), dir.path().join("duck")).unwrap();
    assert_eq!(succeed(dir.path(), &["info", "duck"]), succeed(dir.path(), &["info", "box"]));
    assert_ne!(succeed(dir.path(), &["sample", "duck", "--spacing", "0.02"]), samples);
}

#[test]
fn unknown_names_are_told_the_known_ones() {
    let dir = tempfile::tempdir().unwrap();
    let cases: [&[&str]; 4] = [
        &["info", "swan"],
        &["sample", "swan", "--spacing", "0.1"],
        &["shape", "swan", "-o", "swan.obj"],
        &["shape", "duck", "-o", "duck.fbx"],
    ];
    for (args, part) in
        cases.iter().zip(["paddle-wheel", "paddle-wheel", "paddle-wheel", ".obj, .ply or .stl"])
    {
        let output = call(dir.path(), args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(part), "{said}");
    }
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
}

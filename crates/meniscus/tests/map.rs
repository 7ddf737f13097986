//! `meniscus map`: what it prints, writes and refuses.

mod support;

use std::fs;
use support::{call, text};

/// An octahedron.
const MESH: &str = "v 1 0 0\nv -1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nv 0 0 -1\nf 1 3 5\nf 3 2 5\nf 2 4 5\nf 4 1 5\nf 3 1 6\nf 2 3 6\nf 4 2 6\nf 1 4 6\n";

#[test]
fn a_distance_field_is_described_drawn_and_cached() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.obj"), MESH).unwrap();
    let args =
        ["map", "a.obj", "--kind", "distance", "--support", "0.2", "--cache", "cache", "-o", "slice.png"];
    let first = call(dir.path(), &args);
    assert_eq!(first.status.code(), Some(0), "{}", text(&first.stderr));
    let said = text(&first.stdout);
    assert!(said.contains(", built") && said.contains("kept") && said.contains("error"), "{said}");
    let picture = fs::read(dir.path().join("slice.png")).unwrap();
    assert!(picture.starts_with(b"\x89PNG"));
    let again = call(dir.path(), &args);
    assert!(text(&again.stdout).contains("read from the cache"), "{}", text(&again.stdout));
    assert_eq!(fs::read(dir.path().join("slice.png")).unwrap(), picture);
}

#[test]
fn bad_input_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.obj"), MESH).unwrap();
    for (args, part) in [
        (vec!["map", "none.obj"], "none.obj"),
        (vec!["map", "a.obj", "--support", "-1"], "positive"),
        (vec!["map", "a.obj", "--kind", "distance", "--cell", "1e-7"], "cells"),
        (vec!["map", "a.obj", "--tolerance", "nan"], "positive"),
    ] {
        let output = call(dir.path(), &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(part), "{}", text(&output.stderr));
    }
}

//! `meniscus map`: what it prints, writes and refuses.

mod support;

use std::fs;
use support::{call, state_hash, succeed, text};

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

/// A coarse tank with a solid in it, both felt by maps.
const TANK: &str = r#"
[fluid]
spacing = 0.1
[[fluid.source]]
shape = "box"
min = [0.0, 0.0, 0.0]
max = [0.4, 0.4, 0.4]
[[body]]
name = "tank"
shape = "box"
size = [0.8, 0.8, 0.4]
position = [0.4, 0.4, 0.2]
container = true
boundary = { method = "density-map" }
[[body]]
name = "post"
shape = "cylinder"
radius = 0.08
height = 0.3
position = [0.6, 0.15, 0.2]
boundary = { method = "volume-map" }
[time]
end = 0.02
"#;

#[test]
fn maps_of_runs_are_kept_and_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("tank.toml"), TANK).unwrap();
    let run = |out: &str, more: &[&str]| {
        let mut args = vec!["run", "tank.toml", "--quiet", "--out", out, "--set", "output.preview=false"];
        args.extend(more);
        succeed(dir.path(), &args);
        state_hash(&dir.path().join(out))
    };
    let kept = || -> Vec<(std::path::PathBuf, Vec<u8>)> {
        let entries = fs::read_dir(dir.path().join("maps")).unwrap().map(|entry| entry.unwrap().path());
        let mut all: Vec<_> = entries.map(|path| (path.clone(), fs::read(path).unwrap())).collect();
        all.sort();
        all
    };
    let without = run("a", &[]);
    assert_eq!(run("b", &["--map-cache", "maps", "--steps", "3"]), run("c", &["--steps", "3"]));
    let first = kept();
    assert_eq!(first.len(), 2);
    succeed(dir.path(), &["resume", "b", "--quiet", "--map-cache", "maps"]);
    assert_eq!(state_hash(&dir.path().join("b")), without);
    // A damaged one is made again.
    fs::write(&first[0].0, b"MENIMAP").unwrap();
    assert_eq!(run("d", &["--map-cache", "maps"]), without);
    assert_eq!(kept(), first);
}

#[test]
fn a_slice_is_a_png_by_its_name_too() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.obj"), MESH).unwrap();
    let quick = ["map", "a.obj", "--kind", "distance", "--support", "0.2", "-o"];
    let said = succeed(dir.path(), &[&quick[..], &["dm"]].concat());
    assert!(said.contains("dm.png"), "{said}");
    assert!(fs::read(dir.path().join("dm.png")).unwrap().starts_with(b"\x89PNG"));
    assert!(!dir.path().join("dm").exists());
    let refused = call(dir.path(), &[&quick[..], &["dm.vtk"]].concat());
    assert_eq!(refused.status.code(), Some(2));
    assert_eq!(text(&refused.stderr).trim(), "error: dm.vtk: the picture is a PNG; end its name in .png");
    assert!(!dir.path().join("dm.vtk").exists());
}

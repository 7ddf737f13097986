//! Whatever is wrong with the input is said at the right place, with exit code 2, and nothing is written.

mod support;

use std::fs;
use std::path::Path;
use support::{call, text};

/// A scene with a mesh beside it.
fn scene(mesh: &str, role: &str) -> String {
    let container = if role == "container" { "container = true\n" } else { "" };
    let (source, body) = if role == "source" {
        (format!("[[fluid.source]]\nshape = \"mesh\"\npath = \"{mesh}\"\n"), String::new())
    } else {
        let fluid = "[[fluid.source]]\nshape = \"box\"\nmin = [0, 0, 0]\nmax = [0.1, 0.1, 0.1]\n";
        (
            fluid.to_owned(),
            format!("[[body]]\nname = \"thing\"\nshape = \"mesh\"\npath = \"{mesh}\"\n{container}"),
        )
    };
    format!("[time]\nend = 0.1\n\n[fluid]\nspacing = 0.02\n\n{source}\n{body}")
}

/// Runs a scene that must be refused; returns what it says.
fn refused(folder: &Path, args: &[&str]) -> String {
    let before = fs::read_dir(folder).unwrap().count();
    let output = call(folder, args);
    assert_eq!(output.status.code(), Some(2), "{args:?}: {}", text(&output.stderr));
    assert_eq!(text(&output.stdout), "");
    assert_eq!(fs::read_dir(folder).unwrap().count(), before, "{args:?} wrote something");
    text(&output.stderr)
}

fn refused_mesh(mesh: &str, role: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
    fs::copy(meshes.join(mesh), dir.path().join(mesh)).unwrap();
    fs::write(dir.path().join("scene.toml"), scene(mesh, role)).unwrap();
    let said = refused(dir.path(), &["run", "scene.toml"]);
    assert_eq!(said, refused(dir.path(), &["check", "scene.toml"]), "run and check say the same");
    said
}

#[test]
fn malformed_meshes_are_refused_with_a_clear_error() {
    for (mesh, role) in [
        ("binary.obj", "source"),
        ("empty.obj", "source"),
        ("flat.obj", "body"),
        ("huge.obj", "body"),
        ("huge-number.obj", "source"),
        ("large.obj", "source"),
        ("large.obj", "body"),
        ("index-out-of-range.obj", "body"),
        ("index-zero.obj", "source"),
        ("nan.obj", "body"),
        ("no-faces.obj", "source"),
        ("not-a-number.obj", "source"),
        ("open.obj", "source"),
        ("open.obj", "container"),
        ("truncated-face.obj", "source"),
        ("truncated-vertex.obj", "body"),
        ("unknown-statement.obj", "source"),
        ("announced.ply", "body"),
        ("announced.stl", "source"),
        ("circle.gltf", "body"),
        ("cut-off.stl", "body"),
        ("draco.gltf", "source"),
        ("garbage-uri.gltf", "body"),
        ("outside.gltf", "body"),
    ] {
        let name = format!("{}-as-{role}", mesh.trim_end_matches(".obj"));
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, refused_mesh(mesh, role));
        });
    }
}

#[test]
fn a_mesh_is_described_with_what_was_mended() {
    let meshes = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/meshes");
    let told = call(&meshes, &["info", "turned.obj"]);
    assert!(told.status.success(), "{}", text(&told.stderr));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("info-of-turned", text(&told.stdout));
        insta::assert_snapshot!("info-of-open", text(&call(&meshes, &["info", "open.obj"]).stdout));
    });
    let said = refused(&meshes, &["info", "announced.ply"]);
    assert!(said.contains("announced.ply: byte") && said.contains("4000000000 of `vertex`"), "{said}");
}

const BOXES: &str = r#"
[time]
end = 0.1

[fluid]
spacing = 0.02

[[fluid.source]]
shape = "box"
min = [0.0, 0.0, 0.0]
max = [0.2, 0.2, 0.2]

[[body]]
name = "tank"
shape = "box"
size = [1.0, 1.0, 1.0]
position = [0.5, 0.5, 0.5]
container = true
"#;

#[test]
fn misplaced_fluid_is_refused_with_a_clear_error() {
    let overlap = "[[fluid.source]]\nshape = \"sphere\"\ncenter = [0.2, 0.2, 0.2]\nradius = 0.1\n";
    let solid = "[[body]]\nname = \"post\"\nshape = \"cylinder\"\nradius = 0.05\nheight = 1.0\nposition = [0.1, 0.5, 0.1]\n";
    let nozzle = "[[emitter]]\nnozzle = { shape = \"disc\", radius = 0.05 }\nposition = [0.5, 1.5, 0.5]\ndirection = [0, -1, 0]\nspeed = 1.0\n";
    for (name, scene) in [
        ("fluid-overlaps", format!("{BOXES}\n{overlap}")),
        ("fluid-in-solid", format!("{BOXES}\n{solid}")),
        ("fluid-out-of-container", BOXES.replace("min = [0.0", "min = [-0.1")),
        ("nozzle-out-of-container", format!("{BOXES}\n{nozzle}")),
    ] {
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("scene.toml"), scene).unwrap();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, refused(dir.path(), &["run", "scene.toml"]));
        });
    }
}

#[test]
fn touching_fluid_and_walls_are_fine() {
    let touching = "[[fluid.source]]\nshape = \"box\"\nmin = [0.2, 0.0, 0.0]\nmax = [0.4, 0.2, 0.2]\n";
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("scene.toml"), format!("{BOXES}\n{touching}")).unwrap();
    let said = support::succeed(dir.path(), &["check", "scene.toml"]);
    assert!(said.contains("fluid particles      2000"), "{said}");
}

#[test]
fn a_malformed_scene_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("scene.toml"), BOXES.replace("spacing", "spaceing")).unwrap();
    let said = refused(dir.path(), &["run", "scene.toml", "--set", "time.end=-1"]);
    assert!(said.contains("scene.toml:6:1") && said.contains("did you mean `spacing`?"), "{said}");
    assert!(said.contains("--set time.end=-1"), "{said}");
    assert!(refused(dir.path(), &["run", "dam-brake"]).contains("did you mean `dam-break`?"));
    assert!(refused(dir.path(), &["run", "missing.toml"]).contains("cannot open the scene"));
}

#[test]
fn wrong_arguments_and_folders_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir(dir.path().join("empty")).unwrap();
    for args in [
        &["run", "blob", "--threads", "0"][..],
        &["run", "blob", "--until", "nan"],
        &["run", "blob", "--steps", "-1"],
        &["run"],
        &["fly"],
        &["resume", "missing"],
        &["resume", "empty"],
        &["info", "empty"],
    ] {
        assert!(!refused(dir.path(), args).is_empty());
    }
    // A folder with files that no run made is never overwritten.
    fs::write(dir.path().join("empty/letter.txt"), "dear").unwrap();
    refused(dir.path(), &["run", "blob", "--out", "empty", "--steps", "1"]);
    refused(dir.path(), &["run", "blob", "--out", "empty", "--steps", "1", "--overwrite"]);
    assert_eq!(fs::read_to_string(dir.path().join("empty/letter.txt")).unwrap(), "dear");
}

/// What each of them says is a snapshot test of `meniscus-scene`; here it is the command that must refuse it.
#[test]
fn every_malformed_scene_ends_the_command_with_code_2_and_no_trace() {
    let scenes = Path::new(env!("CARGO_MANIFEST_DIR")).join("../meniscus-scene/tests/malformed");
    let mut count = 0;
    for entry in fs::read_dir(scenes).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            let dir = tempfile::tempdir().unwrap();
            fs::copy(&path, dir.path().join("scene.toml")).unwrap();
            let said = refused(dir.path(), &["run", "scene.toml"]);
            assert!(said.contains("scene.toml"), "{}: {said}", path.display());
            count += 1;
        }
    }
    assert!(count >= 40, "only {count} malformed scenes");
}

/// A body that moves freely, without fluid.
const BODY: &str = "[time]\nend = 0.1\n\n[solids]\nmax_substeps = 10\n\n[[body]]\nname = \"thing\"\nshape = \"box\"\n\
    size = [1, 1, 1]\ndynamics = { density = 500 }\n";

#[test]
fn the_true_reason_is_given() {
    let large = "[time]\nend = 0.1\n\n[fluid]\nspacing = 0.001\n\n[[fluid.source]]\nshape = \"box\"\nmin = [0, 0, 0]\n\
        max = [0.02, 0.02, 0.02]\n\n[[body]]\nname = \"ball\"\nshape = \"torus\"\nradius = 20\ntube = 5\nsegments = 24\n\
        position = [90, 0, 0]\nboundary = { method = \"density-map\" }\n";
    for (name, scene) in [
        ("engine-missing", BODY.replace("max_substeps = 10", "engine = \"rapier\"")),
        ("body-without-inertia", BODY.replace("density = 500", "density = 1e-300")),
        ("map-too-large", large.to_owned()),
        ("samples-too-many", large.replace("density-map", "volume-particles")),
    ] {
        if cfg!(feature = "rapier") && name == "engine-missing" {
            continue;
        }
        let dir = tempfile::tempdir().unwrap();
        fs::write(dir.path().join("scene.toml"), scene).unwrap();
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!(name, refused(dir.path(), &["check", "scene.toml"]));
        });
    }
}

#[test]
fn nothing_that_others_wrote_commands_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let hostile = "\\u001b]0;owned\\u0007\\u009b31m\\u202e";
    let title = format!("title = \"{hostile}\"\n{BOXES}");
    fs::write(dir.path().join("title.toml"), &title).unwrap();
    fs::write(dir.path().join("raw.toml"), format!("title = \"\u{1b}[31m\u{9b}2J\"\n{BOXES}")).unwrap();
    let mesh = format!("{BOXES}\n[[body]]\nname = \"a\"\nshape = \"mesh\"\npath = \"{hostile}.obj\"\n");
    fs::write(dir.path().join("mesh.toml"), mesh).unwrap();
    let json = format!("{{ \"Configuration\": {{ \"{hostile}\": 1 }} }}");
    fs::write(dir.path().join("theirs.json"), json).unwrap();
    fs::write(dir.path().join("a.obj"), "v 1 2 3\nf \u{1b}[31m 2 3\n").unwrap();
    // The folder of a run that somebody else made.
    fs::create_dir_all(dir.path().join("run/frames")).unwrap();
    fs::create_dir_all(dir.path().join("run/checkpoints")).unwrap();
    fs::write(dir.path().join("run/scene.toml"), &title).unwrap();
    let argument = "\u{1b}[31mred\u{7}";
    for args in [
        &["check", "title.toml"][..],
        &["run", "title.toml"],
        &["compare", "title.toml"],
        &["check", "raw.toml"],
        &["check", "mesh.toml"],
        &["info", "a.obj"],
        &["info", "run"],
        &["resume", "run"],
        &["view", "run"],
        &["import", "theirs.json"],
        &["check", argument],
        &["check", "title.toml", "--set", argument],
        &["info", argument],
        &["gallery", "--only", argument],
        &["map", argument],
    ] {
        let output = call(dir.path(), args);
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(!said.trim().is_empty(), "{args:?}");
        let commands = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!said.contains(commands), "{args:?}: {said:?}");
    }
}

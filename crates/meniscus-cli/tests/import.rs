//! Scenes of SPlisHSPlasH become ours, and what is lost is said.

mod support;

use std::fs;
use std::path::Path;

use meniscus::scene::SceneSource;
use meniscus::scene::import::{ImportError, import};
use support::{call, succeed, text};

/// A scene in the layout since 2.16, with a few keys that nobody knows.
const NEW: &str = r#"{
    "Configuration": {
        "particleRadius": 0.02, "simulationMethod": 4, "boundaryHandlingMethod": 0, "stopAt": 0.05,
        "gravitation": [0, -5, 0], "cflMethod": 1, "cflFactor": 0.5, "cflMaxTimeStepSize": 0.004,
        "cameraPosition": [0, 3, 8], "imteStepSize": 0.1,
        "DFSPH": { "maxIterations": 50, "maxError": 0.05, "maxErrorV": 0.2, "enableDivergenceSolver": 1, "odd": 3 }
    },
    "Materials": [{
        "id": "Fluid", "density0": 900, "viscosityMethod": 1, "surfaceTensionMethod": 2,
        "Standard viscosity": { "viscosity": 0.02, "viscosityBoundary": 0.01 }
    }],
    "RigidBodies": [
        { "geometryFile": "../models/UnitBox.obj", "translation": [0.5, 0.5, 0.5], "scale": [1, 1, 1], "isWall": true, "color": [0, 0, 0, 1] },
        { "geometryFile": "box.obj", "translation": [0.7, 0.1, 0.5], "scale": [0.1, 0.1, 0.1],
          "rotationAxis": [0, 1, 0], "rotationAngle": 0.7853981633974483, "isDynamic": 1, "density": 500 }
    ],
    "FluidBlocks": [{ "start": [0.04, 0.04, 0.04], "end": [0.44, 0.44, 0.44], "initialVelocity": [1, 0, 0] }],
    "HingeJoints": [{ "bodyID1": 0, "bodyID2": 1 }]
}"#;

/// The same in the older layout, with another solver.
const OLD: &str = r#"{
    "Configuration": {
        "particleRadius": 0.02, "simulationMethod": 0, "boundaryHandlingMethod": 2, "stopAt": 0.05, "cflMethod": 0,
        "timeStepSize": 0.0005, "stiffness": 50000, "exponent": 7, "density0": 1000, "enablePartioExport": true
    },
    "Fluid": { "viscosityMethod": 1, "viscosity": 0.05 },
    "FluidBlocks": [{ "start": [0.04, 0.04, 0.04], "end": [0.44, 0.44, 0.44] }],
    "Emitters": [{ "type": 1, "width": 3, "translation": [0.7, 0.8, 0.5], "rotationAxis": [0, 0, 1],
                   "rotationAngle": -1.5707963267948966, "velocity": 2 }],
    "RigidBodies": [{ "geometryFile": "box.obj", "translation": [0.5, 0.5, 0.5], "mapInvert": true }]
}"#;

const CUBE: &str = "v -.5 -.5 -.5\nv .5 -.5 -.5\nv .5 .5 -.5\nv -.5 .5 -.5\nv -.5 -.5 .5\nv .5 -.5 .5\nv .5 .5 .5\nv -.5 .5 .5\n\
    f 1 4 3\nf 1 3 2\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 4 8 7\nf 4 7 3\nf 1 5 8\nf 1 8 4\nf 2 3 7\nf 2 7 6\n";

fn folder() -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("box.obj"), CUBE).unwrap();
    fs::write(dir.path().join("new.json"), NEW).unwrap();
    // Maps take their time.
    let quick = OLD.replace("\"boundaryHandlingMethod\": 2", "\"boundaryHandlingMethod\": 0");
    fs::write(dir.path().join("old.json"), quick).unwrap();
    dir
}

#[test]
fn the_newer_layout_is_carried_over_number_by_number() {
    let dir = folder();
    let imported = import(NEW, "new", dir.path()).unwrap();
    let scene = SceneSource::from_text("new", &imported.toml).check().unwrap();
    assert_eq!((scene.fluid.spacing, scene.fluid.density), (0.04, 900.0));
    for line in [
        "gravity = [0.0, -5.0, 0.0]",
        "method = \"dfsph\"",
        "density_tolerance = 0.0005",
        "divergence_tolerance = 0.002",
        "kinematic = 0.02",
        "factor = 0.2",
        // The first particle is at 0.04 + 0.04; nine of them are on a side.
        "min = [0.06, 0.06, 0.06]",
        "container = true",
        "size = [1.0, 1.0, 1.0]",
        "angle = 45.0",
        "density = 500.0",
        "position = [0.0, 3.0, 8.0]",
    ] {
        assert!(imported.toml.contains(line), "{line} is missing in\n{}", imported.toml);
    }
    let lost = imported.lost.join("\n");
    for key in [
        "Configuration.imteStepSize",
        "Configuration.DFSPH.odd",
        "Materials.Fluid.surfaceTensionMethod",
        "scene.HingeJoints",
        "RigidBodies[0].color",
    ] {
        assert!(lost.contains(key), "{key} is missing in\n{lost}");
    }
    assert!(!lost.contains("maxError") && !lost.contains("checks"), "{lost}");
}

#[test]
fn the_older_layout_is_carried_over_as_well() {
    let imported = import(OLD, "old", folder().path()).unwrap();
    // c = √(50000 · 7 / 1000)
    for line in [
        "method = \"wcsph\"",
        "sound_speed = 18.7",
        "kinematic = 0.05",
        "dt = 0.0005",
        "volume-map",
        "radius = 0.12",
        "speed = 2.0",
        "\"bgeo\"",
    ] {
        assert!(imported.toml.contains(line), "{line} is missing in\n{}", imported.toml);
    }
    assert_eq!(imported.lost, Vec::<String>::new());
}

#[test]
fn imported_scenes_run() {
    let dir = folder();
    for name in ["new", "old"] {
        let said = succeed(dir.path(), &["import", &format!("{name}.json")]);
        assert!(said.contains(&format!("{name}.toml")), "{said}");
        let scene = format!("{name}.toml");
        succeed(dir.path(), &["run", &scene, "--steps", "3", "--quiet", "--set", "output.preview=false"]);
    }
}

#[test]
fn fluid_inside_of_bodies_is_left_out_and_told() {
    let dir = folder();
    // A body in the middle of the block; for them it is an empty hull.
    let hollow = NEW.replace(
        "[0.7, 0.1, 0.5], \"scale\": [0.1, 0.1, 0.1]",
        "[0.24, 0.24, 0.24], \"scale\": [0.2, 0.2, 0.2]",
    );
    assert_ne!(hollow, NEW);
    let imported = import(&hollow, "hollow", dir.path()).unwrap();
    assert!(imported.toml.contains("carve = true"), "{}", imported.toml);
    let lost = imported.lost.join("\n");
    assert!(lost.contains("fluid.source[0]: its particles inside of bodies"), "{lost}");
    let (_, setup) = SceneSource::from_text("hollow", &imported.toml).survey().unwrap();
    assert!(
        !setup.sph.initial.is_empty() && setup.sph.initial.len() < 9 * 9 * 9,
        "{}",
        setup.sph.initial.len()
    );
    assert!(!import(NEW, "new", dir.path()).unwrap().toml.contains("carve"));
}

#[test]
fn what_is_no_such_scene_is_refused() {
    let import = |text: &str| import(text, "x", Path::new("."));
    assert!(matches!(import("{"), Err(ImportError::Json(_))));
    assert_eq!(import("{ \"a\": 1 }"), Err(ImportError::NoScene));
    assert_eq!(import("[1, 2]"), Err(ImportError::NoScene));
    // Values of the wrong type are told, and defaults take their place.
    let odd = r#"{ "Configuration": { "particleRadius": "x", "gravitation": [1], "sim2D": {}, "stopAt": 1 },
                   "RigidBodies": [3, null], "FluidBlocks": [{ "start": 1, "end": [0, 0, 0] }], "Emitters": 7 }"#;
    let lost = import(odd).unwrap().lost.join("\n");
    assert!(lost.contains("Configuration.particleRadius: a number was expected"), "{lost}");
    let dir = tempfile::tempdir().unwrap();
    fs::write(dir.path().join("a.json"), "{").unwrap();
    let output = call(dir.path(), &["import", "a.json"]);
    assert!(
        output.status.code() == Some(2) && text(&output.stderr).contains("not JSON"),
        "{}",
        text(&output.stderr)
    );
}

#[test]
fn what_cannot_be_is_replaced_and_told() {
    let dir = folder();
    let odd = NEW
        .replace("\"particleRadius\": 0.02", "\"particleRadius\": -0.02")
        .replace("\"density0\": 900", "\"density0\": -900")
        .replace("\"viscosity\": 0.02", "\"viscosity\": -0.02")
        .replace("\"isDynamic\": 1", "\"isDynamic\": 1, \"restitution\": 1.5");
    let imported = import(&odd, "odd", dir.path()).unwrap();
    for told in [
        "Configuration.particleRadius: -0.02 is not above 0; a usual value takes its place",
        "Materials.Fluid.density0: -900 is not above 0; a usual value takes its place",
        "Materials.Fluid.Standard viscosity.viscosity: -0.02 is out of range; 0 takes its place",
        "RigidBodies[1].restitution: 1.5 is out of range; 1 takes its place",
    ] {
        assert!(imported.lost.iter().any(|lost| lost == told), "{told} is missing in {:#?}", imported.lost);
    }
    assert!(imported.toml.contains("spacing = 0.05") && imported.toml.contains("density = 1000.0"));
    // A scene without mistakes has no such remarks.
    let fine = import(NEW, "new", dir.path()).unwrap();
    assert!(fine.lost.iter().all(|lost| !lost.contains("takes its place")), "{:#?}", fine.lost);
}

#[test]
fn a_scene_of_ours_needs_no_import() {
    let dir = folder();
    assert!(matches!(import("[time]\nend = 1.0\n", "a", dir.path()), Err(ImportError::OwnFormat)));
    assert!(matches!(import("", "a", dir.path()), Err(ImportError::Json(_))));
    fs::write(dir.path().join("a.toml"), "[time]\nend = 1.0\n").unwrap();
    let refused = call(dir.path(), &["import", "a.toml"]);
    assert_eq!(refused.status.code(), Some(2));
    insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
        insta::assert_snapshot!("import-of-toml", text(&refused.stderr));
    });
}

#[test]
fn names_of_meshes_become_names_that_are_no_formulas() {
    let dir = folder();
    let odd = OLD.replace("\"box.obj\"", "\"=box.obj\"");
    let imported = import(&odd, "odd", dir.path()).unwrap();
    assert!(imported.toml.contains("name = \"box\""), "{}", imported.toml);
}

//! Changes from the command line are checked like the file, and their mistakes shown where they were made.

use insta::assert_snapshot;
use meniscus_scene::model::{BodyShape, Pressure, Scene, TimeStep, ViscositySpec};
use meniscus_scene::{SceneError, SceneSource, load};

const SCENE: &str = r#"
[time]
end = 1.0

[fluid]
spacing = 0.02
viscosity = { method = "laplacian", kinematic = 0.01 }

[[fluid.source]]
shape = "box"
min = [0.0, 0.0, 0.0]
max = [0.4, 0.4, 0.4]

[[body]]
name = "tank"
shape = "box"
size = [1.0, 1.0, 1.0]
open = ["+y"]
container = true
"#;

fn with(overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    SceneSource::from_text("scene.toml", SCENE).with_overrides(&overrides).check()
}

fn error(overrides: &[&str]) -> String {
    with(overrides).unwrap_err().to_string()
}

#[test]
fn numbers_words_and_arrays_are_set() {
    let scene =
        with(&["time.end = 0.5", "body.0.position=[0,1,0]", "gravity.1=-1.62", "title=On the moon"]).unwrap();
    assert_eq!(scene.time.end.to_string(), "0.5");
    assert_eq!(format!("{:?}", scene.bodies[0].position), "[0.0, 1.0, 0.0]");
    assert_eq!(format!("{:?}", scene.gravity), "[0.0, -1.62, 0.0]");
    assert_eq!(scene.title, "On the moon");
}

#[test]
fn a_body_is_found_by_name() {
    assert!(!with(&["body.tank.container=false"]).unwrap().bodies[0].container);
}

#[test]
fn the_last_of_two_wins() {
    assert_eq!(with(&["time.end=2", "time.end=3"]).unwrap().time.end.to_string(), "3");
}

#[test]
fn another_method_drops_the_keys_of_the_old_one() {
    let scene = with(&["fluid.viscosity.method=xsph"]).unwrap();
    assert!(matches!(scene.fluid.viscosity(), ViscositySpec::Xsph(_)));
    let scene = with(&["body.tank.shape=sphere", "body.tank.radius=0.5"]).unwrap();
    assert!(matches!(&scene.bodies[0].shape, BodyShape::Sphere(ball) if ball.radius > 0.4));
    assert!(scene.bodies[0].container, "keys of all shapes are kept");
}

#[test]
fn the_same_method_changes_nothing() {
    let scene = with(&["fluid.viscosity.method=laplacian"]).unwrap();
    assert_eq!(scene, with(&[]).unwrap());
}

#[test]
fn a_table_that_is_left_out_begins_with_its_default_method() {
    let scene = with(&["fluid.pressure.max_sweeps=7", "time.step.factor=0.2"]).unwrap();
    assert!(matches!(&scene.fluid.pressure, Pressure::Dfsph(dfsph) if dfsph.max_sweeps == 7));
    assert!(matches!(&scene.time.step, TimeStep::Cfl(cfl) if cfl.factor < 0.3));
    let scene = with(&["time.step.method=fixed", "time.step.dt=1e-4"]).unwrap();
    assert!(matches!(scene.time.step, TimeStep::Fixed(_)));
}

#[test]
fn builtin_scenes_take_overrides() {
    let scene = load("dam-break", &["fluid.pressure.method=wcsph".to_owned()]).unwrap();
    assert!(matches!(scene.fluid.pressure, Pressure::Wcsph(_)));
}

#[test]
fn unknown_key() {
    assert_snapshot!(error(&["fluid.presure.method=dfsph"]));
}

#[test]
fn unknown_method() {
    assert_snapshot!(error(&["fluid.pressure.method=dfsp"]));
}

#[test]
fn key_of_another_method() {
    assert_snapshot!(error(&["fluid.viscosity.coefficient=0.1"]));
}

#[test]
fn keys_from_the_command_line_are_never_dropped() {
    assert_snapshot!(error(&["fluid.viscosity.kinematic=0.1", "fluid.viscosity.method=none"]));
}

#[test]
fn out_of_range() {
    assert_snapshot!(error(&["time.end=-1", "fluid.spacing=1e-3 m"]));
}

#[test]
fn against_the_file() {
    assert_snapshot!(error(&["fluid.source.0.max=[0.4, 0.4, 0.001]", "dimension=2"]));
}

#[test]
fn unknown_body() {
    assert_snapshot!(error(&["body.tnak.container=false", "body.3.container=false"]));
}

#[test]
fn no_value_no_key() {
    assert_snapshot!(error(&["time.end", "time.end=", "=3", "time..end=3", ""]));
}

#[test]
fn not_toml() {
    assert_snapshot!(error(&["gravity=[0, -9.81", "title=\"moon", "time.end=inf"]));
}

#[test]
fn below_a_number() {
    assert_snapshot!(error(&["time.end.seconds=3", "body.name=tank"]));
}

#[test]
fn too_deep() {
    let deep = format!("{}a=1", "a.".repeat(100_000));
    assert!(error(&[&deep]).contains("too many keys"));
}

const VARIANTS: &str = r#"
[detail.fine]
fluid.spacing = 0.01
fluid.viscosity.method = "xsph"
body.tank.size = [2.0, 1.0, 1.0]
fluid.source.0.max = [0.2, 0.2, 0.2]
"#;

fn varied(overrides: &[&str]) -> Result<Scene, SceneError> {
    let overrides: Vec<String> = overrides.iter().map(ToString::to_string).collect();
    SceneSource::from_text("scene.toml", &format!("{SCENE}{VARIANTS}")).with_overrides(&overrides).check()
}

#[test]
fn a_detail_changes_its_keys_and_leaves_no_trace() {
    let plain = varied(&[]).unwrap();
    assert_eq!(plain, with(&[]).unwrap());
    let fine = varied(&["detail=fine"]).unwrap();
    assert_eq!(fine.fluid.spacing.to_string(), "0.01");
    assert!(matches!(fine.fluid.viscosity(), ViscositySpec::Xsph(_)));
    let BodyShape::Box(tank) = &fine.bodies[0].shape else { panic!("not a box") };
    assert_eq!(format!("{:?}", tank.size), "[2.0, 1.0, 1.0]");
    assert!(fine.detail.is_empty());
}

#[test]
fn single_keys_win_over_a_detail_wherever_they_stand() {
    for order in [["detail=fine", "fluid.spacing=0.05"], ["fluid.spacing=0.05", "detail=fine"]] {
        assert_eq!(varied(&order).unwrap().fluid.spacing.to_string(), "0.05");
    }
}

#[test]
fn an_unknown_detail_is_compared_with_the_known_ones() {
    let error = varied(&["detail=fin"]).unwrap_err().to_string();
    assert!(
        error.contains("the scene has no detail `fin`") && error.contains("did you mean `fine`?"),
        "{error}"
    );
    let error = with(&["detail=fine"]).unwrap_err().to_string();
    assert!(error.contains("this scene has none"), "{error}");
}

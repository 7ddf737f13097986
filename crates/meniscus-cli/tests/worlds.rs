//! Worlds with an end, and runs that went wrong and say so.

mod support;

use std::fs;
use std::path::Path;

use support::{call, succeed, summary, text};

/// A dam in a closed tank, in the plane; `more` is what else is said of time, fluid and tank.
fn dam(time: &str, fluid: &str, tank: &str) -> String {
    format!(
        "dimension = 2\n[time]\nend = 1.0\n{time}\n[fluid]\nspacing = 0.04\n{fluid}\n\
         [[fluid.source]]\nshape = \"box\"\nmin = [-0.5, 0.0, 0.0]\nmax = [0.0, 0.6, 0.0]\n\
         [[body]]\nname = \"tank\"\nshape = \"box\"\ncontainer = true\nsize = [1.0, 1.0, 1.0]\nposition = [0.0, 0.5, 0.0]\n{tank}\n\
         [output]\npreview = false\n"
    )
}

fn write(folder: &Path, name: &str, scene: &str) {
    fs::write(folder.join(name), scene).unwrap();
}

#[test]
fn the_world_is_told_written_out_and_can_be_changed() {
    let dir = tempfile::tempdir().unwrap();
    write(dir.path(), "dam.toml", &dam("", "", ""));
    let told = succeed(dir.path(), &["check", "dam.toml"]);
    // The tank is 1 m wide and high, and the world reaches two such lengths farther.
    assert!(told.contains("from (-2.5000, -2.0000") && told.contains("to (2.5000, 3.0000"), "{told}");
    let told = succeed(dir.path(), &["check", "dam.toml", "--set", "world.bounded=false"]);
    assert!(told.contains("without an end"), "{told}");
    let told = succeed(dir.path(), &["check", "dam.toml", "--set", "world.margin=3"]);
    assert!(told.contains("to (3.5000, 4.0000"), "{told}");

    succeed(dir.path(), &["run", "dam.toml", "--out", "a", "--quiet", "--steps", "5"]);
    let scene = fs::read_to_string(dir.path().join("a/scene.toml")).unwrap();
    assert!(scene.contains("[world]") && scene.contains("min = [-2.5, -2.0"), "{scene}");
    succeed(dir.path(), &["resume", "a", "--quiet", "--steps", "10"]);
    let report = fs::read_to_string(dir.path().join("a/report.html")).unwrap();
    assert!(report.contains("from (-2.500, -2.000") && report.contains("0 particles have left it"));

    for (world, expected) in
        [("world.min=[-0.2,-1,-1]", "outside of the world"), ("world.max=[9,-9,9]", "no room")]
    {
        let output = call(dir.path(), &["check", "dam.toml", "--set", world]);
        assert_eq!(output.status.code(), Some(2));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn runs_that_went_wrong_end_with_an_error_after_a_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    let hopeless = dam("step = { method = \"fixed\", dt = 0.005 }", "pressure = { method = \"wcsph\" }", "");
    let stiff = dam("", "", "boundary = { method = \"penalty\", stiffness = 1e12 }");
    for (name, scene, remedy) in [("hopeless", hopeless, "time.step.dt"), ("stiff", stiff, "stiffness")] {
        let file = format!("{name}.toml");
        write(dir.path(), &file, &scene);
        let output = call(dir.path(), &["run", &file, "--out", name, "--quiet"]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("from nowhere") && said.contains(remedy), "{said}");
        assert!(said.contains("last good state was saved"), "{said}");
        let page = summary(&dir.path().join(name));
        assert_eq!(page["outcome"], "failed");
        let saved = fs::read_dir(dir.path().join(name).join("checkpoints")).unwrap().count();
        assert!(saved > 0);
        // From there it goes wrong in the same step.
        let again = call(dir.path(), &["resume", name, "--quiet"]);
        assert_eq!(again.status.code(), Some(1));
        let error = |said: &str| said.lines().find(|line| line.starts_with("error")).unwrap().to_owned();
        assert_eq!(error(&text(&again.stderr)), error(&said));
    }
}

#[test]
fn milder_signs_are_told_once_with_the_remedy() {
    let dir = tempfile::tempdir().unwrap();
    // Solves that may not go on for long enough.
    let fluid = "pressure = { method = \"dfsph\", density_tolerance = 1e-7, min_sweeps = 1, max_sweeps = 1 }";
    write(dir.path(), "short.toml", &dam("", fluid, ""));
    let output = call(dir.path(), &["run", "short.toml", "--out", "a", "--quiet"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("ended above the solver's tolerance").count(), 1, "{said}");
    assert!(said.contains("max_sweeps"), "{said}");
    let page = summary(&dir.path().join("a"));
    let notices = page["notices"].as_array().unwrap();
    assert!(
        notices.iter().any(|n| n["sign"] == "unconverged" && n["step"].as_u64() >= Some(10)),
        "{notices:?}"
    );
    assert!(page["density_error"]["max_time"].as_f64().unwrap() > 0.0);
    let report = fs::read_to_string(dir.path().join("a/report.html")).unwrap();
    assert!(report.contains("ended above the solver") && report.contains("largest compression"));
}

#[test]
fn what_makes_steps_short_is_named_and_what_leaves_is_told() {
    let dir = tempfile::tempdir().unwrap();
    // Water at rest between three boxes, and a ball that falls beside them.
    let block = |name: &str, size: &str, place: &str| {
        format!("[[body]]\nname = \"{name}\"\nshape = \"box\"\nsize = {size}\nposition = {place}\n")
    };
    let basin = block("floor", "[1.2, 0.2, 1.0]", "[0.0, -0.1, 0.0]")
        + &block("left", "[0.2, 0.8, 1.0]", "[-0.5, 0.4, 0.0]")
        + &block("right", "[0.2, 0.8, 1.0]", "[0.5, 0.4, 0.0]");
    let scene = format!(
        "dimension = 2\n[time]\nend = 2.5\n[fluid]\nspacing = 0.04\n\
         [[fluid.source]]\nshape = \"box\"\nmin = [-0.4, 0.0, 0.0]\nmax = [0.4, 0.3, 0.0]\n{basin}\
         [[body]]\nname = \"ball\"\nshape = \"sphere\"\nradius = 0.1\nposition = [1.0, 0.5, 0.0]\n\
         dynamics = {{ density = 500.0 }}\n[output]\npreview = false\n"
    );
    write(dir.path(), "ball.toml", &scene);
    let more = ["--quiet", "--set", "world.bounded=false", "--set", "output.formats=[]"];
    let endless = call(dir.path(), &[&["run", "ball.toml", "--out", "endless"], &more[..]].concat());
    assert!(endless.status.success(), "{}", text(&endless.stderr));
    let page = summary(&dir.path().join("endless"));
    let find = |page: &serde_json::Value, sign: &str| {
        let notices = page["notices"].as_array().cloned().unwrap_or_default();
        notices.iter().find(|n| n["sign"] == sign).map(|n| n["text"].as_str().unwrap().to_owned())
    };
    let named = find(&page, "short_steps").unwrap();
    assert!(named.contains("the body `ball` at (1.000, -"), "{named}");

    let output = call(dir.path(), &["run", "ball.toml", "--out", "bounded", "--set", "output.formats=[]"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert_eq!(said.matches("the body `ball` has left the world").count(), 1, "{said}");
    let bounded = summary(&dir.path().join("bounded"));
    assert_eq!(bounded["departed_bodies"][0], "ball");
    assert!(find(&bounded, "short_steps").is_none(), "{bounded}");
    assert!(bounded["steps"].as_u64() < page["steps"].as_u64());
}

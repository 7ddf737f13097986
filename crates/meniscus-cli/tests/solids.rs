//! Scenes of solids: from the file to the results.

mod support;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::thread::sleep;
use std::time::{Duration, Instant};

use meniscus::geometry::TriangleMesh;
use support::{call, differences, meniscus, state_hash, succeed, summary, text};

fn bodies() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/scenes/bodies.toml")
}

fn run_bodies(folder: &Path, name: &str, more: &[&str]) {
    let scene = bodies();
    let mut args = vec!["run", scene.to_str().unwrap(), "--quiet", "--out", name];
    args.extend(more);
    succeed(folder, &args);
}

/// All results that do not depend on the clock.
fn results(run: &Path) -> std::collections::BTreeMap<String, Vec<u8>> {
    let mut all = std::collections::BTreeMap::new();
    for name in ["series.csv", "bodies.pvd", "bodies.glb", "scene.toml"] {
        all.insert(name.to_owned(), fs::read(run.join(name)).unwrap());
    }
    for folder in ["frames", "bodies"] {
        for entry in fs::read_dir(run.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap().to_owned();
            all.insert(name, fs::read(&path).unwrap());
        }
    }
    all
}

fn assert_same(run: &Path, whole: &Path) {
    assert_eq!(summary(run)["outcome"], "completed");
    assert_eq!(state_hash(run), state_hash(whole));
    assert_eq!(differences(&results(run), &results(whole)), Vec::<String>::new());
}

#[test]
fn a_run_leaves_meshes_once_and_places_for_every_frame() {
    let dir = tempfile::tempdir().unwrap();
    let scene = bodies();
    let said = succeed(dir.path(), &["run", scene.to_str().unwrap(), "--set", "output.preview=true"]);
    assert!(said.contains("bodies.glb"), "{said}");
    let run = dir.path().join("out/bodies");
    assert!(said.contains("21 of 22 bodies move freely"), "{said}");
    for file in ["bodies.pvd", "bodies.glb", "series.csv", "preview.png", "report.html", "summary.json"] {
        assert!(run.join(file).is_file(), "{file} is missing");
    }
    assert!(!run.join("fluid.pvd").exists() && !run.join("frames/fluid_000000.vtu").exists());
    assert!(run.join("frames/bodies_000024.vtu").is_file());
    assert!(!run.join("frames/bodies_000025.vtu").exists());
    // One mesh for each entry of the scene, copies included.
    assert_eq!(fs::read_dir(run.join("bodies")).unwrap().count(), 5);
    let ring = TriangleMesh::read(&run.join("bodies/002_ring.ply")).unwrap();
    let all = TriangleMesh::read(&run.join("bodies.glb")).unwrap();
    let [cubes, pill, paddle] = ["001_cube", "003_pill", "004_paddle"]
        .map(|name| TriangleMesh::read(&run.join(format!("bodies/{name}.ply"))).unwrap().triangle.len());
    // The animation shows every body: the room, eighteen cubes and the three others.
    assert_eq!(all.triangle.len(), 12 + 18 * cubes + ring.triangle.len() + pill + paddle);
    let series = fs::read_to_string(run.join("series.csv")).unwrap();
    let mut lines = series.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    let last: Vec<&str> = lines.last().unwrap().split(',').collect();
    let column = |name: &str| {
        let place = header.iter().position(|h| *h == name).unwrap_or_else(|| panic!("no column {name}"));
        last[place].parse::<f64>().unwrap()
    };
    assert!(column("contacts") > 20.0 && column("penetration") < 0.02);
    assert!(column("solid_potential_energy") > 0.0 && column("paddle_y") > 2.7);
    // Eighteen copies are too many for columns of their own.
    assert!(!series.contains("cube-0_x"));
    assert!(summary(&run)["solids"]["joints"] == 2);
}

#[test]
fn the_number_of_threads_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    for threads in ["1", "2", "7"] {
        run_bodies(dir.path(), threads, &["--threads", threads]);
    }
    for other in ["2", "7"] {
        assert_same(&dir.path().join(other), &dir.path().join("1"));
    }
}

#[test]
fn stopping_and_killing_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    run_bodies(dir.path(), "whole", &[]);
    let length = begun.elapsed().max(Duration::from_millis(20));
    let whole = dir.path().join("whole");
    run_bodies(dir.path(), "stopped", &["--steps", "33"]);
    assert_eq!(summary(&dir.path().join("stopped"))["outcome"], "interrupted");
    succeed(dir.path(), &["resume", "stopped", "--quiet", "--threads", "3"]);
    assert_same(&dir.path().join("stopped"), &whole);
    let killed = dir.path().join("killed");
    for share in [0.2, 0.35, 0.5, 0.6, 0.7, 0.8] {
        let mut command = meniscus();
        command.current_dir(dir.path()).stdout(Stdio::null()).stderr(Stdio::null());
        if killed.exists() {
            command.args(["resume", "killed", "--quiet"]);
        } else {
            command.arg("run").arg(bodies()).args(["--quiet", "--out", "killed"]);
        }
        let mut child = command.spawn().unwrap();
        sleep(length.mul_f64(share));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    if !killed.exists() {
        run_bodies(dir.path(), "killed", &["--steps", "1"]);
    }
    succeed(dir.path(), &["resume", "killed", "--quiet"]);
    assert_same(&killed, &whole);
}

#[test]
fn an_older_run_is_replaced_with_its_meshes() {
    let dir = tempfile::tempdir().unwrap();
    run_bodies(dir.path(), "a", &["--steps", "2"]);
    fs::write(dir.path().join("a/bodies/mine.txt"), "kept").unwrap();
    let small = support::small();
    let scene = small.to_str().unwrap();
    succeed(dir.path(), &["run", scene, "--quiet", "--out", "a", "--overwrite", "--steps", "1"]);
    let run = dir.path().join("a");
    assert!(!run.join("bodies.pvd").exists() && !run.join("bodies.glb").exists());
    let left: Vec<_> = fs::read_dir(run.join("bodies")).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["mine.txt"]);
}

#[test]
fn the_other_engine_runs_or_says_what_is_missing() {
    let dir = tempfile::tempdir().unwrap();
    let scene = bodies();
    let args = ["run", scene.to_str().unwrap(), "--set", "solids.engine=rapier", "--quiet", "--out", "a"];
    let output = call(dir.path(), &args);
    if cfg!(feature = "rapier") {
        assert!(output.status.success(), "{}", text(&output.stderr));
        run_bodies(dir.path(), "b", &["--set", "solids.engine=rapier", "--steps", "33"]);
        succeed(dir.path(), &["resume", "b", "--quiet"]);
        assert_same(&dir.path().join("b"), &dir.path().join("a"));
    } else {
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains("built without Rapier") && said.contains("--features rapier"), "{said}");
        assert!(!dir.path().join("a").exists());
    }
}

#[test]
fn built_in_scenes_do_what_they_show() {
    let dir = tempfile::tempdir().unwrap();
    let last = |scene: &str, more: &[&str]| {
        let mut args = vec!["run", scene, "--quiet", "--out", scene, "--set", "output.preview=false"];
        args.extend(more);
        succeed(dir.path(), &args);
        let series = fs::read_to_string(dir.path().join(scene).join("series.csv")).unwrap();
        let header: Vec<String> = series.lines().next().unwrap().split(',').map(str::to_owned).collect();
        let row: Vec<f64> =
            series.lines().last().unwrap().split(',').map(|number| number.parse().unwrap()).collect();
        move |name: &str| row[header.iter().position(|h| h == name).unwrap()]
    };
    let billiards = last("billiards", &[]);
    assert!((billiards("ball-4_vx") - 20.0).abs() < 0.2 && billiards("cue_vx").abs() < 0.2);
    let see_saw = last("see-saw", &[]);
    assert!(see_saw("heavy_x") > 5.0 && see_saw("heavy_y") < 1.5 && see_saw("light_y") < 2.0);
    let stack = last("stack", &["--set", "time.end=2"]);
    assert!((stack("heavy_y") - 9.5).abs() < 1e-3);
    // All lie near where they stood; leaning on each other they once pushed each other hundreds of metres away.
    let domino = last("domino", &[]);
    for k in 0..80 {
        let [x, y, z] = ["x", "y", "z"].map(|axis| domino(&format!("domino-{k}_{axis}")));
        assert!(x.abs() < 2.6 && z.abs() < 2.6 && (0.02..0.3).contains(&y), "domino {k}: {x} {y} {z}");
    }
    assert!(domino("domino-0_y") < 0.15 && domino("solid_kinetic_energy") < 20.0);
}

#[test]
fn a_step_that_fails_names_the_body_as_the_scene_does() {
    let dir = tempfile::tempdir().unwrap();
    let scene = fs::read_to_string(bodies()).unwrap();
    let fast = scene.replace("velocity = [0.0, -2.0, 0.0]", "velocity = [0.0, -400.0, 0.0]");
    assert_ne!(fast, scene);
    fs::write(dir.path().join("fast.toml"), fast).unwrap();
    let output = call(dir.path(), &["run", "fast.toml", "--quiet", "--set", "solids.max_substeps=1"]);
    let said = text(&output.stderr);
    assert!(said.contains("error: body `cube-") && said.contains("the last good state was saved"), "{said}");
}

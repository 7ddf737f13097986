//! The same scene gives the same bits: whatever the number of threads, however often it was stopped.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Child, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use meniscus::output::checkpoint;
use meniscus::scene::MethodKey;
use support::{call, differences, meniscus, results, run_small, small, state_hash, succeed, summary, text};

#[test]
fn the_number_of_threads_does_not_matter() {
    let dir = tempfile::tempdir().unwrap();
    for threads in ["1", "2", "7"] {
        run_small(dir.path(), threads, &["--threads", threads]);
    }
    let first = dir.path().join("1");
    for other in ["2", "7"] {
        let other = dir.path().join(other);
        assert_eq!(state_hash(&first), state_hash(&other));
        assert_eq!(differences(&results(&first), &results(&other)), Vec::<String>::new());
    }
}

#[test]
fn stopping_and_resuming_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "whole", &[]);
    let whole = dir.path().join("whole");
    let steps = summary(&whole)["steps"].as_u64().unwrap();
    for (name, stops) in [("a", vec![1]), ("b", vec![7, 8, steps - 1]), ("c", vec![0, steps / 2])] {
        let run = dir.path().join(name);
        for (n, stop) in stops.iter().enumerate() {
            let stop = stop.to_string();
            if n == 0 {
                run_small(dir.path(), name, &["--steps", &stop]);
            } else {
                succeed(dir.path(), &["resume", name, "--quiet", "--steps", &stop, "--threads", "3"]);
            }
            assert_eq!(summary(&run)["outcome"], "interrupted");
            assert_eq!(summary(&run)["steps"].to_string(), stop);
        }
        succeed(dir.path(), &["resume", name, "--quiet"]);
        assert_same(&run, &whole);
    }
}

#[test]
fn every_solver_goes_on_as_if_nothing_had_happened() {
    let dir = tempfile::tempdir().unwrap();
    for solver in MethodKey::Pressure.names() {
        // Few sweeps and steps that follow them, so that warm starts, pace and retries all matter.
        let few = if solver == "wcsph" { "" } else { ", max_sweeps = 5, on_failure = \"retry\"" };
        let pressure = format!("fluid.pressure={{ method = \"{solver}\"{few} }}");
        let set = ["--set", pressure.as_str(), "--set", "time.step.sweeps=3", "--set", "time.end=0.1"];
        let (whole, parts) = (format!("whole-{solver}"), format!("parts-{solver}"));
        run_small(dir.path(), &whole, &[&set[..], &["--threads", "1"]].concat());
        run_small(dir.path(), &parts, &[&set[..], &["--steps", "13"]].concat());
        succeed(dir.path(), &["resume", &parts, "--quiet", "--steps", "30", "--threads", "7"]);
        succeed(dir.path(), &["resume", &parts, "--quiet"]);
        assert_same(&dir.path().join(parts), &dir.path().join(whole));
    }
}

#[test]
fn stopping_at_a_time_changes_nothing() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "whole", &[]);
    run_small(dir.path(), "parts", &["--until", "0.101"]);
    let parts = dir.path().join("parts");
    assert!(summary(&parts)["simulated_s"].as_f64().unwrap() >= 0.101);
    succeed(dir.path(), &["resume", "parts", "--quiet"]);
    assert_same(&parts, &dir.path().join("whole"));
    // Once more: nothing is left to do.
    let said = succeed(dir.path(), &["resume", "parts"]);
    assert!(said.contains("is complete"), "{said}");
}

fn assert_same(run: &Path, whole: &Path) {
    assert_eq!(summary(run)["outcome"], "completed");
    assert_eq!(state_hash(run), state_hash(whole));
    assert_eq!(differences(&results(run), &results(whole)), Vec::<String>::new());
    for name in
        ["steps", "sweeps", "density_error", "frames", "unconverged_steps", "retries", "escaped_particles"]
    {
        assert_eq!(summary(run)[name], summary(whole)[name], "{name}");
    }
}

#[test]
fn a_changed_scene_is_not_resumed() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "a", &["--steps", "3"]);
    let scene = dir.path().join("a/scene.toml");
    let stored = fs::read_to_string(&scene).unwrap();
    fs::write(&scene, stored.replace("end = 0.3", "end = 0.2")).unwrap();
    let refused = call(dir.path(), &["resume", "a"]);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("scene.toml was changed"), "{}", text(&refused.stderr));
}

/// A closed tetrahedron whose top is at this height.
fn tetrahedron(height: f64) -> String {
    format!("v 0 0 0\nv 0.2 0 0\nv 0 0 0.2\nv 0 {height} 0\nf 1 2 3\nf 1 4 2\nf 2 4 3\nf 1 3 4\n")
}

#[test]
fn changed_meshes_of_sources_and_bodies_are_noticed() {
    let dir = tempfile::tempdir().unwrap();
    let scene = r#"
title = "Meshes"
[time]
end = 0.1
[fluid]
spacing = 0.02
[[fluid.source]]
shape = "mesh"
path = "water.obj"
[[body]]
name = "rock"
shape = "mesh"
path = "rock.obj"
position = [0.0, -0.4, 0.0]
boundary = { method = "density-map" }
[output]
preview = false
"#;
    fs::write(dir.path().join("scene.toml"), scene).unwrap();
    let files = ["water.obj", "rock.obj"].map(|name| dir.path().join(name));
    let restore = || files.iter().for_each(|file| fs::write(file, tetrahedron(0.2)).unwrap());
    restore();
    succeed(dir.path(), &["run", "scene.toml", "--quiet", "--out", "a", "--steps", "2"]);
    for file in &files {
        // A remark changes nothing.
        fs::write(file, format!("# again\n{}", tetrahedron(0.2))).unwrap();
        succeed(dir.path(), &["resume", "a", "--quiet", "--steps", "3"]);
        fs::write(file, tetrahedron(0.21)).unwrap();
        let refused = call(dir.path(), &["resume", "a", "--quiet"]);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        let name = file.file_name().unwrap().to_str().unwrap();
        assert!(said.contains(name) && said.contains("was changed after the checkpoint"), "{said}");
        restore();
    }
    succeed(dir.path(), &["resume", "a", "--quiet", "--steps", "4"]);
}

#[test]
fn a_damaged_checkpoint_is_passed_over() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "whole", &[]);
    run_small(dir.path(), "a", &["--steps", "20"]);
    let run = dir.path().join("a");
    let newest = checkpoint::steps_in(&run).unwrap().pop().unwrap();
    fs::write(run.join(checkpoint::file_name(newest)), b"damaged").unwrap();
    let resumed = call(dir.path(), &["resume", "a", "--quiet"]);
    assert!(resumed.status.success());
    assert!(text(&resumed.stderr).starts_with("warning: checkpoint "), "{}", text(&resumed.stderr));
    assert_same(&run, &dir.path().join("whole"));
}

/// How a child that may be killed is started: a new run, or the next part of one.
fn start(folder: &Path, name: &str) -> Child {
    let mut command = meniscus();
    command.current_dir(folder).stdout(Stdio::null()).stderr(Stdio::null());
    if folder.join(name).exists() {
        command.args(["resume", name, "--quiet"]);
    } else {
        command.arg("run").arg(small()).args(["--quiet", "--out", name]);
    }
    command.spawn().unwrap()
}

/// No file under its final name is half written.
fn check_files(run: &Path) {
    for entry in fs::read_dir(run.join("frames")).unwrap() {
        let path = entry.unwrap().path();
        match path.extension().and_then(|extension| extension.to_str()) {
            Some("vtu") => assert!(fs::read(&path).unwrap().ends_with(b"</VTKFile>\n"), "{}", path.display()),
            Some("ply") => check_ply(&path),
            _ => {}
        }
    }
    for step in checkpoint::steps_in(run).unwrap() {
        checkpoint::load(&run.join(checkpoint::file_name(step))).unwrap();
    }
    let collection = fs::read_to_string(run.join("fluid.pvd")).unwrap_or_default();
    for name in collection.split('"').filter(|word| word.starts_with("frames/")) {
        assert!(run.join(name).is_file(), "{name} is listed and missing");
    }
}

/// The file is as long as its header says.
fn check_ply(path: &Path) {
    let bytes = fs::read(path).unwrap();
    let mark = b"end_header\n";
    let header = bytes.windows(mark.len()).position(|window| window == mark).unwrap() + mark.len();
    let lines = text(&bytes[..header]);
    let count: usize =
        lines.lines().find_map(|line| line.strip_prefix("element vertex ")).unwrap().trim().parse().unwrap();
    let size = |kind: &str| match kind {
        "double" => 8,
        "float" | "int" | "uint" => 4,
        other => panic!("unknown type {other}"),
    };
    let row: usize =
        lines.lines().filter_map(|line| line.strip_prefix("property ")?.split(' ').next()).map(size).sum();
    assert_eq!(bytes.len() - header, count * row, "{}", path.display());
}

#[test]
fn kills_at_thirty_moments_change_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let begun = Instant::now();
    run_small(dir.path(), "whole", &[]);
    let length = begun.elapsed();
    let whole = dir.path().join("whole");
    let (mut kills, mut runs, mut random) = (0, 0, 0x9e37_79b9_7f4a_7c15_u64);
    while kills < 30 {
        let name = format!("run{runs}");
        let run = dir.path().join(&name);
        loop {
            let mut child = start(dir.path(), &name);
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            // From before the folder exists to about half of the run.
            sleep(length.mul_f64((random % 1000) as f64 / 2000.0));
            if kills < 30 {
                child.kill().unwrap();
            }
            let status = child.wait().unwrap();
            if run.exists() {
                check_files(&run);
            }
            if status.success() {
                break;
            }
            assert_eq!(status.code(), None, "it must not fail by itself");
            kills += 1;
        }
        assert_same(&run, &whole);
        runs += 1;
    }
}

#[cfg(unix)]
#[test]
fn an_interrupt_saves_the_state() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "whole", &[]);
    let mut child = start(dir.path(), "a");
    let run = dir.path().join("a");
    while checkpoint::steps_in(&run).unwrap_or_default().is_empty() {
        assert!(child.try_wait().unwrap().is_none(), "too fast to be interrupted");
        sleep(Duration::from_millis(1));
    }
    let sent = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(summary(&run)["outcome"], "interrupted");
    assert!(run.join("report.html").is_file());
    let newest = checkpoint::load_latest(&run).unwrap().checkpoint.unwrap();
    assert_eq!(summary(&run)["steps"], newest.step);
    succeed(dir.path(), &["resume", "a", "--quiet"]);
    assert_same(&run, &dir.path().join("whole"));
}

#[test]
fn rows_and_frames_that_are_gone_are_told_and_done_without() {
    let dir = tempfile::tempdir().unwrap();
    let each_step = ["--set", "output.animation=true", "--set", "observe.series_every=1"];
    run_small(dir.path(), "whole", &each_step);
    run_small(dir.path(), "a", &[&each_step[..], &["--until", "0.1"]].concat());
    let run = dir.path().join("a");
    // A frame that is gone, one that is cut off, a row that is damaged and one that is gone.
    fs::remove_file(run.join("frames/fluid_000002.vtu")).unwrap();
    let cut = fs::read(run.join("frames/fluid_000004.vtu")).unwrap();
    fs::write(run.join("frames/fluid_000004.vtu"), &cut[..cut.len() / 2]).unwrap();
    let series = fs::read_to_string(run.join("series.csv")).unwrap();
    let mut lines: Vec<&str> = series.lines().collect();
    assert!(lines.len() > 8, "{}", lines.len());
    lines[3] = "noise";
    lines.remove(5);
    let last = *lines.last().unwrap();
    fs::write(run.join("series.csv"), lines.join("\n") + "\n").unwrap();
    let output = call(dir.path(), &["resume", "a", "--quiet"]);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("series.csv: 2 rows before the checkpoint are missing or damaged"), "{said}");
    assert!(said.contains("2 frames before the checkpoint are missing or cut off: 2, 4;"), "{said}");
    assert!(said.contains("meniscus run a/scene.toml --out OTHER_DIR"), "{said}");
    // It ends where a run without trouble ends, keeps the rows that are whole, and names no frame that is not there.
    assert_eq!(state_hash(&run), state_hash(&dir.path().join("whole")));
    assert!(fs::read_to_string(run.join("series.csv")).unwrap().contains(last));
    let listed = fs::read_to_string(run.join("fluid.pvd")).unwrap();
    assert!(
        !listed.contains("000002") && !listed.contains("000004") && listed.contains("000005"),
        "{listed}"
    );
    assert!(run.join("animation.gif").exists());
    // Nothing is told where nothing is gone.
    let again = call(dir.path(), &["resume", "whole"]);
    assert!(!text(&again.stderr).contains("missing"), "{}", text(&again.stderr));
}

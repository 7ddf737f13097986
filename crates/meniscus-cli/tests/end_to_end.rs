//! One command gives all results.

mod support;

use std::fs;
use support::{call, run_small, small, succeed, summary, text};

#[test]
fn a_run_leaves_everything_it_promises() {
    let dir = tempfile::tempdir().unwrap();
    let scene = small();
    let said = succeed(
        dir.path(),
        &["run", scene.to_str().unwrap(), "--threads", "2", "--set", "output.preview=true"],
    );
    let run = dir.path().join("out/small");
    assert!(said.contains("preview.png") && said.contains("fluid.pvd"), "{said}");
    for file in ["scene.toml", "fluid.pvd", "series.csv", "preview.png", "report.html", "summary.json"] {
        assert!(run.join(file).is_file(), "{file} is missing");
    }
    // 0 and 18 more: 60 frames a second for 0.3 s.
    for extension in ["vtu", "ply"] {
        assert!(run.join(format!("frames/fluid_000018.{extension}")).is_file());
        assert!(!run.join(format!("frames/fluid_000019.{extension}")).exists());
    }
    assert!(fs::read(run.join("preview.png")).unwrap().starts_with(b"\x89PNG"));
    check_summary(&summary(&run));
    let told = succeed(dir.path(), &["info", run.to_str().unwrap()]);
    assert!(told.contains("completed") && told.contains("19, the last at t = 0.3000 s"), "{told}");
}

#[test]
fn processor_time_is_that_of_the_run_alone() {
    use meniscus::output::{Existing, cpu_seconds};
    use meniscus::run::{Limits, OnShortage, Run};
    use std::ops::ControlFlow;
    let dir = tempfile::tempdir().unwrap();
    // The process has worked on something else before.
    let mut x = 1.0_f64;
    while cpu_seconds().is_some_and(|seconds| seconds < 0.3) {
        x = std::hint::black_box((0..100_000).fold(x, |x, _| (x * 1.1).sin()));
    }
    let source = meniscus::scene::SceneSource::open(small().to_str().unwrap()).unwrap();
    let before = cpu_seconds();
    let mut run = Run::begin(&source, &dir.path().join("a"), Existing::Refuse, OnShortage::Refuse).unwrap();
    let limits = Limits { until: None, steps: Some(2) };
    let end = run.advance(limits, &mut |_| ControlFlow::Continue(()));
    let told = run.finish(end).unwrap().cpu_s;
    if let (Some(told), Some(before), Some(after)) = (told, before, cpu_seconds()) {
        // Clocks tick in hundredths.
        assert!((0.0..=after - before + 0.02).contains(&told), "{told} of {before} to {after}");
    }
}

fn check_summary(page: &serde_json::Value) {
    for name in [
        "fluid_particles",
        "boundary_particles",
        "steps",
        "simulated_s",
        "wall_s",
        "cpu_s",
        "setup_s",
        "pictures_s",
        "peak_memory_bytes",
        "particle_steps_per_s",
        "phase_seconds",
        "escaped_particles",
        "threads",
        "state_hash",
        "unconverged_steps",
        "pressure_residual_max",
    ] {
        assert!(!page[name].is_null(), "{name} is missing in {page:#}");
    }
    assert_eq!(page["outcome"], "completed");
    assert_eq!(page["threads"], 2);
    assert_eq!(page["frames"], 19);
    assert!((page["simulated_s"].as_f64().unwrap() - 0.3).abs() < 1e-12);
    assert!(page["sweeps"]["pressure_mean"].as_f64().unwrap() >= 2.0);
    assert!(page["density_error"]["mean"].as_f64().unwrap() < 0.01);
    assert_eq!(page["state_hash"].as_str().unwrap().len(), 32);
    let phases = page["phase_seconds"].as_object().unwrap();
    assert_eq!(phases.len(), 7);
    let spent: f64 = phases.values().chain([&page["pictures_s"]]).filter_map(serde_json::Value::as_f64).sum();
    assert!(spent > 0.5 * page["wall_s"].as_f64().unwrap(), "{page:#}");
}

#[test]
fn a_used_folder_is_refused_unless_told() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "a", &["--steps", "2"]);
    let scene = small();
    let args = ["run", scene.to_str().unwrap(), "--quiet", "--steps", "3", "--out", "a"];
    let refused = call(dir.path(), &args);
    assert_eq!(refused.status.code(), Some(2));
    assert!(text(&refused.stderr).contains("--overwrite"), "{}", text(&refused.stderr));
    assert_eq!(summary(&dir.path().join("a"))["steps"], 2);
    let mut args = args.to_vec();
    args.push("--overwrite");
    succeed(dir.path(), &args);
    assert_eq!(summary(&dir.path().join("a"))["steps"], 3);
}

#[test]
fn the_series_has_a_row_for_every_third_step_and_every_frame() {
    let dir = tempfile::tempdir().unwrap();
    run_small(dir.path(), "a", &[]);
    let series = fs::read_to_string(dir.path().join("a/series.csv")).unwrap();
    let mut lines = series.lines();
    let header = lines.next().unwrap();
    assert!(header.contains("divergence_sweeps,pressure_residual,divergence_residual,tank_x"), "{header}");
    let rows: Vec<(u64, f64)> = lines
        .map(|line| {
            let mut cells = line.split(',');
            (cells.next().unwrap().parse().unwrap(), cells.next().unwrap().parse().unwrap())
        })
        .collect();
    let is_frame = |time: f64| (time * 60.0 - (time * 60.0).round()).abs() < 1e-9;
    assert_eq!(rows.iter().filter(|row| is_frame(row.1)).count(), 19);
    assert!(rows.iter().all(|row| row.0 % 3 == 0 || is_frame(row.1)));
    assert!(rows.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

#[test]
fn overrides_change_the_scene_that_is_stored() {
    let dir = tempfile::tempdir().unwrap();
    run_small(
        dir.path(),
        "a",
        &["--set", "fluid.pressure.method=wcsph", "--set", "output.formats=[]", "--steps", "4"],
    );
    let stored = fs::read_to_string(dir.path().join("a/scene.toml")).unwrap();
    assert!(stored.contains("wcsph"), "{stored}");
    assert_eq!(fs::read_dir(dir.path().join("a/frames")).unwrap().count(), 0);
    assert!(!dir.path().join("a/preview.png").exists());
}

#[test]
fn the_small_commands_work() {
    let dir = tempfile::tempdir().unwrap();
    let listed = succeed(dir.path(), &["list"]);
    assert!(listed.lines().any(|line| line.starts_with("dam-break ")), "{listed}");
    let checked = succeed(dir.path(), &["check", "dam-break-2d"]);
    assert!(checked.contains("fluid particles      3000"), "{checked}");
    let schema = succeed(dir.path(), &["schema"]);
    assert!(serde_json::from_str::<serde_json::Value>(&schema).is_ok());
    assert!(succeed(dir.path(), &["completions", "bash"]).contains("meniscus"));
    assert!(succeed(dir.path(), &["--version"]).starts_with("meniscus "));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0, "nothing may be written");
}

#[test]
fn every_builtin_scene_can_be_built() {
    let dir = tempfile::tempdir().unwrap();
    for line in succeed(dir.path(), &["list"]).lines() {
        let name = line.split_whitespace().next().unwrap();
        if name != "bench-dam-500k" {
            assert!(succeed(dir.path(), &["check", name]).contains("no mistakes"));
        }
    }
}

#[test]
fn a_failed_step_saves_the_last_good_state() {
    let dir = tempfile::tempdir().unwrap();
    let scene = small();
    let pressure = "fluid.pressure={ method = \"dfsph\", density_tolerance = 1e-12, min_sweeps = 1, max_sweeps = 1, on_failure = \"stop\" }";
    let failed =
        call(dir.path(), &["run", scene.to_str().unwrap(), "--quiet", "--out", "a", "--set", pressure]);
    let said = text(&failed.stderr);
    assert_eq!(failed.status.code(), Some(1), "{said}");
    assert!(
        said.starts_with("error: ") && said.contains("phase couple") && said.contains("was saved"),
        "{said}"
    );
    let page = summary(&dir.path().join("a"));
    assert_eq!(page["outcome"], "failed");
    let saved = meniscus::output::checkpoint::load_latest(&dir.path().join("a")).unwrap().checkpoint.unwrap();
    assert_eq!(page["steps"], saved.step);
}

#[test]
fn bench_tells_what_steps_cost() {
    let dir = tempfile::tempdir().unwrap();
    let small = small();
    let scene = small.to_str().unwrap();
    let args =
        ["bench", scene, "--steps", "3", "--warm-up", "1", "--repeats", "1", "--pressure", "iisph,wcsph"];
    let said = succeed(dir.path(), &[&args[..], &["--out", "cost.md"]].concat());
    assert_eq!(std::fs::read_to_string(dir.path().join("cost.md")).unwrap().trim_end(), said.trim_end());
    for words in ["iisph | residual |", "wcsph | acceleration by pressure |", "memory is read at"] {
        assert!(said.contains(words), "{said}");
    }
    assert!(!said.contains("wcsph | residual |"), "{said}");
    let refused = call(dir.path(), &["bench", scene, "--pressure", "sph"]);
    assert_eq!(refused.status.code(), Some(2), "{}", text(&refused.stderr));
}

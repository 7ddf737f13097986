//! The density error that a run reports is that of the frames it writes, recomputed in double precision from the files.

mod support;

use meniscus::output::{SeriesTable, vtu};
use meniscus::scene::SceneSource;
use meniscus_testkit::ExactDensity;
use std::fs;
use std::path::Path;
use support::succeed;

const SCENE: &str = r#"
title = "Density error"

[time]
end = 0.2
step = { method = "fixed", dt = 1e-3 }

[fluid]
spacing = 0.03

[[fluid.source]]
shape = "box"
min = [0.0, 0.0, 0.0]
max = [0.24, 0.3, 0.24]

[[body]]
name = "tank"
shape = "box"
size = [0.48, 0.6, 0.24]
position = [0.24, 0.3, 0.12]
container = true

[output]
preview = false
frames_per_second = 50

[observe]
series_every = 1
"#;

fn check(folder: &Path, solver: &str) {
    let change = format!("fluid.pressure.method={solver}");
    succeed(folder, &["run", "scene.toml", "--quiet", "--out", solver, "--set", &change]);
    let exact = ExactDensity::of(&SceneSource::from_text("scene.toml", SCENE).build().unwrap().1);
    let series = SeriesTable::read(&folder.join(solver).join("series.csv")).unwrap();
    let (mean, max) = (series.over_time("density_error_mean"), series.over_time("density_error_max"));
    let steps = series.over_time("step");
    let mut compared = 0;
    for entry in fs::read_dir(folder.join(solver).join("frames")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|e| e != "vtu") || !path.to_string_lossy().contains("fluid") {
            continue;
        }
        let frame = vtu::read(&path).unwrap();
        // A step reports what it found at its start.
        let Some(row) = steps.iter().position(|[_, step]| *step as u64 == frame.step + 1) else { continue };
        let excess = exact.at(&frame.position).into_iter().map(|density| (density - 1.0).max(0.0));
        let exact_mean = excess.clone().sum::<f64>() / frame.position.len() as f64;
        let exact_max = excess.fold(0.0, f64::max);
        assert!((mean[row][1] - exact_mean).abs() < 1e-6, "{solver}: {} {exact_mean}", mean[row][1]);
        assert!((max[row][1] - exact_max).abs() < 1e-5, "{solver}: {} {exact_max}", max[row][1]);
        compared += usize::from(exact_mean > 1e-5);
    }
    assert!(compared >= 5, "{solver}: only {compared} frames had something to compare");
}

#[test]
fn reported_density_errors_are_those_of_the_written_frames() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("scene.toml"), SCENE).unwrap();
    for solver in ["dfsph", "iisph", "pcisph", "wcsph"] {
        check(folder.path(), solver);
    }
}

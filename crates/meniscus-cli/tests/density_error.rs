//! The density error that a run reports is that of the frames it writes, recomputed in double precision from the files.

mod support;

use glam::DVec3;
use meniscus::coupling::Setup;
use meniscus::output::{SeriesTable, vtu};
use meniscus::scene::SceneSource;
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

/// Mean and largest compression at these places: walls as in \[Akinci2013\] Eq. 1.
fn compression(setup: &Setup, position: &[DVec3]) -> (f64, f64) {
    let kernel = &setup.sph.fluid.kernel;
    let wall: Vec<(DVec3, f64)> =
        setup.sph.samples.iter().flat_map(|s| s.position.iter().map(|&x| (x, s.volume_factor))).collect();
    let number_density = |x: DVec3| wall.iter().map(|(y, _)| kernel.value(x.distance(*y))).sum::<f64>();
    let volume: Vec<f64> = wall.iter().map(|&(x, factor)| factor / number_density(x)).collect();
    let own = setup.sph.fluid.kernel_volume();
    let excess = |&x: &DVec3| {
        let fluid: f64 = position.iter().map(|y| own * kernel.value(x.distance(*y))).sum();
        let solid = wall.iter().zip(&volume).map(|((y, _), v)| v * kernel.value(x.distance(*y)));
        (fluid + solid.sum::<f64>() - 1.0).max(0.0)
    };
    let excess: Vec<f64> = position.iter().map(excess).collect();
    (excess.iter().sum::<f64>() / excess.len() as f64, excess.into_iter().fold(0.0, f64::max))
}

fn check(folder: &Path, solver: &str) {
    let change = format!("fluid.pressure.method={solver}");
    succeed(folder, &["run", "scene.toml", "--quiet", "--out", solver, "--set", &change]);
    let (_, setup) = SceneSource::from_text("scene.toml", SCENE).build().unwrap();
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
        let (exact_mean, exact_max) = compression(&setup, &frame.position);
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

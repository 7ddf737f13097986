//! The command `compare`: all combinations, what it refuses, and how it ends.

mod support;

use meniscus::scene::MethodKey;
use std::collections::HashMap;
use std::fs;
use std::path::Path;
use support::{call, state_hash, succeed, text};

/// A dam break in the plane, without its tank if asked.
fn write_scene(folder: &Path, tank: bool) {
    let mut scene = r#"
        title = "Small | dam"
        dimension = 2
        [time]
        end = 0.2
        [fluid]
        spacing = 0.02
        viscosity = { method = "xsph" }
        [[fluid.source]]
        shape = "box"
        min = [0.0, 0.0, 0.0]
        max = [0.2, 0.3, 0.0]
        "#
    .to_owned();
    if tank {
        scene += r#"
        [[body]]
        name = "0.tank"
        shape = "box"
        size = [0.6, 0.4, 0.0]
        position = [0.3, 0.2, 0.0]
        container = true
        "#;
    }
    fs::write(folder.join("dam.toml"), scene).unwrap();
}

/// The lines of a CSV file by column; good enough for fields without commas.
fn read_csv(path: &Path) -> Vec<HashMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let fields: Vec<String> = line.split(',').map(str::to_owned).collect();
        assert_eq!(fields.len(), names.len(), "{line}");
        names.iter().map(ToString::to_string).zip(fields).collect()
    };
    lines.map(row).collect()
}

#[test]
fn all_combinations_are_in_tables_and_plot() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    let said = succeed(dir.path(), &["compare", "dam.toml", "--steps", "12"]);
    let folder = dir.path().join("out/compare-dam");
    let table = fs::read_to_string(folder.join("compare.md")).unwrap();
    assert!(said.starts_with(table.trim_end()), "{said}");
    let rows = read_csv(&folder.join("compare.csv"));
    let curves = read_csv(&folder.join("curves.csv"));
    let svg = fs::read_to_string(folder.join("compare.svg")).unwrap();
    let (boundaries, pressures) = (MethodKey::Boundary.names(), MethodKey::Pressure.names());
    assert_eq!(rows.len(), boundaries.len() * pressures.len());
    assert_eq!(table.lines().filter(|line| line.contains("completed")).count(), rows.len(), "{table}");
    for (index, row) in rows.iter().enumerate() {
        let (boundary, pressure) = (boundaries[index / pressures.len()], pressures[index % pressures.len()]);
        assert_eq!((row["boundary"].as_str(), row["pressure"].as_str()), (boundary, pressure));
        assert_eq!((row["outcome"].as_str(), row["steps"].as_str()), ("completed", "12"));
        for (name, field) in row {
            let words = ["boundary", "pressure", "outcome", "state_hash", "error", "step_cpu_s"];
            let finite = field.parse::<f64>().is_ok_and(f64::is_finite);
            assert!(finite || words.contains(&name.as_str()), "{boundary} {pressure}: {name} = {field:?}");
        }
        let number = |name: &str| row[name].parse::<f64>().unwrap();
        assert!(number("energy_start") > 0.0 && number("step_relative") >= 1.0);
        assert_eq!(number("fluid_particles") as u32, 150);
        let points = curves.iter().filter(|p| p["boundary"] == boundary && p["pressure"] == pressure);
        // Energies before the first step and after each, density errors before each.
        assert_eq!(points.count(), 13 + 12);
        // Both bars and the legend.
        assert_eq!(svg.matches(&format!(">{boundary} + {pressure}</text>")).count(), 3);
    }
    let hashes: std::collections::HashSet<_> = rows.iter().map(|row| &row["state_hash"]).collect();
    assert_eq!(hashes.len(), rows.len(), "two combinations did the same");
}

#[test]
fn a_trial_is_the_run_with_that_method_and_its_own_parameters() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    let set = ["--set", "body.0.boundary={method=\"penalty\",stiffness=0.5}", "--steps", "20", "--quiet"];
    let run = |more: &[&str]| succeed(dir.path(), &[more, &set].concat());
    run(&["compare", "dam.toml", "--boundary", "penalty,direct-forcing", "--pressure", "wcsph", "-o", "c"]);
    run(&["run", "dam.toml", "--set", "fluid.pressure.method=wcsph", "-o", "own"]);
    let rows = read_csv(&dir.path().join("c/compare.csv"));
    assert_eq!(rows[0]["state_hash"], state_hash(&dir.path().join("own")));
    assert_ne!(rows[0]["state_hash"], rows[1]["state_hash"]);
}

#[test]
fn trials_end_at_the_time_that_was_asked_for() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    succeed(
        dir.path(),
        &["compare", "dam.toml", "--boundary", "penalty", "--until", "0.031", "-q", "-o", "c"],
    );
    for row in read_csv(&dir.path().join("c/compare.csv")) {
        assert_eq!(row["simulated_s"], "0.031");
    }
}

#[test]
fn unknown_methods_are_refused_before_anything_runs() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    for (option, key) in [("--boundary", MethodKey::Boundary), ("--pressure", MethodKey::Pressure)] {
        let good = key.names()[0];
        let output = call(dir.path(), &["compare", "dam.toml", option, &format!("{good},magic")]);
        assert_eq!(output.status.code(), Some(2));
        let said = text(&output.stderr);
        assert!(said.contains("`magic`"), "{said}");
        assert!(key.names().iter().all(|name| said.contains(&format!("`{name}`"))), "{said}");
        assert!(!dir.path().join("out").exists());
    }
}

#[test]
fn without_bodies_only_solvers_are_compared() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), false);
    let output = call(dir.path(), &["compare", "dam.toml", "--steps", "3", "-o", "c"]);
    assert!(output.status.success());
    let said = text(&output.stderr);
    assert!(said.contains("nothing to compare for boundaries"), "{said}");
    assert_eq!(read_csv(&dir.path().join("c/compare.csv")).len(), MethodKey::Pressure.names().len());
}

#[test]
fn a_failing_combination_does_not_stop_the_others() {
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    // One sweep cannot reach this tolerance, and the solver was told to stop then; the other solvers keep theirs.
    let strict = "fluid.pressure={method=\"dfsph\",density_tolerance=1e-12,divergence_tolerance=1e-12,\
        min_sweeps=1,max_sweeps=1,max_divergence_sweeps=1,on_failure=\"stop\"}";
    let common =
        ["compare", "dam.toml", "--set", strict, "--boundary", "volume-particles", "--until", "0.05"];
    let said = succeed(dir.path(), &[&common[..], &["-o", "c"]].concat());
    assert!(said.contains("volume-particles + dfsph failed: "), "{said}");
    let table = fs::read_to_string(dir.path().join("c/compare.csv")).unwrap();
    let outcomes: Vec<&str> = table.lines().skip(1).filter_map(|line| line.split(',').nth(2)).collect();
    assert_eq!(outcomes, ["failed", "completed", "completed", "completed"]);
    assert!(fs::read_to_string(dir.path().join("c/compare.svg")).unwrap().contains("(failed)"));
    let alone = call(dir.path(), &[&common[..], &["--pressure", "dfsph", "-o", "d"]].concat());
    assert_eq!(alone.status.code(), Some(1));
}

#[cfg(unix)]
#[test]
fn a_signal_leaves_the_table_of_what_was_done() {
    use std::process::Stdio;
    let dir = tempfile::tempdir().unwrap();
    write_scene(dir.path(), true);
    let table = dir.path().join("c/compare.csv");
    let mut child = support::meniscus()
        .current_dir(dir.path())
        // It would take hours.
        .args(["compare", "dam.toml", "--set", "time.end=1e5", "--set", "fluid.pressure.method=wcsph"])
        .args(["--pressure", "wcsph", "--boundary", "penalty", "-o", "c"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line is the name of the trial: signals are caught by then.
    let mut line = String::new();
    let mut errors = std::io::BufReader::new(child.stderr.take().unwrap());
    std::io::BufRead::read_line(&mut errors, &mut line).unwrap();
    assert!(line.starts_with("1/1 penalty + wcsph"), "{line}");
    let kill = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert_eq!(read_csv(&table)[0]["outcome"], "interrupted");
}

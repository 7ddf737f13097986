//! Runs that need more memory than there is are refused, and what is told of memory is what is used.
#![cfg(target_os = "linux")]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use support::{call, meniscus, succeed, summary, text};

/// A large dam break, without pictures.
const LARGE: [&str; 5] =
    ["bench-dam-500k", "--set", "output.preview=false", "--set", "output.animation=false"];

/// Runs the command with a limit of memory `[kB]`.
fn limited(folder: &Path, kilobytes: u64, args: &[&str]) -> Output {
    let mut command = Command::new("sh");
    let script = format!("ulimit -v {kilobytes}; exec \"$@\"");
    command.current_dir(folder).env("NO_COLOR", "1").args(["-c", &script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_meniscus")).args(args).output().unwrap()
}

#[test]
fn a_run_that_needs_more_than_it_may_have_is_refused_before_it_begins() {
    let dir = tempfile::tempdir().unwrap();
    let run: Vec<&str> = ["run"].into_iter().chain(LARGE).chain(["--threads", "2", "--out", "a"]).collect();
    for command in [run, ["check"].into_iter().chain(LARGE).collect()] {
        let refused = limited(dir.path(), 400_000, &command);
        let said = text(&refused.stderr);
        assert_eq!(refused.status.code(), Some(2), "{said}");
        assert!(said.contains("fluid ") && said.contains("ulimit -v") && said.contains("--force"), "{said}");
        assert!(!dir.path().join("a").exists());
        // What is advised is enough.
        let spacing = said.split("fluid.spacing = ").nth(1).and_then(|rest| rest.split('`').next()).unwrap();
        let coarser = format!("fluid.spacing={spacing}");
        let retried: Vec<&str> = command.iter().copied().chain(["--set", &coarser]).collect();
        let steps: &[&str] = if command[0] == "run" { &["--steps", "2"] } else { &[] };
        let retried: Vec<&str> = retried.iter().chain(steps).copied().collect();
        let output = limited(dir.path(), 400_000, &retried);
        assert!(output.status.success(), "{}", text(&output.stderr));
        let _ = fs::remove_dir_all(dir.path().join("a"));
    }
}

#[test]
fn memory_that_is_missing_is_an_error_and_no_abort() {
    let dir = tempfile::tempdir().unwrap();
    for kilobytes in [250_000, 400_000] {
        let args: Vec<&str> =
            ["run"].into_iter().chain(LARGE).chain(["--threads", "2", "--out", "a", "--force"]).collect();
        let failed = limited(dir.path(), kilobytes, &args);
        let said = text(&failed.stderr);
        assert!(matches!(failed.status.code(), Some(1 | 2)), "{kilobytes}: {:?} {said}", failed.status);
        assert!(said.contains("there is no memory for"), "{said}");
        let _ = fs::remove_dir_all(dir.path().join("a"));
    }
}

#[test]
fn check_refuses_maps_as_a_run_does() {
    let dir = tempfile::tempdir().unwrap();
    let scene = "[time]\nend = 0.1\n[fluid]\nspacing = 0.01\n[[fluid.source]]\nshape = \"box\"\nmin = [0, 0, 0]\n\
        max = [0.02, 0.02, 0.02]\n[[body]]\nname = \"far\"\nshape = \"cylinder\"\nradius = 3\nheight = 6\n\
        position = [20, 0, 0]\nboundary = { method = \"METHOD\" }\n";
    for method in ["density-map", "volume-map"] {
        fs::write(dir.path().join("s.toml"), scene.replace("METHOD", method)).unwrap();
        let surveyed = call(dir.path(), &["check", "s.toml"]);
        assert_eq!(surveyed.status.code(), Some(2), "{method}: {}", text(&surveyed.stdout));
        assert!(text(&surveyed.stderr).contains("cells"), "{}", text(&surveyed.stderr));
        let made = call(dir.path(), &["check", "s.toml", "--maps"]);
        assert_eq!(text(&made.stderr), text(&surveyed.stderr));
    }
}

#[test]
fn what_is_told_is_what_is_used() {
    let dir = tempfile::tempdir().unwrap();
    let pictures = ["output.preview", "output.animation"].map(|key| format!("{key}=false"));
    let cases: [&[&str]; 6] = [
        &["dam-break"],
        &["dam-break", "--set", "output.preview=true"],
        &["dam-break-2d"],
        &["dam-break", "--set", "body.0.boundary.method=volume-map"],
        &["koschier-2017/dragon"],
        &["domino"],
    ];
    for (n, case) in cases.into_iter().enumerate() {
        let mut args = vec![case[0]];
        args.extend(pictures.iter().flat_map(|picture| ["--set", picture.as_str()]));
        args.extend(&case[1..]);
        let check: Vec<&str> = ["check"].into_iter().chain(args.iter().copied()).collect();
        let words = succeed(dir.path(), &check);
        let line = words.lines().find_map(|line| line.strip_prefix("memory               about ")).unwrap();
        let mut words = line.split(' ');
        let (number, unit) = (words.next().unwrap(), words.next().unwrap());
        let told = number.parse::<f64>().unwrap() * if unit == "GB" { 1e9 } else { 1e6 };
        let out = format!("run-{n}");
        let run = meniscus()
            .current_dir(dir.path())
            .arg("run")
            .args(&args)
            .args(["--quiet", "--steps", "4", "--out", &out])
            .output();
        let output = run.unwrap();
        assert!(output.status.success(), "{}", text(&output.stderr));
        let used = summary(&dir.path().join(&out))["peak_memory_bytes"].as_f64().unwrap();
        eprintln!("{case:?}: told {told:.3e}, used {used:.3e}");
        assert!((0.8..1.25).contains(&(told / used)), "{case:?}: told {told:.3e}, used {used:.3e}");
    }
}

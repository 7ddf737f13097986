//! Disks that are full and folders that vanish end a run with a clear error, and the last checkpoint stays good.
#![cfg(unix)]

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use support::{call, meniscus, run_small, small, state_hash, succeed, text};

/// Runs a script of the shell in a folder, with the program as `$1` and the small scene as `$2`.
fn shell(folder: &Path, script: &str) -> Output {
    let mut command = Command::new("sh");
    command.current_dir(folder).env("NO_COLOR", "1").args(["-c", script, "sh"]);
    command.arg(env!("CARGO_BIN_EXE_meniscus")).arg(small()).output().unwrap()
}

/// A run that was never disturbed, for comparison.
fn undisturbed(folder: &Path) -> String {
    run_small(folder, "whole", &[]);
    state_hash(&folder.join("whole"))
}

#[test]
fn a_file_that_may_not_grow_ends_the_run_with_its_last_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    // Checkpoints and frames have less than 32 KiB; the series, which is not short of lines here, grows beyond it.
    let script = r#"ulimit -f 64
        exec "$1" run "$2" --out a --quiet --set observe.series_every=1 --set output.formats='["vtu"]' --set time.step.max=0.0005"#;
    let output = shell(dir.path(), script);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("cannot write") && said.contains("series.csv"), "{said}");
    assert!(said.contains("ulimit") && !said.contains("was saved"), "{said}");
    let known = succeed(dir.path(), &["info", "a"]);
    assert!(known.contains("resume"), "{known}");
    // Without the limit it goes on to the end, and to the same state as without trouble.
    succeed(dir.path(), &["resume", "a", "--quiet"]);
    let more = ["--set", "observe.series_every=1", "--set", "time.step.max=0.0005"];
    run_small(dir.path(), "whole", &more);
    assert_eq!(state_hash(&dir.path().join("a")), state_hash(&dir.path().join("whole")));
}

#[test]
fn a_step_that_fails_and_a_state_that_cannot_be_saved_are_both_told() {
    let dir = tempfile::tempdir().unwrap();
    // The scene and the series fit into 8 KiB, a state after the first step does not; and the solver is given no chance.
    let script = r#"ulimit -f 16
        exec "$1" run "$2" --out a --quiet --set output.formats='[]' --set checkpoint.every=10 --set fluid.pressure.max_sweeps=2 \
        --set fluid.pressure.density_tolerance=1e-3 --set fluid.pressure.on_failure=stop"#;
    let output = shell(dir.path(), script);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("solve stopped after 2 sweeps") && said.contains("allow more sweeps"), "{said}");
    assert!(said.contains("the state before it could not be saved: cannot write a/checkpoints/"), "{said}");
    assert!(said.contains("ulimit") && !said.contains("was saved"), "{said}");
    // Nothing half-written is taken for a state, and there is no summary of a run that did not end well.
    let left: Vec<_> = fs::read_dir(dir.path().join("a/checkpoints")).unwrap().collect();
    assert!(left.is_empty() && !dir.path().join("a/summary.json").exists(), "{left:?}");
}

#[test]
fn a_full_disk_ends_the_run_with_its_last_checkpoint() {
    let dir = tempfile::tempdir().unwrap();
    // A small disk of its own, which only the administrator of a machine can make.
    let script = r#"mkdir disk && unshare -m true && exec unshare -m sh -c '
        mount -t tmpfs -o size=600k none disk || exit 77
        "$1" run "$2" --out disk/a --quiet; echo "run: $?"
        "$1" info disk/a
        mount -o remount,size=20m disk && "$1" resume disk/a --quiet; echo "resume: $?"
        cat disk/a/summary.json' sh "$1" "$2" || exit 77"#;
    let output = shell(dir.path(), script);
    if output.status.code() == Some(77) {
        eprintln!("no disk could be made, so that none was filled");
        return;
    }
    let (said, complained) = (text(&output.stdout), text(&output.stderr));
    assert!(said.contains("run: 1\n") && said.contains("resume: 0\n"), "{said}{complained}");
    assert!(
        complained.contains("cannot write disk/a/") && complained.contains("the disk is full"),
        "{complained}"
    );
    assert!(!complained.contains("was saved"), "{complained}");
    assert!(said.contains(&undisturbed(dir.path())), "{said}");
}

#[test]
fn a_folder_that_vanishes_is_named() {
    let dir = tempfile::tempdir().unwrap();
    let mut child = meniscus()
        .current_dir(dir.path())
        .args(["run", small().to_str().unwrap(), "--quiet", "--out", "a", "--set", "time.end=1000"])
        .args(["--set", "checkpoint.every=0.05"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let patience = Instant::now();
    while !dir.path().join("a/frames/fluid_000005.vtu").is_file() {
        assert!(patience.elapsed() < Duration::from_mins(2), "no frames");
        thread::sleep(Duration::from_millis(5));
    }
    fs::rename(dir.path().join("a/frames"), dir.path().join("a/elsewhere")).unwrap();
    let output = {
        let status = child.wait().unwrap();
        let mut said = String::new();
        std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
        (status.code(), said)
    };
    assert_eq!(output.0, Some(1), "{}", output.1);
    assert!(
        // A file in it, or, between a file's end and its name's, the folder itself.
        output.1.contains("a/frames") && output.1.contains("was it moved or removed?"),
        "{}",
        output.1
    );
    assert!(!output.1.contains("was saved"), "{}", output.1);
    // Put back, the run goes on from its checkpoint.
    fs::rename(dir.path().join("a/elsewhere"), dir.path().join("a/frames")).unwrap();
    let known = succeed(dir.path(), &["info", "a"]);
    assert!(known.contains("step"), "{known}");
    let steps: u64 = known.split("step ").nth(1).unwrap().split(',').next().unwrap().parse().unwrap();
    let on = (steps + 3).to_string();
    succeed(dir.path(), &["resume", "a", "--quiet", "--steps", &on]);
    // The whole folder may go as well.
    fs::remove_dir_all(dir.path().join("a")).unwrap();
    let gone = call(dir.path(), &["resume", "a"]);
    assert_eq!(gone.status.code(), Some(2));
    assert!(text(&gone.stderr).contains("does not exist"), "{}", text(&gone.stderr));
}

//! A process killed while it writes leaves whole files under final names, and the run goes on from there.

mod support;

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use meniscus_core::{SeriesColumns, SeriesRow};
use meniscus_output::{Checkpoint, Collection, Existing, OutputParams, OutputThread, RunFolder, checkpoint};
use support::{frame, read_vtu};

const RUN: &str = "MENISCUS_TEST_RUN";
const FRAMES: u32 = 60;
const PARTICLES: usize = 3000;

/// The process that gets killed: begins the run or goes on with it. Does nothing when run as an ordinary test.
#[test]
#[ignore = "started by the other test"]
fn writer() {
    let Some(path) = std::env::var_os(RUN) else { return };
    let path = Path::new(&path);
    let folder = if path.exists() {
        RunFolder::open_for_resume(path)
    } else {
        RunFolder::create(path, "title = \"kill\"\n", Existing::Refuse)
    };
    let folder = folder.unwrap();
    let latest = checkpoint::load_latest(path).unwrap();
    assert!(latest.skipped.is_empty(), "{:?}", latest.skipped);
    let step = latest.checkpoint.map_or(0, |state| state.step);
    let mut output =
        OutputThread::resume(&folder, OutputParams::default(), &SeriesColumns::default(), step, step as u32)
            .unwrap();
    for index in step as u32..FRAMES {
        let step = u64::from(index) + 1;
        output.submit_frame(frame(index, PARTICLES)).unwrap();
        output.record(SeriesRow { step, ..SeriesRow::default() }).unwrap();
        let sections = vec![("state".to_owned(), vec![index as u8; 100_000])];
        output.submit_checkpoint(Checkpoint { step, sections, ..Checkpoint::default() }).unwrap();
    }
    output.finish().unwrap();
}

fn start(run: &Path) -> std::process::Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "writer", "--ignored"])
        .env(RUN, run)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// The newest step with a checkpoint.
fn newest(run: &Path) -> Option<u64> {
    checkpoint::steps_in(run).unwrap().pop()
}

/// Every frame under its final name is whole, and so is every one that the collection names.
fn check(run: &Path) {
    for entry in fs::read_dir(run.join("frames")).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "vtu") {
            let file = fs::read(&path).unwrap();
            assert!(file.ends_with(b"</VTKFile>\n"));
            assert_eq!(read_vtu(&file)["id"].len(), PARTICLES * 8);
        }
    }
    for (index, _) in Collection::load(&run.join("fluid.pvd")).unwrap().entries() {
        assert!(run.join(format!("frames/fluid_{index:06}.vtu")).is_file());
    }
}

#[test]
fn a_killed_run_goes_on() {
    let dir = tempfile::tempdir().unwrap();
    let run = dir.path().join("run");
    for moment in [0, 2, 4, 8, 16, 24, 32, 48, 64, 80] {
        let before = newest(&run);
        let mut child = start(&run);
        // Some kills come at once, most after the child has got somewhere.
        for _ in 0..1000 {
            if moment < 4 || newest(&run) > before {
                break;
            }
            thread::sleep(Duration::from_millis(1));
        }
        thread::sleep(Duration::from_millis(moment));
        child.kill().unwrap();
        child.wait().unwrap();
        if run.exists() {
            check(&run);
        }
    }
    assert!(newest(&run) > Some(0), "no kill came in the middle");
    assert!(start(&run).wait().unwrap().success());
    check(&run);
    assert_eq!(Collection::load(&run.join("fluid.pvd")).unwrap().entries().len(), FRAMES as usize);
    let rows = fs::read_to_string(run.join("series.csv")).unwrap();
    let steps: Vec<u32> =
        rows.lines().skip(1).map(|row| row.split(',').next().unwrap().parse().unwrap()).collect();
    assert!(steps.into_iter().eq(1..=FRAMES));
}

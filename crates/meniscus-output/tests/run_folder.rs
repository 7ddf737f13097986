//! A run's folder, its thread, and what a kill leaves behind.

mod support;

use std::fs;
use std::path::Path;

use meniscus_core::{SeriesColumns, SeriesRow};
use meniscus_output::{
    Checkpoint, Collection, Existing, FrameFormats, OutputError, OutputParams, OutputThread, RunFolder,
    checkpoint,
};
use support::{frame, read_vtu};

const SCENE: &str = "title = \"test\"\n";

fn params() -> OutputParams {
    OutputParams { formats: FrameFormats { vtu: true, ply: true, bgeo: true }, ..OutputParams::default() }
}

fn row(step: u64) -> SeriesRow {
    SeriesRow { step, time: step as f64 * 0.01, ..SeriesRow::default() }
}

/// Ten steps a frame, a checkpoint after each frame.
fn write_frames(output: &mut OutputThread, frames: std::ops::Range<u32>) {
    for index in frames {
        (1..=10).for_each(|i| output.record(row(u64::from(index) * 10 + i)).unwrap());
        output.submit_frame(frame(index, 50)).unwrap();
        let step = u64::from(index) * 10 + 10;
        output.submit_checkpoint(Checkpoint { step, ..Checkpoint::default() }).unwrap();
    }
}

/// All files below a folder with their content, except the lock.
fn content(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            let inner = content(&path);
            files.extend(inner.into_iter().map(|(file, bytes)| (format!("{name}/{file}"), bytes)));
        } else if name != ".lock" {
            files.push((name, fs::read(&path).unwrap()));
        }
    }
    files.sort();
    files
}

#[test]
fn everything_given_is_on_disk_after_finish() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("deep/run");
    let folder = RunFolder::create(&path, SCENE, Existing::Refuse).unwrap();
    let mut output = OutputThread::create(&folder, params(), &SeriesColumns::default()).unwrap();
    write_frames(&mut output, 0..5);
    output.record(row(51)).unwrap();
    output.finish().unwrap();
    let names: Vec<String> = content(&path).into_iter().map(|(name, _)| name).collect();
    let mut expected = vec![
        "checkpoints/step_000000000040.ckpt".to_owned(),
        "checkpoints/step_000000000050.ckpt".to_owned(),
    ];
    expected.push("fluid.pvd".to_owned());
    for i in 0..5 {
        expected.extend(["bgeo", "ply", "vtu"].map(|extension| format!("frames/fluid_00000{i}.{extension}")));
    }
    expected.extend(["scene.toml".to_owned(), "series.csv".to_owned()]);
    assert_eq!(names, expected);
    assert_eq!(Collection::load(&folder.collection_path()).unwrap().entries().len(), 5);
    assert_eq!(fs::read_to_string(folder.series_path()).unwrap().lines().count(), 52);
    let arrays = read_vtu(&fs::read(folder.frame_path(4, "vtu")).unwrap());
    assert_eq!(arrays["id"].len(), 50 * 8);
}

#[test]
fn a_resumed_run_leaves_the_same_files() {
    let dir = tempfile::tempdir().unwrap();
    let (whole, killed) = (dir.path().join("whole"), dir.path().join("killed"));
    for path in [&whole, &killed] {
        let folder = RunFolder::create(path, SCENE, Existing::Refuse).unwrap();
        let mut output = OutputThread::create(&folder, params(), &SeriesColumns::default()).unwrap();
        write_frames(&mut output, 0..4);
    }
    // As if killed after frame 3 was written and before its checkpoint was, in the middle of other files.
    fs::remove_file(killed.join(checkpoint::file_name(40))).unwrap();
    for leftover in [".tmp-1", "frames/.tmp-2", "checkpoints/.tmp-3"] {
        fs::write(killed.join(leftover), b"half").unwrap();
    }
    // Rows of steps 31 to 40 take 120 bytes: those up to the checkpoint are whole.
    let series = fs::OpenOptions::new().append(true).open(killed.join("series.csv")).unwrap();
    series.set_len(series.metadata().unwrap().len() - 65).unwrap();

    let folder = RunFolder::open_for_resume(&killed).unwrap();
    assert_eq!(folder.scene_toml().unwrap(), SCENE);
    let state = checkpoint::load_latest(&killed).unwrap().checkpoint.unwrap();
    assert_eq!(state.step, 30);
    let mut output =
        OutputThread::resume(&folder, params(), &SeriesColumns::default(), state.step, 3).unwrap();
    assert_eq!(Collection::load(&folder.collection_path()).unwrap().entries().len(), 3);
    assert!(!folder.frame_path(3, "vtu").exists());
    write_frames(&mut output, 3..4);
    output.finish().unwrap();
    assert_eq!(content(&killed), content(&whole));
}

#[test]
fn a_run_without_checkpoint_resumes_from_its_beginning() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    drop(RunFolder::create(&path, SCENE, Existing::Refuse).unwrap());
    let folder = RunFolder::open_for_resume(&path).unwrap();
    assert!(checkpoint::load_latest(&path).unwrap().checkpoint.is_none());
    let mut output = OutputThread::resume(&folder, params(), &SeriesColumns::default(), 0, 0).unwrap();
    write_frames(&mut output, 0..1);
    output.finish().unwrap();
    assert!(folder.frame_path(0, "vtu").exists());
}

#[test]
fn a_failure_is_told_at_the_next_call_and_stops_everything() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let folder = RunFolder::create(&path, SCENE, Existing::Refuse).unwrap();
    let mut output = OutputThread::create(&folder, params(), &SeriesColumns::default()).unwrap();
    fs::remove_dir(path.join("frames")).unwrap();
    output.submit_frame(frame(0, 5)).unwrap();
    // The first failure may need a moment to come about; the calls after it must not be lost in silence.
    let error = (0..1000).find_map(|step| {
        std::thread::sleep(std::time::Duration::from_millis(1));
        output.submit_checkpoint(Checkpoint { step, ..Checkpoint::default() }).err()
    });
    assert!(error.unwrap().to_string().contains("fluid_000000"));
    let error = output.finish().unwrap_err();
    assert!(
        matches!(&error, OutputError::Io { path, .. } if path.ends_with("frames/fluid_000000.ply")),
        "{error}"
    );
    assert!(checkpoint::steps_in(&path).unwrap().is_empty());
}

#[test]
fn a_used_folder_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    fs::create_dir(&path).unwrap();
    let folder = RunFolder::create(&path, SCENE, Existing::Refuse).unwrap();
    let again = RunFolder::create(&path, SCENE, Existing::Refuse).unwrap_err();
    assert!(matches!(again, OutputError::FolderInUse { .. }));
    for busy in [RunFolder::create(&path, SCENE, Existing::Overwrite), RunFolder::open_for_resume(&path)] {
        assert!(matches!(busy.unwrap_err(), OutputError::Locked { .. }));
    }
    assert!(RunFolder::open(&path).unwrap().is_being_written());
    drop(folder);
    assert!(!RunFolder::open(&path).unwrap().is_being_written());
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1, "nothing is left beside the folder");
}

#[test]
fn overwriting_removes_our_files_only() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("run");
    let folder = RunFolder::create(&path, SCENE, Existing::Refuse).unwrap();
    let mut output = OutputThread::create(&folder, params(), &SeriesColumns::default()).unwrap();
    write_frames(&mut output, 0..2);
    output.finish().unwrap();
    drop(folder);
    fs::write(path.join("notes.txt"), "mine").unwrap();
    fs::write(path.join("frames/notes.txt"), "mine").unwrap();
    drop(RunFolder::create(&path, "title = \"new\"\n", Existing::Overwrite).unwrap());
    let names: Vec<String> = content(&path).into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["frames/notes.txt", "notes.txt", "scene.toml"]);
    assert_eq!(RunFolder::open(&path).unwrap().scene_toml().unwrap(), "title = \"new\"\n");
}

#[test]
fn other_folders_are_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let refused = |path: &Path, part: &str| {
        let error = RunFolder::open(path).unwrap_err().to_string();
        assert!(error.contains("is not the folder of a run") && error.contains(part), "{error}");
    };
    refused(&dir.path().join("none"), "does not exist");
    refused(dir.path(), "scene.toml");
    fs::write(dir.path().join("scene.toml"), SCENE).unwrap();
    refused(dir.path(), "frames");
    refused(&dir.path().join("scene.toml"), "is a file");
    let error = RunFolder::create(dir.path(), SCENE, Existing::Overwrite).unwrap_err();
    assert!(matches!(error, OutputError::NotARunFolder { .. }));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

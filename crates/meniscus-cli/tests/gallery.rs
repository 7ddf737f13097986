//! The gallery runs scenes of papers, shows them on one page, and does not repeat what is done.

mod support;

use std::fs;
use support::{call, succeed, summary, text};

const SCENE: &str = "koschier-2017/incline-samples";

#[test]
fn a_scene_is_run_once_and_shown_with_its_claims() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["gallery", "--only", SCENE, "--out", "all", "--threads", "1"];
    succeed(dir.path(), &args);
    let run = dir.path().join("all").join(SCENE);
    let claims = summary(&run)["claims"].as_array().unwrap().clone();
    // Both are compared with a scene that has not been run here.
    assert!(claims.len() == 2 && claims.iter().all(|claim| claim["verdict"] == "open"), "{claims:?}");
    let page = fs::read_to_string(dir.path().join("all/gallery.html")).unwrap();
    assert!(page.contains("Samples act as a friction") && page.contains("data:image/png;base64,"));
    assert!(page.contains("1 of 1 scenes are complete") && !page.contains("<script"));

    let first = fs::metadata(run.join("summary.json")).unwrap().modified().unwrap();
    succeed(dir.path(), &args);
    assert_eq!(fs::metadata(run.join("summary.json")).unwrap().modified().unwrap(), first);
}

#[test]
fn a_folder_with_the_name_of_a_scene_is_not_taken_for_it() {
    let dir = tempfile::tempdir().unwrap();
    fs::create_dir_all(dir.path().join(SCENE)).unwrap();
    succeed(dir.path(), &["run", SCENE, "--steps", "1", "--threads", "1"]);
}

#[test]
fn an_unknown_name_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let output = call(dir.path(), &["gallery", "--only", "becker-2008"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("no scene or paper \"becker-2008\""), "{}", text(&output.stderr));
}

#[test]
fn a_run_that_cannot_be_written_is_shown_as_failed_and_the_page_is_there() {
    let dir = tempfile::tempdir().unwrap();
    // A file where the run's folder should be.
    let place = dir.path().join("all").join(SCENE);
    fs::create_dir_all(place.parent().unwrap()).unwrap();
    fs::write(&place, "in the way").unwrap();
    let output = call(dir.path(), &["gallery", "--only", SCENE, "--out", "all", "--quiet"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let page = fs::read_to_string(dir.path().join("all/gallery.html")).unwrap();
    assert!(page.contains("0 of 1 scenes are complete") && page.contains("Not run."));
}

//! Malformed scenes: each must be a clear error at the right place.

use meniscus_scene::SceneSource;
use std::path::Path;

/// The error of a scene file, with the file's name instead of its path so that it reads the same everywhere.
fn error_of(path: &Path) -> String {
    let full = path.to_str().unwrap();
    let name = path.file_name().unwrap().to_str().unwrap();
    let result = SceneSource::open(full).and_then(|source| source.with_name(name).check());
    let error = result.expect_err(&format!("{name} must not be accepted"));
    error.to_string().replace(full, name)
}

#[test]
fn malformed_scenes_are_refused_with_a_clear_error() {
    insta::glob!("malformed/*.toml", |path| {
        insta::with_settings!({ omit_expression => true, prepend_module_to_snapshot => false }, {
            insta::assert_snapshot!("error", error_of(path));
        });
    });
}

#[test]
fn every_mistake_has_a_line_and_a_column() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/malformed");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let Err(error) = SceneSource::open(path.to_str().unwrap()).and_then(|source| source.check()) else {
            panic!("{} must not be accepted", path.display())
        };
        for diagnostic in error.diagnostics() {
            let location = diagnostic.location.as_ref().unwrap();
            assert!(location.line >= 1 && location.column >= 1);
        }
        count += 1;
    }
    assert!(count >= 32, "only {count} malformed scenes");
}

#[test]
fn a_folder_is_no_scene() {
    let error = SceneSource::open(env!("CARGO_MANIFEST_DIR")).unwrap_err();
    assert!(error.to_string().contains("this is a folder"), "{error}");
}

#[test]
fn a_missing_file_is_named() {
    let error = SceneSource::open("no/such/scene.toml").unwrap_err();
    assert!(error.to_string().contains("cannot open the scene"), "{error}");
    assert_eq!(error.summary(), "1 error in no/such/scene.toml");
}

#[test]
fn an_unknown_name_is_compared_with_the_builtins() {
    let error = SceneSource::open("dam-brake").unwrap_err().to_string();
    assert!(error.contains("did you mean `dam-break`?"), "{error}");
    assert!(error.contains("`fountain`"), "{error}");
}

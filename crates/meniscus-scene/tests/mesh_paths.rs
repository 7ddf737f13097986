//! Mesh files are found beside the scene file, and a stored scene finds them from anywhere.

use meniscus_scene::{SceneSource, load};

const SCENE: &str = r#"
[time]
end = 1.0

[fluid]
spacing = 0.02

[[fluid.source]]
shape = "mesh"
path = "meshes/ship.obj"
scale = 2
rotation = { axis = [0, 1, 0], angle = 90 }

[[body]]
name = "tank"
shape = "mesh"
path = "meshes/ship.obj"
scale = [1.0, 2.0, 3.0]
"#;

#[test]
fn relative_paths_become_absolute() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("meshes")).unwrap();
    std::fs::write(folder.path().join("meshes/ship.obj"), "v 0 0 0\n").unwrap();
    let file = folder.path().join("scene.toml");
    std::fs::write(&file, SCENE).unwrap();

    let scene = load(file.to_str().unwrap(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scene.mesh_paths().count(), 2);
    assert!(scene.mesh_paths().all(|path| path.is_absolute() && path.is_file()));

    let stored = scene.to_toml().unwrap();
    let again = SceneSource::from_text("stored", &stored).check().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(again, scene);
}

#[test]
fn without_a_folder_paths_are_relative_to_the_current_one() {
    let error = SceneSource::from_text("scene", SCENE).check().unwrap_err();
    assert_eq!(error.diagnostics().len(), 2);
    assert!(error.to_string().contains("there is no mesh file `meshes/ship.obj`"));
}

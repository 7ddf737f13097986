//! Fluid in the shapes of bodies.

use std::f64::consts::PI;

use meniscus_scene::{SceneError, SceneSource};

fn source(keys: &str, dimension: u32) -> SceneSource {
    let text = format!(
        "title = \"Source\"\ndimension = {dimension}\n[time]\nend = 0.1\n[fluid]\nspacing = 0.01\n[[fluid.source]]\n{keys}\n"
    );
    SceneSource::from_text("source.toml", &text)
}

/// The volume of the particles of a source `[m³]`.
fn filled(keys: &str) -> Result<f64, SceneError> {
    let (_, setup) = source(keys, 3).build()?;
    Ok(setup.sph.initial.len() as f64 * 0.01_f64.powi(3))
}

#[test]
fn sources_have_the_volume_of_their_shape() {
    for (keys, volume) in [
        ("shape = \"cylinder\"\nradius = 0.1\nheight = 0.3", PI * 0.003),
        ("shape = \"capsule\"\nradius = 0.1\nheight = 0.3", PI * (0.001 + 4.0 / 3.0 * 0.001)),
        ("shape = \"cone\"\nradius = 0.15\nheight = 0.3", PI * 0.0225 * 0.1),
        ("shape = \"torus\"\nradius = 0.15\ntube = 0.06", 2.0 * PI * PI * 0.15 * 0.0036),
    ] {
        let turned =
            format!("{keys}\ntranslation = [3.0, -2.0, 1.0]\nrotation = {{ axis = [1, 2, 3], angle = 40 }}");
        for keys in [keys, &turned] {
            let found = filled(keys).unwrap_or_else(|error| panic!("{keys}: {error}"));
            assert!((found / volume - 1.0).abs() < 0.04, "{keys}: {found} m³ for {volume} m³");
        }
    }
}

#[test]
fn every_built_in_shape_holds_fluid_and_survives_being_written() {
    for keys in [
        "shape = \"bowl\"\nradius = 0.2\nthickness = 0.03",
        "shape = \"cup\"\nradius = 0.1\nheight = 0.2\nthickness = 0.03",
        "shape = \"boat\"\nlength = 0.6\nbeam = 0.2\nheight = 0.15\nthickness = 0.03",
        "shape = \"paddle-wheel\"\nradius = 0.2\nhub = 0.05\nthickness = 0.03\nwidth = 0.1\npaddles = 6",
        "shape = \"gear\"\nradius = 0.2\ntooth_depth = 0.04\nwidth = 0.05\nteeth = 12",
        "shape = \"bone\"\nlength = 0.4",
        "shape = \"duck\"\nlength = 0.3",
        "shape = \"statue\"\nheight = 0.4\nvelocity = [0, -1, 0]",
    ] {
        let (scene, setup) = source(keys, 3).build().unwrap_or_else(|error| panic!("{keys}: {error}"));
        assert!(setup.sph.initial.len() > 50, "{keys}: {} particles", setup.sph.initial.len());
        let text = scene.to_toml().unwrap();
        assert_eq!(SceneSource::from_text("written", &text).check().unwrap(), scene, "{text}");
    }
}

#[test]
fn what_no_source_can_be_is_said_at_its_place() {
    let said = |keys: &str, dimension| source(keys, dimension).build().unwrap_err().to_string();
    let unknown = said("shape = \"duck\"\nlength = 0.3\nlenght = 1", 3);
    assert!(unknown.contains("lenght"), "{unknown}");
    let plane = said("shape = \"plane\"\nsize = [1, 1]", 3);
    assert!(plane.contains("plane") && plane.contains("`duck`"), "{plane}");
    let thick = said("shape = \"torus\"\nradius = 0.1\ntube = 0.2", 3);
    assert!(thick.contains("fluid.source[0]") || thick.contains("torus"), "{thick}");
    let out = said("shape = \"duck\"\nlength = 0.3\ntranslation = [0, 0, 1]", 2);
    assert!(out.contains("translation"), "{out}");
    let huge = said("shape = \"duck\"\nlength = 3000", 3);
    assert!(huge.contains("million"), "{huge}");
}

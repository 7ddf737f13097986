//! The built-in scenes are right, and every scene survives being written and read again.

use meniscus_core::Dimension;
use meniscus_scene::model::SourceShape;
use meniscus_scene::{SceneSource, builtin, builtins, load};

#[test]
fn every_builtin_is_valid_and_has_a_summary() {
    for builtin in builtins() {
        let scene = load(builtin.name, &[]).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(scene.title, builtin.summary);
        assert!(!builtin.summary.is_empty(), "{} has no title", builtin.name);
        assert!(builtin.text.starts_with("# "), "{} has no comment at its top", builtin.name);
    }
}

#[test]
fn every_builtin_survives_being_written() {
    for builtin in builtins() {
        let scene = load(builtin.name, &[]).unwrap();
        let text = scene.to_toml().unwrap();
        let again = SceneSource::from_text("written", &text)
            .check()
            .unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(scene, again, "{}", builtin.name);
    }
}

/// Lattice points of the benchmark scenes: `min + (i + ½) spacing`.
#[test]
fn benchmarks_have_the_particles_of_the_peer() {
    for (name, count, first_z) in [("bench-dam-100k", 100_000.0, -0.39), ("bench-dam-500k", 500_000.0, -1.99)]
    {
        let scene = load(name, &[]).unwrap();
        assert!((scene.fluid.estimated_particles(Dimension::Three) - count).abs() < 0.5);
        let SourceShape::Box(volume) = &scene.fluid.sources[0].shape else { panic!("not a box") };
        let first = volume.min.map(|x| x + 0.5 * scene.fluid.spacing);
        for (x, expected) in first.into_iter().zip([0.03, 0.03, first_z]) {
            assert!((x - expected).abs() < 1e-12, "{name}: {x} is not {expected}");
        }
    }
}

#[test]
fn names_are_found() {
    assert!(builtin("dam-break").is_some());
    assert!(builtin("no-such-scene").is_none());
}

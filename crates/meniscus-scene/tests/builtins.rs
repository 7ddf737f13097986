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

/// The papers' scenes make claims, and are valid in the papers' size too.
#[test]
fn scenes_of_papers_have_claims_and_are_valid_in_their_size() {
    let papers: Vec<_> = builtins().iter().filter(|scene| scene.name.contains('/')).collect();
    assert!(papers.len() >= 23, "only {} scenes", papers.len());
    for paper in papers {
        let scene = load(paper.name, &[]).unwrap();
        assert!(!scene.claims.is_empty(), "{} claims nothing", paper.name);
        let others = scene.claims.iter().filter_map(|claim| claim.than.as_deref());
        others.for_each(|name| assert!(builtin(name).is_some(), "{} is compared with {name}", paper.name));
        if paper.text.contains("[detail.paper]") {
            let large =
                load(paper.name, &["detail=paper".to_owned()]).unwrap_or_else(|error| panic!("{error}"));
            let count = |scene: &meniscus_scene::Scene| scene.fluid.estimated_particles(scene.dimension);
            assert!(count(&large) >= count(&scene), "{} is smaller in the paper's size", paper.name);
        }
    }
}

/// Table I of Becker et al. 2009 and the texts of Koschier and Bender 2017 and Wang et al. 2017.
#[test]
fn the_papers_sizes_are_met_within_a_twentieth() {
    for (name, expected) in [
        ("becker-2009/impact", 850e3),
        ("becker-2009/cuboids", 2e6),
        ("becker-2009/sphere-thin", 130e3),
        ("becker-2009/stone-local", 240e3),
        ("becker-2009/flotsam", 2.57e6),
        ("koschier-2017/obstacles", 2.1e6),
        ("koschier-2017/dragon", 211e3),
        ("koschier-2017/bodies", 710e3),
        ("koschier-2017/hollow-spheres", 510e3),
        ("wang-2017/statue", 873e3),
    ] {
        let scene = load(name, &["detail=paper".to_owned()]).unwrap();
        let count = scene.fluid.estimated_particles(scene.dimension);
        assert!((count / expected - 1.0).abs() < 0.05, "{name}: {count} particles, {expected} in the paper");
    }
}

/// Sources do not reach into bodies, bodies have room for their samples.
#[test]
fn the_small_scenes_of_papers_can_be_built() {
    for paper in builtins().iter().filter(|scene| scene.name.contains('/')) {
        let built = SceneSource::from_text(paper.name, paper.text).survey();
        let (_, setup) = built.unwrap_or_else(|error| panic!("{error}"));
        assert!(setup.sph.initial.len() < 60_000, "{}: {} particles", paper.name, setup.sph.initial.len());
    }
}

/// What the papers show by putting things side by side is asked of the series by `meniscus gallery --check`.
#[test]
fn the_orderings_of_the_papers_are_claims() {
    for (name, quantity) in [
        ("becker-2009/cuboids", "light_y"),
        ("becker-2009/cuboids", "middle_y"),
        ("becker-2009/cuboids", "heavy_y"),
        ("becker-2009/cuboids", "middle_y - heavy_y"),
        ("becker-2009/sphere-thin", "sphere_y"),
        ("becker-2009/stone-local", "stone_vy"),
        ("becker-2009/stone-local", "slow_y"),
        ("becker-2009/stone-global", "stone_vy"),
        ("koschier-2017/ball-density", "ball_y"),
        ("koschier-2017/hollow-spheres", "red-duck_tilt"),
        ("koschier-2017/hollow-spheres", "blue-duck_tilt"),
        ("koschier-2017/wheels", "first_wz"),
        ("koschier-2017/wheels", "second_wz"),
        ("koschier-2017/wheels", "third_wz"),
    ] {
        let scene = load(name, &[]).unwrap();
        assert!(
            scene.claims.iter().any(|claim| claim.quantity == quantity),
            "{name} claims nothing of {quantity}"
        );
    }
}

use glam::DVec3;
use proptest::prelude::*;

use super::*;
use crate::test_mesh::{cube, sphere};

fn params(spacing: f64, rounding: Rounding) -> ScanlineParams {
    ScanlineParams { spacing, rounding }
}

#[test]
fn a_right_triangle_has_the_counts_of_the_paper() {
    let mesh = TriangleMesh {
        vertex: vec![DVec3::ZERO, DVec3::X, DVec3::new(0.0, 2.0, 0.0)],
        triangle: vec![[0, 1, 2]],
    };
    let samples = scanline(&mesh, &params(0.3, Rounding::Down)).unwrap();
    // Edges of 1, 2 and √5: 3, 6 and 7 intervals. h_t = 2: 6 steps, whose lines of 5/6, 4/6, … have 2, 2, 1, 1, 0
    // intervals.
    let count = |f: Feature| samples.anchor.iter().filter(|a| a.feature == f).count();
    assert_eq!(
        (count(Feature::Vertex), count(Feature::Edge), count(Feature::Interior)),
        (3, 2 + 5 + 6, 1 + 1)
    );
    assert_eq!(samples.position[..3], mesh.vertex[..]);
    let up = scanline(&mesh, &params(0.3, Rounding::Up)).unwrap();
    assert!(up.len() > samples.len());
}

#[test]
fn a_regular_cloth_has_one_sample_for_each_vertex() {
    let cloth = crate::shape::builtin::cloth(30, 20, 0.1);
    assert_eq!(scanline(&cloth, &params(0.1, Rounding::Down)).unwrap().position, cloth.vertex);
}

#[test]
fn samples_are_where_their_anchors_say_and_never_twice() {
    for (mesh, spacing) in [(cube(1.0), 0.13), (sphere(2), 0.07), (sphere(4), 0.3)] {
        for rounding in [Rounding::Down, Rounding::Up] {
            let samples = scanline(&mesh, &params(spacing, rounding)).unwrap();
            for (a, x) in samples.anchor.iter().zip(&samples.position) {
                assert!((a.barycentric.iter().sum::<f64>() - 1.0).abs() < 1e-12);
                assert!(a.barycentric.iter().all(|w| *w >= 0.0));
                assert!(a.place(&mesh.vertex, &mesh.triangle).unwrap().abs_diff_eq(*x, 1e-14));
            }
            let mut bits: Vec<_> = samples.position.iter().map(|x| x.to_array().map(f64::to_bits)).collect();
            bits.sort_unstable();
            bits.dedup();
            assert_eq!(bits.len(), samples.len());
        }
    }
}

#[test]
fn rounded_up_no_place_is_farther_than_a_spacing_from_a_sample() {
    for (mesh, spacing) in [(cube(1.0), 0.13), (cube(1.0), 0.55), (sphere(1), 0.3), (sphere(2), 0.11)] {
        let points = scanline(&mesh, &params(spacing, Rounding::Up)).unwrap().position;
        for [a, b, c] in mesh.corners() {
            for i in 0..=20 {
                for j in 0..=20 - i {
                    let x = a + f64::from(i) / 20.0 * (b - a) + f64::from(j) / 20.0 * (c - a);
                    let nearest = points.iter().map(|p| p.distance(x)).fold(f64::INFINITY, f64::min);
                    assert!(nearest < spacing, "{x}: {nearest}");
                }
            }
        }
    }
}

#[test]
fn the_bits_do_not_depend_on_the_threads() {
    let mesh = sphere(4);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| scanline(&mesh, &params(0.02, Rounding::Down)).unwrap())
    };
    assert_eq!(with(1), with(5));
}

proptest! {
    #[test]
    fn any_triangles_and_spacings_are_sampled_or_refused(
        corner in prop::collection::vec(prop::array::uniform3(-2.0..2.0_f64), 6),
        exponent in -14.0..6.0_f64,
        up in any::<bool>(),
    ) {
        let vertex: Vec<DVec3> = corner.into_iter().map(DVec3::from_array).collect();
        let mesh = TriangleMesh { vertex, triangle: vec![[0, 1, 2], [2, 1, 3], [3, 4, 5], [1, 1, 2]] };
        let rounding = if up { Rounding::Up } else { Rounding::Down };
        let spacing = 10_f64.powf(exponent);
        // Between these lie counts that would take long to make in a test.
        prop_assume!(!(1e-5..2e-3).contains(&spacing));
        match scanline(&mesh, &params(spacing, rounding)) {
            Ok(samples) => prop_assert!(samples.len() >= 6 && spacing > 1e-4),
            Err(error) => {
                let too_many = matches!(error, GeometryError::TooMany { .. });
                prop_assert!(too_many && spacing < 1e-3, "{}", error);
            }
        }
    }
}

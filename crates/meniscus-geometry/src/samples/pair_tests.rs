//! Pairs of triangles that deform, as in \[Akinci2013\] Fig. 3 and 4, for h = 1.

use glam::DVec3;
use meniscus_core::Dimension;

use super::quality::{SamplingQuality, number_density, places_in_triangle};
use super::test_shapes::CubicSpline;
use super::{ResampledSurface, Rounding, ScanlineParams, seven_point};
use crate::TriangleMesh;

const PAIRS: [[[f64; 2]; 4]; 3] = [
    [[0.0, 0.0], [4.2, 0.0], [0.0, 4.2], [4.2, 4.2]],
    [[0.0, 0.4], [4.9, 0.0], [1.6, 3.3], [6.2, 5.1]],
    [[0.0, 0.0], [6.1, 0.0], [2.1, 1.9], [7.4, 2.3]],
];

fn quality(mesh: &TriangleMesh, sample: &[DVec3]) -> SamplingQuality {
    let kernel = CubicSpline { support_radius: 1.0, dimension: Dimension::Three };
    let places: Vec<DVec3> = mesh.corners().flat_map(|c| places_in_triangle(c, 0.06).unwrap()).collect();
    SamplingQuality::of(&number_density(sample, &places, &kernel).unwrap(), 1.0, Dimension::Three)
}

/// A pair, its pose stretched and sheared step by step, and what `check` finds in each.
fn deform(rounding: Rounding, mut check: impl FnMut(&TriangleMesh, &ResampledSurface)) {
    for pair in PAIRS {
        let vertex: Vec<DVec3> = pair.iter().map(|[x, y]| DVec3::new(*x, *y, 0.0)).collect();
        let mut mesh = TriangleMesh { vertex: vertex.clone(), triangle: vec![[0, 1, 2], [2, 1, 3]] };
        let mut surface = ResampledSurface::new(&mesh, &ScanlineParams { spacing: 0.5, rounding }).unwrap();
        for step in 0..=20 {
            let t = f64::from(step) / 20.0;
            let by =
                |v: &DVec3| DVec3::new(v.x * (1.0 + 0.5 * t) + 0.3 * t * v.y, v.y * (1.0 + 0.3 * t), 0.0);
            mesh.vertex = vertex.iter().map(by).collect();
            surface.update(&mesh.vertex).unwrap();
            check(&mesh, &surface);
        }
    }
}

#[test]
fn rounded_up_every_place_of_a_deforming_pair_is_well_sampled() {
    // The default.
    assert_eq!(Rounding::default(), Rounding::Up);
    deform(Rounding::Up, |mesh, surface| {
        let q = quality(mesh, &surface.samples().position);
        assert!(q.under == 0.0 && q.over == 0.0, "{mesh:?} {q:?}");
    });
}

#[test]
fn rounded_down_few_places_are_under_sampled() {
    deform(Rounding::Down, |mesh, surface| {
        let q = quality(mesh, &surface.samples().position);
        assert!(q.under < 0.06 && q.over == 0.0 && q.min > 2.0, "{mesh:?} {q:?}");
    });
}

#[test]
fn scanlines_are_more_even_than_the_seven_point_rule() {
    for rounding in [Rounding::Down, Rounding::Up] {
        deform(rounding, |mesh, surface| {
            let seven = quality(mesh, &seven_point(mesh, 2.8).unwrap().position);
            let lines = quality(mesh, &surface.samples().position);
            assert!(lines.deviation / lines.mean < seven.deviation / seven.mean, "{lines:?} {seven:?}");
        });
    }
}

//! Maps beside integrals that are computed in another way.

use std::f64::consts::TAU;

use glam::DVec3;
use meniscus_core::Dimension;

use super::shared::SharedQuadrature;
use super::{BallQuadrature, DensityMap, MapParams, Profile, lattice_sum, quadrature};
use crate::distance::field::Lattice;
use crate::radial_kernel::tests::CubicSpline;
use crate::test_mesh::cube;
use crate::{Aabb, MeshShape, RadialKernel, Side, SignedDistance};

/// A distance given by a formula, with its gradient by differences.
struct Formula<F>(F);

impl<F: Fn(DVec3) -> f64 + Send + Sync> SignedDistance for Formula<F> {
    fn distance(&self, x: DVec3) -> f64 {
        (self.0)(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let slope = |axis: DVec3| ((self.0)(x + 1e-6 * axis) - (self.0)(x - 1e-6 * axis)) / 2e-6;
        ((self.0)(x), DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)))
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::ONE)
    }
}

fn box_distance(x: DVec3) -> f64 {
    let q = x.abs() - DVec3::ONE;
    q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
}

const SPACE: CubicSpline = CubicSpline { support_radius: 1.0, dimension: Dimension::Three };

/// ρ_B / ρ0 at a flat wall: ∫ γ(d + z) ∫ W over the disc at height z.
fn flat(profile: Profile, distance: f64) -> f64 {
    let disc = |z: f64| {
        let from = z.abs();
        let ends = if from < 0.5 { vec![from, 0.5, 1.0] } else { vec![from, 1.0] };
        let mut ring = |r: f64| TAU * r * SPACE.value(r);
        ends.windows(2).map(|e| quadrature::both(&mut ring, e[0], e[1]).0).sum::<f64>()
    };
    let breaks = [-1.0, -0.5, 0.0, 0.5, 1.0]
        .into_iter()
        .chain([-0.125, 0.0, 0.125, 0.5, 1.0, -1.0].map(|b| b - distance));
    let mut ends: Vec<f64> = breaks.filter(|z| z.abs() <= 1.0).collect();
    ends.sort_by(f64::total_cmp);
    let mut slice = |z: f64| profile.at(distance + z, 1.0) * disc(z);
    ends.windows(2).map(|e| quadrature::both(&mut slice, e[0], e[1]).0).sum()
}

#[test]
fn flat_walls_give_the_table_of_the_documentation() {
    let at = [-1.0, -0.5, 0.0, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0];
    let rows = [
        (Profile::Inflated, [2.0, 1.5, 1.0, 0.7501, 0.5030, 0.2770, 0.1107, 0.0030, 0.0]),
        (Profile::Flush, [1.1107, 0.9644, 0.5, 0.1951, 0.0385, 0.0023, 0.0, 0.0, 0.0]),
    ];
    let tilted = DVec3::new(0.36, 0.48, 0.8);
    for (profile, expected) in rows {
        let quadrature = BallQuadrature::weighted(&SPACE, profile, 1e-4, Dimension::Three).unwrap();
        let wall = Formula(|x: DVec3| x.dot(tilted));
        let exact = at.map(|d| flat(profile, d));
        let found = at.map(|d| quadrature.integrate(&wall, d * tilted));
        for i in 0..at.len() {
            assert!((exact[i] - expected[i]).abs() < 6e-5, "{profile:?} {exact:.4?}");
        }
        for i in 0..at.len() {
            assert!((found[i] - exact[i]).abs() < 1e-4, "{profile:?} {found:.6?} {exact:.6?}");
        }
    }
}

#[test]
fn corners_edges_and_thin_walls_agree_with_many_points() {
    let near = box_distance;
    let thin = |x: DVec3| {
        let q = x.abs() - DVec3::new(1.0, 1.0, 0.05);
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
    };
    let places = [DVec3::new(1.1, 1.05, 0.93), DVec3::new(0.95, 1.2, 0.1), DVec3::new(0.2, 0.1, 0.31)];
    for profile in [Profile::Inflated, Profile::Flush, Profile::Smooth] {
        let quadrature = BallQuadrature::weighted(&SPACE, profile, 1e-4, Dimension::Three).unwrap();
        for x in places {
            let found = [quadrature.integrate(&Formula(near), x), quadrature.integrate(&Formula(thin), x)];
            let many = |phi: &(dyn Fn(DVec3) -> f64 + Sync)| {
                lattice_sum(&Formula(phi), x, profile, 1.0, 40, |t| SPACE.value(t)).0
            };
            let many = [many(&near), many(&thin)];
            for (a, b) in found.into_iter().zip(many) {
                assert!((a - b).abs() < 2e-4, "{profile:?} {x} {found:?} {many:?}");
            }
        }
    }
}

#[test]
fn a_lattice_that_ends_half_a_spacing_off_the_wall_is_completed() {
    let spacing = 0.5;
    let lattice = |from: i32| {
        let mut sum = 0.0;
        for k in from..3 {
            for i in -2..3 {
                for j in -2..3 {
                    let r = spacing * DVec3::new(f64::from(i), f64::from(j), f64::from(k)).length();
                    sum += spacing.powi(3) * SPACE.value(r);
                }
            }
        }
        sum
    };
    let quadrature = BallQuadrature::weighted(&SPACE, Profile::Flush, 1e-5, Dimension::Three).unwrap();
    let wall = quadrature.integrate(&Formula(|x: DVec3| x.z), DVec3::new(0.0, 0.0, 0.5 * spacing));
    // What is left is the error of the lattice's sum over half a ball, 3.8 %, and of γ's ramp, 0.7 %.
    assert!((lattice(0) + wall - lattice(-2)).abs() < 0.05, "{} {wall} {}", lattice(0), lattice(-2));
}

/// \[Koschier2017\] Sec. 6, "Linear vs. Cubic", on a coarser grid.
#[test]
fn the_map_of_a_circle_in_the_plane() {
    let kernel = CubicSpline { support_radius: 0.1, dimension: Dimension::Two };
    let circle = Formula(|x: DVec3| x.truncate().length() - 1.0);
    let params = MapParams {
        cell: 0.05,
        profile: Profile::Inflated,
        dimension: Dimension::Two,
        ..MapParams::new(0.1)
    };
    let map = DensityMap::of_distance(&circle, &kernel, &params).unwrap();
    let exact = BallQuadrature::weighted(&kernel, Profile::Inflated, 1e-7, Dimension::Two).unwrap();
    let mut worst = 0f64;
    for i in 0..300 {
        let angle = f64::from(i) * 0.1;
        let x = (0.92 + 0.3 * f64::from(i) / 300.0) * DVec3::new(angle.cos(), angle.sin(), 0.0);
        let (value, gradient) = map.evaluate(x).unwrap();
        worst = worst.max((value - exact.integrate(&circle, x)).abs());
        // In units of 1 / support; beyond the last hundredth of the reach the cubic may swing.
        assert!(0.1 * gradient.dot(x) < 0.05, "{x} {gradient}");
    }
    assert!(worst < 4e-3, "{worst}");
    assert_eq!(map.evaluate(DVec3::new(1.21, 0.0, 0.0)), Some((0.0, DVec3::ZERO)));
    assert_eq!(map.evaluate(DVec3::ZERO), None);
}

#[test]
fn containers_are_inside_out() {
    let mesh = MeshShape::new(cube(1.0)).unwrap();
    let kernel = CubicSpline { support_radius: 0.2, dimension: Dimension::Three };
    let params = MapParams { side: Side::Container, cell: 0.2, tolerance: 1e-3, ..MapParams::new(0.2) };
    let map = DensityMap::of_mesh(&mesh, &kernel, &params).unwrap();
    let at = |d: f64| map.evaluate(DVec3::new(0.03, 0.5 - d, 0.02));
    assert!((at(0.0).unwrap().0 - 0.5).abs() < 2e-2);
    assert!((at(0.05).unwrap().0 - flat(Profile::Flush, 0.25)).abs() < 3e-2);
    assert!(at(0.05).unwrap().1.y > 1.0);
    assert_eq!(at(0.5), Some((0.0, DVec3::ZERO)));
    assert_eq!(at(-0.6), None);
}

/// Nodes of a lattice around the origin and the integral there.
fn shared(profile: Profile, tolerance: f64, phi: &(impl Fn(DVec3) -> f64 + Sync)) -> Vec<(DVec3, f64)> {
    let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(1.5));
    let lattice = Lattice::covering(bounds, 0.5, Dimension::Three).unwrap();
    let quadrature = SharedQuadrature::weighted(&lattice, &SPACE, profile, tolerance).unwrap();
    let nodes: Vec<u64> = (0..lattice.nodes()).step_by(11).collect();
    let values = quadrature.integrate(&nodes, &Formula(phi));
    nodes.iter().map(|node| lattice.node_position(*node)).zip(values).collect()
}

#[test]
fn walls_at_any_offset_meet_the_tolerance_at_every_node() {
    for (profile, tolerance) in [
        (Profile::Flush, 3.2e-4),
        (Profile::Flush, 1e-4),
        (Profile::Inflated, 3.2e-4),
        (Profile::Inflated, 1e-4),
        (Profile::Smooth, 1e-4),
    ] {
        for normal in [DVec3::Y, DVec3::new(0.36, 0.48, 0.8), DVec3::new(0.6, 0.8, 0.0)] {
            let mut worst = 0f64;
            for k in 0..4 {
                let phi = |x: DVec3| x.dot(normal) - f64::from(k) * 0.0371;
                for (x, value) in shared(profile, tolerance, &phi) {
                    worst = worst.max((value - flat(profile, phi(x))).abs());
                }
            }
            assert!(worst < tolerance, "{profile:?} {tolerance} {normal} {worst:.2e}");
        }
    }
}

#[test]
fn corners_edges_and_plates_meet_the_tolerance_at_nodes() {
    let shifted = |x: DVec3| box_distance(x + DVec3::new(0.03, 0.11, -0.07));
    let plate = |x: DVec3| {
        let q = x.abs() - DVec3::new(1.0, 1.1, 0.07);
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0)
    };
    let hollow = |x: DVec3| -shifted(x);
    let ball = |x: DVec3| x.length() - 0.8;
    let bodies: [(&str, &(dyn Fn(DVec3) -> f64 + Sync)); 4] =
        [("box", &shifted), ("plate", &plate), ("tank", &hollow), ("ball", &ball)];
    for profile in [Profile::Inflated, Profile::Flush, Profile::Smooth] {
        for (name, phi) in bodies {
            let values = shared(profile, 1e-4, &phi);
            let (mut worst, mut sum, mut count) = (0f64, 0.0, 0.0);
            for (x, value) in values.into_iter().filter(|(x, _)| phi(*x) > -0.3).step_by(9) {
                let many = lattice_sum(&Formula(phi), x, profile, 1.0, 22, |t| SPACE.value(t)).0;
                let error = (value - many).abs();
                (worst, sum, count) = (worst.max(error), sum + error, count + 1.0);
            }
            assert!(worst < 2e-4 && sum / count < 1e-4, "{profile:?} {name} {worst:.2e} {:.2e}", sum / count);
        }
    }
}

#[test]
fn maps_do_not_depend_on_threads() {
    let build = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| shared(Profile::Flush, 3e-4, &box_distance))
    };
    assert_eq!(build(1), build(3));
}

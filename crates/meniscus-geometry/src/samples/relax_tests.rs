use super::*;
use crate::Aabb;
use crate::samples::random::RandomStream;
use crate::samples::relax_random::{RandomRelaxParams, RandomRelaxation};

/// The experiment of \[Wang2017\] Sec. 5: random points in a square of 0.1 m.
fn square(seed: u64) -> (Aabb, Vec<DVec3>) {
    let mut random = RandomStream::new(seed);
    let points = (0..100).map(|_| DVec3::new(random.unit(), random.unit(), 0.0) * 0.1).collect();
    (Aabb { min: DVec3::ZERO, max: DVec3::new(0.1, 0.1, 0.0) }, points)
}

#[test]
fn no_point_of_the_experiment_is_too_near_in_the_end() {
    // 0.85 to 0.95 of the distance in a square lattice of 100 points, which is 0.01 m.
    for radius in [0.0085, 0.009, 0.0095] {
        let (mut before, mut left, mut tried) = (0, 0, 0);
        for seed in 0..6 {
            let (domain, points) = square(seed);
            let mut gradient = Relaxation::new(&points, &domain, RelaxParams::towards(radius)).unwrap();
            let params = RandomRelaxParams { radius, attempts: 20, sweeps: 100, seed };
            let mut random = RandomRelaxation::new(&points, &domain, params).unwrap();
            before += gradient.violations();
            for _ in 0..100 {
                gradient.sweep();
                random.sweep();
            }
            left += gradient.violations();
            tried += random.violations();
            assert!(gradient.samples().iter().all(|x| domain.contains(*x)));
        }
        assert!(before > 6 * 75 && left <= 6 && tried <= 6, "{radius}: {before} {left} {tried}");
    }
}

#[test]
fn an_even_lattice_stays() {
    let lattice: Vec<DVec3> =
        (0..100).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).collect();
    let domain = Aabb { min: DVec3::ZERO, max: DVec3::new(9.0, 9.0, 0.0) };
    let mut relaxation = Relaxation::new(&lattice, &domain, RelaxParams::towards(0.8)).unwrap();
    for _ in 0..10 {
        relaxation.sweep();
    }
    for (a, b) in relaxation.samples().iter().zip(&lattice) {
        assert!(a.distance(*b) < 1e-9);
    }
}

#[test]
fn crowds_nothing_and_bad_parameters_do_no_harm() {
    let domain = Aabb { min: DVec3::ZERO, max: DVec3::ONE };
    let mut crowd = Relaxation::new(&[DVec3::splat(0.5); 20], &domain, RelaxParams::towards(0.1)).unwrap();
    for _ in 0..5 {
        crowd.sweep();
    }
    assert!(crowd.samples().iter().all(|x| x.is_finite()));
    let mut nothing = Relaxation::new(&[], &domain, RelaxParams::towards(0.1)).unwrap();
    assert_eq!((nothing.sweep(), nothing.violations()), (0, 0));
    for radius in [0.0, f64::NAN, f64::INFINITY] {
        assert!(Relaxation::new(&[DVec3::ZERO], &domain, RelaxParams::towards(radius)).is_err());
    }
}

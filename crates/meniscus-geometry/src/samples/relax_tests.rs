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
fn fewer_points_of_the_experiment_are_too_near_than_after_trials() {
    // 0.95 to 1.07 of the distance in a square lattice of 100 points, which is 0.01 m; the last is the densest packing's.
    for (radius, most) in [(0.0095, 0), (0.01, 0), (0.0103, 12), (0.0107, 40)] {
        let (mut left, mut tried) = (0, 0);
        for seed in 0..12 {
            let (domain, points) = square(seed);
            let params = RelaxParams { radius, sweeps: 100 };
            let mut gradient = Relaxation::new(&points, &domain, params).unwrap();
            let params = RandomRelaxParams { radius, attempts: 20, sweeps: 100, seed };
            let mut random = RandomRelaxation::new(&points, &domain, params).unwrap();
            assert!(gradient.violations() > 80);
            for _ in 0..100 {
                gradient.sweep();
                random.sweep();
            }
            left += gradient.violations();
            tried += random.violations();
            assert!(gradient.samples().iter().all(|x| domain.contains(*x)));
        }
        assert!(left <= most, "{radius}: {left} {tried}");
        assert!(radius < 0.0105 || 2 * left < tried, "{radius}: {left} {tried}");
    }
}

#[test]
fn samples_do_not_depend_on_threads() {
    let (domain, _) = square(0);
    let mut random = RandomStream::new(3);
    let points: Vec<DVec3> = (0..6000).map(|_| DVec3::new(random.unit(), random.unit(), 0.0) * 0.1).collect();
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let params = RelaxParams { radius: 0.0012, sweeps: 3 };
            let mut relaxation = Relaxation::new(&points, &domain, params).unwrap();
            (0..3).for_each(|_| assert!(relaxation.sweep() > 0));
            relaxation.samples().to_vec()
        })
    };
    assert_eq!(with(1), with(3));
}

#[test]
fn an_even_lattice_stays() {
    let lattice: Vec<DVec3> =
        (0..100).map(|i| DVec3::new(f64::from(i % 10), f64::from(i / 10), 0.0)).collect();
    let domain = Aabb { min: DVec3::ZERO, max: DVec3::new(9.0, 9.0, 0.0) };
    let mut relaxation = Relaxation::new(&lattice, &domain, RelaxParams { radius: 0.8, sweeps: 10 }).unwrap();
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
    let mut crowd =
        Relaxation::new(&[DVec3::splat(0.5); 20], &domain, RelaxParams { radius: 0.1, sweeps: 5 }).unwrap();
    for _ in 0..5 {
        crowd.sweep();
    }
    assert!(crowd.samples().iter().all(|x| x.is_finite()));
    let mut nothing = Relaxation::new(&[], &domain, RelaxParams { radius: 0.1, sweeps: 5 }).unwrap();
    assert_eq!((nothing.sweep(), nothing.violations()), (0, 0));
    for radius in [0.0, f64::NAN, f64::INFINITY] {
        assert!(Relaxation::new(&[DVec3::ZERO], &domain, RelaxParams { radius, sweeps: 5 }).is_err());
    }
}

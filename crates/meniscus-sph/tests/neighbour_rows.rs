//! Neighbour rows beside a brute-force search in double precision, for clouds that are hard on grids: clusters,
//! coincident particles, and particles so far apart that distant cells share an entry of the table.

use glam::DVec3;
use meniscus_core::{Dimension, InterfacePoints};
use meniscus_sph::boundary::Boundary;
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_sph::neighbourhood::{FluidParams, Neighbourhood, Surroundings};
use meniscus_sph::particles::Particles;

const SPACING: f64 = 0.013;

/// Numbers in [0, 1), the same in every run (SplitMix64).
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A point of the cube [−half, half]³.
    fn point(&mut self, half: f64) -> DVec3 {
        let mut c = || half * (2.0 * self.unit() - 1.0);
        DVec3::new(c(), c(), c())
    }
}

/// `n` points about `centre` that fill their box about as densely as a fluid.
fn cloud(random: &mut Random, n: usize, centre: DVec3, dimension: Dimension) -> Vec<DVec3> {
    let half = 0.5 * SPACING * (n as f64).powf(1.0 / f64::from(dimension.count()));
    (0..n).map(|_| centre + random.point(half)).collect()
}

/// The clouds to be tried, by name.
fn clouds(dimension: Dimension, support: f64, seed: u64) -> Vec<(&'static str, Vec<DVec3>)> {
    let random = &mut Random(seed);
    let away = DVec3::new(37.0, -12.5, 3.1);
    let uniform = cloud(random, 2500, away, dimension);

    let mut clusters = cloud(random, 700, DVec3::ZERO, dimension);
    for _ in 0..6 {
        let centre = random.point(4.0 * SPACING);
        clusters.extend((0..60).map(|_| centre + random.point(0.02 * SPACING)));
        clusters.extend([centre; 19]);
    }
    let twice = clusters[..100].to_vec();
    clusters.extend(twice);

    // Two clouds a thousand support radii apart, strangers everywhere between them, and rows of strangers that stand
    // behind one particle in each axis: whatever the size of the table, some of them share its entries.
    let mut far = cloud(random, 900, DVec3::ZERO, dimension);
    far.extend(cloud(random, 900, DVec3::new(1000.0 * support, 0.3 * support, 0.0), dimension));
    far.extend((0..200).map(|_| random.point(500.0 * support) + 500.0 * support * DVec3::X));
    let first = far[0];
    for axis in DVec3::AXES {
        far.extend((1..300).map(|n| first + 3.0 * f64::from(n) * support * axis));
    }

    let mut all = vec![
        ("uniform", uniform),
        ("clusters", clusters),
        ("far apart", far),
        ("one", vec![DVec3::splat(0.3)]),
        ("two that are one", vec![DVec3::splat(0.3); 2]),
        ("two at the ends of the world", vec![DVec3::ZERO, DVec3::splat(1000.0 * support)]),
        ("none", vec![]),
    ];
    if dimension == Dimension::Two {
        all.iter_mut().flat_map(|(_, x)| x).for_each(|x| x.z = 0.0);
    }
    all
}

fn rows_of(fluid: &FluidParams, position: &[DVec3]) -> (Neighbourhood, Particles) {
    let low = position.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = position.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let (low, high) = if position.is_empty() { (DVec3::ZERO, DVec3::ZERO) } else { (low, high) };
    let frame = FixedFrame::covering(low, high, fluid.kernel.support_radius).unwrap();
    let mut particles = Particles::default();
    for &x in position {
        particles.push(x, DVec3::ZERO);
    }
    let mut neighbourhood = Neighbourhood::default();
    let (mut walls, mut points) = (Boundary::default(), InterfacePoints::default());
    let mut around =
        Surroundings { boundary: &mut walls, bodies: &[], points: &mut points, gravity: DVec3::ZERO };
    neighbourhood.rebuild(fluid, &frame, &mut particles, &mut around);
    (neighbourhood, particles)
}

#[derive(Debug, Default, Clone, Copy)]
struct Worst {
    /// Relative to the steepest gradient of the kernel.
    gradient: f64,
    /// Relative to the density.
    density: f64,
    /// Pairs that only one of both searches found, all of them at the rim of the support.
    rim_pairs: usize,
    pairs: usize,
}

/// Compares all rows with the reference; the rows' particles are in cell order.
fn compare(name: &str, fluid: &FluidParams, neighbourhood: &Neighbourhood, position: &[DVec3]) -> Worst {
    let kernel = &fluid.kernel;
    let (support, volume) = (kernel.support_radius, fluid.kernel_volume());
    let steepest = (1..1000)
        .map(|i| volume * kernel.derivative(f64::from(i) * 1e-3 * support).abs())
        .fold(0.0, f64::max);
    let n = position.len();
    assert_eq!((neighbourhood.sum.len(), neighbourhood.density.len()), (n, n), "{name}");
    let mut worst = Worst::default();
    let mut gradient = vec![None; n];
    for i in 0..n {
        gradient.fill(None);
        let mut listed = 0;
        for (j, g) in neighbourhood.rows.neighbours(i) {
            assert!(gradient[j].replace(g).is_none(), "{name}: {j} is twice in the row of {i}");
            listed += 1;
        }
        assert_eq!(neighbourhood.sum[i].neighbours, listed, "{name}: row {i}");
        let mut density = 0.0;
        for j in 0..n {
            let offset = position[i] - position[j];
            let r = offset.length();
            density += volume * kernel.value(r);
            if i == j {
                continue;
            }
            if (r < support) != gradient[j].is_some() {
                assert!((r / support - 1.0).abs() < 1e-5, "{name}: {i} and {j} are {r} m apart");
                worst.rim_pairs += 1;
            }
            let Some(found) = gradient[j] else { continue };
            worst.pairs += 1;
            let slope = volume * kernel.derivative(r);
            let exact = if r > 0.0 { slope * offset / r } else { DVec3::ZERO };
            let error = (DVec3::from(found.map(f64::from)) - exact).length() / steepest;
            worst.gradient = worst.gradient.max(error);
        }
        for found in [neighbourhood.sum[i].density, neighbourhood.density[i]] {
            worst.density = worst.density.max((f64::from(found) / density - 1.0).abs());
        }
    }
    worst
}

/// V ∇W_ij = −V ∇W_ji for all pairs, exactly, and each row's sum belongs to its entries.
fn assert_antisymmetric(name: &str, neighbourhood: &Neighbourhood, n: usize) {
    let rows: Vec<Vec<(usize, [f32; 3])>> = (0..n)
        .map(|i| {
            let mut row: Vec<_> = neighbourhood.rows.neighbours(i).collect();
            row.sort_unstable_by_key(|entry| entry.0);
            row
        })
        .collect();
    for (i, row) in rows.iter().enumerate() {
        let mut total = DVec3::ZERO;
        let mut size = 0.0;
        for &(j, here) in row {
            let Ok(back) = rows[j].binary_search_by_key(&i, |entry| entry.0) else {
                panic!("{name}: {j} is near {i}, but {i} is not near {j}");
            };
            let there = rows[j][back].1;
            // Exactly opposite; of a zero either sign will do.
            assert!((0..3).all(|c| here[c] + there[c] == 0.0), "{name}: {i} {j}: {here:?} {there:?}");
            total += DVec3::from(here.map(f64::from));
            size += DVec3::from(here.map(f64::from)).length();
        }
        let sum = DVec3::from(neighbourhood.sum[i].gradient.map(f64::from));
        assert!((sum - total).length() <= 1e-5 * size, "{name}: row {i} adds up to {total}, not {sum}");
    }
}

fn check(dimension: Dimension) {
    let mut seed = 1;
    for kind in [KernelKind::CubicSpline, KernelKind::WendlandC2] {
        for ratio in [2.0, 2.6, 3.3] {
            let kernel = Kernel { kind, support_radius: ratio * SPACING, dimension };
            let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
            for (name, position) in clouds(dimension, kernel.support_radius, seed) {
                let (neighbourhood, particles) = rows_of(&fluid, &position);
                let worst = compare(name, &fluid, &neighbourhood, &particles.position);
                println!("{dimension:?} {kind:?} {ratio} {name}: {worst:?}");
                assert!(worst.gradient < 1e-4, "{kind:?} {ratio} {name}: {worst:?}");
                assert!(worst.density < 1e-5, "{kind:?} {ratio} {name}: {worst:?}");
                assert!(position.len() < 100 || worst.pairs > position.len(), "{name}: {worst:?}");
                assert!(worst.rim_pairs <= worst.pairs / 1000, "{name}: {worst:?}");
                assert_antisymmetric(name, &neighbourhood, position.len());
            }
            seed += 1;
        }
    }
}

#[test]
fn rows_in_the_plane_agree_with_brute_force() {
    check(Dimension::Two);
}

#[test]
fn rows_in_space_agree_with_brute_force() {
    check(Dimension::Three);
}

#[test]
fn a_coarser_frame_is_as_good_as_its_unit() {
    // 400 000 support radii: a cell has only 2^12 units left.
    let support = 2.0 * SPACING;
    let kernel =
        Kernel { kind: KernelKind::CubicSpline, support_radius: support, dimension: Dimension::Three };
    let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
    let mut position = cloud(&mut Random(5), 400, DVec3::ZERO, Dimension::Three);
    position.push(DVec3::X * 4e5 * support);
    let (neighbourhood, particles) = rows_of(&fluid, &position);
    let unit = neighbourhood.unit / support;
    assert!((1e-4..3e-4).contains(&unit), "{unit}");
    for (i, &x) in particles.position.iter().enumerate() {
        let exact: f64 =
            particles.position.iter().map(|y| fluid.kernel_volume() * kernel.value(x.distance(*y))).sum();
        assert!(
            (f64::from(neighbourhood.density[i]) - exact).abs() < 20.0 * unit,
            "{} {exact}",
            neighbourhood.density[i]
        );
    }
    assert_antisymmetric("coarse", &neighbourhood, position.len());
}

/// What a look at particles between two steps finds is used again by the step: it must be what the step would have found, and
/// nothing must be used again once a particle has moved.
#[test]
fn looking_twice_is_like_looking_once() {
    let kernel =
        Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * SPACING, dimension: Dimension::Three };
    let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
    let mut position = cloud(&mut Random(5), 1500, DVec3::ZERO, Dimension::Three);
    let frame = FixedFrame::covering(DVec3::splat(-1.0), DVec3::ONE, fluid.kernel.support_radius).unwrap();
    let rows = |neighbourhood: &Neighbourhood| {
        let row = |i: usize| {
            neighbourhood
                .rows
                .neighbours(i)
                .map(|(j, gradient)| (j, gradient.map(f32::to_bits)))
                .collect::<Vec<_>>()
        };
        (0..neighbourhood.sum.len()).map(row).collect::<Vec<_>>()
    };
    let mut neighbourhood = Neighbourhood::default();
    for _ in 0..2 {
        let (mut walls, mut points) = (Boundary::default(), InterfacePoints::default());
        let gravity = DVec3::ZERO;
        let mut around = Surroundings { boundary: &mut walls, bodies: &[], points: &mut points, gravity };
        neighbourhood.look_at(&fluid, &frame, &position, &mut around);
        let density: Vec<u32> = neighbourhood.density.iter().map(|rho| rho.to_bits()).collect();
        let particles = || {
            let mut particles = Particles::default();
            for &x in &position {
                particles.push(x, DVec3::ZERO);
            }
            particles
        };
        let (mut again, mut anew, mut fresh) = (particles(), particles(), Neighbourhood::default());
        neighbourhood.rebuild(&fluid, &frame, &mut again, &mut around);
        fresh.rebuild(&fluid, &frame, &mut anew, &mut around);
        assert_eq!(again, anew);
        assert_eq!((neighbourhood.order(), rows(&neighbourhood)), (fresh.order(), rows(&fresh)));
        assert_eq!(density, fresh.density.iter().map(|rho| rho.to_bits()).collect::<Vec<_>>());
        // A single particle moves, by less than its distance from others.
        position[700].y += 0.1 * SPACING;
    }
}

/// A place in a row counts from its block's base and has 16 bits. Whatever the number of particles, the last ones are in reach, and so are
/// those of neighbouring layers when a layer has more than places reach.
#[test]
fn more_particles_than_places_reach() {
    let kernel =
        Kernel { kind: KernelKind::CubicSpline, support_radius: 2.0 * SPACING, dimension: Dimension::Three };
    let fluid = FluidParams { spacing: SPACING, rest_density: 1000.0, kernel };
    let block = |x: usize, y: usize, z: usize| {
        let place = move |n: usize| DVec3::new((n % x) as f64, (n / x % y) as f64, (n / (x * y)) as f64);
        (0..x * y * z).map(move |n| SPACING * place(n))
    };
    for more in 0..8 {
        let mut position: Vec<DVec3> = block(41, 40, 40).collect();
        position.extend((1..=more).map(|n| SPACING * DVec3::new(10.0 + f64::from(n), 10.0, 40.0)));
        assert!(position.len() > 1 << 16);
        let (neighbourhood, particles) = rows_of(&fluid, &position);
        for i in (0..position.len()).step_by(97).chain(position.len() - 40..position.len()) {
            let near = |x: &DVec3| x.distance(particles.position[i]) < 1.99 * SPACING;
            let expected = particles.position.iter().filter(|x| near(x)).count() - 1;
            let found =
                neighbourhood.rows.neighbours(i).filter(|(j, _)| near(&particles.position[*j])).count();
            assert_eq!(found, expected, "{more} more: row {i}");
        }
    }
    // Two layers of cells of 400 x 400 x 2 particles each.
    let position: Vec<DVec3> = block(400, 400, 4).collect();
    let (neighbourhood, particles) = rows_of(&fluid, &position);
    for i in (0..position.len()).step_by(3989) {
        let near = |x: &DVec3| x.distance(particles.position[i]) < 1.99 * SPACING;
        let expected = particles.position.iter().filter(|x| near(x)).count() - 1;
        let found = neighbourhood.rows.neighbours(i).filter(|(j, _)| near(&particles.position[*j])).count();
        assert_eq!(found, expected, "layers: row {i}");
    }
}

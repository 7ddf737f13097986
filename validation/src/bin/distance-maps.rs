//! Signs, distance fields and density maps beside independent computations; the figures of `validation/distance-maps`.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use glam::DVec3;
use meniscus_core::Dimension;
use meniscus_geometry::field::{Lattice, UniformField};
use meniscus_geometry::map::BallQuadrature;
use meniscus_geometry::{
    Aabb, Band, DensityMap, DistanceField, MapParams, MeshDistance, MeshShape, Profile, SerendipityField,
    Side, SignedDistance, SixRayVote, TriangleMesh,
};
use meniscus_sph::kernel::{Kernel, KernelKind};
use meniscus_validation::meshes;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::Instant;

/// Points for each mesh `[1]`.
const POINTS: u32 = 100_000;

/// Compares signs, distance fields and density maps with independent computations
#[derive(Debug, Parser)]
struct Args {
    /// Which parts to run; if left out, all
    #[arg(value_enum)]
    part: Vec<Part>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Part {
    /// Ns of an evaluation
    Speed,
    /// The map of a tank
    Tank,
    /// Linear and cubic maps of a circle
    Circle,
    /// Signs of closed and damaged meshes
    Signs,
}

fn main() -> Result<()> {
    let asked = Args::parse().part;
    for part in Part::value_variants().iter().filter(|part| asked.is_empty() || asked.contains(part)) {
        match part {
            Part::Speed => speed()?,
            Part::Tank => tank()?,
            Part::Circle => circle()?,
            Part::Signs => signs()?,
        }
    }
    Ok(())
}

/// Evenly spread numbers from 0 to 1.
fn spread(i: u32) -> DVec3 {
    DVec3::new(0.819_172_513_4, 0.671_043_606_7, 0.549_700_477_9).map(|f| (f64::from(i) * f).fract())
}

/// Inside by the sum of all solid angles, without a tree.
fn inside(mesh: &MeshShape, x: DVec3) -> bool {
    let angle = |[a, b, c]: [DVec3; 3]| {
        let (a, b, c) = (a - x, b - x, c - x);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        a.dot(b.cross(c)).atan2(la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb)
    };
    mesh.mesh().corners().map(angle).sum::<f64>() > std::f64::consts::PI
}

/// A hundredth of the triangles goes.
fn damaged(mesh: &TriangleMesh) -> TriangleMesh {
    let mut out = mesh.clone();
    let mut i = 0u32;
    out.triangle.retain(|_| {
        i += 1;
        let mut h = i.wrapping_mul(0x9e37_79b9);
        h ^= h >> 15;
        h.wrapping_mul(0x85eb_ca6b) >> 8 >= (1 << 24) / 100
    });
    out
}

fn signs() -> Result<()> {
    let cases = [
        ("box", meshes::tessellated_box(DVec3::ONE, 12)),
        ("ball", meshes::ball(12, 0.0)),
        ("torus", meshes::torus(24, 0.0)),
        ("plate", meshes::tessellated_box(DVec3::new(1.0, 0.7, 0.004), 12)),
        ("spiky ball", meshes::ball(14, 0.35)),
        ("bumpy torus", meshes::torus(24, 0.4)),
        ("touching boxes", meshes::touching(6)),
    ];
    println!("| mesh | triangles | removed | wrong, closed | wrong, gaps: winding number | six-ray vote |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for (name, mesh) in cases {
        let gaps = MeshShape::new(damaged(&mesh))?;
        let closed = MeshShape::new(mesh)?;
        anyhow::ensure!(closed.is_watertight(), "{name} is not closed");
        let bounds = closed.mesh().bounds();
        let (exact, bridged) = (MeshDistance::new(&closed), MeshDistance::new(&gaps));
        let vote = SixRayVote::new(&gaps, 1e-6);
        let wrong = (0..POINTS).into_par_iter().map(|i| {
            let x = bounds.min + bounds.size() * (1.2 * spread(i) - 0.1);
            let truth = inside(&closed, x);
            [exact.distance(x) < 0.0, bridged.is_inside(x), vote.is_inside(x)].map(|v| u32::from(v != truth))
        });
        let add = |a: [u32; 3], b: [u32; 3]| std::array::from_fn(|k| a[k] + b[k]);
        let wrong = wrong.reduce(|| [0; 3], add);
        let [none, gap, voted] = wrong.map(|w| 100.0 * f64::from(w) / f64::from(POINTS));
        let triangles = closed.mesh().triangle.len();
        let removed = triangles - gaps.mesh().triangle.len();
        println!("| {name} | {triangles} | {removed} | {none:.3} % | {gap:.3} % | {voted:.3} % |");
    }
    Ok(())
}

/// A disc of radius 1.
struct Circle;

impl SignedDistance for Circle {
    fn distance(&self, x: DVec3) -> f64 {
        x.truncate().length() - 1.0
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        (self.distance(x), x.with_z(0.0).normalize_or_zero())
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, DVec3::ONE)
    }
}

/// Linear against cubic cells, \[Koschier2017\] Sec. 6.
fn circle() -> Result<()> {
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 0.1, dimension: Dimension::Two };
    let fine = BallQuadrature::weighted(&kernel, Profile::Inflated, 1e-6, Dimension::Two)?;
    let exact = |x: DVec3| fine.integrate(&Circle, x);
    // All of the plane that the body acts on.
    let domain = Aabb::around(DVec3::ZERO, DVec3::splat(1.2));
    let cubic = Lattice::covering(domain, 2.4 / 45.0, Dimension::Two)?;
    let linear = Lattice::covering(domain, 2.4 / 101.0, Dimension::Two)?;
    let cubic = SerendipityField::sample(cubic, Band::ALL, exact, exact)?;
    let linear = UniformField::sample(linear, exact);
    let count = 40_000;
    let errors: Vec<[f64; 2]> = (0..count)
        .into_par_iter()
        .map(|i| {
            let x = (domain.min + domain.size() * spread(i)).with_z(0.0);
            let truth = exact(x);
            let of = |value: Option<(f64, DVec3)>| value.map_or(f64::NAN, |(v, _)| (v - truth).abs());
            [of(cubic.evaluate(x)), of(linear.evaluate(x))]
        })
        .collect();
    let mean = |k: usize| errors.iter().map(|e| e[k]).sum::<f64>() / f64::from(count);
    let most = |k: usize| errors.iter().map(|e| e[k]).fold(0.0, f64::max);
    println!("\ncircle, domain ±1.2, {} cubic nodes:", cubic.sampled_nodes());
    println!("cubic 45²: mean {:.2e}, max {:.2e} (paper 3.04e-3)", mean(0), most(0));
    println!("linear 101²: mean {:.2e}, max {:.2e} (paper 1.06e-2)", mean(1), most(1));
    Ok(())
}

/// Nanoseconds for each evaluation, on one core, with all cells in the cache.
fn speed() -> Result<()> {
    let mesh = MeshShape::new(meshes::ball(16, 0.0))?;
    let field = DistanceField::build(&mesh, 0.15, Band { inner: 0.2, outer: 0.2 })?;
    let lattice = Lattice::covering(Aabb::around(DVec3::ZERO, DVec3::splat(1.3)), 0.15, Dimension::Three)?;
    let linear = UniformField::sample(lattice, |x| x.length() - 1.0);
    let points: Vec<DVec3> =
        (0..4096).map(|i| (spread(i) - 0.5).normalize() * (0.9 + 0.2 * spread(7 * i).x)).collect();
    println!("\n{:.0} kB of cubic cells", field.field().memory_bytes() as f64 / 1e3);
    let time = |name: &str, f: &dyn Fn(DVec3) -> f64| {
        let mut best = f64::INFINITY;
        for _ in 0..60 {
            let start = Instant::now();
            let sum: f64 = points.iter().map(|x| f(*x)).sum();
            black_box(sum);
            best = best.min(start.elapsed().as_nanos() as f64 / points.len() as f64);
        }
        println!("{name}: {best:.1} ns");
    };
    time("cubic, value and gradient", &|x| field.evaluate(x).map_or(0.0, |(v, g)| v + g.x + g.y + g.z));
    time("cubic, value", &|x| field.distance(x));
    time("trilinear, value and gradient", &|x| linear.evaluate(x).map_or(0.0, |(v, g)| v + g.x + g.y + g.z));
    time("mesh itself", &|x| mesh.distance(x));
    Ok(())
}

/// The tank: 2.5 × 2 × 1 m in cells of 0.1 m with a support of 0.1 m.
fn tank() -> Result<()> {
    let mesh = MeshShape::new(meshes::tessellated_box(DVec3::new(2.5, 2.0, 1.0), 1))?;
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 0.1, dimension: Dimension::Three };
    println!(
        "\n| profile | seconds | cells kept | nodes | MB | MB dense | quadrature error: mean, max | against the mesh |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- |");
    for profile in [Profile::Inflated, Profile::Flush] {
        let params = MapParams {
            cell: 0.1,
            distance_cell: 0.05,
            profile,
            side: Side::Container,
            ..MapParams::new(0.1)
        };
        let start = Instant::now();
        let map = DensityMap::of_mesh(&mesh, &kernel, &params)?;
        let seconds = start.elapsed().as_secs_f64();
        let field = map.field();
        let [mean, most, mean_mesh, most_mesh] = tank_error(&mesh, &kernel, &params)?;
        println!(
            "| {profile:?} | {seconds:.2} | {} of {} | {} | {:.2} | {:.2} | {mean:.1e}, {most:.1e} | {mean_mesh:.1e}, {most_mesh:.1e} |",
            field.kept_cells(),
            field.lattice().cells(),
            field.sampled_nodes(),
            field.memory_bytes() as f64 / 1e6,
            field.dense_bytes() as f64 / 1e6,
        );
    }
    Ok(())
}

/// Errors at random places near the walls, half of them near edges: of the quadrature beside a sum over many cells of
/// the same sampled distance, and beside the same sum over the exact distance.
fn tank_error(mesh: &MeshShape, kernel: &Kernel, params: &MapParams) -> Result<[f64; 4]> {
    let s = kernel.support_radius;
    let field = DistanceField::build(mesh, params.distance_cell, Band { inner: 2.0 * s, outer: 4.0 * s })?;
    let exact = MeshDistance::new(mesh);
    let quadrature = BallQuadrature::weighted(kernel, params.profile, params.tolerance, Dimension::Three)?;
    let brute = |phi: &(dyn Fn(DVec3) -> f64 + Sync), x: DVec3| {
        let n = 64;
        let h = 2.0 * s / f64::from(n);
        let cell = |i: i32| {
            let at = DVec3::new(f64::from(i % n), f64::from(i / n % n), f64::from(i / n / n)) + 0.5;
            let y = h * at - DVec3::splat(s);
            h.powi(3) * kernel.value(y.length()) * params.profile.at(phi(x + y), s)
        };
        (0..n * n * n).map(cell).sum::<f64>()
    };
    let half = 0.5 * mesh.mesh().bounds().size();
    let errors: Vec<[f64; 2]> = (1..65u32)
        .into_par_iter()
        .map(|i| {
            let mut x = half * (2.0 * spread(i) - 1.0);
            for k in 0..=i % 3 {
                let axis = ((i + k) % 3) as usize;
                x[axis] = half[axis] - 2.0 * s * (spread(i + 99).x - 0.3);
            }
            let value = quadrature.integrate(&Inverted(&field), x);
            let sampled = brute(&|x| -field.distance(x), x);
            [(value - sampled).abs(), (value - brute(&|x| -exact.distance(x), x)).abs()]
        })
        .collect();
    let mean = |k: usize| errors.iter().map(|e| e[k]).sum::<f64>() / errors.len() as f64;
    let most = |k: usize| errors.iter().map(|e| e[k]).fold(0.0, f64::max);
    Ok([mean(0), most(0), mean(1), most(1)])
}

/// A container's distance: positive inside.
struct Inverted<'a>(&'a DistanceField);

impl SignedDistance for Inverted<'_> {
    fn distance(&self, x: DVec3) -> f64 {
        -self.0.distance(x)
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (distance, gradient) = self.0.distance_and_gradient(x);
        (-distance, -gradient)
    }

    fn bounds(&self) -> Aabb {
        self.0.bounds()
    }
}

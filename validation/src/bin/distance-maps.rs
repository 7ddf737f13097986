//! Signs, distance fields and density maps beside independent computations; the figures of `validation/distance-maps`.

use anyhow::Result;
use clap::{Parser, ValueEnum};
use glam::{DVec2, DVec3};
use meniscus_core::Dimension;
use meniscus_geometry::UniformField;
use meniscus_geometry::distance::SixRayVote;
use meniscus_geometry::distance::field::Lattice;
use meniscus_geometry::map::{FluidDistance, lattice_sum};
use meniscus_geometry::shape::builtin::{Cup, CylinderMesh, Duck, HollowSphere, SphereMesh, Statue};
use meniscus_geometry::{
    Aabb, Band, DensityMap, DistanceField, GeometryError, MapParams, MeshDistance, MeshShape, Profile, Side,
    SignedDistance, TriangleMesh, VolumeMap,
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
    /// Maps of a tank, a ball and a duck
    Tank,
    /// How long density maps of meshes with many creases take
    Creases,
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
            Part::Creases => creases()?,
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

/// ρ_B / ρ0 of the disc by rings: ∫ W(r) r ∫ γ(Φ) dα dr, by the midpoint rule in both, which knows the circle only.
fn ring_sum(kernel: &Kernel, x: DVec3) -> f64 {
    let (s, away) = (kernel.support_radius, x.truncate().length());
    let (rings, parts) = (100, 100);
    let ring = |i: i32| {
        let r = s * (f64::from(i) + 0.5) / f64::from(rings);
        let gamma = |k: i32| {
            let angle = std::f64::consts::PI * (f64::from(k) + 0.5) / f64::from(parts);
            let phi = (away * away + r * r + 2.0 * away * r * angle.cos()).sqrt() - 1.0;
            Profile::Inflated.at(phi, s)
        };
        let mean = (0..parts).map(gamma).sum::<f64>() / f64::from(parts);
        DVec2::new(r * kernel.value(r) * mean, r * kernel.value(r))
    };
    // Over the sum of weights, as the integral of W is one.
    let sum = (0..rings).map(ring).sum::<DVec2>();
    sum.x / sum.y
}

/// Linear against cubic cells, \[Koschier2017\] Sec. 6.
fn circle() -> Result<()> {
    let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius: 0.1, dimension: Dimension::Two };
    // All of the plane that the body acts on.
    let domain = Aabb::around(DVec3::ZERO, DVec3::splat(1.2));
    let params = MapParams {
        cell: 2.4 / 45.0,
        depth: 1.1,
        profile: Profile::Inflated,
        dimension: Dimension::Two,
        ..MapParams::new(0.1)
    };
    let start = Instant::now();
    let cubic = DensityMap::of_distance(&Circle, &kernel, &params)?;
    let seconds = start.elapsed().as_secs_f64();
    let linear = Lattice::covering(domain, 2.4 / 101.0, Dimension::Two)?;
    let linear = UniformField::sample(linear, |x| ring_sum(&kernel, x));
    let count = 40_000;
    let errors: Vec<[f64; 2]> = (0..count)
        .into_par_iter()
        .map(|i| {
            let x = (domain.min + domain.size() * spread(i)).with_z(0.0);
            let truth = ring_sum(&kernel, x);
            let of = |value: Option<(f64, DVec3)>| value.map_or(f64::NAN, |(v, _)| (v - truth).abs());
            [of(cubic.evaluate(x)), of(linear.evaluate(x))]
        })
        .collect();
    let mean = |k: usize| errors.iter().map(|e| e[k]).sum::<f64>() / f64::from(count);
    let most = |k: usize| errors.iter().map(|e| e[k]).fold(0.0, f64::max);
    println!("\ncircle, domain ±1.2, {} cubic nodes, {seconds:.3} s:", cubic.field().sampled_nodes());
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

/// A box or a ball by its formula.
struct Formula {
    half: DVec3,
    round: f64,
}

impl SignedDistance for Formula {
    fn distance(&self, x: DVec3) -> f64 {
        let q = x.abs() - self.half;
        q.max(DVec3::ZERO).length() + q.max_element().min(0.0) - self.round
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let slope = |axis: DVec3| (self.distance(x + 1e-6 * axis) - self.distance(x - 1e-6 * axis)) / 2e-6;
        (self.distance(x), DVec3::new(slope(DVec3::X), slope(DVec3::Y), slope(DVec3::Z)))
    }

    fn bounds(&self) -> Aabb {
        Aabb::around(DVec3::ZERO, self.half + self.round)
    }
}

/// Density and volume maps of a tank, a ball and a duck: time, and errors at nodes.
fn tank() -> Result<()> {
    let size = DVec3::new(2.5, 2.0, 1.0);
    let formula = Formula { half: 0.5 * size, round: 0.0 };
    let ball = Formula { half: DVec3::ZERO, round: 0.5 };
    let mesh = MeshShape::new(meshes::tessellated_box(size, 1))?;
    let many = MeshShape::new(meshes::tessellated_box(size, 16))?;
    let duck = Duck { length: 1.0, triangles: Duck::TRIANGLES };
    let duck = MeshShape::new(duck.mesh()?)?;
    println!(
        "\n| map | body | profile | seconds | cpu seconds | cells kept | nodes | MB | mean | largest | reference |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |");
    for profile in [Profile::Flush, Profile::Inflated, Profile::Smooth] {
        let within = Side::Container;
        report("tank", &formula, within, 0.2, profile)?;
        report("tank, 12 triangles", &MeshDistance::new(&mesh), within, 0.2, profile)?;
        report("tank, 3072 triangles", &MeshDistance::new(&many), within, 0.2, profile)?;
        report("ball, radius 0.5 m", &ball, Side::Solid, 0.1, profile)?;
        report("duck, 1 m", &MeshDistance::new(&duck), Side::Solid, 0.1, profile)?;
    }
    Ok(())
}

/// Density maps of meshes whose facets crease the distance, with supports and cells as runs have them: time alone.
fn creases() -> Result<()> {
    // The map's kernel is narrower than the fluid's, in space 1.056 spacings.
    let narrow = 1.056;
    let cup = Cup { radius: 0.04, height: 0.1, thickness: 0.005, segments: 15 }.mesh()?;
    let hollow = HollowSphere { radius: 0.4, thickness: 0.08, segments: 48 }.mesh()?;
    let dragon = meshes::quartered(&Statue { height: 1.0, triangles: 12_500 }.mesh()?);
    let cases = [
        ("cup, spacing 5 mm", cup.clone(), 0.005 * narrow, 0.5),
        ("cup that a script leads", cup, 0.005 * narrow, 0.25),
        ("hollow sphere of Fig. 10", hollow.clone(), 0.03 * narrow, 0.5),
        ("the same, support 60 mm", hollow, 0.06, 0.5),
        ("ball, radius 0.1 m", SphereMesh { radius: 0.1, segments: 48 }.mesh()?, 0.02, 0.5),
        ("drum", CylinderMesh { radius: 0.1, height: 0.5, segments: 48 }.mesh()?, 0.05, 0.5),
        ("duck, 1 m", Duck { length: 1.0, triangles: Duck::TRIANGLES }.mesh()?, 0.1, 0.5),
        ("statue, quartered", dragon, 0.03 * narrow, 0.5),
    ];
    println!("\n| body | triangles | support | cells kept | nodes | seconds | cpu seconds |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, mesh, support_radius, cell) in cases {
        let mesh = MeshShape::new(mesh)?;
        let kernel = Kernel { kind: KernelKind::CubicSpline, support_radius, dimension: Dimension::Three };
        let params = MapParams { cell: cell * support_radius, ..MapParams::new(support_radius) };
        let (map, [seconds, cpu]) = timed(|| DensityMap::of_mesh(&mesh, &kernel, &params))?;
        let (triangles, field) = (mesh.mesh().triangle.len(), map.field());
        let (kept, nodes) = (field.kept_cells(), field.sampled_nodes());
        println!(
            "| {name} | {triangles} | {support_radius:.4} | {kept} | {nodes} | {seconds:.2} | {cpu:.2} |"
        );
    }
    Ok(())
}

/// Seconds that all threads of the process have spent `[s]`, where the system tells.
fn cpu_seconds() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let fields = stat.rsplit(')').next().unwrap_or_default().split_whitespace();
    fields.skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok()).sum::<f64>() / 100.0
}

fn report(
    name: &str,
    distance: &impl SignedDistance,
    side: Side,
    support: f64,
    profile: Profile,
) -> Result<()> {
    let kernel =
        Kernel { kind: KernelKind::CubicSpline, support_radius: support, dimension: Dimension::Three };
    let params = MapParams { profile, side, ..MapParams::new(support) };
    let (density, density_time) = timed(|| DensityMap::of_distance(distance, &kernel, &params))?;
    let (volume, volume_time) = timed(|| VolumeMap::of_distance(distance, support, &params))?;
    let ball = 4.0 / 3.0 * std::f64::consts::PI * support.powi(3);
    let weights: [&(dyn Fn(f64) -> f64 + Sync); 2] = [&|t| kernel.value(t * support), &|_| 1.0];
    for (map, field, whole, [seconds, cpu], weight) in [
        ("density", density.field(), 1.0, density_time, weights[0]),
        ("volume", volume.field(), ball, volume_time, weights[1]),
    ] {
        let value = |x: DVec3| field.evaluate(x).map_or(f64::NAN, |(value, _)| value / whole);
        let [mean, most, reference] =
            node_errors(field.lattice(), &value, distance, support, &params, weight);
        println!(
            "| {map} | {name} | {profile:?} | {seconds:.2} | {cpu:.2} | {} of {} | {} | {:.2} | {mean:.1e} | {most:.1e} | {reference:.0e} |",
            field.kept_cells(),
            field.lattice().cells(),
            field.sampled_nodes(),
            field.memory_bytes() as f64 / 1e6,
        );
    }
    Ok(())
}

/// What `build` makes, and the least wall and processor time of two runs `[s]`.
fn timed<T>(build: impl Fn() -> Result<T, GeometryError>) -> Result<(T, [f64; 2])> {
    let run = || -> Result<(T, [f64; 2])> {
        let (start, cpu) = (Instant::now(), cpu_seconds());
        let made = build()?;
        Ok((made, [start.elapsed().as_secs_f64(), cpu_seconds() - cpu]))
    };
    let ((_, first), (made, second)) = (run()?, run()?);
    Ok((made, [first[0].min(second[0]), first[1].min(second[1])]))
}

/// Mean and largest error at nodes in the fluid and a little inside, two of three of them near an edge or corner of the
/// box around the body, beside a sum over a turned lattice; and how much two such sums differ at most.
fn node_errors(
    lattice: &Lattice,
    value: &(impl Fn(DVec3) -> f64 + Sync),
    distance: &impl SignedDistance,
    s: f64,
    params: &MapParams,
    weight: &(dyn Fn(f64) -> f64 + Sync),
) -> [f64; 3] {
    let half = 0.5 * distance.bounds().size();
    let fluid = FluidDistance { distance, side: params.side };
    let node = |i: u32| {
        let count = DVec3::from_array(lattice.count().map(|c| c as f64 + 1.0));
        lattice.origin() + lattice.cell() * (count * spread(i)).floor()
    };
    let wanted = |(i, x): &(u32, DVec3)| {
        let near = (x.abs() - half).abs().to_array().iter().filter(|d| **d < s).count();
        near >= (*i % 3) as usize
            && (-0.5 * s..s * (0.9 + params.profile.reach())).contains(&fluid.distance(*x))
    };
    let nodes: Vec<DVec3> =
        (0..200_000).map(|i| (i, node(i))).filter(wanted).map(|(_, x)| x).take(60).collect();
    let errors: Vec<[f64; 2]> = nodes
        .par_iter()
        .map(|&x| {
            let (sum, unsure) = lattice_sum(&fluid, x, params.profile, s, 32, weight);
            [(value(x) - sum).abs(), unsure]
        })
        .collect();
    let most = |k: usize| errors.iter().map(|e| e[k]).fold(0.0, f64::max);
    [errors.iter().map(|e| e[0]).sum::<f64>() / errors.len() as f64, most(0), most(1)]
}

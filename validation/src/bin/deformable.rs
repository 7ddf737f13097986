//! Deformable bodies beside theories and benchmarks: beams, sheets, chains, frequencies, and what a step conserves.

use std::process::ExitCode;
use std::time::Instant;

use anyhow::Result;
use clap::{Parser, ValueEnum};
use glam::{DVec3, UVec3};
use meniscus_core::BodyId;
use meniscus_geometry::tetra::TetMesh;
use meniscus_solid::{
    DeformableBody, DeformableParams, ElasticMaterial, ElementOrder, Pin, PinPlace, Structure,
    box_of_tetrahedra,
};

/// What is run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Case {
    /// A cantilever of tetrahedra under a small load, beside Timoshenko's theory.
    Cantilever,
    /// A strip of cloth that bends far, beside the elastica.
    Elastica,
    /// A strip that hangs between two points, beside the catenary.
    Catenary,
    /// Turek and Hron's CSM1: how far the beam's tip sinks.
    Csm1,
    /// Turek and Hron's CSM3: how fast it swings.
    Csm3,
    /// Energy, momentum and angular momentum of bodies that fly, bend and spin.
    Free,
}

/// Compares deformable bodies with theories and benchmarks
#[derive(Debug, Parser)]
struct Args {
    /// What to run
    #[arg(value_enum, default_values_t = [Case::Cantilever, Case::Elastica, Case::Catenary, Case::Csm1, Case::Csm3, Case::Free])]
    case: Vec<Case>,
}

fn main() -> Result<ExitCode> {
    let mut holds = true;
    for case in Args::parse().case {
        let start = Instant::now();
        holds &= match case {
            Case::Cantilever => cantilever()?,
            Case::Elastica => elastica()?,
            Case::Catenary => catenary()?,
            Case::Csm1 => csm1()?,
            Case::Csm3 => csm3()?,
            Case::Free => free()?,
        };
        println!("  ({:.1} s)\n", start.elapsed().as_secs_f64());
    }
    println!("{}", if holds { "all within their bounds" } else { "NOT all within their bounds" });
    Ok(if holds { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints a figure beside its reference, and whether the finest one is within its bound.
fn beside(what: &str, found: f64, expected: f64, bound: Option<f64>) -> bool {
    let off = found / expected - 1.0;
    let holds = bound.is_none_or(|bound| off.abs() <= bound);
    let verdict = bound.map_or(String::new(), |b| {
        format!(", within {:.0} %: {}", 100.0 * b, if holds { "yes" } else { "NO" })
    });
    println!("  {what:<34} {found:>12.6} of {expected:>12.6}, {:+.2} %{verdict}", 100.0 * off);
    holds
}

fn body(rest: Vec<DVec3>, structure: Structure, material: ElasticMaterial) -> DeformableParams {
    DeformableParams {
        name: "body".to_owned(),
        start: rest.clone(),
        velocity: vec![DVec3::ZERO; rest.len()],
        rest,
        structure,
        material,
        damping: 0.0,
        drag: 0.0,
        pins: Vec::new(),
        max_substep: f64::INFINITY,
    }
}

fn block(size: DVec3, cells: UVec3, order: ElementOrder, material: ElasticMaterial) -> DeformableParams {
    let TetMesh { vertex, tetrahedron } = box_of_tetrahedra(size, cells);
    body(vertex, Structure::Volume { tetrahedron, order }, material)
}

/// A sheet in the plane z = 0, x fastest, with diagonals that alternate.
fn sheet(
    size: [f64; 2],
    cells: [u32; 2],
    structure: (f64, Option<f64>),
    material: ElasticMaterial,
) -> DeformableParams {
    let across = cells[0] + 1;
    let place = |n: u32, axis: usize| size[axis] * f64::from(n) / f64::from(cells[axis]);
    let rest =
        (0..across * (cells[1] + 1)).map(|i| DVec3::new(place(i % across, 0), place(i / across, 1), 0.0));
    let triangle = (0..cells[0] * cells[1]).flat_map(|i| {
        let (x, y) = (i % cells[0], i / cells[0]);
        let a = y * across + x;
        let (b, c, d) = (a + 1, a + across, a + across + 1);
        if (x + y) % 2 == 0 { [[a, b, d], [a, d, c]] } else { [[a, b, c], [b, d, c]] }
    });
    let (thickness, rigidity) = structure;
    let sheet = Structure::Sheet { triangle: triangle.collect(), thickness, rigidity };
    body(rest.collect(), sheet, material)
}

fn slab(from: DVec3, to: DVec3) -> PinPlace {
    PinPlace::Box { min: from - 1e-9, max: to + 1e-9 }
}

fn settled(params: DeformableParams, gravity: DVec3) -> Result<DeformableBody> {
    let mut body = DeformableBody::new(params, BodyId(0))?;
    body.settle(gravity)?;
    Ok(body)
}

fn lowest(body: &DeformableBody, axis: usize) -> f64 {
    -body.position().iter().map(|x| x[axis]).fold(f64::INFINITY, f64::min)
}

fn cantilever() -> Result<bool> {
    println!("Cantilever, 1 m x 0.1 m x 0.1 m, E = 1e7 Pa, under 0.1 m/s²: how far its end sinks [mm]");
    let (length, height, gravity) = (1.0, 0.1, 0.1);
    let size = DVec3::new(length, height, height);
    let mut holds = true;
    for poisson in [0.0, 0.3, 0.45] {
        let material = ElasticMaterial { density: 1000.0, young: 1e7, poisson };
        let load = material.density * gravity * height * height;
        let shear = material.young / (2.0 * (1.0 + poisson));
        // Cowper's shear coefficient of a rectangle.
        let coefficient = 10.0 * (1.0 + poisson) / (12.0 + 11.0 * poisson);
        let expected = load * length.powi(4) / (8.0 * material.young * height.powi(4) / 12.0)
            + load * length * length / (2.0 * coefficient * shear * height * height);
        let meshes = [
            (ElementOrder::Linear, [20, 2, 2], None),
            (ElementOrder::Quadratic, [10, 1, 1], None),
            (ElementOrder::Quadratic, [20, 2, 2], (poisson < 0.4).then_some(0.02)),
        ];
        for (order, cells, bound) in meshes {
            let mut params = block(size, UVec3::from(cells), order, material);
            params.pins.push(Pin::fixed(slab(DVec3::ZERO, size * (DVec3::Y + DVec3::Z))));
            let body = settled(params, DVec3::new(0.0, -gravity, 0.0))?;
            let what = format!("ν = {poisson}, {order:?} {cells:?}");
            holds &= beside(&what, 1e3 * lowest(&body, 1), 1e3 * expected, bound);
        }
    }
    Ok(holds)
}

/// How far the end of a clamped elastica of length L under its weight w is from where it was, by flexural rigidity: B θ'' = −w (L − s) cos θ.
fn elastica_tip(length: f64, load: f64, rigidity: f64) -> f64 {
    const STEPS: u32 = 4000;
    let shoot = |start: f64| {
        let h = length / f64::from(STEPS);
        let (mut angle, mut slope, mut fall) = (0.0_f64, start, 0.0);
        for k in 0..STEPS {
            let s = h * f64::from(k);
            let pull = |s: f64, angle: f64| -load * (length - s) * angle.cos() / rigidity;
            let half = slope + 0.5 * h * pull(s, angle);
            let middle = angle + 0.5 * h * half;
            fall += h * middle.sin();
            let bend = pull(s + 0.5 * h, angle + 0.5 * h * slope);
            (angle, slope) = (angle + h * half, slope + h * bend);
        }
        (slope, fall)
    };
    let (mut low, mut high) = (0.0, load * length * length / rigidity);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        *(if shoot(middle).0 > 0.0 { &mut high } else { &mut low }) = middle;
    }
    shoot(low).1
}

fn elastica() -> Result<bool> {
    println!("Strip, 1 m x 0.1 m x 0.01 m, E = 1e6 Pa, ν = 0, under 0.1 m/s²: how far its end sinks [m]");
    let material = ElasticMaterial { density: 1000.0, young: 1e6, poisson: 0.0 };
    let thickness = 0.01;
    let mut holds = true;
    for (n, bound) in [(10_u32, None), (20, None), (40, Some(0.03))] {
        let mut params = sheet([1.0, 0.1], [n, n / 10], (thickness, None), material);
        let edge = 1.0 / f64::from(n);
        params.pins.push(Pin::fixed(slab(DVec3::ZERO, DVec3::new(edge, 0.1, 0.0))));
        let body = settled(params, DVec3::new(0.0, 0.0, -0.1))?;
        let load = material.density * thickness * 0.1;
        // Two columns are held: the bend begins half way between them.
        let expected = elastica_tip(1.0 - 0.5 * edge, load, material.flexural_rigidity(thickness));
        holds &= beside(&format!("{n} cells"), lowest(&body, 2), expected, bound);
    }
    Ok(holds)
}

fn catenary() -> Result<bool> {
    println!("Strip, 1.2 m long, between two points 1 m apart: its sag [m]");
    let (length, span) = (1.2, 1.0);
    // 2 a sinh(span / 2a) = length.
    let (mut low, mut high) = (0.05, 50.0);
    for _ in 0..200 {
        let a: f64 = 0.5 * (low + high);
        *(if 2.0 * a * (0.5 * span / a).sinh() > length { &mut low } else { &mut high }) = a;
    }
    let expected = low * ((0.5 * span / low).cosh() - 1.0);
    let material = ElasticMaterial { density: 1000.0, young: 1e7, poisson: 0.0 };
    let mut holds = true;
    for (n, bound) in [(24, None), (48, Some(0.01))] {
        let mut params = sheet([length, 0.05], [n, 1], (1e-3, Some(1e-7)), material);
        let fall = (0.25 * (length * length - span * span)).sqrt();
        for (start, rest) in params.start.iter_mut().zip(&params.rest) {
            let along = rest.x / length;
            *start = DVec3::new(span * along, rest.y, -2.0 * fall * along.min(1.0 - along));
        }
        params.pins.push(Pin::fixed(slab(DVec3::ZERO, DVec3::new(0.0, 0.05, 0.0))));
        params.pins.push(Pin::fixed(slab(DVec3::new(span, 0.0, 0.0), DVec3::new(span, 0.05, 0.0))));
        let body = settled(params, DVec3::new(0.0, 0.0, -1.0))?;
        holds &= beside(&format!("{n} cells"), lowest(&body, 2), expected, bound);
    }
    Ok(holds)
}

/// Turek and Hron's beam in plane strain, and the node in the middle of its end.
fn turek_hron(order: ElementOrder, cells: [u32; 2]) -> Result<(DeformableBody, usize)> {
    let size = DVec3::new(0.35, 0.02, 0.35 / f64::from(cells[0]));
    let material = ElasticMaterial { density: 1000.0, young: 1.4e6, poisson: 0.4 };
    let mut params = block(size, UVec3::new(cells[0], cells[1], 1), order, material);
    // The beam begins at a cylinder of 5 cm, 0.35 m before its end on the axis and up to a millimetre farther beside it.
    for x in params.rest.iter_mut().filter(|x| x.x == 0.0) {
        x.x = (0.05_f64.powi(2) - (x.y - 0.01).powi(2)).sqrt() - 0.05;
    }
    params.start.clone_from(&params.rest);
    let root = DVec3::new(-0.0011, 0.0, 0.0);
    params.pins.push(Pin { axes: [false, false, true], ..Pin::fixed(slab(root, size)) });
    params.pins.push(Pin::fixed(slab(root, size * (DVec3::Y + DVec3::Z))));
    let body = DeformableBody::new(params, BodyId(0))?;
    let end = DVec3::new(0.35, 0.01, 0.0);
    let places = body.position().iter().enumerate();
    let nearest = places.min_by(|(_, a), (_, b)| a.distance(end).total_cmp(&b.distance(end)));
    let point = nearest.map_or(0, |(node, _)| node);
    Ok((body, point))
}

fn csm1() -> Result<bool> {
    println!("Turek and Hron's CSM1: displacement of the beam's tip [mm]");
    let mut holds = true;
    let meshes = [
        (ElementOrder::Linear, [70, 4], None),
        (ElementOrder::Quadratic, [18, 2], None),
        (ElementOrder::Quadratic, [35, 2], Some(0.02)),
        (ElementOrder::Quadratic, [70, 4], Some(0.02)),
    ];
    for (order, cells, bound) in meshes {
        let (mut body, point) = turek_hron(order, cells)?;
        let from = body.position()[point];
        body.settle(DVec3::new(0.0, -2.0, 0.0))?;
        let moved = 1e3 * (body.position()[point] - from);
        holds &= beside(&format!("{order:?} {cells:?}, x"), moved.x, -7.187, bound);
        holds &= beside(&format!("{order:?} {cells:?}, y"), moved.y, -66.10, bound);
    }
    Ok(holds)
}

fn csm3() -> Result<bool> {
    println!("Turek and Hron's CSM3: frequency of the beam's tip [Hz], mean and amplitude [mm]");
    let mut holds = true;
    for (cells, dt, bound) in
        [([18, 2], 0.01, None), ([35, 2], 0.01, Some(0.02)), ([35, 2], 0.005, Some(0.02))]
    {
        let (mut body, point) = turek_hron(ElementOrder::Quadratic, cells)?;
        let from = body.position()[point];
        let still = vec![DVec3::ZERO; body.mass().len()];
        let mut path = vec![(0.0, 0.0)];
        let steps = (3.0 / dt) as u32;
        for n in 1..=steps {
            body.advance(f64::from(n) * dt, DVec3::new(0.0, -2.0, 0.0), &still)?;
            path.push((f64::from(n) * dt, 1e3 * (body.position()[point].y - from.y)));
        }
        let low = path.iter().map(|p| p.1).fold(f64::INFINITY, f64::min);
        let high = path[path.len() / 6..].iter().map(|p| p.1).fold(f64::NEG_INFINITY, f64::max);
        let middle = 0.5 * (low + high);
        // When it falls through the middle.
        let falls: Vec<f64> = path
            .windows(2)
            .filter(|w| w[0].1 > middle && w[1].1 <= middle)
            .map(|w| w[0].0 + (w[1].0 - w[0].0) * (w[0].1 - middle) / (w[0].1 - w[1].1))
            .collect();
        let [first, .., last] = falls[..] else { anyhow::bail!("the beam does not swing") };
        let frequency = (falls.len() - 1) as f64 / (last - first);
        holds &= beside(&format!("Quadratic {cells:?}, dt = {dt}"), frequency, 1.0995, bound);
        println!(
            "    y: {middle:.2} ± {:.2} of -63.607 ± 65.160; energy {:?}",
            0.5 * (high - low),
            body.energies()
        );
    }
    Ok(holds)
}

fn free() -> Result<bool> {
    println!("Free bodies, bent, spinning and thrown, 1 s without damping: largest relative change");
    let rubber = ElasticMaterial { density: 1000.0, young: 1e5, poisson: 0.45 };
    let fabric = ElasticMaterial { density: 300.0, young: 1e6, poisson: 0.3 };
    let rope = (0..21).map(|k| DVec3::X * 0.05 * f64::from(k)).collect();
    let bodies = [
        (
            "tetrahedra",
            block(DVec3::new(0.4, 0.1, 0.1), UVec3::new(8, 2, 2), ElementOrder::Quadratic, rubber),
        ),
        ("cloth", sheet([0.5, 0.5], [12, 12], (1e-3, None), fabric)),
        ("rope", body(rope, Structure::Rope { radius: 0.01 }, rubber)),
    ];
    let mut holds = true;
    for (name, mut params) in bodies {
        let centre: DVec3 = params.rest.iter().sum::<DVec3>() / params.rest.len() as f64;
        for (start, velocity) in params.start.iter_mut().zip(&mut params.velocity) {
            let r = *start - centre;
            *start =
                centre + r * DVec3::new(1.05, 0.97, 1.0) + DVec3::new(0.0, 0.3 * r.x * r.x, 0.2 * r.x * r.y);
            *velocity = DVec3::new(3.0, -5.0, 8.0).cross(*start - centre) + DVec3::new(1.0, 2.0, 0.5);
        }
        for dt in [1.0 / 60.0, 1.0 / 240.0] {
            let mut body = DeformableBody::new(params.clone(), BodyId(0))?;
            let figures = |body: &DeformableBody| {
                let nodes = body.mass().iter().zip(body.position()).zip(body.velocity());
                let add = |[p, l]: [DVec3; 2], ((m, x), v): ((&f64, &DVec3), &DVec3)| {
                    [p + *m * *v, l + x.cross(*m * *v)]
                };
                (nodes.fold([DVec3::ZERO; 2], add), body.energies().total())
            };
            let ([p, l], energy) = figures(&body);
            let still = vec![DVec3::ZERO; body.mass().len()];
            let mut worst = [0.0_f64; 3];
            for n in 1..=(1.0 / dt) as u32 {
                body.advance(f64::from(n) * dt, DVec3::ZERO, &still)?;
                let ([p1, l1], energy1) = figures(&body);
                let off = [
                    (p1 - p).length() / p.length(),
                    (l1 - l).length() / l.length(),
                    (energy1 / energy - 1.0).abs(),
                ];
                worst = [0, 1, 2].map(|k| worst[k].max(off[k]));
            }
            let [momentum, angular, energy] = worst;
            println!(
                "  {name:<12} dt = {dt:.4}: momentum {momentum:.1e}, angular momentum {angular:.1e}, energy {energy:.1e}"
            );
            holds &= momentum < 1e-10 && angular < 1e-10 && energy < 1e-6;
        }
    }
    Ok(holds)
}

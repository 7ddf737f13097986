//! Fluid in a sphere that turns without friction (\[Koschier2017\] Fig. 7): the turning should not be felt.

use super::{Line, Report, plot, setup_with_mesh};
use crate::meshes;
use anyhow::Result;
use meniscus_coupling::Simulation;
use meniscus_output::plot::Axis;

/// Radius of the sphere `[m]`.
const RADIUS: f64 = 0.3;
const SPACING: f64 = 0.02;
/// Rate of the turning sphere `[degree/s]`.
const RATE: f64 = 90.0;

/// Squares along the edge of a face of the cube that the mesh of the sphere is made of.
const SQUARES: u32 = 48;

/// Boundary methods and shapes that are compared, by their names.
const KINDS: [(&str, &str, &str); 3] = [
    ("density map", "density-map", "sphere"),
    ("volume particles", "volume-particles", "sphere"),
    ("density map of a mesh", "density-map", "mesh"),
];

/// Still and turning spheres as maps and as samples, half full, for `end` seconds.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn all(report: &mut Report, end: f64) -> Result<()> {
    report.table(
        &format!("A frictionless sphere, half full, {RATE}°/s, {end} s"),
        &[
            "boundary",
            "turning",
            "kinetic energy, mean of the last quarter [J]",
            "the same over that of the wall's speed",
            "turned along",
        ],
    );
    let mut lines = Vec::new();
    let mut last = Vec::new();
    for (kind, method, shape) in KINDS {
        if !report.methods.contains(&method) {
            continue;
        }
        for rate in [0.0, RATE] {
            let turned = turn(method, shape, rate, end)?;
            let name = if rate > 0.0 { "turning" } else { "still" };
            report.row(&[
                kind.to_owned(),
                name.to_owned(),
                format!("{:.2e}", turned.left),
                format!("{:.1e}", turned.relative),
                format!("{:.3}", turned.along),
            ]);
            lines.push(Line { name: format!("{kind}, {name}"), points: turned.energy });
            last.push(turned.left);
        }
    }
    if last.len() < 2 * KINDS.len() {
        return Ok(());
    }
    for (n, what) in [(0, "map"), (4, "map of a mesh")] {
        report.require(
            last[n + 1] < 2.0 * last[n].max(1e-6),
            format!("in a turning {what} {:.1e} J are left, in a still one {:.1e} J", last[n + 1], last[n]),
        );
    }
    report.require(
        last[3] > 10.0 * last[1],
        format!("turning samples leave {:.1e} J, a turning map {:.1e} J", last[3], last[1]),
    );
    let axes = [
        Axis::holding("time [s]", [0.0, end]),
        Axis::decades("kinetic energy [J]", lines.iter().flat_map(|l| l.points.iter().map(|p| p[1]))),
    ];
    report.draw("sphere.svg", vec![plot("Kinetic energy in a frictionless sphere", axes, &lines)])
}

struct Turned {
    energy: Vec<[f64; 2]>,
    left: f64,
    relative: f64,
    /// Angular momentum about the axis over that of turning with the sphere `[1]`.
    along: f64,
}

fn turn(method: &str, shape: &str, rate: f64, end: f64) -> Result<Turned> {
    let motion = if rate > 0.0 {
        format!("motion = {{ kind = \"spin\", axis = [1, 0, 0], rate = {rate} }}")
    } else {
        String::new()
    };
    let form = match shape {
        "mesh" => "path = \"mesh.obj\"".to_owned(),
        _ => format!("radius = {RADIUS}"),
    };
    let mut mesh = meshes::ball(SQUARES, 0.0);
    mesh.vertex.iter_mut().for_each(|v| *v *= RADIUS);
    let text = format!(
        r#"
        time = {{ end = {end} }}
        [fluid]
        spacing = {SPACING}
        pressure = {{ method = "dfsph", density_tolerance = 1e-5, max_sweeps = 200 }}
        viscosity = {{ method = "laplacian", kinematic = 0.005 }}
        [[fluid.source]]
        shape = "box"
        min = [-0.14, -0.2, -0.14]
        max = [0.14, 0.0, 0.14]
        [[body]]
        name = "sphere"
        shape = "{shape}"
        {form}
        container = true
        {motion}
        boundary = {{ method = "{method}" }}
        "#
    );
    let mut simulation = Simulation::new(setup_with_mesh(&text, &mesh, None)?)?;
    let mut energy = Vec::new();
    super::run(&mut simulation, end, |now| {
        energy.push([now.clock().time, now.fluid_sums().kinetic_energy]);
        Ok(())
    })?;
    let late: Vec<f64> = energy.iter().filter(|e| e[0] > 0.75 * end).map(|e| e[1]).collect();
    let left = late.iter().sum::<f64>() / late.len() as f64;
    let particles = &simulation.particles();
    let mass = simulation.setup().sph.fluid.mass();
    let wall = RATE.to_radians();
    let rigid: f64 =
        particles.position.iter().map(|x| mass * wall * x.truncate().with_x(x.z).length_squared()).sum();
    let momentum: f64 =
        particles.position.iter().zip(&particles.velocity).map(|(x, v)| mass * x.cross(*v).x).sum();
    let fast = 0.5 * mass * particles.len() as f64 * (wall * RADIUS).powi(2);
    Ok(Turned { energy, left, relative: left / fast, along: momentum / rigid })
}

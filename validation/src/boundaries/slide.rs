//! Particles that slide down an inclined plane without friction (\[Koschier2017\] Fig. 5 and 6).

use super::{Line, METHODS, Report, panel, setup};
use anyhow::Result;
use glam::{DQuat, DVec2, DVec3};
use meniscus_core::Dimension;
use meniscus_coupling::{Setup, Simulation};
use meniscus_geometry::MeshShape;
use meniscus_geometry::sample::{SamplingMethod, SamplingParams, sample};
use meniscus_geometry::shape::builtin::PlanePatch;

/// Inclination of the plane `[degree]`.
const ANGLE: f64 = 23.0;
/// Particles may settle for this long before they are measured, where they do not start at rest `[s]`.
const SETTLING: f64 = 0.1;

/// A slab whose upper face is the inclined plane through the origin; fluid of this spacing slides on it.
struct Plane {
    spacing: f64,
    /// Of the slab: along the slope, thickness, across `[m]`.
    size: DVec3,
    /// How far the slab reaches up the slope from the origin `[m]`.
    behind: f64,
    dt: f64,
}

/// From coordinates along the slope, above the plane and across to those of the scene.
fn place_on_slope(local: DVec3) -> DVec3 {
    DQuat::from_rotation_z(-ANGLE.to_radians()) * local
}

/// From coordinates of the scene to those along the slope, above the plane and across.
fn along_slope(x: DVec3) -> DVec3 {
    DQuat::from_rotation_z(ANGLE.to_radians()) * x
}

impl Plane {
    fn setup(&self, boundary: &str, solver: &str) -> Result<Setup> {
        let Self { spacing, size, behind, dt } = self;
        // Sound must not pass a spacing in a step.
        let dt = if solver == "wcsph" { 0.1 * dt } else { *dt };
        let centre = place_on_slope(DVec3::new(0.5 * size.x - behind, -0.5 * size.y, 0.0));
        setup(&format!(
            r#"
            time = {{ end = 10.0, step = {{ method = "fixed", dt = {dt} }} }}
            [fluid]
            spacing = {spacing}
            pressure = {{ method = "{solver}" }}
            viscosity = {{ method = "none" }}
            [[fluid.source]]
            shape = "box"
            min = [0.0, {spacing}, 0.0]
            max = [{spacing}, {}, {spacing}]
            [[body]]
            name = "plane"
            shape = "box"
            size = [{}, {}, {}]
            position = [{}, {}, {}]
            rotation = {{ axis = [0, 0, 1], angle = -{ANGLE} }}
            boundary = {boundary}
            "#,
            2.0 * spacing,
            size.x,
            size.y,
            size.z,
            centre.x,
            centre.y,
            centre.z,
        ))
    }

    /// How high above the plane single particles have the rest density, if they may come that near, else where contact
    /// begins `[m]`; they do not feel each other.
    fn resting_heights(&self, setup: &Setup, at: &[DVec2]) -> Result<Vec<f64>> {
        let densities = |heights: &[f64]| -> Result<Vec<f64>> {
            let place = |(at, &height): (&DVec2, &f64)| place_on_slope(DVec3::new(at.x, height, at.y));
            let initial = at.iter().zip(heights).map(|pair| (place(pair), DVec3::ZERO)).collect();
            let frame = {
                let mut setup = setup.clone();
                setup.sph.initial = initial;
                Simulation::new(setup)?.frame(0)
            };
            Ok(frame.density.iter().map(|&d| f64::from(d) / setup.sph.fluid.rest_density).collect())
        };
        let nearest = vec![0.1 * self.spacing; at.len()];
        let (mut low, mut high) = (nearest, vec![2.0 * self.spacing; at.len()]);
        for _ in 0..24 {
            let middle: Vec<f64> = low.iter().zip(&high).map(|(a, b)| 0.5 * (a + b)).collect();
            for (n, density) in densities(&middle)?.into_iter().enumerate() {
                *if density > 1.0 { &mut low[n] } else { &mut high[n] } = middle[n];
            }
        }
        Ok(high)
    }
}

/// One particle with every method and solver.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn single(report: &mut Report) -> Result<()> {
    let plane = Plane { spacing: 0.1, size: DVec3::new(4.0, 0.6, 1.2), behind: 1.0, dt: 1e-3 };
    let columns = [
        "boundary",
        "solver",
        "distance from … to [spacings]",
        "range [spacings]",
        "largest jump [spacings]",
        "way over ½ g t² sin",
    ];
    report.table("One particle on an inclined plane", &columns);
    let mut lines = Vec::new();
    {
        for (method, solver) in report.pairs(&METHODS) {
            let slide = slide_one(&plane, method, solver)?;
            let (low, high) = slide.range();
            let jump = slide.distance.windows(2).map(|d| (d[1][1] - d[0][1]).abs()).fold(0.0, f64::max);
            report.row(&[
                method.to_owned(),
                solver.to_owned(),
                format!("{low:.5} … {high:.5}"),
                format!("{:.1e}", high - low),
                format!("{jump:.1e}"),
                format!("{:.4}", slide.way),
            ]);
            if method.ends_with("map") {
                report.require(
                    high - low < 1e-2,
                    format!(
                        "{method}, {solver}: the distance from the plane varies by {:.1e} spacings",
                        high - low
                    ),
                );
            }
            if solver == "dfsph" {
                lines.push(Line { name: method.to_owned(), points: slide.distance });
            }
        }
    }
    report.draw(
        "single-particle.svg",
        vec![panel(
            "Distance of a sliding particle from the plane, DFSPH",
            ["time [s]", "distance [spacings]"],
            &lines,
        )],
    )
}

struct Slide {
    /// Time `[s]` and distance from the plane in spacings.
    distance: Vec<[f64; 2]>,
    /// Way over that of frictionless sliding `[1]`.
    way: f64,
}

impl Slide {
    fn range(&self) -> (f64, f64) {
        let d = self.distance.iter().map(|d| d[1]);
        d.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), d| (a.min(d), b.max(d)))
    }
}

fn slide_one(plane: &Plane, method: &str, solver: &str) -> Result<Slide> {
    let mut setup = plane.setup(&format!("{{ method = \"{method}\" }}"), solver)?;
    // Not above a sample of a lattice.
    let at = DVec2::new(0.033, 0.014);
    let felt = matches!(method, "volume-particles" | "density-map" | "volume-map");
    let height = if felt { plane.resting_heights(&setup, &[at])?[0] } else { 0.5 * plane.spacing };
    let start = place_on_slope(DVec3::new(at.x, height, at.y));
    setup.sph.initial = vec![(start, DVec3::ZERO)];
    let mut simulation = Simulation::new(setup)?;
    let mut distance = Vec::new();
    // Maps are measured from the first step on.
    let first = if method.ends_with("map") { 0.0 } else { SETTLING };
    super::run(&mut simulation, 1.0, |now| {
        let (time, x) = (now.clock().time, now.particles().position[0]);
        if time > first {
            distance.push([time, along_slope(x).y / plane.spacing]);
        }
        Ok(())
    })?;
    let along = along_slope(simulation.particles().position[0] - start).x;
    let exact = 0.5 * 9.81 * ANGLE.to_radians().sin() * simulation.clock().time.powi(2);
    Ok(Slide { distance, way: along / exact })
}

/// A grid of particles that do not feel each other, on a map and on planes sampled ever more densely.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn grid(report: &mut Report) -> Result<()> {
    // A support radius of 0.8, as in the paper.
    let plane = Plane { spacing: 0.4, size: DVec3::new(16.0, 2.4, 10.0), behind: 3.0, dt: 2e-3 };
    report.table(
        "A grid of 36 particles on an inclined plane, 1.5 s",
        &[
            "plane",
            "samples",
            "deviation of the grid [spacings]",
            "range of distances [spacings]",
            "way over ½ g t² sin",
        ],
    );
    let mut lines = Vec::new();
    let map = plane.setup("{ method = \"density-map\" }", "dfsph")?;
    let found = slide_grid(&plane, map)?;
    report.row(&found.row("density map"));
    report.require(
        found.deviation() < 1e-2,
        format!("on the map the grid deviates by {:.1e} spacings", found.deviation()),
    );
    lines.push(found.line("density map"));
    let lattice = plane.setup("{ method = \"volume-particles\" }", "dfsph")?;
    let found = slide_grid(&plane, lattice)?;
    report.row(&found.row("lattice of samples 0.4 apart"));
    lines.push(found.line("lattice, 0.4"));
    for apart in [0.2, 0.1, 0.05] {
        let mut scattered = plane
            .setup("{ method = \"volume-particles\", sample_depth = 0.0, volume_factor = 1.0 }", "dfsph")?;
        std::sync::Arc::make_mut(&mut scattered.sph.samples)[0].position = scatter(&plane, apart)?;
        let found = slide_grid(&plane, scattered)?;
        report.row(&found.row(&format!("Poisson-disk samples {apart} apart")));
        lines.push(found.line(&format!("Poisson disk, {apart}")));
    }
    report.draw(
        "grid.svg",
        vec![panel(
            "Deviation of a sliding grid from its shape",
            ["time [s]", "largest deviation [spacings]"],
            &lines,
        )],
    )
}

/// Poisson-disk samples of the upper face.
fn scatter(plane: &Plane, apart: f64) -> Result<Vec<DVec3>> {
    let patch = PlanePatch { size: [plane.size.x, plane.size.z], segments: 1 }.mesh()?;
    let params = SamplingParams {
        method: SamplingMethod::PoissonDisk,
        seed: 1,
        dimension: Dimension::Three,
        ..SamplingParams::new(apart)
    };
    let samples = sample(&MeshShape::new(patch)?, &params)?.position;
    let shift = DVec3::X * (0.5 * plane.size.x - plane.behind);
    Ok(samples.into_iter().map(|x| place_on_slope(x + shift)).collect())
}

struct Grid {
    samples: usize,
    /// Time `[s]` and largest deviation of a particle from its place in the grid, in spacings.
    deviation: Vec<[f64; 2]>,
    /// Smallest and largest distance from the plane, in spacings.
    distance: (f64, f64),
    way: f64,
}

impl Grid {
    fn deviation(&self) -> f64 {
        self.deviation.iter().map(|d| d[1]).fold(0.0, f64::max)
    }

    fn row(&self, name: &str) -> [String; 5] {
        let (low, high) = self.distance;
        [
            name.to_owned(),
            self.samples.to_string(),
            format!("{:.1e}", self.deviation()),
            format!("{:.1e}", high - low),
            format!("{:.4}", self.way),
        ]
    }

    fn line(&self, name: &str) -> Line {
        Line { name: name.to_owned(), points: self.deviation.clone() }
    }
}

fn slide_grid(plane: &Plane, mut setup: Setup) -> Result<Grid> {
    // Farther apart than the support radius, and not in step with a lattice.
    let places: Vec<DVec2> =
        (0..36).map(|k| DVec2::new(f64::from(k % 6), f64::from(k / 6)) * 1.13 - 2.6).collect();
    let heights = plane.resting_heights(&setup, &places)?;
    let place = |(at, height): (&DVec2, f64)| place_on_slope(DVec3::new(at.x, height, at.y));
    setup.sph.initial = places.iter().zip(heights).map(|pair| (place(pair), DVec3::ZERO)).collect();
    let mut simulation = Simulation::new(setup)?;
    let mut grid = Grid {
        samples: simulation.boundary_particles(),
        deviation: Vec::new(),
        distance: (f64::INFINITY, f64::NEG_INFINITY),
        way: 0.0,
    };
    let mut way = 0.0;
    super::run(&mut simulation, 1.5, |now| {
        let particles = &now.particles();
        let moved: Vec<DVec3> = particles
            .position
            .iter()
            .zip(&particles.id)
            .map(|(&x, &id)| along_slope(x) - DVec3::new(places[id as usize].x, 0.0, places[id as usize].y))
            .collect();
        let mean = moved.iter().sum::<DVec3>() / moved.len() as f64;
        let apart = moved.iter().map(|m| (m - mean).length()).fold(0.0, f64::max);
        grid.deviation.push([now.clock().time, apart / plane.spacing]);
        for height in moved.iter().map(|m| m.y / plane.spacing) {
            grid.distance = (grid.distance.0.min(height), grid.distance.1.max(height));
        }
        way = mean.x;
        Ok(())
    })?;
    grid.way = way / (0.5 * 9.81 * ANGLE.to_radians().sin() * simulation.clock().time.powi(2));
    Ok(grid)
}

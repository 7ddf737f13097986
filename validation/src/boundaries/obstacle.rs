//! Steps of a dam break against a complex obstacle, as a map and as samples (\[Koschier2017\] Sec. 6).

use super::{Report, setup_with_mesh};
use crate::meshes;
use anyhow::Result;
use glam::{DVec3, UVec3};
use meniscus_core::Phase;
use meniscus_coupling::Simulation;
use meniscus_geometry::TriangleMesh;
use std::path::PathBuf;
use std::time::Instant;

const SPACING: f64 = 0.01;
/// Both are stepped in turns of this many steps, so that whatever else the computer does hits both alike.
const TURN: u32 = 3;

/// What is measured, and when.
#[derive(Debug, Clone)]
pub struct Flow {
    /// How many rings there are along, upwards and across.
    pub count: UVec3,
    /// Steps are measured from `span[0]` to `span[1]` `[s]`.
    pub span: [f64; 2],
    /// Where the map of the rings is kept, if it is.
    pub map_cache: Option<PathBuf>,
}

impl Flow {
    /// How far the rings and the tank reach across `[m]`.
    fn across(&self) -> f64 {
        0.3 * f64::from(self.count.z) + 0.02
    }

    /// Height of the water at the start, so that there are about 530 particles a ring `[m]`.
    fn height(&self) -> f64 {
        let rings = f64::from(self.count.element_product());
        (rings * 530.0 * SPACING.powi(2) / (0.09 * self.across())).round() * SPACING
    }
}

/// A heap of bumpy rings in layers, as one mesh.
fn rings(count: UVec3) -> TriangleMesh {
    let mut all = TriangleMesh::default();
    for k in 0..count.x * count.y * count.z {
        let place = UVec3::new(k % count.x, k / count.x % count.y, k / (count.x * count.y)).as_dvec3();
        let mut ring = meshes::torus(24, 0.1);
        // Lying flat.
        ring.vertex.iter_mut().for_each(|v| *v = 0.1 * DVec3::new(v.x, v.z, v.y));
        ring.flip();
        ring.translate(
            DVec3::new(0.15, 0.06, -0.15 * (f64::from(count.z) - 1.0)) + place * DVec3::new(0.3, 0.11, 0.3),
        );
        let base = all.vertex.len() as u32;
        all.vertex.extend(ring.vertex);
        all.triangle.extend(ring.triangle.iter().map(|t| t.map(|v| v + base)));
    }
    all
}

struct Timed {
    name: &'static str,
    simulation: Simulation,
    setup_s: f64,
    /// Of each step: the whole and the search of neighbours with the rows of walls `[s]`.
    step: Vec<[f64; 2]>,
    sweeps: u32,
}

impl Timed {
    fn new(method: &'static str, flow: &Flow) -> Result<Self> {
        let start = Instant::now();
        let (height, half) = (flow.height(), 0.5 * flow.across());
        let (along, across) = (0.3 * f64::from(flow.count.x) + 0.12, flow.across());
        let middle = 0.5 * along - 0.1;
        let text = format!(
            r#"
            time = {{ end = 1.0 }}
            [fluid]
            spacing = {SPACING}
            [[fluid.source]]
            shape = "box"
            min = [-0.1, 0.0, -{half}]
            max = [-0.01, {height}, {half}]
            [[body]]
            name = "tank"
            shape = "box"
            size = [{along}, 0.8, {across}]
            position = [{middle}, 0.4, 0.0]
            container = true
            boundary = {{ method = "{method}" }}
            [[body]]
            name = "rings"
            shape = "mesh"
            path = "mesh.obj"
            boundary = {{ method = "{method}" }}
            "#
        );
        let simulation =
            Simulation::new(setup_with_mesh(&text, &rings(flow.count), flow.map_cache.as_deref())?)?;
        Ok(Self {
            name: method,
            simulation,
            setup_s: start.elapsed().as_secs_f64(),
            step: Vec::new(),
            sweeps: 0,
        })
    }

    fn advance(&mut self, measured: bool) -> Result<()> {
        let (start, before) = (Instant::now(), self.simulation.timers().seconds(Phase::Contact));
        self.simulation.step()?;
        if measured {
            let wet = self.simulation.timers().seconds(Phase::Contact) - before;
            self.step.push([start.elapsed().as_secs_f64(), wet]);
            self.sweeps += self.simulation.sph_report().sweeps();
        }
        Ok(())
    }

    /// The median of the whole step or of the search `[s]`.
    fn median(&self, part: usize) -> f64 {
        let mut times: Vec<f64> = self.step.iter().map(|s| s[part]).collect();
        times.sort_unstable_by(f64::total_cmp);
        times.get(times.len() / 2).copied().unwrap_or(f64::NAN)
    }
}

/// Times of both.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn all(report: &mut Report, flow: &Flow) -> Result<()> {
    let [from, to] = flow.span;
    let mut both = [Timed::new("volume-particles", flow)?, Timed::new("density-map", flow)?];
    while both.iter().any(|t| t.simulation.clock().time < to) {
        for timed in &mut both {
            for _ in 0..TURN {
                let measured = timed.simulation.clock().time >= from;
                if timed.simulation.clock().time < to {
                    timed.advance(measured)?;
                }
            }
        }
    }
    report.table(
        &format!("Dam break through rings, {} threads, {from} to {to} s", rayon::current_num_threads()),
        &[
            "boundary",
            "fluid",
            "samples",
            "of rings a particle",
            "set up [s]",
            "step [ms]",
            "neighbours and rows [ms]",
            "sweeps a step",
            "escaped",
        ],
    );
    for timed in &both {
        let simulation = &timed.simulation;
        let fluid = simulation.particles().len();
        let rings = simulation.setup().sph.samples.get(1).map_or(0, |s| s.position.len());
        report.row(&[
            timed.name.to_owned(),
            fluid.to_string(),
            simulation.boundary_particles().to_string(),
            format!("{:.2}", rings as f64 / fluid as f64),
            format!("{:.1}", timed.setup_s),
            format!("{:.2}", 1e3 * timed.median(0)),
            format!("{:.2}", 1e3 * timed.median(1)),
            format!("{:.1}", f64::from(timed.sweeps) / timed.step.len() as f64),
            simulation.escaped().to_string(),
        ]);
    }
    let [sampled, mapped] = &both;
    let ratio = [0, 1].map(|part| sampled.median(part) / mapped.median(part));
    println!("\nSamples over map: step {:.2}, neighbours and rows {:.2}.", ratio[0], ratio[1]);
    report.require(ratio[0] > 1.0, format!("steps of samples over those of the map: {:.2}", ratio[0]));
    report.require(ratio[1] > 1.0, format!("search of samples over that of the map: {:.2}", ratio[1]));
    Ok(())
}

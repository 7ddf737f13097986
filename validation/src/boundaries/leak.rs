//! Vessels that must not leak (\[Becker2009\] Sec. VI-A), and dam breaks from which nothing may escape.

use super::{Line, METHODS, Report, panel, setup, setup_with_mesh};
use anyhow::Result;
use glam::DVec2;
use meniscus_coupling::Simulation;
use meniscus_geometry::TriangleMesh;
use std::collections::{HashMap, HashSet};

/// Distance of particles `[m]`.
const SPACING: f64 = 0.02;
const END: f64 = 2.0;

/// A thin vessel in the plane: an open line of sheets, from rim to rim.
struct Vessel {
    name: &'static str,
    /// In the vessel's frame `[m]`.
    outline: Vec<DVec2>,
    /// The water at the start: lower and upper corner `[m]`.
    water: [DVec2; 2],
    motion: &'static str,
}

fn vessels() -> Vec<Vessel> {
    let at = DVec2::new;
    vec![
        Vessel {
            name: "rocking vessel of one layer",
            outline: vec![at(-0.3, 0.4), at(-0.3, 0.0), at(0.3, 0.0), at(0.3, 0.4)],
            water: [at(-0.3, 0.0), at(0.3, 0.2)],
            motion: r#"{ kind = "rocking", amplitude = 10.0, frequency = 0.7, point = [0.0, 0.0, 0.0] }"#,
        },
        Vessel {
            name: "ship's hull that heaves and rolls",
            outline: vec![
                at(-0.5, 0.42),
                at(-0.4, 0.2),
                at(-0.25, 0.06),
                at(0.0, 0.0),
                at(0.25, 0.06),
                at(0.4, 0.2),
                at(0.5, 0.42),
            ],
            water: [at(-0.24, 0.08), at(0.24, 0.24)],
            motion: r#"{ kind = "keyframes", loop = true, frame = [
                { time = 0.0, position = [0.0, 0.0, 0.0] },
                { time = 0.5, position = [0.05, -0.1, 0.0], rotation = { axis = [0, 0, 1], angle = 8.0 } },
                { time = 1.0, position = [0.0, -0.2, 0.0] },
                { time = 1.5, position = [-0.05, -0.1, 0.0], rotation = { axis = [0, 0, 1], angle = -8.0 } },
                { time = 2.0, position = [0.0, 0.0, 0.0] },
            ] }"#,
        },
    ]
}

impl Vessel {
    /// The vessel as a mesh: its outline between z = −0.5 and z = 0.5.
    fn mesh(&self) -> TriangleMesh {
        let ends = |p: &DVec2| [p.extend(-0.5), p.extend(0.5)];
        let sheet = |n: usize| {
            let a = 2 * n as u32;
            [[a, a + 2, a + 3], [a, a + 3, a + 1]]
        };
        TriangleMesh {
            vertex: self.outline.iter().flat_map(ends).collect(),
            triangle: (0..self.outline.len() - 1).flat_map(sheet).collect(),
        }
    }

    /// Whether the way between two places in the vessel's frame crosses a sheet.
    fn crosses(&self, from: DVec2, to: DVec2) -> bool {
        let side = |a: DVec2, b: DVec2, x: DVec2| (b - a).perp_dot(x - a);
        self.outline.windows(2).any(|sheet| {
            let (a, b) = (sheet[0], sheet[1]);
            side(a, b, from) * side(a, b, to) < 0.0 && side(from, to, a) * side(from, to, b) <= 0.0
        })
    }

    /// Distance from the sheets, and whether the place is inside: above them, seen from the vessel's frame. Beyond a rim there is no
    /// sheet to keep a distance from.
    fn probe(&self, x: DVec2) -> (f64, bool) {
        let mut nearest = f64::INFINITY;
        let mut inside = false;
        let last = self.outline.len() - 2;
        for (n, pair) in self.outline.windows(2).enumerate() {
            let (a, along) = (pair[0], pair[1] - pair[0]);
            let t = (x - a).dot(along) / along.length_squared();
            if !(n == 0 && t < 0.0 || n == last && t > 1.0) {
                nearest = nearest.min((a + t.clamp(0.0, 1.0) * along - x).length());
            }
        }
        // Even or odd crossings of a ray to the right; the opening is closed far above.
        let rims = [self.outline[0], self.outline[self.outline.len() - 1]];
        let lid = [rims[1], rims[1] + DVec2::Y * 10.0, rims[0] + DVec2::Y * 10.0, rims[0]];
        let closed: Vec<DVec2> = self.outline.iter().chain(&lid).copied().collect();
        for pair in closed.windows(2) {
            let (a, b) = (pair[0], pair[1]);
            if (a.y > x.y) != (b.y > x.y) && x.x < a.x + (x.y - a.y) / (b.y - a.y) * (b.x - a.x) {
                inside = !inside;
            }
        }
        (nearest, inside)
    }
}

/// Vessels with contacts and with penalties.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn vessel(report: &mut Report) -> Result<()> {
    for vessel in vessels() {
        report.table(
            &format!("No leaks: {}, {END} s", vessel.name),
            &[
                "boundary",
                "solver",
                "through the wall",
                "over the rim (first at)",
                "nearest particle [spacings]",
                "fastest, relative to the vessel, second half [m/s]",
            ],
        );
        let mut lines = Vec::new();
        {
            for (method, solver) in report.pairs(&["direct-forcing", "penalty"]) {
                let who = format!("{}, {method}, {solver}", vessel.name);
                let Some(found) = report.attempt(&who, carry(&vessel, method, solver)) else { continue };
                let (low, high) = found.range();
                report.row(&[
                    method.to_owned(),
                    solver.to_owned(),
                    found.through.to_string(),
                    match found.over {
                        0 => "0".to_owned(),
                        over => format!("{over} ({:.2} s)", found.first_over),
                    },
                    format!("{low:.4} … {high:.4}"),
                    format!("{:.3}", found.fastest),
                ]);
                if method == "direct-forcing" {
                    report.require(found.through == 0, format!("{who}: {} went through", found.through));
                    report.require(
                        low >= 0.499 && high <= 0.501,
                        format!("{who}: the nearest particle is {low:.4} … {high:.4} spacings away"),
                    );
                }
                if matches!(solver, "dfsph" | "wcsph") {
                    lines.push(Line { name: format!("{method}, {solver}"), points: found.nearest });
                }
            }
        }
        let name = if vessel.name.starts_with("rocking") { "vessel.svg" } else { "hull.svg" };
        report.draw(
            name,
            vec![panel(
                "Distance of the nearest particle from the wall",
                ["time [s]", "distance [spacings]"],
                &lines,
            )],
        )?;
    }
    Ok(())
}

struct Carried {
    /// Particles whose way crossed the sheets, and those that left by the opening.
    through: usize,
    over: usize,
    /// When the first one did `[s]`.
    first_over: f64,
    /// Time `[s]` and distance of the nearest particle in spacings.
    nearest: Vec<[f64; 2]>,
    /// Fastest particle relative to the vessel in the second half `[m/s]`.
    fastest: f64,
}

impl Carried {
    /// After the water has come to touch.
    fn range(&self) -> (f64, f64) {
        let late = self.nearest.iter().filter(|n| n[0] > 0.2).map(|n| n[1]);
        late.fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), d| (a.min(d), b.max(d)))
    }
}

fn carry(vessel: &Vessel, method: &str, solver: &str) -> Result<Carried> {
    let [from, to] = vessel.water;
    let text = format!(
        r#"
        dimension = 2
        time = {{ end = {END} }}
        [fluid]
        spacing = {SPACING}
        pressure = {{ method = "{solver}" }}
        viscosity = {{ method = "artificial", coefficient = 0.1 }}
        [[fluid.source]]
        shape = "box"
        min = [{}, {}, 0.0]
        max = [{}, {}, 0.0]
        [[body]]
        name = "vessel"
        shape = "mesh"
        path = "mesh.obj"
        motion = {}
        boundary = {{ method = "{method}" }}
        "#,
        from.x, from.y, to.x, to.y, vessel.motion,
    );
    let mut simulation = Simulation::new(setup_with_mesh(&text, &vessel.mesh(), None)?)?;
    let mut carried = Carried { through: 0, over: 0, first_over: 0.0, nearest: Vec::new(), fastest: 0.0 };
    let (mut before, mut gone) = (HashMap::new(), HashSet::new());
    super::run(&mut simulation, END, |now| {
        let body = now.body(0);
        let particles = &now.particles();
        let mut nearest = f64::INFINITY;
        for (&x, &id) in particles.position.iter().zip(&particles.id) {
            let here = body.pose.to_local(x).truncate();
            let (distance, inside) = vessel.probe(here);
            // What has left by the opening and comes near from outside is not held by the vessel.
            if !gone.contains(&id) {
                nearest = nearest.min(distance);
            }
            let before = before.insert(id, here);
            if before.is_some_and(|before| vessel.crosses(before, here)) {
                carried.through += 1;
                gone.insert(id);
            } else if !inside && gone.insert(id) {
                if carried.over == 0 {
                    carried.first_over = now.clock().time;
                }
                carried.over += 1;
            }
        }
        carried.nearest.push([now.clock().time, nearest / SPACING]);
        if now.clock().time > 0.5 * END {
            let relative = particles
                .position
                .iter()
                .zip(&particles.velocity)
                .map(|(&x, &v)| (v - body.velocity_at(x)).length());
            carried.fastest = relative.fold(carried.fastest, f64::max);
        }
        Ok(())
    })?;
    Ok(carried)
}

/// Dam breaks against an obstacle, with every method and solver.
///
/// # Errors
/// If a scene is refused or a step fails.
pub fn dam_break(report: &mut Report, dam: &Dam) -> Result<()> {
    let Dam { dimension, spacing, step } = dam;
    report.table(
        &format!(
            "Dam break against a turned block, {dimension}D, spacing {spacing} m, {step}, 1.2 s: most particles that were ever inside a solid; fastest ever [m/s]"
        ),
        &[&["boundary"], report.solvers.as_slice()].concat(),
    );
    let wanted = report.pairs(&METHODS);
    for pairs in wanted.chunk_by(|a, b| a.0 == b.0) {
        let mut row = vec![pairs[0].0.to_owned()];
        for &(method, solver) in pairs {
            let who = format!("dam break, {dimension}D, spacing {spacing}, {method}, {solver}");
            let Some((escaped, fastest)) = report.attempt(&who, dam.burst(method, solver)) else {
                row.push("failed".to_owned());
                continue;
            };
            row.push(format!("{escaped}; {fastest:.1}"));
            report.require(escaped == 0, format!("{who}: {escaped} escaped"));
        }
        report.row(&row);
    }
    Ok(())
}

/// Water that falls against a turned block, whose lower edge is a little below the floor: between both is a wedge.
#[derive(Debug, Clone, PartialEq)]
pub struct Dam {
    /// 2 or 3.
    pub dimension: u32,
    /// Distance of particles `[m]`.
    pub spacing: f64,
    /// The scene's rule for the length of steps.
    pub step: String,
}

impl Dam {
    /// The most particles that were ever inside a solid, and the largest speed `[m/s]`.
    fn burst(&self, method: &str, solver: &str) -> Result<(u64, f64)> {
        let Self { dimension, spacing, step } = self;
        let half = if *dimension == 2 { 0.0 } else { 0.21 };
        let setup = setup(&format!(
            r#"
        dimension = {dimension}
        time = {{ end = 1.2, step = {step} }}
        [fluid]
        spacing = {spacing}
        pressure = {{ method = "{solver}" }}
        [[fluid.source]]
        shape = "box"
        min = [-0.6, 0.0, -{half}]
        max = [-0.24, 0.48, {half}]
        [[body]]
        name = "tank"
        shape = "box"
        size = [1.2, 0.9, 0.42]
        position = [0.0, 0.45, 0.0]
        container = true
        boundary = {{ method = "{method}" }}
        [[body]]
        name = "block"
        shape = "box"
        size = [0.15, 0.15, 0.15]
        position = [0.15, 0.1, 0.0]
        rotation = {{ axis = [0, 0, 1], angle = 30.0 }}
        boundary = {{ method = "{method}" }}
        "#
        ))?;
        let mut simulation = Simulation::new(setup)?;
        let (mut most, mut fastest) = (0, 0.0);
        super::run(&mut simulation, 1.2, |now| {
            most = most.max(now.escaped());
            let speeds = now.particles().velocity.iter().map(|v| v.length());
            fastest = speeds.fold(fastest, f64::max);
            Ok(())
        })?;
        Ok((most, fastest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inside_and_distance_are_told() {
        let vessel = &vessels()[0];
        assert_eq!(vessel.probe(DVec2::new(0.0, 0.1)), (0.1, true));
        assert!(!vessel.probe(DVec2::new(0.0, -0.1)).1);
        assert!(!vessel.probe(DVec2::new(0.4, 0.1)).1);
        assert!(vessel.probe(DVec2::new(0.1, 0.9)).1);
        assert!(vessel.crosses(DVec2::new(0.1, 0.1), DVec2::new(0.1, -0.1)));
        assert!(!vessel.crosses(DVec2::new(0.2, 0.5), DVec2::new(0.4, 0.5)), "over the rim");
    }
}

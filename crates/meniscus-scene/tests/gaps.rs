//! Water in gaps that are too narrow for it: heavy bodies settle on the ground, and stay there.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const SPACING: f64 = 0.02;

/// A tank of water with a block in it, one spacing and a half below the surface.
struct Tank {
    dimension: u32,
    /// Across the tank, both ways `[m]`.
    width: f64,
    /// Of the water `[m]`.
    depth: f64,
    method: &'static str,
    solver: &'static str,
    /// Of the block `[m]`.
    size: [f64; 3],
    /// How far it is turned `[degree]`.
    turn: f64,
    /// Its density `[kg/m³]`.
    density: f64,
}

impl Tank {
    fn build(&self) -> Simulation {
        let Self { dimension, width, depth, method, solver, size, turn, density } = self;
        let (half, across) = (0.5 * width, if *dimension == 2 { 0.0 } else { 0.5 * width });
        let place = depth - 0.5 * size[1] - 1.5 * SPACING;
        let text = format!(
            r#"
dimension = {dimension}

[time]
end = 9.0

[fluid]
spacing = {SPACING}
pressure = {{ method = "{solver}" }}

[[fluid.source]]
shape = "box"
min = [-{half}, 0.0, -{across}]
max = [{half}, {depth}, {across}]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [{width}, 0.8, {width}]
position = [0.0, 0.4, 0.0]
open = ["+y"]
container = true
boundary.method = "{method}"

[[body]]
name = "block"
shape = "box"
size = {size:?}
position = [0.0, {place}, 0.0]
rotation = {{ axis = [0.0, 0.0, 1.0], angle = {turn} }}
dynamics = {{ density = {density} }}
boundary.method = "{method}"
"#
        );
        Simulation::new(SceneSource::from_text("gap", &text).build().unwrap().1).unwrap()
    }

    /// Lets the block sink for some seconds.
    fn settle(&self, seconds: f64) {
        let mut simulation = self.build();
        let (mut lowest, mut rise, mut fastest) = (f64::INFINITY, 0.0_f64, 0.0_f64);
        while simulation.clock().time < seconds {
            simulation.step().unwrap();
            let now = &simulation.body(1);
            lowest = lowest.min(now.pose.translation.y);
            rise = rise.max(now.pose.translation.y - lowest);
            fastest = fastest.max(now.velocity.y);
        }
        let Self { dimension, method, solver, turn, density, .. } = self;
        let over = simulation.body(1).pose.translation.y - 0.5 * self.size[1];
        let name = format!("{dimension}D {method} {solver} turned {turn} density {density}");
        println!(
            "{name}: thrown up {:.3} spacings with {fastest:.3} m/s, ends {:.3} spacings over the ground",
            rise / SPACING,
            over / SPACING
        );
        // Which block is kicked, and how far, is chance: at most 1.9 spacings were seen here, with IISPH.
        assert!(rise < 2.5 * SPACING, "{name}: thrown up by {rise} m");
        // On the ground, or on what is caught below it.
        assert!(over < 2.5 * SPACING, "{name}: hovers {over} m over the ground");
    }
}

#[test]
fn heavy_blocks_settle_on_the_ground() {
    // With direct forcing, DFSPH and IISPH threw the second one out of the tank.
    for method in ["volume-particles", "density-map", "direct-forcing"] {
        for solver in ["dfsph", "wcsph", "iisph"] {
            for (turn, density) in [(0.0, 3000.0), (6.0, 8000.0)] {
                let size = [0.2, 0.1, 1.0];
                Tank { dimension: 2, width: 0.64, depth: 0.24, method, solver, size, turn, density }
                    .settle(1.2);
            }
        }
    }
}

#[test]
fn heavy_blocks_settle_on_the_ground_in_space() {
    let all = ["volume-particles", "density-map", "direct-forcing"].map(|method| (method, "dfsph"));
    // IISPH threw it by 275 spacings.
    for (method, solver) in all.into_iter().chain([("direct-forcing", "iisph")]) {
        let (size, turn, density) = ([0.16, 0.08, 0.16], 4.0, 4000.0);
        Tank { dimension: 3, width: 0.32, depth: 0.16, method, solver, size, turn, density }.settle(0.8);
    }
}

#[test]
fn a_block_that_lands_runs_over_no_particle() {
    let (method, solver, size) = ("volume-particles", "dfsph", [0.2, 0.1, 1.0]);
    let (turn, density) = (6.0, 8000.0);
    let tank = Tank { dimension: 2, width: 0.64, depth: 0.24, method, solver, size, turn, density };
    let mut simulation = tank.build();
    let (mut deepest, mut landed) = (0.0_f64, false);
    while simulation.clock().time < 0.8 {
        simulation.step().unwrap();
        let block = &simulation.solids()[1];
        let depth = |&x| -block.signed_distance(x, simulation.setup().dimension);
        deepest = simulation.particles().position.iter().map(depth).fold(deepest, f64::max);
        landed |= simulation.body(1).pose.translation.y < 0.5 * size[1] + SPACING;
    }
    assert!(landed, "the block did not come down");
    assert!(deepest < 1e-6 * SPACING, "a particle was {} spacings in the block", deepest / SPACING);
}

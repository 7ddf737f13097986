//! Fluid and bodies together gain the momentum that gravity and walls give them, and nothing else.

use glam::DVec3;
use meniscus_core::Wrench;
use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const METHODS: [&str; 3] = ["volume-particles", "density-map", "direct-forcing"];
const GRAVITY: DVec3 = DVec3::new(0.0, -9.81, 0.0);

/// Water and a spinning brick that flies into it, far from the origin; with `tank` in a closed box.
fn scene(method: &str, solver: &str, tank: bool) -> Simulation {
    let tank = if tank {
        format!(
            "[[body]]\nname = \"tank\"\nshape = \"box\"\nsize = [0.64, 0.8, 0.56]\nposition = [2.0, 0.4, -1.0]\n\
             container = true\nboundary.method = \"{method}\"\n"
        )
    } else {
        String::new()
    };
    let text = format!(
        r#"
[time]
end = 9.0

[fluid]
spacing = 0.04
pressure = {{ method = "{solver}" }}
viscosity = {{ method = "laplacian", kinematic = 0.01, boundary_kinematic = 0.01 }}

[[fluid.source]]
shape = "box"
min = [1.68, 0.0, -1.28]
max = [2.32, 0.32, -0.72]
velocity = [0.1, 0.3, -0.2]

{tank}
[[body]]
name = "brick"
shape = "box"
size = [0.24, 0.16, 0.2]
position = [2.04, 0.5, -1.02]
boundary.method = "{method}"
dynamics = {{ density = 600.0, velocity = [0.2, -2.0, 0.1], angular_velocity = [3.0, 1.0, -6.0] }}
"#
    );
    Simulation::new(SceneSource::from_text("momentum", &text).build().unwrap().1).unwrap()
}

/// Momentum and angular momentum about the origin of all that moves.
fn total(simulation: &Simulation) -> (DVec3, DVec3) {
    let row = simulation.series_row();
    let solids = row.solids.unwrap();
    (row.momentum + solids.momentum, row.angular_momentum + solids.angular_momentum)
}

/// Where the brick is, whose centre of mass is its frame's origin.
fn brick(simulation: &Simulation) -> DVec3 {
    simulation.world().bodies.last().unwrap().pose.translation
}

/// How much of the change of momentum and of angular momentum is not explained, relative to all that was exchanged.
fn unexplained(method: &str, solver: &str, tank: bool, until: f64) -> (f64, f64) {
    let mut simulation = scene(method, solver, tank);
    let mass = simulation.setup().sph.fluid.mass();
    let brick_mass = 600.0 * 0.24 * 0.16 * 0.2;
    let start = total(&simulation);
    let (mut linear, mut angular, mut on_brick) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    while simulation.clock().time < until {
        let before = brick(&simulation);
        let sum: DVec3 = simulation.particles().position.iter().sum();
        let count = simulation.particles().len() as f64;
        let report = simulation.step().unwrap();
        let weight = report.dt * GRAVITY;
        let loads = &simulation.interface().load;
        // Velocities change where a step begins, but that of a brick in the air evenly on its way.
        let flies = *loads.last().unwrap() == Wrench::default();
        let place = if flies { 0.5 * (before + brick(&simulation)) } else { before };
        linear += (mass * count + brick_mass) * weight;
        angular += mass * sum.cross(weight) + brick_mass * place.cross(weight);
        on_brick += loads.last().unwrap().impulse.length();
        assert_eq!(simulation.solid_report().unwrap().points, 0, "{method}: the brick touched the tank");
        if tank {
            linear -= loads[0].impulse;
            angular -= loads[0].angular_impulse;
        }
    }
    let end = total(&simulation);
    assert!(on_brick > 2.0, "{method}: the brick met nothing, {on_brick} N s");
    let scale = |a: DVec3, b: DVec3| a.length().max(b.length());
    let (dl, da) = (end.0 - start.0 - linear, end.1 - start.1 - angular);
    let result = (dl.length() / scale(start.0, linear), da.length() / scale(start.1, angular));
    println!("{method} {solver} {tank}: linear {:.1e}, angular {:.1e}", result.0, result.1);
    result
}

#[test]
fn nothing_but_gravity_moves_what_falls_freely() {
    for method in METHODS {
        for solver in ["dfsph", "iisph", "wcsph"] {
            let (linear, angular) = unexplained(method, solver, false, 0.25);
            assert!(linear < 2e-6 && angular < 2e-6, "{method} {solver}: {linear:e} {angular:e}");
        }
    }
}

#[test]
fn a_closed_box_receives_what_its_content_loses() {
    for method in METHODS {
        let (linear, angular) = unexplained(method, "dfsph", true, 0.3);
        assert!(linear < 2e-6 && angular < 2e-6, "{method}: {linear:e} {angular:e}");
    }
}

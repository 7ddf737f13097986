//! Bodies that are cut out of fluid take exactly their room, and what is left fits around them from the start.

use glam::DVec3;
use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const SPACING: f64 = 0.02;

/// A tank of water, 24 particles wide and deep, with a body of the water's density in its middle that fits no lattice.
fn tank(dimension: u32, method: &str, body: &str) -> Simulation {
    let deep = if dimension == 2 { 0.0 } else { 0.24 };
    let text = format!(
        r#"
dimension = {dimension}

[time]
end = 9.0

[fluid]
spacing = {SPACING}

[[fluid.source]]
shape = "box"
min = [-0.24, 0.0, -{deep}]
max = [0.24, 0.48, {deep}]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [0.48, 1.0, 0.48]
position = [0.0, 0.5, 0.0]
open = ["+y"]
container = true

[[body]]
name = "body"
{body}
boundary.method = "{method}"
dynamics = {{ density = 1000.0 }}
"#
    );
    Simulation::new(SceneSource::from_text("carved", &text).build().unwrap().1).unwrap()
}

#[test]
fn as_many_particles_are_left_out_as_a_body_takes_up() {
    let disc = std::f64::consts::PI * 0.084_f64.powi(2);
    let ball = 4.0 / 3.0 * disc * 0.084;
    let cases = [
        (3, "shape = \"sphere\"\nradius = 0.084\nposition = [0.003, 0.245, 0.007]", ball),
        (
            3,
            "shape = \"box\"\nsize = [0.212, 0.212, 0.212]\nposition = [0.003, 0.245, 0.007]",
            0.212_f64.powi(3),
        ),
        (3, "shape = \"box\"\nsize = [0.19, 0.19, 0.19]\nposition = [0.0, 0.24, 0.0]", 0.19_f64.powi(3)),
        // Half of it is above the water.
        (3, "shape = \"sphere\"\nradius = 0.084\nposition = [0.003, 0.48, 0.007]", 0.5 * ball),
        (2, "shape = \"sphere\"\nradius = 0.084\nposition = [0.003, 0.245, 0.0]", disc),
    ];
    for (dimension, body, volume) in cases {
        let simulation = tank(dimension, "volume-particles", body);
        let cells = 24_f64.powi(i32::try_from(dimension).unwrap());
        let left_out = cells - simulation.particles().len() as f64;
        let expected = volume / SPACING.powi(i32::try_from(dimension).unwrap());
        println!("{left_out} for {expected:.1}");
        assert!((left_out - expected).abs() < 1.0 + 0.003 * expected, "{left_out} for {expected}: {body}");
    }
}

#[test]
fn a_body_that_fits_no_lattice_starts_at_rest() {
    let shapes = [
        "shape = \"box\"\nsize = [0.212, 0.212, 0.212]\nposition = [0.003, 0.245, 0.007]",
        "shape = \"sphere\"\nradius = 0.084\nposition = [0.003, 0.245, 0.007]",
    ];
    for method in ["volume-particles", "density-map"] {
        for shape in shapes {
            let mut simulation = tank(3, method, shape);
            let centre = |simulation: &Simulation| simulation.body(1).pose.translation;
            let start: DVec3 = centre(&simulation);
            while simulation.clock().time < 0.05 {
                simulation.step().unwrap();
            }
            let moved = (centre(&simulation) - start).length() / SPACING;
            println!("{method}: {moved:.3} spacings, {}", shape.lines().next().unwrap_or_default());
            // Where particles near the body were only left out, boxes sank by 0.43 to 0.47 and spheres by 0.08.
            assert!(moved < 0.1, "{method}: {moved} spacings, {shape}");
        }
    }
}

#[test]
fn nothing_starts_nearer_to_a_body_than_fluid_rests() {
    for method in ["volume-particles", "density-map", "direct-forcing"] {
        let simulation = tank(
            3,
            method,
            "shape = \"box\"\nsize = [0.212, 0.212, 0.212]\nposition = [0.003, 0.245, 0.007]",
        );
        let solid = simulation.setup().bodies[1].solid.at(simulation.body(1).pose);
        let distances = simulation.particles().position.iter();
        let nearest = distances
            .map(|&x| solid.signed_distance(x, simulation.dimension()) / SPACING)
            .fold(f64::INFINITY, f64::min);
        println!("{method}: {nearest:.3} spacings");
        assert!(nearest > 0.45, "{method}: {nearest} spacings");
    }
}

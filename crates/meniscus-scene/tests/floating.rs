//! Bodies and fluid that push each other, from scenes in the plane; in space they are in `validation/floating`.

use glam::DVec3;
use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const METHODS: [&str; 3] = ["volume-particles", "density-map", "direct-forcing"];
const GRAVITY: f64 = 9.81;
const SPACING: f64 = 0.02;

/// Enough for pressures that change little from step to step.
const CALM: &str =
    r#"{ method = "dfsph", density_tolerance = 1e-5, max_sweeps = 400, on_failure = "accept" }"#;

/// A tank of water with a body in it; `body` are the keys of its shape, place and density.
fn scene(method: &str, depth: f64, body: &str) -> Simulation {
    with_solver(method, CALM, SPACING, depth, body)
}

/// The same with another table of the pressure solver and another spacing `[m]`.
fn with_solver(method: &str, pressure: &str, spacing: f64, depth: f64, body: &str) -> Simulation {
    let text = format!(
        r#"
dimension = 2

[time]
end = 9.0

[fluid]
spacing = {spacing}
pressure = {pressure}

[[fluid.source]]
shape = "box"
min = [-0.5, 0.0, 0.0]
max = [0.5, {depth}, 0.0]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [1.0, 1.6, 1.0]
position = [0.0, 0.8, 0.0]
open = ["+y"]
container = true

[[body]]
name = "body"
boundary.method = "{method}"
{body}
"#
    );
    Simulation::new(SceneSource::from_text("floating", &text).build().unwrap().1).unwrap()
}

/// Height and velocity of the second body.
fn body(simulation: &Simulation) -> (DVec3, DVec3) {
    let now = &simulation.body(1);
    (now.pose.translation, now.velocity)
}

#[test]
fn boxes_float_at_their_depth() {
    let (size, depth) = (0.2, 0.5);
    for method in METHODS {
        for ratio in [0.1, 0.5, 0.9] {
            // The body begins a quarter of a spacing above its place.
            let place = depth + (0.5 - ratio) * size + 0.25 * SPACING;
            let keys = format!(
                "shape = \"box\"\nsize = [{size}, {size}, 1.0]\nposition = [0.0, {place}, 0.0]\n\
                 dynamics = {{ density = {} }}",
                1000.0 * ratio
            );
            let mut simulation = scene(method, depth, &keys);
            let water = simulation.particles().len() as f64 * SPACING * SPACING;
            let (mut sum, mut count) = (0.0, 0.0);
            while simulation.clock().time < 1.5 {
                simulation.step().unwrap();
                if simulation.clock().time > 0.5 {
                    let (centre, _) = body(&simulation);
                    // The water's level with this much of the body in it, from volumes; the tank is 1 m wide.
                    let bottom = centre.y - 0.5 * size;
                    let submerged = (water - bottom) / (1.0 - size);
                    sum += submerged / size;
                    count += 1.0;
                }
            }
            let fraction = sum / count;
            println!("{method} {ratio}: {fraction:.4} submerged");
            assert_eq!(simulation.escaped(), 0);
            assert!((fraction - ratio).abs() < 0.03, "{method} {ratio}: {fraction}");
        }
    }
}

/// A scene whose body is held until the fluid has settled, at the moment of its release `[s]`.
fn settled(method: &str, depth: f64, shape: &str, density: f64, release: f64) -> Simulation {
    let keys = format!("{shape}\ndynamics = {{ density = {density}, release = {release} }}");
    let mut simulation = scene(method, depth, &keys);
    while simulation.clock().time < release {
        simulation.step().unwrap();
    }
    simulation
}

#[test]
fn a_body_as_heavy_as_water_stays() {
    let shape = "shape = \"box\"\nsize = [0.2, 0.2, 1.0]\nposition = [0.0, 0.3, 0.0]";
    for method in METHODS {
        let mut simulation = settled(method, 0.6, shape, 1000.0, 2.0);
        let (start, release) = (body(&simulation).0, simulation.clock().time);
        while simulation.clock().time < release + 2.0 {
            simulation.step().unwrap();
        }
        let moved = (body(&simulation).0 - start).length() / SPACING;
        println!("{method}: moved {moved:.4} spacings");
        // What is left of the fluid's motion carries it. Seen were 0.29 (volume particles, 0.27 after four seconds of rest), 0.09 (map) and
        // 0.27 spacings (direct forcing; 0.06 before its faces pushed along their rims, but other scenes in the plane have 0.13 to 0.4 either way).
        let most = if method == "density-map" { 0.2 } else { 0.45 };
        assert!(moved < most, "{method}: {moved} spacings");
    }
}

#[test]
fn bodies_start_with_the_mass_of_the_water_they_move() {
    // A cylinder moves as much water as it displaces: a = g (ρ_f − ρ_b) / (ρ_b + ρ_f).
    let shape = "shape = \"sphere\"\nradius = 0.1\nposition = [0.0, 0.5, 0.0]";
    for method in METHODS {
        for ratio in [0.05, 0.5, 2.0, 8.0] {
            let mut simulation = settled(method, 1.0, shape, 1000.0 * ratio, 1.0);
            let (start, release) = (body(&simulation).0, simulation.clock().time);
            while simulation.clock().time < release + 0.05 {
                simulation.step().unwrap();
            }
            let time = simulation.clock().time - release;
            let (end, velocity) = body(&simulation);
            let expected = GRAVITY * (1.0 - ratio) / (1.0 + ratio);
            let by_way = 2.0 * (end - start).y / (time * time) / expected;
            let by_speed = velocity.y / time / expected;
            println!("{method} {ratio}: {by_speed:.3} of {expected:.3} m/s² by speed, {by_way:.3} by way");
            // The fluid's friction and the tank's walls slow it down: from 0.65 (direct forcing) to 0.98 were seen.
            assert!((0.6..1.1).contains(&by_way), "{method} {ratio}: {by_way}");
        }
    }
}

#[test]
fn light_bodies_are_stable_with_every_solver() {
    let (size, depth, ratio, spacing) = (0.2, 0.24, 0.05, 0.04);
    // Dropped from one spacing above the water, with the steps and tolerances that scenes have by default.
    let keys = format!(
        "shape = \"box\"\nsize = [{size}, {size}, 1.0]\nposition = [0.0, {}, 0.0]\n\
         dynamics = {{ density = {} }}",
        depth + 0.5 * size + spacing,
        1000.0 * ratio
    );
    for method in METHODS {
        for solver in ["dfsph", "iisph", "pcisph", "wcsph"] {
            let pressure = format!("{{ method = \"{solver}\" }}");
            let mut simulation = with_solver(method, &pressure, spacing, depth, &keys);
            let (mut fastest, mut rest, mut count) = (0.0_f64, 0.0, 0.0);
            while simulation.clock().time < 1.5 {
                simulation.step().unwrap();
                let (_, velocity) = body(&simulation);
                fastest = fastest.max(velocity.length());
                if simulation.clock().time > 1.0 {
                    rest += velocity.length_squared();
                    count += 1.0;
                }
            }
            let rest = f64::sqrt(rest / count);
            let sunk = (depth + 0.5 * size - body(&simulation).0.y) / size;
            println!(
                "{method} {solver}: {fastest:.2} m/s at most, {rest:.3} m/s at rest, {sunk:.3} submerged"
            );
            assert_eq!(simulation.escaped(), 0, "{method} {solver}");
            // It falls by 4 cm, which makes 0.89 m/s.
            assert!(fastest < 1.1, "{method} {solver}: {fastest} m/s");
            // WCSPH, where bodies answer after the step, keeps it bobbing: 0.22 m/s were seen, with the others at most 0.07 m/s.
            assert!(
                rest < if solver == "wcsph" { 0.3 } else { 0.15 },
                "{method} {solver}: {rest} m/s at rest"
            );
            assert!((sunk - ratio).abs() < spacing / size, "{method} {solver}: {sunk} submerged");
        }
    }
}

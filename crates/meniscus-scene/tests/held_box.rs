//! A box that is held in water in space is pushed up by the weight of what it displaces.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const SPACING: f64 = 0.02;

/// The mean force on a cube of 10 spacings, 5 of them under water, over the weight of the water that it displaces.
fn lift(method: &str) -> f64 {
    let (side, draft, around) = (10.0 * SPACING, 5.0 * SPACING, 5.0 * SPACING);
    let (half, depth) = (0.5 * side + around, around + draft);
    let text = format!(
        r#"
[time]
end = 9.0

[fluid]
spacing = {SPACING}
pressure = {{ method = "dfsph", density_tolerance = 1e-5, max_sweeps = 400, on_failure = "accept" }}

[[fluid.source]]
shape = "box"
min = [{}, 0.0, {}]
max = [{half}, {depth}, {half}]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [{}, {}, {}]
position = [0.0, {}, 0.0]
open = ["+y"]
container = true

[[body]]
name = "cube"
shape = "box"
size = [{side}, {side}, {side}]
position = [0.0, {}, 0.0]
boundary.method = "{method}"
"#,
        -half,
        -half,
        2.0 * half,
        depth + side,
        2.0 * half,
        0.5 * (depth + side),
        around + 0.5 * side,
    );
    let mut simulation = Simulation::new(SceneSource::from_text("held", &text).build().unwrap().1).unwrap();
    let (mut impulse, mut since) = (0.0, 0.0);
    while simulation.clock().time < 0.8 {
        let time = simulation.step().unwrap().dt;
        if simulation.clock().time > 0.5 {
            impulse += simulation.load(1).impulse.y;
            since += time;
        }
    }
    impulse / since / (1000.0 * 9.81 * draft * side * side)
}

#[test]
fn edges_of_boxes_bear_their_share() {
    // Where water came as near to edges as to faces, contacts had 0.95.
    for method in ["direct-forcing", "density-map", "volume-particles"] {
        let lift = lift(method);
        println!("{method}: {lift:.4}");
        assert!((lift - 1.0).abs() < 0.03, "{method}: {lift}");
    }
}

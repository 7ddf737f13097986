//! Water that is many particles deep comes to rest.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

/// The fastest particle of a column of water after it has stood for a while `[m/s]`.
fn restless(solver: &str, across: u32, down: u32) -> f64 {
    let spacing = 0.01;
    let (half, depth) = (0.5 * spacing * f64::from(across), spacing * f64::from(down));
    let text = format!(
        r#"
dimension = 2

[time]
end = 1.0

[fluid]
spacing = {spacing}
pressure.method = "{solver}"

[[fluid.source]]
shape = "box"
min = [{}, 0.0, 0.0]
max = [{half}, {depth}, 0.0]

[[body]]
name = "tank"
shape = "box"
size = [{}, {}, 1.0]
position = [0.0, {}, 0.0]
open = ["+y"]
container = true
"#,
        -half,
        2.0 * half,
        1.5 * depth,
        0.75 * depth,
    );
    let mut simulation = Simulation::new(SceneSource::from_text("deep", &text).build().unwrap().1).unwrap();
    while simulation.clock().time < 0.3 {
        simulation.step().unwrap();
    }
    simulation.particles().velocity.iter().map(|v| v.length()).fold(0.0, f64::max)
}

#[test]
fn deep_water_does_not_burst() {
    // Without a limit of the step by the depth 4 m/s (DFSPH), 126 m/s (IISPH) and 29 km/s (PCISPH) were seen.
    for solver in ["dfsph", "iisph", "pcisph"] {
        let fastest = restless(solver, 16, 120);
        println!("{solver}: {fastest:.3} m/s");
        assert!(fastest < 1.0, "{solver}: {fastest} m/s");
    }
}

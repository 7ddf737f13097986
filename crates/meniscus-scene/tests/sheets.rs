//! Vessels made of sheets without thickness.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

/// Two walls and a floor between z = −0.5 and z = 0.5.
const VESSEL: &str = "
v -0.3 0.4 -0.5\nv -0.3 0.4 0.5\nv -0.3 0 -0.5\nv -0.3 0 0.5\nv 0.3 0 -0.5\nv 0.3 0 0.5\nv 0.3 0.4 -0.5\nv 0.3 0.4 0.5
f 1 3 4\nf 1 4 2\nf 3 5 6\nf 3 6 4\nf 5 7 8\nf 5 8 6
";

#[test]
fn a_rocking_vessel_of_penalties_does_not_burst() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("vessel.obj"), VESSEL).unwrap();
    let text = r#"
        dimension = 2
        time = { end = 1.6 }
        [fluid]
        spacing = 0.02
        pressure = { method = "dfsph" }
        viscosity = { method = "artificial", coefficient = 0.1 }
        [[fluid.source]]
        shape = "box"
        min = [-0.3, 0.0, 0.0]
        max = [0.3, 0.2, 0.0]
        [[body]]
        name = "vessel"
        shape = "mesh"
        path = "vessel.obj"
        motion = { kind = "rocking", amplitude = 10.0, frequency = 0.7, point = [0.0, 0.0, 0.0] }
        boundary = { method = "penalty" }
    "#;
    let source = SceneSource::from_text("sheets", text).with_folder(folder.path());
    let (_, setup) = source.build().unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(setup).unwrap();
    let mut fastest: f64 = 0.0;
    while simulation.clock().time < 1.6 - 1e-9 {
        simulation.step().unwrap();
        let speeds = simulation.particles().velocity.iter().map(|v| v.length());
        fastest = speeds.fold(fastest, f64::max);
    }
    println!("fastest {fastest:.2} m/s");
    assert!(fastest < 5.0, "something moves at {fastest} m/s");
}

//! Parts of bodies that are thinner than the fluid is fine.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

/// A statue is led through water; its arms are thinner than a spacing, so that hardly any sample is in them.
const STATUE: &str = "
    time = { end = 1.0 }
    fluid = { spacing = 0.05, source = [{ shape = 'box', min = [0.1, 0, -0.3], max = [0.6, 0.4, 0.3] }] }
    [[body]]
    name = 'tank'
    shape = 'box'
    size = [1.2, 1.0, 0.6]
    position = [0.2, 0.5, 0.0]
    open = ['+y']
    container = true
    [[body]]
    name = 'statue'
    shape = 'statue'
    height = 0.45
    position = [-0.15, 0.3, 0.0]
    motion = { kind = 'linear', velocity = [1.0, 0.0, 0.0] }";

#[test]
fn no_particle_stays_in_arms_without_samples() {
    let (_, setup) =
        SceneSource::from_text("scene", STATUE).build().unwrap_or_else(|error| panic!("{error}"));
    let mut simulation = Simulation::new(setup).unwrap();
    while simulation.clock().time < 0.45 {
        simulation.step().unwrap();
        assert_eq!(simulation.escaped(), 0, "t = {} s", simulation.clock().time);
    }
}

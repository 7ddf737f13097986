//! Bodies that enter, are let go and change their density, from the scene to the simulation.

use meniscus_coupling::{Setup, Simulation};
use meniscus_scene::SceneSource;

fn built(text: &str) -> Setup {
    SceneSource::from_text("scene", text).build().unwrap_or_else(|error| panic!("{error}")).1
}

fn run(simulation: &mut Simulation, until: f64, what: &str) {
    while simulation.clock().time < until {
        simulation.step().unwrap_or_else(|error| panic!("{what}: {error}"));
    }
}

/// Water above a plate that is held for long and enters at a time `[s]`.
fn plate(enter: f64, boundary: &str) -> String {
    format!(
        "dimension = 2
        time = {{ end = 1.0 }}
        fluid = {{ spacing = 0.02, source = [{{ shape = 'box', min = [-0.1, 0.3, 0], max = [0.1, 0.5, 0] }}] }}
        [[body]]
        name = 'plate'
        shape = 'box'
        size = [0.8, 0.1, 1.0]
        position = [0.0, 0.15, 0.0]
        motion = {{ kind = 'linear', velocity = [0, 0, 0] }}
        dynamics = {{ enter = {enter}, release = 9.0 }}
        boundary = {{ method = '{boundary}' }}"
    )
}

#[test]
fn fluid_does_not_feel_a_body_before_it_enters() {
    for boundary in ["volume-particles", "density-map", "direct-forcing", "penalty"] {
        let lowest = |enter: f64| {
            let mut simulation = Simulation::new(built(&plate(enter, boundary))).unwrap();
            run(&mut simulation, 0.26, &format!("{boundary}, enters at {enter} s"));
            assert_eq!(simulation.is_present(0), enter < 0.26);
            assert_eq!(simulation.escaped(), 0, "{boundary}");
            let frame = simulation.frame(0);
            frame.position.iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
        };
        // Falls freely by ½ g t² = 0.33 m, from half a spacing above 0.3 m; the plate's top is at 0.2 m.
        let free = lowest(0.5);
        assert!((-0.03..0.0).contains(&free), "{boundary}: {free}");
        if boundary == "penalty" {
            // Its forces throw fluid that arrives this fast far away.
            continue;
        }
        assert!(lowest(0.0) > 0.19, "{boundary}");
        // Fluid that has not arrived yet meets a plate that came in between.
        assert!(lowest(0.1) > 0.19, "{boundary}");
    }
}

/// A ball that is thrown, one that appears, and one that grows heavier.
const CHANGING: &str = "
    time = { end = 1.0, step = { method = 'cfl', max = 0.01 } }
    output = { frames_per_second = 10 }
    [[body]]
    name = 'floor'
    shape = 'plane'
    size = [4.0, 4.0]
    [[body]]
    name = 'thrown'
    shape = 'sphere'
    radius = 0.1
    position = [-1.0, 2.0, 0.0]
    motion = { kind = 'linear', velocity = [2.0, 1.0, 0.0] }
    dynamics = { release = 0.333 }
    [[body]]
    name = 'late'
    shape = 'sphere'
    radius = 0.1
    position = [1.0, 2.0, 0.0]
    dynamics = { enter = 0.505, velocity = [0.0, 0.0, 1.0] }
    [[body]]
    name = 'filling'
    shape = 'box'
    size = [0.2, 0.2, 0.2]
    position = [0.0, 0.1, 1.0]
    dynamics = { density = [{ time = 0.2, value = 500 }, { time = 0.7, value = 2000 }] }";

#[test]
fn bodies_enter_are_let_go_and_grow_heavier() {
    let mut simulation = Simulation::new(built(CHANGING)).unwrap();
    let start = simulation.body(1);
    assert_eq!((start.pose.translation.x, start.velocity.x), (-1.0, 2.0));
    run(&mut simulation, 0.2, "solids");
    // Only the box is free, and weighs 4 kg.
    let row = simulation.series_row();
    assert!((row.solids.unwrap().potential_energy - 4.0 * 9.81 * 0.1).abs() < 1e-6);
    assert!(!simulation.body_frame(0, &[0; 4]).unwrap().present[2]);
    run(&mut simulation, 1.0, "solids");
    let bodies = &simulation.world().bodies;
    let flight = 1.0 - 0.333;
    let height = 2.0 + 1.0 - 0.5 * 9.81 * flight * flight;
    assert!((bodies[1].pose.translation.y - height).abs() < 1e-6, "{}", bodies[1].pose.translation);
    let fall = 1.0 - 0.505;
    assert!((bodies[2].pose.translation.y - (2.0 - 0.5 * 9.81 * fall * fall)).abs() < 1e-6);
    assert!((bodies[2].pose.translation.z - fall).abs() < 1e-9);
    let momentum = simulation.series_row().solids.unwrap().momentum;
    let ball = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    assert!((momentum.z - ball).abs() < 1e-6, "{momentum}");
    assert!(simulation.body_frame(0, &[0; 4]).unwrap().present.iter().all(|p| *p));
}

#[test]
fn a_restart_in_between_gives_the_same_state() {
    let mut through = Simulation::new(built(CHANGING)).unwrap();
    run(&mut through, 0.4, "solids");
    let saved = through.state().unwrap().into_owned();
    let mut resumed = Simulation::restore(built(CHANGING), saved).unwrap();
    run(&mut through, 1.0, "solids");
    run(&mut resumed, 1.0, "resumed");
    assert_eq!(through.state().unwrap().hash(), resumed.state().unwrap().hash());
}

//! A simulation of fluid, free bodies, joints and led bodies goes on from any step as if it had never been stopped.

use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const SCENE: &str = r#"
[time]
end = 2.0

[fluid]
spacing = 0.08

[[fluid.source]]
shape = "box"
min = [-0.5, 0.0, -0.4]
max = [0.5, 0.3, 0.4]

[[body]]
name = "tank"
shape = "box"
size = [1.0, 1.0, 0.8]
position = [0.0, 0.5, 0.0]
open = ["+y"]
container = true

[[body]]
name = "raft"
shape = "box"
size = [0.2, 0.1, 0.2]
position = [-0.25, 0.4, 0.1]
rotation = { axis = [0, 0, 1], angle = 20 }
dynamics = { density = 300.0 }

[[body]]
name = "tow"
shape = "box"
size = [0.15, 0.15, 0.15]
position = [0.0, 0.45, 0.1]
boundary.method = "direct-forcing"
dynamics = { density = 700.0, angular_velocity = [0.0, 3.0, 0.0] }

[[body]]
name = "ball"
shape = "sphere"
radius = 0.1
position = [0.25, 0.5, -0.1]
boundary.method = "density-map"
dynamics = { density = 2000.0, release = 0.08 }
motion = { kind = "linear", velocity = [0.0, -0.5, 0.0] }

[[joint]]
kind = "ball"
first = "raft"
second = "tow"
point = [-0.1, 0.42, 0.1]
"#;

fn advance(simulation: &mut Simulation, steps: u32) {
    for _ in 0..steps {
        simulation.step().unwrap();
    }
}

#[test]
fn no_step_is_a_bad_one_to_stop_at() {
    let steps = 60;
    let setup = SceneSource::from_text("resume", SCENE).build().unwrap().1;
    let mut whole = Simulation::new(setup.clone()).unwrap();
    advance(&mut whole, steps);
    assert!(whole.clock().time > 0.15, "the ball was not let go");
    let end = whole.state().unwrap();
    // Before and after the ball is let go, and while all of them are in the water.
    for stops in [[1, 2], [9, 31], [17, 59]] {
        let mut parts = Simulation::new(setup.clone()).unwrap();
        let mut done = 0;
        for stop in stops {
            advance(&mut parts, stop - done);
            let state = parts.state().unwrap();
            parts = Simulation::restore(setup.clone(), &state).unwrap();
            done = stop;
        }
        advance(&mut parts, steps - done);
        assert!(parts.state().unwrap() == end, "stopped at {stops:?}");
    }
}

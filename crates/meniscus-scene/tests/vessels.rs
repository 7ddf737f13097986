//! Thin vessels that float, tilt and are pushed under let nothing through their walls. In the plane; in space they are in
//! `validation/floating`.

use glam::DVec3;
use meniscus_coupling::Simulation;
use meniscus_scene::SceneSource;

const SPACING: f64 = 0.02;
const LEVEL: f64 = 0.3;
/// Outer radius of both vessels `[m]`.
const RADIUS: f64 = 0.16;

/// A vessel that is led for 6 s if `led`, and then free.
fn scene(shape: &str, lowest: f64, method: &str, led: bool) -> Simulation {
    let led = if led {
        r#", release = 6.0 }
motion = { kind = "keyframes", frame = [
    { time = 0.0, position = [0.0, 0.0, 0.0] },
    { time = 1.0, position = [0.0, -0.06, 0.0] },
    { time = 2.0, position = [0.03, -0.06, 0.0], rotation = { axis = [0, 0, 1], angle = 25.0 } },
    { time = 3.0, position = [-0.03, -0.05, 0.0], rotation = { axis = [0, 0, 1], angle = -25.0 } },
    { time = 4.0, position = [0.0, -0.20, 0.0] },
    { time = 5.0, position = [0.0, -0.06, 0.0], rotation = { axis = [0, 0, 1], angle = -15.0 } },
    { time = 6.0, position = [0.0, -0.06, 0.0] },
] }"#
    } else {
        " }"
    };
    let text = format!(
        r#"
dimension = 2

[time]
end = 20.0

[fluid]
spacing = {SPACING}

[[fluid.source]]
shape = "box"
min = [-0.4, 0.0, 0.0]
max = [0.4, {LEVEL}, 0.0]

[[body]]
name = "tank"
shape = "box"
size = [0.8, 1.0, 1.0]
position = [0.0, 0.5, 0.0]
open = ["+y"]
container = true

[[body]]
name = "vessel"
{shape}
position = [0.0, {}, 0.0]
boundary.method = "{method}"
dynamics = {{ mass = 18.0{led}
"#,
        LEVEL - lowest + 0.25 * SPACING
    );
    Simulation::new(SceneSource::from_text("vessels", &text).build().unwrap().1).unwrap()
}

/// How many particles change the side of the middle of the wall below the rim, in 10 s.
fn through(mut simulation: Simulation, rim: f64, holds: impl Fn(DVec3) -> bool) -> usize {
    let places = |simulation: &Simulation| {
        let pose = simulation.world().bodies[1].pose;
        let particles = &simulation.world().particles;
        let mut places = vec![(false, false); particles.len()];
        for (&id, &x) in particles.id.iter().zip(&particles.position) {
            let local = pose.to_local(x);
            places[id as usize] = (local.y < rim && holds(local), local.y < rim - 0.25 * SPACING);
        }
        places
    };
    let mut before = places(&simulation);
    let (mut crossed, mut deepest) = (0, 0.0_f64);
    while simulation.world().time < 10.0 {
        simulation.step().unwrap();
        let now = places(&simulation);
        crossed += before.iter().zip(&now).filter(|(a, b)| a.0 != b.0 && a.1 && b.1).count();
        before = now;
        let body = &simulation.world().bodies[1];
        assert!(body.velocity.length() < 2.0, "thrown at {} m/s", body.velocity.length());
        deepest = deepest.max(LEVEL - body.pose.translation.y);
    }
    println!(
        "{crossed} through the wall, {} inside at the end",
        before.iter().filter(|place| place.0).count()
    );
    crossed
}

#[test]
fn nothing_goes_through_a_wall_of_one_layer() {
    // 18 kg per metre of depth: 5.6 cm of 20 under water.
    let (height, wall) = (0.2, SPACING);
    let shape = format!("shape = \"cup\"\nradius = {RADIUS}\nheight = {height}\nthickness = {wall}");
    for led in [false, true] {
        let holds = |x: DVec3| x.x.abs() < RADIUS - 0.5 * wall && x.y > -0.5 * height + 0.5 * wall;
        let vessel = scene(&shape, -0.5 * height, "direct-forcing", led);
        assert_eq!(through(vessel, 0.5 * height, holds), 0, "led: {led}");
    }
}

#[test]
fn nothing_goes_through_a_map_of_two_spacings() {
    let wall = 2.0 * SPACING;
    let shape = format!("shape = \"bowl\"\nradius = {RADIUS}\nthickness = {wall}");
    for led in [false, true] {
        let holds = |x: DVec3| x.length() < RADIUS - 0.5 * wall;
        let vessel = scene(&shape, -RADIUS, "density-map", led);
        assert_eq!(through(vessel, 0.0, holds), 0, "led: {led}");
    }
}

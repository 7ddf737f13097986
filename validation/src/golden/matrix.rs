//! Every pressure solver with every boundary method, in the plane and in space.

const SOLVERS: [&str; 4] = ["dfsph", "iisph", "pcisph", "wcsph"];

const BOUNDARIES: [(&str, &str); 5] = [
    ("volume-particles", r#"{ method = "volume-particles" }"#),
    ("density-map", r#"{ method = "density-map", friction = 0.3 }"#),
    ("direct-forcing", r#"{ method = "direct-forcing", slip = 0.7, restitution = 0.2 }"#),
    ("local-forcing", r#"{ method = "direct-forcing", update = "local" }"#),
    ("penalty", r#"{ method = "penalty" }"#),
];

/// Names and texts of its scenes.
#[must_use]
pub fn matrix() -> Vec<(String, String)> {
    let dimensions = [2, 3];
    let cases = SOLVERS.iter().flat_map(|solver| {
        BOUNDARIES.iter().flat_map(move |boundary| dimensions.map(|dimension| (solver, boundary, dimension)))
    });
    cases
        .map(|(solver, (name, boundary), dimension)| {
            (format!("matrix/{solver}/{name}/{dimension}d"), scene(solver, boundary, dimension))
        })
        .collect()
}

/// Water in a tank whose walls hold it back with friction; a paddle rocks in it, a box floats and a ball falls onto it, on
/// a rod that hangs from the scene.
fn scene(solver: &str, boundary: &str, dimension: u32) -> String {
    let (low, high) = if dimension == 2 { (0.0, 0.0) } else { (-0.12, 0.12) };
    format!(
        r#"
dimension = {dimension}

[time]
end = 1.0

[fluid]
spacing = 0.03
surface_tension = 0.05
pressure = {{ method = "{solver}" }}
viscosity = {{ method = "laplacian", kinematic = 1e-3, boundary_kinematic = 1e-3 }}

[[fluid.source]]
shape = "box"
min = [-0.3, 0.0, {low}]
max = [0.15, 0.24, {high}]
carve = true

[[body]]
name = "tank"
shape = "box"
size = [0.6, 0.6, 0.24]
position = [0.0, 0.3, 0.0]
open = ["+y"]
container = true
adhesion = 0.02
boundary = {boundary}

[[body]]
name = "paddle"
shape = "box"
size = [0.06, 0.18, 0.12]
position = [0.24, 0.15, 0.0]
motion = {{ kind = "rocking", amplitude = 20, frequency = 2.0, axis = [0, 0, 1] }}
boundary = {boundary}

[[body]]
name = "float"
shape = "box"
size = [0.15, 0.09, 0.12]
position = [-0.12, 0.21, 0.0]
dynamics = {{ density = 600 }}
boundary = {boundary}

[[body]]
name = "ball"
shape = "sphere"
radius = 0.045
position = [-0.09, 0.31, 0.0]
dynamics = {{ density = 900, velocity = [0.0, -1.0, 0.0] }}
boundary = {boundary}

[[joint]]
kind = "distance"
first = "ball"
other = [0.1, 0.6, 0.0]
range = [0.0, 0.5]
"#
    )
}

//! No fluid may start inside of solid matter.

use super::fluid::Volume;
use super::problem::{BuildProblem, Problems};
use super::shown;
use crate::model::Scene;
use glam::DVec3;
use meniscus_coupling::Body;
use meniscus_geometry::{Aabb, Side};
use rayon::prelude::*;

/// How deep a particle may be before it counts as inside, in spacings `[1]`.
const TOLERANCE: f64 = 1e-6;

/// Leaves out particles at or in bodies, of volumes that are to be carved.
pub(crate) fn carve(scene: &Scene, volumes: &mut [Volume], bodies: &[Body]) {
    let spacing = scene.fluid.spacing;
    let room = (0.5 - TOLERANCE) * spacing;
    for (_, volume) in scene.fluid.sources.iter().zip(volumes).filter(|(source, _)| source.carve) {
        for body in bodies.iter().filter(|body| body.solid.is_closed()) {
            let Aabb { min, max } = body.solid.bounds();
            let bounds = Aabb { min: min - spacing, max: max + spacing };
            let free = |x: &DVec3| {
                let far = body.solid.side == Side::Solid && !is_endless(body) && !bounds.contains(*x);
                far || body.solid.signed_distance(*x, scene.dimension) >= room
            };
            volume.position = std::mem::take(&mut volume.position).into_par_iter().filter(free).collect();
        }
    }
}

fn is_endless(body: &Body) -> bool {
    matches!(body.solid.shape, meniscus_geometry::Shape::Plane { .. })
}

/// Reports fluid and nozzles inside of solids or outside of closed containers.
pub(crate) fn check(scene: &Scene, volumes: &[Volume], bodies: &[Body], problems: &mut Problems) {
    for (index, volume) in volumes.iter().enumerate() {
        for body in bodies.iter().filter(|body| body.solid.is_closed()) {
            let (count, first) = inside(scene, body, &volume.position);
            if let Some(first) = first {
                problems.push(fluid_problem(scene, body, index, (count, volume.position.len()), first));
            }
        }
    }
    for (index, emitter) in scene.emitters.iter().enumerate() {
        let mouth = [DVec3::from(emitter.position)];
        for body in bodies.iter().filter(|body| body.solid.is_closed()) {
            if inside(scene, body, &mouth).0 > 0 {
                problems.push(BuildProblem {
                    key: format!("emitter[{index}].position"),
                    message: format!("the nozzle is {}", relation(body)),
                    label: "its fluid would start in solid matter".to_owned(),
                    help: "move the nozzle or the body".to_owned(),
                });
            }
        }
    }
}

/// How many points lie in the body's matter, and the first of them.
fn inside(scene: &Scene, body: &Body, points: &[DVec3]) -> (usize, Option<DVec3>) {
    let tolerance = TOLERANCE * scene.fluid.spacing;
    let bounds = body.solid.bounds();
    let reachable = |x: DVec3| {
        // Distances to meshes are slow, and matter of a solid ends with its bounds; a plane's does not.
        body.solid.side == Side::Container || is_endless(body) || bounds.contains(x)
    };
    let is_inside = |x: DVec3| reachable(x) && body.solid.signed_distance(x, scene.dimension) < -tolerance;
    let hits: Vec<usize> = (0..points.len()).into_par_iter().filter(|&i| is_inside(points[i])).collect();
    (hits.len(), hits.first().map(|&i| points[i]))
}

fn fluid_problem(
    scene: &Scene,
    body: &Body,
    source: usize,
    (count, total): (usize, usize),
    first: DVec3,
) -> BuildProblem {
    let place = shown(first, scene.fluid.spacing);
    BuildProblem {
        key: format!("fluid.source[{source}]"),
        message: format!(
            "{count} of the {total} particles of this volume are {}, the first at {place} m",
            relation(body)
        ),
        label: "this volume".to_owned(),
        help: "move or resize the volume or the body, or leave such particles out with `carve = true`"
            .to_owned(),
    }
}

fn relation(body: &Body) -> String {
    match body.solid.side {
        Side::Solid => format!("inside of the body `{}`", body.name),
        Side::Container => format!("outside of the container `{}`", body.name),
    }
}

//! No fluid may start inside of solid matter.

use super::fluid::Volume;
use super::problem::{BuildProblem, Problems};
use super::shown;
use crate::model::Scene;
use glam::DVec3;
use meniscus_coupling::Body;
use meniscus_geometry::{Side, Solid};
use rayon::prelude::*;

/// How deep a particle may be before it counts as inside, in spacings `[1]`.
pub(super) const TOLERANCE: f64 = 1e-6;

/// A closed body where it is when the scene starts: a motion may begin elsewhere than at the body's place.
pub(super) fn closed_at_start(body: &Body) -> Option<Solid> {
    body.solid.is_closed().then(|| body.solid.at(body.at(0.0).pose))
}

/// Closed bodies with their names.
fn at_start(bodies: &[Body]) -> Vec<(&str, Solid)> {
    bodies.iter().filter_map(|body| Some((body.name.as_str(), closed_at_start(body)?))).collect()
}

/// Whether its matter has no end.
pub(super) fn is_endless(solid: &Solid) -> bool {
    matches!(solid.shape, meniscus_geometry::Shape::Plane { .. })
}

/// Reports fluid and nozzles inside of solids or outside of closed containers.
pub(crate) fn check(scene: &Scene, volumes: &[Volume], bodies: &[Body], problems: &mut Problems) {
    let bodies = at_start(bodies);
    for (index, volume) in volumes.iter().enumerate() {
        for body in &bodies {
            let (count, first) = inside(scene, &body.1, &volume.position);
            if let Some(first) = first {
                problems.push(fluid_problem(scene, body, index, (count, volume.position.len()), first));
            }
        }
    }
    for (index, emitter) in scene.emitters.iter().enumerate() {
        let mouth = [DVec3::from(emitter.position)];
        for body in &bodies {
            if inside(scene, &body.1, &mouth).0 > 0 {
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
fn inside(scene: &Scene, solid: &Solid, points: &[DVec3]) -> (usize, Option<DVec3>) {
    let tolerance = TOLERANCE * scene.fluid.spacing;
    let bounds = solid.bounds();
    let reachable = |x: DVec3| {
        // Distances to meshes are slow, and matter of a solid ends with its bounds; a plane's does not.
        solid.side == Side::Container || is_endless(solid) || bounds.contains(x)
    };
    let is_inside = |x: DVec3| reachable(x) && solid.signed_distance(x, scene.dimension) < -tolerance;
    let hits: Vec<usize> = (0..points.len()).into_par_iter().filter(|&i| is_inside(points[i])).collect();
    (hits.len(), hits.first().map(|&i| points[i]))
}

fn fluid_problem(
    scene: &Scene,
    body: &(&str, Solid),
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

fn relation((name, solid): &(&str, Solid)) -> String {
    match solid.side {
        Side::Solid => format!("inside of the body `{name}`"),
        Side::Container => format!("outside of the container `{name}`"),
    }
}

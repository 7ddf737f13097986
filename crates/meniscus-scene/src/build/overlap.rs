//! Fluid volumes that overlap would put particles on top of each other.

use super::fluid::Volume;
use super::problem::{BuildProblem, Problems};
use super::shown;
use crate::model::Scene;
use glam::{DVec3, IVec3};
use meniscus_geometry::Aabb;
use std::collections::HashMap;

/// What rounding may take of a distance, as a share of it `[1]`.
const ROUNDING: f64 = 1e-6;

/// Particles nearer than this many spacings are an overlap `[1]`. The lattices of volumes that touch may come nearer
/// than one spacing, and the solver moves them apart.
const NEAREST: f64 = 0.5;

/// Reports volumes whose particles are too near to those of an earlier one. Within a volume they are a lattice.
pub(crate) fn check(scene: &Scene, volumes: &[Volume], problems: &mut Problems) {
    for (later, volume) in volumes.iter().enumerate() {
        for (earlier, other) in volumes.iter().enumerate().take(later) {
            let hits = too_near(&other.position, &volume.position, NEAREST * scene.fluid.spacing);
            if let Some(&first) = hits.first() {
                problems.push(BuildProblem {
                    key: format!("fluid.source[{later}]"),
                    message: format!(
                        "{} particles of this volume are within half a spacing of those of `fluid.source[{earlier}]`, the first at {} m",
                        hits.len(),
                        shown(first, scene.fluid.spacing)
                    ),
                    label: "overlaps an earlier volume".to_owned(),
                    help: "move or shrink one of the two; they may touch".to_owned(),
                });
            }
        }
    }
}

/// The points of `b` that are nearer than `limit` `[m]` to a point of `a`.
fn too_near(a: &[DVec3], b: &[DVec3], limit: f64) -> Vec<DVec3> {
    // Lattices that meet at exactly the limit must not fail by a rounding error.
    let limit = limit * (1.0 - ROUNDING);
    let bounds = |points: &[DVec3]| {
        let Aabb { min, max } = Aabb::of_points(points.iter().copied());
        Aabb { min: min - limit, max: max + limit }
    };
    let (near_a, near_b) = (bounds(a), bounds(b));
    let origin = near_a.min;
    let cell = |x: DVec3| ((x - origin) / limit).floor().as_ivec3();
    let mut cells: HashMap<IVec3, Vec<DVec3>> = HashMap::new();
    for &x in a.iter().filter(|&&x| near_b.contains(x)) {
        cells.entry(cell(x)).or_default().push(x);
    }
    if cells.is_empty() {
        return Vec::new();
    }
    let hit = |x: DVec3| {
        let centre = cell(x);
        (0..27).any(|n| {
            let at = centre + IVec3::new(n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1);
            cells.get(&at).is_some_and(|points| points.iter().any(|&y| x.distance(y) < limit))
        })
    };
    b.iter().copied().filter(|&x| near_a.contains(x) && hit(x)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_near_points_are_found() {
        let a: Vec<DVec3> = (0..10).map(|i| DVec3::X * f64::from(i)).collect();
        let b = vec![DVec3::new(3.2, 0.3, 0.0), DVec3::new(3.5, 0.0, 0.0), DVec3::new(20.0, 0.0, 0.0)];
        assert_eq!(too_near(&a, &b, 0.5), vec![b[0]]);
        assert!(too_near(&a, &[], 0.5).is_empty());
    }
}

//! Pairs that are too near at the start of a step, and pairs that would meet in it.

use glam::DVec3;
use meniscus_geometry::collision::{Pair, PairDistance, PairKind, SweptTree, first_approach_from};

use super::carrier::Carriers;
use super::{ContactParams, ContactSurface};

/// Closer than this, in parts of their size, two things touch: nothing keeps them on their sides `[1]`.
const TOUCHING: f64 = 1e-13;

/// A pair that is within its thickness at the start.
#[derive(Debug, Clone, Copy)]
pub(super) struct Near {
    pub pair: Pair,
    pub distance: PairDistance,
    pub thickness: f64,
}

/// A pair that would come too close.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hit {
    pub pair: Pair,
    /// Its closest points at that time.
    pub distance: PairDistance,
    /// Their distance at the start along the same direction `[m]`.
    pub before: f64,
    pub thickness: f64,
    /// The distance that it may not fall below `[m]`.
    pub separation: f64,
    /// Whether it touches at the start.
    pub touching: bool,
}

/// How thick both parts are together: the smallest reach of each counts.
fn thickness(of: &ContactSurface, pair: &Pair) -> f64 {
    let reach = pair.vertex.map(|v| of.reach[v as usize]);
    match pair.kind {
        PairKind::PointTriangle => reach[0] + reach[1].min(reach[2]).min(reach[3]),
        PairKind::EdgeEdge => reach[0].min(reach[1]) + reach[2].min(reach[3]),
    }
}

/// All pairs that are nearer than their thickness at the start.
pub(super) fn near(tree: &SweptTree, carriers: &Carriers<'_>, lists: &mut Vec<Vec<Near>>) {
    let (of, start) = (carriers.of, carriers.start);
    tree.visit_pairs(lists, |pair, list| {
        if pair.vertex.iter().all(|&v| carriers.is_held(v)) {
            return;
        }
        let thickness = thickness(of, &pair);
        let distance = PairDistance::of(pair.kind, pair.vertex.map(|v| start[v as usize]));
        if distance.distance < thickness {
            list.push(Near { pair, distance, thickness });
        }
    });
}

/// All pairs that would come too close, of those for which something has changed.
pub(super) fn hits(
    tree: &SweptTree,
    carriers: &Carriers<'_>,
    params: &ContactParams,
    zone: &[u32],
    changed: &[bool],
    lists: &mut Vec<Vec<Hit>>,
) {
    let (start, end) = (carriers.start, &*carriers.end);
    tree.visit_pairs(lists, |pair, list| {
        let [a, b, c, d] = pair.vertex.map(|v| v as usize);
        if !(changed[a] || changed[b] || changed[c] || changed[d]) {
            return;
        }
        // What moves as one cannot meet.
        let in_zone = zone[a] == zone[b] && zone[b] == zone[c] && zone[c] == zone[d] && zone[a] != u32::MAX;
        if in_zone || pair.vertex.iter().all(|&v| carriers.is_held(v)) {
            return;
        }
        let (from, to) = ([a, b, c, d].map(|v| start[v]), [a, b, c, d].map(|v| end[v]));
        let at_start = PairDistance::of(pair.kind, from);
        let thickness = thickness(carriers.of, &pair);
        let separation = (params.separation * thickness).min(0.9 * at_start.distance);
        if let Some(time) = first_approach_from(&at_start, pair.kind, from, to, separation) {
            let x: [DVec3; 4] = std::array::from_fn(|i| from[i] + time * (to[i] - from[i]));
            let distance = PairDistance::of(pair.kind, x);
            let offset: DVec3 = (0..4).map(|i| distance.weight[i] * from[i]).sum();
            let before = distance.normal.dot(offset);
            let size = from.iter().map(|x| x.distance(from[0])).fold(0.0, f64::max);
            let touching = at_start.distance <= TOUCHING * size;
            list.push(Hit { pair, distance, before, thickness, separation, touching });
        }
    });
}

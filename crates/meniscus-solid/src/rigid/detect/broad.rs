//! The broad phase: which bodies might meet during the step.
//!
//! \[Guendelman2006\] Sec. 2.4: a uniform partition of space with local storage. Here the cells are sorted instead of
//! hashed, so that the order of pairs does not depend on a hash.

use glam::{DVec3, IVec3};
use meniscus_geometry::Aabb;

/// A body that would lie in more cells than this is tried against everybody `[1]`.
const MAX_CELLS_PER_BODY: f64 = 64.0;
/// Cells are counted within this range on each axis; what lies beyond shares the last one.
const MAX_CELL_INDEX: f64 = 1e6;

/// A body as the broad phase sees it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BroadPhaseBody {
    /// Around all places where it will be during the step.
    pub bounds: Aabb,
    /// Whether anything moves it.
    pub dynamic: bool,
}

/// All pairs of bodies whose boxes meet and of which one at least is dynamic, in ascending order.
pub(crate) fn pairs(bodies: &[BroadPhaseBody]) -> Vec<[u32; 2]> {
    let cell = cell_size(bodies);
    let mut pairs = Vec::new();
    let mut entries: Vec<([i32; 3], u32)> = Vec::with_capacity(bodies.len() * 4);
    let mut large = Vec::new();
    for (i, body) in bodies.iter().enumerate() {
        let (low, high) = (index(body.bounds.min, cell), index(body.bounds.max, cell));
        let count = ((high - low).as_dvec3() + 1.0).element_product();
        if count > MAX_CELLS_PER_BODY || !body.bounds.size().is_finite() {
            large.push(i as u32);
            continue;
        }
        for x in low.x..=high.x {
            for y in low.y..=high.y {
                entries.extend((low.z..=high.z).map(|z| ([x, y, z], i as u32)));
            }
        }
    }
    entries.sort_unstable();
    for group in entries.chunk_by(|a, b| a.0 == b.0) {
        for (n, a) in group.iter().enumerate() {
            for b in &group[n + 1..] {
                // Of the cells that two bodies share, the first one reports them.
                if meet(bodies, a.1, b.1) && first_shared(bodies, a.1, b.1, cell) == a.0 {
                    pairs.push([a.1, b.1]);
                }
            }
        }
    }
    for (n, &a) in large.iter().enumerate() {
        let others = (0..bodies.len() as u32).filter(|b| !large[..=n].contains(b));
        pairs.extend(others.filter(|&b| meet(bodies, a, b)).map(|b| [a.min(b), a.max(b)]));
    }
    pairs.sort_unstable();
    pairs
}

fn meet(bodies: &[BroadPhaseBody], a: u32, b: u32) -> bool {
    let (a, b) = (&bodies[a as usize], &bodies[b as usize]);
    (a.dynamic || b.dynamic)
        && a.bounds.min.cmple(b.bounds.max).all()
        && b.bounds.min.cmple(a.bounds.max).all()
}

fn first_shared(bodies: &[BroadPhaseBody], a: u32, b: u32, cell: f64) -> [i32; 3] {
    let low = bodies[a as usize].bounds.min.max(bodies[b as usize].bounds.min);
    index(low, cell).to_array()
}

fn index(x: DVec3, cell: f64) -> IVec3 {
    (x / cell).floor().clamp(DVec3::splat(-MAX_CELL_INDEX), DVec3::splat(MAX_CELL_INDEX)).as_ivec3()
}

/// The median size of dynamic bodies: most lie in at most eight cells.
fn cell_size(bodies: &[BroadPhaseBody]) -> f64 {
    let mut sizes: Vec<f64> = bodies
        .iter()
        .filter(|b| b.dynamic)
        .map(|b| b.bounds.size().max_element())
        .filter(|s| s.is_finite() && *s > 0.0)
        .collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_those_of_trying_all() {
        let mut bodies: Vec<BroadPhaseBody> = (0..300)
            .map(|k| {
                let t = f64::from(k);
                let centre = 3.0 * DVec3::new((t * 0.371).sin(), (t * 0.737).sin(), (t * 1.193).cos());
                let half = DVec3::splat(0.2 + 0.6 * (t * 0.13).fract());
                BroadPhaseBody { bounds: Aabb::around(centre, half), dynamic: k % 3 != 0 }
            })
            .collect();
        bodies[5].bounds = Aabb::around(DVec3::ZERO, DVec3::new(20.0, 0.1, 20.0));
        bodies[9].bounds = Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        bodies[11].bounds = Aabb::around(DVec3::splat(1e300), DVec3::ONE);
        let mut all = Vec::new();
        for a in 0..300 {
            all.extend((a + 1..300).filter(|b| meet(&bodies, a, *b)).map(|b| [a, b]));
        }
        assert!(all.len() > 500);
        assert_eq!(pairs(&bodies), all);
    }
}

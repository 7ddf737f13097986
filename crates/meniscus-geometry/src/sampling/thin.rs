use std::collections::HashMap;

use glam::{DVec3, I64Vec3};

/// The points without those nearer than `distance` `[m]` to one that is kept before them.
pub(super) fn thin(points: Vec<DVec3>, distance: f64) -> Vec<DVec3> {
    const NONE: u32 = u32::MAX;
    let limit = distance * distance * (1.0 - 1e-9);
    // Per cell the last point kept in it, per point the one kept before it in the same cell.
    let mut last: HashMap<I64Vec3, u32> = HashMap::new();
    let mut previous: Vec<u32> = Vec::new();
    let mut kept: Vec<DVec3> = Vec::new();
    for p in points {
        // Cells are twice as wide as the distance: what is near lies in the cell or in those across its nearer faces.
        let place = p / (2.0 * distance);
        let cell = place.floor().as_i64vec3();
        let nearer = (place - place.floor()).cmplt(DVec3::splat(0.5));
        let side = I64Vec3::select(nearer, I64Vec3::NEG_ONE, I64Vec3::ONE);
        let is_near = |corner: i64| {
            let offset = side * I64Vec3::new(corner & 1, corner >> 1 & 1, corner >> 2);
            let mut at = last.get(&cell.saturating_add(offset)).copied().unwrap_or(NONE);
            while let (Some(q), Some(before)) = (kept.get(at as usize), previous.get(at as usize)) {
                if q.distance_squared(p) < limit {
                    return true;
                }
                at = *before;
            }
            false
        };
        if !(0..8).any(is_near) {
            previous.push(last.insert(cell, kept.len() as u32).unwrap_or(NONE));
            kept.push(p);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thinning_agrees_with_brute_force_and_keeps_the_first() {
        let points: Vec<DVec3> = (0..600)
            .map(|i| {
                DVec3::new(
                    (f64::from(i) * 0.77).sin(),
                    (f64::from(i) * 1.37).sin(),
                    (f64::from(i) * 0.31).cos(),
                )
            })
            .collect();
        let mut brute: Vec<DVec3> = Vec::new();
        for p in &points {
            if brute.iter().all(|q| q.distance(*p) >= 0.25) {
                brute.push(*p);
            }
        }
        assert_eq!(thin(points, 0.25), brute);
    }
}

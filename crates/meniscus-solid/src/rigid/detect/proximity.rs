//! What is near in a pair of bodies, kept for as long as they hardly move relative to each other.
//!
//! In a heap at rest the same few points and edges of a body are near another in one step after the other. A list of all
//! that are within a margin of counting is good until the bodies have moved by that margin; it only leaves out what a
//! search would find to be too far, so it is never saved and results do not depend on it.

use glam::{DMat3, DVec3};

/// The points and edges of one body that are near another.
#[derive(Debug, Default)]
pub(crate) struct ProximityList {
    /// The frame of the points in that of the other body when the list was made.
    turn: DMat3,
    shift: DVec3,
    /// Everything with a smaller gap was listed `[m]`; zero if there is no list.
    reach: f64,
    /// Indices among the items of the samples.
    pub item: Vec<u32>,
}

/// The lists of both bodies of a pair: points of the first in the second, and the other way round.
pub(crate) type PairProximity = [ProximityList; 2];

impl ProximityList {
    /// Whether everything with a gap below `limit` `[m]` is listed, now that the frame of the points is elsewhere. `radius` is how far
    /// they are from its origin `[m]`.
    pub fn holds(&self, turn: &DMat3, shift: DVec3, radius: f64, limit: f64) -> bool {
        // The norm of the difference of two rotations bounds by how much they move a point at distance one.
        let turned = (*turn - self.turn).to_cols_array().iter().map(|e| e * e).sum::<f64>().sqrt();
        limit + (shift - self.shift).length() + turned * radius < self.reach
    }

    /// Begins a list of everything with a gap below `reach` `[m]`.
    pub fn begin(&mut self, turn: &DMat3, shift: DVec3, reach: f64) {
        *self = Self { turn: *turn, shift, reach, item: std::mem::take(&mut self.item) };
        self.item.clear();
    }
}

/// The lists of all pairs, in the order of the pairs.
#[derive(Debug, Default)]
pub(crate) struct ProximityCache {
    pub pair: Vec<([u32; 2], PairProximity)>,
}

impl ProximityCache {
    /// Keeps the lists of these pairs, which are in ascending order, and begins empty ones for new pairs.
    pub fn keep(&mut self, pairs: &[[u32; 2]]) {
        let mut old = std::mem::take(&mut self.pair).into_iter().peekable();
        let lists = |pair: &[u32; 2]| {
            while old.next_if(|o| o.0 < *pair).is_some() {}
            let known = old.next_if(|o| o.0 == *pair);
            known.unwrap_or_else(|| (*pair, PairProximity::default()))
        };
        self.pair = pairs.iter().map(lists).collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_by_pair() {
        let mut proximity = ProximityCache::default();
        proximity.keep(&[[0, 1], [0, 3], [2, 3]]);
        for (k, (_, near)) in proximity.pair.iter_mut().enumerate() {
            near[0].item.push(k as u32);
        }
        proximity.keep(&[[0, 2], [0, 3], [1, 2], [2, 3], [2, 4]]);
        let kept: Vec<Vec<u32>> = proximity.pair.iter().map(|(_, near)| near[0].item.clone()).collect();
        assert_eq!(kept, [vec![], vec![1], vec![], vec![2], vec![]]);
    }

    #[test]
    fn a_list_holds_until_its_margin_is_used_up() {
        let mut near = ProximityList::default();
        assert!(!near.holds(&DMat3::IDENTITY, DVec3::ZERO, 1.0, 0.0));
        near.begin(&DMat3::IDENTITY, DVec3::ZERO, 0.1);
        let turned = DMat3::from_rotation_z(0.01);
        assert!(near.holds(&turned, DVec3::X * 0.02, 2.0, 0.03));
        assert!(!near.holds(&turned, DVec3::X * 0.02, 2.0, 0.06));
        assert!(!near.holds(&turned, DVec3::X * 0.08, 2.0, 0.03));
        assert!(!near.holds(&turned, DVec3::X * 0.02, 10.0, 0.03));
    }
}

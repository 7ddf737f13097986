//! Flat regions cut into triangles none of which is thin: Delaunay refinement after \[Ruppert1995\].
//!
//! Any cut of the region will do to begin with. Edges are flipped until no vertex lies in the circle through the
//! corners of a triangle beside it; then the centre of the circle of a thin triangle becomes a vertex. Where that
//! centre lies beyond a side of the region, or in the circle whose diameter is a side, the side is halved instead.
//!
//! **Departures.** An edge is a side if it has a triangle on its left only, so sides need not be found again among the
//! edges. A centre is held against all sides, hidden ones too. A side is halved when a thin triangle asks for it, not
//! whenever a vertex is in its circle. The number of new vertices is bounded, so that a region as thin as paper is
//! still made of few triangles, and so is their distance, as spikes would otherwise be cut down to rounding.

use std::collections::{HashMap, VecDeque};

use glam::DVec2;

/// The sine of the smallest angle that is good enough, 20° `[1]`.
const LEAST_SINE: f64 = 0.342;

/// Thin triangles with an edge shorter than this, beside the region's shortest side, stay: in the tip of a spike there is always one more
/// `[1]`.
const LEAST_EDGE: f64 = 1e-2;

/// A flat region made of triangles.
#[derive(Debug, Default)]
pub(super) struct Region {
    /// Its vertices `[m]`.
    pub vertex: Vec<DVec2>,
    /// Its triangles, counter-clockwise.
    pub triangle: Vec<[u32; 3]>,
    /// Its sides, with the region on their left.
    pub side: Vec<[u32; 2]>,
    /// Which triangle is on the left of an edge.
    left: HashMap<[u32; 2], usize>,
    /// Triangles that were thin when they were made.
    thin: VecDeque<[u32; 3]>,
}

/// Where a point is.
enum Place {
    Within(usize),
    Beyond([u32; 2]),
}

impl Region {
    /// Takes over counter-clockwise triangles that cover a region once, and adds vertices until none is thin.
    pub fn refined(vertex: Vec<DVec2>, triangle: &[[u32; 3]]) -> Self {
        let budget = 4 * vertex.len() + 500;
        let mut region = Self { vertex, ..Self::default() };
        for t in triangle {
            region.add(*t);
        }
        let edges: Vec<[u32; 2]> = triangle.iter().flat_map(|t| edges(*t)).collect();
        let is_side = |e: &[u32; 2]| !region.left.contains_key(&[e[1], e[0]]);
        region.side = edges.iter().copied().filter(is_side).collect();
        region.flip(edges);
        region.refine(budget);
        region
    }

    fn refine(&mut self, budget: usize) {
        let most = self.vertex.len() + budget;
        let length = |[a, b]: [u32; 2]| self.vertex[a as usize].distance(self.vertex[b as usize]);
        let least = LEAST_EDGE * self.side.iter().map(|side| length(*side)).fold(f64::INFINITY, f64::min);
        while let Some(t) = self.thin.pop_front() {
            if self.vertex.len() >= most {
                return;
            }
            // It may be gone by now.
            let found = self.left.get(&[t[0], t[1]]).copied().filter(|k| self.apex(*k, [t[0], t[1]]) == t[2]);
            let Some(found) = found else { continue };
            let [a, b, c] = self.places(t);
            if a.distance(b).min(b.distance(c)).min(c.distance(a)) < least {
                continue;
            }
            let centre = circumcentre(self.places(t));
            match self.locate(centre, found) {
                Some(Place::Beyond(side)) => self.halve(side),
                Some(Place::Within(k)) => match self.encroached(centre) {
                    Some(side) => self.halve(side),
                    None => self.insert(centre, k),
                },
                None => continue,
            }
            // Halving a side far away may have left it as it was.
            self.thin.push_back(t);
        }
    }

    fn places(&self, t: [u32; 3]) -> [DVec2; 3] {
        t.map(|v| self.vertex[v as usize])
    }

    /// The corner of a triangle that is not on this edge of it.
    fn apex(&self, k: usize, edge: [u32; 2]) -> u32 {
        self.triangle[k].into_iter().find(|v| !edge.contains(v)).unwrap_or(edge[0])
    }

    fn add(&mut self, t: [u32; 3]) {
        self.triangle.push(t);
        self.put(self.triangle.len() - 1, t);
    }

    fn put(&mut self, k: usize, t: [u32; 3]) {
        self.triangle[k] = t;
        self.left.extend(edges(t).map(|edge| (edge, k)));
        if least_sine(self.places(t)) < LEAST_SINE {
            self.thin.push_back(t);
        }
    }

    /// Flips these edges where that makes the smallest angle wider, and then those around them.
    fn flip(&mut self, mut edges: Vec<[u32; 2]>) {
        while let Some([a, b]) = edges.pop() {
            let (Some(&t), Some(&u)) = (self.left.get(&[a, b]), self.left.get(&[b, a])) else { continue };
            let (c, d) = (self.apex(t, [a, b]), self.apex(u, [b, a]));
            if !in_circle([a, b, c, d].map(|v| self.vertex[v as usize])) {
                continue;
            }
            self.left.remove(&[a, b]);
            self.left.remove(&[b, a]);
            self.put(t, [c, a, d]);
            self.put(u, [d, b, c]);
            edges.extend([[a, d], [d, b], [b, c], [c, a]]);
        }
    }

    /// Walks from a triangle towards a point; nothing if it goes astray, which rounding might make possible.
    fn locate(&self, x: DVec2, start: usize) -> Option<Place> {
        let mut k = start;
        for _ in 0..self.triangle.len() {
            let right_of = |e: &[u32; 2]| {
                let [p, q] = e.map(|v| self.vertex[v as usize]);
                (q - p).perp_dot(x - p) < 0.0
            };
            let Some([a, b]) = edges(self.triangle[k]).into_iter().find(right_of) else {
                return Some(Place::Within(k));
            };
            match self.left.get(&[b, a]) {
                Some(next) => k = *next,
                None => return Some(Place::Beyond([a, b])),
            }
        }
        None
    }

    /// A side that has this point in the circle around it.
    fn encroached(&self, x: DVec2) -> Option<[u32; 2]> {
        let seen = |e: &&[u32; 2]| {
            let [p, q] = e.map(|v| self.vertex[v as usize] - x);
            p.dot(q) < 0.0
        };
        self.side.iter().find(seen).copied()
    }

    fn halve(&mut self, side: [u32; 2]) {
        let [a, b] = side;
        let Some(k) = self.left.remove(&side) else { return };
        let (m, c) = (self.vertex.len() as u32, self.apex(k, side));
        self.vertex.push(0.5 * (self.vertex[a as usize] + self.vertex[b as usize]));
        self.side.iter_mut().filter(|e| **e == side).for_each(|e| *e = [a, m]);
        self.side.push([m, b]);
        self.put(k, [a, m, c]);
        self.add([m, b, c]);
        self.flip(vec![[b, c], [c, a]]);
    }

    fn insert(&mut self, x: DVec2, k: usize) {
        let [a, b, c] = self.triangle[k];
        let m = self.vertex.len() as u32;
        self.vertex.push(x);
        self.put(k, [a, b, m]);
        self.add([b, c, m]);
        self.add([c, a, m]);
        self.flip(vec![[a, b], [b, c], [c, a]]);
    }
}

fn edges([a, b, c]: [u32; 3]) -> [[u32; 2]; 3] {
    [[a, b], [b, c], [c, a]]
}

/// The sine of the smallest angle of a triangle, negative if it is clockwise `[1]`.
pub(super) fn least_sine([a, b, c]: [DVec2; 3]) -> f64 {
    let [x, y, z] = [a.distance(b), b.distance(c), c.distance(a)];
    // Twice the area over the product of two sides is the sine of the angle between them.
    (b - a).perp_dot(c - a) / (x * y).max(y * z).max(z * x)
}

/// The middle of the circle through the corners of a triangle `[m]`; the middle of an edge if it has no area.
fn circumcentre([a, b, c]: [DVec2; 3]) -> DVec2 {
    let (u, v) = (b - a, c - a);
    let twice = 2.0 * u.perp_dot(v);
    let offset = (v.length_squared() * u.perp() - u.length_squared() * v.perp()) / twice;
    if offset.is_finite() { a + offset } else { 0.5 * (a + b) }
}

/// Whether d, across the edge from a to b, is in the circle through a, b and c: whether the angles at c and d are more
/// than half a turn together. Ties stay as they are, so that flipping ends.
fn in_circle([a, b, c, d]: [DVec2; 4]) -> bool {
    let (sin_c, cos_c) = ((a - c).perp_dot(b - c), (a - c).dot(b - c));
    let (sin_d, cos_d) = ((b - d).perp_dot(a - d), (b - d).dot(a - d));
    let size = a.distance(c) * b.distance(c) * b.distance(d) * a.distance(d);
    sin_c * cos_d + cos_c * sin_d < -1e-9 * size
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::extrude::triangulate;
    use super::*;

    fn area(region: &Region) -> f64 {
        let twice = |t: &[u32; 3]| {
            let [a, b, c] = region.places(*t);
            (b - a).perp_dot(c - a)
        };
        region.triangle.iter().map(|t| 0.5 * twice(t)).sum()
    }

    fn least(region: &Region) -> f64 {
        region.triangle.iter().map(|t| least_sine(region.places(*t))).fold(1.0, f64::min)
    }

    #[test]
    fn the_circle_goes_through_the_corners() {
        let t = [DVec2::new(1.0, 2.0), DVec2::new(4.0, 2.5), DVec2::new(2.0, 7.0)];
        let distance = t.map(|p| p.distance(circumcentre(t)));
        assert!((distance[0] - distance[1]).abs() < 1e-12 && (distance[0] - distance[2]).abs() < 1e-12);
    }

    #[test]
    fn a_rectangle_with_a_short_side_has_no_thin_triangle_left() {
        let corner = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.05], [0.0, 0.05]].map(DVec2::from).to_vec();
        let before = triangulate(&corner);
        let region = Region::refined(corner, &before);
        assert!(least(&region) >= LEAST_SINE, "{}", least(&region));
        assert!((area(&region) - 0.05).abs() < 1e-12);
        // A triangle for each of its squares would do.
        assert!(region.triangle.len() < 200, "{}", region.triangle.len());
    }

    #[test]
    fn paper_stays_within_its_budget() {
        let corner = [[0.0, 0.0], [1.0, 0.0], [1.0, 1e-7], [0.0, 1e-7]].map(DVec2::from).to_vec();
        let before = triangulate(&corner);
        let region = Region::refined(corner, &before);
        assert!(region.vertex.len() <= 4 + 516 && (area(&region) / 1e-7 - 1.0).abs() < 1e-6);
    }

    /// The counter-clockwise corners of a star around the origin.
    fn star(radius: &[f64]) -> Vec<DVec2> {
        let n = radius.len() as f64;
        let at = |(k, r): (usize, &f64)| DVec2::from_angle(k as f64 / n * std::f64::consts::TAU) * *r;
        radius.iter().enumerate().map(at).collect()
    }

    #[test]
    fn a_spike_is_not_cut_down_to_rounding() {
        for (n, tip) in [(37, 0.996_100_157_952_210_7), (39, 0.95), (30, 1.0)] {
            let mut radius = vec![0.5; n];
            radius[3] = tip;
            let corner = star(&radius);
            let region = Region::refined(corner.clone(), &triangulate(&corner));
            assert!(
                least(&region) > 0.01 && region.vertex.len() < 4 * n,
                "{} {}",
                least(&region),
                region.vertex.len()
            );
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn any_star_is_covered_once_and_its_sides_meet(radius in proptest::collection::vec(0.5..1.0f64, 5..40)) {
            let corner = star(&radius);
            let before = triangulate(&corner);
            let whole: f64 = (0..corner.len()).map(|k| 0.5 * corner[k].perp_dot(corner[(k + 1) % corner.len()])).sum();
            let region = Region::refined(corner, &before);
            prop_assert!((area(&region) - whole).abs() < 1e-9);
            prop_assert!(least(&region) > 0.0);
            // Euler's number of a disc.
            prop_assert_eq!(2 * region.vertex.len(), region.triangle.len() + region.side.len() + 2);
        }
    }
}

//! Fewer and better triangles: joining the ends of short edges, turning edges, evening out.
//!
//! An edge may go only if its ends have no common neighbours but the two opposite to it (the link condition), so the
//! surface stays closed and manifold, and only if no triangle turns over.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use glam::DVec3;

use crate::TriangleMesh;

/// The most triangles around a vertex `[1]`.
const MOST_AROUND: usize = 9;
/// A triangle must not turn by more than this when a vertex moves: the cosine of the angle `[1]`.
const LEAST_COSINE: f64 = 0.3;
/// How much more an edge counts where the surface bends along it, so that beaks and fingers keep more triangles `[1]`.
const BEND: f64 = 6.0;
/// Triangles with a smaller angle than this are improved first: its sine `[1]`.
const SLIVER: f64 = 0.4;
/// Rounds of turning edges and evening out.
const ROUNDS: usize = 12;

/// Joins vertices until there are at most `count` triangles, then evens them out; `project` moves a point onto the
/// surface.
pub(super) fn to_count(mesh: TriangleMesh, count: usize, project: &impl Fn(DVec3) -> DVec3) -> TriangleMesh {
    let mut fan = Fans::new(mesh);
    fan.even_out(project);
    fan.collapse(count, project);
    for _ in 0..ROUNDS {
        fan.turn_edges();
        fan.even_out(project);
    }
    fan.finish()
}

/// A closed mesh that knows the triangles around each vertex.
struct Fans {
    vertex: Vec<DVec3>,
    /// Triangles; those that are gone are empty.
    triangle: Vec<Option<[u32; 3]>>,
    around: Vec<Vec<u32>>,
    /// How often what is around a vertex has changed.
    stamp: Vec<u32>,
}

/// An edge that may be joined: its length squared as ordered bits, its ends and their stamps.
type Candidate = Reverse<(u64, [u32; 2], [u32; 2])>;

impl Fans {
    fn new(mesh: TriangleMesh) -> Self {
        let mut around = vec![Vec::new(); mesh.vertex.len()];
        for (t, corner) in mesh.triangle.iter().enumerate() {
            for v in corner {
                around[*v as usize].push(t as u32);
            }
        }
        let stamp = vec![0; mesh.vertex.len()];
        Self { vertex: mesh.vertex, triangle: mesh.triangle.into_iter().map(Some).collect(), around, stamp }
    }

    fn corners(&self, t: u32) -> [u32; 3] {
        self.triangle[t as usize].unwrap_or_default()
    }

    fn at(&self, t: [u32; 3]) -> [DVec3; 3] {
        t.map(|v| self.vertex[v as usize])
    }

    /// The vertices that share a triangle with `v`, in order, each once.
    fn neighbours(&self, v: u32) -> Vec<u32> {
        let all = self.around[v as usize].iter().flat_map(|t| self.corners(*t));
        let mut others: Vec<u32> = all.filter(|n| *n != v).collect();
        others.sort_unstable();
        others.dedup();
        others
    }

    fn candidate(&self, a: u32, b: u32) -> Candidate {
        let bend = 1.0 - self.normal(a).dot(self.normal(b));
        let length = self.vertex[a as usize].distance_squared(self.vertex[b as usize]) * (1.0 + BEND * bend);
        // Lengths are not negative, so their bits are ordered as they are.
        Reverse((length.to_bits(), [a, b], [self.stamp[a as usize], self.stamp[b as usize]]))
    }

    /// The direction in which the triangles around a vertex face.
    fn normal(&self, v: u32) -> DVec3 {
        let sum: DVec3 = self.around[v as usize].iter().map(|t| normal(self.at(self.corners(*t)))).sum();
        sum.normalize_or(DVec3::Y)
    }

    fn collapse(&mut self, count: usize, project: &impl Fn(DVec3) -> DVec3) {
        let mut left = self.triangle.iter().flatten().count();
        loop {
            let before = left;
            self.collapse_once(&mut left, count, project);
            // An edge that could not go may be free after others went.
            if left <= count || left == before {
                return;
            }
        }
    }

    /// Joins short edges, each of which is tried once and again when one of its ends has moved.
    fn collapse_once(&mut self, left: &mut usize, count: usize, project: &impl Fn(DVec3) -> DVec3) {
        let mut queue: BinaryHeap<Candidate> = BinaryHeap::new();
        for a in 0..self.vertex.len() as u32 {
            queue.extend(self.neighbours(a).into_iter().filter(|b| *b > a).map(|b| self.candidate(a, b)));
        }
        while *left > count {
            let Some(Reverse((_, [a, b], stamps))) = queue.pop() else { return };
            if stamps != [self.stamp[a as usize], self.stamp[b as usize]] {
                continue;
            }
            let middle = project(0.5 * (self.vertex[a as usize] + self.vertex[b as usize]));
            if self.may_join(a, b, middle) {
                self.join(a, b, middle);
                *left -= 2;
                queue.extend(self.neighbours(a).into_iter().map(|n| self.candidate(a, n)));
            }
        }
    }

    fn may_join(&self, a: u32, b: u32, middle: DVec3) -> bool {
        let (near_a, near_b) = (self.neighbours(a), self.neighbours(b));
        let common: Vec<&u32> = near_a.iter().filter(|n| near_b.binary_search(n).is_ok()).collect();
        // The two opposite vertices lose a triangle; with three they would be left with a double one.
        let roomy = common.iter().all(|n| self.around[**n as usize].len() > 3);
        if common.len() != 2 || !roomy || near_a.len() + near_b.len() > MOST_AROUND + 4 {
            return false;
        }
        let keeps = |v: u32, other: u32| {
            self.around[v as usize].iter().map(|t| self.corners(*t)).filter(|t| !t.contains(&other)).all(
                |t| {
                    let before = self.at(t);
                    let after = t.map(|k| if k == v { middle } else { self.vertex[k as usize] });
                    cosine(before, after) > LEAST_COSINE
                },
            )
        };
        keeps(a, b) && keeps(b, a)
    }

    /// Puts `a` at the place of both, and `a` in the place of `b`.
    fn join(&mut self, a: u32, b: u32, middle: DVec3) {
        self.vertex[a as usize] = middle;
        for t in std::mem::take(&mut self.around[b as usize]) {
            let corner = self.corners(t);
            if corner.contains(&a) {
                self.triangle[t as usize] = None;
                for v in corner {
                    self.around[v as usize].retain(|other| *other != t);
                }
            } else {
                self.triangle[t as usize] = Some(corner.map(|v| if v == b { a } else { v }));
                self.around[a as usize].push(t);
            }
        }
        self.stamp[a as usize] += 1;
        self.stamp[b as usize] += 1;
    }

    /// Turns edges so that slivers go, and elsewhere so that vertices come nearer to six triangles.
    fn turn_edges(&mut self) {
        let mut edges: Vec<[u32; 2]> = Vec::new();
        for [a, b, c] in self.triangle.iter().flatten() {
            edges.extend([[a, b], [b, c], [c, a]].into_iter().filter(|e| e[0] < e[1]).map(|e| e.map(|v| *v)));
        }
        let mut known: HashSet<[u32; 2]> = edges.iter().copied().collect();
        for [a, b] in edges {
            let Some((t, c, u, d)) = self.wings(a, b) else { continue };
            let turned = [c.min(d), c.max(d)];
            let excess = |v: u32, change: i64| (self.around[v as usize].len() as i64 + change - 6).pow(2);
            let before: i64 = [a, b, c, d].iter().map(|v| excess(*v, 0)).sum();
            let after = excess(a, -1) + excess(b, -1) + excess(c, 1) + excess(d, 1);
            if known.contains(&turned) || self.around[a as usize].len().min(self.around[b as usize].len()) < 4
            {
                continue;
            }
            let (first, second) = ([a, d, c], [b, c, d]);
            let old = [self.at(self.corners(t)), self.at(self.corners(u))];
            let new = [self.at(first), self.at(second)];
            let least = |pair: [[DVec3; 3]; 2]| sharpness(pair[0]).min(sharpness(pair[1]));
            let (was, is) = (least(old), least(new));
            let better = if was.min(is) < SLIVER { is > was } else { after < before };
            if !better || new.iter().any(|n| old.iter().any(|o| cosine(*o, *n) < 0.7)) {
                continue;
            }
            known.remove(&[a, b]);
            known.insert(turned);
            (self.triangle[t as usize], self.triangle[u as usize]) = (Some(first), Some(second));
            self.around[b as usize].retain(|x| *x != t);
            self.around[a as usize].retain(|x| *x != u);
            self.around[d as usize].push(t);
            self.around[c as usize].push(u);
        }
    }

    /// The triangles on both sides of an edge with their third vertices: first the one that runs from a to b.
    fn wings(&self, a: u32, b: u32) -> Option<(u32, u32, u32, u32)> {
        let third = |t: u32| self.corners(t).into_iter().find(|v| *v != a && *v != b);
        let runs = |t: u32| (0..3).any(|k| self.corners(t)[k] == a && self.corners(t)[(k + 1) % 3] == b);
        let mut both = self.around[a as usize].iter().copied().filter(|t| self.corners(*t).contains(&b));
        let (p, q) = (both.next()?, both.next()?);
        let (t, u) = if runs(p) { (p, q) } else { (q, p) };
        runs(t).then_some((t, third(t)?, u, third(u)?))
    }

    /// Moves every vertex towards the middle of its neighbours, along the surface.
    fn even_out(&mut self, project: &impl Fn(DVec3) -> DVec3) {
        for v in 0..self.vertex.len() as u32 {
            let fan = &self.around[v as usize];
            if fan.is_empty() {
                continue;
            }
            let here = self.vertex[v as usize];
            let normal = self.normal(v);
            let near = self.neighbours(v);
            let mean = near.iter().map(|n| self.vertex[*n as usize]).sum::<DVec3>() / near.len() as f64;
            let goal = project(here + 0.6 * (mean - here).reject_from_normalized(normal));
            let keeps = fan.iter().map(|t| self.corners(*t)).all(|t| {
                let after = t.map(|k| if k == v { goal } else { self.vertex[k as usize] });
                cosine(self.at(t), after) > 0.5
            });
            if keeps {
                self.vertex[v as usize] = goal;
            }
        }
    }

    fn finish(self) -> TriangleMesh {
        let mut number = vec![u32::MAX; self.vertex.len()];
        let mut mesh = TriangleMesh::default();
        for corner in self.triangle.into_iter().flatten() {
            mesh.triangle.push(corner.map(|v| {
                if number[v as usize] == u32::MAX {
                    number[v as usize] = mesh.vertex.len() as u32;
                    mesh.vertex.push(self.vertex[v as usize]);
                }
                number[v as usize]
            }));
        }
        mesh
    }
}

fn normal([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

/// The cosine of the angle between two triangles; −1 if one has no area.
fn cosine(before: [DVec3; 3], after: [DVec3; 3]) -> f64 {
    let (p, q) = (normal(before), normal(after));
    let size = p.length() * q.length();
    if size > 0.0 { p.dot(q) / size } else { -1.0 }
}

/// The sine of the smallest angle of a triangle.
fn sharpness([a, b, c]: [DVec3; 3]) -> f64 {
    let [x, y, z] = [a.distance(b), b.distance(c), c.distance(a)];
    let longest = (x * y).max(y * z).max(z * x);
    // Twice the area over the product of two sides is the sine of the angle between them.
    if longest > 0.0 { normal([a, b, c]).length() / longest } else { 0.0 }
}

//! Triangles in a tree of boxes, and rays through them.

use glam::{Vec3, Vec3A};

/// A ray.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ray {
    pub(crate) from: Vec3,
    /// Of unit length.
    pub(crate) along: Vec3,
}

impl Ray {
    pub(crate) fn at(&self, t: f32) -> Vec3 {
        self.from + self.along * t
    }
}

/// Where a ray meets a triangle.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hit {
    /// How far along the ray.
    pub(crate) t: f32,
    /// The number of the triangle, as it was given.
    pub(crate) triangle: u32,
    /// Weights of its second and third corner.
    pub(crate) u: f32,
    pub(crate) v: f32,
}

/// A triangle ready for rays: a corner and two edges.
#[derive(Debug, Clone, Copy)]
struct Facet {
    corner: Vec3,
    edge: [Vec3; 2],
    number: u32,
}

#[derive(Debug, Clone, Copy)]
struct Node {
    low: Vec3A,
    high: Vec3A,
    /// The first facet of a leaf, else the first of two nodes that follow each other.
    first: u32,
    /// Facets of a leaf; 0 for an inner node.
    count: u32,
}

/// A tree over triangles.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bvh {
    node: Vec<Node>,
    facet: Vec<Facet>,
}

/// Facets that a leaf may have, and bins in which splits are sought.
const LEAF: usize = 4;
const BINS: usize = 16;
/// Deeper trees are cut off; a leaf then has more facets.
const MAX_DEPTH: usize = 48;

#[derive(Clone, Copy)]
struct Span {
    low: Vec3A,
    high: Vec3A,
}

impl Span {
    const EMPTY: Self = Self { low: Vec3A::INFINITY, high: Vec3A::NEG_INFINITY };

    fn join(self, other: Self) -> Self {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    fn with(self, x: Vec3A) -> Self {
        Self { low: self.low.min(x), high: self.high.max(x) }
    }

    /// Half its surface.
    fn area(self) -> f32 {
        let d = self.high - self.low;
        if d.x < 0.0 { 0.0 } else { d.x * d.y + d.y * d.z + d.z * d.x }
    }
}

/// A facet while the tree is built.
#[derive(Clone, Copy)]
struct Item {
    span: Span,
    middle: Vec3A,
    number: u32,
}

impl Bvh {
    /// A tree over these triangles; those that are not finite are left out.
    pub(crate) fn new(vertex: &[Vec3], triangle: &[[u32; 3]]) -> Self {
        let item = |(number, t): (usize, &[u32; 3])| {
            let [a, b, c] = t.map(|v| Vec3A::from(vertex[v as usize]));
            let span = Span::EMPTY.with(a).with(b).with(c);
            let sound = span.low.is_finite() && span.high.is_finite();
            sound.then(|| Item { span, middle: (span.low + span.high) * 0.5, number: number as u32 })
        };
        let mut items: Vec<Item> = triangle.iter().enumerate().filter_map(item).collect();
        let mut tree = Self::default();
        if items.is_empty() {
            return tree;
        }
        tree.node.push(Node { low: Vec3A::ZERO, high: Vec3A::ZERO, first: 0, count: 0 });
        tree.split(0, &mut items, 0, 0);
        tree.facet = items
            .iter()
            .map(|item| {
                let [a, b, c] = triangle[item.number as usize].map(|v| vertex[v as usize]);
                Facet { corner: a, edge: [b - a, c - a], number: item.number }
            })
            .collect();
        tree
    }

    /// Fills a node with items that begin at facet `first`.
    fn split(&mut self, node: usize, items: &mut [Item], first: usize, depth: usize) {
        let all = items.iter().fold(Span::EMPTY, |s, i| s.join(i.span));
        self.node[node] =
            Node { low: all.low, high: all.high, first: first as u32, count: items.len() as u32 };
        if items.len() <= LEAF || depth >= MAX_DEPTH {
            return;
        }
        let Some(cut) = best_cut(items, all.area()) else { return };
        let at = partition(items, |item| cut.bin(item) <= cut.last);
        if at == 0 || at == items.len() {
            return;
        }
        let left = self.node.len();
        self.node[node].first = left as u32;
        self.node[node].count = 0;
        let empty = Node { low: Vec3A::ZERO, high: Vec3A::ZERO, first: 0, count: 0 };
        self.node.extend([empty, empty]);
        let (near, far) = items.split_at_mut(at);
        self.split(left, near, first, depth + 1);
        self.split(left + 1, far, first + at, depth + 1);
    }

    /// The nearest hit within `limit`.
    pub(crate) fn closest(&self, ray: &Ray, limit: f32) -> Option<Hit> {
        self.walk(ray, limit, false)
    }

    /// Whether anything is hit within `limit`.
    pub(crate) fn any(&self, ray: &Ray, limit: f32) -> bool {
        self.walk(ray, limit, true).is_some()
    }

    fn walk(&self, ray: &Ray, limit: f32, any: bool) -> Option<Hit> {
        let mut best = Hit { t: limit, triangle: u32::MAX, u: 0.0, v: 0.0 };
        let from = Vec3A::from(ray.from);
        let inverse = Vec3A::from(ray.along).recip();
        let mut stack = [(0_u32, 0.0_f32); MAX_DEPTH + 2];
        let mut height = 0;
        let mut current = match self.node.first().map(|root| enter(root, from, inverse, limit)) {
            Some(t) if t.is_finite() => 0_u32,
            _ => return None,
        };
        loop {
            let node = &self.node[current as usize];
            if node.count > 0 {
                for facet in &self.facet[node.first as usize..(node.first + node.count) as usize] {
                    facet.meet(ray, &mut best);
                }
                if any && best.triangle != u32::MAX {
                    return Some(best);
                }
            } else {
                let pair = [node.first, node.first + 1];
                let t = pair.map(|k| enter(&self.node[k as usize], from, inverse, best.t));
                let near = usize::from(t[1] < t[0]);
                if t[near].is_finite() {
                    if t[1 - near].is_finite() {
                        stack[height] = (pair[1 - near], t[1 - near]);
                        height += 1;
                    }
                    current = pair[near];
                    continue;
                }
            }
            loop {
                if height == 0 {
                    return (best.triangle != u32::MAX).then_some(best);
                }
                height -= 1;
                if stack[height].1 < best.t {
                    current = stack[height].0;
                    break;
                }
            }
        }
    }
}

/// Where a ray enters a box, infinite if it does not before `limit`.
#[inline]
fn enter(node: &Node, from: Vec3A, inverse: Vec3A, limit: f32) -> f32 {
    let (a, b) = ((node.low - from) * inverse, (node.high - from) * inverse);
    let near = a.min(b).max_element().max(0.0);
    let far = a.max(b).min_element();
    if near <= far * 1.000_000_4 && near < limit { near } else { f32::INFINITY }
}

impl Facet {
    /// Takes the hit if it is nearer than the best one so far.
    #[inline]
    fn meet(&self, ray: &Ray, best: &mut Hit) {
        let p = ray.along.cross(self.edge[1]);
        let determinant = self.edge[0].dot(p);
        if determinant == 0.0 {
            return;
        }
        let inverse = 1.0 / determinant;
        let s = ray.from - self.corner;
        let u = s.dot(p) * inverse;
        if !(0.0..=1.0).contains(&u) {
            return;
        }
        let q = s.cross(self.edge[0]);
        let v = ray.along.dot(q) * inverse;
        if v < 0.0 || u + v > 1.0 {
            return;
        }
        let t = self.edge[1].dot(q) * inverse;
        if t > 0.0 && t < best.t {
            *best = Hit { t, triangle: self.number, u, v };
        }
    }
}

/// A place to cut: items in bins up to `last` go to the left.
struct Cut {
    axis: usize,
    low: f32,
    scale: f32,
    last: usize,
}

impl Cut {
    fn bin(&self, item: &Item) -> usize {
        (((item.middle[self.axis] - self.low) * self.scale) as usize).min(BINS - 1)
    }
}

/// The cut with the least cost by surface areas; nothing if a leaf is cheaper or all middles are the same.
fn best_cut(items: &[Item], area: f32) -> Option<Cut> {
    let middles = items.iter().fold(Span::EMPTY, |s, i| s.with(i.middle));
    let extent = middles.high - middles.low;
    let axis =
        if extent.x >= extent.y && extent.x >= extent.z { 0 } else { 2 - usize::from(extent.y > extent.z) };
    if extent[axis] <= 0.0 {
        return None;
    }
    let mut cut = Cut { axis, low: middles.low[axis], scale: BINS as f32 / extent[axis], last: 0 };
    let mut bins = [(Span::EMPTY, 0_usize); BINS];
    for item in items {
        let bin = &mut bins[cut.bin(item)];
        *bin = (bin.0.join(item.span), bin.1 + 1);
    }
    let mut right = [(0.0_f32, 0_usize); BINS];
    let (mut span, mut count) = (Span::EMPTY, 0);
    for k in (1..BINS).rev() {
        (span, count) = (span.join(bins[k].0), count + bins[k].1);
        right[k] = (span.area(), count);
    }
    (span, count) = (Span::EMPTY, 0);
    let mut least = f32::INFINITY;
    for k in 0..BINS - 1 {
        (span, count) = (span.join(bins[k].0), count + bins[k].1);
        let cost = span.area() * count as f32 + right[k + 1].0 * right[k + 1].1 as f32;
        if count > 0 && right[k + 1].1 > 0 && cost < least {
            (least, cut.last) = (cost, k);
        }
    }
    // A box costs about as much as a facet.
    (least.is_finite() && (items.len() > 4 * LEAF || least + area < area * items.len() as f32)).then_some(cut)
}

/// Moves items for which `left` holds to the front, and tells how many they are.
fn partition(items: &mut [Item], left: impl Fn(&Item) -> bool) -> usize {
    let mut at = 0;
    for k in 0..items.len() {
        if left(&items[k]) {
            items.swap(at, k);
            at += 1;
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random;

    /// Small triangles all over a cube.
    fn cloud() -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let vertex = |k: u32| {
            let at = random::point(k / 3, 0).extend(random::point(k / 3, 1).x);
            at + 0.05 * (random::point(k, 2).extend(random::point(k, 3).y) - 0.5)
        };
        ((0..3000).map(vertex).collect(), (0..1000).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect())
    }

    #[test]
    fn the_tree_finds_what_a_search_of_all_finds() {
        let (vertex, triangle) = cloud();
        let tree = Bvh::new(&vertex, &triangle);
        let mut hits = 0;
        for k in 0..500 {
            let from = random::point(k, 4).extend(-1.0);
            let to = random::point(k, 5).extend(random::point(k, 6).x);
            let ray = Ray { from, along: (to - from).normalize() };
            let mut best = Hit { t: 10.0, triangle: u32::MAX, u: 0.0, v: 0.0 };
            tree.facet.iter().for_each(|facet| facet.meet(&ray, &mut best));
            let found = tree.closest(&ray, 10.0);
            assert_eq!(found.map_or(u32::MAX, |hit| hit.triangle), best.triangle);
            assert_eq!(tree.any(&ray, 10.0), found.is_some());
            assert!(found.is_none_or(|hit| !tree.any(&ray, hit.t * 0.999)));
            hits += usize::from(found.is_some());
        }
        assert!(hits > 50, "{hits}");
    }

    #[test]
    fn odd_triangles_do_no_harm() {
        let empty = Bvh::new(&[], &[]);
        let ray = Ray { from: Vec3::ZERO, along: Vec3::X };
        assert!(empty.closest(&ray, 1.0).is_none());
        let vertex = vec![Vec3::NAN, Vec3::ZERO, Vec3::ONE, Vec3::Y];
        let mut triangle = vec![[0, 1, 2]; 20];
        // A hundred times the same, without extent, and one that can be hit.
        triangle.extend([[1, 1, 1]; 100]);
        triangle.push([1, 2, 3]);
        let tree = Bvh::new(&vertex, &triangle);
        let along = (Vec3::new(0.3, 0.6, 0.3) - Vec3::new(1.0, 0.5, 0.0)).normalize();
        let hit = tree.closest(&Ray { from: Vec3::new(1.0, 0.5, 0.0), along }, 10.0);
        assert_eq!(hit.map(|h| h.triangle), Some(120));
    }
}

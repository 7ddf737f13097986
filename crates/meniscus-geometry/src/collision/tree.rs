//! A tree of boxes around moving triangles and edges: built once, refitted as they move, asked for pairs that may meet.

use std::ops::Range;

use glam::{DVec3, Vec3A};
use meniscus_core::reduce;
use rayon::prelude::*;

use super::pair::PairKind;
use super::surface::{CollisionSurface, Element, NONE};

/// Most elements of a leaf `[1]`.
const LEAF: usize = 4;
/// Pairs of nodes of this level are handed to threads.
const TASK_LEVEL: u32 = 6;
/// Elements or vertices that one thread takes at a time `[1]`.
const CHUNK: usize = 1024;

/// A box around a moving thing, in single precision, rounded outward.
#[derive(Debug, Clone, Copy, PartialEq)]
struct SweptBox {
    min: Vec3A,
    max: Vec3A,
}

impl SweptBox {
    const EMPTY: Self = Self { min: Vec3A::INFINITY, max: Vec3A::NEG_INFINITY };

    #[inline]
    fn join(self, other: Self) -> Self {
        Self { min: self.min.min(other.min), max: self.max.max(other.max) }
    }

    #[inline]
    fn meets(&self, other: &Self) -> bool {
        (self.min.cmple(other.max) & other.min.cmple(self.max)).all()
    }

    /// Around a way of `reach` to each side.
    fn around(from: DVec3, to: DVec3, reach: f64) -> Self {
        let (min, max) = (from.min(to) - reach, from.max(to) + reach);
        Self {
            min: Vec3A::from_array(min.to_array().map(|c| (c as f32).next_down())),
            max: Vec3A::from_array(max.to_array().map(|c| (c as f32).next_up())),
        }
    }
}

/// Two things that may meet, as four vertices.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Pair {
    /// Which of the vertices are what.
    pub kind: PairKind,
    /// The point and the triangle, or the two edges.
    pub vertex: [u32; 4],
}

/// A tree of boxes around the elements of a [`CollisionSurface`].
///
/// Its shape is settled when it is built: level l halves the elements of level l − 1, sorted along their longest
/// extent, so that the elements of a node follow from its number. Refitting goes level by level; which thread does what
/// leaves no trace.
#[derive(Debug, Clone)]
pub struct SweptTree {
    element: Vec<Element>,
    /// By vertex: which set it belongs to whose members never meet each other, or [`SweptTree::ANY`].
    set: Vec<u32>,
    levels: u32,
    origin: DVec3,
    vertex_box: Vec<SweptBox>,
    element_box: Vec<SweptBox>,
    /// Node i of level l at 2^l − 1 + i.
    node_box: Vec<SweptBox>,
    /// The set of all elements below, or [`SweptTree::ANY`].
    node_set: Vec<u32>,
    /// Which elements, and nodes with one of them below, are asked for pairs.
    element_active: Vec<bool>,
    node_active: Vec<bool>,
}

impl SweptTree {
    /// The set of vertices that may meet all others.
    pub const ANY: u32 = u32::MAX;

    /// Sorts the elements of a surface where they are now. Elements whose vertices all belong to the same set, other
    /// than [`SweptTree::ANY`], are not paired: rigid bodies do not meet themselves. `set` is by vertex; vertices
    /// beyond its end belong to none.
    #[must_use]
    pub fn new(surface: &CollisionSurface, position: &[DVec3], set: &[u32]) -> Self {
        let mut element = surface.element.clone();
        element.retain(|e| e.vertex.iter().all(|&v| (v as usize) < position.len()));
        let levels = (element.len().div_ceil(LEAF)).next_power_of_two().trailing_zeros();
        let middle = |e: &Element| e.vertex.iter().map(|&v| position[v as usize]).sum::<DVec3>();
        let mut keyed: Vec<(DVec3, Element)> = element.iter().map(|e| (middle(e), *e)).collect();
        split(&mut keyed, levels);
        let element: Vec<Element> = keyed.into_iter().map(|(_, e)| e).collect();
        let mut set = set.to_vec();
        set.resize(surface.vertices(), Self::ANY);
        let nodes = (2usize << levels) - 1;
        let mut tree = Self {
            set,
            levels,
            origin: DVec3::ZERO,
            vertex_box: vec![SweptBox::EMPTY; surface.vertices()],
            element_box: vec![SweptBox::EMPTY; element.len()],
            node_box: vec![SweptBox::EMPTY; nodes],
            node_set: vec![Self::ANY; nodes],
            element_active: vec![true; element.len()],
            node_active: vec![true; nodes],
            element,
        };
        tree.find_node_sets();
        tree.refit(position, position, |_| 0.0);
        tree
    }

    fn find_node_sets(&mut self) {
        for level in (0..=self.levels).rev() {
            for i in 0..1usize << level {
                let at = first_of(level) + i;
                self.node_set[at] = if level == self.levels {
                    let mut sets = self.leaf(i).map(|e| self.element_set(e));
                    let first = sets.next().unwrap_or(Self::ANY);
                    if sets.all(|s| s == first) { first } else { Self::ANY }
                } else {
                    let [a, b] = [2 * at + 1, 2 * at + 2].map(|child| self.node_set[child]);
                    if a == b { a } else { Self::ANY }
                };
            }
        }
    }

    fn element_set(&self, element: usize) -> u32 {
        let [a, b, c] = self.element[element].vertex.map(|v| self.set[v as usize]);
        if a == b && b == c { a } else { Self::ANY }
    }

    /// The elements of a leaf.
    fn leaf(&self, i: usize) -> Range<usize> {
        let len = self.element.len();
        (i * len) >> self.levels..((i + 1) * len) >> self.levels
    }

    /// Fits all boxes to vertices that move in straight lines from `start` to `end`, and reach `reach(vertex)` `[m]`
    /// beyond: two things are told to meet if their distance may become as small as the sum of what they reach. Both
    /// slices have a position for every vertex.
    pub fn refit(&mut self, start: &[DVec3], end: &[DVec3], reach: impl Fn(usize) -> f64 + Sync) {
        // Near zero, single precision is finest.
        let origin = start.first().copied().filter(|p| p.is_finite()).unwrap_or_default();
        self.origin = origin;
        self.vertex_box.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(v, of_vertex)| {
            if let (Some(&from), Some(&to)) = (start.get(v), end.get(v)) {
                *of_vertex = SweptBox::around(from - origin, to - origin, reach(v));
            }
        });
        let (element, vertex_box) = (&self.element, &self.vertex_box);
        self.element_box.par_iter_mut().with_min_len(CHUNK).zip(element).for_each(|(of_element, e)| {
            let [a, b, c] = e.vertex.map(|v| vertex_box[v as usize]);
            *of_element = a.join(b).join(c);
        });
        let (levels, len, element_box) = (self.levels, self.element.len(), &self.element_box);
        let leaves = &mut self.node_box[first_of(levels)..];
        leaves.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, of_leaf)| {
            let of = &element_box[(i * len) >> levels..((i + 1) * len) >> levels];
            *of_leaf = of.iter().fold(SweptBox::EMPTY, |a, b| a.join(*b));
        });
        for level in (0..levels).rev() {
            let (above, below) = self.node_box.split_at_mut(first_of(level + 1));
            let of_level = &mut above[first_of(level)..];
            of_level.par_iter_mut().with_min_len(CHUNK).enumerate().for_each(|(i, of_node)| {
                *of_node = below[2 * i].join(below[2 * i + 1]);
            });
        }
    }

    /// From now on looks only for pairs of which an element has one of the vertices that are marked.
    pub fn activate(&mut self, vertex: impl Fn(usize) -> bool) {
        for (active, e) in self.element_active.iter_mut().zip(&self.element) {
            *active = e.vertex.iter().any(|&v| vertex(v as usize));
        }
        for i in 0..1usize << self.levels {
            self.node_active[first_of(self.levels) + i] = self.leaf(i).any(|e| self.element_active[e]);
        }
        for at in (0..first_of(self.levels)).rev() {
            self.node_active[at] = self.node_active[2 * at + 1] || self.node_active[2 * at + 2];
        }
    }

    /// All pairs of a point and a triangle, and of two edges, whose boxes meet; none that share a vertex, none within a
    /// set. `visit` is called for each and may put something on a list; read in order, the lists do not depend on the
    /// number of threads.
    pub fn visit_pairs<T: Send>(&self, lists: &mut Vec<Vec<T>>, visit: impl Fn(Pair, &mut Vec<T>) + Sync) {
        self.visit_elements(lists, |a, b, list| self.pairs_of(a, b, &mut |pair| visit(pair, list)));
    }

    /// All pairs of an edge and a triangle whose boxes meet, in the same way.
    pub fn visit_edges_and_triangles<T: Send>(
        &self,
        lists: &mut Vec<Vec<T>>,
        visit: impl Fn([u32; 2], u32, [u32; 3], &mut Vec<T>) + Sync,
    ) {
        self.visit_elements(lists, |a, b, list| {
            for (of_edges, of_triangle) in [(a, b), (b, a)] {
                let (edges, triangle) = (&self.element[of_edges], &self.element[of_triangle]);
                if triangle.triangle == NONE {
                    continue;
                }
                for [from, to] in own_edges(edges) {
                    let apart = !triangle.vertex.contains(&from) && !triangle.vertex.contains(&to);
                    if apart && self.edge_box(from, to).meets(&self.element_box[of_triangle]) {
                        visit([from, to], triangle.triangle, triangle.vertex, list);
                    }
                }
            }
        });
    }

    fn edge_box(&self, a: u32, b: u32) -> SweptBox {
        self.vertex_box[a as usize].join(self.vertex_box[b as usize])
    }

    /// The pairs between two elements.
    fn pairs_of(&self, a: usize, b: usize, visit: &mut impl FnMut(Pair)) {
        let (first, second) = (&self.element[a], &self.element[b]);
        for (of_points, of_triangle, at) in [(first, second, b), (second, first, a)] {
            if of_triangle.triangle == NONE {
                continue;
            }
            let [s, t, u] = of_triangle.vertex;
            for (&p, owned) in of_points.vertex.iter().zip(of_points.owns) {
                let apart = owned && p != s && p != t && p != u;
                if apart && self.vertex_box[p as usize].meets(&self.element_box[at]) {
                    visit(Pair { kind: PairKind::PointTriangle, vertex: [p, s, t, u] });
                }
            }
        }
        for [p, q] in own_edges(first) {
            let of_first = self.edge_box(p, q);
            if !of_first.meets(&self.element_box[b]) {
                continue;
            }
            for [s, t] in own_edges(second) {
                let apart = p != s && p != t && q != s && q != t;
                if apart && of_first.meets(&self.edge_box(s, t)) {
                    visit(Pair { kind: PairKind::EdgeEdge, vertex: [p, q, s, t] });
                }
            }
        }
    }

    /// All pairs of elements whose boxes meet.
    fn visit_elements<T: Send>(
        &self,
        lists: &mut Vec<Vec<T>>,
        visit: impl Fn(usize, usize, &mut Vec<T>) + Sync,
    ) {
        let level = self.levels.min(TASK_LEVEL);
        let nodes = first_of(level)..first_of(level + 1);
        let mut task = Vec::new();
        for a in nodes.clone() {
            task.extend((a..nodes.end).filter(|&b| self.may_meet(a, b)).map(|b| (a, b)));
        }
        reduce::gather(lists, task.len(), |range, list| {
            list.clear();
            let mut stack = Vec::with_capacity(64);
            for &(a, b) in &task[range] {
                stack.push((a, b));
                while let Some((a, b)) = stack.pop() {
                    if a >= first_of(self.levels) {
                        self.visit_leaves(a - first_of(self.levels), b - first_of(self.levels), list, &visit);
                    } else {
                        self.descend(a, b, &mut stack);
                    }
                }
            }
        });
    }

    /// Both nodes are of one level, so are the pairs of their children.
    fn descend(&self, a: usize, b: usize, stack: &mut Vec<(usize, usize)>) {
        let ([a0, a1], [b0, b1]) = ([2 * a + 1, 2 * a + 2], [2 * b + 1, 2 * b + 2]);
        let across = [(a1, b1), (a1, b0), (a0, b1), (a0, b0)];
        // Within a node, the second and the third are the same pair.
        let children = across.into_iter().enumerate().filter(|(number, _)| a != b || *number != 1);
        stack.extend(children.map(|(_, pair)| pair).filter(|&(a, b)| self.may_meet(a, b)));
    }

    fn may_meet(&self, a: usize, b: usize) -> bool {
        let inert = self.node_set[a] != Self::ANY && self.node_set[a] == self.node_set[b];
        let active = self.node_active[a] || self.node_active[b];
        active && !inert && (a == b || self.node_box[a].meets(&self.node_box[b]))
    }

    fn visit_leaves<T>(
        &self,
        a: usize,
        b: usize,
        list: &mut Vec<T>,
        visit: &impl Fn(usize, usize, &mut Vec<T>),
    ) {
        for i in self.leaf(a) {
            let set = self.element_set(i);
            for j in if a == b { i + 1..self.leaf(a).end } else { self.leaf(b) } {
                if (self.element_active[i] || self.element_active[j])
                    && self.element_box[i].meets(&self.element_box[j])
                    && (set == Self::ANY || set != self.element_set(j))
                {
                    visit(i, j, list);
                }
            }
        }
    }
}

/// The number of nodes above a level.
fn first_of(level: u32) -> usize {
    (1 << level) - 1
}

fn own_edges(e: &Element) -> impl Iterator<Item = [u32; 2]> + '_ {
    let [a, b, c] = e.vertex;
    [[a, b], [b, c], [c, a]].into_iter().zip(e.edge).filter(|(_, edge)| *edge != NONE).map(|(ends, _)| ends)
}

/// Halves elements along their longest extent, again and again; those in the same place keep the order of their
/// vertices.
fn split(keyed: &mut [(DVec3, Element)], levels: u32) {
    let len = keyed.len();
    for level in 0..levels {
        for i in 0..1usize << level {
            let part = &mut keyed[(i * len) >> level..((i + 1) * len) >> level];
            let middle = (((2 * i + 1) * len) >> (level + 1)) - ((i * len) >> level);
            if middle == 0 || middle >= part.len() {
                continue;
            }
            let size = crate::Aabb::of_points(part.iter().map(|(x, _)| *x)).size();
            let axis = if size.x >= size.y.max(size.z) {
                0
            } else if size.y >= size.z {
                1
            } else {
                2
            };
            part.select_nth_unstable_by(middle, |(x, a), (y, b)| {
                x[axis].total_cmp(&y[axis]).then_with(|| a.vertex.cmp(&b.vertex))
            });
        }
    }
}

//! Turning triangles so that they face away from the matter.
//!
//! Triangles that meet two at an edge belong to the same component. Within it all are turned the same way, if that
//! is possible at all (on a Möbius strip it is not). A closed component then faces outward, or inward if it bounds a
//! cavity: if it lies inside of an odd number of other closed components.
//!
//! Which components lie inside of which is told by solid angles. A closed surface fills 4π of the view from a point inside
//! of it and nothing of the view from a point outside; the solid angle of each triangle is exact, so this needs no rays that
//! might hit an edge. Asked are the middles of some triangles; one on the surface of the other component sees something in
//! between and says nothing.

use std::collections::VecDeque;
use std::f64::consts::PI;

use glam::DVec3;

use super::clean::uses;
use super::report::{ComponentReport, Turn};
use crate::{Aabb, TriangleMesh};

/// Triangles of a component that are asked whether they are inside of another one `[1]`.
const WITNESSES: usize = 12;
/// The most closed components that are compared with each other `[1]`.
const MAX_COMPONENTS: usize = 10_000;
/// The most solid angles that are computed `[1]`: some seconds.
const MAX_ANGLES: usize = 100_000_000;

/// A set of triangles connected through edges.
struct Component {
    pub triangle: Vec<u32>,
    pub bounds: Aabb,
    pub is_closed: bool,
    is_orientable: bool,
}

impl Component {
    pub fn corners<'a>(&'a self, mesh: &'a TriangleMesh) -> impl Iterator<Item = [DVec3; 3]> + 'a {
        self.triangle.iter().map(|t| mesh.triangle[*t as usize].map(|v| mesh.vertex[v as usize]))
    }

    fn volume(&self, mesh: &TriangleMesh) -> f64 {
        let origin = self.bounds.centre();
        let part = |[a, b, c]: [DVec3; 3]| (a - origin).dot((b - origin).cross(c - origin)) / 6.0;
        self.corners(mesh).map(part).sum()
    }
}

/// What was turned.
pub(super) struct Orientation {
    pub component: Vec<ComponentReport>,
    /// Triangles that faced another way than those around them.
    pub turned: usize,
    /// Pairs of components of which one is partly inside of the other.
    pub overlap: Vec<[usize; 2]>,
    pub nesting_is_known: bool,
}

/// Turns the triangles of a mesh whose indices are in range and whose triangles have three vertices.
pub(super) fn orient(mesh: &mut TriangleMesh) -> Orientation {
    let (mut components, turned) = connect(mesh);
    close(mesh, &mut components);
    let Nesting { depth, overlap, is_known } = nesting(mesh, &components);
    let report = components.iter().zip(depth).map(|(c, depth)| face(mesh, c, depth)).collect();
    Orientation { component: report, turned, overlap, nesting_is_known: is_known }
}

/// Turns a component outward, or inward if it is a cavity.
fn face(mesh: &mut TriangleMesh, component: &Component, depth: usize) -> ComponentReport {
    let volume = component.volume(mesh);
    let cavity = depth % 2 == 1;
    let turn = component.is_closed && component.is_orientable && (volume < 0.0) != cavity && volume != 0.0;
    if turn {
        component.triangle.iter().for_each(|t| mesh.triangle[*t as usize].swap(1, 2));
    }
    ComponentReport {
        triangles: component.triangle.len(),
        is_closed: component.is_closed,
        is_orientable: component.is_orientable,
        depth,
        turned: match (turn, cavity) {
            (false, _) => None,
            (true, false) => Some(Turn::InsideOut),
            (true, true) => Some(Turn::Cavity),
        },
        volume: if turn { -volume } else { volume },
        area: component.corners(mesh).map(|[a, b, c]| 0.5 * (b - a).cross(c - a).length()).sum(),
        bounds: component.bounds,
    }
}

/// For each side of each triangle, the triangle across it and whether both run along the edge the same way, which
/// they should not.
fn neighbours(mesh: &TriangleMesh) -> Vec<[Option<(u32, bool)>; 3]> {
    let mut across = vec![[None; 3]; mesh.triangle.len()];
    for group in uses(mesh).chunk_by(|a, b| a.edge == b.edge) {
        if let [a, b] = group {
            for (from, to) in [(a, b), (b, a)] {
                let sides = &mut across[from.triangle as usize];
                if let Some(free) = sides.iter_mut().find(|side| side.is_none()) {
                    *free = Some((to.triangle, a.forward == b.forward));
                }
            }
        }
    }
    across
}

/// Finds the components and makes each consistent, turning the fewer of its triangles. Returns how many were turned.
fn connect(mesh: &mut TriangleMesh) -> (Vec<Component>, usize) {
    let across = neighbours(mesh);
    // Of each triangle, once met, whether it has to be turned.
    let mut turn: Vec<Option<bool>> = vec![None; mesh.triangle.len()];
    let mut components = Vec::new();
    let mut turned = 0;
    for seed in 0..mesh.triangle.len() {
        if turn[seed].is_some() {
            continue;
        }
        turn[seed] = Some(false);
        let mut queue = VecDeque::from([seed as u32]);
        let mut component =
            Component { triangle: Vec::new(), bounds: Aabb::EMPTY, is_closed: false, is_orientable: true };
        while let Some(t) = queue.pop_front() {
            component.triangle.push(t);
            let here = turn[t as usize].unwrap_or_default();
            for (next, clash) in across[t as usize].into_iter().flatten() {
                match &mut turn[next as usize] {
                    Some(there) => component.is_orientable &= *there == (here != clash),
                    unknown => {
                        *unknown = Some(here != clash);
                        queue.push_back(next);
                    }
                }
            }
        }
        turned += settle(mesh, &component, &turn);
        component.bounds = Aabb::of_points(component.corners(mesh).flatten());
        components.push(component);
    }
    (components, turned)
}

/// Turns those triangles of a component that are fewer: the marked ones or the others.
fn settle(mesh: &mut TriangleMesh, component: &Component, turn: &[Option<bool>]) -> usize {
    if !component.is_orientable {
        return 0;
    }
    let marked = |t: &&u32| turn[**t as usize] == Some(true);
    let count = component.triangle.iter().filter(marked).count();
    let most = 2 * count > component.triangle.len();
    for t in component.triangle.iter().filter(|t| marked(t) != most) {
        mesh.triangle[*t as usize].swap(1, 2);
    }
    if most { component.triangle.len() - count } else { count }
}

/// Finds out which components are closed: their own triangles use each edge as often one way as the other.
fn close(mesh: &TriangleMesh, components: &mut [Component]) {
    let mut owner = vec![0u32; mesh.triangle.len()];
    for (c, component) in components.iter_mut().enumerate() {
        component.is_closed = true;
        component.triangle.iter().for_each(|t| owner[*t as usize] = c as u32);
    }
    let mut balance: Vec<(u32, i32)> = Vec::new();
    for group in uses(mesh).chunk_by(|a, b| a.edge == b.edge) {
        balance.clear();
        balance.extend(group.iter().map(|u| (owner[u.triangle as usize], if u.forward { 1 } else { -1 })));
        balance.sort_unstable();
        for own in balance.chunk_by(|a, b| a.0 == b.0) {
            components[own[0].0 as usize].is_closed &= own.iter().map(|u| u.1).sum::<i32>() == 0;
        }
    }
}

struct Nesting {
    /// Of each component, inside of how many closed ones it lies.
    pub depth: Vec<usize>,
    /// Pairs of components of which one is partly inside of the other.
    pub overlap: Vec<[usize; 2]>,
    /// Whether all were compared; with very many components they are not.
    pub is_known: bool,
}

/// How one component lies to another.
#[derive(PartialEq, Eq)]
enum Relation {
    Inside,
    Outside,
    Both,
}

fn nesting(mesh: &TriangleMesh, components: &[Component]) -> Nesting {
    let mut result = Nesting { depth: vec![0; components.len()], overlap: Vec::new(), is_known: true };
    let closed: Vec<usize> = (0..components.len()).filter(|c| components[*c].is_closed).collect();
    let touching = |i: usize, j: usize| {
        let (a, b) = (components[i].bounds, components[j].bounds);
        i != j && a.min.cmple(b.max).all() && b.min.cmple(a.max).all()
    };
    if closed.len() > MAX_COMPONENTS {
        result.is_known = false;
        return result;
    }
    let mut angles = 0;
    for &i in &closed {
        for &j in closed.iter().filter(|j| touching(i, **j)) {
            angles += WITNESSES * components[j].triangle.len();
            if angles > MAX_ANGLES {
                return Nesting { depth: vec![0; components.len()], is_known: false, ..result };
            }
            match relation(mesh, &components[i], &components[j]) {
                Relation::Inside => result.depth[i] += 1,
                Relation::Outside => {}
                Relation::Both => result.overlap.push([i.min(j), i.max(j)]),
            }
        }
    }
    result.overlap.sort_unstable();
    result.overlap.dedup();
    result
}

/// Where the triangles of `inner` are, as seen by some of them.
fn relation(mesh: &TriangleMesh, inner: &Component, outer: &Component) -> Relation {
    let step = inner.triangle.len().div_ceil(WITNESSES).max(1);
    let (mut inside, mut outside) = (0, 0);
    for t in inner.triangle.iter().step_by(step) {
        // The middle of a triangle is less often on the other surface than a vertex, which may be shared.
        let x = mesh.triangle[*t as usize].map(|v| mesh.vertex[v as usize]).iter().sum::<DVec3>() / 3.0;
        let turns =
            (outer.corners(mesh).map(|triangle| solid_angle(triangle, x)).sum::<f64>() / (4.0 * PI)).abs();
        if turns < 0.1 {
            outside += 1;
        } else if turns > 0.9 {
            inside += 1;
        }
    }
    match (inside, outside) {
        (0, _) => Relation::Outside,
        (_, 0) => Relation::Inside,
        _ => Relation::Both,
    }
}

/// How much of the view from `x` a triangle fills, negative if it is seen from its front `[sr]`
/// (\[VanOosterom1983\]).
fn solid_angle(triangle: [DVec3; 3], x: DVec3) -> f64 {
    let [a, b, c] = triangle.map(|v| v - x);
    let (la, lb, lc) = (a.length(), b.length(), c.length());
    let numerator = a.dot(b.cross(c));
    let denominator = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
    // Zero and zero: the point is a corner of the triangle, which then fills nothing.
    2.0 * numerator.atan2(denominator)
}

//! The narrow phase: where two bodies touch, or will touch during the step.
//!
//! Points of one body are looked up in the distance of the other, and the other way round (\[Guendelman2006\] Sec. 2.4).
//! A point counts when its gap is less than it may travel in the step.
//!
//! **Departures**: the thesis moves bodies to their predicted places, looks for interference there, and does so again in
//! every sweep. Here the geometry is looked up once, at the current places, together with its first-order change: after
//! velocities change, the gap at the end of the step is `gap + dt n·u`. Where a point travels far enough for its surroundings
//! to change, the distance at its predicted place decides: a face that the point will miss is dropped, and one
//! that it will hit although the nearest face is another is taken instead.

use glam::{DMat3, DVec3};
use meniscus_geometry::{Pose, SignedDistance};

use super::proximity::{PairProximity, ProximityList};
use crate::rigid::collider::ColliderShape;

/// The most points that are kept of one pair of bodies `[1]`.
pub(crate) const MAX_POINTS: usize = 8;
/// Evaluations along an edge `[1]`.
const EDGE_STEPS: u32 = 5;

/// A body as the narrow phase sees it.
#[derive(Clone, Copy)]
pub(crate) struct PlacedBody<'a> {
    pub shape: &'a ColliderShape,
    pub pose: Pose,
    /// Where its velocity is measured `[m]`.
    pub centre: DVec3,
    /// Velocity and angular velocity with which it will move, as far as is known.
    pub velocity: DVec3,
    pub angular_velocity: DVec3,
}

/// A point at which two bodies touch or may touch.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ManifoldPoint {
    /// Which point or edge of which body it is.
    pub feature: u32,
    /// Half way between the surfaces `[m]`.
    pub position: DVec3,
    /// From the second body to the first.
    pub normal: DVec3,
    /// Distance between the surfaces, negative if they overlap `[m]`.
    pub gap: f64,
}

/// How far the search goes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SearchRange {
    /// Length of the step `[s]`.
    pub dt: f64,
    /// A bound of the relative travel of any two points during the step `[m]`.
    pub travel: f64,
    /// Distance that counts as near without any travel `[m]`.
    pub near: f64,
    /// How much farther than needed lists of what is near reach, so that they last `[m]`.
    pub margin: f64,
}

/// Distances at vertices that are known already while one pair is searched.
#[derive(Default)]
pub(crate) struct Scratch {
    stamp: u32,
    seen: Vec<(u32, f64, DVec3)>,
    found: Vec<ManifoldPoint>,
}

/// The contact manifold of a pair: its points, at most [`MAX_POINTS`], the deepest first.
pub(crate) fn manifold(
    first: &PlacedBody,
    second: &PlacedBody,
    reach: SearchRange,
    near: &mut PairProximity,
    scratch: &mut Scratch,
) -> Vec<ManifoldPoint> {
    let limit = reach.travel + reach.near;
    if misses(first, second, limit) || misses(second, first, limit) {
        return Vec::new();
    }
    scratch.found.clear();
    search(first, second, reach, false, &mut near[0], scratch);
    search(second, first, reach, true, &mut near[1], scratch);
    spread(&mut scratch.found, 0.01 * reach.near.max(f64::MIN_POSITIVE))
}

/// Whether the box of one body, seen from the other, is farther from that one's box than `limit` `[m]`.
fn misses(one: &PlacedBody, other: &PlacedBody, limit: f64) -> bool {
    let to_other = other.pose.rotation.conjugate();
    let (mine, theirs) = (one.shape.bounds, other.shape.bounds);
    let turn = DMat3::from_quat(to_other * one.pose.rotation).abs();
    let centre = to_other * (one.pose.to_world(mine.centre()) - other.pose.translation);
    let half = turn * (0.5 * mine.size()) + limit;
    // Walls have boxes without a middle: comparisons with NaN are false, and nothing misses a wall.
    (centre - half).cmpgt(theirs.max).any() || (centre + half).cmplt(theirs.min).any()
}

/// Looks up the points of `points` in the distance of `solid`; `turned` if `solid` is the first of the pair.
fn search(
    points: &PlacedBody,
    solid: &PlacedBody,
    reach: SearchRange,
    turned: bool,
    near: &mut ProximityList,
    scratch: &mut Scratch,
) {
    let Some(field) = solid.shape.field.as_deref() else { return };
    if points.shape.samples.item.is_empty() {
        return;
    }
    scratch.stamp = scratch.stamp.wrapping_add(1);
    let count = points.shape.samples.vertex.len();
    if scratch.seen.len() < count {
        scratch.seen.resize(count, (scratch.stamp.wrapping_sub(1), 0.0, DVec3::ZERO));
    }
    let to_solid = solid.pose.rotation.conjugate();
    let lookup = Lookup {
        points,
        solid,
        field,
        reach,
        turned,
        turn: DMat3::from_quat((to_solid * points.pose.rotation).normalize()),
        shift: to_solid * (points.pose.translation - solid.pose.translation),
    };
    // Lists of what is near are made for the whole pair's travel: for fast pairs they would be long and short-lived.
    let limit = reach.travel + reach.near;
    if limit > 2.0 * reach.margin {
        lookup.walk(|item| lookup.look_at(item, scratch));
        return;
    }
    let bounds = points.shape.bounds;
    let radius = bounds.max.abs().max(bounds.min.abs()).length();
    if !near.holds(&lookup.turn, lookup.shift, radius, limit) {
        let farther = limit + reach.margin;
        near.begin(&lookup.turn, lookup.shift, farther);
        let wider = Lookup { reach: SearchRange { travel: 0.0, near: farther, ..reach }, ..lookup };
        wider.walk(|item| near.item.extend(wider.may_touch(item).then_some(item)));
    }
    for &item in &near.item {
        lookup.look_at(item, scratch);
    }
}

/// The points of one body in the frame of the other.
struct Lookup<'a> {
    points: &'a PlacedBody<'a>,
    solid: &'a PlacedBody<'a>,
    field: &'a dyn SignedDistance,
    reach: SearchRange,
    turned: bool,
    turn: DMat3,
    shift: DVec3,
}

impl Lookup<'_> {
    fn local(&self, x: DVec3) -> DVec3 {
        self.turn * x + self.shift
    }

    /// Goes through the hierarchy and visits the items of leaves that may be near.
    fn walk(&self, mut visit: impl FnMut(u32)) {
        let samples = &self.points.shape.samples;
        let bounds = self.solid.shape.bounds;
        // Where the bound for the whole pair is small enough, closer ones are not worth their price.
        let slow = self.reach.travel <= self.reach.near;
        let spin = (self.points.angular_velocity - self.solid.angular_velocity).length();
        let mut n = 0;
        while let Some(node) = samples.node.get(n) {
            let centre = self.local(node.centre);
            let within = centre.clamp(bounds.min, bounds.max);
            // How far its points may travel, by the motion of its centre and the relative spin.
            let travel = if slow {
                self.reach.travel
            } else {
                let motion = self.relative_velocity(self.solid.pose.to_world(centre)).length();
                (self.reach.dt * (motion + spin * node.radius)).min(self.reach.travel)
            };
            let reach = node.radius + self.reach.near + travel;
            let far = if within == centre {
                self.field.distance(centre) > reach
            } else {
                centre.distance_squared(within) > reach * reach
            };
            if far {
                n = node.skip as usize;
                continue;
            }
            (node.items[0]..node.items[1]).for_each(&mut visit);
            n += 1;
        }
    }

    /// Whether a point or some part of an edge may be within reach.
    fn may_touch(&self, item: u32) -> bool {
        let samples = &self.points.shape.samples;
        let [a, b] = samples.item[item as usize].map(|v| samples.vertex[v as usize]);
        // A distance grows no faster than the length along the edge.
        let ends = [a, b].map(|x| self.field.distance(self.local(x)));
        0.5 * (ends[0] + ends[1] - a.distance(b)) - samples.radius <= self.reach.travel + self.reach.near
    }

    fn look_at(&self, item: u32, scratch: &mut Scratch) {
        let [a, b] = self.points.shape.samples.item[item as usize];
        let at_a = self.vertex(a, scratch);
        if a != b {
            let at_b = self.vertex(b, scratch);
            self.edge(item, [a, b], at_a, at_b, scratch);
        }
    }

    /// Distance and gradient at a vertex, which becomes a point of the manifold when it is seen for the first time.
    fn vertex(&self, v: u32, scratch: &mut Scratch) -> (f64, DVec3) {
        let (stamp, d, g) = scratch.seen[v as usize];
        if stamp == scratch.stamp {
            return (d, g);
        }
        let x = self.local(self.points.shape.samples.vertex[v as usize]);
        let (d, g) = self.field.distance_and_gradient(x);
        scratch.seen[v as usize] = (scratch.stamp, d, g);
        self.push(v << 1, x, d, g, &mut scratch.found);
        (d, g)
    }

    /// Looks for the deepest point between the ends of an edge (\[Guendelman2006\] Sec. 2.4, Fig. 2.4).
    fn edge(&self, item: u32, ends: [u32; 2], a: (f64, DVec3), b: (f64, DVec3), scratch: &mut Scratch) {
        let samples = &self.points.shape.samples;
        let [xa, xb] = ends.map(|v| self.local(samples.vertex[v as usize]));
        let along = xb - xa;
        let travel = |x: DVec3| {
            if self.reach.travel <= self.reach.near {
                return self.reach.travel;
            }
            let place = self.solid.pose.to_world(x);
            self.reach.dt * self.relative_velocity(place).length()
        };
        // Value and slope at both ends of the bracket; the deepest point is where the slope changes sign.
        let (mut low, mut high) = ((0.0, a.0, a.1.dot(along)), (1.0, b.0, b.1.dot(along)));
        if low.2 >= 0.0 || high.2 <= 0.0 {
            return;
        }
        let limit = travel(xa).max(travel(xb)) + self.reach.near + samples.radius;
        let mut best = (0.0, f64::INFINITY, DVec3::ZERO);
        for step in 0..EDGE_STEPS {
            let width = high.0 - low.0;
            // Where the two tangents cross; below that only a hollow could dip.
            let cross = (high.1 - low.1 + low.2 * low.0 - high.2 * high.0) / (low.2 - high.2);
            let floor = low.1 + low.2 * (cross - low.0);
            if floor > limit + if step == 0 { 0.1 * along.length() } else { 0.0 } {
                return;
            }
            let s = cross.clamp(low.0 + 0.1 * width, high.0 - 0.1 * width);
            let (d, g) = self.field.distance_and_gradient(xa + s * along);
            if d < best.1 {
                best = (s, d, g);
            }
            let slope = g.dot(along);
            if slope.abs() * width < 1e-3 * samples.radius {
                break;
            }
            if slope < 0.0 { low = (s, d, slope) } else { high = (s, d, slope) }
        }
        if best.1 < a.0.min(b.0) {
            self.push(item << 1 | 1, xa + best.0 * along, best.1, best.2, &mut scratch.found);
        }
    }

    /// Keeps the point at `x` in the frame of the solid if it may touch during the step.
    fn push(&self, feature: u32, x: DVec3, distance: f64, gradient: DVec3, found: &mut Vec<ManifoldPoint>) {
        let radius = self.points.shape.samples.radius;
        let mut gap = distance - radius;
        if gap > self.reach.travel + self.reach.near {
            return;
        }
        let Pose { translation, rotation } = self.solid.pose;
        let place = rotation * x + translation;
        let travel = self.reach.dt * self.relative_velocity(place);
        let length = travel.length();
        if gap > length + self.reach.near {
            return;
        }
        let mut normal = self.direction(gradient, place);
        if length > self.reach.near && length > gap {
            let there = self.field.distance_and_gradient(x + rotation.conjugate() * travel);
            let (straight, true_gap) = (gap + travel.dot(normal), there.0 - radius);
            if straight < 0.0 && true_gap > 0.0 && gap > 0.0 {
                return;
            }
            if straight >= 0.0 && true_gap < 0.0 {
                normal = self.direction(there.1, place);
                gap = true_gap - travel.dot(normal);
            }
        }
        let position = place - normal * (radius + 0.5 * gap);
        let turned = u32::from(self.turned) << 31;
        let normal = if self.turned { -normal } else { normal };
        found.push(ManifoldPoint { feature: feature | turned, position, normal, gap });
    }

    fn relative_velocity(&self, x: DVec3) -> DVec3 {
        let velocity = |b: &PlacedBody| b.velocity + b.angular_velocity.cross(x - b.centre);
        velocity(self.points) - velocity(self.solid)
    }

    /// The outward normal in the scene's axes; away from the solid's centre where the distance has no direction.
    fn direction(&self, gradient: DVec3, place: DVec3) -> DVec3 {
        let up = if self.turned { -DVec3::Y } else { DVec3::Y };
        (self.solid.pose.rotation * gradient)
            .try_normalize()
            .or_else(|| (place - self.solid.centre).try_normalize())
            .or_else(|| (self.points.centre - self.solid.centre).try_normalize())
            .unwrap_or(up)
    }
}

/// The deepest point, and those that are farthest from the ones already chosen.
fn spread(found: &mut [ManifoldPoint], grain: f64) -> Vec<ManifoldPoint> {
    // Gaps that differ by rounding are equal, so that the same points are chosen again in the next step.
    let depth = |t: &ManifoldPoint| (t.gap / grain).round();
    found.sort_unstable_by(|a, b| depth(a).total_cmp(&depth(b)).then(a.feature.cmp(&b.feature)));
    if found.len() <= 1 {
        return found.to_vec();
    }
    let extent = found.iter().map(|t| t.position.distance_squared(found[0].position)).fold(0.0, f64::max);
    let mut apart = vec![f64::INFINITY; found.len()];
    let mut chosen: Vec<ManifoldPoint> = Vec::with_capacity(MAX_POINTS);
    let mut next = 0;
    while chosen.len() < MAX_POINTS {
        let last = found[next];
        chosen.push(last);
        let mut farthest = (0, 1e-4 * extent);
        for (k, (t, apart)) in found.iter().zip(&mut apart).enumerate() {
            // Points at one place with different normals, as in a corner, are different.
            let place = t.position.distance_squared(last.position);
            let turn = extent * 0.25 * (1.0 - t.normal.dot(last.normal));
            *apart = apart.min(place + turn);
            if *apart > farthest.1 {
                farthest = (k, *apart);
            }
        }
        if farthest.0 == 0 {
            break;
        }
        next = farthest.0;
    }
    chosen
}

//! The time sequence: collision, velocity, contact, position.
//!
//! \[Guendelman2006\] Secs. 2.5 and 2.11. Contacts are resolved right after velocities have been updated with gravity, so that bodies
//! at rest stay at rest without a threshold velocity.
//!
//! **Departures**
//! - Interference is looked up once, not in every iteration; again only if collisions made something faster than the
//!   search foresaw. See [`narrow`].
//! - A body that touches nothing, or only immovable bodies along which it slides, moves with the mean of its velocities
//!   before and after the forces: falling and sliding are then exact for constant forces, where the thesis' rule is off by
//!   half a step.

use glam::{DQuat, DVec3};
use meniscus_core::{BodyId, BodyLoad, Dimension};
use meniscus_geometry::Aabb;
use rayon::prelude::*;

use crate::body::{BodyKind, BodyState, Mobility};
use crate::contact::graph;
use crate::contact::sweep::{Effort, Island};
use crate::contact::{Pair, Point, Twist, collision};
use crate::detect::broad::{self, Bounded};
use crate::detect::narrow::{self, Placed, Reach, Scratch};
use crate::integrate::turn_freely;
use crate::island::{Whole, islands};
use crate::joint::{Aim, Frame, Rows};
use crate::rigid::RigidBodies;
use crate::solids::SolidReport;
use crate::{BodyParams, SolidError};

/// The share of a body's half thickness that another may travel in a substep `[1]`.
const MAX_TRAVEL: f64 = 1.5;
/// Distance that always counts as near, as a share of the thinner body's half thickness `[1]`.
const NEAR: f64 = 0.01;
/// The turn of a body in a substep while others are near `[rad]`.
const MAX_TURN: f64 = 0.5;
/// How often what is left of joint errors is closed in a substep `[1]`.
const CLOSINGS: u32 = 3;
/// Sweeps over the joints alone `[1]`.
const JOINT_SWEEPS: u32 = 50;
/// Searches for collisions in a substep, the later ones for bodies that collisions made faster `[1]`.
const SEARCHES: u32 = 2;
/// Pairs that a thread takes at a time `[1]`.
const GRAIN: usize = 16;

/// What is derived from the state at the start of a substep. The last entry of each column is the scene itself.
struct Now {
    dt: f64,
    twist: Vec<Twist>,
    /// What forces add to velocities in this substep.
    kick: Vec<Twist>,
    mobility: Vec<Mobility>,
}

impl RigidBodies {
    /// Advances by `dt` `[s]` in as many substeps as are needed.
    pub(crate) fn advance_by(&mut self, dt: f64) -> Result<SolidReport, SolidError> {
        if !(dt.is_finite() && dt > 0.0) {
            return Err(SolidError::invalid("advance", format!("dt = {dt} s"), "a positive, finite time"));
        }
        let end = self.state.time + dt;
        let mut report = SolidReport::default();
        let mut left = dt;
        loop {
            let (parts, candidates) = self.parts(left, dt)?;
            if report.substeps.saturating_add(parts) > self.params.max_substeps {
                return Err(self.too_fast(left, dt, f64::from(report.substeps) + f64::from(parts)));
            }
            let h = left / f64::from(parts);
            // With one part the candidates are those of the substep.
            let candidates = (parts == 1).then_some(candidates);
            self.substep(h, h / dt, candidates, &mut report)?;
            report.substeps += 1;
            left -= h;
            if parts == 1 {
                self.state.time = end;
                return Ok(report);
            }
        }
    }

    /// One substep of length `dt` `[s]`, which is the given share of the loads' time.
    fn substep(
        &mut self,
        dt: f64,
        share: f64,
        candidates: Option<Vec<[u32; 2]>>,
        report: &mut SolidReport,
    ) -> Result<(), SolidError> {
        self.shuffle();
        let mut now = self.now(dt, share);
        let candidates = candidates.unwrap_or_else(|| self.candidates(&now));
        let mut pairs = self.look_at_all(&now, &candidates);
        self.collide(&mut now, &mut pairs, report);
        let joints = self.joint_rows(&now);
        let level = Self::levels(&now, &mut pairs, &joints);
        let before = now.twist.clone();
        for (twist, kick) in now.twist.iter_mut().zip(&now.kick) {
            twist.linear += kick.linear;
            twist.angular += kick.angular;
        }
        let scale = self.state.memory.scale(dt);
        report.pairs = pairs.len() as u32;
        report.points = pairs.iter().map(|p| p.point.len() as u32).sum();
        report.deepest = pairs.iter().flat_map(|p| &p.point).map(|p| -p.gap).fold(0.0, f64::max);
        let joints = self.levelled(joints, &level, scale);
        let effort = self.effort(dt);
        let whole = Whole { twist: &now.twist, mobility: &now.mobility, level: &level };
        let mut islands = islands(&whole, pairs, joints);
        islands.par_iter_mut().with_max_len(1).for_each(|i| i.solve(&effort));
        report.sweeps = islands.iter().map(|i| i.sweeps).max().unwrap_or(0);
        self.state.memory.keep(&islands, self.joint.len(), dt);
        self.advance_positions(&now, &before, &islands)?;
        self.state.substep += 1;
        Ok(())
    }

    fn effort(&self, dt: f64) -> Effort {
        let p = &self.params;
        Effort {
            dt,
            sweeps: p.contact_sweeps,
            first_restitution: p.first_restitution,
            shock_passes: p.shock_passes,
            push_passes: p.push_passes,
            tolerance: 1e-8 * (p.gravity.length() * dt).max(1e-6),
        }
    }

    /// What forces and `load` do to a body.
    pub(crate) fn kick_of(&self, body: usize, mobility: &Mobility, load: BodyLoad) -> Twist {
        let about_centre = load.angular_impulse - self.state.body[body].position.cross(load.impulse);
        Twist { linear: mobility.mass * load.impulse, angular: mobility.inertia * about_centre }
    }

    fn now(&self, dt: f64, share: f64) -> Now {
        let count = self.body.len();
        let mut now = Now {
            dt,
            twist: Vec::with_capacity(count + 1),
            kick: Vec::with_capacity(count + 1),
            mobility: Vec::with_capacity(count + 1),
        };
        for (k, (body, state)) in self.body.iter().zip(&self.state.body).enumerate() {
            let mobility = self.mobility(k);
            let (twist, kick) = match &body.kind {
                BodyKind::Static => (Twist::default(), Twist::default()),
                BodyKind::Scripted(_) => (self.scripted_twist(k, dt), Twist::default()),
                BodyKind::Dynamic(_) => {
                    let load = BodyLoad {
                        impulse: share * self.load[k].impulse,
                        angular_impulse: share * self.load[k].angular_impulse,
                    };
                    let mut kick = self.kick_of(k, &mobility, load);
                    // Zero along z in the plane, as the mobility is.
                    kick.linear += dt * self.params.gravity * (mobility.mass / mobility.mass.x);
                    (Twist { linear: state.velocity, angular: state.angular_velocity }, kick)
                }
            };
            now.twist.push(twist);
            now.kick.push(kick);
            now.mobility.push(mobility);
        }
        now.twist.push(Twist::default());
        now.kick.push(Twist::default());
        now.mobility.push(Mobility::NONE);
        now
    }

    /// The mean motion of a scripted body over the substep: contacts must see where it ends.
    fn scripted_twist(&self, body: usize, dt: f64) -> Twist {
        let (from, to) = (self.state.body[body], self.scripted_state(body, self.state.time + dt));
        let turn = to.rotation * from.rotation.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        Twist { linear: (to.position - from.position) / dt, angular: turn.normalize().to_scaled_axis() / dt }
    }

    fn scripted_state(&self, body: usize, time: f64) -> BodyState {
        match &self.body[body].kind {
            BodyKind::Scripted(motion) => motion.at(&self.body[body].pose, time).into(),
            BodyKind::Static | BodyKind::Dynamic(_) => self.state.body[body],
        }
    }

    /// How far a body's farthest point travels in the substep at most `[m]`.
    fn travel(&self, now: &Now, body: usize) -> f64 {
        let (twist, kick) = (&now.twist[body], &now.kick[body]);
        let radius = self.fixed[body].radius;
        let turning = (twist.angular + kick.angular).length();
        let turn = if turning > 0.0 { turning * radius } else { 0.0 };
        now.dt * ((twist.linear + kick.linear).length() + turn)
    }

    /// The box around a body, enlarged by `by` `[m]`.
    fn bounds(&self, body: usize, by: f64) -> Aabb {
        let (params, state) = (&self.body[body], &self.state.body[body]);
        if params.shape.is_wall() {
            return Aabb { min: DVec3::NEG_INFINITY, max: DVec3::INFINITY };
        }
        let local = params.shape.bounds;
        let pose = state.pose(params.centre());
        let turn = glam::DMat3::from_quat(pose.rotation).abs();
        Aabb::around(pose.to_world(local.centre()), turn * (0.5 * local.size()) + by)
    }

    /// Distance that counts as near without any motion: what gravity alone could close, and a little more `[m]`.
    fn near(&self, dt: f64) -> f64 {
        2.0 * self.params.gravity.length() * dt * dt
    }

    /// A share of a body's thickness within which others count as near `[m]`.
    fn slack(&self, body: usize) -> f64 {
        let thickness = self.body[body].shape.half_thickness;
        if thickness.is_finite() { NEAR * thickness } else { 0.0 }
    }

    fn candidates(&self, now: &Now) -> Vec<[u32; 2]> {
        let near = self.near(now.dt);
        let bounded: Vec<Bounded> = (0..self.body.len())
            .map(|k| Bounded {
                bounds: self.bounds(k, self.travel(now, k) + near + self.slack(k)),
                dynamic: self.body[k].is_dynamic(),
            })
            .collect();
        let mut pairs = broad::pairs(&bounded);
        pairs.retain(|p| self.silent.binary_search(p).is_err());
        pairs
    }

    /// Into how many parts the time `left` of a step `dt` `[s]` must be divided so that nothing passes through anything, and
    /// the pairs that might meet in it.
    fn parts(&self, left: f64, dt: f64) -> Result<(u32, Vec<[u32; 2]>), SolidError> {
        let now = self.now(left, left / dt);
        let boxes: Vec<Aabb> = (0..self.body.len()).map(|k| self.bounds(k, 0.0)).collect();
        let mut most = (1.0_f64, [0, 0], 0.0);
        let candidates = self.candidates(&now);
        for &pair in &candidates {
            let [a, b] = pair.map(|k| k as usize);
            // Bodies that are apart may first close the distance.
            let apart = separation(&boxes[a], &boxes[b]);
            let travel = self.relative_travel(&now, a, b) / (self.room(a, b) + apart);
            let turning = |k: usize| now.dt * (now.twist[k].angular + now.kick[k].angular).length();
            let turn = if apart > 0.0 { 0.0 } else { (turning(a) + turning(b)) / MAX_TURN };
            let needed = travel.max(turn);
            if needed > most.0 {
                most = (needed, pair, self.relative_travel(&now, a, b) / left);
            }
        }
        let parts = most.0.ceil();
        if parts <= f64::from(self.params.max_substeps) {
            return Ok((parts as u32, candidates));
        }
        Err(SolidError::TooFast {
            body: BodyId(most.1[0]),
            other: BodyId(most.1[1]),
            speed: most.2,
            substeps: parts,
            limit: self.params.max_substeps,
        })
    }

    /// How far two bodies may travel relative to each other before the points of one may have passed the other `[m]`.
    fn room(&self, a: usize, b: usize) -> f64 {
        let depth = |solid: usize, points: usize| {
            let (solid, points) = (&self.body[solid].shape, &self.body[points].shape);
            let meet = solid.field.is_some() && !points.samples.item.is_empty();
            if meet { MAX_TRAVEL * solid.half_thickness } else { f64::INFINITY }
        };
        depth(a, b).min(depth(b, a))
    }

    fn too_fast(&self, left: f64, dt: f64, substeps: f64) -> SolidError {
        let now = self.now(left, left / dt);
        let speed = |k: usize| self.travel(&now, k) / left;
        let fastest = (0..self.body.len()).fold(0, |best, k| if speed(k) > speed(best) { k } else { best });
        SolidError::TooFast {
            body: BodyId(fastest as u32),
            other: BodyId(fastest as u32),
            speed: speed(fastest),
            substeps,
            limit: self.params.max_substeps,
        }
    }

    /// How far two bodies may travel relative to each other `[m]`.
    fn relative_travel(&self, now: &Now, a: usize, b: usize) -> f64 {
        let velocity = |k: usize| now.twist[k].linear + now.kick[k].linear;
        let turning = |k: usize| {
            let rate = (now.twist[k].angular + now.kick[k].angular).length();
            if rate > 0.0 { rate * self.fixed[k].radius } else { 0.0 }
        };
        // A turning wall moves as fast as the other body is far away; its own radius is infinite.
        let turn = |k: usize, other: usize| {
            if self.fixed[k].radius.is_finite() {
                turning(k)
            } else {
                let rate = (now.twist[k].angular + now.kick[k].angular).length();
                let far = self.state.body[other].position.distance(self.state.body[k].position);
                rate * (far + self.fixed[other].radius)
            }
        };
        now.dt * ((velocity(a) - velocity(b)).length() + turn(a, b) + turn(b, a))
    }

    /// Those of the candidates that touch or may touch during the substep.
    fn look_at_all(&self, now: &Now, candidates: &[[u32; 2]]) -> Vec<Pair> {
        candidates
            .par_iter()
            .with_min_len(GRAIN)
            .map_init(Scratch::default, |scratch, pair| self.look_at(now, *pair, scratch))
            .flatten_iter()
            .collect()
    }

    fn look_at(&self, now: &Now, pair: [u32; 2], scratch: &mut Scratch) -> Option<Pair> {
        let index = pair.map(|k| k as usize);
        let [a, b] = index.map(|k| self.placed(now, k));
        let travel = self.relative_travel(now, index[0], index[1]);
        let thickness = [a, b].map(|p| p.shape.half_thickness).into_iter().filter(|t| *t > 0.0);
        let slack = NEAR * thickness.fold(f64::INFINITY, f64::min);
        let reach = Reach { dt: now.dt, travel, near: self.near(now.dt) + slack };
        let touches = narrow::touches(&a, &b, reach, scratch);
        if touches.is_empty() {
            return None;
        }
        let centre = [a.centre, b.centre];
        let mobility = index.map(|k| &now.mobility[k]);
        let flat = self.params.dimension == Dimension::Two;
        let point: Vec<Point> = touches
            .into_iter()
            .filter_map(|mut t| {
                if flat {
                    t.normal = DVec3::new(t.normal.x, t.normal.y, 0.0).try_normalize()?;
                }
                Some(Point::new(&t, centre, mobility))
            })
            .collect();
        let [m, n] = index.map(|k| &self.body[k].material);
        let mut found = Pair {
            body: pair,
            // [Guendelman2006] Secs. 2.6, 2.7: the least restitution, the largest friction
            restitution: m.restitution.min(n.restitution),
            friction: m.friction.max(n.friction),
            rolling: m.rolling.max(n.rolling),
            spinning: m.spinning.max(n.spinning),
            point,
            level: 0,
        };
        if self.params.contact_sweeps > 0 {
            self.state.memory.recall(&mut found, self.state.memory.scale(now.dt));
        }
        (!found.point.is_empty()).then_some(found)
    }

    fn placed(&self, now: &Now, body: usize) -> Placed<'_> {
        let (params, state): (&BodyParams, _) = (&self.body[body], &self.state.body[body]);
        Placed {
            shape: &params.shape,
            pose: state.pose(params.centre()),
            centre: state.position,
            velocity: now.twist[body].linear + now.kick[body].linear,
            angular_velocity: now.twist[body].angular + now.kick[body].angular,
        }
    }

    /// Collisions, a few times over all pairs ([Guendelman2006] Sec. 2.6).
    fn collide(&self, now: &mut Now, pairs: &mut Vec<Pair>, report: &mut SolidReport) {
        let rank = self.rank();
        let mut foreseen: Vec<f64> = (0..self.body.len()).map(|k| self.travel(now, k)).collect();
        for _ in 0..SEARCHES {
            let mut order: Vec<usize> = (0..pairs.len()).filter(|k| pairs[*k].restitution > 0.0).collect();
            order.sort_by_key(|k| {
                let [a, b] = pairs[*k].body.map(|b| rank[b as usize]);
                (a.min(b), a.max(b))
            });
            for _ in 0..self.params.collision_iterations {
                let Now { twist, kick, mobility, dt } = now;
                let slow = 2.0 * self.params.gravity.length() * *dt;
                let bounce = |k: &usize| collision::bounce(&mut pairs[*k], twist, kick, mobility, *dt, slow);
                let bounces = order.iter().map(bounce).filter(|b| *b).count() as u32;
                report.bounces += bounces;
                if bounces == 0 {
                    break;
                }
            }
            if !self.look_again(now, pairs, &mut foreseen) {
                return;
            }
        }
    }

    /// Whoever became faster than the search foresaw may reach other bodies: looks for contacts of those alone. Whether there
    /// was anybody.
    fn look_again(&self, now: &Now, pairs: &mut Vec<Pair>, foreseen: &mut [f64]) -> bool {
        let near = self.near(now.dt);
        let mut fast = vec![false; self.body.len()];
        for (k, foreseen) in foreseen.iter_mut().enumerate() {
            let travel = self.travel(now, k);
            if travel > *foreseen + near {
                (*foreseen, fast[k]) = (travel, true);
            }
        }
        if !fast.contains(&true) {
            return false;
        }
        let concerned = |body: &[u32; 2]| body.iter().any(|b| fast[*b as usize]);
        let mut again = self.candidates(now);
        again.retain(concerned);
        pairs.retain(|p| !concerned(&p.body));
        pairs.extend(self.look_at_all(now, &again));
        pairs.sort_unstable_by_key(|p| p.body);
        true
    }

    /// Places of bodies in the shuffled order.
    fn rank(&self) -> Vec<u32> {
        let mut rank = vec![0; self.body.len()];
        for (place, body) in self.state.order.iter().enumerate() {
            rank[*body as usize] = place as u32;
        }
        rank
    }

    /// Swaps a few bodies of the order ([Guendelman2006] Sec. 2.6).
    fn shuffle(&mut self) {
        let count = self.state.order.len() as u64;
        for _ in 0..count / 4 {
            let mut draw = || {
                // xorshift64
                let mut r = self.state.random;
                r ^= r << 13;
                r ^= r >> 7;
                r ^= r << 17;
                self.state.random = r;
                (r % count) as usize
            };
            let (a, b) = (draw(), draw());
            self.state.order.swap(a, b);
        }
    }

    /// The joints' rows at the start of the substep. The scene itself is the body after the last.
    fn joint_rows(&self, now: &Now) -> Vec<Rows> {
        let scene = self.body.len();
        let rows = |frame: &Frame| {
            let body = frame.body.map(|b| b.map_or(scene, |b| b as usize));
            let mobility = body.map(|b| &now.mobility[b]);
            Rows::new(frame, &self.state.body, body, mobility, Aim::Step(now.dt))
        };
        self.joint.iter().map(rows).collect()
    }

    /// Levels of bodies and pairs ([Guendelman2006] Sec. 2.8.1). Jointed bodies share theirs.
    fn levels(now: &Now, pairs: &mut [Pair], joints: &[Rows]) -> Vec<u32> {
        let immovable: Vec<bool> = now.mobility.iter().map(Mobility::is_none).collect();
        let mut edges = Vec::with_capacity(2 * pairs.len());
        for pair in &*pairs {
            let [a, b] = pair.body.map(|k| k as usize);
            let rests = |upper: usize| {
                let moved = |k: usize, own: usize| {
                    let (t, kick) = (now.twist[k], now.kick[k]);
                    if own == upper {
                        Twist { linear: t.linear + kick.linear, angular: t.angular + kick.angular }
                    } else {
                        t
                    }
                };
                let (first, second) = (moved(a, 0), moved(b, 1));
                let sinks = |p: &Point| p.gap + now.dt * p.relative([&first, &second]).dot(p.normal) < -1e-12;
                pair.point.iter().any(sinks)
            };
            if !immovable[a] && rests(0) {
                edges.push([pair.body[1], pair.body[0]]);
            }
            if !immovable[b] && rests(1) {
                edges.push([pair.body[0], pair.body[1]]);
            }
        }
        for [a, b] in joints.iter().map(|j| j.body) {
            for [lower, upper] in [[a, b], [b, a]] {
                if !immovable[upper] {
                    edges.push([lower as u32, upper as u32]);
                }
            }
        }
        let level = graph::levels(&immovable, &edges);
        for pair in pairs {
            pair.level = pair.body.iter().map(|b| level[*b as usize]).max().unwrap_or(0);
        }
        level
    }

    fn levelled(&self, joints: Vec<Rows>, level: &[u32], scale: f64) -> Vec<(u32, Rows)> {
        let each = |(k, mut rows): (usize, Rows)| {
            rows.level = rows.body.iter().map(|b| level[*b]).max().unwrap_or(0);
            rows.recall(self.state.memory.joint(k), scale);
            (k as u32, rows)
        };
        joints.into_iter().enumerate().map(each).collect()
    }

    /// Moves all bodies to the end of the substep.
    fn advance_positions(
        &mut self,
        now: &Now,
        before: &[Twist],
        islands: &[Island],
    ) -> Result<(), SolidError> {
        let mut twist = now.twist.clone();
        let mut push = vec![Twist::default(); twist.len()];
        let mut smooth: Vec<bool> = (0..self.body.len()).map(|k| !self.jointed[k]).collect();
        for island in islands {
            for (local, body) in island.body.iter().enumerate() {
                if !now.mobility[*body as usize].is_none() {
                    twist[*body as usize] = island.twist[local];
                    push[*body as usize] = island.push[local];
                }
            }
            slides(island, before, now.dt, &mut smooth);
        }
        let time = self.state.time + now.dt;
        for k in 0..self.body.len() {
            let mean =
                if smooth[k] { 0.5 * now.dt * (before[k].linear - twist[k].linear) } else { DVec3::ZERO };
            let moved = now.dt * twist[k].linear + mean + push[k].linear;
            let state = match &self.body[k].kind {
                BodyKind::Static => continue,
                BodyKind::Scripted(_) => self.scripted_state(k, time),
                BodyKind::Dynamic(_) => self.moved(k, twist[k], moved, push[k].angular, now.dt),
            };
            if !state.is_finite() {
                return Err(SolidError::NotFinite { body: BodyId(k as u32) });
            }
            self.state.body[k] = state;
        }
        self.state.time = time;
        self.settle_joints(self.effort(now.dt).tolerance);
        Ok(())
    }

    fn moved(&self, body: usize, twist: Twist, by: DVec3, turn: DVec3, dt: f64) -> BodyState {
        let old = &self.state.body[body];
        let BodyKind::Dynamic(mass) = &self.body[body].kind else { return *old };
        let (rotation, angular_velocity) = match self.params.dimension {
            Dimension::Two => {
                ((DQuat::from_rotation_z(twist.angular.z * dt) * old.rotation).normalize(), twist.angular)
            }
            Dimension::Three => {
                turn_freely(old.rotation, twist.angular, mass.inertia, self.fixed[body].inverse, dt)
            }
        };
        let rotation = if turn == DVec3::ZERO {
            rotation
        } else {
            (DQuat::from_scaled_axis(turn) * rotation).normalize()
        };
        BodyState { position: old.position + by, rotation, velocity: twist.linear, angular_velocity }
    }

    /// Closes what is left of the joints' errors, and takes the relative velocities that closed the rest out of them again
    /// ([Guendelman2006] Sec. 8.1).
    fn settle_joints(&mut self, tolerance: f64) {
        if self.joint.is_empty() {
            return;
        }
        for _ in 0..CLOSINGS {
            let still = vec![Twist::default(); self.body.len() + 1];
            let (push, change) = self.solve_joints(Aim::Close, still, 1e-12);
            for (state, push) in self.state.body.iter_mut().zip(&push) {
                state.position += push.linear;
                if push.angular != DVec3::ZERO {
                    state.rotation = (DQuat::from_scaled_axis(push.angular) * state.rotation).normalize();
                }
            }
            if change <= 1e-9 {
                break;
            }
        }
        let moving = |s: &BodyState| Twist { linear: s.velocity, angular: s.angular_velocity };
        let twist = self.state.body.iter().map(moving).chain([Twist::default()]).collect();
        let (twist, _) = self.solve_joints(Aim::Keep, twist, tolerance);
        for (k, (state, twist)) in self.state.body.iter_mut().zip(twist).enumerate() {
            if self.body[k].is_dynamic() {
                (state.velocity, state.angular_velocity) = (twist.linear, twist.angular);
            }
        }
    }

    /// Sweeps over the joints alone; the velocities or displacements, and the largest change of the first sweep.
    fn solve_joints(&self, aim: Aim, mut twist: Vec<Twist>, tolerance: f64) -> (Vec<Twist>, f64) {
        let scene = self.body.len();
        let mobility: Vec<Mobility> = (0..scene).map(|k| self.mobility(k)).chain([Mobility::NONE]).collect();
        let new = |frame: &Frame| {
            let body = frame.body.map(|b| b.map_or(scene, |b| b as usize));
            Rows::new(frame, &self.state.body, body, body.map(|b| &mobility[b]), aim)
        };
        let mut rows: Vec<Rows> = self.joint.iter().map(new).collect();
        let mut first = 0.0;
        for sweep in 0..JOINT_SWEEPS {
            let change = rows.iter_mut().map(|r| r.relax(&mut twist, &mobility)).fold(0.0, f64::max);
            if sweep == 0 {
                first = change;
            }
            if change <= tolerance {
                break;
            }
        }
        (twist, first)
    }
}

/// The distance between two boxes, zero if they overlap `[m]`.
fn separation(a: &Aabb, b: &Aabb) -> f64 {
    (a.min - b.max).max(b.min - a.max).max(DVec3::ZERO).length()
}

/// Clears the flags of bodies that may not move with their mean velocity: that of the end of the step would keep them off
/// others, but the mean would not, or others are pushed by them and must see the same motion.
fn slides(island: &Island, before: &[Twist], dt: f64, smooth: &mut [bool]) {
    for pair in &island.pair {
        let movable = pair.body.map(|b| !island.mobility[b as usize].is_none());
        for side in 0..2 {
            let local = pair.body[side] as usize;
            let body = island.body[local] as usize;
            if !movable[side] || body >= smooth.len() {
                continue;
            }
            let mean = 0.5 * dt * (before[body].linear - island.twist[local].linear);
            let sign = if side == 0 { 1.0 } else { -1.0 };
            let approaches = |p: &Point| sign * mean.dot(p.normal) < -1e-9 * (mean.length() + 1e-6);
            if movable[1 - side] || pair.point.iter().any(approaches) {
                smooth[body] = false;
            }
        }
    }
}

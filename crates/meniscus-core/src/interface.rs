//! The hub between fluids and solids: impulses go out, motions come back.
//!
//! A fluid has points on the surfaces of solids ([`InterfacePoints`]) and pushes them. A solid reduces what its points receive to
//! what it can use: a rigid body to six numbers, a deformable one to impulses on its nodes by the weights of each point's
//! [`Anchor`]. Neither names the other's types.

use crate::{Kinematics, SolidMotion, Twist, Wrench};
use glam::DVec3;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A solid of the scene, by its position in the scene's list of bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct BodyId(pub u32);

impl BodyId {
    /// Its position in lists with one entry for each body.
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a point is fixed to its solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// To a place in the frame of a rigid body `[m]`.
    Frame(DVec3),
    /// To three nodes of a deformable body, with barycentric weights that sum to 1 `[1]`.
    Nodes {
        /// The nodes.
        node: [u32; 3],
        /// Their weights `[1]`.
        weight: [f64; 3],
    },
}

impl Anchor {
    /// Σ w x over the nodes of the anchor; nothing if it is not fixed to nodes.
    #[must_use]
    pub fn interpolate(&self, value: &[DVec3]) -> Option<DVec3> {
        let Self::Nodes { node, weight } = self else { return None };
        Some(node.iter().zip(weight).map(|(&n, &w)| w * value[n as usize]).sum())
    }
}

/// One point where a fluid may touch a solid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct InterfacePoint {
    /// The solid it belongs to.
    pub body: BodyId,
    /// Where it is `[m]`.
    pub position: DVec3,
    /// How the solid moves there `[m/s]`.
    pub velocity: DVec3,
}

/// The points of one fluid on all solids, in columns; those of one body side by side.
///
/// The first ones are persistent: they are fixed to their solids by anchors. Others, behind them, exist for one step.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct InterfacePoints {
    /// The solid each belongs to.
    pub body: Vec<BodyId>,
    /// Where each is `[m]`.
    pub position: Vec<DVec3>,
    /// How its solid moves there `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Where each persistent point is fixed.
    pub anchor: Vec<Anchor>,
}

impl InterfacePoints {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.body.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.body.is_empty()
    }

    /// How many of them are persistent.
    #[must_use]
    pub fn persistent(&self) -> usize {
        self.anchor.len()
    }

    /// Point `k`.
    #[inline(always)]
    #[must_use]
    pub fn get(&self, k: usize) -> InterfacePoint {
        InterfacePoint { body: self.body[k], position: self.position[k], velocity: self.velocity[k] }
    }

    /// Adds a persistent point at `position` `[m]`; to be called before any other points are added.
    pub fn fix(&mut self, body: BodyId, anchor: Anchor, position: DVec3) {
        self.anchor.push(anchor);
        self.push(&InterfacePoint { body, position, velocity: DVec3::ZERO });
    }

    /// Adds a point that exists for one step.
    pub fn push(&mut self, point: &InterfacePoint) {
        self.body.push(point.body);
        self.position.push(point.position);
        self.velocity.push(point.velocity);
    }

    /// Forgets the points of the last step.
    pub fn keep_persistent(&mut self) {
        let persistent = self.persistent();
        self.body.truncate(persistent);
        self.position.truncate(persistent);
        self.velocity.truncate(persistent);
    }

    /// The anchor of a persistent point.
    #[must_use]
    pub fn anchor(&self, k: usize) -> Option<&Anchor> {
        self.anchor.get(k)
    }
}

/// How a solid takes the impulses on its points.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Loading {
    /// As six numbers: a rigid body.
    Wrench,
    /// On this many nodes.
    Nodes(u32),
}

/// Impulses on all solids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loads {
    /// By body: the sum of all impulses and of their moments about the origin of the scene.
    pub wrench: Vec<Wrench>,
    /// By body: the impulse on each of its nodes `[N s]`; none for a rigid body.
    pub node: Vec<Vec<DVec3>>,
}

impl Loads {
    /// None so far, on solids that take them like this.
    #[must_use]
    pub fn new(loading: &[Loading]) -> Self {
        let nodes = |loading: &Loading| match loading {
            Loading::Wrench => Vec::new(),
            Loading::Nodes(count) => vec![DVec3::ZERO; *count as usize],
        };
        Self { wrench: vec![Wrench::default(); loading.len()], node: loading.iter().map(nodes).collect() }
    }

    /// Adds an impulse `[N s]` on a body that acts at `place` `[m]`, through a point that is fixed by `anchor`.
    pub fn push(&mut self, body: BodyId, anchor: Option<&Anchor>, place: DVec3, impulse: DVec3) {
        self.wrench[body.index()].push(place, impulse);
        if let Some(Anchor::Nodes { node, weight }) = anchor {
            for (n, w) in node.iter().zip(weight) {
                self.node[body.index()][*n as usize] += *w * impulse;
            }
        }
    }

    /// No impulses.
    pub fn clear(&mut self) {
        self.wrench.fill(Wrench::default());
        self.node.iter_mut().for_each(|node| node.fill(DVec3::ZERO));
    }

    /// Makes them equal to others without giving up memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.wrench.clone_from(&other.wrench);
        self.node.clone_from(&other.node);
    }
}

/// How fluids and solids push each other in the current step.
#[derive(Debug, Clone, Default)]
pub struct Interface {
    /// How each solid moves in the step, as far as is known.
    pub motion: Vec<SolidMotion>,
    /// What solids have received in the step.
    pub load: Loads,
    /// What each chunk of a fluid adds, chunk after chunk: kept so that steps allocate nothing.
    partial: Vec<Wrench>,
    nodal: Vec<Vec<NodalImpulse>>,
}

#[derive(Debug, Clone, Copy)]
struct NodalImpulse {
    body: BodyId,
    anchor: Anchor,
    impulse: DVec3,
}

/// What one chunk of a fluid does to solids.
pub struct ChunkLoads<'a> {
    points: &'a InterfacePoints,
    wrench: &'a mut [Wrench],
    nodal: &'a mut Vec<NodalImpulse>,
    has_nodes: bool,
}

impl ChunkLoads<'_> {
    /// Adds an impulse `[N s]` on point `k` that acts at `place` `[m]`.
    #[inline]
    pub fn push(&mut self, k: usize, place: DVec3, impulse: DVec3) {
        let body = self.points.body[k];
        self.wrench[body.index()].push(place, impulse);
        if self.has_nodes
            && let Some(&anchor @ Anchor::Nodes { .. }) = self.points.anchor(k)
        {
            self.nodal.push(NodalImpulse { body, anchor, impulse });
        }
    }
}

impl Interface {
    /// The interface of solids that take impulses like this.
    #[must_use]
    pub fn new(loading: &[Loading]) -> Self {
        let still = SolidMotion::paused(Kinematics::at_rest(crate::Pose::IDENTITY));
        Self { motion: vec![still; loading.len()], load: Loads::new(loading), ..Self::default() }
    }

    /// Adds what `fill(chunk, loads)` finds, for `chunks` chunks of a fluid with these points. They are summed on their own and
    /// joined in order, so that the result does not depend on the threads.
    pub fn add_by_chunk(
        &mut self,
        chunks: usize,
        points: &InterfacePoints,
        fill: impl Fn(usize, &mut ChunkLoads<'_>) + Sync,
    ) {
        let Self { load, partial, nodal, .. } = self;
        let Loads { wrench: total, node } = load;
        if total.is_empty() {
            return;
        }
        let has_nodes = node.iter().any(|node| !node.is_empty());
        partial.clear();
        partial.resize(chunks * total.len(), Wrench::default());
        nodal.resize_with(nodal.len().max(chunks), Vec::new);
        let parts = partial.par_chunks_mut(total.len()).zip(&mut *nodal).enumerate();
        parts.for_each(|(chunk, (wrench, nodal))| {
            nodal.clear();
            fill(chunk, &mut ChunkLoads { points, wrench, nodal, has_nodes });
        });
        for part in partial.chunks(total.len()) {
            for (total, part) in total.iter_mut().zip(part) {
                *total += *part;
            }
        }
        for NodalImpulse { body, anchor, impulse } in nodal[..chunks].iter().flatten() {
            if let Anchor::Nodes { node: three, weight } = anchor {
                for (n, w) in three.iter().zip(weight) {
                    node[body.index()][*n as usize] += *w * *impulse;
                }
            }
        }
    }
}

/// How the motions of all solids change.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct MotionChange {
    /// By body; zero for deformable ones.
    pub twist: Vec<Twist>,
    /// By body: change of the velocity of each node `[m/s]`; none for a rigid body.
    pub node: Vec<Vec<DVec3>>,
}

impl MotionChange {
    /// No change, of solids that take impulses like `loads`.
    pub fn reset(&mut self, loads: &Loads) {
        self.twist.clear();
        self.twist.resize(loads.wrench.len(), Twist::default());
        self.node.resize_with(loads.node.len(), Vec::new);
        for (change, load) in self.node.iter_mut().zip(&loads.node) {
            change.clear();
            change.resize(load.len(), DVec3::ZERO);
        }
    }

    /// Makes it equal to another one without giving up memory.
    pub fn copy_from(&mut self, other: &Self) {
        self.twist.clone_from(&other.twist);
        self.node.clone_from(&other.node);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deformable_body_receives_on_its_nodes_what_its_points_do() {
        let loading = [Loading::Wrench, Loading::Nodes(4)];
        let mut points = InterfacePoints::default();
        points.fix(BodyId(0), Anchor::Frame(DVec3::X), DVec3::X);
        points.fix(BodyId(1), Anchor::Nodes { node: [0, 1, 3], weight: [0.5, 0.3, 0.2] }, DVec3::Y);
        let impulses = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| {
                let mut interface = Interface::new(&loading);
                interface.add_by_chunk(5, &points, |chunk, loads| {
                    let impulse = DVec3::new(0.1 * (chunk + 1) as f64, 1.0, 0.0);
                    loads.push(0, DVec3::X, impulse);
                    loads.push(1, DVec3::Y, 2.0 * impulse);
                });
                interface.load
            })
        };
        let load = impulses(3);
        assert_eq!(load, impulses(1));
        assert!((load.wrench[0].impulse - DVec3::new(1.5, 5.0, 0.0)).length() < 1e-12);
        assert!((load.wrench[0].angular_impulse - DVec3::new(0.0, 0.0, 5.0)).length() < 1e-12);
        assert!(load.node[0].is_empty());
        let total: DVec3 = load.node[1].iter().sum();
        assert!((total - load.wrench[1].impulse).length() < 1e-12 && load.node[1][2] == DVec3::ZERO);
        assert!((load.node[1][3] - 0.2 * total).length() < 1e-12);
    }
}

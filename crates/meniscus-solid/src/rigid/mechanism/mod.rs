//! Mechanisms: bodies that joints link, solved exactly and at once.
//!
//! All that joints demand of velocities, displacements or a step is one linear system, or a few of them, of the form
//!
//! | M  Gᵀ |
//! | G  −E |
//!
//! with the mass M of the bodies, the gradients G of what the joints hold, and an E that is nothing but a remedy against demands
//! that repeat each other, as loops have them. Its blocks are bodies and joints; [`pattern`] orders them so that trees cost as
//! much as they have links, and loops little more. [`velocity`] takes out of velocities what joints forbid, [`motion`] moves a
//! mechanism by a step.

pub(crate) mod block;
mod factor;
pub(crate) mod motion;
mod pattern;
pub(crate) mod velocity;

use std::sync::Mutex;

use glam::{DMat3, DVec3};

use crate::rigid::body::BodyState;
use crate::rigid::joint::{Gradient, JointFrame};
use block::{Block, Six};
use factor::Matrix;
use pattern::Pattern;

/// What joints yield in velocities, as a share of how easily their bodies move `[1]`: small enough that no demand notices, and far
/// enough above rounding that a projection stays one where demands nearly repeat each other.
const YIELD: f64 = 1e-9;

/// Bodies that joints link, directly or through others. Bodies that do not move link nothing.
#[derive(Debug)]
pub(crate) struct Mechanism {
    /// Indices of the movable bodies among all, in ascending order.
    pub body: Vec<u32>,
    pub joint: Vec<Link>,
    pattern: Pattern,
    /// Scratch: the memory of matrices that are done with.
    spare: Mutex<Vec<Matrix>>,
}

/// A joint of a mechanism.
#[derive(Debug)]
pub(crate) struct Link {
    /// Its index among all.
    pub index: u32,
    /// Its bodies among those of the mechanism; none for one that does not move.
    pub ends: [Option<usize>; 2],
    /// The blocks in its row, in its column, and those between its bodies.
    row: [usize; 2],
    column: [usize; 2],
    cross: [usize; 2],
}

/// How a body resists.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Inertia {
    /// `[kg]`
    pub mass: f64,
    /// In its own frame `[kg m^2]`. In the plane, where it does not turn about x and y, the moments about these do not matter.
    pub tensor: DMat3,
    /// In the plane.
    pub planar: bool,
}

impl Inertia {
    /// In the axes of the scene.
    pub fn turned(&self, state: &BodyState) -> DMat3 {
        let turn = DMat3::from_quat(state.rotation);
        turn * self.tensor * turn.transpose()
    }

    /// The largest radius of gyration `[m]`.
    pub fn gyration(&self) -> f64 {
        let [x, y, z] = [self.tensor.x_axis.x, self.tensor.y_axis.y, self.tensor.z_axis.z];
        let most = if self.planar { z } else { x.max(y).max(z) };
        (most / self.mass).sqrt()
    }

    /// Kinetic energy `[J]`.
    pub fn energy(&self, state: &BodyState) -> f64 {
        let spin = state.rotation.conjugate() * state.angular_velocity;
        0.5 * (self.mass * state.velocity.length_squared() + spin.dot(self.tensor * spin))
    }
}

/// The mechanisms of all joints between bodies of which some are movable.
pub(crate) fn mechanisms(joints: &[JointFrame], movable: &[bool]) -> Vec<Mechanism> {
    let mut parent: Vec<usize> = (0..movable.len()).collect();
    let ends = |joint: &JointFrame| joint.body.map(|b| b.map(|b| b as usize).filter(|b| movable[*b]));
    for joint in joints {
        if let [Some(a), Some(b)] = ends(joint) {
            let (a, b) = (root(&mut parent, a), root(&mut parent, b));
            parent[a.max(b)] = a.min(b);
        }
    }
    // The body with the smallest number is the root of its mechanism.
    let mut of_root = vec![usize::MAX; movable.len()];
    let mut groups: Vec<(Vec<u32>, Vec<usize>)> = Vec::new();
    for (k, joint) in joints.iter().enumerate() {
        let Some(any) = ends(joint).into_iter().flatten().next() else { continue };
        let slot = &mut of_root[root(&mut parent, any)];
        if *slot == usize::MAX {
            *slot = groups.len();
            groups.push((Vec::new(), Vec::new()));
        }
        groups[*slot].1.push(k);
    }
    let mut place = vec![usize::MAX; movable.len()];
    for body in 0..movable.len() {
        if let Some((bodies, _)) = groups.get_mut(of_root[root(&mut parent, body)]) {
            place[body] = bodies.len();
            bodies.push(body as u32);
        }
    }
    let new = |(body, joint): (Vec<u32>, Vec<usize>)| {
        let ends: Vec<_> = joint.iter().map(|k| ends(&joints[*k]).map(|b| b.map(|b| place[b]))).collect();
        Mechanism::new(body, &joint, &ends)
    };
    groups.into_iter().map(new).collect()
}

impl Mechanism {
    fn new(body: Vec<u32>, joints: &[usize], ends: &[[Option<usize>; 2]]) -> Self {
        let count = body.len();
        let pattern = Pattern::new(count, ends);
        let link = |(k, (index, ends)): (usize, (&usize, &[Option<usize>; 2]))| {
            let node = count + k;
            let cross = match *ends {
                [Some(a), Some(b)] => [pattern.place(a, b), pattern.place(b, a)],
                _ => [0; 2],
            };
            let (row, column) = (
                ends.map(|b| b.map_or(0, |b| pattern.place(node, b))),
                ends.map(|b| b.map_or(0, |b| pattern.place(b, node))),
            );
            Link { index: *index as u32, ends: *ends, row, column, cross }
        };
        let joint = joints.iter().zip(ends).enumerate().map(link).collect();
        Self { body, joint, pattern, spare: Mutex::default() }
    }

    /// A matrix with its blocks, all zero.
    fn matrix(&self) -> Matrix {
        let spare = self.spare.lock().ok().and_then(|mut spare| spare.pop());
        let mut matrix = spare.unwrap_or_default();
        matrix.clear(&self.pattern);
        matrix
    }

    /// Takes back the memory of a matrix.
    fn discard(&self, matrix: Matrix) {
        if let (Ok(mut spare), false) = (self.spare.lock(), matrix.block.is_empty()) {
            spare.push(matrix);
        }
    }
}

/// What a body's velocity, or its change, is in the order of a block's rows.
fn six(linear: DVec3, angular: DVec3) -> Six {
    let ([a, b, c], [d, e, f]) = (linear.to_array(), angular.to_array());
    [a, b, c, d, e, f]
}

fn vectors(x: &Six) -> [DVec3; 2] {
    [DVec3::new(x[0], x[1], x[2]), DVec3::new(x[3], x[4], x[5])]
}

/// Leaves in a block's row or column only what the plane allows.
fn flatten(x: &mut Six) {
    (x[2], x[3], x[4]) = (0.0, 0.0, 0.0);
}

/// Leaves in a block only what the plane allows.
fn level(block: &mut Block) {
    block.iter_mut().for_each(flatten);
    for row in [2, 3, 4] {
        block[row] = [0.0; 6];
    }
}

/// The components of a gradient on one body, as far as it can move.
fn components(gradient: &Gradient, side: usize, planar: bool) -> Six {
    let mut own = gradient.of(side);
    if planar {
        flatten(&mut own);
    }
    own
}

fn root(parent: &mut [usize], mut b: usize) -> usize {
    while parent[b] != b {
        parent[b] = parent[parent[b]];
        b = parent[b];
    }
    b
}

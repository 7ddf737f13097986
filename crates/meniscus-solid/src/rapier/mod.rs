//! Rapier as a second engine behind [`RigidEngine`].
//!
//! It shows that the seam takes a black box, and is the peer to compare with. Bodies are the same [`BodyParams`]; what
//! Rapier cannot do is an error.
//!
//! **Departures** from what [`RigidBodies`](crate::RigidBodies) does: meshes are their convex parts if they have any, else
//! bare triangles; rolling and spinning friction are left out; of containers there are boxes only. Bodies enter and are let
//! go at the beginning of the first step at or after their time.

mod convert;
mod joints;
mod support;

use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, Dimension, Mobility, Twist, Wrench};
use meniscus_geometry::{MassProperties, Pose};
use rapier3d_f64::prelude::{PhysicsWorld, RigidBody, RigidBodyBuilder, RigidBodyHandle, RigidBodyType};
use serde::{Deserialize, Serialize};

use crate::script::Kinematics;
use crate::{BodyParams, JointParams, RigidEngine, SolidError, SolidReport};
use support::Support;

/// How Rapier simulates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RapierParams {
    /// Gravity `[m/s^2]`.
    pub gravity: DVec3,
    /// In space, or in the plane z = 0 with rotations about z.
    pub dimension: Dimension,
    /// Length of the steps into which [`RigidEngine::advance`] divides its time, at most `[s]`.
    pub max_step: f64,
    /// Whether fast bodies are kept from passing through others.
    pub continuous: bool,
    /// Whether joints are those of multibodies, which have no coordinates but those that joints leave free. A joint that closes a
    /// loop is then left out.
    pub multibody: bool,
}

impl Default for RapierParams {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            dimension: Dimension::Three,
            max_step: 1.0 / 60.0,
            continuous: true,
            multibody: false,
        }
    }
}

/// Bodies that Rapier moves.
pub struct RapierBodies {
    params: RapierParams,
    body: Vec<BodyParams>,
    state: State,
    /// The bytes of the state before the last step.
    before: Option<Vec<u8>>,
    load: Vec<Wrench>,
    /// Length of the step that has begun `[s]`.
    dt: f64,
}

/// All that a restart needs.
#[derive(Serialize, Deserialize)]
struct State {
    time: f64,
    handle: Vec<RigidBodyHandle>,
    world: PhysicsWorld,
    support: Vec<Support>,
    removed: Vec<bool>,
}

impl std::fmt::Debug for RapierBodies {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "RapierBodies({} bodies, t = {} s)", self.body.len(), self.state.time)
    }
}

impl RapierBodies {
    /// Bodies in the states that they start in.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] that names the first body, joint or parameter that makes no sense;
    /// [`SolidError::Unsupported`] names what Rapier cannot do.
    pub fn new(
        params: RapierParams,
        bodies: Vec<BodyParams>,
        joints: &[JointParams],
    ) -> Result<Self, SolidError> {
        if !(params.gravity.is_finite() && params.max_step > 0.0 && params.max_step.is_finite()) {
            let what = format!("{params:?}");
            return Err(SolidError::invalid(
                "rapier",
                what,
                "finite gravity, and a positive, finite max_step",
            ));
        }
        let mut world = PhysicsWorld::new();
        world.gravity = params.gravity;
        let mut handle = Vec::with_capacity(bodies.len());
        for (k, body) in bodies.iter().enumerate() {
            let place = body.label(k);
            body.check(&place, params.dimension)?;
            let collider = convert::collider(body, &place)?;
            handle.push(world.insert(convert::rigid_body(body, &params), collider).0);
        }
        for (k, joint) in joints.iter().enumerate() {
            joint.check(&format!("joint {k}"), &bodies)?;
        }
        connect(&mut world, &params, &bodies, &handle, joints);
        let load = vec![Wrench::default(); bodies.len()];
        let support = vec![Support::default(); bodies.len()];
        let removed = vec![false; bodies.len()];
        let state = State { time: 0.0, handle, world, support, removed };
        Ok(Self { params, body: bodies, state, before: None, load, dt: 0.0 })
    }

    fn rapier_body(&self, body: BodyId) -> Option<&RigidBody> {
        self.state.world.bodies.get(*self.state.handle.get(body.0 as usize)?)
    }

    fn not_finite(&self, body: usize) -> SolidError {
        SolidError::NotFinite { body: BodyId(body as u32), name: self.body[body].label(body) }
    }

    /// The motion of each body's centre of mass.
    fn twists(&self) -> Vec<Twist> {
        let of = |k: u32| {
            let now = self.kinematics(BodyId(k));
            let centre = self.rapier_body(BodyId(k)).map_or(DVec3::ZERO, RigidBody::center_of_mass);
            Twist { linear: now.velocity_at(centre), angular: now.angular_velocity }
        };
        (0..self.body.len() as u32).map(of).collect()
    }

    /// Notes what a step of length `dt` `[s]` has shown of the forces that are neither gravity nor loads; `expected` is what
    /// motions would have become with these alone.
    fn observe(&mut self, dt: f64, expected: &[Twist]) {
        let after = self.twists();
        for (k, (after, expected)) in after.iter().zip(expected).enumerate() {
            if self.matter(BodyId(k as u32)).is_some() {
                let Twist { linear, angular } = *after - *expected;
                self.state.support[k].observe(Twist { linear: linear / dt, angular: angular / dt });
            }
        }
    }

    /// Before a step from `begin` to `end` `[s]`: lets bodies enter and go, leads those that follow a motion, and applies loads,
    /// of whose time the step is the given share.
    fn prepare(&mut self, share: f64, begin: f64, end: f64) {
        let State { handle, world, removed, .. } = &mut self.state;
        for (((body, handle), load), removed) in self.body.iter().zip(handle).zip(&self.load).zip(removed) {
            let Some(rigid) = world.bodies.get_mut(*handle) else { continue };
            if *removed || !body.schedule.is_present(begin) {
                continue;
            }
            if !rigid.is_enabled() {
                rigid.set_enabled(true);
            }
            if let Some(motion) = body.prescribed_motion(begin) {
                let pose = motion.at(&body.pose, end).pose;
                rigid.set_next_kinematic_position(convert::pose(&pose));
                continue;
            }
            let Some(mass) = body.mass_properties(begin) else { continue };
            if let (Some(kinematic), false) = (&body.schedule.kinematic, rigid.is_dynamic()) {
                let state = body.follow(&kinematic.motion, begin);
                rigid.set_body_type(RigidBodyType::Dynamic, true);
                rigid.set_linvel(state.velocity, true);
                rigid.set_angvel(state.angular_velocity, true);
            }
            if body.schedule.mass.is_some() {
                rigid.set_additional_mass_properties(convert::mass_properties(&mass), true);
            }
            if *load != Wrench::default() {
                let torque = load.about(rigid.center_of_mass());
                rigid.apply_impulse(share * load.impulse, true);
                rigid.apply_torque_impulse(share * torque, true);
            }
        }
    }
}

/// Adds the joints; those to the scene itself hold on to a body without a shape.
fn connect(
    world: &mut PhysicsWorld,
    params: &RapierParams,
    bodies: &[BodyParams],
    handle: &[RigidBodyHandle],
    joints: &[JointParams],
) {
    if joints.is_empty() {
        return;
    }
    let scene = world.insert_body(RigidBodyBuilder::fixed());
    let find = |body: Option<BodyId>| {
        let k = body?.0 as usize;
        let (body, handle) = (bodies.get(k)?, handle.get(k)?);
        Some((*handle, body.start(params.dimension).pose(body.centre())))
    };
    for joint in joints {
        let Some((first, pose)) = find(Some(joint.first)) else { continue };
        let (second, other) = find(joint.second).unwrap_or((scene, Pose::IDENTITY));
        let own = joints::joint(joint, [pose, other]);
        if params.multibody {
            world.insert_multibody_joint(second, first, own);
        } else {
            world.insert_impulse_joint(second, first, own);
        }
    }
}

impl RigidEngine for RapierBodies {
    fn count(&self) -> usize {
        self.body.len()
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn kinematics(&self, body: BodyId) -> Kinematics {
        let Some(rigid) = self.rapier_body(body) else { return Kinematics::at_rest(Pose::IDENTITY) };
        let pose = Pose { translation: rigid.position().translation, rotation: rigid.position().rotation };
        if !self.is_present(body) {
            return Kinematics::at_rest(pose);
        }
        let angular_velocity = rigid.angvel();
        let velocity = rigid.linvel() + angular_velocity.cross(pose.translation - rigid.center_of_mass());
        Kinematics { pose, velocity, angular_velocity }
    }

    fn matter(&self, body: BodyId) -> Option<MassProperties> {
        if self.is_removed(body) {
            None
        } else {
            self.body.get(body.index())?.mass_properties(self.state.time)
        }
    }

    fn is_present(&self, body: BodyId) -> bool {
        let entered = self.body.get(body.index()).is_some_and(|b| b.schedule.is_present(self.state.time));
        entered && !self.is_removed(body)
    }

    fn remove(&mut self, body: BodyId) {
        let State { handle, world, removed, .. } = &mut self.state;
        if let (Some(handle), Some(removed)) = (handle.get(body.index()), removed.get_mut(body.index())) {
            *removed = true;
            if let Some(rigid) = world.bodies.get_mut(*handle) {
                rigid.set_enabled(false);
            }
        }
    }

    fn is_removed(&self, body: BodyId) -> bool {
        self.state.removed.get(body.index()).copied().unwrap_or(false)
    }

    fn apply(&mut self, body: BodyId, load: Wrench) {
        if let Some(sum) = self.load.get_mut(body.0 as usize) {
            *sum += load;
        }
    }

    fn mobility(&self, body: BodyId) -> Mobility {
        let (Some(rigid), Some(params)) = (self.rapier_body(body), self.body.get(body.index())) else {
            return Mobility::default();
        };
        let Some(mass) = params.mass_properties(self.state.time) else { return Mobility::default() };
        let inverse = mass.inertia.inverse();
        let rotation = rigid.position().rotation;
        let own = crate::rigid::body::InverseMass::new(&mass, &inverse, rotation, self.params.dimension);
        Mobility { linear: DMat3::from_diagonal(own.mass), angular: own.inertia, lever: DMat3::ZERO }
    }

    fn begin_response(&mut self, dt: f64) {
        self.dt = dt;
    }

    /// Rapier cannot be asked before a step, so what it will do is guessed: see `Support`.
    fn respond(&mut self, loads: &[Wrench], result: &mut Vec<Twist>) {
        let dt = self.dt;
        result.clear();
        result.extend((0..self.body.len()).map(|k| {
            let body = BodyId(k as u32);
            if self.matter(body).is_none() {
                return Twist::default();
            }
            let lasting = self.state.support[k].lasting();
            let mut twist = self.response(body, loads[k]);
            twist.linear += dt * (self.params.gravity + lasting.linear);
            twist.angular += dt * lasting.angular;
            twist
        }));
    }

    fn advance(&mut self, dt: f64) -> Result<SolidReport, SolidError> {
        if !(dt.is_finite() && dt > 0.0 && dt / self.params.max_step < 1e6) {
            let allowed = "a positive, finite time of less than a million steps";
            return Err(SolidError::invalid("advance", format!("dt = {dt} s"), allowed));
        }
        if let Some(k) = self.load.iter().position(|l| !(l.impulse + l.angular_impulse).is_finite()) {
            self.load.fill(Wrench::default());
            return Err(self.not_finite(k));
        }
        // Rounding must not turn a time of exactly so many steps into one more.
        let steps = (dt / self.params.max_step - 1e-9).ceil().max(1.0);
        let fall = Twist { linear: dt * self.params.gravity, angular: DVec3::ZERO };
        let answer =
            |(k, twist): (usize, Twist)| twist + self.response(BodyId(k as u32), self.load[k]) + fall;
        let expected: Vec<Twist> = self.twists().into_iter().enumerate().map(answer).collect();
        let start = self.state.time;
        self.state.world.integration_parameters.dt = dt / steps;
        for k in 1..=steps as u32 {
            let moment = |k: u32| start + dt * f64::from(k) / steps;
            self.prepare(1.0 / steps, moment(k - 1), moment(k));
            self.state.world.step();
        }
        self.load.fill(Wrench::default());
        self.state.time = start + dt;
        let broken = |k: &u32| !self.kinematics(BodyId(*k)).velocity.is_finite();
        if let Some(k) = (0..self.body.len() as u32).find(broken) {
            return Err(self.not_finite(k as usize));
        }
        self.observe(dt, &expected);
        Ok(SolidReport { substeps: steps as u32, ..SolidReport::default() })
    }

    // Rapier's world can be written, but not copied.
    fn mark(&mut self) -> Result<(), SolidError> {
        self.before = Some(self.save()?);
        Ok(())
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        let before = self.before.take().ok_or_else(crate::rigid::engine::nothing_to_undo)?;
        self.restore(&before)
    }

    fn save(&self) -> Result<Vec<u8>, SolidError> {
        postcard::to_stdvec(&self.state).map_err(|e| SolidError::State(e.to_string()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), SolidError> {
        let state: State = postcard::from_bytes(bytes).map_err(|e| SolidError::State(e.to_string()))?;
        let columns = [state.handle.len(), state.support.len(), state.removed.len()];
        if columns.iter().any(|n| *n != self.body.len()) {
            let what = format!("it has {} bodies, the scene {}", state.handle.len(), self.body.len());
            return Err(SolidError::State(what));
        }
        self.state = state;
        Ok(())
    }
}

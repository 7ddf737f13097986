//! Rapier as a second engine behind [`Solids`].
//!
//! It shows that the seam takes a black box, and is the peer to compare with. Bodies are the same [`BodyParams`]; what
//! Rapier cannot do is an error.
//!
//! **Departures** from what [`RigidBodies`](crate::RigidBodies) does: meshes are their convex parts if they have any, else
//! bare triangles; rolling and spinning friction are left out; of containers there are boxes only. Bodies enter and are let
//! go at the beginning of the first step at or after their time.

mod convert;
mod joints;

use glam::DVec3;
use meniscus_core::{BodyId, Dimension, Twist, Wrench};
use meniscus_geometry::{MassProperties, Pose};
use rapier3d_f64::prelude::{PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, RigidBodyType};
use serde::{Deserialize, Serialize};

use crate::script::Kinematics;
use crate::solids::{SolidReport, Solids};
use crate::{BodyParams, JointParams, SolidError};

/// How Rapier simulates.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RapierParams {
    /// Gravity `[m/s^2]`.
    pub gravity: DVec3,
    /// In space, or in the plane z = 0 with rotations about z.
    pub dimension: Dimension,
    /// Length of the steps into which [`Solids::advance`] divides its time, at most `[s]`.
    pub max_step: f64,
    /// Whether fast bodies are kept from passing through others.
    pub continuous: bool,
}

impl Default for RapierParams {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            dimension: Dimension::Three,
            max_step: 1.0 / 60.0,
            continuous: true,
        }
    }
}

/// Bodies that Rapier moves.
pub struct RapierBodies {
    params: RapierParams,
    body: Vec<BodyParams>,
    state: State,
    load: Vec<Wrench>,
}

/// All that a restart needs.
#[derive(Serialize, Deserialize)]
struct State {
    time: f64,
    handle: Vec<RigidBodyHandle>,
    world: PhysicsWorld,
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
            let place = format!("body {k}");
            body.check(&place, params.dimension)?;
            let collider = convert::collider(body, &place)?;
            handle.push(world.insert(convert::rigid_body(body, &params), collider).0);
        }
        for (k, joint) in joints.iter().enumerate() {
            joint.check(&format!("joint {k}"), &bodies)?;
        }
        connect(&mut world, &params, &bodies, &handle, joints);
        let load = vec![Wrench::default(); bodies.len()];
        Ok(Self { params, body: bodies, state: State { time: 0.0, handle, world }, load })
    }

    fn rapier_body(&self, body: BodyId) -> Option<&rapier3d_f64::prelude::RigidBody> {
        self.state.world.bodies.get(*self.state.handle.get(body.0 as usize)?)
    }

    /// Before a step from `begin` to `end` `[s]`: lets bodies enter and go, leads those that follow a motion, and applies loads,
    /// of whose time the step is the given share.
    fn prepare(&mut self, share: f64, begin: f64, end: f64) {
        let State { handle, world, .. } = &mut self.state;
        for ((body, handle), load) in self.body.iter().zip(handle).zip(&self.load) {
            let Some(rigid) = world.bodies.get_mut(*handle) else { continue };
            if !body.schedule.is_present(begin) {
                continue;
            }
            if !rigid.is_enabled() {
                rigid.set_enabled(true);
            }
            if let Some(motion) = body.led(begin) {
                let pose = motion.at(&body.pose, end).pose;
                rigid.set_next_kinematic_position(convert::pose(&pose));
                continue;
            }
            let Some(matter) = body.matter(begin) else { continue };
            if let (Some(lead), false) = (&body.schedule.lead, rigid.is_dynamic()) {
                let state = body.follow(&lead.motion, begin);
                rigid.set_body_type(RigidBodyType::Dynamic, true);
                rigid.set_linvel(state.velocity, true);
                rigid.set_angvel(state.angular_velocity, true);
            }
            if body.schedule.mass.is_some() {
                rigid.set_additional_mass_properties(convert::matter(&matter), true);
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
        world.insert_impulse_joint(second, first, joints::joint(joint, [pose, other]));
    }
}

impl Solids for RapierBodies {
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
        self.body.get(body.0 as usize)?.matter(self.state.time)
    }

    fn is_present(&self, body: BodyId) -> bool {
        self.body.get(body.0 as usize).is_some_and(|b| b.schedule.is_present(self.state.time))
    }

    fn apply(&mut self, body: BodyId, load: Wrench) {
        if let Some(sum) = self.load.get_mut(body.0 as usize) {
            *sum += load;
        }
    }

    fn response(&self, body: BodyId, load: Wrench) -> Twist {
        let (Some(rigid), Some(params)) = (self.rapier_body(body), self.body.get(body.0 as usize)) else {
            return Twist::default();
        };
        let Some(mass) = params.matter(self.state.time) else { return Twist::default() };
        let inverse = mass.inertia.inverse();
        let mobility = crate::rigid::body::InverseMass::new(
            &mass,
            &inverse,
            rigid.position().rotation,
            self.params.dimension,
        );
        let torque = load.about(rigid.center_of_mass());
        Twist { linear: mobility.mass * load.impulse, angular: mobility.inertia * torque }
    }

    fn advance(&mut self, dt: f64) -> Result<SolidReport, SolidError> {
        if !(dt.is_finite() && dt > 0.0 && dt / self.params.max_step < 1e6) {
            let allowed = "a positive, finite time of less than a million steps";
            return Err(SolidError::invalid("advance", format!("dt = {dt} s"), allowed));
        }
        if let Some(k) = self.load.iter().position(|l| !(l.impulse + l.angular_impulse).is_finite()) {
            self.load.fill(Wrench::default());
            return Err(SolidError::NotFinite { body: BodyId(k as u32) });
        }
        // Rounding must not turn a time of exactly so many steps into one more.
        let steps = (dt / self.params.max_step - 1e-9).ceil().max(1.0);
        let start = self.state.time;
        self.state.world.integration_parameters.dt = dt / steps;
        for k in 1..=steps as u32 {
            let moment = |k: u32| start + dt * f64::from(k) / steps;
            self.prepare(1.0 / steps, moment(k - 1), moment(k));
            self.state.world.step();
        }
        self.load.fill(Wrench::default());
        self.state.time = start + dt;
        match (0..self.body.len() as u32).find(|k| !self.kinematics(BodyId(*k)).velocity.is_finite()) {
            Some(k) => Err(SolidError::NotFinite { body: BodyId(k) }),
            None => Ok(SolidReport { substeps: steps as u32, ..SolidReport::default() }),
        }
    }

    fn save(&self) -> Result<Vec<u8>, SolidError> {
        postcard::to_stdvec(&self.state).map_err(|e| SolidError::State(e.to_string()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), SolidError> {
        let state: State = postcard::from_bytes(bytes).map_err(|e| SolidError::State(e.to_string()))?;
        if state.handle.len() != self.body.len() {
            let what = format!("it has {} bodies, the scene {}", state.handle.len(), self.body.len());
            return Err(SolidError::State(what));
        }
        self.state = state;
        Ok(())
    }
}

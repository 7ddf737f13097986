//! All rigid bodies of a scene: the engine behind [`RigidEngine`].

use std::sync::Arc;

use glam::{DMat3, DVec3};
use meniscus_core::{BodyId, Dimension, Mobility, Twist, Wrench};
use meniscus_geometry::MassProperties;
use serde::{Deserialize, Serialize};

use super::engine::{RigidEngine, nothing_to_undo};
use crate::rigid::body::{BodyType, InverseMass};
use crate::rigid::contact_cache::ContactCache;
use crate::rigid::detect::proximity::ProximityCache;
use crate::rigid::joint::JointFrame;
use crate::rigid::mechanism::Mechanism;
use crate::rigid::mobility::Mobilities;
use crate::rigid::step::Prediction;
use crate::script::Kinematics;
use crate::{BodyParams, BodyState, JointParams, SolidError};
use meniscus_core::SolidReport;

/// The most bodies and joints `[1]`.
const MAX_BODIES: usize = 1 << 24;

/// How rigid bodies are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RigidParams {
    /// Gravity `[m/s^2]`.
    pub gravity: DVec3,
    /// In space, or in the plane z = 0 with rotations about z.
    pub dimension: Dimension,
    /// Times that all colliding pairs are processed `[1]`.
    pub collision_iterations: u32,
    /// Sweeps through all contacts; small groups of bodies are swept more often `[1]`. With zero, only shock propagation
    /// holds bodies apart, and nothing feels the weight of what lies on it.
    pub contact_sweeps: u32,
    /// Restitution of the first contact sweep, from which it rises to zero `[1]`.
    pub first_restitution: f64,
    /// Passes over each level in shock propagation; zero leaves it out `[1]`.
    pub shock_passes: u32,
    /// Passes over each level when overlaps are pushed apart; zero leaves it out `[1]`.
    pub push_passes: u32,
    /// Into how many substeps a step may be divided so that nothing passes through anything `[1]`.
    pub max_substeps: u32,
}

impl Default for RigidParams {
    fn default() -> Self {
        Self {
            gravity: DVec3::new(0.0, -9.81, 0.0),
            dimension: Dimension::Three,
            collision_iterations: 5,
            contact_sweeps: 10,
            first_restitution: -0.9,
            shock_passes: 4,
            push_passes: 4,
            max_substeps: 1000,
        }
    }
}

/// All of the bodies that a restart needs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RigidState {
    /// Simulated time `[s]`.
    pub time: f64,
    /// Substeps so far `[1]`.
    pub substep: u64,
    /// The bodies.
    pub body: Vec<BodyState>,
    /// Which of them were removed.
    pub(crate) removed: Vec<bool>,
    /// Contact and joint impulses of the last substep.
    pub(crate) contact_cache: ContactCache,
    /// The order in which collisions are processed, and the random number that shuffles it.
    pub(crate) order: Vec<u32>,
    pub(crate) random: u64,
}

/// Rigid bodies that collide, slide, roll and stack, and joints between them.
#[derive(Debug)]
pub struct RigidBodies {
    pub(crate) params: RigidParams,
    pub(crate) body: Vec<BodyParams>,
    pub(crate) precomputed: Vec<Precomputed>,
    pub(crate) joint: Vec<JointFrame>,
    /// Pairs of jointed bodies that do not collide, in ascending order.
    pub(crate) excluded_pairs: Vec<[u32; 2]>,
    pub(crate) jointed: Vec<bool>,
    pub(crate) state: RigidState,
    /// Before the last step, as long as that can be undone.
    before: Option<RigidState>,
    pub(crate) load: Vec<Wrench>,
    /// Scratch: what was near whom.
    pub(crate) proximity: ProximityCache,
    /// Scratch: the mechanisms that joints make of bodies if those are movable.
    pub(crate) mechanism: Vec<Arc<Mechanism>>,
    pub(crate) movable: Vec<bool>,
    /// Scratch: the mobilities of this moment, once somebody has asked.
    pub(crate) mobilities: Mobilities,
    /// Scratch: the step to come.
    pub(crate) prediction: Prediction,
}

/// What is known of a body once and for all.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precomputed {
    /// Inverse inertia in its own frame; zero if it is not dynamic `[1/(kg m^2)]`.
    pub inverse: DMat3,
    /// Radius of the ball around its centre of mass that contains it `[m]`.
    pub radius: f64,
}

impl RigidBodies {
    /// Bodies and joints in the states that they start in.
    ///
    /// # Errors
    /// [`SolidError::Invalid`] that names the first body, joint or parameter that makes no sense.
    pub fn new(
        params: RigidParams,
        bodies: Vec<BodyParams>,
        joints: &[JointParams],
    ) -> Result<Self, SolidError> {
        check(&params, bodies.len() + joints.len())?;
        for (k, body) in bodies.iter().enumerate() {
            body.check(&body.label(k), params.dimension)?;
        }
        for (k, joint) in joints.iter().enumerate() {
            joint.check(&format!("joint {k}"), &bodies)?;
        }
        let start: Vec<BodyState> = bodies.iter().map(|b| b.start(params.dimension)).collect();
        let joint: Vec<JointFrame> = joints.iter().map(|j| JointFrame::new(j, &start)).collect();
        let mut excluded_pairs: Vec<[u32; 2]> =
            joints.iter().filter(|j| !j.collide).filter_map(both).collect();
        excluded_pairs.sort_unstable();
        let mut jointed = vec![false; bodies.len()];
        for body in joint.iter().flat_map(|j| j.body).flatten() {
            jointed[body as usize] = true;
        }
        let state = RigidState {
            time: 0.0,
            substep: 0,
            removed: vec![false; start.len()],
            body: start,
            contact_cache: ContactCache::default(),
            order: (0..bodies.len() as u32).collect(),
            random: 0x9e37_79b9_7f4a_7c15,
        };
        let precomputed = bodies.iter().map(|b| Precomputed::new(b, params.dimension)).collect();
        let load = vec![Wrench::default(); bodies.len()];
        let proximity = ProximityCache::default();
        let mut new = Self {
            params,
            body: bodies,
            precomputed,
            joint,
            excluded_pairs,
            jointed,
            state,
            before: None,
            load,
            proximity,
            mechanism: Vec::new(),
            movable: Vec::new(),
            mobilities: Mobilities::default(),
            prediction: Prediction::default(),
        };
        new.find_mechanisms();
        Ok(new)
    }

    /// How they are simulated.
    #[must_use]
    pub fn params(&self) -> &RigidParams {
        &self.params
    }

    /// The bodies as they are described.
    #[must_use]
    pub fn bodies(&self) -> &[BodyParams] {
        &self.body
    }

    /// The state.
    #[must_use]
    pub fn state(&self) -> &RigidState {
        &self.state
    }

    /// Continues from a saved state.
    ///
    /// # Errors
    /// [`SolidError::State`] if it belongs to other bodies or is not finite.
    pub fn set_state(&mut self, state: RigidState) -> Result<(), SolidError> {
        let count = self.body.len();
        if state.body.len() != count
            || state.removed.len() != count
            || !state.contact_cache.fits(count, self.joint.len())
        {
            return Err(SolidError::State(format!("it has {} bodies, the scene {count}", state.body.len())));
        }
        let mut sorted = state.order.clone();
        sorted.sort_unstable();
        if !sorted.into_iter().eq(0..count as u32) {
            return Err(SolidError::State("its order of bodies is damaged".into()));
        }
        let whole = |b: &BodyState| b.is_finite() && b.rotation.is_normalized();
        if !state.time.is_finite() || !state.body.iter().all(whole) {
            return Err(SolidError::State("a position or velocity is not finite".into()));
        }
        self.state = state;
        self.mobilities = Mobilities::default();
        self.find_mechanisms();
        Ok(())
    }

    /// Total momentum `[kg m/s]` and angular momentum about the origin `[kg m^2/s]` of all dynamic bodies.
    #[must_use]
    pub fn momentum(&self) -> (DVec3, DVec3) {
        let mut total = (DVec3::ZERO, DVec3::ZERO);
        for (k, state) in self.state.body.iter().enumerate() {
            if let Some(mass) = self.matter_of(k) {
                let linear = mass.mass * state.velocity;
                let local = state.rotation.conjugate() * state.angular_velocity;
                total.0 += linear;
                total.1 += state.position.cross(linear) + state.rotation * (mass.inertia * local);
            }
        }
        total
    }

    /// Kinetic energy of all dynamic bodies `[J]`.
    #[must_use]
    pub fn kinetic_energy(&self) -> f64 {
        let energy = |(k, state): (usize, &BodyState)| {
            let Some(mass) = self.matter_of(k) else { return 0.0 };
            let local = state.rotation.conjugate() * state.angular_velocity;
            0.5 * (mass.mass * state.velocity.length_squared() + local.dot(mass.inertia * local))
        };
        self.state.body.iter().enumerate().map(energy).sum()
    }

    pub(crate) fn inverse_mass(&self, body: usize) -> InverseMass {
        let params = &self.body[body];
        let (Some(mass), BodyType::Dynamic(given)) = (self.matter_of(body), &params.kind) else {
            return InverseMass::NONE;
        };
        // Exactly the same inverse for bodies whose mass does not change.
        let inverse = self.precomputed[body].inverse * (given.mass / mass.mass);
        InverseMass::new(&mass, &inverse, self.state.body[body].rotation, self.params.dimension)
    }

    /// The matter of a body that is dynamic now.
    fn matter_of(&self, body: usize) -> Option<MassProperties> {
        if self.state.removed[body] { None } else { self.body[body].mass_properties(self.state.time) }
    }

    /// Whether a body is dynamic now: one that follows a motion until it is released, has not entered or was removed, is not.
    pub(crate) fn is_dynamic(&self, body: usize) -> bool {
        self.matter_of(body).is_some()
    }

    /// Whether a body is there now: it has entered, and was not removed.
    pub(crate) fn is_there(&self, body: usize) -> bool {
        !self.state.removed[body] && self.body[body].schedule.is_present(self.state.time)
    }
}

impl Precomputed {
    fn new(body: &BodyParams, dimension: Dimension) -> Self {
        let bounds = body.shape.bounds;
        let centre = body.centre();
        let radius = (bounds.max - centre).abs().max((bounds.min - centre).abs()).length();
        let inverse = match &body.kind {
            BodyType::Dynamic(mass) if dimension == Dimension::Three => mass.inertia.inverse(),
            _ => DMat3::ZERO,
        };
        Self { inverse, radius }
    }
}

impl RigidEngine for RigidBodies {
    fn count(&self) -> usize {
        self.body.len()
    }

    fn time(&self) -> f64 {
        self.state.time
    }

    fn kinematics(&self, body: BodyId) -> Kinematics {
        let k = body.0 as usize;
        let (Some(params), Some(state)) = (self.body.get(k), self.state.body.get(k)) else {
            return Kinematics::at_rest(meniscus_geometry::Pose::IDENTITY);
        };
        let pose = state.pose(params.centre());
        if !self.is_there(k) {
            return Kinematics::at_rest(pose);
        }
        let velocity = state.velocity_at(pose.translation);
        Kinematics { pose, velocity, angular_velocity: state.angular_velocity }
    }

    fn matter(&self, body: BodyId) -> Option<MassProperties> {
        if body.index() < self.body.len() { self.matter_of(body.index()) } else { None }
    }

    fn is_present(&self, body: BodyId) -> bool {
        body.index() < self.body.len() && self.is_there(body.index())
    }

    fn remove(&mut self, body: BodyId) {
        if let Some(removed) = self.state.removed.get_mut(body.index()) {
            *removed = true;
            self.mobilities = Mobilities::default();
            self.find_mechanisms();
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
        let k = body.0 as usize;
        if k < self.body.len() { self.mobility_of(k) } else { Mobility::default() }
    }

    fn begin_response(&mut self, dt: f64) {
        self.prepare_prediction(dt);
    }

    fn respond(&mut self, loads: &[Wrench], result: &mut Vec<Twist>) {
        self.predict_motions(loads, result);
    }

    fn advance(&mut self, dt: f64) -> Result<SolidReport, SolidError> {
        self.before = Some(self.state.clone());
        self.mobilities = Mobilities::default();
        let result = self.advance_by(dt);
        self.load.fill(Wrench::default());
        match &result {
            Ok(_) => self.find_mechanisms(),
            Err(_) => self.undo()?,
        }
        result
    }

    fn undo(&mut self) -> Result<(), SolidError> {
        self.state = self.before.take().ok_or_else(nothing_to_undo)?;
        self.mobilities = Mobilities::default();
        self.find_mechanisms();
        Ok(())
    }

    fn save(&self) -> Result<Vec<u8>, SolidError> {
        postcard::to_stdvec(&self.state).map_err(|e| SolidError::State(e.to_string()))
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), SolidError> {
        let state = postcard::from_bytes(bytes).map_err(|e| SolidError::State(e.to_string()))?;
        self.set_state(state)
    }
}

fn both(joint: &JointParams) -> Option<[u32; 2]> {
    let (a, b) = (joint.first.0, joint.second?.0);
    Some([a.min(b), a.max(b)])
}

fn check(params: &RigidParams, things: usize) -> Result<(), SolidError> {
    let invalid = |what: String, allowed| Err(SolidError::invalid("rigid bodies", what, allowed));
    if !params.gravity.is_finite() {
        return invalid(format!("gravity = {} m/s^2", params.gravity), "finite numbers");
    }
    if !(-0.95..=0.0).contains(&params.first_restitution) {
        return invalid(format!("first_restitution = {}", params.first_restitution), "-0.95 to 0");
    }
    if params.max_substeps == 0 || things > MAX_BODIES {
        let what = format!("max_substeps = {} for {things} bodies and joints", params.max_substeps);
        return invalid(what, "one substep at least, and at most 16777216 bodies and joints");
    }
    Ok(())
}

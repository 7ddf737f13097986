//! The complete, checked description of a simulation.

use crate::solids::{SolidSet, SolidSetup};
use glam::DVec3;
use meniscus_core::{
    BodyId, Clock, Dimension, Fluid, SolidEngine, SolidError, StateError, StepContext, StepPolicy, Stops,
};
use meniscus_geometry::{Kinematics, Solid};
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{BodyParams, DeformableBody, DeformableParams, DeformableSolids, ScriptedBodies};
use meniscus_sph::{SphFluid, SphSetup, TooLarge};

/// A solid of the scene.
#[derive(Debug, Clone)]
pub struct Body {
    /// Its name, unique in the scene.
    pub name: String,
    /// Its geometry, where it is at rest.
    pub solid: Solid,
    /// How it moves, unless forces move it; see [`SolidSetup`].
    pub motion: PrescribedMotion,
    /// Whether the series has columns of its own for it.
    pub in_series: bool,
    /// The entry of the scene that it comes from; bodies of the same entry have the same shape.
    pub entry: u32,
}

impl Body {
    /// A body that never moves.
    #[must_use]
    pub fn fixed(name: &str, solid: Solid) -> Self {
        Self { name: name.to_owned(), solid, motion: PrescribedMotion::Still, in_series: true, entry: 0 }
    }

    /// Whether a script moves it.
    #[must_use]
    pub fn is_kinematic(&self) -> bool {
        !matches!(self.motion, PrescribedMotion::Still)
    }

    /// Where it is at time `t` `[s]`, and how it moves.
    #[must_use]
    pub fn at(&self, t: f64) -> Kinematics {
        self.motion.at(&self.solid.pose, t)
    }
}

/// The complete, checked description of a simulation.
#[derive(Debug, Clone)]
pub struct Setup {
    /// Plane or space.
    pub dimension: Dimension,
    /// Gravity `[m/s²]`.
    pub gravity: DVec3,
    /// How long steps are.
    pub step: StepPolicy,
    /// Moments that adaptive steps must hit.
    pub stops: Stops,
    /// Solids.
    pub bodies: Vec<Body>,
    /// Whether there is water, now or later.
    pub has_fluid: bool,
    /// The water.
    pub sph: SphSetup,
    /// How bodies move that forces and contacts move; nothing if there are none.
    pub solids: Option<SolidSetup>,
    /// Bodies that deform, numbered after the others.
    pub deformables: Vec<DeformableParams>,
}

impl Setup {
    /// Whether forces and contacts move this body.
    #[must_use]
    pub fn is_dynamic(&self, body: usize) -> bool {
        self.solids.as_ref().and_then(|s| s.bodies.get(body)).is_some_and(BodyParams::is_dynamic)
    }

    /// Whether forces move any solid.
    #[must_use]
    pub fn has_dynamics(&self) -> bool {
        self.solids.is_some() || !self.deformables.is_empty()
    }

    /// A step that begins at this moment.
    pub(crate) fn context(&self, clock: Clock) -> StepContext {
        StepContext::new(clock, self.gravity, self.dimension, self.step)
    }

    /// The solids, each engine with its own.
    pub(crate) fn build_solids(&self) -> Result<SolidSet, SetupError> {
        let engine: Box<dyn SolidEngine> = if let Some(setup) = &self.solids {
            setup.build()?
        } else {
            let scripts = self.bodies.iter().map(|body| (body.motion.clone(), body.solid.pose));
            Box::new(ScriptedBodies::new(scripts.collect()))
        };
        let mut set = SolidSet::of(engine);
        if !self.deformables.is_empty() {
            let bodies = (0..).zip(&self.deformables);
            let bodies: Result<Vec<_>, _> =
                bodies.map(|(k, params)| DeformableBody::new(params.clone(), BodyId(k))).collect();
            set.add(Box::new(DeformableSolids::new(bodies?, self.gravity)));
        }
        Ok(set)
    }

    /// The fluids at their start, around solids where they are. Takes the initial fluid out of the setup.
    pub(crate) fn build_fluids(&mut self, solids: &SolidSet) -> Result<Vec<Box<dyn Fluid>>, SetupError> {
        if !self.has_fluid {
            return Ok(Vec::new());
        }
        let step = self.context(Clock::default());
        let initial = std::mem::take(&mut self.sph.initial);
        let setup = SphSetup { initial, ..self.sph.clone() };
        Ok(vec![Box::new(SphFluid::new(setup, solids, &step)?)])
    }

    /// The fluids of a saved state.
    pub(crate) fn restore_fluids(&mut self, parts: &[&[u8]]) -> Result<Vec<Box<dyn Fluid>>, SetupError> {
        self.sph.initial = Vec::new();
        match parts {
            [] if !self.has_fluid => Ok(Vec::new()),
            [bytes] if self.has_fluid => Ok(vec![Box::new(SphFluid::restored(self.sph.clone(), bytes)?)]),
            _ => Err(SetupError::Mismatch("it has another number of fluids")),
        }
    }
}

/// Why a setup cannot be simulated.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum SetupError {
    /// The scene is larger than the fixed-point frame.
    #[error(transparent)]
    TooLarge(#[from] TooLarge),
    /// A restored state does not fit the scene.
    #[error("the saved state does not belong to this scene: {0}")]
    Mismatch(&'static str),
    /// A fluid refuses its saved state.
    #[error(transparent)]
    State(#[from] StateError),
    /// The engine of the solids refuses its bodies, joints or saved state.
    #[error("solids: {0}")]
    Solids(#[from] SolidError),
}

//! The complete, checked description of a simulation.

use crate::solids::{SolidSet, SolidSetup};
use glam::DVec3;
use meniscus_core::{
    BodyId, Clock, Dimension, Fluid, SolidEngine, SolidError, StateError, StepContext, StepDemand,
    StepPolicy, Stops, World,
};
use meniscus_geometry::{Kinematics, Solid};
use meniscus_grid::{GridFluid, GridSetup};
use meniscus_solid::script::PrescribedMotion;
use meniscus_solid::{BodyParams, DeformableBody, DeformableParams, DeformableSolids, ScriptedBodies};
use meniscus_sph::boundary::{BodySamples, BoundaryTreatment};
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
    /// Where the scene ends.
    pub world: World,
    /// What a kilogram has of energy when it moves as fast, and is as high, as the scene can make it; infinite if energy should not be
    /// watched `[J/kg]`.
    pub specific_energy: f64,
    /// Solids.
    pub bodies: Vec<Body>,
    /// Whether there is a fluid, now or later.
    pub has_fluid: bool,
    /// The fluid, if it is on a grid: there is no water then.
    pub grid: Option<GridSetup>,
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

    /// The length of the first step, before it is cut to hit a frame `[s]`.
    #[must_use]
    pub fn first_step(&self) -> f64 {
        let fluid = self.sph.initial.iter().map(|(_, v)| v.length()).fold(0.0, f64::max);
        self.step_at(self.sph.emitters.iter().map(|e| e.speed).fold(fluid, f64::max))
    }

    /// The shortest steps to be expected: those of fluid that moves as fast as the scene can make it `[s]`.
    #[must_use]
    pub fn shortest_step(&self) -> f64 {
        let speed = (2.0 * self.specific_energy).sqrt();
        let first = self.first_step();
        if speed.is_finite() { first.min(self.step_at(speed)) } else { first }
    }

    /// The length of steps while fluid as it is at the start moves at a speed `[m/s]`.
    fn step_at(&self, speed: f64) -> f64 {
        match self.step {
            StepPolicy::Fixed { dt } => return dt,
            StepPolicy::Cfl { max, .. } if !self.has_fluid => return max,
            StepPolicy::Cfl { .. } => {}
        }
        if let Some(grid) = &self.grid {
            let demand = grid.first_demand();
            return self.step.limit(&StepDemand { speed: demand.speed.max(speed), ..demand });
        }
        let position: Vec<DVec3> = self.sph.initial.iter().map(|&(x, _)| x).collect();
        self.step.limit(&StepDemand {
            spacing: self.sph.fluid.spacing,
            speed: speed + self.sph.signal_speed(),
            acceleration: self.gravity.length(),
            stable: self.sph.stable_step(&position),
        })
    }

    /// What may help when energy comes from nowhere.
    pub(crate) fn energy_remedy(&self) -> String {
        let mut remedies = Vec::new();
        match self.step {
            StepPolicy::Fixed { dt } => {
                remedies
                    .push(format!("a shorter `time.step.dt` than {dt} s, or `time.step.method = \"cfl\"`"));
            }
            StepPolicy::Cfl { max, .. } => remedies.push(format!("a shorter `time.step.max` than {max} s")),
        }
        let repels = |s: &BodySamples| matches!(s.treatment, BoundaryTreatment::Penalty(_));
        if self.sph.samples.iter().any(repels) {
            remedies.push("a smaller `stiffness` of penalties".to_owned());
        }
        if self.has_fluid && self.sph.pressure.sound_speed().is_some() {
            remedies.push("another pressure solver than WCSPH".to_owned());
        }
        if self.solids.as_ref().is_some_and(|solids| !solids.joints.is_empty()) {
            remedies.push("joints whose bodies have more similar masses".to_owned());
        }
        format!("what may help: {}", remedies.join("; "))
    }

    /// Whether forces move any solid.
    #[must_use]
    pub fn has_dynamics(&self) -> bool {
        self.solids.is_some() || !self.deformables.is_empty()
    }

    /// A step that begins at this moment.
    pub(crate) fn context(&self, clock: Clock) -> StepContext {
        StepContext::new(clock, self.gravity, self.dimension, self.step).within(self.world)
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
        if let Some(grid) = &self.grid {
            return Ok(vec![Box::new(GridFluid::new(grid.clone(), solids))]);
        }
        let step = self.context(Clock::default());
        let initial = std::mem::take(&mut self.sph.initial);
        let setup = SphSetup { initial, ..self.sph.clone() };
        Ok(vec![Box::new(SphFluid::new(setup, solids, &step)?)])
    }

    /// The fluids of a saved state.
    pub(crate) fn restore_fluids(&mut self, parts: &[&[u8]]) -> Result<Vec<Box<dyn Fluid>>, SetupError> {
        self.sph.initial = Vec::new();
        if let (Some(grid), [bytes]) = (&self.grid, parts) {
            return Ok(vec![Box::new(GridFluid::restored(grid.clone(), bytes)?)]);
        }
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

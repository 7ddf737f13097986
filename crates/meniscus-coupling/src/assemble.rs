//! How a simulation is put together, at its start and from a saved state.

use crate::free::{Free, Support};
use crate::setup::{Body, Setup, SetupError};
use crate::simulation::{Scratch, Simulation, StepReport};
use crate::solids::Moving;
use crate::undo::Undo;
use crate::world::{Totals, World};
use glam::DVec3;
use meniscus_core::{Interface, PhaseTimers};
use meniscus_geometry::{Pose, Side};
use meniscus_sph::boundary::{
    BodyMotion, Boundary, BoundaryMethod, Completion, ForcingContacts, MappedBodies, Penalties, SampledBodies,
};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::force::{Cohesion, Viscosity};
use meniscus_sph::particles::Particles;
use meniscus_sph::source::{Emitter, EmitterState};
use meniscus_sph::wet::{FluidParams, Wet};

impl Simulation {
    /// A simulation at its start.
    ///
    /// # Errors
    /// When the scene is too large for its spacing, or the solids' engine refuses its bodies.
    pub fn new(setup: Setup) -> Result<Self, SetupError> {
        let mut particles = Particles::with_capacity(setup.initial.len());
        for &(position, velocity) in &setup.initial {
            particles.push(position, velocity);
        }
        let points = setup.samples.iter().flat_map(|s| &s.position).chain(&particles.position);
        let (min, max) = bounds(points.copied()).unwrap_or((DVec3::ZERO, DVec3::ZERO));
        let frame =
            FixedFrame::covering(min, max, setup.fluid.kernel.support_radius).ok_or(SetupError::TooLarge)?;
        let world = World {
            time: 0.0,
            step: 0,
            last_dt: 0.0,
            frame,
            particles,
            bodies: setup.bodies.iter().map(|body| body.at(0.0)).collect(),
            emitters: vec![EmitterState::default(); setup.emitters.len()],
            predicted_error: f64::INFINITY,
            prediction_gap: 0.0,
            pace: 1.0,
            support: vec![Support::default(); setup.bodies.len()],
            totals: Totals::default(),
            solids: Vec::new(),
        };
        let solids = Moving::new(setup.solids.as_ref(), None)?;
        let mut simulation = Self::assemble(setup, world, solids);
        simulation.fit_fluid();
        Ok(simulation)
    }

    /// A simulation that goes on from a saved state.
    ///
    /// # Errors
    /// When the state does not fit the setup.
    pub fn restore(setup: Setup, world: World) -> Result<Self, SetupError> {
        let columns = [
            world.particles.velocity.len(),
            world.particles.id.len(),
            world.particles.density_warm.len(),
            world.particles.divergence_warm.len(),
            world.particles.pressure.len(),
        ];
        if columns.iter().any(|&n| n != world.particles.len()) {
            return Err(SetupError::Mismatch("its columns have different lengths"));
        }
        if world.emitters.len() != setup.emitters.len() {
            return Err(SetupError::Mismatch("it has another number of emitters"));
        }
        if world.bodies.len() != setup.bodies.len() || world.support.len() != setup.bodies.len() {
            return Err(SetupError::Mismatch("it has another number of bodies"));
        }
        let solids = Moving::new(setup.solids.as_ref(), Some(&world.solids))?;
        Ok(Self::assemble(setup, world, solids))
    }

    fn assemble(mut setup: Setup, world: World, solids: Option<Moving>) -> Self {
        setup.pour();
        let mut interface = Interface::new(setup.bodies.len());
        let rest: Vec<Pose> = setup.bodies.iter().map(|body| body.solid.pose).collect();
        let mut methods: Vec<Box<dyn BoundaryMethod>> = Vec::new();
        if setup.samples.iter().any(|s| !s.position.is_empty()) {
            let FluidParams { kernel, spacing, .. } = setup.fluid;
            let sampled = SampledBodies::new(kernel, spacing, &setup.samples, &rest, &mut interface);
            methods.push(Box::new(sampled));
        }
        for maps in &setup.maps {
            let mapped = MappedBodies::new(maps.flat.clone(), maps.bodies.clone());
            methods.push(Box::new(mapped));
        }
        let boundary = Boundary::new(methods, &interface);
        let radius = setup.bodies.iter().map(Body::radius).collect();
        let container = setup.bodies.iter().map(|body| body.solid.side == Side::Container).collect();
        let bodies = world.bodies.iter().map(|&now| BodyMotion::paused(now)).collect();
        let solver = setup.pressure.solver(setup.fluid);
        let emitters = setup
            .emitters
            .iter()
            .map(|params| Emitter::new(params.clone(), setup.fluid.spacing, setup.dimension))
            .collect();
        let mut simulation = Self {
            setup,
            world,
            solids,
            interface,
            boundary,
            completion: Completion::default(),
            container,
            contacts: ForcingContacts::default(),
            penalties: Penalties::default(),
            bodies,
            free: Free::default(),
            radius,
            solver,
            emitters,
            wet: Wet::default(),
            viscosity: Viscosity::default(),
            cohesion: Cohesion::default(),
            scratch: Scratch::default(),
            undo: Undo::default(),
            timers: PhaseTimers::default(),
            report: StepReport::default(),
        };
        simulation.start_bodies();
        simulation
    }
}

/// The box around points `[m]`; nothing if there are none.
pub(crate) fn bounds(points: impl Iterator<Item = DVec3>) -> Option<(DVec3, DVec3)> {
    points.fold(None, |range, x| match range {
        None => Some((x, x)),
        Some((a, b)) => Some((a.min(x), b.max(x))),
    })
}

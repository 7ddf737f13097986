//! The step, on one page, and the simulation that takes it.

use crate::assemble::bounds;
use crate::floor::Floor;
use crate::free::Free;
use crate::outside::{Caught, Closed};
use crate::setup::{Setup, SetupError};
use crate::solids::Moving;
use crate::step_size::{Motion, StepPolicy};
use crate::undo::Undo;
use crate::world::World;
use glam::{DVec3, Vec3};
use meniscus_core::{
    BodyId, Dimension, Failure, Interface, Phase, PhaseTimers, SimulationError, Subject, reduce,
};
use meniscus_geometry::Kinematics;
use meniscus_sph::boundary::{BodyMotion, Boundary, BoundarySum, Completion, ForcingContacts, Penalties};
use meniscus_sph::fixed::FixedFrame;
use meniscus_sph::force::{Cohesion, Viscosity};
use meniscus_sph::pressure::{PressureSolver, StageReport};
use meniscus_sph::source::{Emitter, drain};
use meniscus_sph::wet::{Surroundings, Wet};
use rayon::prelude::*;
use std::borrow::Cow;
use std::time::Instant;

/// What a step did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct StepReport {
    /// Length of the step `[s]`.
    pub dt: f64,
    /// The density solve.
    pub pressure: StageReport,
    /// The divergence solve.
    pub divergence: StageReport,
    /// Mean compression at the start of the step `[1]`.
    pub density_error_mean: f64,
    /// Largest compression at the start of the step `[1]`.
    pub density_error_max: f64,
    /// How many times it was begun again with half its length.
    pub retries: u32,
}

impl StepReport {
    /// The report of a step without fluid.
    fn dry(dt: f64) -> Self {
        let done = StageReport { converged: true, ..StageReport::default() };
        Self { dt, pressure: done, divergence: done, ..Self::default() }
    }
}

/// A running simulation: description, state and scratch.
pub struct Simulation {
    pub(crate) setup: Setup,
    pub(crate) world: World,
    pub(crate) interface: Interface,
    pub(crate) boundary: Boundary,
    pub(crate) completion: Completion,
    /// Which bodies are containers.
    pub(crate) container: Vec<bool>,
    pub(crate) contacts: ForcingContacts,
    pub(crate) penalties: Penalties,
    /// How the bodies move in the current step.
    pub(crate) bodies: Vec<BodyMotion>,
    /// The engine of bodies that move freely.
    pub(crate) solids: Option<Moving>,
    /// What the current step knows of bodies that are free to move.
    pub(crate) free: Free,
    /// How far each body reaches from the origin of its frame `[m]`.
    pub(crate) radius: Vec<f64>,
    pub(crate) solver: Box<dyn PressureSolver>,
    pub(crate) emitters: Vec<Emitter>,
    pub(crate) wet: Wet,
    pub(crate) viscosity: Viscosity,
    pub(crate) cohesion: Cohesion,
    pub(crate) scratch: Scratch,
    pub(crate) undo: Undo,
    pub(crate) timers: PhaseTimers,
    pub(crate) report: StepReport,
}

#[derive(Default)]
pub(crate) struct Scratch {
    /// Velocities at the current point of the step `[m/s]`.
    pub(crate) velocity_star: Vec<[f32; 4]>,
    /// What the step has added to the velocities so far `[m/s]`.
    pub(crate) change: Vec<Vec3>,
    pub(crate) position: Vec<DVec3>,
    pub(crate) velocity: Vec<DVec3>,
    /// Particles that contacts stop.
    pub(crate) stopped: Vec<Vec<usize>>,
    /// The bodies around one of them.
    pub(crate) walls: Vec<(BodyId, BoundarySum)>,
    /// Bodies that no particle may be in, if they are such.
    pub(crate) closed: Vec<Option<Closed>>,
    /// Open tanks.
    pub(crate) floors: Vec<Floor>,
    /// Particles that would have been.
    pub(crate) caught: Vec<Caught>,
    /// Emitters that are open.
    open: Vec<usize>,
}

impl Simulation {
    /// Advances the simulation by one step.
    ///
    /// # Errors
    /// When a solve fails and the scene says to stop, or a number is not finite. The state is wholly that of the time before
    /// the step then.
    pub fn step(&mut self) -> Result<StepReport, SimulationError> {
        // In one of the pool's threads: from outside, every parallel loop would have to wake one.
        rayon::scope(|_| self.step_in_pool())
    }

    fn step_in_pool(&mut self) -> Result<StepReport, SimulationError> {
        let (mut dt, mut end) = self.timed(Phase::ChooseDt, Self::choose_dt);
        let mut retries = 0;
        while let Err(error) = self.attempt(dt, end, retries) {
            self.undo.restore(&mut self.world, self.wet.order());
            if !self.may_retry(&error, dt, retries) {
                return Err(error);
            }
            end = self.world.time + 0.5 * dt;
            dt = end - self.world.time;
            retries += 1;
        }
        self.report.retries = retries;
        self.world.time = end;
        self.world.step += 1;
        self.world.last_dt = dt;
        self.count();
        self.keep_pace();
        Ok(self.report)
    }

    /// The phases of a step up to the moment at which its result counts. When one fails, the state is in between.
    fn attempt(&mut self, dt: f64, end: f64, retries: u32) -> Result<(), SimulationError> {
        self.undo.begin(&mut self.world, !self.setup.drains.is_empty());
        self.timed(Phase::Predict, |s| s.predict(dt, end));
        if self.setup.is_dry() {
            self.report = StepReport::dry(dt);
        } else {
            self.timed(Phase::Wet, Self::find_neighbours)?;
            self.undo.note_sorted(&self.world.particles);
            self.timed(Phase::Couple, |s| s.couple(dt))?;
            self.timed(Phase::Commit, |s| s.commit(dt));
            self.timed(Phase::Check, |s| s.check(dt, retries))?;
        }
        // Solids move last, when nothing of the fluid can fail any more.
        self.timed(Phase::Commit, |s| s.advance_solids(dt))?;
        if !self.setup.is_dry() {
            self.timed(Phase::Commit, Self::follow_bodies);
        }
        self.observe_support(dt);
        self.accept();
        Ok(())
    }

    /// The step's length and the time at which it ends `[s]`.
    fn choose_dt(&mut self) -> (f64, f64) {
        let time = self.world.time;
        if let StepPolicy::Fixed { dt } = self.setup.step {
            return (dt, time + dt);
        }
        let velocity = &self.world.particles.velocity;
        let fluid_speed = reduce::max(velocity.len(), 0.0, |i| velocity[i].length_squared()).sqrt();
        let nozzle_speed = self.emitters.iter().map(Emitter::speed).fold(0.0, f64::max);
        let signal = self.setup.signal_speed();
        let motion = Motion {
            spacing: self.setup.fluid.spacing,
            speed: fluid_speed.max(nozzle_speed).max(self.wall_speed()) + signal,
            acceleration: self.setup.gravity.length(),
            stable: self.setup.stable_step(&self.world.particles.position),
        };
        let limit = match self.setup.step {
            // Solids divide a step themselves; without fluid nothing else limits it.
            StepPolicy::Cfl { max, .. } if self.setup.is_dry() => max,
            policy => policy.paced_limit(&motion, self.world.pace),
        };
        let end = self.setup.stops.step_end(time, limit);
        (end - time, end)
    }

    /// The fastest that any body moves within the fluid's reach `[m/s]`.
    fn wall_speed(&self) -> f64 {
        let speed = |(now, radius): (&Kinematics, &f64)| {
            now.velocity.length() + now.angular_velocity.length() * radius
        };
        self.world.bodies.iter().zip(&self.radius).map(speed).fold(0.0, f64::max)
    }

    /// Where bodies with a known motion will be; emitters and drains.
    fn predict(&mut self, dt: f64, end: f64) {
        self.foresee_bodies(dt, end);
        let World { time, particles, emitters, totals, .. } = &mut self.world;
        for (emitter, state) in self.emitters.iter().zip(emitters) {
            emitter.emit(state, particles, *time);
        }
        if !self.setup.drains.is_empty() {
            totals.drained += drain(particles, &self.setup.drains) as u64;
        }
    }

    /// Neighbours, boundary rows, densities.
    fn find_neighbours(&mut self) -> Result<(), SimulationError> {
        self.fit_frame()?;
        self.interface.begin_step();
        let World { frame, particles, .. } = &mut self.world;
        let mut around = Surroundings {
            boundary: &mut self.boundary,
            bodies: &self.bodies,
            interface: &mut self.interface,
            gravity: self.setup.gravity,
        };
        self.wet.rebuild(&self.setup.fluid, frame, particles, &mut around);
        let (mean, max) = self.wet.density_error();
        self.report =
            StepReport { density_error_mean: mean, density_error_max: max, ..StepReport::default() };
        let World { predicted_error, prediction_gap, last_dt, .. } = &mut self.world;
        let gap = (mean - *predicted_error) / (*last_dt * *last_dt).max(f64::MIN_POSITIVE);
        *prediction_gap = gap.max(0.95 * *prediction_gap);
        Ok(())
    }

    /// Widens the fixed-point frame when fluid is about to leave it.
    fn fit_frame(&mut self) -> Result<(), SimulationError> {
        let World { frame, particles, .. } = &mut self.world;
        let moving = self.bodies.iter().zip(&self.radius).filter(|(body, _)| body.start != body.end);
        let corners = moving.flat_map(|(body, &radius)| {
            [-radius, radius].map(|r| body.start.pose.translation + DVec3::splat(r))
        });
        if particles.position.par_iter().with_min_len(4096).all(|&x| frame.contains(x))
            && corners.clone().all(|x| frame.contains(x))
        {
            return Ok(());
        }
        let outside = particles.position.iter().position(|&x| !frame.contains(x)).unwrap_or(0);
        let points = self.interface.point.iter().map(|p| p.position);
        let points = points.chain(particles.position.iter().copied()).chain(corners);
        let wider = bounds(points).and_then(|(min, max)| FixedFrame::covering(min, max, frame.cell));
        let Some(wider) = wider else {
            let subject = particles.id.get(outside).map_or(Subject::Whole, |&id| Subject::Particle(id));
            let reason = "flew out of reach; a drain or a closed container would stop it".to_owned();
            return Err(self.error(Phase::Wet, subject, Failure::OutOfReach, reason));
        };
        *frame = wider;
        Ok(())
    }

    /// New velocities and positions, beside the old ones until they are checked.
    fn commit(&mut self, dt: f64) {
        let World { particles, emitters, time, .. } = &self.world;
        let Scratch { open, change, position, velocity, .. } = &mut self.scratch;
        open.clear();
        let states = self.emitters.iter().zip(emitters).enumerate();
        open.extend(states.filter(|(_, (emitter, state))| emitter.is_open(state, *time)).map(|(n, _)| n));
        let moved = particles.position.par_iter().zip(&particles.velocity).zip(change);
        moved
            .with_min_len(4096)
            .map(|((&x, &v), change)| {
                let prescribed = open.iter().find_map(|&n| self.emitters[n].prescribed_velocity(x));
                let v = prescribed.unwrap_or_else(|| v + change.as_dvec3());
                (x + dt * v, v)
            })
            .unzip_into_vecs(position, velocity);
        self.finish_touches(dt);
        self.keep_outside(dt);
    }

    /// Refuses new values that are not finite, or that jump.
    fn check(&mut self, dt: f64, retries: u32) -> Result<(), SimulationError> {
        self.look_for_shock(dt, retries)?;
        let Scratch { position, velocity, .. } = &self.scratch;
        // Not the first one at once: a look at all of a chunk is faster than one that may end anywhere.
        let chunks = position.par_chunks(reduce::CHUNK).zip(velocity.par_chunks(reduce::CHUNK));
        let intact = |(x, v): (&[DVec3], &[DVec3])| {
            x.iter().zip(v).fold(true, |intact, (x, v)| intact & x.is_finite() & v.is_finite())
        };
        if !chunks.all(intact) {
            let broken = |i: &usize| !(position[*i].is_finite() && velocity[*i].is_finite());
            let i = (0..position.len()).find(broken).unwrap_or_default();
            let id = self.world.particles.id[i];
            let reason =
                "its position or velocity is not a finite number; a shorter step may help".to_owned();
            return Err(self.error(Phase::Check, Subject::Particle(id), Failure::NotFinite, reason));
        }
        Ok(())
    }

    /// Takes the new values.
    fn accept(&mut self) {
        if !self.setup.is_dry() {
            std::mem::swap(&mut self.world.particles.position, &mut self.scratch.position);
            std::mem::swap(&mut self.world.particles.velocity, &mut self.scratch.velocity);
        }
        for (state, motion) in self.world.bodies.iter_mut().zip(&self.bodies) {
            *state = motion.end;
        }
    }

    fn count(&mut self) {
        let StepReport { pressure, divergence, density_error_mean, density_error_max, .. } = self.report;
        let totals = &mut self.world.totals;
        totals.particle_steps += self.world.particles.len() as u64;
        totals.pressure_sweeps += u64::from(pressure.sweeps);
        totals.divergence_sweeps += u64::from(divergence.sweeps);
        totals.density_error_sum += density_error_mean;
        totals.density_error_max = totals.density_error_max.max(density_error_max);
        totals.pressure_residual_max = totals.pressure_residual_max.max(pressure.residual);
        totals.retries += u64::from(self.report.retries);
        totals.unconverged_steps += u64::from(!(pressure.converged && divergence.converged));
    }

    fn timed<R>(&mut self, phase: Phase, work: impl FnOnce(&mut Self) -> R) -> R {
        let start = Instant::now();
        let result = work(self);
        self.timers.add_since(phase, start);
        result
    }

    pub(crate) fn error(
        &self,
        phase: Phase,
        subject: Subject,
        failure: Failure,
        reason: String,
    ) -> SimulationError {
        SimulationError { phase, step: self.world.step + 1, time: self.world.time, subject, failure, reason }
    }

    /// Finds the neighbourhoods of now: entry n of `wet` is then that of particle `wet.order()[n]`.
    pub(crate) fn look_around(&mut self) {
        let paused = |(k, &now)| BodyMotion { present: self.is_present(k), ..BodyMotion::paused(now) };
        let bodies: Vec<BodyMotion> = self.world.bodies.iter().enumerate().map(paused).collect();
        let Self { wet, boundary, interface, setup, world, .. } = self;
        let mut around = Surroundings { boundary, bodies: &bodies, interface, gravity: setup.gravity };
        wet.look_at(&setup.fluid, &world.frame, &world.particles.position, &mut around);
    }

    /// The description.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The state.
    #[must_use]
    pub fn world(&self) -> &World {
        &self.world
    }

    /// The state with all that a restart needs, for saving and for its fingerprint.
    ///
    /// # Errors
    /// When the solids' engine cannot write its state.
    pub fn state(&self) -> Result<Cow<'_, World>, SetupError> {
        let Some(moving) = &self.solids else { return Ok(Cow::Borrowed(&self.world)) };
        let solids = moving.engine.save()?;
        Ok(Cow::Owned(World { solids, ..self.world.clone() }))
    }

    /// Where fluid and solids meet, with the loads of the last step.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// What the last step did.
    #[must_use]
    pub fn last_report(&self) -> &StepReport {
        &self.report
    }

    /// The neighbourhoods of the last step, in the order of the particles; nothing before the first step.
    #[must_use]
    pub fn wet(&self) -> &Wet {
        &self.wet
    }

    /// Number of boundary particles.
    #[must_use]
    pub fn boundary_particles(&self) -> usize {
        self.boundary.particles()
    }

    /// Plane or space.
    #[must_use]
    pub fn dimension(&self) -> Dimension {
        self.setup.dimension
    }

    /// Wall time per phase since this object was made.
    #[must_use]
    pub fn timers(&self) -> &PhaseTimers {
        &self.timers
    }

    /// The timers, for observers to add their own time.
    pub fn timers_mut(&mut self) -> &mut PhaseTimers {
        &mut self.timers
    }
}

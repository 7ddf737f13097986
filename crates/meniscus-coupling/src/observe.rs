//! What can be seen of a simulation between two steps.

use crate::setup::Setup;
use crate::simulation::{Simulation, StepReport};
use crate::solids::SolidSet;
use glam::DVec3;
use meniscus_core::{
    BodyFrame, BodyId, BodyRow, Clock, DeformingFrame, Dimension, Fluid, Interface, Kinematics,
    ParticleFrame, PhaseTimers, Pose, SeriesColumns, SeriesRow, SolidMotion, SolidReport, Solids,
    StepLimiter, StepPolicy, Wrench,
};
use meniscus_geometry::Solid;
use meniscus_grid::GridFluid;
use meniscus_sph::particles::Particles;
use meniscus_sph::{FluidSums, SphFluid, SphReport, Totals};
use std::any::Any;

impl Simulation {
    /// The description.
    #[must_use]
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// How far it has come.
    #[must_use]
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Simulated time `[s]`.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// The fluids.
    #[must_use]
    pub fn fluids(&self) -> &[Box<dyn Fluid>] {
        &self.fluids
    }

    /// The first fluid of particles, if there is one.
    #[must_use]
    pub fn sph(&self) -> Option<&SphFluid> {
        self.fluids.iter().find_map(|fluid| (fluid.as_ref() as &dyn Any).downcast_ref())
    }

    /// The first fluid on a grid, if there is one.
    #[must_use]
    pub fn grid(&self) -> Option<&GridFluid> {
        self.fluids.iter().find_map(|fluid| (fluid.as_ref() as &dyn Any).downcast_ref())
    }

    /// The particles of the first fluid of particles; none without it.
    #[must_use]
    pub fn particles(&self) -> &Particles {
        static NONE: Particles = Particles::none();
        self.sph().map_or(&NONE, |sph| &sph.state().particles)
    }

    /// The running figures of that fluid; zeros without it.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.sph().map_or_else(Totals::default, |sph| sph.state().totals.clone())
    }

    /// What its last step did; zeros without it.
    #[must_use]
    pub fn sph_report(&self) -> SphReport {
        self.sph().map_or_else(SphReport::default, |sph| *sph.report())
    }

    /// What limits the length of the next step; nothing where it is fixed, or nobody can tell.
    #[must_use]
    pub fn limiter(&self) -> Option<StepLimiter> {
        let step = self.setup.context(self.clock);
        if matches!(step.policy, StepPolicy::Fixed { .. }) {
            return None;
        }
        let limiters = self.fluids.iter().filter_map(|f| f.limiter(&step.policy, &self.solids, &step));
        limiters.min_by(|a, b| a.limit.total_cmp(&b.limit))
    }

    /// Amount of fluid that has left the world so far: a number of particles.
    #[must_use]
    pub fn departed(&self) -> u64 {
        self.fluids.iter().map(|fluid| fluid.departed()).sum()
    }

    /// Whether a body has left the world.
    #[must_use]
    pub fn has_left(&self, body: usize) -> bool {
        self.solids.has_left(BodyId(body as u32))
    }

    /// Energy that no source explains, for each kilogram of what moves `[J/kg]`.
    #[must_use]
    pub fn unexplained_energy(&self) -> f64 {
        self.ledger.excess
    }

    /// The solids.
    #[must_use]
    pub fn solids(&self) -> &SolidSet {
        &self.solids
    }

    /// What fluids and solids exchanged in the last step.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// What a body has received from fluids in the last step.
    #[must_use]
    pub fn load(&self, body: usize) -> Wrench {
        self.interface.load.wrench.get(body).copied().unwrap_or_default()
    }

    /// Where a body is now and how it moves; at the origin and at rest if it has no frame.
    #[must_use]
    pub fn body(&self, body: usize) -> Kinematics {
        self.solids.kinematics(BodyId(body as u32)).unwrap_or(Kinematics::at_rest(Pose::IDENTITY))
    }

    /// Whether a body is there at this time: before it enters it is not.
    #[must_use]
    pub fn is_present(&self, body: usize) -> bool {
        self.solids.is_present(BodyId(body as u32))
    }

    /// What the last step did.
    #[must_use]
    pub fn last_report(&self) -> &StepReport {
        &self.report
    }

    /// What the solids last reported; nothing if none is dynamic.
    #[must_use]
    pub fn solid_report(&self) -> Option<&SolidReport> {
        self.setup.has_dynamics().then(|| self.solids.report())
    }

    /// Number of boundary particles.
    #[must_use]
    pub fn boundary_particles(&self) -> usize {
        self.sph().map_or(0, SphFluid::boundary_particles)
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

    /// The bodies' geometry where it is now.
    #[must_use]
    pub fn placed_solids(&self) -> Vec<Solid> {
        let placed = |(k, body): (usize, &crate::Body)| body.solid.at(self.body(k).pose);
        self.setup.bodies.iter().enumerate().map(placed).collect()
    }

    /// The columns of its series.
    #[must_use]
    pub fn series_columns(&self) -> SeriesColumns {
        let shown = self.setup.bodies.iter().filter(|body| body.in_series);
        SeriesColumns {
            fluid: self
                .fluids
                .iter()
                .flat_map(|fluid| fluid.columns())
                .map(|&name| name.to_owned())
                .collect(),
            solids: self.setup.has_dynamics(),
            deformables: !self.setup.deformables.is_empty(),
            bodies: shown.map(|body| body.name.clone()).collect(),
        }
    }

    /// Energies and momenta of the first fluid of particles; zeros without it.
    #[must_use]
    pub fn fluid_sums(&self) -> FluidSums {
        self.sph().map_or_else(FluidSums::default, |sph| sph.sums(self.setup.gravity))
    }

    /// The series row of the step that has just ended, or of the start.
    #[must_use]
    pub fn series_row(&self) -> SeriesRow {
        let step = self.setup.context(self.clock);
        let Clock { time, step: number, last_dt } = self.clock;
        let mut row = SeriesRow { step: number, time, dt: last_dt, ..SeriesRow::default() };
        self.fluids.iter().for_each(|fluid| fluid.observe(&step, &mut row.fluid));
        row.solids = self.setup.has_dynamics().then(|| self.solids.row(self.setup.gravity));
        row.deformation = self.solids.deformation();
        row.bodies = self.body_rows();
        row
    }

    fn body_rows(&self) -> Vec<BodyRow> {
        let dt = self.clock.last_dt;
        let in_series = |(k, body): (usize, &crate::Body)| body.in_series.then_some(k);
        let shown = self.setup.bodies.iter().enumerate().filter_map(in_series);
        shown
            .map(|k| {
                let (body, load) = (self.body(k), self.load(k));
                let position = body.pose.translation;
                let per_second = if dt > 0.0 { 1.0 / dt } else { 0.0 };
                let force = load.impulse * per_second;
                BodyRow {
                    position,
                    velocity: body.velocity,
                    force,
                    torque: load.angular_impulse * per_second - position.cross(force),
                    angular_velocity: body.angular_velocity,
                    tilt: (body.pose.rotation * DVec3::Y).y.clamp(-1.0, 1.0).acos().to_degrees(),
                }
            })
            .collect()
    }

    /// Where all bodies are, with the number of the mesh of each; nothing if none is dynamic.
    #[must_use]
    pub fn body_frame(&self, index: u32, mesh: &[u32]) -> Option<BodyFrame> {
        self.setup.solids.as_ref()?;
        let bodies: Vec<Kinematics> = (0..self.setup.bodies.len()).map(|k| self.body(k)).collect();
        Some(BodyFrame {
            index,
            step: self.clock.step,
            time: self.clock.time,
            present: (0..bodies.len()).map(|k| self.is_present(k)).collect(),
            mesh: mesh.to_vec(),
            position: bodies.iter().map(|b| b.pose.translation).collect(),
            rotation: bodies.iter().map(|b| b.pose.rotation).collect(),
            velocity: bodies.iter().map(|b| b.velocity).collect(),
            angular_velocity: bodies.iter().map(|b| b.angular_velocity).collect(),
        })
    }

    /// The surfaces of all deformable bodies; nothing if there are none.
    #[must_use]
    pub fn deforming_frame(&self, index: u32) -> Option<DeformingFrame> {
        if self.setup.deformables.is_empty() {
            return None;
        }
        let still = SolidMotion::paused(Kinematics::at_rest(Pose::IDENTITY));
        let mut motion = vec![still; self.solids.count()];
        self.solids.pause(&mut motion);
        let Clock { step, time, .. } = self.clock;
        let mut frame = DeformingFrame { index, step, time, ..DeformingFrame::default() };
        let mut body = 0;
        for motion in motion {
            let SolidMotion::Deforming(motion) = motion else { continue };
            let first = frame.position.len() as u32;
            frame.body.resize(frame.position.len() + motion.surface.position.len(), body);
            frame.position.extend(motion.surface.position);
            frame.velocity.extend(motion.surface.velocity);
            frame.triangle.extend(motion.surface.triangle.iter().map(|t| t.map(|n| n + first)));
            body += 1;
        }
        Some(frame)
    }

    /// Amount of fluid inside solids, outside of closed containers or under the floor of open ones: a number of particles.
    #[must_use]
    pub fn escaped(&self) -> u64 {
        let step = self.setup.context(self.clock);
        self.fluids.iter().map(|fluid| fluid.escaped(&step, &self.solids)).sum()
    }

    /// The current particles in the order of their ids, with densities at their current positions.
    ///
    /// Scratch is used for it, the state is not touched: a run with frames and one without are the same.
    pub fn frame(&mut self, index: u32) -> ParticleFrame {
        self.snapshot(index).in_order()
    }

    /// As [`Simulation::frame`], but in whatever order the particles are, which is quicker; see [`ParticleFrame::in_order`].
    pub fn snapshot(&mut self, index: u32) -> ParticleFrame {
        let step = self.setup.context(self.clock);
        let Self { fluids, solids, .. } = self;
        let empty =
            ParticleFrame { index, step: step.clock.step, time: step.clock.time, ..ParticleFrame::default() };
        fluids.first_mut().map_or(empty, |fluid| fluid.snapshot(index, &step, solids))
    }

    /// The pressure that each particle exerted in the last step, by which momentum goes through the fluid, in the order of the
    /// particles `[Pa]`. Uses scratch, as [`Simulation::frame`] does.
    pub fn pressures(&mut self) -> Vec<f32> {
        let step = self.setup.context(self.clock);
        let Self { fluids, solids, .. } = self;
        let sph =
            fluids.iter_mut().find_map(|fluid| (fluid.as_mut() as &mut dyn Any).downcast_mut::<SphFluid>());
        sph.map_or_else(Vec::new, |sph| sph.pressures(&step, solids))
    }
}

//! A fluid by itself, or around bodies that stand still: for tests and programs that need no driver of bodies.

use crate::fluid::GridFluid;
use crate::setup::GridSetup;
use glam::DVec3;
use meniscus_core::{
    BodyId, Clock, Exchange, Fluid, Interface, Kinematics, Loading, Pose, Response, RigidMotion,
    SimulationError, SolidMotion, Solids, Stage, StepContext, StepPolicy, Wrench,
};

/// Bodies that stand still.
struct Still(Vec<Pose>);

impl Solids for Still {
    fn count(&self) -> usize {
        self.0.len()
    }

    fn kinematics(&self, body: BodyId) -> Option<Kinematics> {
        self.0.get(body.index()).map(|pose| Kinematics::at_rest(*pose))
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        for (motion, pose) in motion.iter_mut().zip(&self.0) {
            *motion = SolidMotion::paused(Kinematics::at_rest(*pose));
        }
    }
}

/// A fluid around bodies that stand where their solids were put.
pub struct Alone {
    fluid: GridFluid,
    solids: Still,
    interface: Interface,
    response: Response,
    clock: Clock,
    gravity: DVec3,
}

impl Alone {
    /// The fluid at its start, in a field of `gravity` `[m/s²]`.
    #[must_use]
    pub fn new(setup: GridSetup, gravity: DVec3) -> Self {
        let pose = |body: &crate::GridBody| body.solid.as_ref().map_or(Pose::IDENTITY, |solid| solid.pose);
        let solids = Still(setup.bodies.iter().map(pose).collect());
        let interface = Interface::new(&vec![Loading::Wrench; solids.count()]);
        let fluid = GridFluid::new(setup, &solids);
        Self { fluid, solids, interface, response: Response::default(), clock: Clock::default(), gravity }
    }

    /// The fluid.
    #[must_use]
    pub fn fluid(&self) -> &GridFluid {
        &self.fluid
    }

    /// The fluid, to be given another start.
    pub fn fluid_mut(&mut self) -> &mut GridFluid {
        &mut self.fluid
    }

    /// Simulated time `[s]`.
    #[must_use]
    pub fn time(&self) -> f64 {
        self.clock.time
    }

    /// What a body has received in the last step.
    #[must_use]
    pub fn load(&self, body: usize) -> Wrench {
        self.interface.load.wrench.get(body).copied().unwrap_or_default()
    }

    /// The longest step in which nothing moves farther than `factor` cells `[s]`.
    #[must_use]
    pub fn step_limit(&self, factor: f64, longest: f64) -> f64 {
        let policy = StepPolicy::Cfl { factor, min: 0.0, max: longest, sweeps: None };
        self.fluid.step_limit(&policy, &self.solids, &self.context(policy))
    }

    fn context(&self, policy: StepPolicy) -> StepContext {
        StepContext::new(self.clock, self.gravity, self.fluid.setup().lattice.dimension(), policy)
    }

    /// Takes a step of `dt` `[s]`.
    ///
    /// # Errors
    /// If the pressure is not found, or a number is not finite. The state is then as before.
    pub fn step(&mut self, dt: f64) -> Result<(), SimulationError> {
        let step = self.context(StepPolicy::Fixed { dt }).lasting(dt, self.clock.time + dt);
        let still = |pose: &Pose| {
            let now = Kinematics::at_rest(*pose);
            SolidMotion::Rigid(RigidMotion { start: now, end: now, dt, present: true, dynamic: false })
        };
        self.interface.motion.clear();
        self.interface.motion.extend(self.solids.0.iter().map(still));
        self.interface.load.clear();
        let result = self.attempt(&step);
        if result.is_ok() {
            self.fluid.accept(&step);
            self.clock = Clock { time: step.end, step: self.clock.step + 1, last_dt: dt };
        } else {
            self.fluid.undo();
        }
        result
    }

    fn attempt(&mut self, step: &StepContext) -> Result<(), SimulationError> {
        let Self { fluid, solids, interface, response, .. } = self;
        fluid.begin(step);
        response.begin(solids, &interface.load, step.dt);
        let mut hub = Exchange { interface, response, solids };
        fluid.find_contacts(step, &mut hub)?;
        fluid.exchange(Stage::Divergence, step, &mut hub)?;
        fluid.apply_forces(step, &mut hub);
        fluid.exchange(Stage::Density, step, &mut hub)?;
        fluid.integrate(step, &mut hub);
        fluid.project(step, &mut hub);
        fluid.check(step)
    }
}

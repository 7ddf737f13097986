//! All solids of a scene: the engines that move them, as one.

use glam::DVec3;
use meniscus_core::{
    Balance, BodyId, Carrier, DeformationRow, Kinematics, Loading, Loads, MotionChange, SolidEngine,
    SolidError, SolidMotion, SolidReport, SolidRow, Solids, StepContext,
};
use meniscus_solid::{BodyParams, JointParams, RigidBodies, RigidEngine, RigidParams, RigidSolids};

/// An engine for dynamic rigid bodies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EngineChoice {
    /// Ours.
    Meniscus,
    /// Rapier, if the program was built with the feature `rapier`.
    Rapier,
}

/// Dynamic rigid bodies, those they meet, and the engine that moves them.
#[derive(Debug, Clone)]
pub struct SolidSetup {
    /// The engine.
    pub engine: EngineChoice,
    /// How our engine simulates; Rapier takes gravity and dimension from it.
    pub params: RigidParams,
    /// One for each body of the scene, in its order.
    pub bodies: Vec<BodyParams>,
    /// Joints between them.
    pub joints: Vec<JointParams>,
}

impl SolidSetup {
    /// The engine with all bodies where they start.
    ///
    /// # Errors
    /// If the engine refuses a body or a joint, or the program was built without it.
    pub fn build(&self) -> Result<Box<dyn SolidEngine>, SolidError> {
        let engine: Box<dyn RigidEngine> = match self.engine {
            EngineChoice::Meniscus => {
                Box::new(RigidBodies::new(self.params, self.bodies.clone(), &self.joints)?)
            }
            EngineChoice::Rapier => self.rapier()?,
        };
        Ok(Box::new(RigidSolids::new(engine, self.bodies.clone(), &self.joints)))
    }

    #[cfg(feature = "rapier")]
    fn rapier(&self) -> Result<Box<dyn RigidEngine>, SolidError> {
        use meniscus_solid::rapier::{RapierBodies, RapierParams};
        let RigidParams { gravity, dimension, .. } = self.params;
        let params = RapierParams { gravity, dimension, ..RapierParams::default() };
        Ok(Box::new(RapierBodies::new(params, self.bodies.clone(), &self.joints)?))
    }

    #[cfg(not(feature = "rapier"))]
    #[expect(clippy::unused_self, reason = "the same call with and without the feature")]
    fn rapier(&self) -> Result<Box<dyn RigidEngine>, SolidError> {
        Err(SolidError::EngineMissing { engine: "Rapier", feature: "rapier" })
    }
}

/// One engine, and which solids of the scene are its own.
struct Engine {
    solids: Box<dyn SolidEngine>,
    /// Of each of its bodies: which one of the scene it is.
    body: Vec<BodyId>,
    /// What its bodies have received, and how they answer, in its own order.
    loads: Loads,
    change: MotionChange,
    motion: Vec<SolidMotion>,
}

/// The solids of a scene, whichever engine moves each.
#[derive(Default)]
pub struct SolidSet {
    engine: Vec<Engine>,
    /// Of each body of the scene: its engine, and which one it is there.
    place: Vec<(usize, BodyId)>,
    /// How many engines, from the first on, have taken the current step.
    advanced: usize,
    report: SolidReport,
}

impl SolidSet {
    /// Solids that are all of one engine.
    #[must_use]
    pub fn of(solids: Box<dyn SolidEngine>) -> Self {
        let mut set = Self::default();
        set.add(solids);
        set
    }

    /// Adds the solids of one more engine behind those that are there.
    pub fn add(&mut self, solids: Box<dyn SolidEngine>) {
        let ids = || (0..solids.count() as u32).map(BodyId);
        let loading: Vec<Loading> = ids().map(|id| solids.loading(id)).collect();
        let mut motion =
            vec![SolidMotion::paused(Kinematics::at_rest(meniscus_core::Pose::IDENTITY)); solids.count()];
        solids.pause(&mut motion);
        let first = self.place.len() as u32;
        self.place.extend(ids().map(|id| (self.engine.len(), id)));
        let body = ids().map(|id| BodyId(first + id.0)).collect();
        self.engine.push(Engine {
            loads: Loads::new(&loading),
            change: MotionChange::default(),
            motion,
            body,
            solids,
        });
    }

    /// How all bodies take impulses.
    pub(crate) fn loadings(&self) -> Vec<Loading> {
        (0..self.count() as u32).map(|id| self.loading(BodyId(id))).collect()
    }

    /// What happened in the last step.
    #[must_use]
    pub fn report(&self) -> &SolidReport {
        &self.report
    }

    /// How many engines there are.
    pub(crate) fn engines(&self) -> usize {
        self.engine.len()
    }

    /// Writes the state of each engine.
    pub(crate) fn save_each(
        &self,
        mut write: impl FnMut(&dyn SolidEngine) -> Result<(), SolidError>,
    ) -> Result<(), SolidError> {
        self.engine.iter().try_for_each(|engine| write(engine.solids.as_ref()))
    }

    /// Continues each engine from its bytes.
    pub(crate) fn restore_each(&mut self, time: f64, parts: &[&[u8]]) -> Result<(), SolidError> {
        self.engine.iter_mut().zip(parts).try_for_each(|(engine, bytes)| engine.solids.restore(time, bytes))
    }

    fn find(&self, body: BodyId) -> (&dyn Solids, BodyId) {
        let (engine, id) = self.place[body.index()];
        (self.engine[engine].solids.as_ref(), id)
    }
}

impl Engine {
    /// Picks its bodies' loads out of the scene's.
    fn take_loads(&mut self, loads: &Loads) {
        for (own, body) in self.body.iter().enumerate() {
            self.loads.wrench[own] = loads.wrench[body.index()];
            self.loads.node[own].clone_from(&loads.node[body.index()]);
        }
    }
}

impl Solids for SolidSet {
    fn count(&self) -> usize {
        self.place.len()
    }

    fn loading(&self, body: BodyId) -> Loading {
        let (solids, id) = self.find(body);
        solids.loading(id)
    }

    fn kinematics(&self, body: BodyId) -> Option<Kinematics> {
        let (solids, id) = self.find(body);
        solids.kinematics(id)
    }

    fn speed(&self, body: BodyId) -> f64 {
        let (solids, id) = self.find(body);
        solids.speed(id)
    }

    fn is_present(&self, body: BodyId) -> bool {
        let (solids, id) = self.find(body);
        solids.is_present(id)
    }

    fn has_left(&self, body: BodyId) -> bool {
        let (solids, id) = self.find(body);
        solids.has_left(id)
    }

    fn pause(&self, motion: &mut [SolidMotion]) {
        for Engine { solids, body, motion: own, .. } in &self.engine {
            let mut own = own.clone();
            solids.pause(&mut own);
            for (body, own) in body.iter().zip(own) {
                motion[body.index()] = own;
            }
        }
    }

    fn carriers(&self, body: BodyId, list: &mut Vec<Carrier>) {
        let first = list.len();
        let (solids, id) = self.find(body);
        solids.carriers(id, list);
        list[first..].iter_mut().for_each(|carrier| carrier.body = body);
    }

    fn begin_response(&mut self, dt: f64) {
        self.engine.iter_mut().for_each(|engine| engine.solids.begin_response(dt));
    }

    fn respond(&mut self, loads: &Loads, change: &mut MotionChange) {
        for engine in &mut self.engine {
            engine.take_loads(loads);
            let Engine { solids, body, loads, change: own, .. } = engine;
            own.reset(loads);
            solids.respond(loads, own);
            for (k, body) in body.iter().enumerate() {
                change.twist[body.index()] = own.twist[k];
                change.node[body.index()].clone_from(&own.node[k]);
            }
        }
    }
}

impl SolidSet {
    /// How each body will move in a step; see [`SolidEngine::predict`].
    pub fn predict(&mut self, step: &StepContext, motion: &mut [SolidMotion]) {
        for Engine { solids, body, motion: own, .. } in &mut self.engine {
            solids.predict(step, own);
            for (body, own) in body.iter().zip(own) {
                motion[body.index()].clone_from(own);
            }
        }
    }

    /// Advances all bodies; see [`SolidEngine::advance`].
    ///
    /// # Errors
    /// Those of the engines, with bodies numbered as in the scene.
    pub fn advance(&mut self, step: &StepContext, loads: &Loads) -> Result<SolidReport, SolidError> {
        let mut report = SolidReport::default();
        self.advanced = 0;
        for engine in &mut self.engine {
            engine.take_loads(loads);
            let Engine { solids, body, loads, .. } = engine;
            let own = solids.advance(step, loads).map_err(|e| e.renumbered(|id| body[id.index()]))?;
            report = report.join(own);
            self.advanced += 1;
        }
        self.report = report;
        Ok(report)
    }

    /// What the last step has made of the energy of all bodies; nothing if one of the engines does not keep count.
    pub(crate) fn balance(&self) -> Option<Balance> {
        self.engine
            .iter()
            .try_fold(Balance::default(), |sum, engine| Some(sum.join(engine.solids.balance()?)))
    }

    /// Takes the step as it is: it cannot be undone any more.
    pub(crate) fn accept(&mut self) {
        self.advanced = 0;
    }

    /// Goes back to before the step, as far as engines have taken it.
    ///
    /// # Errors
    /// Those of the engines.
    pub fn undo(&mut self) -> Result<(), SolidError> {
        let advanced = std::mem::take(&mut self.advanced);
        self.engine[..advanced].iter_mut().try_for_each(|engine| engine.solids.undo())
    }

    /// How deformable bodies are deformed; nothing if there are none.
    #[must_use]
    pub fn deformation(&self) -> Option<DeformationRow> {
        let rows = self.engine.iter().filter_map(|engine| engine.solids.deformation());
        rows.reduce(|a, b| DeformationRow {
            elastic_energy: a.elastic_energy + b.elastic_energy,
            bending_energy: a.bending_energy + b.bending_energy,
            largest_stretch: a.largest_stretch.max(b.largest_stretch),
        })
    }

    /// What dynamic bodies have of energies and momenta, and what they did in the last step.
    #[must_use]
    pub fn row(&self, gravity: DVec3) -> SolidRow {
        let mut row = SolidRow {
            contacts: self.report.points,
            penetration: self.report.deepest,
            substeps: self.report.substeps,
            ..SolidRow::default()
        };
        for engine in &self.engine {
            let own = engine.solids.row(gravity);
            row.kinetic_energy += own.kinetic_energy;
            row.potential_energy += own.potential_energy;
            row.momentum += own.momentum;
            row.angular_momentum += own.angular_momentum;
        }
        row
    }
}

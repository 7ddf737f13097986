//! A fluid whose flow is prescribed: it drags solids along and does not notice them.
//!
//! Each of its points on a solid receives c (u − v) dt, with the flow u there, the solid's velocity v at the beginning of the step
//! and the drag coefficient c of a point. A free body of mass m with n points comes to the speed of a uniform flow by
//! exp(−t / τ) with τ = m / (n c), to first order in dt / τ.

use anyhow::Result;
use glam::DVec3;
use meniscus_core::{
    Anchor, BodyId, Exchange, Fluid, InterfacePoints, ParticleFrame, SimulationError, SolidMotion, Solids,
    Stage, StateError, StepContext, StepPolicy, Value,
};

/// A flow field with points on solids.
pub struct Stream {
    /// u(x) `[m/s]`.
    flow: Box<dyn Fn(DVec3) -> DVec3 + Send>,
    /// c `[kg/s]`.
    drag: f64,
    points: InterfacePoints,
    /// What solids have received so far `[N s]`, and what they had before the step.
    given: DVec3,
    before: DVec3,
}

impl Stream {
    /// The flow `[m/s]` with the drag coefficient of a point `[kg/s]`, and no points yet.
    pub fn new(flow: impl Fn(DVec3) -> DVec3 + Send + 'static, drag: f64) -> Self {
        let points = InterfacePoints::default();
        Self { flow: Box::new(flow), drag, points, given: DVec3::ZERO, before: DVec3::ZERO }
    }

    /// Lets it push a body at these places of its frame, or of its nodes.
    #[must_use]
    pub fn at(mut self, body: BodyId, anchors: impl IntoIterator<Item = Anchor>) -> Self {
        anchors.into_iter().for_each(|anchor| self.points.fix(body, anchor, DVec3::ZERO));
        self
    }
}

/// Where an anchor is and how it moves, on a solid that moves like this.
fn follow(anchor: &Anchor, motion: &SolidMotion) -> Option<(DVec3, DVec3)> {
    match (motion, anchor) {
        (SolidMotion::Rigid(motion), Anchor::Frame(local)) => {
            let x = motion.start.pose.to_world(*local);
            Some((x, motion.start.velocity_at(x)))
        }
        (SolidMotion::Deforming(motion), anchor) => Some((
            anchor.interpolate(&motion.surface.position)?,
            anchor.interpolate(&motion.surface.velocity)?,
        )),
        (SolidMotion::Rigid(_), Anchor::Nodes { .. }) => None,
    }
}

impl Fluid for Stream {
    fn step_limit(&self, _policy: &StepPolicy, _solids: &dyn Solids, _step: &StepContext) -> f64 {
        f64::INFINITY
    }

    fn begin(&mut self, _step: &StepContext) {
        self.before = self.given;
    }

    fn find_contacts(
        &mut self,
        _step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        let InterfacePoints { body, position, velocity, anchor } = &mut self.points;
        for (((body, x), v), anchor) in body.iter().zip(position).zip(velocity).zip(anchor) {
            if let Some(now) = follow(anchor, &exchange.interface.motion[body.index()]) {
                (*x, *v) = now;
            }
        }
        Ok(())
    }

    fn exchange(
        &mut self,
        _stage: Stage,
        _step: &StepContext,
        _exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError> {
        Ok(())
    }

    fn apply_forces(&mut self, step: &StepContext, exchange: &mut Exchange<'_>) {
        for k in 0..self.points.len() {
            let point = self.points.get(k);
            if !exchange.interface.motion[point.body.index()].is_present() {
                continue;
            }
            let impulse = self.drag * step.dt * ((self.flow)(point.position) - point.velocity);
            exchange.interface.load.push(point.body, self.points.anchor(k), point.position, impulse);
            self.given += impulse;
        }
    }

    fn integrate(&mut self, _step: &StepContext, _exchange: &mut Exchange<'_>) {}

    fn project(&mut self, _step: &StepContext, _exchange: &mut Exchange<'_>) {}

    fn check(&mut self, _step: &StepContext) -> Result<(), SimulationError> {
        Ok(())
    }

    fn accept(&mut self, _step: &StepContext) {}

    fn undo(&mut self) {
        self.given = self.before;
    }

    fn may_retry(&self, _error: &SimulationError, _step: &StepContext) -> bool {
        false
    }

    fn columns(&self) -> &'static [&'static str] {
        &["momentum_x", "momentum_y", "momentum_z"]
    }

    fn observe(&self, _step: &StepContext, values: &mut Vec<Value>) {
        values.extend((-self.given).to_array().map(Value::Number));
    }

    fn snapshot(&mut self, index: u32, step: &StepContext, _solids: &dyn Solids) -> ParticleFrame {
        ParticleFrame { index, step: step.clock.step, time: step.clock.time, ..ParticleFrame::default() }
    }

    fn escaped(&self, _step: &StepContext, _solids: &dyn Solids) -> u64 {
        0
    }

    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        bytes.extend(self.given.to_array().into_iter().flat_map(f64::to_le_bytes));
        Ok(())
    }

    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError> {
        let damaged = || StateError("its bytes are not those of a stream".to_owned());
        let (numbers, []) = bytes.as_chunks::<8>() else { return Err(damaged()) };
        let numbers: [[u8; 8]; 3] = numbers.try_into().map_err(|_| damaged())?;
        self.given = DVec3::from(numbers.map(f64::from_le_bytes));
        Ok(())
    }
}

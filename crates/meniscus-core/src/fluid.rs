//! The seam behind which fluids live.

use crate::{
    Balance, Interface, ParticleFrame, Response, SimulationError, Solids, StateError, StepContext,
    StepLimiter, StepPolicy, Value,
};
use std::any::Any;

/// The two moments of a step at which fluids and solids exchange impulses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Before forces act: make the velocity field free of compression.
    Divergence,
    /// After forces have acted: make the density at the end of the step equal to the rest density.
    Density,
}

/// What a fluid meets in a step: the hub, and the solids behind it.
pub struct Exchange<'a> {
    /// How solids move and what they have received.
    pub interface: &'a mut Interface,
    /// What they make of it before the step is over.
    pub response: &'a mut Response,
    /// The solids.
    pub solids: &'a mut dyn Solids,
}

/// A fluid: anything that goes through the phases of a step.
///
/// Between [`Fluid::begin`] and [`Fluid::accept`] its state may be in between; [`Fluid::undo`] takes it back to the beginning of the
/// step.
pub trait Fluid: Any + Send {
    /// The longest step that the fluid allows now, in which nothing of it or of the solids in its reach moves too far `[s]`.
    fn step_limit(&self, policy: &StepPolicy, solids: &dyn Solids, step: &StepContext) -> f64;

    /// What limits the next step, for those who look on; nothing if it cannot tell.
    fn limiter(
        &self,
        _policy: &StepPolicy,
        _solids: &dyn Solids,
        _step: &StepContext,
    ) -> Option<StepLimiter> {
        None
    }

    /// Begins a step: notes what undoing takes; sources and drains act, and what has left the world is removed.
    fn begin(&mut self, step: &StepContext);

    /// Finds out who touches whom.
    ///
    /// # Errors
    /// If the fluid has left the space in which that can be told.
    fn find_contacts(
        &mut self,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError>;

    /// Exchanges impulses with solids and within the fluid.
    ///
    /// # Errors
    /// If a solve fails and the scene does not accept that.
    fn exchange(
        &mut self,
        stage: Stage,
        step: &StepContext,
        exchange: &mut Exchange<'_>,
    ) -> Result<(), SimulationError>;

    /// Lets forces act that are known without a solve.
    fn apply_forces(&mut self, step: &StepContext, exchange: &mut Exchange<'_>);

    /// Finds the new state, beside the old one.
    fn integrate(&mut self, step: &StepContext, exchange: &mut Exchange<'_>);

    /// Takes the new state out of solids, which are now where the step ends.
    fn project(&mut self, step: &StepContext, exchange: &mut Exchange<'_>);

    /// Refuses a new state that is not finite, or that jumps.
    ///
    /// # Errors
    /// What is wrong with it.
    fn check(&mut self, step: &StepContext) -> Result<(), SimulationError>;

    /// What the step that was checked, and not yet accepted, has made of its energy; nothing if it does not keep count.
    fn balance(&self, _step: &StepContext) -> Option<Balance> {
        None
    }

    /// Takes the new state.
    fn accept(&mut self, step: &StepContext);

    /// Goes back to the beginning of the step.
    fn undo(&mut self);

    /// Whether the step that failed like this may be begun again with half its length.
    fn may_retry(&self, error: &SimulationError, step: &StepContext) -> bool;

    /// The fluid's columns in a series; none if it has nothing to say.
    fn columns(&self) -> &'static [&'static str] {
        &[]
    }

    /// Appends a value for each of its columns, for the last step.
    fn observe(&self, _step: &StepContext, _values: &mut Vec<Value>) {}

    /// What can be seen of it now, in whatever order is quickest; nothing but scratch is changed.
    fn snapshot(&mut self, index: u32, step: &StepContext, solids: &dyn Solids) -> ParticleFrame;

    /// How much of it is where it should not be: inside solids, outside of containers `[1]`.
    fn escaped(&self, step: &StepContext, solids: &dyn Solids) -> u64;

    /// How much of it has left the world so far `[1]`.
    fn departed(&self) -> u64 {
        0
    }

    /// Appends all that a restart needs; equal states give equal bytes.
    ///
    /// # Errors
    /// If the state cannot be written as bytes.
    fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError>;

    /// Continues from bytes that [`Fluid::save`] gave for the same fluid.
    ///
    /// # Errors
    /// If the bytes are damaged or belong to another fluid.
    fn restore(&mut self, bytes: &[u8]) -> Result<(), StateError>;
}

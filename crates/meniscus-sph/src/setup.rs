//! The complete, checked description of SPH water.

use crate::boundary::{BodyMap, BodySamples, FlatMap};
use crate::force::ViscosityParams;
use crate::neighbourhood::FluidParams;
use crate::pressure::{
    Dfsph, DfsphParams, Iisph, IisphParams, Pcisph, PcisphParams, PressureSolver, Wcsph, WcsphParams,
};
use crate::source::{Drain, EmitterParams};
use glam::DVec3;
use meniscus_core::{BodyId, Dimension, reduce};
use meniscus_geometry::{Aabb, FieldMemory, Pose, Solid};
use std::ops::Range;
use std::sync::Arc;

/// Which pressure solver, with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PressureChoice {
    /// Weakly compressible.
    Wcsph(WcsphParams),
    /// Predictive-corrective.
    Pcisph(PcisphParams),
    /// Implicit incompressible.
    Iisph(IisphParams),
    /// Divergence-free.
    Dfsph(DfsphParams),
}

impl PressureChoice {
    /// The solver, for this fluid.
    #[must_use]
    pub fn solver(&self, fluid: FluidParams) -> Box<dyn PressureSolver> {
        match *self {
            Self::Wcsph(params) => Box::new(Wcsph::new(params)),
            Self::Pcisph(params) => Box::new(Pcisph::new(params, fluid)),
            Self::Iisph(params) => Box::new(Iisph::new(params, &fluid)),
            Self::Dfsph(params) => Box::new(Dfsph::new(params, &fluid)),
        }
    }

    /// The speed of sound, if the solver resolves sound `[m/s]`.
    #[must_use]
    pub fn sound_speed(&self) -> Option<f64> {
        match self {
            Self::Wcsph(params) => Some(params.sound_speed),
            Self::Pcisph(_) | Self::Iisph(_) | Self::Dfsph(_) => None,
        }
    }

    /// Longest stable step of fluid under the pressure p, over the time spacing / √(p / ρ) `[1]`.
    ///
    /// Pair forces of pressure change when particles move past each other, and no solve foresees that, as neighbours are those of the step's beginning. At
    /// equal pressure a cubic lattice whose particles reach two spacings swings with up to ω = 2.83 √(p / ρ) / spacing in the plane and 2.92 in space,
    /// in modes that change no density (layers that move against each other). Steps that see forces at their beginning only are stable up to
    /// 2 / ω, which is 0.7 of that time. A column of 120 particles burst with 0.8 of it and not with 0.7 (DFSPH, IISPH); PCISPH, which may fail to find the pressure of
    /// a deep column from nothing, did with 0.6 and not with 0.5.
    fn stable_share(&self) -> f64 {
        match self {
            Self::Pcisph(_) => PCISPH_STABLE_SHARE,
            Self::Wcsph(_) | Self::Iisph(_) | Self::Dfsph(_) => STABLE_SHARE,
        }
    }
}

/// How velocities and positions follow accelerations.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Velocities over the step's length, then positions with the new velocities.
    #[default]
    SymplecticEuler,
    /// Velocities live in the middle of steps, as in \[Becker2009\]: they change over the time from the last step's middle to this
    /// one's. For solvers whose pressures follow from the present alone.
    Leapfrog,
}

impl Integrator {
    /// The time over which a step's accelerations act, for the lengths of the last step, zero before the first, and of this
    /// one `[s]`.
    pub(crate) fn kick(self, last: f64, dt: f64) -> f64 {
        match self {
            Self::SymplecticEuler => dt,
            Self::Leapfrog => 0.5 * (last + dt),
        }
    }
}

/// What to do when a solve ends above its tolerance.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnFailure {
    /// Go on; the summary counts it.
    Accept,
    /// End the run with an error.
    Stop,
    /// Go back and take the step again with half its length, if steps adapt; end the run with an error when the shortest
    /// step fails too.
    Retry,
}

/// A solid as the fluid meets it.
#[derive(Debug, Clone)]
pub struct Wall {
    /// Its geometry, where it is at rest; nothing if it has none that stays the same, as a deformable body.
    pub solid: Option<Solid>,
    /// Coefficient of sliding friction between it and fluid that presses against it `[1]`.
    pub friction: f64,
    /// How fluid clings to it, as a tension `[N/m]`.
    pub adhesion: f64,
}

impl Wall {
    /// A wall without friction and adhesion.
    #[must_use]
    pub fn smooth(solid: Solid) -> Self {
        Self { solid: Some(solid), friction: 0.0, adhesion: 0.0 }
    }

    /// How far its matter reaches from the origin of its frame; zero if it has no end, or no frame `[m]`.
    pub(crate) fn radius(&self) -> f64 {
        let Some(solid) = &self.solid else { return 0.0 };
        let Aabb { min, max } = solid.at(Pose::IDENTITY).bounds();
        let reach = min.abs().max(max.abs()).length();
        if reach.is_finite() { reach } else { 0.0 }
    }
}

/// The complete, checked description of a fluid.
#[derive(Debug, Clone)]
pub struct SphSetup {
    /// Plane or space.
    pub dimension: Dimension,
    /// Gravity `[m/s²]`.
    pub gravity: DVec3,
    /// The material and its resolution.
    pub fluid: FluidParams,
    /// How velocities and positions follow accelerations.
    pub integrator: Integrator,
    /// The pressure solver.
    pub pressure: PressureChoice,
    /// What to do when it does not converge.
    pub on_failure: OnFailure,
    /// The viscosity.
    pub viscosity: ViscosityParams,
    /// How the fluid holds together, as a tension `[N/m]`.
    pub surface_tension: f64,
    /// Positions `[m]` and velocities `[m/s]` of the initial fluid.
    pub initial: Vec<(DVec3, DVec3)>,
    /// Bodies that were cut out of it and left it uneven, so that it has to be fitted around them.
    pub carved: Vec<BodyId>,
    /// Whether it starts without the order of a lattice, which would give way under pressure and move the bodies in it.
    pub packed_randomly: bool,
    /// Emitters.
    pub emitters: Vec<EmitterParams>,
    /// Drains.
    pub drains: Vec<Drain>,
    /// One for each solid of the scene.
    pub walls: Vec<Wall>,
    /// Boundary particles of the solids that have them.
    pub samples: Arc<Vec<BodySamples>>,
    /// Maps of the solids that have them, one entry for each kind of map; none as long as they are not made.
    pub maps: Vec<Maps>,
    /// What these take, also as long as they are not made.
    pub map_memory: FieldMemory,
}

/// [`PressureChoice::stable_share`] of PCISPH `[1]`.
const PCISPH_STABLE_SHARE: f64 = 0.5;

/// [`PressureChoice::stable_share`] of all others `[1]`.
const STABLE_SHARE: f64 = 0.65;

/// How fast fluid that is compressed spreads at most, in units of [`SphSetup::wave_speed`] `[1]`.
const SPREADING: f64 = 2.0;

impl SphSetup {
    /// The geometry of each wall at rest, if it has one that stays the same.
    pub(crate) fn solids(&self) -> impl Iterator<Item = Option<&Solid>> {
        self.walls.iter().map(|wall| wall.solid.as_ref())
    }

    /// The speed of waves as short as the spacing `[m/s]`.
    pub(crate) fn wave_speed(&self) -> f64 {
        (self.gravity.length() * self.fluid.spacing).sqrt()
    }

    /// The most of a particle's compression that a step of `dt` `[s]` takes back; anything without gravity, which gives the speed `[1]`.
    ///
    /// What is pinched between two bodies may be compressed by half. Taken back in one step, however short, that throws particles the faster the shorter the step is,
    /// and fast particles make steps shorter.
    pub(crate) fn relief(&self, dt: f64) -> f32 {
        let speed = SPREADING * self.wave_speed();
        if speed > 0.0 { (speed * dt / self.fluid.spacing) as f32 } else { f32::INFINITY }
    }

    /// How fast pushes travel that steps must resolve: sound, if the solver resolves it, and what penalties throw back
    /// `[m/s]`.
    #[must_use]
    pub fn signal_speed(&self) -> f64 {
        let sound = self.pressure.sound_speed().unwrap_or(0.0);
        self.samples.iter().map(|samples| samples.treatment.signal_speed()).fold(sound, f64::max)
    }

    /// The longest step with which fluid at these places `[m]` can stand at rest without being shaken apart by its own pressure `[s]`.
    #[must_use]
    pub fn stable_step(&self, position: &[DVec3]) -> f64 {
        self.stable_step_under(standing_pressure(position, self.gravity))
    }

    /// The same under this pressure over density `[m²/s²]`.
    pub(crate) fn stable_step_under(&self, pressure: f64) -> f64 {
        self.pressure.stable_share() * self.fluid.spacing / pressure.max(f64::MIN_POSITIVE).sqrt()
    }
}

/// The maps of solids of one kind, and what a flat wall has with the same kernel.
#[derive(Debug, Clone)]
pub struct Maps {
    /// By distance from a flat wall.
    pub flat: FlatMap,
    /// One for each body that has one.
    pub bodies: Vec<BodyMap>,
}

/// How far the fluid at these places `[m]` reaches along gravity `[m/s²]`, times gravity: the pressure over density that it has at its lowest place
/// when it is at rest `[m²/s²]`. Not the pressure that a solve has found: that also takes out what the last step has left of compression, the more the
/// shorter the step is, and steps would become shorter and shorter.
pub(crate) fn standing_pressure(position: &[DVec3], gravity: DVec3) -> f64 {
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let join = |a: [f64; 2], b: [f64; 2]| [a[0].min(b[0]), a[1].max(b[1])];
    let reach = |range: Range<usize>| {
        position[range].iter().map(|x| x.dot(gravity)).fold(none, |reach, fall| join(reach, [fall, fall]))
    };
    let [highest, lowest] = reduce::by_chunk(position.len(), none, reach, join);
    (lowest - highest).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_depth_of_fluid_is_measured_along_gravity() {
        let position = [DVec3::new(3.0, -1.0, 0.0), DVec3::new(-8.0, 1.5, 2.0)];
        assert!((standing_pressure(&position, DVec3::new(0.0, -10.0, 0.0)) - 25.0).abs() < 1e-12);
        assert!(standing_pressure(&position, DVec3::ZERO) <= 0.0);
        assert!(standing_pressure(&[], DVec3::NEG_Y) <= 0.0);
    }
}

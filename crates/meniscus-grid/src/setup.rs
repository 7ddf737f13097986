//! The description of a fluid on a grid.

use crate::advect::Advection;
use crate::cut::GridBody;
use crate::force::Buoyancy;
use crate::lattice::CellLattice;
use crate::pressure::Preconditioner;
use crate::side::GridSides;
use crate::source::GridSource;
use glam::DVec3;
use meniscus_core::StepDemand;

/// How transport and pressure take turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Splitting {
    /// Transport, forces, one projection: first order in time, as in the thesis.
    Projection,
    /// Half of that, a reflection, and the other half: second order in time, with two projections.
    #[default]
    Reflection,
}

/// How the pressure is found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PressureParams {
    /// What its solve is preconditioned with.
    pub preconditioner: Preconditioner,
    /// How much flux may be left in a cell, as a share of the fastest flow through a face `[1]`.
    pub tolerance: f64,
    /// Most iterations `[1]`.
    pub max_iterations: u32,
    /// Whether a step counts whose solve ends above the tolerance.
    pub accept_unconverged: bool,
}

impl Default for PressureParams {
    fn default() -> Self {
        Self {
            preconditioner: Preconditioner::Multigrid,
            tolerance: 1e-4,
            max_iterations: 200,
            accept_unconverged: false,
        }
    }
}

/// A fluid on a grid.
#[derive(Debug, Clone)]
pub struct GridSetup {
    /// The grid.
    pub lattice: CellLattice,
    /// What is at the sides of its box.
    pub sides: GridSides,
    /// Density of the fluid `[kg/m³]`.
    pub density: f64,
    /// Kinematic viscosity `[m²/s]`.
    pub viscosity: f64,
    /// How quantities are transported.
    pub advection: Advection,
    /// How transport and pressure take turns.
    pub splitting: Splitting,
    /// How the pressure is found.
    pub pressure: PressureParams,
    /// What makes fluid sink or rise.
    pub buoyancy: Buoyancy,
    /// Strength of vorticity confinement `[1/s]`.
    pub confinement: f64,
    /// An acceleration of all of the fluid alike, which no pressure at rest balances `[m/s²]`.
    pub acceleration: DVec3,
    /// The velocity of the fluid at the start `[m/s]`.
    pub velocity: DVec3,
    /// Sources and drains.
    pub sources: Vec<GridSource>,
    /// One for each solid of the scene.
    pub bodies: Vec<GridBody>,
}

impl GridSetup {
    /// Fluid of this density `[kg/m³]` at rest in a box with these sides, without anything else.
    #[must_use]
    pub fn new(lattice: CellLattice, sides: GridSides, density: f64) -> Self {
        Self {
            lattice,
            sides,
            density,
            viscosity: 0.0,
            advection: Advection::default(),
            splitting: Splitting::default(),
            pressure: PressureParams::default(),
            buoyancy: Buoyancy::default(),
            confinement: 0.0,
            acceleration: DVec3::ZERO,
            velocity: DVec3::ZERO,
            sources: Vec::new(),
            bodies: Vec::new(),
        }
    }

    /// About how much memory a simulation takes `[byte]`: channels of fields, of a step and of the pressure's solve.
    #[must_use]
    pub fn memory(&self) -> f64 {
        let more =
            if self.viscosity > 0.0 { 41.0 } else { 0.0 } + if self.confinement > 0.0 { 56.0 } else { 0.0 };
        (400.0 + more) * self.lattice.slots() as f64
    }

    /// What limits the first step.
    #[must_use]
    pub fn first_demand(&self) -> StepDemand {
        let sides = self.sides.iter().map(crate::side::GridSide::speed).fold(0.0, f64::max);
        let sources = self.sources.iter().filter_map(|source| source.velocity);
        let speed = sources.chain([self.velocity]).map(|v| v.abs().max_element()).fold(sides, f64::max);
        let stable = crate::viscosity::longest_step(&self.lattice, self.viscosity);
        StepDemand {
            spacing: self.lattice.spacing(),
            speed,
            acceleration: self.acceleration.length(),
            stable,
        }
    }

    /// Mass of a full cell `[kg]`.
    #[must_use]
    pub fn cell_mass(&self) -> f64 {
        self.density * self.lattice.cell_volume()
    }
}

//! What a restart of a fluid on a grid needs.

use crate::lattice::CellLattice;
use glam::DVec3;
use meniscus_core::StateError;
use serde::{Deserialize, Serialize};

/// Sums over the fluid at the end of a step. They are state, as the solids that bounded it then have moved on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct GridTotals {
    /// Kinetic energy `[J]`.
    pub kinetic_energy: f64,
    /// Momentum `[kg m/s]`.
    pub momentum: DVec3,
    /// Smoke, as the volume that it would fill `[m^d]`.
    pub smoke: f64,
}

/// The state: all that a restart needs, and nothing that can be derived from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fields {
    /// By axis: the velocity along it, on the faces across it `[m/s]`; those in solids are continued from the fluid.
    pub velocity: [Vec<f64>; 3],
    /// Concentration of smoke in cells `[1]`.
    pub smoke: Vec<f64>,
    /// How much warmer cells are than what is around the box `[K]`.
    pub temperature: Vec<f64>,
    /// Pressure in cells beyond that of fluid at rest `[Pa]`.
    pub pressure: Vec<f64>,
    /// What others than solids have given the fluid so far: sides, forces, sources, transport `[N s]`.
    pub outside: DVec3,
    /// Sums at the end of the last step.
    pub totals: GridTotals,
    /// The largest divergence that the last projection left `[1/s]`, and its iterations `[1]`.
    pub divergence: f64,
    /// Iterations of the last projection `[1]`.
    pub iterations: u32,
}

impl Fields {
    /// Fluid at rest.
    #[must_use]
    pub fn at_rest(lattice: &CellLattice) -> Self {
        let channel = || lattice.channel();
        Self {
            velocity: [channel(), channel(), channel()],
            smoke: channel(),
            temperature: channel(),
            pressure: channel(),
            outside: DVec3::ZERO,
            totals: GridTotals::default(),
            divergence: 0.0,
            iterations: 0,
        }
    }

    /// Its channels.
    fn channels(&self) -> impl Iterator<Item = &Vec<f64>> {
        self.velocity.iter().chain([&self.smoke, &self.temperature, &self.pressure])
    }

    /// Makes them equal to others without giving up memory.
    pub fn copy_from(&mut self, other: &Self) {
        // All by name, so that none is forgotten.
        let Self { velocity, smoke, temperature, pressure, outside, totals, divergence, iterations } = other;
        self.velocity.clone_from(velocity);
        self.smoke.clone_from(smoke);
        self.temperature.clone_from(temperature);
        self.pressure.clone_from(pressure);
        (self.outside, self.totals) = (*outside, *totals);
        (self.divergence, self.iterations) = (*divergence, *iterations);
    }

    /// Appends them; equal states give equal bytes.
    ///
    /// # Errors
    /// When the encoder fails, which it does only for lack of memory.
    pub fn save(&self, bytes: &mut Vec<u8>) -> Result<(), StateError> {
        let failed = |error: postcard::Error| StateError(error.to_string());
        bytes.reserve_exact(postcard::experimental::serialized_size(self).map_err(failed)?);
        *bytes = postcard::to_extend(self, std::mem::take(bytes)).map_err(failed)?;
        Ok(())
    }

    /// Those of saved bytes.
    ///
    /// # Errors
    /// When the bytes are not those of a fluid on this grid.
    pub fn restored(lattice: &CellLattice, bytes: &[u8]) -> Result<Self, StateError> {
        let fields: Self = postcard::from_bytes(bytes).map_err(|error| StateError(error.to_string()))?;
        if fields.channels().any(|channel| channel.len() != lattice.slots()) {
            return Err(StateError("its grid has another number of cells".to_owned()));
        }
        Ok(fields)
    }
}

use anyhow::Result;
use glam::DVec3;
use meniscus_core::StateHash;
use meniscus_coupling::Simulation;

/// What a run has left, in two numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Of all that can be seen: particles in the order of their ids, bodies, loads. It does not know how the state is laid out.
    pub motion: StateHash,
    /// The program's own `state_hash`, of the bytes of a checkpoint.
    pub state: StateHash,
}

impl Fingerprint {
    /// Of a simulation as it is.
    ///
    /// # Errors
    /// If the solids' engine cannot write its state.
    pub fn of(simulation: &mut Simulation) -> Result<Self> {
        let state = simulation.state()?.hash();
        let mut bytes = Bytes::default();
        let row = simulation.series_row();
        let (energy, report) = (simulation.fluid_sums().kinetic_energy, simulation.sph_report());
        bytes.scalars(&[row.time, row.dt, energy, report.density_error_max]);
        bytes.scalars(&[report.pressure.residual, report.divergence.residual]);
        bytes.scalars(&[report.pressure.sweeps.into(), report.divergence.sweeps.into()]);
        for body in &row.bodies {
            bytes.vectors(&[body.position, body.velocity, body.force, body.torque, body.angular_velocity]);
        }
        if let Some(bodies) = simulation.body_frame(0, &[]) {
            bytes.vectors(&bodies.position);
            bytes.vectors(&bodies.velocity);
            bytes.vectors(&bodies.angular_velocity);
            for turn in &bodies.rotation {
                bytes.scalars(&turn.to_array());
            }
        }
        let frame = simulation.frame(0);
        for id in &frame.id {
            bytes.0.extend(id.to_le_bytes());
        }
        bytes.vectors(&frame.position);
        bytes.vectors(&frame.velocity);
        bytes.singles(&frame.density);
        bytes.singles(&frame.pressure);
        Ok(Self { motion: StateHash::of_bytes(&bytes.0), state })
    }

    pub(super) fn parse(motion: &str, state: &str) -> Option<Self> {
        let hash = |text| Some(StateHash(u128::from_str_radix(text, 16).ok()?));
        Some(Self { motion: hash(motion)?, state: hash(state)? })
    }
}

impl std::fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.motion, self.state)
    }
}

#[derive(Default)]
struct Bytes(Vec<u8>);

impl Bytes {
    fn scalars(&mut self, values: &[f64]) {
        for value in values {
            self.0.extend(value.to_le_bytes());
        }
    }

    fn singles(&mut self, values: &[f32]) {
        for value in values {
            self.0.extend(value.to_le_bytes());
        }
    }

    fn vectors(&mut self, values: &[DVec3]) {
        for value in values {
            self.scalars(&value.to_array());
        }
    }
}

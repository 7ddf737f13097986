//! Plain records that leave the simulation: what observers write to files.

use glam::{DQuat, DVec3};

/// Columns before those of the bodies.
const COLUMNS: &str = "step,time,dt,particles,kinetic_energy,potential_energy,\
    momentum_x,momentum_y,momentum_z,angular_momentum_x,angular_momentum_y,angular_momentum_z,\
    density_error_mean,density_error_max,pressure_sweeps,divergence_sweeps,\
    pressure_residual,divergence_residual";

/// Columns of bodies that move freely, all together; only in runs that have some.
const SOLID_COLUMNS: &str = ",solid_kinetic_energy,solid_potential_energy,\
    solid_momentum_x,solid_momentum_y,solid_momentum_z,\
    solid_angular_momentum_x,solid_angular_momentum_y,solid_angular_momentum_z,\
    contacts,penetration,substeps";

/// Columns of a body: position, velocity, fluid force, fluid torque, angular velocity, tilt. Each begins with the body's name
/// and an underscore.
const BODY_COLUMNS: [&str; 16] =
    ["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "tx", "ty", "tz", "wx", "wy", "wz", "tilt"];

/// The columns of `series.csv`, in order: those of every run, those of bodies that move freely if `solids`, and those of the
/// bodies of these names.
#[must_use]
pub fn series_columns(solids: bool, bodies: &[String]) -> Vec<String> {
    let whole = COLUMNS.split(',').chain(SOLID_COLUMNS.split(',').skip(1).filter(|_| solids));
    let of_bodies = bodies.iter().flat_map(|body| BODY_COLUMNS.iter().map(move |c| format!("{body}_{c}")));
    whole.map(str::to_owned).chain(of_bodies).collect()
}

/// All fluid particles at one moment, in the order of their ids.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParticleFrame {
    /// Number of the frame in its run, from 0.
    pub index: u32,
    /// Steps completed so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Stable identity of each particle.
    pub id: Vec<u64>,
    /// Position `[m]`.
    pub position: Vec<DVec3>,
    /// Velocity `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Density `[kg/m^3]`.
    pub density: Vec<f32>,
    /// Pressure `[Pa]`.
    pub pressure: Vec<f32>,
}

impl ParticleFrame {
    /// The same particles in the order of their ids; a frame whose columns differ in length stays as it is.
    #[must_use]
    pub fn in_order(self) -> Self {
        let columns = [self.position.len(), self.velocity.len(), self.density.len(), self.pressure.len()];
        if self.id.is_sorted() || columns.iter().any(|n| *n != self.id.len()) {
            return self;
        }
        let order = order_of(&self.id);
        Self {
            id: pick(&self.id, &order),
            position: pick(&self.position, &order),
            velocity: pick(&self.velocity, &order),
            density: pick(&self.density, &order),
            pressure: pick(&self.pressure, &order),
            ..self
        }
    }
}

fn pick<T: Copy>(column: &[T], order: &[u32]) -> Vec<T> {
    order.iter().map(|&place| column[place as usize]).collect()
}

/// The places of ids in ascending order.
fn order_of(ids: &[u64]) -> Vec<u32> {
    let places = 0..ids.len() as u32;
    let largest = ids.iter().copied().max().unwrap_or(0) as usize;
    // Most ids are there: each goes to its place at once.
    if largest < 4 * ids.len() {
        let mut place_of = vec![u32::MAX; largest + 1];
        for (place, id) in places.clone().zip(ids) {
            place_of[*id as usize] = place;
        }
        place_of.retain(|place| *place != u32::MAX);
        // Fewer if ids were not unique.
        if place_of.len() == ids.len() {
            return place_of;
        }
    }
    let mut order: Vec<u32> = places.collect();
    order.sort_unstable_by_key(|&place| (ids[place as usize], place));
    order
}

/// One body's line in the series.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct BodyRow {
    /// Position of the body's reference point `[m]`.
    pub position: DVec3,
    /// Velocity of that point `[m/s]`.
    pub velocity: DVec3,
    /// Force of the fluid on the body, mean over the step `[N]`.
    pub force: DVec3,
    /// Torque of the fluid about the reference point, mean over the step `[N m]`.
    pub torque: DVec3,
    /// Angular velocity `[rad/s]`.
    pub angular_velocity: DVec3,
    /// The angle between the body's own y axis and that of the scene, 0 to 180 `[degree]`.
    pub tilt: f64,
}

/// Where all bodies of a scene are at one moment, in the order of the scene.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BodyFrame {
    /// Number of the frame in its run, from 0.
    pub index: u32,
    /// Steps completed so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Whether each body is there: before it enters it is not.
    pub present: Vec<bool>,
    /// Which of the run's meshes each body has.
    pub mesh: Vec<u32>,
    /// Where the origin of each mesh is `[m]`.
    pub position: Vec<DVec3>,
    /// How each mesh is turned about its origin.
    pub rotation: Vec<DQuat>,
    /// Velocity of that origin `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Angular velocity `[rad/s]`.
    pub angular_velocity: Vec<DVec3>,
}

/// What bodies that move freely did in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolidRow {
    /// Kinetic energy `[J]`.
    pub kinetic_energy: f64,
    /// Potential energy in the gravity field, zero at the origin `[J]`.
    pub potential_energy: f64,
    /// Linear momentum `[kg m/s]`.
    pub momentum: DVec3,
    /// Angular momentum about the origin `[kg m^2/s]`.
    pub angular_momentum: DVec3,
    /// Points at which bodies touch `[1]`.
    pub contacts: u32,
    /// The deepest overlap at the beginning of the last substep `[m]`.
    pub penetration: f64,
    /// Substeps of the step `[1]`.
    pub substeps: u32,
}

/// Scalars of one step, one line of `series.csv`.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SeriesRow {
    /// Steps completed so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Length of the step that ended here `[s]`.
    pub dt: f64,
    /// Number of fluid particles.
    pub particles: u64,
    /// Kinetic energy of the fluid `[J]`.
    pub kinetic_energy: f64,
    /// Potential energy of the fluid in the gravity field, zero at the origin `[J]`.
    pub potential_energy: f64,
    /// Linear momentum of the fluid `[kg m/s]`.
    pub momentum: DVec3,
    /// Angular momentum of the fluid about the origin `[kg m^2/s]`.
    pub angular_momentum: DVec3,
    /// Mean compression over all particles at the start of the step, (ρ/ρ0 − 1) where positive `[1]`. It is measured
    /// at the particles' true positions, so it is what the step before has left.
    pub density_error_mean: f64,
    /// Largest compression of a particle at the start of the step `[1]`.
    pub density_error_max: f64,
    /// Pressure sweeps of the step `[1]`.
    pub pressure_sweeps: u32,
    /// Divergence sweeps of the step `[1]`.
    pub divergence_sweeps: u32,
    /// Mean compression that the pressure solve predicts for the end of the step, or the mean overshoot of its pressures if
    /// that is larger `[1]`.
    pub pressure_residual: f64,
    /// Mean compression by one step at the rate that the divergence solve left `[1]`.
    pub divergence_residual: f64,
    /// Bodies that move freely, if the scene has any.
    pub solids: Option<SolidRow>,
    /// One entry for each body that has columns, in scene order.
    pub bodies: Vec<BodyRow>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(ids: &[u64]) -> ParticleFrame {
        ParticleFrame {
            id: ids.to_vec(),
            position: ids.iter().map(|id| DVec3::splat(*id as f64)).collect(),
            velocity: ids.iter().map(|id| DVec3::splat(-(*id as f64))).collect(),
            density: ids.iter().map(|id| *id as f32).collect(),
            pressure: ids.iter().map(|id| 2.0 * *id as f32).collect(),
            ..ParticleFrame::default()
        }
    }

    #[test]
    fn particles_come_into_the_order_of_their_ids() {
        let far = u64::MAX / 4;
        for ids in [&[][..], &[3], &[2, 0, 1], &[5, 3, 9, 0], &[far, 1, 0], &[1, 1, 0], &[7, 7]] {
            let mut sorted = ids.to_vec();
            sorted.sort_unstable();
            assert_eq!(frame(ids).in_order(), frame(&sorted), "{ids:?}");
        }
        let uneven = ParticleFrame { density: Vec::new(), ..frame(&[2, 1]) };
        assert_eq!(uneven.clone().in_order(), uneven);
    }
}

//! Plain records that leave the simulation: what observers write to files.

use glam::{DQuat, DVec3};

/// Columns of every series.
const STEP_COLUMNS: [&str; 3] = ["step", "time", "dt"];

/// Columns of dynamic bodies, all together.
const SOLID_COLUMNS: [&str; 11] = [
    "solid_kinetic_energy",
    "solid_potential_energy",
    "solid_momentum_x",
    "solid_momentum_y",
    "solid_momentum_z",
    "solid_angular_momentum_x",
    "solid_angular_momentum_y",
    "solid_angular_momentum_z",
    "contacts",
    "penetration",
    "substeps",
];

/// Columns of deformable bodies, all together; what else they have is in those of all dynamic bodies.
const DEFORMATION_COLUMNS: [&str; 3] = ["elastic_energy", "bending_energy", "largest_stretch"];

/// Columns of a body: position, velocity, fluid force, fluid torque, angular velocity, tilt. Each begins with the body's name
/// and an underscore.
const BODY_COLUMNS: [&str; 16] =
    ["x", "y", "z", "vx", "vy", "vz", "fx", "fy", "fz", "tx", "ty", "tz", "wx", "wy", "wz", "tilt"];

/// The columns of a run's series, `series.csv`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SeriesColumns {
    /// Those of the fluids: each fluid names its own.
    pub fluid: Vec<String>,
    /// Whether dynamic bodies have theirs.
    pub solids: bool,
    /// Whether deformable bodies have theirs.
    pub deformables: bool,
    /// Names of the bodies that have columns of their own.
    pub bodies: Vec<String>,
}

impl SeriesColumns {
    /// Their names, in order.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let solids = SOLID_COLUMNS.iter().filter(|_| self.solids).copied();
        let deforming = DEFORMATION_COLUMNS.iter().filter(|_| self.deformables).copied();
        let of_bodies =
            self.bodies.iter().flat_map(|body| BODY_COLUMNS.iter().map(move |c| format!("{body}_{c}")));
        let step = STEP_COLUMNS.iter().map(|&name| name.to_owned());
        step.chain(self.fluid.iter().cloned())
            .chain(solids.chain(deforming).map(str::to_owned))
            .chain(of_bodies)
            .collect()
    }

    /// Whether a row has a value for each of them, and no more.
    #[must_use]
    pub fn fit(&self, row: &SeriesRow) -> bool {
        let SeriesRow { fluid, solids, bodies, .. } = row;
        fluid.len() == self.fluid.len()
            && solids.is_some() == self.solids
            && row.deformation.is_some() == self.deformables
            && bodies.len() == self.bodies.len()
    }
}

/// A value in a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// A number of things.
    Count(u64),
    /// Anything else.
    Number(f64),
}

/// As a series writes it: floats with the fewest digits that read back exactly, and an exponent where that is shorter.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => write!(f, "{number:?}"),
        }
    }
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

/// What dynamic bodies did in one step.
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

/// What deformable bodies did in one step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DeformationRow {
    /// Energy of what is stretched, sheared or compressed `[J]`.
    pub elastic_energy: f64,
    /// Energy of what is bent `[J]`.
    pub bending_energy: f64,
    /// The largest stretch of an element: length over that at rest `[1]`.
    pub largest_stretch: f64,
}

/// The surfaces of all deformable bodies at one moment.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DeformingFrame {
    /// Number of the frame in its run, from 0.
    pub index: u32,
    /// Steps completed so far.
    pub step: u64,
    /// Simulated time `[s]`.
    pub time: f64,
    /// Which of the deformable bodies each node belongs to, from 0.
    pub body: Vec<u32>,
    /// Nodes `[m]`.
    pub position: Vec<DVec3>,
    /// How they move `[m/s]`.
    pub velocity: Vec<DVec3>,
    /// Triangles, counter-clockwise for a viewer outside.
    pub triangle: Vec<[u32; 3]>,
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
    /// What fluids say of themselves, one value for each of [`SeriesColumns::fluid`].
    pub fluid: Vec<Value>,
    /// Dynamic bodies, if the scene has any.
    pub solids: Option<SolidRow>,
    /// Deformable bodies, if the scene has any.
    pub deformation: Option<DeformationRow>,
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

//! Forces on the fluid: weight and lift, vorticity confinement, a uniform acceleration.

use crate::lattice::{CellLattice, Site};
use crate::sample::Flow;
use glam::DVec3;

/// What makes fluid sink or rise.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Buoyancy {
    /// α: how much heavier fluid full of smoke is, in its own weights `[1]`.
    pub weight: f64,
    /// β: how much lighter fluid is for each kelvin, in its own weights `[1/K]`.
    pub expansion: f64,
}

impl Buoyancy {
    /// The acceleration in a field of `gravity` `[m/s²]` with so much smoke `[1]`, so much warmer than around the box `[K]`.
    ///
    /// \[Guendelman2006\] Sec. 4.4.3 with z = −g/|g|; α and β are multiples of gravity there as well.
    #[inline(always)]
    #[must_use]
    pub fn acceleration(&self, gravity: f64, smoke: f64, temperature: f64) -> f64 {
        gravity * (self.weight * smoke - self.expansion * temperature)
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_none(&self) -> bool {
        *self == Self::default()
    }
}

/// Lets smoke sink and warmth rise: adds to the velocities of faces.
pub fn apply_buoyancy(
    lattice: &CellLattice,
    buoyancy: &Buoyancy,
    gravity: DVec3,
    dt: f64,
    [smoke, temperature]: [&[f64]; 2],
    velocity: &mut [Vec<f64>; 3],
) {
    for axis in lattice.axes().filter(|&axis| gravity[axis] != 0.0) {
        let stride = lattice.stride()[axis];
        lattice.fill(&mut velocity[axis], &lattice.face_range(axis), |_, first, row| {
            for (index, value) in (first..).zip(row) {
                let mean = |channel: &[f64]| 0.5 * (channel[index] + channel[index - stride]);
                *value += dt * buoyancy.acceleration(gravity[axis], mean(smoke), mean(temperature));
            }
        });
    }
}

/// Accelerates all of the fluid alike `[m/s²]`.
pub fn apply_uniform(lattice: &CellLattice, acceleration: DVec3, dt: f64, velocity: &mut [Vec<f64>; 3]) {
    for axis in lattice.axes().filter(|&axis| acceleration[axis] != 0.0) {
        lattice.fill(&mut velocity[axis], &lattice.face_range(axis), |_, _, row| {
            for value in row {
                *value += dt * acceleration[axis];
            }
        });
    }
}

/// Vorticity confinement: f = ε Δx (N × ω) with N = ∇|ω| / |∇|ω||, \[Guendelman2006\] Sec. 4.4.3.
#[derive(Debug, Clone, Default)]
pub struct Confinement {
    /// ω in cells `[1/s]`, and its length.
    curl: [Vec<f64>; 3],
    size: Vec<f64>,
    /// f in cells `[m/s²]`.
    force: [Vec<f64>; 3],
}

impl Confinement {
    /// Adds the force of strength `epsilon` `[1/s]` over a time of `dt` `[s]` to the velocities, whose ghosts are filled.
    pub fn apply(&mut self, lattice: &CellLattice, epsilon: f64, dt: f64, velocity: &mut [Vec<f64>; 3]) {
        let slots = lattice.slots();
        for channel in self.curl.iter_mut().chain(&mut self.force).chain([&mut self.size]) {
            channel.resize(slots, 0.0);
        }
        self.find_curl(lattice, velocity);
        self.find_force(lattice, epsilon);
        for axis in lattice.axes() {
            let (stride, force) = (lattice.stride()[axis], &self.force[axis]);
            lattice.fill(&mut velocity[axis], &lattice.face_range(axis), |_, first, row| {
                for (index, value) in (first..).zip(row) {
                    *value += 0.5 * dt * (force[index] + force[index - stride]);
                }
            });
        }
    }

    /// ω by central differences over the neighbours of a cell.
    fn find_curl(&mut self, lattice: &CellLattice, velocity: &[Vec<f64>; 3]) {
        let (stride, half) = (lattice.stride(), 0.5 / lattice.spacing());
        let flow = Flow { lattice, velocity };
        let centre = |index: usize| flow.at_slot(Site::Cell, index);
        let curl = |index: usize| {
            let slope = |axis: usize| half * (centre(index + stride[axis]) - centre(index - stride[axis]));
            let [x, y, z] = [slope(0), slope(1), slope(2)];
            DVec3::new(y.z - z.y, z.x - x.z, x.y - y.x)
        };
        let cells = lattice.cell_range();
        for axis in 0..3 {
            lattice.fill(&mut self.curl[axis], &cells, |_, first, row| {
                (first..).zip(row).for_each(|(index, value)| *value = curl(index)[axis]);
            });
        }
        let [x, y, z] = &self.curl;
        lattice.fill(&mut self.size, &cells, |_, first, row| {
            (first..).zip(row).for_each(|(n, value)| *value = DVec3::new(x[n], y[n], z[n]).length());
        });
    }

    fn find_force(&mut self, lattice: &CellLattice, epsilon: f64) {
        let Self { curl, size, force } = self;
        let stride = lattice.stride();
        let at = |n: usize| {
            let slope = |axis: usize| size[n + stride[axis]] - size[n - stride[axis]];
            let towards = DVec3::new(slope(0), slope(1), slope(2)).normalize_or_zero();
            epsilon * lattice.spacing() * towards.cross(DVec3::new(curl[0][n], curl[1][n], curl[2][n]))
        };
        for axis in lattice.axes() {
            lattice.fill(&mut force[axis], &lattice.cell_range(), |_, first, row| {
                (first..).zip(row).for_each(|(index, value)| *value = at(index)[axis]);
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use meniscus_core::Dimension;

    #[test]
    fn confinement_spins_a_vortex_up_and_leaves_a_uniform_flow_alone() {
        let grid = CellLattice::new(Dimension::Two, [32, 32, 1], 1.0 / 32.0, DVec3::ZERO).unwrap();
        let middle = DVec3::new(0.5, 0.5, 0.0);
        let vortex = |x: DVec3| {
            let r = x - middle;
            DVec3::Z.cross(r) * (-r.length_squared() / 0.02).exp()
        };
        let filled = |field: &dyn Fn(DVec3) -> DVec3| {
            let mut velocity = [grid.channel(), grid.channel(), grid.channel()];
            for axis in grid.axes() {
                for (index, value) in velocity[axis].iter_mut().enumerate() {
                    *value = field(grid.position(Site::Face(axis), grid.slot(index)))[axis];
                }
            }
            velocity
        };
        let mut confinement = Confinement::default();
        let mut velocity = filled(&vortex);
        let flow =
            |velocity: &[Vec<f64>; 3]| Flow { lattice: &grid, velocity }.at(middle + 0.05 * DVec3::X).y;
        let before = flow(&velocity);
        confinement.apply(&grid, 1.0, 0.1, &mut velocity);
        assert!(flow(&velocity) > before, "{before} {}", flow(&velocity));
        let mut uniform = filled(&|_| DVec3::new(1.0, 2.0, 0.0));
        let still = uniform.clone();
        confinement.apply(&grid, 1.0, 0.1, &mut uniform);
        assert_eq!(uniform, still);
    }
}

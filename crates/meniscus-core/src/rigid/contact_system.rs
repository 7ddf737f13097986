//! Direct forcing against bodies that give way (\[Becker2009\] Sec. V-B).
//!
//! A contact pushes the particle and the body apart. The body moves under all of its contacts together, and each of them must
//! hold for that motion: with N_l = (n, r × n) the direction of contact l in the body's six coordinates, S its mobility and
//! m a particle's mass, the change δ of its motion obeys
//!
//! (1 + m S Σ_l N_l N_lᵀ) δ = −m S Σ_l b_l N_l,
//!
//! where b_l is what the particle lacks of its limit while the body stays as it is. It is Eq. 18 for the normal
//! directions alone, multiplied by S, so that a body that can only turn or only move in the plane is nothing special.
//! Slip and rebound are settled at the end of the step by the same equation with full 3 × 3 blocks.
//!
//! Departures: which contacts push is not known in advance (Eq. 9), so the system is solved a few times, each time with those
//! that push under the last result. A particle with a wall behind it is one contact more, with that wall.

use super::{Mobility, Twist};
use glam::{DMat3, DVec3};

/// A vector in a body's six coordinates: linear, angular.
#[derive(Debug, Clone, Copy, Default)]
struct Vec6([f64; 6]);

impl Vec6 {
    fn new(linear: DVec3, angular: DVec3) -> Self {
        let ([a, b, c], [d, e, f]) = (linear.to_array(), angular.to_array());
        Self([a, b, c, d, e, f])
    }

    fn twist(self) -> Twist {
        let [a, b, c, d, e, f] = self.0;
        Twist { linear: DVec3::new(a, b, c), angular: DVec3::new(d, e, f) }
    }

    fn linear(self) -> DVec3 {
        self.twist().linear
    }

    fn angular(self) -> DVec3 {
        self.twist().angular
    }
}

/// A contact that is solved for together with the others of its body, with all that is asked of it again and again.
#[derive(Debug, Clone, Copy)]
pub struct BodyContactRow {
    /// The body's carrier.
    slot: usize,
    /// N_l.
    along: Vec6,
    /// b_l `[m/s]`.
    deficit: f64,
    /// How heavy what it pushes against is, in masses of a particle `[1]`.
    weight: f64,
    /// Whether it pushed its body when that was last solved for.
    active: bool,
}

impl BodyContactRow {
    /// One that has not been asked yet, along `normal` at `arm` `[m]` from the centre of the carrier `slot`, of a particle that
    /// lacks `deficit` `[m/s]`.
    #[must_use]
    pub fn new(slot: usize, arm: DVec3, normal: DVec3, deficit: f64) -> Self {
        Self { slot, along: Vec6::new(normal, arm.cross(normal)), deficit, weight: 1.0, active: false }
    }

    /// The same for a particle that passes on what it receives to something as heavy as `weight` particles `[1]`.
    #[must_use]
    pub fn weighing(self, weight: f64) -> Self {
        Self { weight, ..self }
    }

    /// Finds out whether it pushes when carriers change their motions by `twist`, and tells whether that is new: few change, and
    /// only those are added to the sums, or taken out of them. `mass` is a particle's `[kg]`.
    pub fn update_active(&mut self, twist: &[Twist], sums: &mut [ReducedSystem], mass: f64) -> bool {
        let Self { slot, along, deficit, weight, .. } = *self;
        let mass = weight * mass;
        let recoil = along.linear().dot(twist[slot].linear) + along.angular().dot(twist[slot].angular);
        let active = deficit + recoil > 0.0;
        let changed = active != self.active;
        if changed {
            sums[slot].add_along(along, if active { mass } else { -mass }, deficit);
        }
        self.active = active;
        changed
    }
}

/// The motion of one body under its contacts: the sums of Eq. 18.
#[derive(Debug, Clone, Copy, Default)]
pub struct ReducedSystem {
    /// Σ of what contacts take per change of motion `[kg]`, `[kg m]`, `[kg m²]`.
    matrix: [Vec6; 6],
    /// Their impulse while the body stays as it is `[N s]`, `[N m s]`.
    impulse: Vec6,
}

impl ReducedSystem {
    /// A contact at `arm` `[m]` from the centre that changes the particle's velocity by `block` times the wall's change;
    /// `impulse` is the body's while it stays as it is `[N s]`.
    pub fn add(&mut self, arm: DVec3, block: DMat3, mass: f64, impulse: DVec3) {
        let turn = arm.cross(impulse);
        let now = Vec6::new(impulse, turn);
        for (sum, part) in self.impulse.0.iter_mut().zip(now.0) {
            *sum += part;
        }
        for (n, column) in self.matrix.iter_mut().enumerate() {
            let axis = DVec3::AXES[n % 3];
            let wall = if n < 3 { axis } else { axis.cross(arm) };
            let taken = mass * (block * wall);
            let part = Vec6::new(taken, arm.cross(taken));
            for (sum, part) in column.0.iter_mut().zip(part.0) {
                *sum += part;
            }
        }
    }

    /// A contact that acts along its normal alone, N = `along`: the particle lacks `deficit` `[m/s]` of its limit while the body stays
    /// as it is. The same as [`ReducedSystem::add`] with the block n nᵀ, for a tenth of the work.
    fn add_along(&mut self, along: Vec6, mass: f64, deficit: f64) {
        for (sum, part) in self.impulse.0.iter_mut().zip(along.0) {
            *sum -= mass * deficit * part;
        }
        for (column, part) in self.matrix.iter_mut().zip(along.0) {
            let scale = mass * part;
            for (sum, part) in column.0.iter_mut().zip(along.0) {
                *sum += scale * part;
            }
        }
    }

    /// How the body's motion changes: \[Becker2009\] Eq. 18.
    #[must_use]
    pub fn solve(&self, mobility: &Mobility) -> Twist {
        let answer = |load: Vec6| {
            let Twist { linear, angular } = mobility.respond(load.linear(), load.angular());
            Vec6::new(linear, angular)
        };
        let mut rows = [[0.0; 7]; 6];
        for (n, column) in self.matrix.iter().enumerate() {
            for (row, value) in rows.iter_mut().zip(answer(*column).0) {
                row[n] = value;
            }
            rows[n][n] += 1.0;
        }
        for (row, value) in rows.iter_mut().zip(answer(self.impulse).0) {
            row[6] = value;
        }
        Vec6(eliminate(rows)).twist()
    }
}

/// Solves six equations, the right side in the last column, by elimination with row pivots. The matrix is one plus a product of
/// two positive semidefinite ones, so no pivot vanishes.
fn eliminate(mut rows: [[f64; 7]; 6]) -> [f64; 6] {
    for n in 0..6 {
        let largest = (n..6).max_by(|&a, &b| rows[a][n].abs().total_cmp(&rows[b][n].abs()));
        rows.swap(n, largest.unwrap_or(n));
        let pivot = rows[n];
        for row in &mut rows[n + 1..] {
            let factor = row[n] / pivot[n];
            for (value, above) in row.iter_mut().zip(pivot) {
                *value -= factor * above;
            }
        }
    }
    let mut result = [0.0; 6];
    for n in (0..6).rev() {
        let known: f64 = (n + 1..6).map(|k| rows[n][k] * result[k]).sum();
        result[n] = (rows[n][6] - known) / rows[n][n];
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of a brick of 2 kg.
    fn brick() -> Mobility {
        Mobility {
            linear: DMat3::from_diagonal(DVec3::splat(0.5)),
            angular: DMat3::from_diagonal(DVec3::new(1.0 / 0.3, 1.0 / 0.7, 1.0 / 0.9)),
            lever: DMat3::ZERO,
        }
    }

    #[test]
    fn a_particle_that_sticks_shares_its_momentum() {
        // 1 kg at 3 m/s meets 2 kg at rest in the centre line: both go on at 1 m/s.
        let mut system = ReducedSystem::default();
        system.add(DVec3::new(-0.5, 0.0, 0.0), DMat3::IDENTITY, 1.0, DVec3::new(3.0, 0.0, 0.0));
        let twist = system.solve(&brick());
        assert!((twist.linear - DVec3::X).length() < 1e-12, "{twist:?}");
        assert!(twist.angular.length() < 1e-12);
    }

    #[test]
    fn contacts_hold_for_the_motion_that_all_of_them_cause() {
        let contacts = [
            (DVec3::new(0.3, -0.2, 0.1), DVec3::new(1.0, 2.0, 0.5).normalize(), -1.0),
            (DVec3::new(-0.2, 0.4, 0.3), DVec3::new(-1.0, 0.3, 2.0).normalize(), -0.4),
            (DVec3::new(0.1, 0.1, -0.6), DVec3::new(0.2, -0.9, 0.4).normalize(), -2.0),
        ];
        let mass = 0.7;
        let mut system = ReducedSystem::default();
        for (arm, n, v) in contacts {
            system.add_along(Vec6::new(n, arm.cross(n)), mass, -v);
        }
        let twist = system.solve(&brick());
        // Each particle ends with the wall's normal velocity; what it lost is the body's impulse.
        let (mut impulse, mut turn) = (DVec3::ZERO, DVec3::ZERO);
        for (arm, n, v) in contacts {
            let wall = (twist.linear + twist.angular.cross(arm)).dot(n);
            impulse += mass * (v - wall) * n;
            turn += arm.cross(mass * (v - wall) * n);
        }
        assert!((brick().linear * impulse - twist.linear).length() < 1e-12);
        assert!((brick().angular * turn - twist.angular).length() < 1e-12);
    }
}

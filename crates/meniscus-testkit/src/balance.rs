//! What the fluid loses the bodies receive.

use crate::run::Run;
use anyhow::Result;
use glam::DVec3;

/// How well the momentum of fluid is accounted for over some steps.
#[derive(Debug, Clone, Copy, Default)]
pub struct Balance {
    /// Largest gap of a running balance, over the impulse of gravity so far `[1]`.
    pub linear: f64,
    /// The same of the angular momentum about the origin `[1]`.
    pub angular: f64,
    /// Impulse that bodies took along x, over the impulse of gravity `[1]`.
    pub sideways: f64,
}

impl Run {
    /// Takes steps, and compares the change of the fluid's momentum with the impulse of gravity less the loads on all
    /// bodies.
    pub fn balance(&mut self, steps: u32) -> Result<Balance> {
        let (mass, gravity) = (self.particle_mass(), self.gravity());
        let start = self.fluid_sums();
        let (mut impulse, mut angular_impulse, mut load) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
        let (mut pulled, mut turned) = (0.0, 0.0);
        let mut worst = Balance::default();
        for _ in 0..steps {
            let before = self.positions().to_vec();
            let weight = mass * self.step()?.dt * gravity;
            impulse += weight * before.len() as f64;
            angular_impulse += before.iter().map(|x| x.cross(weight)).sum::<DVec3>();
            pulled += weight.length() * before.len() as f64;
            turned += before.iter().map(|x| x.cross(weight).length()).sum::<f64>();
            for k in 0..self.body_count() {
                impulse -= self.load(k).impulse;
                angular_impulse -= self.load(k).angular_impulse;
                load += self.load(k).impulse;
            }
            let now = self.fluid_sums();
            let linear = (now.momentum - start.momentum - impulse).length() / pulled;
            let angular = (now.angular_momentum - start.angular_momentum - angular_impulse).length() / turned;
            worst.linear = worst.linear.max(linear);
            worst.angular = worst.angular.max(angular);
        }
        worst.sideways = load.x.abs() / pulled;
        Ok(worst)
    }

    /// Momentum and angular momentum about the origin of all that moves: of the fluid and of free bodies `[kg m/s]`,
    /// `[kg m²/s]`.
    pub fn momentum(&self) -> [DVec3; 2] {
        let (row, solids) = (self.fluid_sums(), self.series_row().solids.unwrap_or_default());
        [row.momentum + solids.momentum, row.angular_momentum + solids.angular_momentum]
    }
}

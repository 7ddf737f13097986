//! What the fluid loses the walls receive.

use glam::DVec3;
use meniscus_coupling::Simulation;

/// How well momentum is accounted for over some steps.
pub struct Balance {
    /// Largest gap of a running balance, over the impulse of gravity so far.
    pub linear: f64,
    /// The same of the angular momentum.
    pub angular: f64,
    /// Impulse that the walls took sideways, over the impulse of gravity.
    pub sideways: f64,
}

/// Takes steps, and compares the change of the fluid's momentum with the impulse of gravity less the loads of the interface.
pub fn balance(simulation: &mut Simulation, steps: u32) -> Balance {
    let (mass, gravity) = (simulation.setup().sph.fluid.mass(), simulation.setup().gravity);
    let start = simulation.series_row();
    let (mut impulse, mut angular_impulse, mut load) = (DVec3::ZERO, DVec3::ZERO, DVec3::ZERO);
    let (mut pulled, mut turned) = (0.0, 0.0);
    let mut worst = Balance { linear: 0.0, angular: 0.0, sideways: 0.0 };
    for _ in 0..steps {
        let before = simulation.particles().position.clone();
        let dt = simulation.step().unwrap().dt;
        let weight = mass * dt * gravity;
        impulse += weight * before.len() as f64;
        angular_impulse += before.iter().map(|x| x.cross(weight)).sum::<DVec3>();
        pulled += weight.length() * before.len() as f64;
        turned += before.iter().map(|x| x.cross(weight).length()).sum::<f64>();
        for body in &simulation.interface().load {
            impulse -= body.impulse;
            angular_impulse -= body.angular_impulse;
            load += body.impulse;
        }
        let now = simulation.series_row();
        let linear = (now.momentum - start.momentum - impulse).length() / pulled;
        let angular = (now.angular_momentum - start.angular_momentum - angular_impulse).length() / turned;
        worst.linear = worst.linear.max(linear);
        worst.angular = worst.angular.max(angular);
    }
    worst.sideways = load.x.abs() / pulled;
    worst
}

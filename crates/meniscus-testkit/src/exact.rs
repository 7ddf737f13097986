//! Densities in double precision, over all pairs.

use glam::DVec3;
use meniscus_coupling::Setup;
use meniscus_sph::kernel::Kernel;

/// The density of any fluid in a scene whose walls are samples, weighted as in \[Akinci2013\] Eq. 1.
#[derive(Debug, Clone)]
pub struct ExactDensity {
    kernel: Kernel,
    /// Of a particle `[m³]`.
    volume: f64,
    /// Samples with their volumes `[m]`, `[m³]`.
    wall: Vec<(DVec3, f64)>,
}

impl ExactDensity {
    /// Of a scene, with its bodies where they are at the start.
    pub fn of(setup: &Setup) -> Self {
        let kernel = setup.sph.fluid.kernel;
        let samples = setup.sph.samples.iter().flat_map(|s| s.position.iter().map(|&x| (x, s.volume_factor)));
        let factor: Vec<(DVec3, f64)> = samples.collect();
        let number_density = |x: DVec3| factor.iter().map(|(y, _)| kernel.value(x.distance(*y))).sum::<f64>();
        let wall = factor.iter().map(|&(x, factor)| (x, factor / number_density(x))).collect();
        Self { kernel, volume: setup.sph.fluid.kernel_volume(), wall }
    }

    /// ρ / ρ0 of particles at these places `[m]`, which are all the fluid there is `[1]`.
    pub fn at(&self, position: &[DVec3]) -> Vec<f64> {
        let value = |x: DVec3, y: DVec3| self.kernel.value(x.distance(y));
        let density = |&x: &DVec3| {
            let fluid: f64 = position.iter().map(|&y| self.volume * value(x, y)).sum();
            let wall: f64 = self.wall.iter().map(|&(y, volume)| volume * value(x, y)).sum();
            fluid + wall
        };
        position.iter().map(density).collect()
    }
}

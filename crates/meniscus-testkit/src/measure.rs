//! What is measured of a run.

use crate::run::Run;
use anyhow::Result;
use glam::DVec3;

impl Run {
    /// Kinetic energy of the fluid, in the plane per metre across it `[J]`.
    pub fn kinetic_energy(&self) -> f64 {
        let squares: f64 = self.velocities().iter().map(|v| v.length_squared()).sum();
        0.5 * self.particle_mass() * squares
    }

    /// The same of the bodies that move freely `[J]`.
    pub fn solid_kinetic_energy(&self) -> f64 {
        self.series_row().solids.map_or(0.0, |row| row.kinetic_energy)
    }

    /// Potential energy of fluid and bodies that move freely, zero at the origin `[J]`.
    pub fn potential_energy(&self) -> f64 {
        let solids = self.series_row().solids.unwrap_or_default();
        self.fluid_sums().potential_energy + solids.potential_energy
    }

    /// The most kinetic energy that the fluid has until a time `[J]`.
    pub fn most_kinetic_energy(&mut self, until: f64) -> Result<f64> {
        let mut most: f64 = 0.0;
        self.watch(until, |run| most = most.max(run.kinetic_energy()))?;
        Ok(most)
    }

    /// The fastest particle `[m/s]`.
    pub fn fastest(&self) -> f64 {
        self.velocities().iter().map(|v| v.length()).fold(0.0, f64::max)
    }

    /// Root mean square of the particles' speeds `[m/s]`.
    pub fn mean_speed(&self) -> f64 {
        let squares: f64 = self.velocities().iter().map(|v| v.length_squared()).sum();
        (squares / self.velocities().len() as f64).sqrt()
    }

    /// Height of the highest particle's centre `[m]`.
    pub fn highest(&self) -> f64 {
        self.positions().iter().map(|x| x.y).fold(f64::NEG_INFINITY, f64::max)
    }

    /// Height of the lowest particle's centre `[m]`.
    pub fn lowest(&self) -> f64 {
        self.positions().iter().map(|x| x.y).fold(f64::INFINITY, f64::min)
    }

    /// Where the water's surface is, half a spacing above the highest particle `[m]`.
    pub fn surface(&self) -> f64 {
        self.highest() + 0.5 * self.spacing()
    }

    /// Volume of the fluid, in the plane for a metre of depth `[m³]`.
    pub fn fluid_volume(&self) -> f64 {
        self.positions().len() as f64 * self.dimension().cell_volume(self.spacing())
    }

    /// Weight of the fluid `[N]`.
    pub fn fluid_weight(&self) -> f64 {
        self.particle_mass() * self.gravity().length() * self.positions().len() as f64
    }

    /// Where a body's origin is `[m]`.
    pub fn place(&self, k: usize) -> DVec3 {
        self.body(k).pose.translation
    }

    /// How far a body's y axis is from pointing upwards `[rad]`.
    pub fn tilt(&self, k: usize) -> f64 {
        (self.body(k).pose.rotation * DVec3::Y).y.clamp(-1.0, 1.0).acos()
    }

    /// The mean force of the fluid on a body from now until a time `[N]`.
    pub fn mean_force(&mut self, k: usize, until: f64) -> Result<DVec3> {
        let (mut impulse, start) = (DVec3::ZERO, self.time());
        self.watch(until, |run| impulse += run.load(k).impulse)?;
        Ok(impulse / (self.time() - start))
    }

    /// The least distance of any particle from a body, negative inside of it `[m]`.
    pub fn nearest(&self, k: usize) -> f64 {
        let solid = self.solid(k);
        let distance = |&x: &DVec3| solid.signed_distance(x, self.dimension());
        self.positions().iter().map(distance).fold(f64::INFINITY, f64::min)
    }

    /// The mean of the pressures that act on the particles below a height `[Pa]`.
    pub fn pressure_below(&mut self, height: f64) -> f64 {
        let pressures = self.pressures();
        let low = self.positions().iter().zip(pressures).filter(|(x, _)| x.y < height);
        let (sum, count) = low.fold((0.0, 0.0), |(sum, count), (_, p)| (sum + f64::from(p), count + 1.0));
        sum / count
    }

    /// How well the pressures of now match ρ g (H − y): the largest error of a layer as high as the kernel reaches,
    /// relative to the pressure at the bottom `[1]`. Pressures of neighbouring lattice layers alternate slightly.
    pub fn hydrostatic_error(&self, depth: f64) -> f64 {
        let reach = 2.0 * self.spacing();
        let layers = (depth / reach).round().max(1.0) as usize;
        let slope =
            self.particle_mass() / self.dimension().cell_volume(self.spacing()) * self.gravity().length();
        let mut layer = vec![(0.0, 0.0); layers];
        for (x, p) in self.positions().iter().zip(self.solved_pressures()) {
            let (sum, count) = &mut layer[((x.y / reach) as usize).min(layers - 1)];
            *sum += f64::from(*p) - slope * (depth - x.y);
            *count += 1.0;
        }
        let bottom = slope * depth;
        layer.iter().map(|(sum, count)| (sum / count / bottom).abs()).fold(0.0, f64::max)
    }
}

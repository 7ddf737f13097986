//! The experiment of \[Wang2017\] Sec. 5: 100 random points in a square of 0.1 m.

use anyhow::Result;
use glam::DVec3;
use meniscus_geometry::Aabb;
use meniscus_geometry::sample::{RandomRelaxParams, RandomRelaxation, RandomStream, RelaxParams, Relaxation};

/// The square.
pub const SQUARE: Aabb = Aabb { min: DVec3::ZERO, max: DVec3::new(0.1, 0.1, 0.0) };

/// Random points in the square `[m]`.
#[must_use]
pub fn scattered(count: usize, seed: u64) -> Vec<DVec3> {
    let mut random = RandomStream::new(seed);
    (0..count).map(|_| DVec3::new(random.unit(), random.unit(), 0.0) * 0.1).collect()
}

/// Points nearer than the radius to another one, before and after each sweep along the density's gradient.
///
/// # Errors
/// If the parameters make no sense.
pub fn by_gradient(points: &[DVec3], params: RelaxParams) -> Result<(Vec<usize>, Vec<DVec3>)> {
    let mut relaxation = Relaxation::new(points, &SQUARE, params)?;
    let mut count = vec![relaxation.violations()];
    for _ in 0..params.sweeps {
        relaxation.sweep();
        count.push(relaxation.violations());
    }
    Ok((count, relaxation.samples().to_vec()))
}

/// The same for random trials.
///
/// # Errors
/// If the parameters make no sense.
pub fn by_trials(points: &[DVec3], params: RandomRelaxParams) -> Result<(Vec<usize>, Vec<DVec3>)> {
    let mut relaxation = RandomRelaxation::new(points, &SQUARE, params)?;
    let mut count = vec![relaxation.violations()];
    for _ in 0..params.sweeps {
        relaxation.sweep();
        count.push(relaxation.violations());
    }
    Ok((count, relaxation.samples().to_vec()))
}

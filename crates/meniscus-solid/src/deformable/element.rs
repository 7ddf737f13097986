//! What every finite element does: forces of a step and how they change with its displacements.
//!
//! A step takes nodes from x to x' = x + Δx in dt with velocities v and v' = 2 Δx/dt − v. Elements push with a stress that
//! depends on both ends, so that the work of a step is what the energy loses [Simo1992], [Gonzalez2000]; see
//! [`super::step`].

use glam::{DMat3, DVec3};

/// A step as elements see it.
#[derive(Clone, Copy)]
pub(crate) struct Motion<'a> {
    /// At its start `[m]`.
    pub(crate) start: &'a [DVec3],
    /// At its end `[m]`.
    pub(crate) end: &'a [DVec3],
    /// Velocities at its end `[m/s]`.
    pub(crate) velocity: &'a [DVec3],
    /// Its length `[s]`.
    pub(crate) dt: f64,
    /// Viscous stress is what this time makes of the rate of strain, by the stiffness at rest `[s]`.
    pub(crate) damping: f64,
}

impl Motion<'_> {
    /// How much stiffness counts in the tangent: half for the mean of both ends, the rest for viscous stress.
    pub(crate) fn viscous_share(&self) -> f64 {
        2.0 * self.damping / self.dt
    }
}

/// A finite element with its nodes.
pub(crate) trait Element: Send + Sync {
    /// How many nodes it has.
    const NODES: usize;

    /// Which ones.
    fn nodes(&self) -> &[u32];

    /// Its elastic energy `[J]`.
    fn energy(&self, x: &[DVec3]) -> f64;

    /// The gradient of its energy and viscous potential on each node, which is minus its force `[N]`.
    fn gradient(&self, motion: &Motion<'_>, out: &mut [DVec3]);

    /// How that gradient changes with Δx: one block for each pair of nodes, row by row, symmetric and positive
    /// semi-definite `[N/m]`.
    fn tangent(&self, motion: &Motion<'_>, out: &mut [DMat3]);

    /// Its largest stretch: length over that at rest `[1]`.
    fn stretch(&self, x: &[DVec3]) -> f64;
}

/// The outer product a bᵀ.
pub(crate) fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

//! The samples of bodies and their volumes (\[Akinci2013\] Sec. 2.1, after \[Akinci2012\]).
//!
//! | here | paper |
//! | --- | --- |
//! | `volume` V_b | V_b = 1 / δ_b = 1 / Σ_k W_ik (Eq. 1) |
//! | V_b W, V_b ∇W | Ψ_b(ρ0) W / ρ0, Ψ_b(ρ0) ∇W / ρ0 |
//!
//! Departures:
//! * Eq. 1 makes a single layer of samples stand for all the solid behind it, and overestimates it: a fluid lattice that
//!   starts half a spacing from the wall sees a density above the rest density, and is pushed away until the
//!   surplus is gone. `volume_factor` scales V_b so that a flat wall completes the lattice exactly
//!   ([`flat_wall_volume_factor`](super::flat_wall_volume_factor)); together with samples that sit half a spacing inside
//!   the solid, the water ends where the solid is drawn. A factor of 1 is the paper's formula.

use super::{ForcingParams, PenaltyParams, Touch};
use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::Kernel;
use glam::DVec3;
use meniscus_core::BodyId;
use rayon::prelude::*;

/// How a body answers the fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Response {
    /// With the fluid's own pressure and viscosity: volume particles.
    Pressure,
    /// With contacts: direct forcing.
    Forcing(ForcingParams),
    /// With repulsion: penalty forces.
    Penalty(PenaltyParams),
}

/// The samples of one body.
#[derive(Debug, Clone)]
pub struct BodySamples {
    /// Whose they are.
    pub body: BodyId,
    /// Where they are while the body is at rest `[m]`.
    pub position: Vec<DVec3>,
    /// Scale of the volumes of Eq. 1 `[1]`.
    pub volume_factor: f64,
    /// Depth of the first layer of samples below the drawn surface, in spacings `[1]`.
    pub first_depth: f64,
    /// How the body answers.
    pub response: Response,
    /// How each sample touches fluid, with normals as the body is at rest in its own frame; empty for a body that answers
    /// with pressure.
    pub touch: Vec<Touch>,
}

/// \[Akinci2013\] Eq. 1 in double precision, times each sample's factor `[m^d]`.
pub(super) fn volumes(kernel: &Kernel, position: &[DVec3], factor: &[f64]) -> Vec<f64> {
    let mut volume = vec![0.0; position.len()];
    let Some(frame) = frame_around(position, kernel.support_radius) else { return volume };
    let packed: Vec<[i32; 4]> = position
        .par_iter()
        .map(|&x| {
            let [x, y, z] = frame.encode(x);
            [x, y, z, 0]
        })
        .collect();
    let (mut grid, mut order) = (CellGrid::default(), Vec::new());
    grid.sort(&frame, kernel.dimension, &packed, &mut order);
    let density: Vec<f64> = order
        .par_iter()
        .map(|&point| {
            let here = position[point as usize];
            let runs = grid.block(grid.cell_of(packed[point as usize]));
            let value = |m: usize| kernel.value(here.distance(position[order[m] as usize]));
            runs.ranges().map(|run| run.map(value).sum::<f64>()).sum::<f64>()
        })
        .collect();
    for (&point, density) in order.iter().zip(density) {
        volume[point as usize] = factor[point as usize] / density;
    }
    volume
}

fn frame_around(position: &[DVec3], cell: f64) -> Option<FixedFrame> {
    let first = *position.first()?;
    let (min, max) = position.iter().fold((first, first), |(a, b), &x| (a.min(x), b.max(x)));
    FixedFrame::covering(min, max, cell)
}

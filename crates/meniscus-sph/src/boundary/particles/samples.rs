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
//! * Eq. 1 makes edges of boxes too light whose samples are less than a spacing apart ([`edge_volume_correction`]).

use super::SampleGeometry;
use crate::boundary::{ForcingParams, PenaltyParams};
use crate::fixed::FixedFrame;
use crate::grid::CellGrid;
use crate::kernel::Kernel;
use glam::DVec3;
use meniscus_core::{Anchor, BodyId};
use rayon::prelude::*;

/// How a body answers the fluid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BoundaryTreatment {
    /// With the fluid's own pressure and viscosity: volume particles.
    Pressure,
    /// With contacts: direct forcing.
    DirectForcing(ForcingParams),
    /// With repulsion: penalty forces.
    Penalty(PenaltyParams),
}

impl BoundaryTreatment {
    /// How fast what they throw back travels, which steps must resolve `[m/s]`.
    #[must_use]
    pub fn signal_speed(&self) -> f64 {
        match self {
            Self::Penalty(params) => params.stiffness.sqrt(),
            Self::Pressure | Self::DirectForcing(_) => 0.0,
        }
    }
}

/// The samples of one body.
#[derive(Debug, Clone)]
pub struct BodySamples {
    /// Whose they are.
    pub body: BodyId,
    /// Where they are while the body is at rest `[m]`.
    pub position: Vec<DVec3>,
    /// Where each is fixed to a deformable body; empty for a rigid one, in whose frame they stay where they are.
    pub anchor: Vec<Anchor>,
    /// Scale of the volumes of Eq. 1 `[1]`.
    pub volume_factor: f64,
    /// A further factor for each sample, see [`edge_volume_correction`]; empty if there is none `[1]`.
    pub edge_correction: Vec<f64>,
    /// Depth of the first layer of samples below the drawn surface, in spacings `[1]`.
    pub first_depth: f64,
    /// How the body answers.
    pub treatment: BoundaryTreatment,
    /// How each sample touches fluid, with normals as the body is at rest in its own frame; empty for a body that answers
    /// with pressure.
    pub geometry: Vec<SampleGeometry>,
}

/// \[Akinci2013\] Eq. 1 in double precision, times each sample's factor `[m^d]`.
pub(super) fn volumes(kernel: &Kernel, position: &[DVec3], factor: &[f64]) -> Vec<f64> {
    number_densities(kernel, position).iter().zip(factor).map(|(density, factor)| factor / density).collect()
}

/// Distances of samples that differ from a spacing by less than this are a spacing, in spacings `[1]`.
const EVEN: f64 = 1e-9;

/// Samples this near to a face are on it, in spacings `[1]`.
const ON_FACE: f64 = 1e-6;

/// The fewest intervals along an edge that are brought to a spacing: fewer are farther from it, and then the distance of opposite faces counts `[1]`.
const MIN_EDGE_INTERVALS: f64 = 4.0;

/// The factors by which the samples on a box of this `size` `[m]`, given in its own frame `[m]`, have the volumes that they would have a `spacing` `[m]` apart.
///
/// An edge is as long as it is, however many samples it has, so each of them stands for as much of it as their distance says. Eq. 1 does not know that: with samples 0.95 spacings
/// apart it makes edges lighter in relation to faces, and boxes of 9.5 spacings displace half a percent less than their volume.
#[must_use]
pub fn edge_volume_correction(kernel: &Kernel, position: &[DVec3], size: DVec3, spacing: f64) -> Vec<f64> {
    let distance = size.to_array().map(|length| {
        let intervals = (length / spacing).round();
        if intervals < MIN_EDGE_INTERVALS { 1.0 } else { length / intervals / spacing }
    });
    if distance.iter().all(|d| (d - 1.0).abs() < EVEN) {
        return Vec::new();
    }
    let even: Vec<DVec3> = position.iter().map(|x| *x / DVec3::from(distance)).collect();
    let (now, then) = (number_densities(kernel, position), number_densities(kernel, &even));
    let share = |x: &DVec3| {
        let along = (0..3).filter(|&axis| x[axis].abs() < 0.5 * size[axis] - ON_FACE * spacing);
        along.map(|axis| distance[axis]).product::<f64>()
    };
    // The volume that Eq. 1 gives at even distances, times the distance along each axis of the surface: ADR 26.
    position.iter().zip(now.iter().zip(then)).map(|(x, (now, then))| share(x) * now / then).collect()
}

/// Σ_k W_ik of each sample `[1/m^d]`.
fn number_densities(kernel: &Kernel, position: &[DVec3]) -> Vec<f64> {
    let mut densities = vec![0.0; position.len()];
    let Some(frame) = frame_around(position, kernel.support_radius) else { return densities };
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
        densities[point as usize] = density;
    }
    densities
}

fn frame_around(position: &[DVec3], cell: f64) -> Option<FixedFrame> {
    let first = *position.first()?;
    let (min, max) = position.iter().fold((first, first), |(a, b), &x| (a.min(x), b.max(x)));
    FixedFrame::covering(min, max, cell)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::KernelKind;
    use meniscus_core::Dimension;
    use meniscus_geometry::{OpenFaces, Pose, Shape, Side, Solid};

    const SPACING: f64 = 0.1;

    /// The volume of all samples on a cube of this many spacings that are on one face, on an edge and on a corner, over the area, the length and the number of what
    /// they stand for.
    fn shares(across: f64) -> [f64; 3] {
        let kernel = Kernel {
            kind: KernelKind::CubicSpline,
            dimension: Dimension::Three,
            support_radius: 2.0 * SPACING,
        };
        let size = DVec3::splat(across * SPACING);
        let shape = Shape::Box { size, open: OpenFaces::NONE };
        let solid = Solid { shape, pose: Pose::default(), side: Side::Solid };
        let position = solid.sample_surface(SPACING, 0.5 * SPACING, Dimension::Three).unwrap();
        let inner = size - SPACING;
        let mut factor = edge_volume_correction(&kernel, &position, inner, SPACING);
        factor.resize(position.len(), 1.0);
        let apart = inner.x / (inner.x / SPACING).round();
        let mut volume = [f64::NAN; 3];
        for (x, v) in position.iter().zip(volumes(&kernel, &position, &factor)) {
            let faces = x.to_array().iter().filter(|c| c.abs() > 0.5 * inner.x - 1e-6).count();
            // Of a face those that are far from its edges.
            if faces > 1 || x.abs().min_element() < SPACING && x.abs().element_sum() < inner.x {
                volume[faces - 1] = v / apart.powi(3 - faces as i32);
            }
        }
        volume
    }

    #[test]
    fn samples_of_a_box_stand_for_its_faces_edges_and_corners_whatever_its_size() {
        let [face, edge, corner] = shares(10.0);
        for across in [6.4, 7.5, 9.5, 10.5, 11.3] {
            let now = shares(across);
            for (now, then) in now.into_iter().zip([face, edge, corner]) {
                assert!((now / then - 1.0).abs() < 1e-9, "{across}: {now} {then}");
            }
        }
    }

    #[test]
    fn boxes_of_whole_spacings_and_thin_ones_need_no_factors() {
        let kernel = Kernel {
            kind: KernelKind::CubicSpline,
            dimension: Dimension::Three,
            support_radius: 2.0 * SPACING,
        };
        for size in [DVec3::splat(0.9), DVec3::new(0.9, 0.25, 0.14)] {
            assert!(edge_volume_correction(&kernel, &[DVec3::ZERO], size, SPACING).is_empty(), "{size}");
        }
    }
}

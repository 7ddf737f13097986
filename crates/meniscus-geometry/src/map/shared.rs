//! The integral of γ(Φ) times a kernel at many nodes of a lattice at once.

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;

use super::grid::Grid;
use super::kronrod;
use super::profile::Profile;
use super::residue::Residue;
use super::stencil::Stencil;
use crate::RadialKernel;
use crate::field::Lattice;

/// The most points of a grid along an axis that are in memory at once, without those beyond its nodes `[1]`.
const MAX_POINTS: i64 = 160;
/// The most points for an edge of the map's cells; larger cells are integrated node by node `[1]`.
const MAX_PER_CELL: f64 = 64.0;

/// What is integrated, and on how fine a grid.
pub(super) struct SharedQuadrature<'a> {
    lattice: &'a Lattice,
    profile: Profile,
    /// The support radius `[m]`.
    support: f64,
    /// Points for an edge of a cell `[1]`.
    per_cell: i64,
    /// For nodes on points of the grid, then for those a third and two thirds above one along x, y and z.
    stencil: Vec<Stencil>,
}

/// Where a node is: the cell it belongs to, the point of the grid below it, and which stencil it takes.
struct Place {
    cell: [i64; 3],
    point: [i64; 3],
    stencil: usize,
}

impl<'a> SharedQuadrature<'a> {
    /// `None` if the cells are so large beside the support radius that nodes share nothing.
    pub fn new(
        lattice: &'a Lattice,
        kernel: &impl RadialKernel,
        profile: Profile,
        tolerance: f64,
    ) -> Option<Self> {
        let support = kernel.support_radius();
        let per_cell = (lattice.cell() / support * points_per_support(tolerance) - 1e-9).ceil();
        if per_cell.is_nan() || per_cell > MAX_PER_CELL {
            return None;
        }
        let per_cell = per_cell.max(1.0);
        let spacing = lattice.cell() / per_cell;
        let planar = lattice.is_planar();
        let weight = |r: f64| kernel.value(spacing * r);
        let whole = integral(kernel, planar);
        let shifts = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|a| [a / 3.0, 2.0 * a / 3.0]);
        let stencil = std::iter::once(DVec3::ZERO)
            .chain(shifts)
            .map(|shift| Stencil::new(&weight, support / spacing, shift, planar, whole))
            .collect();
        Some(Self { lattice, profile, support, per_cell: per_cell as i64, stencil })
    }

    /// The integral at nodes of the lattice; `phi` is the distance, positive in the fluid `[m]`.
    pub fn integrate(&self, nodes: &[u64], phi: &(impl Fn(DVec3) -> f64 + Sync)) -> Vec<f64> {
        let mut out = vec![0.0; nodes.len()];
        let edge = (MAX_POINTS / self.per_cell).max(1);
        let mut order: Vec<([i64; 3], usize)> = nodes
            .par_iter()
            .enumerate()
            .map(|(i, &node)| (self.place(node).cell.map(|c| c / edge), i))
            .collect();
        order.par_sort_unstable();
        for tile in order.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<Place> = tile.par_iter().map(|(_, i)| self.place(nodes[*i])).collect();
            let values = self.tile(&places, phi);
            tile.iter().zip(values).for_each(|((_, i), value)| out[*i] = value);
        }
        out
    }

    /// The integral at some nodes that are close to each other.
    fn tile(&self, places: &[Place], phi: &(impl Fn(DVec3) -> f64 + Sync)) -> Vec<f64> {
        let Some(grid) = self.grid(places) else { return Vec::new() };
        let far = 4.0 * self.support;
        // Beyond that there is nothing, however far, and a distance that is no number is taken for it.
        let phi = |x: DVec3| Some(phi(x)).filter(|phi| phi.abs() < 1e3 * far).unwrap_or(far).min(far);
        let constant = |low, high| self.profile.is_constant(low, high, self.support);
        let distances = grid.distances(&phi, &constant);
        let mut mass: Vec<f64> = distances.par_iter().map(|d| self.profile.at(*d, self.support)).collect();
        let (profile, support) = (self.profile, self.support);
        Residue { grid: &grid, phi: &distances, distance: &phi, profile, support }.add_to(&mut mass);
        let index = |point: [i64; 3]| {
            let at: [usize; 3] = std::array::from_fn(|a| (point[a] - grid.first[a]) as usize);
            at.iter().zip(grid.stride()).map(|(a, s)| a * s).sum::<usize>()
        };
        let value = |place: &Place| self.stencil[place.stencil].sum(&grid, &mass, index(place.point));
        places.par_iter().with_min_len(64).map(value).collect()
    }

    /// The grid that the nodes need; nothing for no nodes.
    fn grid(&self, places: &[Place]) -> Option<Grid> {
        let spacing = self.lattice.cell() / self.per_cell as f64;
        let planar = self.lattice.is_planar();
        // Masses near the faces are not complete.
        let margin = Stencil::margin(self.support / spacing) as i64 + 3;
        let (mut first, mut count) = ([0; 3], [1; 3]);
        for axis in 0..if planar { 2 } else { 3 } {
            let along = || places.iter().map(|p| p.point[axis]);
            let (low, high) = (along().min()?, along().max()?);
            first[axis] = low - margin;
            count[axis] = (high - low + 1 + 2 * margin) as usize;
        }
        Some(Grid { origin: self.lattice.origin(), spacing, first, count, planar })
    }

    fn place(&self, node: u64) -> Place {
        let at = (self.lattice.node_position(node) - self.lattice.origin()) / self.lattice.cell();
        // Nodes are at corners and at thirds of edges.
        let thirds = at.to_array().map(|c| (3.0 * c).round() as i64);
        let count = self.lattice.count().map(|c| (c as i64 - 1).max(0));
        let cell = std::array::from_fn(|a| (thirds[a] / 3).min(count[a]));
        let point = thirds.map(|t| t * self.per_cell / 3);
        let above = thirds.map(|t| (t * self.per_cell % 3) as usize);
        let shifted = above.iter().enumerate().find(|(_, above)| **above > 0);
        let stencil = shifted.map_or(0, |(axis, above)| 2 * axis + above);
        Place { cell, point, stencil }
    }
}

/// Points of the grid for a support radius `[1]`. Errors fall with about the fourth power.
fn points_per_support(tolerance: f64) -> f64 {
    (8.0 * (1e-4 / tolerance).powf(0.25)).clamp(6.0, 24.0)
}

/// ∫ W over the plane or space `[1]`.
fn integral(kernel: &impl RadialKernel, planar: bool) -> f64 {
    let support = kernel.support_radius();
    let ends: Vec<f64> = [0.0].into_iter().chain(kernel.breaks().iter().copied()).chain([1.0]).collect();
    let dimension = if planar { Dimension::Two } else { Dimension::Three };
    let mut shell = |t: f64| {
        let area = std::f64::consts::TAU * if planar { t } else { 2.0 * t * t };
        dimension.cell_volume(support) * area * kernel.value(t * support)
    };
    ends.windows(2).map(|e| kronrod::both(&mut shell, e[0], e[1]).0).sum()
}

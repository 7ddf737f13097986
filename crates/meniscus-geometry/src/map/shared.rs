//! The integral of γ(Φ) times a kernel at many nodes of a lattice at once.

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;

use super::grid::Grid;
use super::profile::Profile;
use super::quadrature;
use super::residue::{self, Residue};
use super::stencil::Stencil;
use crate::distance::field::Lattice;
use crate::distance::{LocalDistance, NearDistance};
use crate::{Aabb, RadialKernel, SignedDistance};

/// The most points of a grid along an axis that are in memory at once, without those beyond its nodes `[1]`.
const MAX_POINTS: i64 = 160;
/// The most points for an edge of the map's cells; larger cells are integrated node by node `[1]`.
const MAX_PER_CELL: f64 = 64.0;

/// What a point of a grid takes: its distance, its mass and whether Φ bends there `[byte]`.
const BYTES_PER_POINT: f64 = 24.0;

/// What is integrated, and on how fine a grid.
pub(super) struct SharedQuadrature {
    lattice: Lattice,
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

impl SharedQuadrature {
    /// Weighted with a kernel; `None` if the cells are so large beside the support radius that nodes share nothing.
    pub fn weighted(
        lattice: &Lattice,
        kernel: &impl RadialKernel,
        profile: Profile,
        tolerance: f64,
    ) -> Option<Self> {
        // Errors fall with about the fourth power of the spacing.
        let points = (8.0 * (1e-4 / tolerance).powf(0.25)).clamp(6.0, 24.0);
        let planar = lattice.is_planar();
        let whole = integral(kernel, planar);
        Self::new(lattice, kernel.support_radius(), profile, points, |spacing, shift| {
            let weight = |r: f64| kernel.value(spacing * r);
            Stencil::kernel(&weight, kernel.support_radius() / spacing, shift, planar, whole)
        })
    }

    /// Without a weight, in units of the ball of radius `support` `[m]`; `None` as above.
    pub fn plain(lattice: &Lattice, support: f64, profile: Profile, tolerance: f64) -> Option<Self> {
        // Where a ball only just touches a kink of γ, errors fall with the third power, and Flush has the sharpest.
        let points = if profile == Profile::Flush { 12.0 } else { 8.0 };
        let points = (points * (1e-4 / tolerance).cbrt()).clamp(6.0, 24.0);
        let planar = lattice.is_planar();
        Self::new(lattice, support, profile, points, |spacing, shift| {
            Stencil::ball(support / spacing, shift, planar)
        })
    }

    /// With at least so many points for a support radius; `stencil` makes one for a spacing and a shift.
    fn new(
        lattice: &Lattice,
        support: f64,
        profile: Profile,
        points: f64,
        stencil: impl Fn(f64, DVec3) -> Stencil,
    ) -> Option<Self> {
        let per_cell = (lattice.cell() / support * points - 1e-9).ceil();
        if per_cell.is_nan() || per_cell > MAX_PER_CELL {
            return None;
        }
        let per_cell = per_cell.max(1.0);
        let spacing = lattice.cell() / per_cell;
        let shifts = [DVec3::X, DVec3::Y, DVec3::Z].into_iter().flat_map(|a| [a / 3.0, 2.0 * a / 3.0]);
        let stencil =
            std::iter::once(DVec3::ZERO).chain(shifts).map(|shift| stencil(spacing, shift)).collect();
        Some(Self { lattice: *lattice, profile, support, per_cell: per_cell as i64, stencil })
    }

    /// The integral at nodes of the lattice; `phi` is positive in the fluid.
    pub fn integrate(&self, nodes: &[u64], phi: &impl SignedDistance) -> Vec<f64> {
        let mut out = vec![0.0; nodes.len()];
        // A grid has fewer cells, and a map fewer nodes, than such a number can count.
        let mut order: Vec<(u32, u32)> =
            nodes.par_iter().enumerate().map(|(i, &node)| (self.tile_of(node), i as u32)).collect();
        order.par_sort_unstable();
        for tile in order.chunk_by(|a, b| a.0 == b.0) {
            let places: Vec<Place> = tile.par_iter().map(|(_, i)| self.place(nodes[*i as usize])).collect();
            let values = self.tile(&places, phi);
            tile.iter().zip(values).for_each(|((_, i), value)| out[*i as usize] = value);
        }
        out
    }

    /// Cells along the edge of a tile.
    fn edge(&self) -> i64 {
        (MAX_POINTS / self.per_cell).max(1)
    }

    /// The number of the tile that a node belongs to.
    fn tile_of(&self, node: u64) -> u32 {
        let edge = self.edge();
        let [_, y, z] = self.lattice.count().map(|c| c.div_ceil(edge as u64).max(1) as i64);
        let at = self.place(node).cell.map(|c| c / edge);
        ((at[0] * y + at[1]) * z + at[2]) as u32
    }

    /// The most that one tile's grid takes `[byte]`, if its nodes are within `cells` cells along each axis.
    pub fn tile_bytes(&self, cells: f64) -> f64 {
        let margin = Stencil::margin(self.support * self.per_cell as f64 / self.lattice.cell()) as f64 + 3.0;
        let along = |count: u64| {
            let cells = cells.min(self.edge() as f64).min(count as f64);
            cells * self.per_cell as f64 + 1.0 + 2.0 * margin
        };
        let [x, y, z] = self.lattice.count();
        let points = along(x) * along(y) * if self.lattice.is_planar() { 1.0 } else { along(z) };
        BYTES_PER_POINT * points
    }

    /// The integral at some nodes that are close to each other.
    fn tile(&self, places: &[Place], phi: &impl SignedDistance) -> Vec<f64> {
        let Some(grid) = self.grid(places) else { return Vec::new() };
        let phi = Felt { distance: phi, far: 4.0 * self.support };
        let constant = |low, high| self.profile.is_constant(low, high, self.support);
        let distances = grid.distances(&phi, self.support, &constant);
        let mut mass: Vec<f64> = distances.par_iter().map(|d| self.profile.at(*d, self.support)).collect();
        let (profile, support) = (self.profile, self.support);
        let bent = residue::bent(&grid, &distances);
        let (phi, distance) = (&distances, &phi);
        Residue { grid: &grid, phi, bent: &bent, distance, profile, support }.add_to(&mut mass);
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

/// A distance as far as it matters.
struct Felt<'a, D> {
    distance: &'a D,
    /// Beyond this there is nothing, however far `[m]`.
    far: f64,
}

/// The same of points in one neighbourhood.
struct FeltNear<'a> {
    distance: NearDistance<'a>,
    far: f64,
}

/// A distance that is no number, or absurd, is taken for nothing.
fn felt(far: f64, phi: f64) -> f64 {
    if phi.abs() < 1e3 * far { phi.min(far) } else { far }
}

impl LocalDistance for FeltNear<'_> {
    fn distance(&self, x: DVec3) -> f64 {
        felt(self.far, self.distance.distance(x))
    }

    fn narrowed(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        Box::new(FeltNear { distance: self.distance.narrowed(centre, half), far: self.far })
    }
}

impl<D: SignedDistance> SignedDistance for Felt<'_, D> {
    fn distance(&self, x: DVec3) -> f64 {
        felt(self.far, self.distance.distance(x))
    }

    fn distance_and_gradient(&self, x: DVec3) -> (f64, DVec3) {
        let (phi, gradient) = self.distance.distance_and_gradient(x);
        (felt(self.far, phi), gradient)
    }

    fn near(&self, centre: DVec3, half: DVec3) -> NearDistance<'_> {
        Box::new(FeltNear { distance: self.distance.near(centre, half), far: self.far })
    }

    fn bounds(&self) -> Aabb {
        self.distance.bounds()
    }
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
    ends.windows(2).map(|e| quadrature::both(&mut shell, e[0], e[1]).0).sum()
}

//! What a field takes, and what the making of it takes, from the number of its cells.
//!
//! | what | `[byte]` |
//! | --- | --- |
//! | the slot of a cell of the grid | 4 |
//! | the bit and the rank of its seven nodes (five in the plane) | 1.3 |
//! | while the band is found, the blocks around a cell of the band | 64 |
//! | the number of a cell of the band | 8 |
//! | the number of a node | 8 |
//! | a cell | 128 |
//! | what finds a cell equal to it | 28 |
//!
//! A band is as thick as a few cells, so that a cell of it has about eight nodes, in the plane six.

use rayon::prelude::*;

use super::band::Band;
use super::cell::Cell;
use super::lattice::Lattice;
use super::serendipity::allow_kept;
use super::slots::BELOW;
use crate::{GeometryError, SignedDistance};

/// Places that are looked at to see how much of a grid is in a band `[1]`.
const PROBES: u32 = 1 << 13;
/// From so many cells on they are counted one by one, because there may be too many `[1]`.
const COUNTED: f64 = 6e6;

/// A cell of the grid while a field is made, and afterwards `[byte]`.
const GRID_CELL: [f64; 2] = [5.3, 4.2];
/// The blocks around a cell of the band while the band is found `[byte]`.
const BLOCKS: f64 = 64.0;
/// The number of a cell or of a node `[byte]`.
const NUMBER: f64 = 8.0;
/// What finds a cell equal to another one `[byte]`.
const LOOK_UP: f64 = 28.0;
/// The share of the cells of a band along planes that differ `[1]`.
const DIFFERENT: f64 = 0.02;

/// How the values of nodes are found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum NodeWork {
    /// One by one.
    Each,
    /// All at once, those with the same surroundings once, with so much beside what nodes take `[byte]`.
    AtOnce(f64),
}

/// What a field takes.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FieldMemory {
    /// At most while it is made, itself included `[byte]`.
    pub making: f64,
    /// When it is there `[byte]`.
    pub made: f64,
}

impl FieldMemory {
    /// One after the other.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        Self { making: self.making.max(self.made + next.making), made: self.made + next.made }
    }
}

/// What is at least needed for the nodes and cells of a band of `kept` cells `[byte]`.
pub(super) fn least_bytes(lattice: &Lattice, kept: f64) -> f64 {
    GRID_CELL[0] * lattice.cells() as f64 + kept * (NUMBER + NUMBER * nodes_per_cell(lattice))
}

fn nodes_per_cell(lattice: &Lattice) -> f64 {
    if lattice.is_planar() { 6.0 } else { 8.0 }
}

/// What a field over the band of `distance` will take. Cells with the same planes within `reach` `[m]` are equal.
///
/// # Errors
/// If it would have too many cells.
pub(crate) fn field_memory(
    lattice: &Lattice,
    band: Band,
    distance: &impl SignedDistance,
    work: NodeWork,
    reach: f64,
) -> Result<FieldMemory, GeometryError> {
    band.check()?;
    let cells = lattice.cells() as f64;
    let half = 0.5 * lattice.cell() * if lattice.is_planar() { 2f64 } else { 3f64 }.sqrt();
    let probe = |i: u32| {
        let x = place(lattice, i);
        let phi = distance.distance(x);
        let kept = phi - half < band.outer && phi + half > -band.inner;
        let alike = kept && distance.planes(x, reach).is_some();
        [kept, kept && !alike].map(u32::from)
    };
    let none = || [0, 0];
    let add = |a: [u32; 2], b: [u32; 2]| [a[0] + b[0], a[1] + b[1]];
    let found = (0..PROBES).into_par_iter().with_min_len(64).map(probe).reduce(none, add);
    let [mut kept, own] = found.map(|n| cells * f64::from(n) / f64::from(PROBES));
    if kept > COUNTED {
        let slots = band.select(lattice, &|x| distance.distance(x));
        let count = slots.iter().filter(|slot| **slot < BELOW).count();
        allow_kept(count)?;
        kept = count as f64;
    }
    // Others than those along planes are hardly ever equal.
    let different = own.min(kept) + DIFFERENT * (kept - own).max(0.0);
    let per_cell = nodes_per_cell(lattice);
    let (nodes, own_nodes) = (kept * per_cell, different * per_cell);
    let [grid, grid_made] = GRID_CELL.map(|bytes| bytes * cells);
    let band_found = grid + BLOCKS * kept;
    let (values, valued) = match work {
        NodeWork::Each => (2.0 * NUMBER * nodes, NUMBER * nodes),
        // Of each node its number and its class; of those that differ their number, value and place in the work.
        NodeWork::AtOnce(beside) => (
            1.5 * NUMBER * nodes + 3.0 * NUMBER * own_nodes + beside,
            0.5 * NUMBER * nodes + NUMBER * own_nodes,
        ),
    };
    let kept_bytes = size_of::<Cell>() as f64 * different;
    let nodes_valued = grid + NUMBER * kept + values;
    let cells_made = grid + NUMBER * kept + valued + kept_bytes + LOOK_UP * different + grid_made;
    Ok(FieldMemory { making: band_found.max(nodes_valued).max(cells_made), made: grid_made + kept_bytes })
}

/// Places spread evenly over a grid, however many are taken.
fn place(lattice: &Lattice, i: u32) -> glam::DVec3 {
    // Powers of the root of x⁴ = x + 1, in the plane x³ = x + 1, as steps along the axes.
    let step = if lattice.is_planar() {
        [0.754_877_666_246_692_7, 0.569_840_290_998_053_2, 0.0]
    } else {
        [0.819_172_513_396_164_4, 0.671_043_606_703_789_2, 0.549_700_477_901_970_2]
    };
    let bounds = lattice.bounds();
    bounds.min + bounds.size() * glam::DVec3::from_array(step.map(|s| (f64::from(i) * s).fract()))
}

#[cfg(test)]
mod tests {
    use glam::DVec3;
    use meniscus_core::Dimension;

    use super::*;
    use crate::distance::field::SerendipityField;
    use crate::test_mesh::sphere;
    use crate::{Aabb, MeshShape};

    #[test]
    fn a_field_takes_what_was_foretold() {
        let mesh = MeshShape::new(sphere(3)).unwrap();
        let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(1.3));
        for (dimension, cell) in [(Dimension::Three, 0.06), (Dimension::Two, 0.004)] {
            let lattice = Lattice::covering(bounds, cell, dimension).unwrap();
            for band in [Band { inner: 0.2, outer: 0.1 }, Band { inner: f64::INFINITY, outer: 0.05 }] {
                let told = field_memory(&lattice, band, &mesh, NodeWork::Each, 0.1).unwrap();
                let distance = |x| mesh.signed_distance(x);
                let field = SerendipityField::sample(lattice, band, distance, distance).unwrap();
                let measured = field.memory_bytes() as f64;
                assert!(
                    (told.made / measured - 1.0).abs() < 0.1,
                    "{dimension:?} {band:?} {told:?} {measured}"
                );
                assert!(told.making > told.made);
            }
        }
    }

    #[test]
    fn bands_of_too_many_cells_are_refused_before_they_are_made() {
        let mesh = MeshShape::new(sphere(2)).unwrap();
        let bounds = Aabb::around(DVec3::ZERO, DVec3::splat(1.3));
        let lattice = Lattice::covering(bounds, 2.6 / 400.0, Dimension::Three).unwrap();
        let told = |outer| field_memory(&lattice, Band { inner: 0.01, outer }, &mesh, NodeWork::Each, 0.1);
        assert!(told(0.01).is_ok());
        assert!(told(10.0).is_err());
    }
}

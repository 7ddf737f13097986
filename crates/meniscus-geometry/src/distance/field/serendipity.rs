//! A function in cubic cells, kept only where it is needed.

use glam::{DVec3, Vec3};
use meniscus_core::{prefetch, require_memory};
use rayon::prelude::*;

use super::band::Band;
use super::cell::Cell;
use super::lattice::{CellNodes, Lattice};
use super::memory::least_bytes;
use super::slots::{ABOVE, BELOW, Pool, Slots};
use crate::GeometryError;

/// The most cells that are kept `[1]`: 1 GiB.
const MAX_KEPT: usize = 1 << 23;
/// Cells that are made at once, before equal ones are put together `[1]`: 2 MiB.
const BLOCK: usize = 1 << 14;

/// Where a point is with respect to a sparse field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Region {
    /// In a cell that is kept.
    Kept,
    /// In the grid, farther outside than the band reaches.
    Above,
    /// In the grid, deeper inside than the band reaches.
    Below,
    /// Not in the grid.
    OffGrid,
}

/// A function in cubic cells of Serendipity type (32 nodes, in the plane 12) on a regular grid, of which only the cells
/// of a [`Band`] are kept. It is continuous; its gradient jumps from cell to cell.
#[derive(Debug, Clone, PartialEq)]
pub struct SerendipityField {
    lattice: Lattice,
    /// Cells in a metre `[1/m]`.
    per_cell: f64,
    /// Where each cell of the grid is in `cell`.
    slots: Slots,
    /// The cells of the band, equal ones once.
    cell: Vec<Cell>,
    nodes: usize,
}

impl SerendipityField {
    /// Samples `value` at the nodes of all cells that the band needs. `distance` is the signed distance that the band
    /// refers to; it must change by at most the way gone `[m]`.
    ///
    /// # Errors
    /// [`GeometryError::Invalid`] if the band has no extent or too many cells would be kept.
    pub fn sample(
        lattice: Lattice,
        band: Band,
        distance: impl Fn(DVec3) -> f64 + Sync,
        value: impl Fn(DVec3) -> f64 + Sync,
    ) -> Result<Self, GeometryError> {
        let each = |nodes: &[u64]| {
            let at = |node: &u64| value(lattice.node_position(*node));
            NodeValues::Each(nodes.par_iter().with_min_len(16).map(at).collect())
        };
        Self::sample_nodes(lattice, band, distance, each)
    }

    /// As [`SerendipityField::sample`], with all nodes at once: `values` gets their numbers, ascending.
    pub(crate) fn sample_nodes(
        lattice: Lattice,
        band: Band,
        distance: impl Fn(DVec3) -> f64 + Sync,
        values: impl FnOnce(&[u64]) -> NodeValues,
    ) -> Result<Self, GeometryError> {
        band.check()?;
        require_memory(size_of::<u32>() as f64 * lattice.cells() as f64, "the cells of a map")?;
        let mut slot = band.select(&lattice, &distance);
        let kept = kept_cells(&slot)?;
        require_memory(least_bytes(&lattice, kept.len() as f64), "the making of a map")?;
        let nodes = NodeSet::of(&lattice, &kept);
        let values = values(&nodes.list());
        let planar = lattice.is_planar();
        let look_up = |node| values.get(nodes.rank(node)).unwrap_or(0.0);
        let make = |&cell: &usize| Cell::from_nodes(&lattice.nodes_of(cell), planar, look_up);
        // At once: a list that grows is there twice while it does.
        let (mut pool, mut made) = (Pool::with_capacity(kept.len()), Vec::new());
        for block in kept.chunks(BLOCK) {
            block.par_iter().map(make).collect_into_vec(&mut made);
            for (&cell, made) in block.iter().zip(&made) {
                slot[cell] = pool.insert(*made);
            }
        }
        let slots = Slots::new(&lattice, slot);
        let per_cell = lattice.cell().recip();
        Ok(Self { lattice, per_cell, slots, cell: pool.into_items(), nodes: values.len() })
    }

    /// From stored parts, `slot` in the order of the grid's cells; `None` if they do not fit together.
    pub(crate) fn from_parts(lattice: Lattice, slot: &[u32], cell: Vec<Cell>, nodes: usize) -> Option<Self> {
        let sound = slot.iter().all(|&s| s >= BELOW || (s as usize) < cell.len());
        let slots =
            (sound && slot.len() == lattice.cells()).then(|| Slots::new(&lattice, slot.iter().copied()))?;
        Some(Self { lattice, per_cell: lattice.cell().recip(), slots, cell, nodes })
    }

    /// The grid, the slots of its cells in their order, and the cells that are kept.
    pub(crate) fn parts(&self) -> (&Lattice, impl Iterator<Item = u32>, &[Cell]) {
        (&self.lattice, self.slots.iter(), &self.cell)
    }

    /// Where in which cell `x` is, or why there is none.
    ///
    /// # Errors
    /// Where no cell is kept.
    #[inline(always)]
    pub fn find(&self, x: DVec3) -> Result<Spot<'_>, Region> {
        let (at, t) = self.lattice.place(x, self.per_cell).ok_or(Region::OffGrid)?;
        let slot = self.slots.get(at);
        if slot == ABOVE {
            return Err(Region::Above);
        }
        let cell = self.cell.get(slot as usize).ok_or(Region::Below)?;
        Ok(Spot { cell, t: t.as_vec3(), per_cell: self.per_cell })
    }

    /// The value at `x` and its gradient `[1/m]`; `None` where no cell is kept, which [`SerendipityField::region`]
    /// explains.
    #[inline]
    #[must_use]
    pub fn evaluate(&self, x: DVec3) -> Option<(f64, DVec3)> {
        self.find(x).ok().map(Spot::evaluate)
    }

    /// Where `x` is with respect to the cells that are kept.
    #[must_use]
    pub fn region(&self, x: DVec3) -> Region {
        self.find(x).err().unwrap_or(Region::Kept)
    }

    /// The grid.
    #[must_use]
    pub fn lattice(&self) -> &Lattice {
        &self.lattice
    }

    /// How many cells of the grid are in the band `[1]`.
    #[must_use]
    pub fn kept_cells(&self) -> usize {
        self.slots.iter().filter(|slot| *slot < BELOW).count()
    }

    /// How many of them differ `[1]`.
    #[must_use]
    pub fn different_cells(&self) -> usize {
        self.cell.len()
    }

    /// How many nodes were sampled `[1]`.
    #[must_use]
    pub fn sampled_nodes(&self) -> usize {
        self.nodes
    }

    /// What it occupies `[byte]`.
    #[must_use]
    pub fn memory_bytes(&self) -> usize {
        self.slots.memory_bytes() + size_of_val(self.cell.as_slice())
    }

    /// What it would occupy if every cell were kept `[byte]`.
    #[must_use]
    pub fn dense_bytes(&self) -> usize {
        self.lattice.cells() * (size_of::<Cell>() + size_of::<u32>())
    }

    /// Drops cells in which the function is zero; they become [`Region::Above`].
    pub(crate) fn drop_zeros(&mut self) {
        let zero = |cell: &Cell| cell.0.iter().flatten().all(|v| v.abs() < f32::MIN_POSITIVE);
        let mut kept = 0;
        let place: Vec<u32> =
            (self.cell.iter()).map(|cell| if zero(cell) { ABOVE } else { (kept, kept += 1).0 }).collect();
        let moved = |slot: u32| if slot < BELOW { place[slot as usize] } else { slot };
        self.slots = Slots::new(&self.lattice, self.slots.iter().map(moved));
        self.cell.retain(|cell| !zero(cell));
        self.cell.shrink_to_fit();
    }
}

/// A point in a cell that is kept.
#[derive(Debug, Clone, Copy)]
pub struct Spot<'a> {
    cell: &'a Cell,
    /// From 0 to 1 along each axis.
    t: Vec3,
    /// Cells in a metre `[1/m]`.
    per_cell: f64,
}

impl Spot<'_> {
    /// The value there and its gradient `[1/m]`.
    #[inline(always)]
    #[must_use]
    pub fn evaluate(self) -> (f64, DVec3) {
        let (value, gradient) = self.cell.evaluate(self.t);
        (f64::from(value), gradient.as_dvec3() * self.per_cell)
    }

    /// The value alone.
    #[inline(always)]
    #[must_use]
    pub fn value(self) -> f64 {
        f64::from(self.cell.value(self.t))
    }

    /// Asks for the cell's memory before it is needed.
    #[inline(always)]
    pub fn prefetch(self) {
        let [low, high] = self.cell.halves();
        prefetch(low);
        prefetch(high);
    }
}

/// The cells that are to be kept, in the order of the grid.
fn kept_cells(slot: &[u32]) -> Result<Vec<usize>, GeometryError> {
    let kept = || slot.iter().enumerate().filter(|(_, slot)| **slot < BELOW).map(|(cell, _)| cell);
    allow_kept(kept().count())?;
    Ok(kept().collect())
}

/// Refuses bands of more cells than memory should be spent on.
pub(super) fn allow_kept(count: usize) -> Result<(), GeometryError> {
    if count <= MAX_KEPT {
        return Ok(());
    }
    Err(GeometryError::Invalid {
        what: format!("a band of {count} cells"),
        allowed: "at most 8388608 cells in the band; use larger cells or a narrower band",
    })
}

/// The values of nodes by their ranks.
pub(crate) enum NodeValues {
    /// One by one.
    Each(Vec<f64>),
    /// The class of each node, and the value of each class.
    Alike(Vec<u32>, Vec<f64>),
}

impl NodeValues {
    fn len(&self) -> usize {
        match self {
            Self::Each(value) => value.len(),
            Self::Alike(class, _) => class.len(),
        }
    }

    fn get(&self, rank: usize) -> Option<f64> {
        match self {
            Self::Each(value) => value.get(rank).copied(),
            Self::Alike(class, value) => value.get(*class.get(rank)? as usize).copied(),
        }
    }
}

/// The nodes of some cells: one bit for each node of the grid, and how many bits are set before each word.
struct NodeSet {
    word: Vec<u64>,
    before: Vec<u32>,
}

impl NodeSet {
    fn of(lattice: &Lattice, cells: &[usize]) -> Self {
        let mut word = vec![0u64; lattice.nodes().div_ceil(64) as usize];
        for &cell in cells {
            let CellNodes { corner, edge } = lattice.nodes_of(cell);
            for node in corner.into_iter().chain(edge.into_iter().flatten().flatten()) {
                word[(node / 64) as usize] |= 1 << (node % 64);
            }
        }
        let counted = word.iter().scan(0, |count, w| {
            let before = *count;
            *count += w.count_ones();
            Some(before)
        });
        let before = counted.collect();
        Self { word, before }
    }

    /// The nodes, ascending.
    fn list(&self) -> Vec<u64> {
        let mut list = Vec::with_capacity(self.word.iter().map(|w| w.count_ones() as usize).sum());
        for (i, &word) in self.word.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                list.push(64 * i as u64 + u64::from(rest.trailing_zeros()));
                rest &= rest - 1;
            }
        }
        list
    }

    /// How many nodes of the set come before this one.
    fn rank(&self, node: u64) -> usize {
        let (word, bit) = ((node / 64) as usize, node % 64);
        let below = self.word[word] & ((1 << bit) - 1);
        (self.before[word] + below.count_ones()) as usize
    }
}

#[cfg(test)]
mod tests {
    use meniscus_core::Dimension;

    use super::*;
    use crate::Aabb;

    fn ball(dimension: Dimension, cell: f64, band: Band) -> SerendipityField {
        let lattice =
            Lattice::covering(Aabb::around(DVec3::ZERO, DVec3::splat(1.3)), cell, dimension).unwrap();
        let distance = |x: DVec3| x.length() - 1.0;
        SerendipityField::sample(lattice, band, distance, distance).unwrap()
    }

    fn probe(i: u32) -> DVec3 {
        DVec3::from_array([0.618_034, 0.754_878, 0.569_84].map(|f| 2.6 * ((f64::from(i) * f).fract() - 0.5)))
    }

    #[test]
    fn a_ball_is_met_to_fourth_order_and_missing_cells_are_explained() {
        let band = Band { inner: 0.4, outer: 0.2 };
        let worst = |cell| {
            let field = ball(Dimension::Three, cell, band);
            let mut worst = 0f64;
            for x in (0..4000).map(probe) {
                let exact = x.length() - 1.0;
                match field.evaluate(x) {
                    Some((value, gradient)) => {
                        assert_eq!(field.region(x), Region::Kept);
                        worst = worst.max((value - exact).abs());
                        assert!((gradient - x.normalize()).length() < 0.05);
                    }
                    None if exact > 0.0 => assert!(exact > 0.2 && field.region(x) == Region::Above),
                    None => assert!(exact < -0.4 && field.region(x) == Region::Below),
                }
            }
            worst
        };
        let (coarse, fine) = (worst(0.2), worst(0.1));
        assert!(coarse < 1e-3 && fine < coarse / 8.0, "{coarse} {fine}");
    }

    #[test]
    fn values_are_continuous_across_cells_and_the_plane_has_no_depth() {
        let field = ball(Dimension::Three, 0.13, Band::ALL);
        let low = field.lattice().origin().x;
        for i in 0..300 {
            let mut x = probe(i);
            x.x = low + 0.13 * f64::from(i % 19 + 1);
            let left = field.evaluate(x - 1e-9 * DVec3::X).unwrap().0;
            let right = field.evaluate(x + 1e-9 * DVec3::X).unwrap().0;
            assert!((left - right).abs() < 1e-8, "{x} {left} {right}");
        }
        let flat = ball(Dimension::Two, 0.1, Band::ALL);
        let x = DVec3::new(0.3, 0.7, 0.0);
        let (value, gradient) = flat.evaluate(x + 5.0 * DVec3::Z).unwrap();
        assert!((value - (x.length() - 1.0)).abs() < 1e-4 && gradient.z.abs() < 1e-12);
    }

    #[test]
    fn the_same_bits_with_any_number_of_threads() {
        let with = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| ball(Dimension::Three, 0.1, Band { inner: 0.2, outer: 0.1 }))
        };
        let one = with(1);
        assert_eq!(one, with(3));
        assert!(one.kept_cells() < one.lattice().cells() / 2);
        assert!(one.sampled_nodes() < 10 * one.kept_cells());
        assert!(one.memory_bytes() < one.dense_bytes());
    }
}

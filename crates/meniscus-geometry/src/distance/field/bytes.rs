//! Fields as bytes, for the cache.

use glam::DVec3;

use super::cell::Cell;
use super::{Band, DistanceField, Lattice, SerendipityField};
use crate::Aabb;

/// Takes numbers off the front of some bytes.
pub(crate) struct Reader<'a>(pub &'a [u8]);

impl Reader<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (head, tail) = self.0.split_at_checked(N)?;
        self.0 = tail;
        head.try_into().ok()
    }

    pub fn u64(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    pub fn f64(&mut self) -> Option<f64> {
        self.take().map(f64::from_le_bytes)
    }

    fn vector(&mut self) -> Option<DVec3> {
        Some(DVec3::new(self.f64()?, self.f64()?, self.f64()?))
    }

    /// A count of things of `size` bytes each, if so many can follow.
    fn count(&mut self, size: usize) -> Option<usize> {
        let count = usize::try_from(self.u64()?).ok()?;
        (count.checked_mul(size)? <= self.0.len()).then_some(count)
    }
}

fn put(out: &mut Vec<u8>, values: impl IntoIterator<Item = f64>) {
    values.into_iter().for_each(|v| out.extend(v.to_le_bytes()));
}

impl SerendipityField {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let (lattice, slot, cell) = self.parts();
        put(out, lattice.origin().to_array().into_iter().chain([lattice.cell()]));
        let counts = lattice
            .count()
            .into_iter()
            .chain([self.sampled_nodes(), lattice.cells(), cell.len()].map(|n| n as u64));
        counts.for_each(|n| out.extend(n.to_le_bytes()));
        for s in slot {
            out.extend(s.to_le_bytes());
        }
        cell.iter().flat_map(|c| c.0.iter().flatten()).for_each(|v| out.extend(v.to_le_bytes()));
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let (origin, edge) = (from.vector()?, from.f64()?);
        let lattice = Lattice::from_parts(origin, edge, [from.u64()?, from.u64()?, from.u64()?])?;
        let nodes = usize::try_from(from.u64()?).ok()?;
        let slots = from.count(4)?;
        let cells = from.count(128)?;
        let slot = (0..slots).map(|_| from.take().map(u32::from_le_bytes)).collect::<Option<Vec<_>>>()?;
        let mut cell = Vec::with_capacity(cells.min(from.0.len() / 128 + 1));
        for _ in 0..cells {
            let mut lanes = [[0.0; 4]; 8];
            for v in lanes.iter_mut().flatten() {
                *v = f32::from_le_bytes(from.take()?);
            }
            cell.push(Cell(lanes));
        }
        Self::from_parts(lattice, &slot, cell, nodes)
    }
}

impl DistanceField {
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        let Aabb { min, max } = crate::SignedDistance::bounds(self);
        put(
            out,
            [self.band().inner, self.band().outer].into_iter().chain(min.to_array()).chain(max.to_array()),
        );
        self.field().write(out);
    }

    pub(crate) fn read(from: &mut Reader<'_>) -> Option<Self> {
        let band = Band { inner: from.f64()?, outer: from.f64()? };
        let surface = Aabb { min: from.vector()?, max: from.vector()? };
        Some(Self::from_parts(SerendipityField::read(from)?, band, surface))
    }
}

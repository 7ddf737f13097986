//! Samples of the inside of a closed mesh, on a lattice.

use glam::DVec3;
use meniscus_core::Dimension;
use rayon::prelude::*;

use crate::error::{allow_count, require_not_negative, require_positive};
use crate::{GeometryError, MeshShape};

/// How the samples of a volume are arranged. Both have one sample per spacing³, in the plane per spacing².
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum VolumeLattice {
    /// Cubes, in the plane squares.
    #[default]
    Cubic,
    /// The densest packing of balls (face-centred cubic), in the plane of discs (hexagonal): nearest neighbours are
    /// 1.12 (in the plane 1.07) spacings apart.
    Densest,
}

/// Rows of places along x.
struct Rows {
    first: DVec3,
    /// Distances along a row, between rows, and between layers `[m]`.
    step: DVec3,
    /// Places of a row, rows of a layer, layers; whole, but maybe absurd until checked.
    count: DVec3,
    lattice: VolumeLattice,
}

/// The lattice places in a closed mesh at least `depth` `[m]` below its surface; in two dimensions those with z = 0.
///
/// # Errors
/// If the spacing is not positive, the depth is negative, the mesh is not closed, or there might be more than
/// [`MAX_POINTS`](crate::MAX_POINTS) places.
pub fn volume_lattice(
    mesh: &MeshShape,
    spacing: f64,
    depth: f64,
    lattice: VolumeLattice,
    dimension: Dimension,
) -> Result<Vec<DVec3>, GeometryError> {
    require_positive("spacing", spacing)?;
    require_not_negative("depth", depth)?;
    mesh.require_closed()?;
    let rows = Rows::around(mesh, spacing, lattice, dimension);
    allow_count(rows.count.element_product())?;
    let all = 0..rows.count.y as usize * rows.count.z as usize;
    Ok(all.into_par_iter().flat_map_iter(|row| rows.inside(row, mesh, depth)).collect())
}

impl Rows {
    fn around(mesh: &MeshShape, spacing: f64, lattice: VolumeLattice, dimension: Dimension) -> Self {
        let step = match (lattice, dimension) {
            (VolumeLattice::Cubic, _) => DVec3::splat(spacing),
            // A triangle lattice of edge a has one place per a² √3/2.
            (VolumeLattice::Densest, Dimension::Two) => {
                let a = spacing * (2.0 / 3_f64.sqrt()).sqrt();
                DVec3::new(a, a * 0.75_f64.sqrt(), a)
            }
            // Layers of it lie a √(2/3) apart: one place per a³ / √2.
            (VolumeLattice::Densest, Dimension::Three) => {
                let a = spacing * 2_f64.powf(1.0 / 6.0);
                DVec3::new(a, a * 0.75_f64.sqrt(), a * (2.0_f64 / 3.0).sqrt())
            }
        };
        let bounds = mesh.mesh().bounds();
        // One more to each side for the rows that are shifted.
        let more = if lattice == VolumeLattice::Cubic { 0.0 } else { 1.0 };
        let half = (0.5 * bounds.size() / step).ceil() + more;
        let first = bounds.centre() + (DVec3::splat(0.5) - half) * step;
        let mut rows = Self { first, step, count: 2.0 * half, lattice };
        if dimension == Dimension::Two {
            rows.first.z = 0.0;
            rows.count.z = 1.0;
        }
        rows
    }

    fn place(&self, row: usize, i: usize) -> DVec3 {
        let rows = self.count.y as usize;
        let (j, k) = (row % rows, row / rows);
        let x = self.first + DVec3::new(i as f64, j as f64, k as f64) * self.step;
        if self.lattice == VolumeLattice::Cubic {
            return x;
        }
        // Every other row is shifted by half a step, and each of three layers lies over the gaps of the last.
        let layer = (k % 3) as f64;
        let along = 0.5 * ((j % 2) as f64 + layer);
        x + DVec3::new(along.fract() * self.step.x, layer / 3.0 * self.step.y, 0.0)
    }

    /// The places of a row in the mesh. A distance changes no faster than the place does: all places nearer than its
    /// value are on the same side and need not be asked.
    fn inside(&self, row: usize, mesh: &MeshShape, depth: f64) -> Vec<DVec3> {
        let count = self.count.x as usize;
        let mut inside = Vec::new();
        let mut i = 0;
        while i < count {
            let distance = mesh.signed_distance(self.place(row, i)) + depth;
            let same_side = ((distance.abs() / self.step.x).ceil() as usize).max(1);
            let end = i.saturating_add(same_side).min(count);
            if distance <= 0.0 {
                inside.extend((i..end).map(|i| self.place(row, i)));
            }
            i = end;
        }
        inside
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::solid::tests::neighbour_distances;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn lattices_fill_the_volume_with_their_distances() {
        for (dimension, nearest) in [(Dimension::Three, 2_f64.powf(1.0 / 6.0)), (Dimension::Two, 1.0746)] {
            for (lattice, nearest) in [(VolumeLattice::Cubic, 1.0), (VolumeLattice::Densest, nearest)] {
                let mesh = MeshShape::new(sphere(4)).unwrap();
                let points = volume_lattice(&mesh, 0.1, 0.0, lattice, dimension).unwrap();
                let (min, max) = neighbour_distances(&points);
                assert!(min > 0.0999 * nearest && max < 0.1001 * nearest, "{lattice:?} {min} {max}");
                let volume = points.len() as f64 * dimension.cell_volume(0.1);
                let exact = if dimension == Dimension::Two { 1.0 } else { 4.0 / 3.0 } * std::f64::consts::PI;
                assert!((volume / exact - 1.0).abs() < 0.03, "{lattice:?} {dimension:?} {volume} {exact}");
            }
        }
    }

    #[test]
    fn the_rows_have_exactly_the_places_below_the_depth() {
        let mesh = MeshShape::new(sphere(2)).unwrap();
        for lattice in [VolumeLattice::Cubic, VolumeLattice::Densest] {
            let rows = Rows::around(&mesh, 0.17, lattice, Dimension::Three);
            let all = (0..(rows.count.y * rows.count.z) as usize)
                .flat_map(|row| (0..rows.count.x as usize).map(move |i| (row, i)))
                .map(|(row, i)| rows.place(row, i));
            let below: Vec<DVec3> = all.filter(|x| mesh.signed_distance(*x) + 0.2 <= 0.0).collect();
            assert_eq!(volume_lattice(&mesh, 0.17, 0.2, lattice, Dimension::Three).unwrap(), below);
        }
    }

    #[test]
    fn absurd_requests_and_open_meshes_are_errors() {
        let mesh = MeshShape::new(cube(1.0)).unwrap();
        let fill = |mesh: &MeshShape, spacing, depth| {
            volume_lattice(mesh, spacing, depth, VolumeLattice::Densest, Dimension::Three)
        };
        assert!(matches!(fill(&mesh, 1e-12, 0.0), Err(GeometryError::TooMany { .. })));
        assert!(fill(&mesh, f64::NAN, 0.0).is_err() && fill(&mesh, 0.1, -1.0).is_err());
        assert!(fill(&mesh, 0.1, 9.0).unwrap().is_empty());
        let mut open = cube(1.0);
        open.triangle.pop();
        assert!(fill(&MeshShape::new(open).unwrap(), 0.1, 0.0).is_err());
    }
}

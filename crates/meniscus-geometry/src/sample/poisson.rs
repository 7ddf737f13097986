//! Poisson-disk samples of a surface: as many random places as fit with no two nearer than the disk's radius.
//!
//! \[Schechter2012\] throws darts at the cells of a level set and projects them. A mesh has its surface at hand, so
//! darts are thrown at its triangles here. What no disk covers is found by cutting: a piece of a triangle that lies in
//! one disk is done, any other gets a dart and is cut into four, until the pieces are small beside the disk.
//!
//! | paper | here |
//! | --- | --- |
//! | r, disk radius | `radius` |
//! | t, darts for each cell | one for each piece |
//!
//! **Departures.** The samples are maximal as far as the smallest pieces can tell: every place of the surface is nearer
//! than 1.1 radii to a sample. The paper stops after a number of misses.

use glam::DVec3;

use super::anchor::{MeshAnchor, SurfaceSamples};
use super::cells::PointGrid;
use super::edges;
use super::random::RandomStream;
use crate::error::{allow_count, require_positive};
use crate::{GeometryError, TriangleMesh};

/// Pieces whose longest edge is shorter than this are not cut any more, in radii `[1]`. What no disk covers in them is
/// at most this far from a disk.
const SMALLEST: f64 = 0.1;
/// Pieces at the start are at most this long, in radii `[1]`.
const LARGEST: f64 = 2.0;

/// A piece takes the memory of a few samples, and as many again while it is cut `[1]`.
const PIECE_WEIGHT: f64 = 10.0;

/// A piece of a triangle, its corners in barycentric coordinates.
#[derive(Clone, Copy)]
struct Piece {
    triangle: u32,
    corner: [DVec3; 3],
}

/// Random samples of a surface, no two nearer than `radius` `[m]` in a straight line. The same seed gives the same.
///
/// # Errors
/// If the radius is not positive, an index or coordinate of the mesh makes no sense, or there might be more than
/// [`MAX_POINTS`](crate::MAX_POINTS) samples or pieces at the start.
pub fn poisson_disk(mesh: &TriangleMesh, radius: f64, seed: u64) -> Result<SurfaceSamples, GeometryError> {
    require_positive("radius", radius)?;
    edges::check(mesh)?;
    let mut pieces = first_pieces(mesh, radius)?;
    let mut darts = Darts { mesh, grid: PointGrid::new(radius, &[]), anchor: Vec::new() };
    let mut random = RandomStream::new(seed);
    while !pieces.is_empty() {
        shuffle(&mut pieces, &mut random);
        pieces = darts.throw(&pieces, &mut random);
    }
    Ok(SurfaceSamples { position: darts.grid.points().to_vec(), anchor: darts.anchor })
}

struct Darts<'a> {
    mesh: &'a TriangleMesh,
    grid: PointGrid,
    anchor: Vec<MeshAnchor>,
}

impl Darts<'_> {
    /// Throws a dart at each piece and returns what should get more.
    fn throw(&mut self, pieces: &[Piece], random: &mut RandomStream) -> Vec<Piece> {
        let mut left = Vec::new();
        for piece in pieces {
            let corner = piece.corner.map(|w| self.place(piece.triangle, w));
            if self.is_covered(corner) {
                continue;
            }
            let [u, v, w] = random.in_triangle();
            let weight = u * piece.corner[0] + v * piece.corner[1] + w * piece.corner[2];
            let x = self.place(piece.triangle, weight);
            if !self.grid.any_near(x, |_, _| true) {
                self.grid.push(x);
                self.anchor.push(MeshAnchor::inside(piece.triangle, weight.to_array()));
            }
            if longest(corner) > SMALLEST * self.grid.radius() && !self.is_covered(corner) {
                left.extend(quarters(piece));
            }
        }
        left
    }

    fn place(&self, triangle: u32, weight: DVec3) -> DVec3 {
        let [a, b, c] = self.mesh.triangle[triangle as usize].map(|v| self.mesh.vertex[v as usize]);
        weight.x * a + weight.y * b + weight.z * c
    }

    /// Whether one disk has all three corners, and with them the piece.
    fn is_covered(&self, [a, b, c]: [DVec3; 3]) -> bool {
        let limit = self.grid.radius() * self.grid.radius();
        self.grid.any_near(a, |j, _| {
            let p = self.grid.points()[j];
            p.distance_squared(b) < limit && p.distance_squared(c) < limit
        })
    }
}

fn longest([a, b, c]: [DVec3; 3]) -> f64 {
    a.distance(b).max(b.distance(c)).max(c.distance(a))
}

fn quarters(piece: &Piece) -> [Piece; 4] {
    let [a, b, c] = piece.corner;
    let (p, q, r) = (0.5 * (a + b), 0.5 * (b + c), 0.5 * (c + a));
    [[a, p, r], [p, b, q], [r, q, c], [p, q, r]].map(|corner| Piece { corner, ..*piece })
}

/// The triangles, cut into pieces of the size of a disk: darts then fall about evenly over the surface.
fn first_pieces(mesh: &TriangleMesh, radius: f64) -> Result<Vec<Piece>, GeometryError> {
    let levels = |corner| (longest(corner) / (LARGEST * radius)).log2().ceil().clamp(0.0, 40.0) as u32;
    let count: f64 = mesh.corners().map(|corner| 4_f64.powi(levels(corner) as i32)).sum();
    allow_count(PIECE_WEIGHT * count)?;
    let mut pieces = Vec::new();
    for (t, corner) in mesh.corners().enumerate() {
        let first = pieces.len();
        pieces.push(Piece { triangle: t as u32, corner: DVec3::AXES });
        for _ in 0..levels(corner) {
            let whole = pieces.split_off(first);
            pieces.extend(whole.iter().flat_map(quarters));
        }
    }
    Ok(pieces)
}

/// Fisher and Yates: every order is as likely as any other.
fn shuffle(pieces: &mut [Piece], random: &mut RandomStream) {
    for i in (1..pieces.len()).rev() {
        pieces.swap(i, (random.unit() * (i + 1) as f64) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::quality::places_in_triangle;
    use crate::shape::builtin::cloth;
    use crate::test_mesh::{cube, sphere};

    #[test]
    fn no_two_are_near_and_no_gap_is_left() {
        let meshes = [(cube(1.0), 0.11), (sphere(1), 0.23), (sphere(4), 0.13), (cloth(9, 4, 0.2), 0.06)];
        for (seed, (mesh, radius)) in meshes.into_iter().enumerate() {
            let samples = poisson_disk(&mesh, radius, seed as u64).unwrap();
            for (i, a) in samples.position.iter().enumerate() {
                assert!(samples.position[..i].iter().all(|b| a.distance(*b) >= radius));
            }
            for corner in mesh.corners() {
                for x in places_in_triangle(corner, 0.3 * radius).unwrap() {
                    let nearest =
                        samples.position.iter().map(|p| p.distance(x)).fold(f64::INFINITY, f64::min);
                    assert!(nearest < 1.1 * radius, "{} radii", nearest / radius);
                }
            }
            for (a, x) in samples.anchor.iter().zip(&samples.position) {
                assert!(a.place(&mesh.vertex, &mesh.triangle).unwrap().abs_diff_eq(*x, 1e-12));
            }
        }
    }

    #[test]
    fn a_plane_is_packed_as_random_disks_are() {
        // Random sequential adsorption of disks jams at a coverage of 0.547.
        let samples = poisson_disk(&cloth(40, 40, 0.1), 0.05, 3).unwrap();
        let per_disk = samples.len() as f64 * 0.05 * 0.05 / 16.0;
        assert!((0.66..0.76).contains(&per_disk), "{per_disk}");
    }

    #[test]
    fn seeds_decide_and_absurd_radii_are_errors() {
        let mesh = cube(1.0);
        assert_eq!(poisson_disk(&mesh, 0.2, 5).unwrap(), poisson_disk(&mesh, 0.2, 5).unwrap());
        assert_ne!(poisson_disk(&mesh, 0.2, 5).unwrap(), poisson_disk(&mesh, 0.2, 6).unwrap());
        for radius in [1e-12, 1e-300] {
            assert!(matches!(poisson_disk(&mesh, radius, 0), Err(GeometryError::TooMany { .. })));
        }
        assert!(poisson_disk(&mesh, f64::NAN, 0).is_err());
        assert_eq!(poisson_disk(&mesh, 1e6, 0).unwrap().len(), 1);
    }
}

//! Tetrahedra that fill closed surfaces, and surfaces that are carried by tetrahedra.
//!
//! In reading order: [`TetMesh`] is a mesh of tetrahedra, [`TetMesh::fill`] makes one by isosurface stuffing
//! \[Labelle2007\]: a body-centred cubic `lattice`, whose vertices near the surface are moved onto it and whose
//! tetrahedra are cut where they cross it (`stuffing`). [`TetReport`] says how good it is. [`Embedding`] ties the
//! points of a finer surface to the tetrahedra.
//!
//! | paper | here | meaning | unit |
//! | --- | --- | --- | --- |
//! | black, red edge | long, short | along an axis, and from a corner of a cell to its centre | |
//! | α_long, α_short | `WARP` | a cut nearer to a vertex than this part of its edge moves the vertex | 1 |
//!
//! All tetrahedra are of one size, `size` being the length of long edges. Their dihedral angles are between 9° and
//! 165°: the tests measure that over random cuts, the paper proves 10.7° and 164.8° for its own choice of diagonals.
//!
//! **Departures.** The interior is not graded. Signs come from a distance, so the surface is exact but for edges and
//! corners, which are cut off within a cell unless they lie on the lattice; the lattice starts at the lower corner of
//! the surface's box and divides the longest side of the box, so that boxes of whole cells are exact. Where a face
//! between two tetrahedra is a quadrilateral, its diagonal leaves the vertex that is joined to the outside by a short
//! edge; if both are, the parity of the vertex outside decides.

mod embed;
mod fill;
mod lattice;
mod quality;
mod stuffing;
#[cfg(test)]
mod tests;

pub use embed::{Embedded, Embedding};
pub use quality::TetReport;

use std::collections::HashMap;

use glam::DVec3;

/// A mesh of tetrahedra.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TetMesh {
    /// Where its vertices are `[m]`.
    pub vertex: Vec<DVec3>,
    /// The vertices of each tetrahedron: the last is on the side of the first three from which these turn
    /// counter-clockwise.
    pub tetrahedron: Vec<[u32; 4]>,
}

/// The faces of a tetrahedron, outward.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl TetMesh {
    /// The corners of a tetrahedron `[m]`.
    #[must_use]
    pub fn corners(&self, tetrahedron: usize) -> [DVec3; 4] {
        self.tetrahedron[tetrahedron].map(|v| self.vertex[v as usize])
    }

    /// The volume of all tetrahedra `[m^3]`.
    #[must_use]
    pub fn volume(&self) -> f64 {
        (0..self.tetrahedron.len()).map(|t| volume(self.corners(t))).sum()
    }

    /// The faces that belong to one tetrahedron only, counter-clockwise seen from outside.
    #[must_use]
    pub fn boundary(&self) -> Vec<[u32; 3]> {
        let mut uses: HashMap<[u32; 3], u32> = HashMap::with_capacity(2 * self.tetrahedron.len());
        for t in &self.tetrahedron {
            for face in FACES {
                *uses.entry(sorted(face.map(|i| t[i]))).or_default() += 1;
            }
        }
        let faces = self.tetrahedron.iter().flat_map(|t| FACES.map(|face| face.map(|i| t[i])));
        faces.filter(|&face| uses.get(&sorted(face)) == Some(&1)).collect()
    }

    /// How many parts there are that no common face joins `[1]`.
    #[must_use]
    pub fn pieces(&self) -> usize {
        let mut parent: Vec<u32> = (0..self.tetrahedron.len() as u32).collect();
        let mut owner: HashMap<[u32; 3], u32> = HashMap::with_capacity(2 * parent.len());
        let mut pieces = parent.len();
        for (number, t) in self.tetrahedron.iter().enumerate() {
            for face in FACES {
                let number = number as u32;
                let other = *owner.entry(sorted(face.map(|i| t[i]))).or_insert(number);
                let (a, b) = (root(&mut parent, number), root(&mut parent, other));
                if a != b {
                    parent[a.max(b) as usize] = a.min(b);
                    pieces -= 1;
                }
            }
        }
        pieces
    }
}

fn root(parent: &mut [u32], mut of: u32) -> u32 {
    while parent[of as usize] != of {
        let above = parent[parent[of as usize] as usize];
        parent[of as usize] = above;
        of = above;
    }
    of
}

fn sorted(mut face: [u32; 3]) -> [u32; 3] {
    face.sort_unstable();
    face
}

/// The volume of a tetrahedron, negative if it is inverted `[m^3]`.
#[must_use]
pub fn volume([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a) / 6.0
}

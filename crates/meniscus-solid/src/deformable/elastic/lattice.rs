//! Tetrahedra of boxes, the surface of tetrahedra, and the middles of their edges.

use super::tetrahedron::EDGES;
use glam::{DVec3, UVec3};
use meniscus_geometry::tetra::{TetMesh, volume};
use std::collections::BTreeMap;

/// A box with one corner at the origin, of cells with five tetrahedra each, whose diagonals alternate.
#[must_use]
pub fn box_of_tetrahedra(size: DVec3, cells: UVec3) -> TetMesh {
    let across = cells + UVec3::ONE;
    let index = |p: UVec3| (p.z * across.y + p.y) * across.x + p.x;
    let mut vertex = Vec::with_capacity((across.x * across.y * across.z) as usize);
    for z in 0..across.z {
        for y in 0..across.y {
            vertex.extend((0..across.x).map(|x| {
                let place = DVec3::new(f64::from(x), f64::from(y), f64::from(z));
                size * place / cells.as_dvec3()
            }));
        }
    }
    let mut tetrahedron = Vec::with_capacity(5 * (cells.x * cells.y * cells.z) as usize);
    for cell in (0..cells.z)
        .flat_map(|z| (0..cells.y).flat_map(move |y| (0..cells.x).map(move |x| UVec3::new(x, y, z))))
    {
        let odd = (cell.x + cell.y + cell.z) % 2;
        // Corners of the cell mirrored in x if it is odd, so that diagonals of faces meet.
        let corner = |x: u32, y: u32, z: u32| index(cell + UVec3::new(x ^ odd, y, z));
        let inner = [corner(0, 0, 0), corner(1, 1, 0), corner(1, 0, 1), corner(0, 1, 1)];
        let outer = [corner(1, 0, 0), corner(0, 1, 0), corner(0, 0, 1), corner(1, 1, 1)];
        // Each outer corner has the three inner ones beside it.
        let beside = [[0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3]];
        let mut add = |mut corners: [u32; 4]| {
            if volume(corners.map(|n| vertex[n as usize])) < 0.0 {
                corners.swap(0, 1);
            }
            tetrahedron.push(corners);
        };
        add(inner);
        for (corner, three) in outer.into_iter().zip(beside) {
            add([inner[three[0]], inner[three[1]], inner[three[2]], corner]);
        }
    }
    TetMesh { vertex, tetrahedron }
}

/// The middles of all edges: for each tetrahedron its six in the order of [`EDGES`], and the ends of each middle.
pub(crate) fn middles(tetrahedra: &[[u32; 4]], first: u32) -> (Vec<[u32; 6]>, Vec<[u32; 2]>) {
    let mut number = BTreeMap::new();
    let mut ends = Vec::new();
    let mut middle_of = |a: u32, b: u32| {
        let edge = [a.min(b), a.max(b)];
        *number.entry(edge).or_insert_with(|| {
            ends.push(edge);
            first + ends.len() as u32 - 1
        })
    };
    let found =
        tetrahedra.iter().map(|t| EDGES.map(|[i, j]| middle_of(t[i], t[j]))).collect::<Vec<[u32; 6]>>();
    (found, ends)
}

/// The faces of tetrahedra, as corners of the tetrahedron, counter-clockwise for a viewer outside.
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];

/// The faces that only one tetrahedron has; with middles (`quadratic`) each is cut into four.
pub(crate) fn surface(tetrahedra: &[[u32; 4]], quadratic: Option<&[[u32; 6]]>) -> Vec<[u32; 3]> {
    let mut seen: BTreeMap<[u32; 3], u32> = BTreeMap::new();
    let key = |t: &[u32; 4], face: [usize; 3]| {
        let mut corners = face.map(|k| t[k]);
        corners.sort_unstable();
        corners
    };
    for t in tetrahedra {
        for face in FACES {
            *seen.entry(key(t, face)).or_default() += 1;
        }
    }
    let mut triangles = Vec::new();
    for (n, t) in tetrahedra.iter().enumerate() {
        for face in FACES.iter().filter(|face| seen[&key(t, **face)] == 1) {
            let [a, b, c] = face.map(|k| t[k]);
            let Some(middle) = quadratic else {
                triangles.push([a, b, c]);
                continue;
            };
            let between = |i: usize, j: usize| {
                let edge = EDGES.iter().position(|e| *e == [i, j] || *e == [j, i]).unwrap_or(0);
                middle[n][edge]
            };
            let (ab, bc, ca) =
                (between(face[0], face[1]), between(face[1], face[2]), between(face[2], face[0]));
            triangles.extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
    }
    triangles
}

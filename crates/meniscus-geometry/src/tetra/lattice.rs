//! The body-centred cubic lattice: corners and centres of cells, and the tetrahedra between them.

use glam::DVec3;

use crate::Aabb;

/// Cells of equal edges. A vertex has coordinates in halves of a cell: even ones are a corner, odd ones a centre.
#[derive(Debug, Clone)]
pub(super) struct Lattice {
    origin: DVec3,
    /// The edge of a cell, and the length of long edges `[m]`.
    pub size: f64,
    /// How many cells along each axis.
    pub cells: [i32; 3],
}

/// A vertex by its coordinates in halves of a cell.
pub(super) type Site = [i32; 3];

/// The neighbours of a vertex: along long edges, then along short ones.
pub(super) const NEIGHBOURS: [Site; 14] = [
    [2, 0, 0],
    [-2, 0, 0],
    [0, 2, 0],
    [0, -2, 0],
    [0, 0, 2],
    [0, 0, -2],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
    [-1, 1, 1],
    [-1, 1, -1],
    [-1, -1, 1],
    [-1, -1, -1],
];

impl Lattice {
    /// How many cells there would be for these bounds `[1]`.
    pub fn count(bounds: &Aabb, size: f64) -> f64 {
        (bounds.size() / size + 3.0).element_product()
    }

    /// Cells about as large as `size` `[m]`, so that the longest side of the bounds takes a whole number of them, with
    /// one cell to spare on all sides.
    pub fn around(bounds: &Aabb, size: f64) -> Self {
        let longest = bounds.size().max_element();
        let size = longest / (longest / size - 1e-9).ceil().max(1.0);
        let cells = (bounds.size() / size - 1e-9).ceil().max(DVec3::ONE).to_array().map(|n| n as i32 + 2);
        Self { origin: bounds.min - size, size, cells }
    }

    /// Where a vertex is `[m]`.
    pub fn position(&self, site: Site) -> DVec3 {
        self.origin + 0.5 * self.size * DVec3::from_array(site.map(f64::from))
    }

    /// The number of a vertex; those of corners and of centres alternate.
    pub fn index(&self, [x, y, z]: Site) -> u32 {
        let [nx, ny, _] = self.cells.map(|n| n + 1);
        let cell = (x >> 1) + nx * ((y >> 1) + ny * (z >> 1));
        2 * cell as u32 + (x & 1) as u32
    }

    /// As many numbers as vertices can have.
    pub fn indices(&self) -> usize {
        2 * self.cells.iter().map(|n| *n as usize + 1).product::<usize>()
    }

    /// Whether it is a corner or centre of a cell of this lattice.
    pub fn contains(&self, site: Site) -> bool {
        (0..3).all(|k| (0..=2 * self.cells[k]).contains(&site[k]))
    }

    /// All tetrahedra: around each edge between the centres of neighbouring cells there are four. Their long edges are
    /// 0–1 and 2–3.
    pub fn tetrahedra(&self) -> impl Iterator<Item = [Site; 4]> + '_ {
        let [nx, ny, nz] = self.cells;
        let cells = (0..nz).flat_map(move |z| (0..ny).flat_map(move |y| (0..nx).map(move |x| [x, y, z])));
        cells.flat_map(move |cell| {
            let open = (0..3usize).filter(move |&axis| cell[axis] + 1 < self.cells[axis]);
            open.flat_map(move |axis| {
                let centre = cell.map(|c| 2 * c + 1);
                let mut next = centre;
                next[axis] += 2;
                // Around the axis counter-clockwise, seen from its end.
                let corner = move |turn: usize| {
                    let (u, v) = [(-1, -1), (1, -1), (1, 1), (-1, 1)][turn % 4];
                    let mut site = centre;
                    site[axis] += 1;
                    site[(axis + 1) % 3] += u;
                    site[(axis + 2) % 3] += v;
                    site
                };
                (0..4).map(move |turn| [centre, next, corner(turn), corner(turn + 1)])
            })
        })
    }
}

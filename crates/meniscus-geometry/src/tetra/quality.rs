//! How good a mesh of tetrahedra is.

use std::fmt;

use glam::DVec3;

use super::{TetMesh, volume};

/// What a mesh of tetrahedra is like.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TetReport {
    /// How many tetrahedra `[1]`.
    pub tetrahedra: usize,
    /// How many vertices `[1]`.
    pub vertices: usize,
    /// How many tetrahedra are inverted or have no volume `[1]`.
    pub inverted: usize,
    /// The smallest angle between two faces of a tetrahedron `[°]`.
    pub smallest_angle: f64,
    /// The largest angle between two faces of a tetrahedron `[°]`.
    pub largest_angle: f64,
    /// The shortest edge `[m]`.
    pub shortest_edge: f64,
    /// The longest edge `[m]`.
    pub longest_edge: f64,
    /// The volume of all tetrahedra `[m^3]`.
    pub volume: f64,
    /// The volume that was to be filled `[m^3]`.
    pub wanted_volume: f64,
    /// Parts that no common face joins `[1]`.
    pub pieces: usize,
}

const EDGES: [[usize; 4]; 6] =
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]];

impl TetReport {
    /// Measures a mesh that was to fill this volume `[m^3]`.
    #[must_use]
    pub fn of(mesh: &TetMesh, wanted_volume: f64) -> Self {
        let mut report = Self {
            tetrahedra: mesh.tetrahedron.len(),
            vertices: mesh.vertex.len(),
            inverted: 0,
            smallest_angle: 180.0,
            largest_angle: 0.0,
            shortest_edge: f64::INFINITY,
            longest_edge: 0.0,
            volume: 0.0,
            wanted_volume,
            pieces: mesh.pieces(),
        };
        for t in 0..mesh.tetrahedron.len() {
            let corner = mesh.corners(t);
            let volume = volume(corner);
            report.volume += volume;
            report.inverted += usize::from(volume <= 0.0);
            for [i, j, k, l] in EDGES {
                let length = corner[i].distance(corner[j]);
                report.shortest_edge = report.shortest_edge.min(length);
                report.longest_edge = report.longest_edge.max(length);
                let angle = dihedral_angle(corner[i], corner[j], corner[k], corner[l]);
                report.smallest_angle = report.smallest_angle.min(angle);
                report.largest_angle = report.largest_angle.max(angle);
            }
        }
        report
    }

    /// By how much the volume differs from what was wanted, as a part of it `[1]`.
    #[must_use]
    pub fn volume_error(&self) -> f64 {
        self.volume / self.wanted_volume - 1.0
    }

    /// What shows that tetrahedra were too large for a surface of so many parts, if anything does.
    pub(super) fn too_coarse(&self, parts: usize, volume_error: f64) -> Option<String> {
        if self.tetrahedra == 0 {
            Some("none fits into it".into())
        } else if self.pieces != parts {
            Some(format!("they are {} pieces, the mesh has {parts}", self.pieces))
        } else if self.volume_error().is_nan() || self.volume_error().abs() > volume_error {
            Some(format!("their volume is {:.0} % of its volume", 100.0 * (1.0 + self.volume_error())))
        } else if self.inverted > 0 {
            Some(format!("{} are inverted", self.inverted))
        } else {
            None
        }
    }
}

/// The angle at the edge from `a` to `b` between the faces with `c` and with `d` `[°]`.
fn dihedral_angle(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let along = b - a;
    along.cross(c - a).angle_between(along.cross(d - a)).to_degrees()
}

impl fmt::Display for TetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} tetrahedra, {} vertices, dihedral angles {:.1}° to {:.1}°, volume {:+.2} %",
            self.tetrahedra,
            self.vertices,
            self.smallest_angle,
            self.largest_angle,
            100.0 * self.volume_error()
        )
    }
}

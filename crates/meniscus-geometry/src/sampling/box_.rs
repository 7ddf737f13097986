use glam::DVec3;

use super::{intervals, ticks};
use crate::error::allow_count;
use crate::{GeometryError, OpenFaces};

/// Regular grids on the closed faces of a centred box; edges and corners are shared, no point comes twice.
///
/// A box without extent along an axis has a single layer there, which makes the outline of a rectangle the surface
/// of a box without depth whose z faces are open.
pub(super) fn surface(size: DVec3, open: OpenFaces, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let n = size.to_array().map(|length| intervals(length, spacing));
    let [a, b, c] = n.map(|n| n + 1.0);
    allow_count(2.0 * (a * b + b * c + c * a))?;
    let tick = [0, 1, 2].map(|axis| ticks(size[axis], n[axis]));
    let last = [0, 1, 2].map(|axis| tick[axis].len() - 1);
    let on_face = |axis: usize, i: usize| {
        (i == 0 && !open.is_open(axis, false)) || (i == last[axis] && !open.is_open(axis, true))
    };
    let mut points = Vec::new();
    for (k, &z) in tick[2].iter().enumerate() {
        for (j, &y) in tick[1].iter().enumerate() {
            let whole_row = on_face(1, j) || on_face(2, k);
            // Inside of the other faces only the ends of a row are on the surface.
            let step = if whole_row { 1 } else { last[0].max(1) };
            for i in (0..=last[0]).step_by(step).filter(|&i| whole_row || on_face(0, i)) {
                points.push(DVec3::new(tick[0][i], y, z));
            }
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::tests::neighbour_distances;

    #[test]
    fn counts_are_those_of_a_hollow_lattice() {
        let points = surface(DVec3::new(1.0, 0.5, 0.3), OpenFaces::NONE, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 6 * 4 - 9 * 4 * 2);
        let (min, max) = neighbour_distances(&points);
        assert!((min - 0.1).abs() < 1e-12 && (max - 0.1).abs() < 1e-12);
    }

    #[test]
    fn open_faces_lose_their_inner_points_only() {
        let open_top = OpenFaces::new([false, false, false, true, false, false]);
        let points = surface(DVec3::ONE, open_top, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 11 * 11 - 9 * 9 * 9 - 9 * 9);
        let nothing = OpenFaces::new([true; 6]);
        assert!(surface(DVec3::ONE, nothing, 0.1).unwrap().is_empty());
    }

    #[test]
    fn a_rectangle_is_a_box_without_depth() {
        let open = OpenFaces::new([false, false, false, false, true, true]);
        let points = surface(DVec3::new(1.0, 0.5, 0.0), open, 0.1).unwrap();
        assert_eq!(points.len(), 2 * (10 + 5));
        assert!(points.iter().all(|p| p.z == 0.0));
    }
}

use glam::DVec3;

use super::{intervals, ticks};
use crate::GeometryError;
use crate::error::allow_count;

/// A grid on the patch of these edge lengths along x and z, at the height `y`.
pub(super) fn patch(size: [f64; 2], y: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let n = size.map(|length| intervals(length, spacing));
    allow_count((n[0] + 1.0) * (n[1] + 1.0))?;
    let xs = ticks(size[0], n[0]);
    let rows = ticks(size[1], n[1]).into_iter();
    Ok(rows.flat_map(|z| xs.iter().map(move |&x| DVec3::new(x, y, z))).collect())
}

/// The line that a patch becomes in two dimensions.
pub(super) fn line(length: f64, y: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    patch([length, 0.0], y, spacing)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_reach_the_edges() {
        let points = patch([1.0, 0.52], -0.05, 0.1).unwrap();
        assert_eq!(points.len(), 11 * 6);
        assert_eq!(points[0], DVec3::new(-0.5, -0.05, -0.26));
        assert_eq!(line(1.0, 0.0, 0.1).unwrap().len(), 11);
    }
}

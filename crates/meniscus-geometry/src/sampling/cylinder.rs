use glam::DVec3;

use super::sphere::{ring, ring_count};
use super::{intervals, ticks};
use crate::GeometryError;
use crate::error::allow_count;

/// Rings on the side of a cylinder along y and concentric rings on its caps, which share the rim.
pub(super) fn surface(radius: f64, height: f64, spacing: f64) -> Result<Vec<DVec3>, GeometryError> {
    let layers = intervals(height, spacing);
    let rings = intervals(radius, spacing);
    let around = if rings < 1.0 { 1.0 } else { ring_count(radius, spacing) };
    // The caps' rings have at most as many points as the rim.
    allow_count(around * (layers + 1.0 + 2.0 * rings))?;
    let mut points = Vec::new();
    let heights = ticks(height, layers);
    for (i, &y) in heights.iter().enumerate() {
        let is_cap = i == 0 || i + 1 == heights.len();
        if is_cap || rings < 1.0 {
            points.push(DVec3::new(0.0, y, 0.0));
        }
        let innermost = if is_cap { 1 } else { rings as usize };
        for k in innermost.max(1)..=rings as usize {
            let r = radius * (k as f64 / rings);
            points.extend(ring(r, ring_count(r, spacing)).map(|[x, z]| DVec3::new(x, y, z)));
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sampling::tests::neighbour_distances;

    #[test]
    fn caps_and_side_share_the_rim() {
        let points = surface(0.2, 0.5, 0.1).unwrap();
        // Side: 6 rings of 13; each cap adds a ring of 6 and the centre.
        assert_eq!(points.len(), 6 * 13 + 2 * (6 + 1));
        let (min, max) = neighbour_distances(&points);
        assert!(min > 0.06 && max < 0.14);
    }

    #[test]
    fn flat_and_thin_cylinders_collapse() {
        assert_eq!(surface(-1.0, 0.5, 0.1).unwrap().len(), 6);
        assert_eq!(surface(0.2, -1.0, 0.1).unwrap().len(), 13 + 6 + 1);
        assert_eq!(surface(-1.0, -1.0, 0.1).unwrap(), [DVec3::ZERO]);
    }
}

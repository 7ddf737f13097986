//! Values in solids, from the fluid around them: what transport meets beyond a wall, and what a body leaves behind.
//!
//! Slot by slot, in order of the distance from the fluid, values become the means of those nearer to it (\[Guendelman2006\] Sec. 4.5,
//! 7.3.1). Velocities then get the body's part across its surface, and along it a share of the body's: Eq. 7.1.
//!
//! **Departures**: smoke always has the body's velocity across its surface, where Eq. 7.1 allows liquids to part from it; smoke and
//! temperature are continued, where the thesis has none and the surroundings' (Sec. 7.3), so that no smoke is lost at walls.

use crate::cut::{BAND, CellBand, Cut, NO_BODY, neighbours};
use crate::lattice::{CellLattice, Site};
use crate::sample::Flow;
use glam::DVec3;

/// Continues a channel into solids.
pub fn continue_channel(
    lattice: &CellLattice,
    band: &CellBand,
    is_outside: impl Fn(usize) -> bool,
    channel: &mut [f64],
) {
    for depth in 0..BAND {
        // A layer reads the one before it and the fluid, never itself: nearer slots are those that are set already.
        let before = if depth == 0 { &[][..] } else { &band[depth - 1][..] };
        for &n in &band[depth] {
            let n = n as usize;
            let (mut sum, mut count) = (0.0, 0.0);
            for m in neighbours(lattice, n) {
                let nearer =
                    if depth == 0 { is_outside(m) } else { before.binary_search(&(m as u32)).is_ok() };
                if nearer {
                    sum += channel[m];
                    count += 1.0;
                }
            }
            if count > 0.0 {
                channel[n] = sum / count;
            }
        }
    }
}

/// Velocities in bodies: continued from the fluid, across each body's surface its own, along it a share of its own.
pub fn continue_velocity(
    lattice: &CellLattice,
    cut: &Cut,
    friction: impl Fn(u32) -> f64,
    velocity_of: impl Fn(u32, DVec3) -> DVec3,
    velocity: &mut [Vec<f64>; 3],
    constrained: &mut Vec<(u32, u32, f64)>,
) {
    for axis in lattice.axes() {
        let (area, owner) = (&cut.area[axis], &cut.owner[axis]);
        let range = lattice.face_range(axis);
        let outside = |n: usize| {
            let slot = lattice.slot(n);
            let within = (0..3).all(|a| range[a].contains(&slot[a]));
            within && (area[n] > 0.0 || owner[n] == NO_BODY)
        };
        continue_channel(lattice, &cut.faces_inside[axis], outside, &mut velocity[axis]);
    }
    constrained.clear();
    for axis in lattice.axes() {
        let site = Site::Face(axis);
        for &n in cut.faces_inside[axis].iter().flatten() {
            let (index, body) = (n as usize, cut.owner[axis][n as usize]);
            let fluid = Flow { lattice, velocity }.at_slot(site, index);
            let own = velocity_of(body, lattice.position(site, lattice.slot(index)));
            let normal = cut.normal(lattice, index);
            let slip = fluid - own;
            let along = slip - slip.dot(normal) * normal;
            // [Guendelman2006] Eq. 7.1.
            constrained.push((axis as u32, n, own[axis] + (1.0 - friction(body)) * along[axis]));
        }
    }
    for (axis, n, value) in constrained.iter() {
        velocity[*axis as usize][*n as usize] = *value;
    }
}

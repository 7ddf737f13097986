//! Transport along the flow.
//!
//! | symbol | in code | meaning |
//! | --- | --- | --- |
//! | φ | `channel` | what is transported |
//! | x_o | `departure` | where the fluid at x was a step ago |
//!
//! [`Advection::SemiLagrangian`] is that of \[Guendelman2006\] Sec. 4.4.2: x_o by one straight line, φ(x_o) by trilinear
//! interpolation. It is stable for every step and of first order. [`Advection::MacCormack`] (\[Selle2008\]) carries the result back
//! again, and half of what is different then is the error of the first way. It is of second order, and stable since the result
//! stays within the range of the eight values around x_o.
//!
//! **Departures**: MacCormack's lines go through their middle (second order); where one leaves the box, the first way is all there is.

use crate::lattice::CellLattice;
use crate::sample::{Flow, Surrounding};
use crate::side::{GridSides, Quantity, fill_ghosts};
use glam::DVec3;
use serde::{Deserialize, Serialize};

/// How quantities are transported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Advection {
    /// Back along a straight line, first order.
    SemiLagrangian,
    /// There and back, second order, limited.
    #[default]
    MacCormack,
}

/// One step's transport.
#[derive(Debug, Clone, Copy)]
pub struct Transport<'a> {
    /// Along which flow.
    pub flow: Flow<'a>,
    /// What is beyond the box.
    pub sides: &'a GridSides,
    /// How.
    pub advection: Advection,
    /// Length of the step `[s]`.
    pub dt: f64,
}

impl Transport<'_> {
    /// Carries `old`, whose ghosts are filled, into `new`; `first_way` is scratch.
    pub fn carry(&self, quantity: Quantity, old: &[f64], new: &mut [f64], first_way: &mut [f64]) {
        match self.advection {
            Advection::SemiLagrangian => self.carry_back(quantity, old, new),
            Advection::MacCormack => {
                self.carry_back(quantity, old, first_way);
                fill_ghosts(self.lattice(), self.sides, quantity, first_way);
                self.correct(quantity, old, first_way, new);
            }
        }
        fill_ghosts(self.lattice(), self.sides, quantity, new);
    }

    fn lattice(&self) -> &CellLattice {
        self.flow.lattice
    }

    /// φ(x) = φ(x_o).
    fn carry_back(&self, quantity: Quantity, old: &[f64], new: &mut [f64]) {
        let (lattice, site) = (self.lattice(), quantity.site());
        lattice.fill(new, &lattice.range(site), |mut slot, mut index, row| {
            for value in row {
                let x = lattice.position(site, slot);
                let u = self.flow.at_slot(site, index);
                let departure = lattice.clamp(self.follow(x, u, -self.dt));
                *value = Surrounding::of(lattice, site, old, departure).mean();
                slot[0] += 1;
                index += 1;
            }
        });
    }

    /// Half of what the way there and back has lost is given back.
    fn correct(&self, quantity: Quantity, old: &[f64], first_way: &[f64], new: &mut [f64]) {
        let (lattice, site) = (self.lattice(), quantity.site());
        lattice.fill(new, &lattice.range(site), |mut slot, mut index, row| {
            for value in row {
                let x = lattice.position(site, slot);
                let u = self.flow.at_slot(site, index);
                let (departure, arrival) = (self.follow(x, u, -self.dt), self.follow(x, u, self.dt));
                let inside = [departure, arrival].map(lattice_box(lattice)) == [true, true];
                *value = first_way[index];
                if inside {
                    let back = Surrounding::of(lattice, site, first_way, arrival).mean();
                    let around = Surrounding::of(lattice, site, old, departure);
                    *value = around.limit(first_way[index] + 0.5 * (old[index] - back));
                }
                slot[0] += 1;
                index += 1;
            }
        });
    }

    /// Where fluid that is at x with velocity u is after `time` in the frozen flow, which may be negative.
    #[inline(always)]
    fn follow(&self, x: DVec3, u: DVec3, time: f64) -> DVec3 {
        match self.advection {
            Advection::SemiLagrangian => x + time * u,
            Advection::MacCormack => {
                let middle = self.lattice().clamp(x + 0.5 * time * u);
                x + time * self.flow.at(middle)
            }
        }
    }
}

fn lattice_box(lattice: &CellLattice) -> impl Fn(DVec3) -> bool + Copy {
    let (low, high) = (lattice.origin(), lattice.end());
    move |x| x.cmpge(low).all() && x.cmple(high).all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lattice::Site;
    use crate::side::GridSide;
    use meniscus_core::Dimension;
    use std::f64::consts::PI;

    /// A hump of smoke after one turn of a rigid rotation about the middle of a unit box.
    fn turned_hump(cells: usize, advection: Advection) -> (f64, f64) {
        let grid =
            CellLattice::new(Dimension::Two, [cells, cells, 1], 1.0 / cells as f64, DVec3::ZERO).unwrap();
        let mut velocity = [grid.channel(), grid.channel(), grid.channel()];
        let turning = |x: DVec3| DVec3::new(0.5 - x.y, x.x - 0.5, 0.0);
        for axis in grid.axes() {
            for (index, value) in velocity[axis].iter_mut().enumerate() {
                *value = turning(grid.position(Site::Face(axis), grid.slot(index)))[axis];
            }
        }
        let hump = |x: DVec3| (-((x - DVec3::new(0.5, 0.7, 0.0)).length() / 0.1).powi(2)).exp();
        let start: Vec<f64> =
            (0..grid.slots()).map(|index| hump(grid.position(Site::Cell, grid.slot(index)))).collect();
        let steps = 4 * cells;
        let transport = Transport {
            flow: Flow { lattice: &grid, velocity: &velocity },
            sides: &[GridSide::SLIP; 6],
            advection,
            dt: 2.0 * PI / steps as f64,
        };
        let (mut now, mut next, mut scratch) = (start.clone(), grid.channel(), grid.channel());
        for _ in 0..steps {
            transport.carry(Quantity::Smoke, &now, &mut next, &mut scratch);
            std::mem::swap(&mut now, &mut next);
        }
        let cells = grid.cell_range();
        let error = grid.each(&cells).map(|(_, n)| (now[n] - start[n]).powi(2)).sum::<f64>().sqrt();
        let size = grid.each(&cells).map(|(_, n)| start[n].powi(2)).sum::<f64>().sqrt();
        let highest = grid.each(&cells).map(|(_, n)| now[n]).fold(f64::NEG_INFINITY, f64::max);
        assert!(grid.each(&cells).all(|(_, n)| (0.0..=1.0).contains(&now[n])), "new extremes");
        (error / size, highest)
    }

    #[test]
    fn mac_cormack_is_of_second_order_and_keeps_what_semi_lagrangian_smears() {
        let [coarse, fine] = [64, 128].map(|n| turned_hump(n, Advection::MacCormack));
        let order = (coarse.0 / fine.0).log2();
        let (smeared, height) = turned_hump(128, Advection::SemiLagrangian);
        println!("MacCormack {coarse:?} {fine:?} order {order:.2}; semi-Lagrangian {smeared:.3} {height:.3}");
        assert!(order > 1.6 && fine.1 > 0.9, "{order} {fine:?}");
        assert!(smeared > 4.0 * fine.0);
    }
}

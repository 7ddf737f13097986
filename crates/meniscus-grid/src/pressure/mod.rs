//! Pressure: the flow that neither piles up nor thins out, and what it does to bodies.
//!
//! \[Guendelman2006\] Sec. 4.4.4 and 6.3.4: u = u* − dt ∇p/ρ with ∇·u = 0, solved by conjugate gradients. `graph` has the equation,
//! `coarse` and `cycle` the multigrid that preconditions it, `cholesky` the thesis' preconditioner, `body` the rigid bodies
//! that are solved for as well.
//!
//! **Departures** from the thesis: faces are open by shares, and closed shares move with their bodies; bodies answer within the
//! solve; a region without any given pressure is made compatible by spreading its net flux over closed shares of its cells.

pub mod body;
mod cholesky;
mod coarse;
mod conjugate;
mod cycle;
mod graph;

pub use conjugate::{Limit, Preconditioner, SolveReport};
pub use graph::Graph;

use crate::cut::{Cut, NO_BODY};
use crate::lattice::{CellLattice, Site};
use body::Pushes;
use conjugate::{Preconditioning, Vectors};
use glam::DVec3;
use graph::{NOWHERE, is_black};
use meniscus_core::{Carriers, Loads};
use rayon::prelude::*;

/// The equation of the current geometry, and scratch for solving it.
#[derive(Debug, Clone, Default)]
pub struct PressureSolve {
    graph: Graph,
    /// By slot: its room.
    room: Vec<u32>,
    /// By room: its slot.
    slot: Vec<u32>,
    /// By room: how much of its cell's faces is closed `[1]`.
    closed: Vec<f32>,
    preconditioning: Preconditioning,
    pushes: Pushes,
    vectors: Vectors,
    /// q by room, as remembered `[m/s]`.
    memory: Vec<f64>,
    /// By region: whether its pressure is known but for a constant.
    floating: Vec<bool>,
    region_sum: Vec<[f64; 2]>,
    /// q by slot, with mirror values beyond open sides `[m/s]`.
    q: Vec<f64>,
}

impl PressureSolve {
    /// Finds rooms and doors.
    pub fn rebuild(&mut self, lattice: &CellLattice, cut: &Cut, choice: Preconditioner) {
        self.find_rooms(lattice, cut);
        self.find_doors(lattice, cut);
        self.graph.find_inverse();
        self.preconditioning.rebuild(choice, &self.graph);
    }

    /// The number of regions that are not connected.
    #[must_use]
    pub fn regions(&self) -> usize {
        self.preconditioning.multigrid.regions(&self.graph)
    }

    /// The number of cells that hold fluid.
    #[must_use]
    pub fn rooms(&self) -> usize {
        self.graph.len()
    }

    fn find_rooms(&mut self, lattice: &CellLattice, cut: &Cut) {
        let (cells, stride) = (lattice.cells(), lattice.stride());
        self.room.clear();
        self.room.resize(lattice.slots(), NOWHERE);
        self.slot.clear();
        self.graph.cell.clear();
        self.graph.cells = cells;
        self.graph.rooms_of.clear();
        self.graph.rooms_of.resize(cells.iter().product(), (0, 0));
        for black in [false, true] {
            for (number, (slot, index)) in lattice.each(&lattice.cell_range()).enumerate() {
                let is_open =
                    |axis: usize| cut.area[axis][index] > 0.0 || cut.area[axis][index + stride[axis]] > 0.0;
                // Ghosts shift all slots of space by three, those of the plane by two: parity is that of slots.
                if is_black(slot) == black && lattice.axes().any(is_open) {
                    let room = self.slot.len() as u32;
                    self.room[index] = room;
                    self.slot.push(index as u32);
                    self.graph.cell.push(number as u32);
                    self.graph.rooms_of[number] = (room, 1);
                }
            }
            if !black {
                self.graph.red = self.slot.len();
            }
        }
    }

    fn find_doors(&mut self, lattice: &CellLattice, cut: &Cut) {
        let stride = lattice.stride();
        let graph = &mut self.graph;
        (graph.start, graph.to, graph.width) = (vec![0], Vec::new(), Vec::new());
        (graph.outlet, self.closed) = (Vec::new(), Vec::new());
        graph.to.reserve(2 * lattice.axes().len() * self.slot.len());
        graph.width.reserve(2 * lattice.axes().len() * self.slot.len());
        for (number, index) in self.slot.iter().enumerate() {
            let index = *index as usize;
            let offset = if number < graph.red { graph.red as u32 } else { 0 };
            let (mut outlet, mut closed) = (0.0, 0.0);
            for axis in lattice.axes() {
                for (face, other) in
                    [(index, index - stride[axis]), (index + stride[axis], index + stride[axis])]
                {
                    let (area, room) = (cut.area[axis][face], self.room[other]);
                    closed += 1.0 - area;
                    if area > 0.0 && room != NOWHERE {
                        graph.to.push(room - offset);
                        graph.width.push(area);
                    } else if area > 0.0 {
                        // Half a cell to the pressure in the side itself.
                        outlet += 2.0 * area;
                    }
                }
            }
            graph.start.push(graph.to.len() as u32);
            graph.outlet.push(outlet);
            self.closed.push(closed);
        }
    }

    /// Finds which rooms push which bodies, and which of these answer. `mass` is that of a full cell `[kg]`.
    pub fn find_pushes(
        &mut self,
        lattice: &CellLattice,
        cut: &Cut,
        bodies: usize,
        carriers: &Carriers,
        mass: f64,
    ) {
        let stride = lattice.stride();
        self.pushes.clear(bodies, mass);
        for (room, index) in (0..).zip(&self.slot) {
            let index = *index as usize;
            if self.closed[room as usize] <= 0.0 {
                continue;
            }
            for axis in lattice.axes() {
                for (face, sign) in [(index, -1.0), (index + stride[axis], 1.0)] {
                    let (body, area) = (cut.owner[axis][face], cut.area[axis][face]);
                    if body != NO_BODY {
                        let x = lattice.position(Site::Face(axis), lattice.slot(face));
                        let mut push = DVec3::ZERO;
                        push[axis] = sign * (1.0 - f64::from(area));
                        self.pushes.push(room, body, x, push);
                    }
                }
            }
        }
        self.pushes.answer_by(carriers);
        self.find_floating();
    }

    /// Lets a body move on as it does, whatever pushes it.
    pub fn hold(&mut self, body: usize) {
        self.pushes.hold(body);
        self.find_floating();
    }

    /// How the motion of a body has changed by the last projection, as its mobility says.
    #[must_use]
    pub fn answer(&self, body: usize) -> meniscus_core::Twist {
        self.pushes.answer(body)
    }

    /// Which regions have no given pressure, nor a body that answers to an equal one in all of the region.
    fn find_floating(&mut self) {
        let regions = self.regions();
        self.floating.clear();
        self.floating.resize(regions, true);
        let multigrid = &self.preconditioning.multigrid;
        for (room, outlet) in self.graph.outlet.iter().enumerate() {
            if *outlet > 0.0 {
                self.floating[multigrid.region(room)] = false;
            }
        }
        if regions > 1 {
            let mut equal = vec![0.0; self.graph.len()];
            for region in (0..regions).filter(|region| self.floating[*region]).collect::<Vec<_>>() {
                for (room, value) in equal.iter_mut().enumerate() {
                    *value = f64::from(u8::from(multigrid.region(room) == region));
                }
                self.floating[region] = !self.pushes.moves(&equal);
            }
        }
    }

    /// The flux out of each room's cell that is too much, into `r`: −Σ s (a u + (1 − a) u_s).
    fn find_flux(&mut self, lattice: &CellLattice, cut: &Cut, velocity: &[Vec<f64>; 3]) {
        let stride = lattice.stride();
        let (slot, r) = (&self.slot, &mut self.vectors.r);
        r.par_iter_mut().zip(slot).with_min_len(graph::CHUNK).for_each(|(r, index)| {
            let index = *index as usize;
            *r = -lattice
                .axes()
                .map(|axis| cut.flux(axis, index + stride[axis], velocity) - cut.flux(axis, index, velocity))
                .sum::<f64>();
        });
    }

    /// \[Guendelman2006\] Sec. 6.3.4: no net flow into a region that has no outlet.
    fn make_compatible(&mut self) {
        if !self.floating.contains(&true) {
            return;
        }
        let multigrid = &self.preconditioning.multigrid;
        self.region_sum.clear();
        self.region_sum.resize(self.floating.len(), [0.0; 2]);
        for (room, r) in self.vectors.r.iter().enumerate() {
            let sum = &mut self.region_sum[multigrid.region(room)];
            sum[0] += r;
            sum[1] += f64::from(self.closed[room]);
        }
        for (room, r) in self.vectors.r.iter_mut().enumerate() {
            let region = multigrid.region(room);
            let [flux, closed] = self.region_sum[region];
            if self.floating[region] && closed > 0.0 {
                *r -= flux * f64::from(self.closed[room]) / closed;
            }
        }
    }

    /// The mean pressure of a region that has no outlet is zero.
    fn remove_constants(&mut self) {
        if !self.floating.contains(&true) {
            return;
        }
        let multigrid = &self.preconditioning.multigrid;
        self.region_sum.clear();
        self.region_sum.resize(self.floating.len(), [0.0; 2]);
        for (room, q) in self.vectors.q.iter().enumerate() {
            let sum = &mut self.region_sum[multigrid.region(room)];
            sum[0] += q;
            sum[1] += 1.0;
        }
        for (room, q) in self.vectors.q.iter_mut().enumerate() {
            let region = multigrid.region(room);
            if self.floating[region] {
                *q -= self.region_sum[region][0] / self.region_sum[region][1];
            }
        }
    }

    /// Finds the pressure that makes a velocity field free of divergence: [`PressureSolve::q`].
    pub fn solve(
        &mut self,
        lattice: &CellLattice,
        cut: &Cut,
        choice: Preconditioner,
        limit: Limit,
        velocity: &[Vec<f64>; 3],
    ) -> SolveReport {
        self.vectors.resize(self.graph.len());
        self.find_flux(lattice, cut, velocity);
        self.make_compatible();
        let Self { graph, preconditioning, pushes, vectors, .. } = self;
        let report = vectors.solve(graph, pushes, |r, z| preconditioning.apply(choice, graph, r, z), limit);
        self.remove_constants();
        report
    }

    /// Lets that pressure act on the fluid and on bodies. What sides of the box give the fluid is added to `outside` `[N s]`.
    pub fn push(
        &mut self,
        lattice: &CellLattice,
        cut: &Cut,
        velocity: &mut [Vec<f64>; 3],
        loads: &mut Loads,
        outside: &mut DVec3,
    ) {
        self.pushes.give(&self.vectors.q, loads);
        self.spread(lattice, cut);
        self.accelerate(lattice, cut, velocity);
        *outside += self.pushes.mass() * self.push_of_sides(lattice, cut);
    }

    /// Adds the pressure to those that are remembered, or begins with it.
    pub fn remember(&mut self, first: bool) {
        if first {
            self.memory.clone_from(&self.vectors.q);
        } else {
            self.memory.iter_mut().zip(&self.vectors.q).for_each(|(sum, q)| *sum += q);
        }
    }

    /// Makes what is remembered the pressure.
    pub fn recall(&mut self) {
        self.vectors.q.clone_from(&self.memory);
    }

    /// What sides give the fluid, in masses of a cell `[m/s]`: the pressure of the cells beside them.
    fn push_of_sides(&self, lattice: &CellLattice, cut: &Cut) -> DVec3 {
        let mut sum = DVec3::ZERO;
        for axis in lattice.axes() {
            let (stride, last) = (lattice.stride()[axis], lattice.cells()[axis]);
            let mut side = lattice.cell_range();
            side[axis] = 1..2;
            for (_, lower) in lattice.each(&side) {
                let upper = lower + (last - 1) * stride;
                for (cell, face, sign) in [(lower, lower, 1.0), (upper, upper + stride, -1.0)] {
                    // A closed side pushes back; an open one lets half a cell's worth of push out beyond the box.
                    let area = f64::from(cut.area[axis][face]);
                    let is_wall = area <= 0.0 && cut.owner[axis][face] == NO_BODY;
                    sum[axis] += sign * if is_wall { 1.0 } else { -area } * self.q[cell];
                }
            }
        }
        sum
    }

    /// By slot: p dt / (ρ Δx) of the last solve `[m/s]`.
    #[must_use]
    pub fn q(&self) -> &[f64] {
        &self.q
    }

    /// q from rooms to slots.
    fn spread(&mut self, lattice: &CellLattice, cut: &Cut) {
        self.q.clear();
        self.q.resize(lattice.slots(), 0.0);
        for (index, q) in self.slot.iter().zip(&self.vectors.q) {
            self.q[*index as usize] = *q;
        }
        for axis in lattice.axes() {
            let (stride, last) = (lattice.stride()[axis], lattice.cells()[axis]);
            let mut side = lattice.cell_range();
            side[axis] = 0..1;
            for (_, ghost) in lattice.each(&side) {
                if cut.area[axis][ghost + stride] > 0.0 {
                    self.q[ghost] = -self.q[ghost + stride];
                }
                let above = ghost + (last + 1) * stride;
                if cut.area[axis][above] > 0.0 {
                    self.q[above] = -self.q[above - stride];
                }
            }
        }
    }

    /// u = u* − (q_upper − q_lower) on faces that are open.
    fn accelerate(&self, lattice: &CellLattice, cut: &Cut, velocity: &mut [Vec<f64>; 3]) {
        for axis in lattice.axes() {
            let (stride, area, q) = (lattice.stride()[axis], &cut.area[axis], &self.q);
            lattice.fill(&mut velocity[axis], &lattice.face_range(axis), |_, first, row| {
                for (index, u) in (first..).zip(row) {
                    if area[index] > 0.0 {
                        *u -= q[index] - q[index - stride];
                    }
                }
            });
        }
    }
}

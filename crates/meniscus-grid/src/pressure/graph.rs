//! The pressure equation as a graph: rooms that hold a pressure, and doors between them.
//!
//! A *room* is a connected piece of fluid in a cell; today a cell has one or none. A *door* joins rooms of neighbouring cells and
//! lets through a share of a face's area. With q = p dt / (ρ Δx) and doors a, the equation of room i is
//!
//! Σ_j a_ij (q_i − q_j) + a_i q_i = −Σ_faces s (a u + (1 − a) u_s),
//!
//! \[Guendelman2006\] Eq. 4.6 with open shares of faces (\[Batty2007\]; areas as in \[Ng2009\]), times Δx²; a_i are doors to where the
//! pressure is zero. Rooms are numbered by colour as on a chessboard, so that each has neighbours of the other colour only: a
//! sweep over one colour reads the other, and its result does not depend on the order.

use rayon::prelude::*;

/// Rooms that one thread takes at a time.
pub(crate) const CHUNK: usize = 2048;

/// No room.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// The rooms of one level and the doors between them.
#[derive(Debug, Clone, Default)]
pub struct Graph {
    /// How many rooms are red: the first ones.
    pub(crate) red: usize,
    /// Of each room: where its doors begin; one entry more at the end.
    pub(crate) start: Vec<u32>,
    /// Where each door leads: the room's number among those of the other colour.
    pub(crate) to: Vec<u32>,
    /// How wide it is.
    pub(crate) width: Vec<f32>,
    /// Of each room: how wide its doors to a pressure of zero are.
    pub(crate) outlet: Vec<f32>,
    /// One over the sum of all its doors; zero if it has none.
    pub(crate) inverse: Vec<f32>,
    /// Of each room: its cell, by its number in `cells`.
    pub(crate) cell: Vec<u32>,
    /// How many cells this level has along each axis.
    pub(crate) cells: [usize; 3],
    /// Of each cell: its first room and how many it has.
    pub(crate) rooms_of: Vec<(u32, u32)>,
}

impl Graph {
    /// How many rooms there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.outlet.len()
    }

    /// Whether there is nothing to solve for.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outlet.is_empty()
    }

    /// The doors of a room, as (room, width).
    #[inline(always)]
    pub(crate) fn doors(&self, room: usize) -> impl Iterator<Item = (usize, f32)> {
        let range = self.start[room] as usize..self.start[room + 1] as usize;
        let offset = if room < self.red { self.red } else { 0 };
        self.to[range.clone()]
            .iter()
            .zip(&self.width[range])
            .map(move |(to, width)| (*to as usize + offset, *width))
    }

    /// Σ_j a_ij (q_i − q_j) + a_i q_i.
    #[inline(always)]
    fn row(&self, room: usize, own: f64, other: &[f64]) -> f64 {
        let (from, end) = (self.start[room] as usize, self.start[room + 1] as usize);
        let mut sum = f64::from(self.outlet[room]) * own;
        for (to, width) in self.to[from..end].iter().zip(&self.width[from..end]) {
            sum += f64::from(*width) * (own - other[*to as usize]);
        }
        sum
    }

    /// The operator on q, in double precision.
    pub fn apply(&self, q: &[f64], out: &mut [f64]) {
        let (red, black) = q.split_at(self.red);
        let (out_red, out_black) = out.split_at_mut(self.red);
        for (first, own, other, out) in [(0, red, black, out_red), (self.red, black, red, out_black)] {
            out.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, out)| {
                for (n, out) in (chunk * CHUNK..).zip(out) {
                    *out = self.row(first + n, own[n], other);
                }
            });
        }
    }

    /// Σ a_ij x_j for a room, over the rooms of the other colour.
    #[inline(always)]
    fn pull(&self, room: usize, other: &[f32]) -> f32 {
        let (from, end) = (self.start[room] as usize, self.start[room + 1] as usize);
        let mut sum = 0.0;
        for (to, width) in self.to[from..end].iter().zip(&self.width[from..end]) {
            sum += width * other[*to as usize];
        }
        sum
    }

    /// Solves the equations of the red rooms for their own values.
    pub(crate) fn sweep_red(&self, b: &[f32], x: &mut [f32]) {
        let (own, other) = x.split_at_mut(self.red);
        self.sweep(0, b, own, other);
    }

    /// The same for the black ones.
    pub(crate) fn sweep_black(&self, b: &[f32], x: &mut [f32]) {
        let (other, own) = x.split_at_mut(self.red);
        self.sweep(self.red, b, own, other);
    }

    fn sweep(&self, first: usize, b: &[f32], own: &mut [f32], other: &[f32]) {
        own.par_chunks_mut(CHUNK).enumerate().for_each(|(chunk, own)| {
            for (room, own) in (first + chunk * CHUNK..).zip(own) {
                *own = (b[room] + self.pull(room, other)) * self.inverse[room];
            }
        });
    }

    /// What the equation of a red room lacks after a sweep over the black ones.
    #[inline(always)]
    pub(crate) fn residual(&self, room: usize, b: &[f32], x: &[f32]) -> f32 {
        let own = if self.inverse[room] > 0.0 { x[room] / self.inverse[room] } else { 0.0 };
        b[room] - own + self.pull(room, &x[self.red..])
    }

    /// Finds the sums of doors.
    pub(crate) fn find_inverse(&mut self) {
        let Self { start, width, outlet, inverse, .. } = self;
        inverse.clear();
        inverse.resize(outlet.len(), 0.0);
        inverse.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(room, inverse)| {
            let doors = &width[start[room] as usize..start[room + 1] as usize];
            let sum = outlet[room] + doors.iter().sum::<f32>();
            *inverse = if sum > 0.0 { 1.0 / sum } else { 0.0 };
        });
    }

    /// Whether any doors are there.
    pub(crate) fn has_doors(&self) -> bool {
        !self.to.is_empty()
    }
}

/// The colour of a cell: whether it is black.
#[inline(always)]
pub(crate) fn is_black([i, j, k]: [usize; 3]) -> bool {
    (i + j + k) % 2 == 1
}

/// The place of a cell by its number.
#[inline(always)]
pub(crate) fn place(cell: usize, [x, y, _]: [usize; 3]) -> [usize; 3] {
    [cell % x, cell / x % y, cell / (x * y)]
}

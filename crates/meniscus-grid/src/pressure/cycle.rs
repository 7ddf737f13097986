//! A multigrid V-cycle as a preconditioner: two red-black sweeps before and two after the coarse correction, in single precision.
//!
//! Residuals are summed into coarse rooms and corrections copied back (piecewise constant transfer). Sweeps after it go through the
//! colours in the opposite order, so that the cycle is symmetric, as conjugate gradients need it (\[Tatebe1993\]). Before it a
//! sweep ends with black rooms, whose equations then hold, so that only red ones have a residual; after it a sweep begins with
//! black rooms, which need no correction.

use super::coarse::Coarse;
use super::graph::{CHUNK, Graph};
use rayon::prelude::*;

/// What a cycle works on, one for each level.
#[derive(Debug, Clone, Default)]
struct Work {
    b: Vec<f32>,
    x: Vec<f32>,
}

/// All levels.
#[derive(Debug, Clone, Default)]
pub struct Multigrid {
    pub(crate) coarse: Vec<Coarse>,
    work: Vec<Work>,
}

impl Multigrid {
    /// The levels below a graph, down to one cell.
    pub fn rebuild(&mut self, finest: &Graph) {
        self.coarse.clear();
        let mut graph = finest;
        while graph.cells != [1; 3] {
            self.coarse.push(Coarse::of(graph));
            // Just pushed.
            let Some(last) = self.coarse.last() else { break };
            graph = &last.graph;
        }
        let levels = std::iter::once(finest).chain(self.coarse.iter().map(|coarse| &coarse.graph));
        self.work.resize_with(self.coarse.len() + 1, Work::default);
        for (work, graph) in self.work.iter_mut().zip(levels) {
            work.b.resize(graph.len(), 0.0);
            work.x.resize(graph.len(), 0.0);
        }
    }

    /// How many regions there are that no door connects.
    #[must_use]
    pub fn regions(&self, finest: &Graph) -> usize {
        self.coarse.last().map_or(finest.len(), |coarse| coarse.graph.len())
    }

    /// The region of a room of the finest level.
    #[must_use]
    pub fn region(&self, room: usize) -> usize {
        self.coarse.iter().fold(room, |room, coarse| coarse.parent[room] as usize)
    }

    /// z ≈ A⁻¹ r.
    pub fn precondition(&mut self, finest: &Graph, r: &[f64], z: &mut [f64]) {
        let Self { coarse, work } = self;
        let Some(first) = work.first_mut() else { return };
        // In units of its largest entry, so that single precision can hold it.
        let unit = r.par_iter().with_min_len(CHUNK).map(|r| r.abs()).reduce(|| 0.0, f64::max);
        if !(unit > 0.0 && unit.is_finite()) {
            z.fill(0.0);
            return;
        }
        first.b.par_iter_mut().zip(r).with_min_len(CHUNK).for_each(|(b, r)| *b = (r / unit) as f32);
        cycle(finest, coarse, work);
        z.par_iter_mut().zip(&work[0].x).with_min_len(CHUNK).for_each(|(z, x)| *z = unit * f64::from(*x));
    }
}

fn cycle(graph: &Graph, coarse: &[Coarse], work: &mut [Work]) {
    let Some((Work { b, x }, below)) = work.split_first_mut() else { return };
    let (red, black) = x.split_at_mut(graph.red);
    black.fill(0.0);
    red.par_iter_mut().enumerate().with_min_len(CHUNK).for_each(|(n, x)| *x = b[n] * graph.inverse[n]);
    graph.sweep_black(b, x);
    if !graph.has_doors() {
        return;
    }
    graph.sweep_red(b, x);
    graph.sweep_black(b, x);
    if let (Some((next, deeper)), Some(work)) = (coarse.split_first(), below.first_mut()) {
        work.b.par_iter_mut().enumerate().with_min_len(CHUNK / 8).for_each(|(room, sum)| {
            let red = next.parts(room).iter().map(|part| *part as usize).filter(|part| *part < graph.red);
            *sum = red.map(|part| graph.residual(part, b, x)).sum();
        });
        cycle(&next.graph, deeper, below);
        let correction = &below[0].x;
        let red = x[..graph.red].par_iter_mut().zip(&next.parent).with_min_len(CHUNK);
        red.for_each(|(x, parent)| *x += correction[*parent as usize]);
    }
    graph.sweep_black(b, x);
    graph.sweep_red(b, x);
    graph.sweep_black(b, x);
    graph.sweep_red(b, x);
}

//! Preconditioned conjugate gradients in double precision.

use super::body::Pushes;
use super::cholesky::IncompleteCholesky;
use super::cycle::Multigrid;
use super::graph::{CHUNK, Graph};
use meniscus_core::reduce;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What conjugate gradients are preconditioned with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Preconditioner {
    /// A multigrid cycle.
    #[default]
    Multigrid,
    /// Incomplete Cholesky, as in the thesis.
    IncompleteCholesky,
}

/// What a solve did.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct SolveReport {
    /// Iterations `[1]`.
    pub iterations: u32,
    /// The largest residual that is left: the divergence of a cell times its width `[m/s]`.
    pub residual: f64,
    /// Whether that is within the tolerance.
    pub converged: bool,
}

/// When a solve ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Limit {
    /// Largest residual `[m/s]`.
    pub residual: f64,
    /// Most iterations `[1]`.
    pub iterations: u32,
}

/// The vectors of the iteration.
#[derive(Debug, Clone, Default)]
pub struct Vectors {
    pub(crate) q: Vec<f64>,
    pub(crate) r: Vec<f64>,
    z: Vec<f64>,
    p: Vec<f64>,
    a_p: Vec<f64>,
}

impl Vectors {
    pub(crate) fn resize(&mut self, len: usize) {
        for vector in [&mut self.q, &mut self.r, &mut self.z, &mut self.p, &mut self.a_p] {
            vector.clear();
            vector.resize(len, 0.0);
        }
    }

    /// Solves (A + bodies) q = b, where `r` holds b and q starts with zero.
    pub(crate) fn solve(
        &mut self,
        graph: &Graph,
        pushes: &mut Pushes,
        mut precondition: impl FnMut(&[f64], &mut [f64]),
        limit: Limit,
    ) -> SolveReport {
        let Self { q, r, z, p, a_p } = self;
        let mut report = SolveReport { residual: largest(r), ..SolveReport::default() };
        let mut last = 0.0;
        // A residual that is not a number ends it below, when nothing can be made of it.
        while report.residual.is_nan() || report.residual > limit.residual {
            if report.iterations >= limit.iterations {
                break;
            }
            precondition(r, z);
            let now = dot(r, z);
            if !(now > 0.0 && now.is_finite()) {
                break;
            }
            let beta = if report.iterations == 0 { 0.0 } else { now / last };
            p.par_iter_mut().zip(&*z).with_min_len(CHUNK).for_each(|(p, z)| *p = z + beta * *p);
            graph.apply(p, a_p);
            pushes.add_answer(p, a_p);
            let alpha = now / dot(p, a_p);
            if !alpha.is_finite() {
                break;
            }
            q.par_iter_mut().zip(&*p).with_min_len(CHUNK).for_each(|(q, p)| *q += alpha * p);
            r.par_iter_mut().zip(&*a_p).with_min_len(CHUNK).for_each(|(r, a_p)| *r -= alpha * a_p);
            last = now;
            report.residual = largest(r);
            report.iterations += 1;
        }
        report.converged = report.residual <= limit.residual;
        report
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    reduce::by_chunk(a.len(), 0.0, |n| a[n.clone()].iter().zip(&b[n]).map(|(a, b)| a * b).sum(), |a, b| a + b)
}

/// The largest size; not a number if any entry is none.
fn largest(a: &[f64]) -> f64 {
    let join = |a: f64, b: f64| if a.is_nan() || b.is_nan() { f64::NAN } else { a.max(b) };
    reduce::by_chunk(a.len(), 0.0, |n| a[n].iter().map(|a| a.abs()).fold(0.0, join), join)
}

/// Either preconditioner.
#[derive(Debug, Clone, Default)]
pub struct Preconditioning {
    pub(crate) multigrid: Multigrid,
    pub(crate) cholesky: IncompleteCholesky,
}

impl Preconditioning {
    pub(crate) fn rebuild(&mut self, choice: Preconditioner, graph: &Graph) {
        self.multigrid.rebuild(graph);
        if choice == Preconditioner::IncompleteCholesky {
            self.cholesky.rebuild(graph);
        }
    }

    pub(crate) fn apply(&mut self, choice: Preconditioner, graph: &Graph, r: &[f64], z: &mut [f64]) {
        match choice {
            Preconditioner::Multigrid => self.multigrid.precondition(graph, r, z),
            Preconditioner::IncompleteCholesky => self.cholesky.precondition(r, z),
        }
    }
}

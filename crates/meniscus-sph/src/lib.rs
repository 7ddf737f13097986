//! Smoothed particle hydrodynamics: neighbours, kernels, forces, pressure solvers, boundary rows.

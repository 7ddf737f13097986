//! Volumes: tetrahedra of hyperelastic matter.

pub(crate) mod lattice;
pub(crate) mod neo_hookean;
pub(crate) mod tetrahedron;

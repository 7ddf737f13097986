//! Shapes: analytic ones, solids made of them, and built-in meshes.
//!
//! In reading order: a [`Shape`] has sizes in its own frame; a [`Solid`] is a shape with a place in the scene and matter on one
//! [`Side`] of its surface. `section` is what the plane z = 0 sees of a shape, `outline` what a preview draws of a solid.
//! [`builtin`] makes meshes of spheres, hulls, gears, figures and others from their sizes.

pub mod builtin;
mod outline;
pub(crate) mod section;
mod solid;

pub use solid::{OpenFaces, Shape, Side, Solid};

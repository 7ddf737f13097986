//! The surface of a fluid that is given by particles: a closed triangle mesh with normals and velocities.
//!
//! Marching cubes over the level set of the particles' density field (`splashsurf_lib`) find it. Single particles
//! become blobs of their own volume, because the field divides by each particle's density. Then vertices are smoothed,
//! the more the more particles are around them, so that calm water becomes even and drops stay; and at last the surface
//! is moved along its normals until it encloses the volume of the particles, which smoothing had shrunk.
//!
//! The result does not depend on the number of threads.

mod error;
mod mesh;
mod reconstruct;
mod smooth;

pub use error::SurfaceError;
pub use mesh::FluidSurface;
pub use reconstruct::{SurfaceParams, reconstruct};

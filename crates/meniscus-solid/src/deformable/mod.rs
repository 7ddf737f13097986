//! Deformable solids: cloth, shells, ropes and elastic volumes, as finite elements with physical parameters.
//!
//! | room | what it has |
//! | --- | --- |
//! | [`cloth`] | membranes, bending of flat sheets and of curved shells |
//! | [`elastic`] | hyperelastic tetrahedra, linear and quadratic, and meshes of them |
//! | `rope` | segments and corners |
//! | `system`, `sparse` | what all elements sum to at the nodes |
//! | `step`, `conjugate_gradient` | the step, which conserves energy, momentum and angular momentum |
//! | `params`, `build`, `pin` | what bodies are given as, and what is made of it |
//! | `body`, `solids` | a body that moves, and the engine behind the seam |
//! | [`contact`] | surfaces that never pass through anything, on plain data |
//!
//! Bodies do not use contact yet: they pass through each other, themselves and rigid ones.

mod body;
mod build;
mod cloth;
mod conjugate_gradient;
pub mod contact;
mod elastic;
mod element;
mod linear;
mod material;
mod params;
mod pin;
mod rope;
mod solids;
mod sparse;
mod step;
mod system;
#[cfg(test)]
mod tests;

pub use body::{DeformableBody, Energies};
pub use elastic::lattice::box_of_tetrahedra;
pub use material::ElasticMaterial;
pub use params::{DeformableParams, ElementOrder, Structure};
pub use pin::{Pin, PinPlace};
pub use solids::DeformableSolids;

//! What the program about sampling measures and draws.

pub mod meshes;
pub mod pairs;
pub mod picture;
pub mod relaxing;
pub mod timing;

//! Solids of Meniscus: rigid bodies that collide, slide, roll and stack, and motions that are prescribed.
//!
//! Nothing here knows a fluid. [`script`] says where something with a known motion is at any time.

mod error;
pub mod script;

pub use error::SolidError;

//! Material that is not of the product, to try the seams with: a solid that is not rigid, a fluid that is not SPH.
//!
//! Nothing outside of this folder knows of it. [`SpringBlock`] is a solid of point masses and springs, [`skin`] lets SPH water
//! feel it, or any other surface that deforms, and [`Stream`] is a fluid whose flow is prescribed.

pub mod skin;
mod spring_block;
mod springs;
mod stream;

pub use spring_block::{BlockParams, SpringBlock};
pub use springs::{Spring, Springs};
pub use stream::Stream;

//! Interference detection.

pub(crate) mod broad;
pub(crate) mod narrow;
pub(crate) mod proximity;

//! Sheets: membranes that resist being stretched, and what resists their being bent.

pub(crate) mod bending;
pub(crate) mod hinge;
pub(crate) mod membrane;
pub(crate) mod patch;

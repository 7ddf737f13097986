//! Forces other than pressure, computed from rows.

mod viscosity;

pub use viscosity::{Viscosity, ViscosityParams, WallFriction};

//! Forces other than pressure, computed from rows.

mod cohesion;
mod viscosity;

pub use cohesion::{Cohesion, adhesion, strength as cohesion_strength};
pub use viscosity::{Viscosity, ViscosityParams, WallFriction};

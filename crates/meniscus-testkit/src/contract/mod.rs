//! What every implementation of a seam must keep to, whichever it is.
//!
//! Whoever adds a [`Fluid`](meniscus_core::Fluid), a [`SolidEngine`](meniscus_core::SolidEngine), a
//! [`BoundaryMethod`](meniscus_sph::boundary::BoundaryMethod) or a [`PressureSolver`](meniscus_sph::pressure::PressureSolver)
//! describes a case of it and calls the suite of that name from a test. Each law is a function whose name is the law, and fails with
//! it.

mod boundary_method;
mod fluid;
mod pressure_solver;
mod solid;

pub use boundary_method::{BoundaryCase, boundary_method};
pub use fluid::{FluidCase, fluid};
pub use pressure_solver::{PressureCase, pressure_solver};
pub use solid::{SolidCase, solid};

use anyhow::Result;

/// A law about a case of `C`, and its name.
type Law<C> = (&'static str, fn(&C) -> Result<()>);

/// Pairs of names and functions of laws.
macro_rules! laws {
    ($($law:ident),+ $(,)?) => { [$((stringify!($law), $law)),+] };
}
use laws;

/// Holds a case to laws, and says which it breaks.
fn hold<C>(name: &str, case: &C, laws: &[Law<C>]) -> Result<()> {
    for (law, test) in laws {
        let law = law.replace('_', " ");
        test(case).map_err(|error| error.context(format!("{name} breaks the law that {law}")))?;
    }
    Ok(())
}

/// What `work` gives on this many threads.
fn on_threads<T: Send>(threads: usize, work: impl FnOnce() -> Result<T> + Send) -> Result<T> {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build()?.install(work)
}

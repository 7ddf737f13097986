//! Meniscus simulates fluids and solids that push on each other.
//!
//! This crate holds nothing of its own: it gives all libraries one name, and what most programs need is in [`prelude`].
//!
//! ```
//! use meniscus::prelude::*;
//!
//! let text = r#"
//!     [fluid]
//!     spacing = 0.05
//!     [[fluid.source]]
//!     shape = "box"
//!     min = [0.0, 0.0, 0.0]
//!     max = [0.3, 0.4, 0.3]
//!     [[body]]
//!     name = "tank"
//!     shape = "box"
//!     size = [0.6, 0.6, 0.3]
//!     position = [0.3, 0.3, 0.15]
//!     container = true
//!     [time]
//!     end = 1.0
//! "#;
//! let (_, setup) = SceneSource::from_text("a small dam", text).build()?;
//! let mut simulation = Simulation::new(setup)?;
//! let height = |simulation: &mut Simulation| -> f64 {
//!     let frame = simulation.frame(0);
//!     frame.position.iter().map(|x| x.y).sum::<f64>() / frame.position.len() as f64
//! };
//! let before = height(&mut simulation);
//! for _ in 0..10 {
//!     simulation.step()?;
//! }
//! assert!(height(&mut simulation) < before);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`run::Run`] takes a scene to a folder of results, [`run::Replay`] shows what such a folder holds.

pub use meniscus_core as core;
pub use meniscus_coupling as coupling;
pub use meniscus_geometry as geometry;
pub use meniscus_output as output;
pub use meniscus_render as render;
pub use meniscus_run as run;
pub use meniscus_scene as scene;
pub use meniscus_solid as solid;
pub use meniscus_sph as sph;
pub use meniscus_surface as surface;
pub use meniscus_view as view;

/// What most programs need: scenes, simulations, runs and what comes out of them.
pub mod prelude {
    pub use meniscus_core::{DVec3, Dimension, ParticleFrame, SimulationError};
    pub use meniscus_coupling::{Setup, Simulation, StepReport};
    pub use meniscus_output::{Existing, Summary};
    pub use meniscus_run::{End, Limits, OnShortage, Replay, Run, RunError, View};
    pub use meniscus_scene::{Scene, SceneError, SceneSource};
}
